import { type DaybookEvent, imagesOf } from "../events/catalogue.js"
import type { SessionSummary } from "../events/SessionSummary.js"
import { floorOf, type Store, type TrustLevel } from "../events/Trust.js"
import type { Role } from "../events/Turn.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * What conversations came to, one row for a session in a store, and which memories were made in sessions. How many of
 * these there are is counted when it is read: memories change, and what a level may not read is not counted for it.
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
  drop: (db) => {
    db.exec("DROP TABLE summaries")
    db.exec("DROP TABLE session_memories")
  },
  apply: (db, event, lookup) => {
    if (event.type === "SUMMARIZE") {
      const { decision, restores = event.version, session, store, summary } = event.payload
      remove(db, session, store)
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
      if (session !== undefined) for (const store of stores) remove(db, session, store)
      return
    }
    addMemories(db, event)
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM summaries ORDER BY session, store")
    digest.query(db, "SELECT * FROM session_memories ORDER BY born")
  },
  stateDigest: (db, digest) => {
    const rows = db.prepare("SELECT session, store, openness, summary FROM summaries ORDER BY session, store").iterate()
    for (const row of rows as Iterable<{ session: string; store: string; openness: number; summary: string }>) {
      const { sources: _, until: __, ...said } = JSON.parse(row.summary) as SessionSummary
      digest.row(row.session, row.store, row.openness, JSON.stringify(said))
    }
  }
}

const remove = (db: Db, session: string, store: string) =>
  sql(db, "DELETE FROM summaries WHERE session = ? AND store = ?").run(session, store)

const addMemories = (db: Db, event: DaybookEvent) => {
  for (const { born, createdAt, session } of imagesOf(event)) {
    if (born !== event.version || session === undefined) continue
    sql(db, "INSERT INTO session_memories (born, session, created_at) VALUES (?, ?, ?)").run(born, session, createdAt)
  }
}

/** The summary of a session in a store, the version that put it there, and the one that said it first. */
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

/** Whether the turns that a summary was made of are all still there. */
export const isFounded = (db: Db, { sources, until }: SessionSummary): boolean =>
  sql(db, "SELECT 1 FROM json_each(?) WHERE value NOT IN (SELECT born FROM turns) LIMIT 1").get(
    JSON.stringify([...sources, until])
  ) === undefined

/** A session in a store: its newest turn's version, and its summary where it has one. */
export interface SessionKey {
  readonly session: string
  readonly store: Store
}

/**
 * Sessions of a store whose last turn was said by an instant, and that have turns which no summary knows, the first used
 * first: a page of those that were used after version `after`, and the version after which the next one begins.
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

/** A turn as a summary is made of it; its text up to a bound. */
export interface SaidTurn {
  readonly born: number
  readonly role: Role
  readonly speaker: string | null
  readonly text: string
  readonly occurredAt: number
}

/** A session's first turns and its last ones, oldest first, and how many it has in this store. */
export const findSaid = (
  db: Db,
  { session, store }: SessionKey,
  { characters, first, last }: { readonly first: number; readonly last: number; readonly characters: number }
): {
  readonly turns: ReadonlyArray<SaidTurn>
  readonly count: number
  readonly startedAt: number
  readonly lastAt: number
} => {
  const of = (order: "ASC" | "DESC", limit: number): ReadonlyArray<SaidTurn> =>
    sql(
      db,
      `SELECT born, json_extract(turn, '$.role') AS role, json_extract(turn, '$.speaker') AS speaker,
        substr(json_extract(turn, '$.text'), 1, ?) AS text, occurred_at AS occurredAt
        FROM turns WHERE session = ? AND store = ? ORDER BY sequence ${order} LIMIT ?`
    ).all(characters, session, store, limit)
  const turns = new Map([...of("ASC", first), ...[...of("DESC", last)].reverse()].map((turn) => [turn.born, turn]))
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

/** A session as a level may read of it: what was said of it last, and the memories that were made in it. */
export interface SummaryRow extends SessionKey {
  readonly summary: SessionSummary | null
  /** Who wrote it. */
  readonly by: { readonly kind: string; readonly name: string } | null
  readonly madeAt: number | null
  /** Whether turns came after it. */
  readonly behind: boolean
  readonly observations: number
  /** When something was last said or remembered in it. */
  readonly lastAt: number
}

/** Memories of sessions as a level may read them at a time: `o`. */
const readable = `o.active = 1 AND o.openness >= :floor AND (o.expires_at IS NULL OR o.expires_at > :now)`

/**
 * Sessions that have a summary or memories, those in which something was last said or remembered first. Both are read
 * from the newest on, until a page of sessions was met, and these alone are counted.
 */
export const findSummaries = (
  db: Db,
  level: TrustLevel,
  now: number,
  { limit, offset, session }: { readonly limit: number; readonly offset: number; readonly session?: string | undefined }
): ReadonlyArray<SummaryRow> => {
  // A condition of its own, so that one session is found by its index; a cross join, so that nothing is sorted.
  const of = session === undefined ? "" : " AND m.session = :session"
  const asked = { floor: floorOf(level), now }
  const met = newestFirst(
    [
      `SELECT m.session, m.store, m.last_at AS lastAt FROM summaries m
        WHERE m.openness >= :floor AND :now IS NOT NULL${of} ORDER BY m.last_at DESC`,
      `SELECT m.session, o.store, m.created_at AS lastAt FROM session_memories m CROSS JOIN observations o ON o.born = m.born
        WHERE ${readable}${of} ORDER BY m.created_at DESC`
    ].map((text) => sql(db, text).iterate({ ...asked, ...(session === undefined ? {} : { session }) })),
    offset + limit
  )
  return met.slice(offset, offset + limit).map(({ lastAt, session, store }) => {
    const { madeBy, summary, behind, ...row } = sql(
      db,
      `SELECT s.summary, s.made_by AS madeBy, s.made_at AS madeAt, coalesce(t.last_born > s.until, 0) AS behind,
          (SELECT count(*) FROM session_memories m JOIN observations o ON o.born = m.born
            WHERE m.session = k.session AND o.store = k.store AND ${readable}) AS observations
        FROM (SELECT :session AS session, :store AS store) k
        LEFT JOIN summaries s ON s.session = k.session AND s.store = k.store AND s.openness >= :floor
        LEFT JOIN sessions t ON t.session = k.session AND t.store = k.store AND t.openness >= :floor`
    ).get({ ...asked, session, store })
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

interface Met extends SessionKey {
  readonly lastAt: number
}

/** Sessions by the newest of what several lists, each the newest first, have of them; no more than so many, or as many as are as new as the last. */
const newestFirst = (lists: ReadonlyArray<IterableIterator<Met>>, most: number): ReadonlyArray<Met> => {
  const met = new Map<string, Met>()
  try {
    const heads = lists.map((list) => list.next())
    let last = Number.NEGATIVE_INFINITY
    for (;;) {
      let at = -1
      for (const [list, head] of heads.entries()) {
        if (!head.done && (at < 0 || head.value.lastAt > heads[at]!.value.lastAt)) at = list
      }
      const one: Met | undefined = at < 0 ? undefined : heads[at]!.value
      if (one === undefined || (met.size >= most && one.lastAt < last)) break
      heads[at] = lists[at]!.next()
      const key = JSON.stringify([one.session, one.store])
      if (met.has(key)) continue
      met.set(key, one)
      if (met.size === most) last = one.lastAt
    }
  } finally {
    // A statement that was not read to its end keeps its connection.
    for (const list of lists) list.return?.()
  }
  const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
  return [...met.values()].sort((a, b) => b.lastAt - a.lastAt || order(a.session, b.session) || order(a.store, b.store))
}

/** The titles of memories of a type that were made in a session, the newest first. */
export const findSessionTitles = (
  db: Db,
  level: TrustLevel,
  now: number,
  { session, store }: SessionKey,
  type: string,
  limit: number
): ReadonlyArray<string> =>
  sql(
    db,
    `SELECT o.title FROM session_memories m JOIN observations o ON o.born = m.born
      WHERE m.session = :session AND o.store = :store AND o.type = :type AND ${readable}
      ORDER BY o.born DESC LIMIT :limit`
  )
    .pluck()
    .all({ floor: floorOf(level), now, session, store, type, limit }) as ReadonlyArray<string>
