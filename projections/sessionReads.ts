import { levels, minOpennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import { type Turn, turnLevelOf } from "../events/Turn.js"
import { type Db, readableRowsSql, sql } from "./Projection.js"
import { findRollingSummaries } from "./rollingSummaries.js"
import { findSessionScratchpads } from "./scratchpads.js"

/** A session in one store. Times are milliseconds since the epoch. */
export interface Session {
  readonly session: string
  readonly store: Store
  readonly turns: number
  /** Tokens that reading the whole session costs. */
  readonly tokens: number
  readonly speakers: ReadonlyArray<string>
  /** Number of files of the session. */
  readonly files: number
  /** Sequence number of the newest turn. */
  readonly sequence: number
  /** The earliest time of a turn. */
  readonly startedAt: number
  /** The latest time of a turn. The newest turn may have an earlier time, if it was added late. */
  readonly lastAt: number
}

/** The sessions that a level may read, most recently used first. */
export const findSessions = (
  db: Db,
  level: TrustLevel,
  page: { readonly limit: number; readonly offset: number }
): ReadonlyArray<Session> =>
  sql(
    db,
    `SELECT session, store, turns, tokens, sequence, started_at AS startedAt, last_at AS lastAt,
        (SELECT json_group_array(speaker) FROM (SELECT speaker FROM speakers p
          WHERE p.session = s.session AND p.store = s.store ORDER BY speaker)) AS speakers,
        (SELECT count(*) FROM files f WHERE f.session = s.session AND f.store = s.store) AS files
      FROM sessions s WHERE ${readableRowsSql(level)} ORDER BY last_at DESC, session, store LIMIT ? OFFSET ?`
  )
    .all(page.limit, page.offset)
    .map((row) => ({ ...row, speakers: JSON.parse(row.speakers) }))

/** The last turns of a session that a level may read, oldest first. */
export const findTurns = (db: Db, level: TrustLevel, session: string, last: number): ReadonlyArray<Turn> =>
  sql(db, "SELECT turn FROM turns WHERE session = ? AND openness >= ? ORDER BY born DESC LIMIT ?")
    .all(session, minOpennessOf(level), last)
    .map((row) => JSON.parse(row.turn) as Turn)
    .reverse()

/** The sequence number of a session's newest turn in one store; 0 if there is none. */
export const lastSequence = (db: Db, session: string, store: Store): number =>
  sql(db, "SELECT sequence FROM sessions WHERE session = ? AND store = ?").get(session, store)?.sequence ?? 0

/** The version and the sequence number of a session's newest turn in one store; undefined if there is none. */
export const findLastTurn = (
  db: Db,
  session: string,
  store: Store
): { readonly born: number; readonly sequence: number } | undefined =>
  sql(db, "SELECT last_born AS born, sequence FROM sessions WHERE session = ? AND store = ?").get(session, store)

/** True if the newest turn of a session in one store is an answer of the assistant. */
export const isAnswered = (db: Db, session: string, store: Store): boolean =>
  sql(db, `SELECT json_extract(turn, '$.role') FROM turns WHERE session = ? AND store = ? ORDER BY born DESC LIMIT 1`)
    .pluck()
    .get(session, store) === "assistant"

/** All turns of a session in one store, oldest first, and the session's stored totals. */
export const findSessionRows = (db: Db, session: string, store: Store) => ({
  turns: sql(
    db,
    "SELECT born, id, sequence, occurred_at AS occurredAt, turn FROM turns WHERE session = ? AND store = ? ORDER BY born"
  )
    .all(session, store)
    .map(({ turn, ...row }) => ({ ...row, turn: JSON.parse(turn) as Turn })) as ReadonlyArray<
    Pick<Turn, "id" | "sequence" | "occurredAt"> & { readonly born: number; readonly turn: Turn }
  >,
  totals: sql(
    db,
    `SELECT turns, tokens, sequence, started_at AS startedAt, last_at AS lastAt, last_born AS lastBorn
      FROM sessions WHERE session = ? AND store = ?`
  ).get(session, store) as object | undefined
})

/** The stores with turns of a session that a level may read. */
export const findSessionStores = (db: Db, level: TrustLevel, session: string): ReadonlyArray<Store> =>
  sql(db, "SELECT store FROM sessions WHERE session = ? AND openness >= ? ORDER BY store")
    .all(session, minOpennessOf(level))
    .map((row) => row.store)

/**
 * The contents of a session that a level may read. `turns`, `files` and `scratchpads` are the versions of the events
 * that added them. `stores` contains the stores of all these contents and of the rolling summaries. `levels` contains
 * the trust levels of the writers.
 */
export const findSessionContents = (
  db: Db,
  level: TrustLevel,
  session: string
): {
  readonly turns: ReadonlyArray<number>
  readonly files: ReadonlyArray<number>
  readonly scratchpads?: ReadonlyArray<number>
  readonly stores: ReadonlyArray<Store>
  readonly levels: ReadonlyArray<{ readonly level: TrustLevel; readonly store: Store }>
} => {
  const files: ReadonlyArray<{ readonly born: number; readonly store: Store; readonly level: number }> = sql(
    db,
    "SELECT born, store, level FROM files WHERE session = ? AND openness >= ? ORDER BY born"
  ).all(session, minOpennessOf(level))
  const turns: ReadonlyArray<Pick<Turn, "level" | "role" | "store"> & { readonly born: number }> = sql(
    db,
    `SELECT born, store, json_extract(turn, '$.level') AS level, json_extract(turn, '$.role') AS role
      FROM turns WHERE session = ? AND openness >= ? ORDER BY born`
  )
    .all(session, minOpennessOf(level))
    .map(({ level, ...row }) => (level === null ? row : { ...row, level }))
  const rollings = findRollingSummaries(db, level, session).map(({ state, store }) => ({ level: state.level, store }))
  const scratchpads = findSessionScratchpads(db, level, session)
  const states = [...scratchpads, ...rollings]
  return {
    turns: turns.map(({ born }) => born),
    files: files.map(({ born }) => born),
    ...(scratchpads.length === 0 ? {} : { scratchpads: scratchpads.map(({ version }) => version) }),
    levels: [
      ...turns.map((turn) => ({ level: turnLevelOf(turn), store: turn.store })),
      ...files.map(({ level, store }) => ({ level: levels[level]!, store })),
      ...states
    ],
    stores: [
      ...new Set([...findSessionStores(db, level, session), ...[...files, ...states].map(({ store }) => store)])
    ].sort()
  }
}

/** Counts of sessions, turns, files and chunks. The caller must have full trust. */
export const countConversation = (
  db: Db
): { readonly sessions: number; readonly turns: number; readonly files: number; readonly chunks: number } =>
  sql(
    db,
    `SELECT (SELECT count(DISTINCT session) FROM sessions) AS sessions, (SELECT count(*) FROM turns) AS turns,
      (SELECT count(*) FROM files) AS files,
      (SELECT count(*) FROM chunks) AS chunks`
  ).get()

/** True if a turn has this id. */
export const hasTurn = (db: Db, id: string): boolean =>
  sql(db, "SELECT 1 FROM turns WHERE id = ?").get(id) !== undefined

/** The version of the event that added a turn; undefined for an unknown id. */
export const findTurnVersion = (db: Db, id: string): number | undefined =>
  sql(db, "SELECT born FROM turns WHERE id = ?").pluck().get(id)

/** The turn that the event with this version added; undefined if there is none. */
export const findTurnAt = (db: Db, born: number): Turn | undefined => {
  const turn = sql(db, "SELECT turn FROM turns WHERE born = ?").pluck().get(born)
  return turn === undefined ? undefined : JSON.parse(turn)
}
