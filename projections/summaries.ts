import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import { isNoteId } from "../events/Memory.js"
import type { SessionSummary } from "../events/SessionSummary.js"
import { levels, minOpennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import { type Role, turnLevelOf } from "../events/Turn.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * Summaries of conversations, one row per session and store, and the memories made in each session. A read counts the
 * memories itself, because memories change and each level counts only memories that it may read.
 */
export const summaries: Projection = {
  name: "summaries",
  version: 3,
  handles: ["SUMMARIZE", "FORGET", "ADD", "DELETE", "COMPRESS"],
  tables: `CREATE TABLE summaries (session TEXT NOT NULL, store TEXT NOT NULL, openness INTEGER NOT NULL,
      version INTEGER NOT NULL, origin INTEGER NOT NULL, until INTEGER NOT NULL, last_at INTEGER NOT NULL, made_at INTEGER NOT NULL,
      made_by TEXT NOT NULL, summary TEXT NOT NULL, PRIMARY KEY (session, store)) WITHOUT ROWID;
    CREATE TABLE session_memories (born INTEGER PRIMARY KEY, session TEXT NOT NULL, created_at INTEGER NOT NULL);`,
  indexes: `CREATE INDEX summaries_last ON summaries (last_at DESC);
    CREATE INDEX session_memories_last ON session_memories (created_at DESC);
    CREATE INDEX session_memories_session ON session_memories (session, created_at DESC);`,
  drop: () => "DROP TABLE summaries; DROP TABLE session_memories",
  apply: (db, event, lookup) => {
    if (event.type === "SUMMARIZE") {
      const { decision, restores = event.version, session, store, summary } = event.payload
      removeSummary(db, session, store)
      if (summary === null) return
      sql(
        db,
        `INSERT INTO summaries (session, store, openness, version, origin, until, last_at, made_at, made_by, summary)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
      ).run(
        session,
        store,
        lookup.opennessOf({ id: "", store }),
        event.version,
        restores,
        summary.until,
        summary.lastAt,
        event.recordedAt,
        JSON.stringify(decision.by),
        JSON.stringify(summary)
      )
      return
    }
    if (event.type === "FORGET") {
      const { session, stores } = event.payload
      if (session !== undefined) for (const store of stores) removeSummary(db, session, store)
      return
    }
    addMemories(db, event)
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM summaries ORDER BY session, store")
    digest.query(db, "SELECT * FROM session_memories ORDER BY born")
  },
  stateDigest: (db, digest) => {
    digest.rows(function* () {
      const rows = db
        .prepare("SELECT session, store, openness, summary FROM summaries ORDER BY session, store")
        .iterate()
      for (const row of rows as Iterable<{ session: string; store: string; openness: number; summary: string }>) {
        const { sources: _, until: __, ...content } = JSON.parse(row.summary) as SessionSummary
        yield [row.session, row.store, row.openness, JSON.stringify(content)]
      }
    })
  }
}

const removeSummary = (db: Db, session: string, store: string) =>
  sql(db, "DELETE FROM summaries WHERE session = ? AND store = ?").run(session, store)

const addMemories = (db: Db, event: DaybookEvent) => {
  for (const { born, createdAt, id, session } of afterImages(event)) {
    // The session of a note is a namespace, not a conversation.
    if (born !== event.version || session === undefined || isNoteId(id)) continue
    sql(db, "INSERT INTO session_memories (born, session, created_at) VALUES (?, ?, ?)").run(born, session, createdAt)
  }
}

/** The summary of a session in a store, the version of its event, and the version that first stored this text. */
export const findSummary = (
  db: Db,
  session: string,
  store: Store
): { readonly version: number; readonly origin: number; readonly summary: SessionSummary } | undefined => {
  const row = sql(db, "SELECT version, origin, summary FROM summaries WHERE session = ? AND store = ?").get(
    session,
    store
  )
  return row === undefined ? undefined : { ...row, summary: JSON.parse(row.summary) }
}

/** True if all turns from which a summary was made still exist. */
export const hasAllSources = (db: Db, { sources, until }: SessionSummary): boolean =>
  sql(db, "SELECT 1 FROM json_each(?) WHERE value NOT IN (SELECT born FROM turns) LIMIT 1").get(
    JSON.stringify([...sources, until])
  ) === undefined

/** Identifies a session in a store. */
export interface SessionKey {
  readonly session: string
  readonly store: Store
}

/**
 * Sessions of a store that have unsummarized turns and no turn after the instant `before`. Returns one page, in the
 * order of the newest turn of each session. The page begins after the version `after`; the next page begins after the
 * version `last`.
 */
export const findUnsummarized = (
  db: Db,
  store: Store,
  before: number,
  after: number,
  limit: number
): { readonly sessions: ReadonlyArray<SessionKey>; readonly last: number } => {
  const rows = sql(
    db,
    `SELECT s.session, s.store, s.last_born AS last FROM sessions s
      LEFT JOIN summaries m ON m.session = s.session AND m.store = s.store
      WHERE s.store = ? AND s.last_at <= ? AND s.last_born > max(coalesce(m.until, 0), ?)
      ORDER BY s.last_born LIMIT ?`
  ).all(store, before, after, limit)
  return { sessions: rows, last: rows.at(-1)?.last ?? after }
}

/** A turn as the input of a summary. Its text is cut at a limit. */
export interface SummaryTurn {
  readonly born: number
  readonly role: Role
  readonly level: TrustLevel
  readonly speaker: string | null
  readonly text: string
  readonly occurredAt: number
}

/** The first and the last turns of a session, oldest first, and the number of its turns in this store. */
export const findSummaryTurns = (
  db: Db,
  { session, store }: SessionKey,
  { characters, first, last }: { readonly first: number; readonly last: number; readonly characters: number }
): {
  readonly turns: ReadonlyArray<SummaryTurn>
  readonly count: number
  readonly startedAt: number
  readonly lastAt: number
} => {
  const readTurns = (order: "ASC" | "DESC", limit: number): ReadonlyArray<SummaryTurn> =>
    sql(
      db,
      `SELECT born, json_extract(turn, '$.role') AS role, json_extract(turn, '$.level') AS level, store, json_extract(turn, '$.speaker') AS speaker,
        substr(json_extract(turn, '$.text'), 1, ?) AS text, occurred_at AS occurredAt
        FROM turns WHERE session = ? AND store = ? ORDER BY sequence ${order} LIMIT ?`
    )
      .all(characters, session, store, limit)
      .map(({ level, store, ...turn }) => ({
        ...turn,
        level: turnLevelOf({ role: turn.role, store, level: level ?? undefined })
      }))
  const turns = new Map(
    [...readTurns("ASC", first), ...[...readTurns("DESC", last)].reverse()].map((turn) => [turn.born, turn])
  )
  const {
    lastAt,
    startedAt,
    turns: count
  } = sql(
    db,
    "SELECT turns, started_at AS startedAt, last_at AS lastAt FROM sessions WHERE session = ? AND store = ?"
  ).get(session, store) ?? { turns: 0, startedAt: 0, lastAt: 0 }
  return { turns: [...turns.values()], count, startedAt, lastAt }
}

/** A session as a level may read it: its latest summary, and the number of memories made in it. */
export interface SummaryRow extends SessionKey {
  readonly summary: SessionSummary | null
  /** The author of the summary. */
  readonly by: { readonly kind: string; readonly name: string } | null
  readonly madeAt: number | null
  /** True if the session has turns after the summary. */
  readonly behind: boolean
  readonly observations: number
  /** The time of the newest turn or memory, in milliseconds. */
  readonly lastAt: number
}

/** The condition for memories (alias `o`) that a level may read at the time `now`. */
const readable = `o.active = 1 AND o.openness >= :floor AND (o.expires_at IS NULL OR o.expires_at > :now)`

/**
 * Sessions that have a summary or memories, newest first by their last turn or memory. Reads both lists from the newest
 * entry until the page is full, and counts memories for that page only.
 */
export const findSummaries = (
  db: Db,
  level: TrustLevel,
  now: number,
  { limit, offset, session }: { readonly limit: number; readonly offset: number; readonly session?: string | undefined }
): ReadonlyArray<SummaryRow> => {
  // The condition on the session is separate, so that SQLite finds one session by its index. The cross join avoids
  // sorting.
  const sessionCondition = session === undefined ? "" : " AND m.session = :session"
  const params = { floor: minOpennessOf(level), now }
  const sessions = newestFirst(
    [
      `SELECT m.session, m.store, m.last_at AS lastAt FROM summaries m
        WHERE m.openness >= :floor AND :now IS NOT NULL${sessionCondition} ORDER BY m.last_at DESC`,
      `SELECT m.session, o.store, m.created_at AS lastAt FROM session_memories m CROSS JOIN observations o ON o.born = m.born
        WHERE ${readable}${sessionCondition} ORDER BY m.created_at DESC`
    ].map((text) => sql(db, text).iterate({ ...params, ...(session === undefined ? {} : { session }) })),
    offset + limit
  )
  return sessions.slice(offset, offset + limit).map(({ lastAt, session, store }) => {
    const { madeBy, summary, behind, ...row } = sql(
      db,
      `SELECT s.summary, s.made_by AS madeBy, s.made_at AS madeAt, coalesce(t.last_born > s.until, 0) AS behind,
          (SELECT count(*) FROM session_memories m JOIN observations o ON o.born = m.born
            WHERE m.session = k.session AND o.store = k.store AND ${readable}) AS observations
        FROM (SELECT :session AS session, :store AS store) k
        LEFT JOIN summaries s ON s.session = k.session AND s.store = k.store AND s.openness >= :floor
        LEFT JOIN sessions t ON t.session = k.session AND t.store = k.store AND t.openness >= :floor`
    ).get({ ...params, session, store })
    return {
      ...row,
      session,
      store,
      lastAt,
      summary: summary === null ? null : JSON.parse(summary),
      by: madeBy === null ? null : JSON.parse(madeBy),
      behind: behind === 1
    }
  })
}

interface DatedSession extends SessionKey {
  readonly lastAt: number
}

/**
 * Merges lists that are each sorted newest first, and keeps the newest entry of each session. Stops after `limit`
 * sessions, but includes all entries with the same time as the last one.
 */
const newestFirst = (
  lists: ReadonlyArray<IterableIterator<DatedSession>>,
  limit: number
): ReadonlyArray<DatedSession> => {
  const sessions = new Map<string, DatedSession>()
  try {
    const heads = lists.map((list) => list.next())
    let last = Number.NEGATIVE_INFINITY
    for (;;) {
      let newest = -1
      for (const [list, head] of heads.entries()) {
        if (!head.done && (newest < 0 || head.value.lastAt > heads[newest]!.value.lastAt)) newest = list
      }
      const entry: DatedSession | undefined = newest < 0 ? undefined : heads[newest]!.value
      if (entry === undefined || (sessions.size >= limit && entry.lastAt < last)) break
      heads[newest] = lists[newest]!.next()
      const key = JSON.stringify([entry.session, entry.store])
      if (sessions.has(key)) continue
      sessions.set(key, entry)
      if (sessions.size === limit) last = entry.lastAt
    }
  } finally {
    // Closes the remaining statements, because an open statement keeps its connection busy.
    for (const list of lists) list.return?.()
  }
  const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
  return [...sessions.values()].sort(
    (a, b) => b.lastAt - a.lastAt || order(a.session, b.session) || order(a.store, b.store)
  )
}

/** Side `from`: the writers at that level and above. Memories with the tag `exceptTag` are left out. */
interface TitlesQuery {
  readonly type: string
  readonly exceptTag: string | null
  readonly limit: number
  readonly writers: TrustLevel
  readonly side: "from" | "below"
}

/** The titles of memories of one type that were made in a session, newest first, with the writer's level of each. */
export const findSessionTitles = (
  db: Db,
  level: TrustLevel,
  now: number,
  { session, store }: SessionKey,
  { exceptTag, limit, side, type, writers }: TitlesQuery
): ReadonlyArray<{ readonly title: string; readonly level: TrustLevel }> =>
  sql(
    db,
    `SELECT o.title, o.level FROM session_memories m JOIN observations o ON o.born = m.born WHERE m.session = :session
        AND o.store = :store AND o.type = :type AND ${readable} AND o.level ${side === "from" ? "<=" : ">"} :writers
        AND NOT EXISTS (SELECT 1 FROM json_each(o.tags) WHERE value = :exceptTag) ORDER BY o.born DESC LIMIT :limit`
  )
    .all({ floor: minOpennessOf(level), now, session, store, type, exceptTag, limit, writers: minOpennessOf(writers) })
    .map(({ level, title }) => ({ title, level: levels[level]! }))
