import * as Effect from "effect/Effect"
import { openDatabase } from "./driver.js"
import { type StorageError, storageError } from "./errors.js"
import { busyTimeoutMillis, retryWhileBusy } from "./sqlite.js"

/**
 * Milliseconds that writers wait at most. Then they go on, and the work with them. They give up after ten seconds:
 * `busyRetry`.
 */
const maxMillis = 5_000

/**
 * Runs work while no process writes to the log. Writers wait for it. Uses a connection of its own, so the work must not
 * write either.
 */
export const pauseWrites = <A, E, R>(
  file: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StorageError, R> =>
  Effect.acquireUseRelease(
    Effect.try({
      try: () => openDatabase(file, { fileMustExist: true, timeout: busyTimeoutMillis }),
      catch: storageError("log.db")
    }),
    (db) =>
      Effect.acquireUseRelease(
        Effect.map(
          retryWhileBusy("log.db", () => db.exec("BEGIN IMMEDIATE")),
          () => setTimeout(() => db.exec("ROLLBACK"), maxMillis)
        ),
        () => work,
        (timer) => Effect.sync(() => clearTimeout(timer))
      ),
    // Ends the transaction too.
    (db) => Effect.sync(() => db.close())
  )
