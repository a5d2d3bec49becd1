import * as Effect from "effect/Effect"
import { walCheckpointPages } from "./sqlite.js"
import { runInChild } from "./sqlProcess.js"
import { type Db, sql } from "./statement.js"
import { yieldIfDue } from "./turns.js"

/**
 * A transaction with at least this many events leaves its checkpoint to `checkpointIfDue`. A smaller transaction takes
 * less time than a checkpoint.
 */
const minSeparateEvents = 50

/**
 * A transaction with at least this many events leaves its checkpoint to a child process. The limit is above the batch
 * size of an import, because a child process takes 60 ms.
 */
const minChildEvents = 5_000

/** The length of the write-ahead log, in pages, from which `checkpointIfDue` copies it. This takes some 30 ms. */
const separatePages = 3_000

/** Connections whose last commit made no checkpoint, and the number of events of that commit. */
const due = new WeakMap<Db, number>()

/**
 * Commits a transaction with this many events. In a normal commit, SQLite copies a long write-ahead log into the
 * database in the same call, which takes a second for 100,000 events. After a commit of many events, the caller must run
 * `checkpointIfDue`.
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
 * Makes the checkpoint that `commitTransaction` left out, if the write-ahead log has become long. If this fails, a later
 * commit makes the checkpoint.
 */
export const checkpointIfDue = (db: Db): Effect.Effect<void> =>
  Effect.suspend(() => {
    const events = due.get(db)
    if (events === undefined) return Effect.void
    due.delete(db)
    const copy: Effect.Effect<unknown, unknown> =
      events < minChildEvents
        ? Effect.try(() => copyLongLog(db))
        : runInChild(db.name, { statements: ["PRAGMA wal_checkpoint(PASSIVE)"] })
    return Effect.zipRight(yieldIfDue, Effect.ignore(copy))
  })

const copyLongLog = (db: Db) => {
  const [{ log }] = db.pragma("wal_checkpoint(NOOP)") as [{ log: number }]
  if (log >= separatePages) db.pragma("wal_checkpoint(PASSIVE)")
}
