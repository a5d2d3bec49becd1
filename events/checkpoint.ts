import * as Effect from "effect/Effect"
import { walCheckpointPages } from "./sqlite.js"
import { runInChild } from "./sqlProcess.js"
import { type Db, sql } from "./statement.js"
import { yieldIfDue } from "./turns.js"

/**
 * A transaction with at least this many events leaves its checkpoint to `checkpointIfDue`. With fewer events, the commit
 * adds little to the time of a checkpoint.
 */
const minSeparateEvents = 50

/**
 * A transaction with at least this many events leaves its checkpoint to a child process. The limit is above the batch
 * size of an import, because a child process takes 60 ms.
 */
const minChildEvents = 5_000

/**
 * Minimum pages of the write-ahead log for a separate checkpoint, which takes about 30 ms. It is below
 * `walCheckpointPages`, so that a small commit rarely has to copy the log itself.
 */
const separatePages = 3_000

/** Connections with a commit whose checkpoint is still to be made, and the number of events of that commit. */
const due = new WeakMap<Db, number>()

/**
 * Commits a transaction with this many events. In a normal commit, SQLite copies a long write-ahead log into the
 * database in the same call, which takes a second for 100,000 events. After a commit of many events, the caller should
 * run `checkpointIfDue`. Otherwise a later commit makes the checkpoint.
 */
export const commitTransaction = (db: Db, events: number): void => {
  if (events < minSeparateEvents) return void sql(db, "COMMIT").run()
  db.pragma("wal_autocheckpoint = 0")
  try {
    sql(db, "COMMIT").run()
    due.set(db, events)
  } finally {
    db.pragma(`wal_autocheckpoint = ${walCheckpointPages}`)
  }
}

/**
 * Makes the checkpoint that `commitTransaction` left out: in a child process after very many events, otherwise in this
 * process if the write-ahead log is long. If this fails, a later commit makes the checkpoint.
 */
export const checkpointIfDue = (db: Db): Effect.Effect<void> =>
  Effect.suspend(() => {
    const events = due.get(db)
    if (events === undefined) return Effect.void
    due.delete(db)
    if (events >= minChildEvents) {
      const copy = runInChild(db.name, { statements: ["PRAGMA wal_checkpoint(PASSIVE)"] })
      return Effect.zipRight(yieldIfDue, Effect.ignore(copy))
    }
    return isLogLong(db)
      ? Effect.zipRight(
          yieldIfDue,
          Effect.sync(() => copyLog(db))
        )
      : Effect.void
  })

const isLogLong = (db: Db): boolean => {
  try {
    const [{ log }] = db.pragma("wal_checkpoint(NOOP)") as [{ log: number }]
    return log >= separatePages
  } catch {
    return false
  }
}

const copyLog = (db: Db): void => {
  try {
    db.pragma("wal_checkpoint(PASSIVE)")
  } catch {}
}
