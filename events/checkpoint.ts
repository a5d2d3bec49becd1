import * as Effect from "effect/Effect"
import { walCheckpointPages } from "./sqlite.js"
import { runInChild } from "./sqlProcess.js"
import { type Db, sql } from "./statement.js"

/**
 * A transaction with at least this many events leaves its checkpoint to a child process. The limit is above the batch
 * size of an import, because a child process takes 60 ms.
 */
const minChildEvents = 5_000

/** Connections whose last commit made no checkpoint. `checkpointIfDue` makes it. */
const due = new WeakSet<Db>()

/**
 * Commits a transaction with this many events. In a normal commit, SQLite copies a long write-ahead log into the
 * database in one call, which takes a second for 100,000 events. After a commit of many events, the caller must run
 * `checkpointIfDue`.
 */
export const commitTransaction = (db: Db, events: number): void => {
  if (events < minChildEvents) return void sql(db, "COMMIT").run()
  db.pragma("wal_autocheckpoint = 0")
  try {
    sql(db, "COMMIT").run()
    due.add(db)
  } finally {
    db.pragma(`wal_autocheckpoint = ${walCheckpointPages}`)
  }
}

/**
 * Makes the checkpoint that `commitTransaction` skipped, in a child process. If this fails, a later commit makes the
 * checkpoint.
 */
export const checkpointIfDue = (db: Db): Effect.Effect<void> =>
  Effect.suspend(() =>
    due.delete(db)
      ? Effect.ignore(runInChild(db.name, { statements: ["PRAGMA wal_checkpoint(PASSIVE)"] }))
      : Effect.void
  )
