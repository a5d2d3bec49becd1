import * as Effect from "effect/Effect"
import { walCheckpointPages } from "./sqlite.js"
import { runInChild } from "./sqlProcess.js"
import { type Db, sql } from "./statement.js"

/** Events of a transaction above which a child process copies them from the write-ahead log into the database. */
const minChildEvents = 1_000

/**
 * Commits a transaction with this many events. A commit copies a long write-ahead log into the database within one call of
 * SQLite; for 100,000 events that takes a second. After many events it therefore leaves the copy to `checkpointAfter`.
 */
export const commitTransaction = (db: Db, events: number): void => {
  if (events < minChildEvents) return void sql(db, "COMMIT").run()
  db.pragma("wal_autocheckpoint = 0")
  try {
    sql(db, "COMMIT").run()
  } finally {
    db.pragma(`wal_autocheckpoint = ${walCheckpointPages}`)
  }
}

/** Makes the checkpoint that `commitTransaction` left out. If it fails, a later commit makes it. */
export const checkpointAfter = (db: Db, events: number): Effect.Effect<void> =>
  events < minChildEvents
    ? Effect.void
    : Effect.ignore(runInChild(db.name, { statements: ["PRAGMA wal_checkpoint(PASSIVE)"] }))
