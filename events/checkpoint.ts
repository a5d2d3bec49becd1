import * as Effect from "effect/Effect"
import { walCheckpointPages } from "./sqlite.js"
import { runInChild } from "./sqlProcess.js"
import { type Db, sql } from "./statement.js"

/**
 * Minimum events of a transaction whose checkpoint a child process makes. The batches of an import are smaller: a child
 * takes 60 ms, and they need none.
 */
const minChildEvents = 5_000

/** Connections whose last commit left its checkpoint to `checkpointIfDue`. */
const due = new WeakSet<Db>()

/**
 * Commits a transaction with this many events. Within a commit, SQLite copies a long write-ahead log into the database in
 * one call; for 100,000 events that takes a second. After many events the caller runs `checkpointIfDue` instead.
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

/** Makes the checkpoint that `commitTransaction` left out, in a child process. If it fails, a later commit makes it. */
export const checkpointIfDue = (db: Db): Effect.Effect<void> =>
  Effect.suspend(() =>
    due.delete(db)
      ? Effect.ignore(runInChild(db.name, { statements: ["PRAGMA wal_checkpoint(PASSIVE)"] }))
      : Effect.void
  )
