import type { DaybookEvent, Payload } from "../events/catalogue.js"
import type { Store, TrustLevel } from "../events/Trust.js"
import type { Turn } from "../events/Turn.js"
import { type Db, type Projection, readableRowsSql, sql } from "./Projection.js"

/**
 * The turns that wait for extraction, the extractions of each session in a store, and how often each extractor
 * succeeded. An EXTRACT event ends the wait of all turns of its session and store up to the version `until`.
 */
export const extracts: Projection = {
  name: "extracts",
  version: 1,
  handles: ["TURN", "EXTRACT", "FORGET"],
  tables: `CREATE TABLE waiting_turns (born INTEGER PRIMARY KEY, session TEXT NOT NULL, store TEXT NOT NULL,
      openness INTEGER NOT NULL, tokens INTEGER NOT NULL, recorded_at INTEGER NOT NULL);
    CREATE TABLE extracts (version INTEGER PRIMARY KEY, session TEXT NOT NULL, store TEXT NOT NULL, until INTEGER NOT NULL);
    CREATE TABLE extractors (name TEXT PRIMARY KEY, attempts INTEGER NOT NULL, fallbacks INTEGER NOT NULL,
      turns INTEGER NOT NULL, captured INTEGER NOT NULL, timed INTEGER NOT NULL, millis REAL NOT NULL) WITHOUT ROWID;`,
  indexes: `CREATE INDEX waiting_turns_session ON waiting_turns (session, store, born);
    CREATE INDEX extracts_session ON extracts (session, store, until);`,
  drop: () => "DROP TABLE waiting_turns; DROP TABLE extracts; DROP TABLE extractors",
  apply: (db, event, lookup) => {
    if (event.type === "TURN") {
      const { extract, turn } = event.payload
      if (extract !== true) return
      const { session, store, tokens } = turn
      sql(
        db,
        "INSERT INTO waiting_turns (born, session, store, openness, tokens, recorded_at) VALUES (?, ?, ?, ?, ?, ?)"
      ).run(event.version, session, store, lookup.opennessOf(turn), tokens, event.recordedAt)
    }
    if (event.type === "EXTRACT") {
      const { session, store, until } = event.payload
      sql(db, "DELETE FROM waiting_turns WHERE session = ? AND store = ? AND born <= ?").run(session, store, until)
      sql(db, "INSERT INTO extracts (version, session, store, until) VALUES (?, ?, ?, ?)").run(
        event.version,
        session,
        store,
        until
      )
      count(db, event.payload)
    }
    if (event.type === "FORGET") forget(db, event)
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM waiting_turns ORDER BY born")
    digest.query(db, "SELECT * FROM extracts ORDER BY version")
    digest.query(db, "SELECT * FROM extractors ORDER BY name")
  },
  stateDigest: () => {}
}

const forget = (db: Db, event: Extract<DaybookEvent, { type: "FORGET" }>) => {
  const { session, stores, turns } = event.payload
  for (const version of turns) sql(db, "DELETE FROM waiting_turns WHERE born = ?").run(version)
  if (session === undefined) return
  for (const store of stores) sql(db, "DELETE FROM extracts WHERE session = ? AND store = ?").run(session, store)
}

const count = (db: Db, { captured, extractor: name, fallback, latency, turns }: Payload<"EXTRACT">) => {
  sql(
    db,
    "INSERT OR IGNORE INTO extractors (name, attempts, fallbacks, turns, captured, timed, millis) VALUES (?, 0, 0, 0, 0, 0, 0)"
  ).run(name)
  sql(
    db,
    `UPDATE extractors SET attempts = attempts + 1, fallbacks = fallbacks + ?, turns = turns + ?, captured = captured + ?,
      timed = timed + ?, millis = millis + ? WHERE name = ?`
  ).run(fallback === undefined ? 0 : 1, turns, captured.length, latency === undefined ? 0 : 1, latency ?? 0, name)
}

/** A turn with the version of the event that added it. */
export interface TurnRow {
  readonly born: number
  readonly turn: Turn
}

const toTurnRow = ({ born, turn }: { readonly born: number; readonly turn: string }): TurnRow => ({
  born,
  turn: JSON.parse(turn) as Turn
})

/** The turns of a session in a store that wait for extraction: the oldest `limit` turns, oldest first. */
export const findWaitingTurns = (db: Db, session: string, store: Store, limit: number): ReadonlyArray<TurnRow> =>
  sql(
    db,
    `SELECT born, turn FROM waiting_turns JOIN turns USING (born) WHERE waiting_turns.session = ?
      AND waiting_turns.store = ? ORDER BY born LIMIT ?`
  )
    .all(session, store, limit)
    .map(toTurnRow)

/** The last `limit` turns of a session in a store before a version, oldest first. */
export const findTurnsBefore = (
  db: Db,
  {
    before,
    limit,
    session,
    store
  }: { readonly session: string; readonly store: Store; readonly before: number; readonly limit: number }
): ReadonlyArray<TurnRow> =>
  sql(db, "SELECT born, turn FROM turns WHERE session = ? AND store = ? AND born < ? ORDER BY born DESC LIMIT ?")
    .all(session, store, before, limit)
    .map(toTurnRow)
    .reverse()

/** The waiting turns of a session in a store, oldest first: the versions of their events, and their ids. */
export const findWaitingIds = (
  db: Db,
  { session, store }: { readonly session: string; readonly store: Store }
): ReadonlyArray<{ readonly born: number; readonly id: string }> =>
  sql(
    db,
    `SELECT born, id FROM waiting_turns JOIN turns USING (born) WHERE waiting_turns.session = ?
      AND waiting_turns.store = ? ORDER BY born`
  ).all(session, store)

/** The totals of the waiting turns of a session in a store. Times are milliseconds since the epoch. */
export interface WaitingTotals {
  readonly session: string
  readonly store: Store
  readonly turns: number
  readonly tokens: number
  readonly firstAt: number
  readonly lastAt: number
}

/** The totals of the turns that wait for extraction, by session and store; only for `session` if it is set. */
export const countWaitingTurns = (db: Db, level: TrustLevel, session?: string): ReadonlyArray<WaitingTotals> =>
  sql(
    db,
    `SELECT session, store, count(*) AS turns, sum(tokens) AS tokens, min(recorded_at) AS firstAt, max(recorded_at) AS lastAt
      FROM waiting_turns WHERE ${readableRowsSql(level)} ${session === undefined ? "" : "AND session = ?"}
      GROUP BY session, store ORDER BY min(born)`
  ).all(...(session === undefined ? [] : [session]))

/** The version of the EXTRACT event whose last turn has this version; undefined if there is none. */
export const findExtractVersion = (db: Db, session: string, store: Store, version: number): number | undefined =>
  sql(db, "SELECT version FROM extracts WHERE session = ? AND store = ? AND until = ?")
    .pluck()
    .get(session, store, version)

/** The results of an extractor so far. */
export interface ExtractorCounts {
  readonly name: string
  readonly attempts: number
  /** Attempts that returned a usable answer. After a failed attempt, the rules extracted instead. */
  readonly successes: number
  /** `turns`: the extracted turns. `captured`: the extracted statements that were stored or that changed a memory. */
  readonly turns: number
  readonly captured: number
  /** Mean duration of an answer in milliseconds; absent if no duration was measured. */
  readonly millis?: number
}

/** The counts of each extractor, and the number of waiting turns. The caller must have full trust. */
export const countExtracts = (
  db: Db
): { readonly waiting: number; readonly extractors: ReadonlyArray<ExtractorCounts> } => ({
  waiting: sql(db, "SELECT count(*) FROM waiting_turns").pluck().get(),
  extractors: sql(db, "SELECT * FROM extractors ORDER BY name")
    .all()
    .map(({ attempts, captured, fallbacks, millis, name, timed, turns }) => ({
      ...{ name, attempts, successes: attempts - fallbacks, turns, captured },
      ...(timed === 0 ? {} : { millis: millis / timed })
    }))
})
