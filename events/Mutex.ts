import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { maskInterruption, type RestoreInterruption } from "./mask.js"

/**
 * Runs one effect at a time, in the order of the calls. A waiting effect can be interrupted. A running effect cannot be
 * interrupted, except in the parts that it passes to `restore`.
 */
export interface Mutex {
  readonly locked: <A, E, R>(work: (restore: RestoreInterruption) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Written by hand, because a semaphore with one permit costs five times as much on every write. */
export const make = (): Mutex => {
  const waiters: Array<Deferred.Deferred<void>> = []
  let isLocked = false

  const release = () => {
    const next = waiters.shift()
    if (next === undefined) isLocked = false
    else Deferred.unsafeDone(next, Effect.void)
  }

  const runAndRelease = <A, E, R>(work: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.matchCauseEffect(Effect.suspend(work), {
      onFailure: (cause) => {
        release()
        return Effect.failCause(cause)
      },
      onSuccess: (value) => {
        release()
        return Effect.succeed(value)
      }
    })

  return {
    locked: (work) =>
      maskInterruption((restore) => {
        if (!isLocked) {
          isLocked = true
          return runAndRelease(() => work(restore))
        }
        const waiter = Deferred.unsafeMake<void>(FiberId.none)
        waiters.push(waiter)
        return Effect.matchCauseEffect(restore(Deferred.await(waiter)), {
          onFailure: (cause) => {
            const index = waiters.indexOf(waiter)
            // The interrupted waiter already had the lock, so pass the lock on.
            if (index < 0) release()
            else waiters.splice(index, 1)
            return Effect.failCause(cause)
          },
          onSuccess: () => runAndRelease(() => work(restore))
        })
      })
  }
}
