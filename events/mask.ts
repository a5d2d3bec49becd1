import * as Effect from "effect/Effect"
import * as RuntimeFlags from "effect/RuntimeFlags"

type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * `Effect.uninterruptibleMask` for hot paths, without its garbage. Each call of Effect's own assigns a new function to
 * a property. V8 allocates such a function in the old generation, where it keeps the work and all its data alive until
 * the next full collection. Here the two effects that change the flag exist once, and find their work by the fiber.
 */
export const mask = <A, E, R>(work: (restore: Restore) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber, { runtimeFlags }) => {
    // In an uninterruptible region there is nothing to change, and nothing to restore.
    if (!RuntimeFlags.interruption(runtimeFlags)) return work(unchanged)
    started.set(
      fiber,
      Effect.suspend(() => work(interruptible))
    )
    return uninterruptibly as Effect.Effect<A, E, R>
  })

/** The effect that each fiber runs next. By fiber, because another fiber may run in between. */
const started = new WeakMap<object, AnyEffect>()

const next: AnyEffect = Effect.withFiberRuntime((fiber) => {
  const work = started.get(fiber)!
  started.delete(fiber)
  return work
})

const uninterruptibly = Effect.uninterruptible(next)
const interruptibly = Effect.interruptible(next)

const unchanged: Restore = (effect) => effect

const interruptible: Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.withFiberRuntime<A, E, R>((fiber) => {
    started.set(fiber, effect)
    return interruptibly as Effect.Effect<A, E, R>
  })
