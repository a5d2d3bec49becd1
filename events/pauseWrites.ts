import * as Effect from "effect/Effect"
import { openDatabase } from "./driver.js"
import { busyTimeoutMillis, retryWhileBusy } from "./sqlite.js"
import type { Db } from "./statement.js"

/**
 * Maximum pause in milliseconds. Then writers continue, and so does the work. It must stay below the 10 s after which a
 * write fails (`busyRetry`).
 */
const maxMillis = 5_000

/**
 * Runs work while no process writes to the log: a connection of its own has the lock, so the work must not write either.
 * Where the lock cannot be had, the work runs without it.
 */
export const pauseWrites = <A, E, R>(file: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync((): Pause => ({})),
    (pause) => Effect.zipRight(Effect.ignore(begin(file, pause)), work),
    ({ db, timer }) =>
      Effect.sync(() => {
        clearTimeout(timer)
        // Ends the transaction.
        db?.close()
      })
  )

/** A connection that has the lock of the log, and what ends it in time. */
interface Pause {
  db?: Db
  timer?: NodeJS.Timeout
}

const begin = Effect.fnUntraced(function* (file: string, pause: Pause) {
  const db = yield* Effect.try(() => openDatabase(file, { fileMustExist: true, timeout: busyTimeoutMillis }))
  pause.db = db
  yield* retryWhileBusy("log.db", () => db.exec("BEGIN IMMEDIATE"))
  pause.timer = setTimeout(() => db.close(), maxMillis)
})
