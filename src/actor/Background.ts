import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import { failureNames } from "../model/failureNames.js"

/** Runs work that no caller waits for. The work ends with the scope; the next process does the rest. */
export interface Background {
  /** Starts the work, unless work with this key runs already. A failure is logged as `message`. */
  readonly start: (key: string, work: Work) => void
  /** Starts the work after a pause in milliseconds. A later call with this key restarts the pause. */
  readonly startAfter: (key: string, millis: number, work: Work) => void
  /** Like `startAfter`, but a call during the pause of an earlier one changes nothing. */
  readonly startSoon: (key: string, millis: number, work: Work) => void
  /** Runs only one effect per key at a time, so that no model is asked twice about the same turns. */
  readonly alone: <A, E>(key: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export interface Work {
  readonly effect: Effect.Effect<void, unknown>
  /** The log line if the work fails. It omits the cause, because the cause may quote private text. */
  readonly message: string
}

export const make: Effect.Effect<Background, never, Scope.Scope> = Effect.gen(function* () {
  const run = yield* FiberMap.makeRuntime<never, string>()
  const start: Background["start"] = (key, work) => void run(key, quietly(work), { onlyIfMissing: true })
  const locks = new Map<string, { readonly semaphore: Effect.Semaphore; users: number }>()
  const pause = (key: string, millis: number, work: Work, isRestarted: boolean) =>
    void run(
      `pause ${key}`,
      Effect.delay(
        Effect.sync(() => start(key, work)),
        Duration.millis(millis)
      ),
      { onlyIfMissing: !isRestarted }
    )
  return {
    start,
    startAfter: (key, millis, work) => pause(key, millis, work, true),
    startSoon: (key, millis, work) => pause(key, millis, work, false),
    alone: (key, work) =>
      Effect.suspend(() => {
        const lock = locks.get(key) ?? { semaphore: Effect.unsafeMakeSemaphore(1), users: 0 }
        locks.set(key, lock)
        lock.users++
        const leave = Effect.sync(() => {
          if (--lock.users === 0) locks.delete(key)
        })
        return Effect.ensuring(lock.semaphore.withPermits(1)(work), leave)
      })
  }
})

const quietly = ({ effect, message }: Work): Effect.Effect<void> =>
  Effect.catchAllCause(effect, (cause) => Effect.logWarning(message, { failure: failureNames(cause) }))
