import type { DaybookEvent } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"
import { minOpennessOf, opennessOf, readingLevels, type Store } from "../events/Trust.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** The event that contains a recall, and the recall's index in it. The content is read from the log. */
export interface RecallPosition {
  /** The number of the recall, counted per agent from 1. */
  readonly number: number
  readonly version: number
  readonly place: number
}

/** How often a memory was shown, and when it was last shown (milliseconds since the epoch). */
export interface AccessCounts {
  readonly accesses: number
  readonly lastAccessedAt: number
}

/**
 * Finds recalls in the log by their numbers, and counts how often each memory was shown. The table `shown` contains the
 * memories that were shown in each session, with the level of the reader. Not part of the state digest, because reading
 * a memory does not change it.
 */
export const recalls: Projection = {
  name: "recalls",
  version: 2,
  handles: ["RECALL", "FORGET"],
  tables: `CREATE TABLE recalls (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, place INTEGER NOT NULL);
    CREATE TABLE accesses (id TEXT PRIMARY KEY, accesses INTEGER NOT NULL, accessed_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE shown (session TEXT NOT NULL, id TEXT NOT NULL, level INTEGER NOT NULL, recall INTEGER NOT NULL,
      PRIMARY KEY (session, id, level)) WITHOUT ROWID;`,
  indexes: "",
  drop: () => "DROP TABLE accesses; DROP TABLE recalls; DROP TABLE shown",
  apply: (db, event) => {
    if (event.type === "FORGET") forgetShown(db, event)
    if (event.type !== "RECALL") return
    const { first, recalls } = event.payload
    // Each event stores the number of its first recall, so erasing an earlier event changes no number. No number is
    // used twice.
    const from = Math.max(first, lastRecallNumber(db) + 1)
    const shown = new Map<string, { count: number; lastAt: number }>()
    for (const [place, { askedAt, hits, kind, level, session }] of recalls.entries()) {
      sql(db, "INSERT INTO recalls (number, version, place) VALUES (?, ?, ?)").run(from + place, event.version, place)
      if (kind === "conversation") continue
      for (const { id } of hits) {
        if (session !== undefined) {
          sql(db, "INSERT OR REPLACE INTO shown (session, id, level, recall) VALUES (?, ?, ?, ?)").run(
            session,
            id,
            minOpennessOf(level),
            from + place
          )
        }
        const total = shown.get(id) ?? { count: 0, lastAt: askedAt }
        shown.set(id, { count: total.count + 1, lastAt: Math.max(total.lastAt, askedAt) })
      }
    }
    for (const [id, { count, lastAt }] of shown) {
      const { changes } = sql(
        db,
        "UPDATE accesses SET accesses = accesses + ?, accessed_at = max(accessed_at, ?) WHERE id = ?"
      ).run(count, lastAt, id)
      if (changes > 0) continue
      sql(db, "INSERT INTO accesses (id, accesses, accessed_at) VALUES (?, ?, ?)").run(id, count, lastAt)
    }
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM recalls ORDER BY number")
    digest.query(db, "SELECT * FROM accesses ORDER BY id")
    digest.query(db, "SELECT * FROM shown ORDER BY session, id, level")
  },
  stateDigest: () => {}
}

/**
 * Removes the rows of `shown` for readers of the forgotten stores. Forgetting a part of a session does not affect
 * readers of stricter stores.
 */
const forgetShown = (db: Db, { payload: { session, stores } }: Extract<DaybookEvent, { type: "FORGET" }>) => {
  for (const store of session === undefined ? [] : stores) {
    sql(db, "DELETE FROM shown WHERE session = ? AND level = ?").run(session, opennessOf(store))
  }
}

/** Maximum number of memories that `findShownMemories` returns: those that were shown last. */
const maxShown = 500

/**
 * The memories, active or not, that a session showed to readers that may not read any store stricter than `store`.
 * Returns them in their current state. So the answer does not depend on anything in stricter stores.
 */
export const findShownMemories = (db: Db, session: string, store: Store): ReadonlyArray<Memory> =>
  sql(
    db,
    `SELECT o.memory FROM (SELECT id, max(recall) AS recall FROM shown WHERE session = ? AND level >= ? GROUP BY id
        ORDER BY max(recall) DESC LIMIT ${maxShown}) s
      JOIN observations o ON o.id = s.id WHERE o.openness >= ? ORDER BY s.recall, o.id`
  )
    .pluck()
    .all(session, minOpennessOf(readingLevels[opennessOf(store)]!), opennessOf(store))
    .map((memory) => JSON.parse(memory as string) as Memory)

/** The number of the newest recall; 0 if there is none. */
export const lastRecallNumber = (db: Db): number =>
  sql(db, "SELECT coalesce(max(number), 0) AS number FROM recalls").get().number

/** Recalls, newest first. */
export const findRecalls = (
  db: Db,
  page: { readonly limit: number; readonly offset: number }
): ReadonlyArray<RecallPosition> =>
  sql(db, "SELECT number, version, place FROM recalls ORDER BY number DESC LIMIT ? OFFSET ?").all(
    page.limit,
    page.offset
  )

/** The position of a recall in the log; undefined if there is none with this number. */
export const findRecall = (db: Db, number: number): RecallPosition | undefined =>
  sql(db, "SELECT number, version, place FROM recalls WHERE number = ?").get(number)

/** The number of recalls. The caller must have full trust. */
export const countRecalls = (db: Db): number => sql(db, "SELECT count(*) AS n FROM recalls").get().n

/**
 * How often and when each of these memories was last shown. Omits memories that were never shown. The caller must have
 * full trust.
 */
export const findAccesses = (db: Db, ids: ReadonlyArray<string>): ReadonlyMap<string, AccessCounts> =>
  new Map(
    sql(
      db,
      `SELECT id, accesses, accessed_at AS lastAccessedAt FROM accesses WHERE id IN (SELECT value FROM json_each(?))`
    )
      .all(JSON.stringify(ids))
      .map(({ id, ...accesses }) => [id, accesses])
  )
