import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as RuntimeFlags from "effect/RuntimeFlags"

type AnyEffect = Effect.Effect<unknown, unknown, unknown>
export type RestoreInterruption = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * `Effect.uninterruptibleMask` without its memory cost, for hot paths. Each call of Effect's own version assigns a new
 * function to a property. V8 allocates that function in the old generation, where it keeps the work and its data alive
 * until the next full garbage collection. Here, the two effects that change the interruption flag are created once, and
 * look up their work by fiber.
 */
export const maskInterruption = <A, E, R>(
  work: (restore: RestoreInterruption) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber, { runtimeFlags }) => {
    // An uninterruptible region has no flag to change or restore.
    if (!RuntimeFlags.interruption(runtimeFlags)) return work(unchanged)
    started.set(
      fiber,
      Effect.suspend(() => work(interruptible))
    )
    return uninterruptibly as Effect.Effect<A, E, R>
  })

/** The effect that each fiber runs next. The key is the fiber, because another fiber may run in between. */
const started = new WeakMap<object, AnyEffect>()

const next: AnyEffect = Effect.withFiberRuntime((fiber) => {
  const work = started.get(fiber)!
  started.delete(fiber)
  return work
})

const uninterruptibly = Effect.uninterruptible(next)
const interruptibly = Effect.interruptible(next)

const unchanged: RestoreInterruption = (effect) => effect

/** `Effect.interruptible` without its memory cost. */
export const interruptible: RestoreInterruption = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.withFiberRuntime<A, E, R>((fiber) => {
    started.set(fiber, effect)
    return interruptibly as Effect.Effect<A, E, R>
  })

/** `Effect.ensuring` without its memory cost. */
export const withFinalizer = <A, E, R, R2>(
  effect: Effect.Effect<A, E, R>,
  finalizer: Effect.Effect<unknown, never, R2>
): Effect.Effect<A, E, R | R2> =>
  maskInterruption((restore) =>
    Effect.matchCauseEffect(restore(effect), {
      onFailure: (cause) =>
        Effect.matchCauseEffect(finalizer, {
          onFailure: (second) => Effect.failCause(Cause.sequential(cause, second)),
          onSuccess: () => Effect.failCause(cause)
        }),
      onSuccess: (answer) => Effect.as(finalizer, answer)
    })
  )
