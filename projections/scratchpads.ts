import type { Scratchpad } from "../events/Scratchpad.js"
import { levels, minOpennessOf, type Store, type TrustLevel } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * Scratchpads of sessions, one row per session and store. A cleared scratchpad keeps its row, without items, until the
 * session is forgotten, so that its history can be read.
 */
export const scratchpads: Projection = {
  name: "scratchpads",
  version: 1,
  handles: ["SCRATCHPAD", "FORGET"],
  tables: `CREATE TABLE scratchpads (session TEXT NOT NULL, store TEXT NOT NULL, openness INTEGER NOT NULL,
      level INTEGER NOT NULL, version INTEGER NOT NULL, origin INTEGER NOT NULL, written_at INTEGER NOT NULL,
      items TEXT, PRIMARY KEY (session, store)) WITHOUT ROWID;`,
  indexes: "",
  drop: () => "DROP TABLE scratchpads",
  apply: (db, event, lookup) => {
    if (event.type === "SCRATCHPAD") {
      const { restores = event.version, scratchpad, session, store, was } = event.payload
      const level = (scratchpad ?? was)?.level ?? "public"
      sql(
        db,
        `INSERT OR REPLACE INTO scratchpads (session, store, openness, level, version, origin, written_at, items)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
      ).run(
        session,
        store,
        lookup.opennessOf({ id: "", store }),
        minOpennessOf(level),
        event.version,
        restores,
        event.recordedAt,
        scratchpad === null ? null : JSON.stringify(scratchpad.items)
      )
    }
    if (event.type === "FORGET" && event.payload.session !== undefined) {
      const { session, stores } = event.payload
      for (const store of stores) {
        sql(db, "DELETE FROM scratchpads WHERE session = ? AND store = ?").run(session, store)
      }
    }
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM scratchpads ORDER BY session, store"),
  stateDigest: (db, digest) =>
    digest.query(
      db,
      "SELECT session, store, openness, level, items FROM scratchpads WHERE items IS NOT NULL ORDER BY session, store"
    )
}

/** The scratchpad of a session in a store. Times are milliseconds since the epoch. */
export interface ScratchpadRow {
  /** The version of the newest event of this scratchpad. */
  readonly version: number
  /** The version that first stored these items. */
  readonly origin: number
  readonly writtenAt: number
  /** Null after the scratchpad was cleared. */
  readonly scratchpad: Scratchpad | null
}

/** The newest state of a session's scratchpad; undefined if it was never written, or if the level cannot read it. */
export const findScratchpad = (
  db: Db,
  session: string,
  store: Store,
  level: TrustLevel = "full"
): ScratchpadRow | undefined => {
  const row = sql(
    db,
    `SELECT version, origin, written_at AS writtenAt, level, items FROM scratchpads
      WHERE session = ? AND store = ? AND openness >= ?`
  ).get(session, store, minOpennessOf(level))
  if (row === undefined) return undefined
  const { items, level: writer, ...rest } = row
  return { ...rest, scratchpad: items === null ? null : { items: JSON.parse(items), level: levels[writer]! } }
}

/**
 * The scratchpads of a session that a level may read: their newest versions, stores, and the levels that wrote them.
 */
export const findSessionScratchpads = (
  db: Db,
  level: TrustLevel,
  session: string
): ReadonlyArray<{ readonly version: number; readonly store: Store; readonly level: TrustLevel }> =>
  sql(db, "SELECT version, store, level FROM scratchpads WHERE session = ? AND openness >= ? ORDER BY store")
    .all(session, minOpennessOf(level))
    .map(({ level, ...row }) => ({ ...row, level: levels[level]! }))
