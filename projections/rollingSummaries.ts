import type { Decision } from "../events/catalogue.js"
import type { RollingSummary } from "../events/RollingSummary.js"
import { minOpennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import type { Turn } from "../events/Turn.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** Rolling summaries of sessions, one row per session and store. */
export const rollingSummaries: Projection = {
  name: "rollingSummaries",
  version: 1,
  handles: ["ROLL", "FORGET"],
  tables: `CREATE TABLE rolling_summaries (session TEXT NOT NULL, store TEXT NOT NULL, openness INTEGER NOT NULL,
      version INTEGER NOT NULL, origin INTEGER NOT NULL, written_at INTEGER NOT NULL, written_by TEXT NOT NULL,
      state TEXT NOT NULL, PRIMARY KEY (session, store)) WITHOUT ROWID;`,
  indexes: "",
  drop: () => "DROP TABLE rolling_summaries",
  apply: (db, event, lookup) => {
    if (event.type === "ROLL") {
      const { decision, restores = event.version, session, state, store } = event.payload
      remove(db, session, store)
      if (state === null) return
      const { kind, name } = decision.by
      sql(
        db,
        `INSERT INTO rolling_summaries (session, store, openness, version, origin, written_at, written_by, state)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
      ).run(
        session,
        store,
        lookup.opennessOf({ id: "", store }),
        event.version,
        restores,
        event.recordedAt,
        JSON.stringify({ kind, name }),
        JSON.stringify(state)
      )
    }
    if (event.type === "FORGET" && event.payload.session !== undefined) {
      for (const store of event.payload.stores) remove(db, event.payload.session, store)
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM rolling_summaries ORDER BY session, store"),
  stateDigest: (db, digest) =>
    digest.query(
      db,
      `SELECT session, store, openness, json_extract(state, '$.text'), json_extract(state, '$.upperSequence'),
        json_extract(state, '$.level') FROM rolling_summaries ORDER BY session, store`
    )
}

const remove = (db: Db, session: string, store: Store) =>
  sql(db, "DELETE FROM rolling_summaries WHERE session = ? AND store = ?").run(session, store)

/** The rolling summary of a session in a store. Times are milliseconds since the epoch. */
export interface RollingSummaryRow {
  readonly store: Store
  /** The version of the newest event of this summary. */
  readonly version: number
  /** The version that first stored this state. */
  readonly origin: number
  readonly writtenAt: number
  readonly by: Pick<Decision["by"], "kind" | "name">
  readonly state: RollingSummary
}

const columns = "store, version, origin, written_at AS writtenAt, written_by AS by, state"

type StoredRow = Omit<RollingSummaryRow, "by" | "state"> & { readonly by: string; readonly state: string }

const rowOf = ({ by, state, ...row }: StoredRow): RollingSummaryRow => ({
  ...row,
  by: JSON.parse(by),
  state: JSON.parse(state)
})

/** The rolling summary of a session in one store; undefined if there is none, or if the level cannot read it. */
export const findRollingSummary = (
  db: Db,
  session: string,
  store: Store,
  level: TrustLevel = "full"
): RollingSummaryRow | undefined => {
  const row = sql(db, `SELECT ${columns} FROM rolling_summaries WHERE session = ? AND store = ? AND openness >= ?`).get(
    session,
    store,
    minOpennessOf(level)
  )
  return row === undefined ? undefined : rowOf(row)
}

/** The rolling summaries of a session that a level may read, one per store. */
export const findRollingSummaries = (db: Db, level: TrustLevel, session: string): ReadonlyArray<RollingSummaryRow> =>
  sql(db, `SELECT ${columns} FROM rolling_summaries WHERE session = ? AND openness >= ? ORDER BY store`)
    .all(session, minOpennessOf(level))
    .map(rowOf)

/** True if all turns that a summary condensed still exist. */
export const hasAllSourceTurns = (db: Db, { sources }: RollingSummary): boolean =>
  sql(db, "SELECT 1 FROM json_each(?) WHERE value NOT IN (SELECT born FROM turns) LIMIT 1").get(
    JSON.stringify(sources)
  ) === undefined

/** A turn with the version of its event. */
export interface VersionedTurn {
  readonly born: number
  readonly turn: Turn
}

/**
 * The turns of a session in one store after the sequence number `after`. Returns the oldest `limit` turns, and the
 * count and the tokens of all turns up to `to`.
 */
export const findTurnsAfter = (
  db: Db,
  session: string,
  store: Store,
  {
    after,
    limit,
    to = Number.MAX_SAFE_INTEGER
  }: { readonly after: number; readonly limit: number; readonly to?: number }
): { readonly turns: ReadonlyArray<VersionedTurn>; readonly count: number; readonly tokens: number } => {
  const range = "FROM turns WHERE session = ? AND store = ? AND sequence > ? AND sequence <= ?"
  const totals = sql(
    db,
    `SELECT count(*) AS count, coalesce(sum(json_extract(turn, '$.tokens')), 0) AS tokens ${range}`
  )
  return {
    ...(totals.get(session, store, after, to) as { readonly count: number; readonly tokens: number }),
    turns: sql(db, `SELECT born, turn ${range} ORDER BY sequence LIMIT ?`)
      .all(session, store, after, to, limit)
      .map(({ born, turn }) => ({ born, turn: JSON.parse(turn) }))
  }
}
