import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { mask } from "./mask.js"

/** Lets one effect at a time run, in the order in which they came. Waiting may be interrupted, what runs may not. */
export interface Mutex {
  readonly locked: <A, E, R>(work: () => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** A semaphore of one permit does the same at five times the cost, which each write would pay. */
export const make = (): Mutex => {
  const waiting: Array<Deferred.Deferred<void>> = []
  let held = false

  const release = () => {
    const next = waiting.shift()
    if (next === undefined) held = false
    else Deferred.unsafeDone(next, Effect.void)
  }

  const released = <A, E, R>(work: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
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
      mask((restore) => {
        if (!held) {
          held = true
          return released(work)
        }
        const turn = Deferred.unsafeMake<void>(FiberId.none)
        waiting.push(turn)
        return Effect.matchCauseEffect(restore(Deferred.await(turn)), {
          onFailure: (cause) => {
            const at = waiting.indexOf(turn)
            // Gone while its turn came: the next one has it.
            if (at < 0) release()
            else waiting.splice(at, 1)
            return Effect.failCause(cause)
          },
          onSuccess: () => released(work)
        })
      })
  }
}
