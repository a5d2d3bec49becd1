import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { constant } from "effect/Function"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"

/**
 * Runs an effect in its own interruptible fiber. If the effect ends synchronously, its result is returned without a
 * join or a time-out, because these would cost more than the effect itself. Otherwise `wait` decides how long to wait.
 */
export const runInOwnFiber = <A, E, R, B = A, E2 = E>(
  effect: Effect.Effect<A, E, R>,
  wait: (pending: Effect.Effect<A, E>) => Effect.Effect<A | B, E | E2>
): Effect.Effect<A | B, E | E2, R> =>
  Effect.flatMap(Effect.runtime<R>(), (runtime) => {
    const exit = Runtime.runSyncExit(interruptible(runtime))(effect)
    if (Exit.isSuccess(exit)) return exit
    const unfinished = Option.filter(Cause.dieOption(exit.cause), Runtime.isAsyncFiberException)
    if (Option.isNone(unfinished)) return exit
    const fiber = unfinished.value.fiber as Fiber.RuntimeFiber<A, E>
    return wait(Effect.onInterrupt(Fiber.join(fiber), constant(Fiber.interruptFork(fiber))))
  })

/** Makes the effect interruptible. A write is not interruptible, and its child fibers would inherit that. */
const interruptible = <R>(runtime: Runtime.Runtime<R>): Runtime.Runtime<R> =>
  Runtime.make({ ...runtime, runtimeFlags: RuntimeFlags.enable(runtime.runtimeFlags, RuntimeFlags.Interruption) })
