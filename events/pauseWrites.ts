import * as Effect from "effect/Effect"
import { openDatabase } from "./driver.js"
import { busyTimeoutMillis, retryWhileBusy } from "./sqlite.js"
import type { Db } from "./statement.js"

/**
 * Maximum pause in milliseconds. After it, writers continue while the work still runs. It must be less than the 10 s
 * after which a write fails (`busyRetry`).
 */
const maxMillis = 5_000

/**
 * Runs work while no process writes to the log. A separate connection holds the write lock, so the work must not write
 * either. If the lock is not available, the work runs without it.
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

/** The connection that holds the write lock of the log, and the timer that closes the connection. */
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
