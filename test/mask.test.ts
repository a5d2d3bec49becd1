import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { maskInterruption, withFinalizer } from "../events/mask.js"
import { runInOwnFiber } from "../src/ports/runInOwnFiber.js"

type Mask = typeof maskInterruption

/** Effect's own, whose behaviour `maskInterruption` must have. */
const reference: Mask = (work) => Effect.uninterruptibleMask((restore) => work(restore))

/** Interrupts a fiber while it waits inside a mask, and tells how far it came. */
const interrupted = (masked: Mask, restored: boolean) =>
  Effect.gen(function* () {
    const reached = yield* Deferred.make<void>()
    const latch = yield* Deferred.make<void>()
    const steps: Array<string> = []
    const step = (name: string) => Effect.sync(() => void steps.push(name))
    const fiber = yield* Effect.fork(
      masked((restore) => {
        const waiting = Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(latch))
        const inside = restored ? restore(waiting) : waiting
        return Effect.onExit(Effect.zipRight(inside, step("after")), (exit) =>
          step(Exit.isInterrupted(exit) ? "interrupted" : "ended")
        )
      }).pipe(Effect.zipRight(step("behind")))
    )
    yield* Deferred.await(reached)
    yield* Fiber.interruptFork(fiber)
    yield* Effect.yieldNow()
    yield* Deferred.succeed(latch, undefined)
    const exit = yield* Fiber.await(fiber)
    return { steps, interrupted: Exit.isInterrupted(exit) }
  })

describe("mask", () => {
  it.effect.each([true, false])(
    "defers an interruption as Effect.uninterruptibleMask does (restored: %s)",
    (restored) =>
      Effect.gen(function* () {
        const expected = yield* interrupted(reference, restored)
        expect(expected.interrupted).toBe(true)
        expect(yield* interrupted(maskInterruption, restored)).toEqual(expected)
      })
  )

  it.effect("keeps many fibers apart that yield inside nested masks", () =>
    Effect.gen(function* () {
      const nested = (value: number) =>
        maskInterruption((restore) =>
          Effect.zipRight(
            Effect.yieldNow(),
            maskInterruption((inner) => Effect.flatMap(restore(Effect.yieldNow()), () => inner(Effect.succeed(value))))
          )
        )
      const values = Array.from({ length: 500 }, (_, index) => index)
      expect(yield* Effect.forEach(values, nested, { concurrency: "unbounded" })).toEqual(values)
    })
  )

  it.effect("is interruptible again afterwards, whatever came of the work", () =>
    Effect.gen(function* () {
      const flagAfter = (work: Effect.Effect<unknown, unknown>) =>
        Effect.zipRight(Effect.exit(maskInterruption(() => work)), Effect.checkInterruptible(Effect.succeed))
      expect(yield* flagAfter(Effect.succeed(1))).toBe(true)
      expect(yield* flagAfter(Effect.fail("no"))).toBe(true)
      expect(yield* flagAfter(Effect.die("broken"))).toBe(true)
      expect(yield* maskInterruption(() => Effect.checkInterruptible(Effect.succeed))).toBe(false)
      expect(yield* maskInterruption((restore) => restore(Effect.checkInterruptible(Effect.succeed)))).toBe(true)
      const inside = maskInterruption((restore) => restore(Effect.checkInterruptible(Effect.succeed)))
      expect(yield* Effect.uninterruptible(inside)).toBe(false)
    })
  )
})

describe("runInOwnFiber", () => {
  const join = <A, E>(rest: Effect.Effect<A, E>) => rest

  it.effect.prop(
    "answers what the effect answers, whether it waits or not",
    [FastCheck.integer(), FastCheck.boolean(), FastCheck.boolean()],
    ([value, fails, waits]) =>
      Effect.gen(function* () {
        const outcome = fails ? Effect.fail(value) : Effect.succeed(value)
        const effect = waits
          ? Effect.zipRight(
              Effect.promise(() => Promise.resolve()),
              outcome
            )
          : outcome
        expect(yield* Effect.exit(runInOwnFiber(effect, join))).toEqual(yield* Effect.exit(effect))
      })
  )

  it.effect("waits only for an effect that waits", () =>
    Effect.gen(function* () {
      const refuse = () => Effect.fail("waited")
      expect(yield* runInOwnFiber(Effect.succeed(1), refuse)).toBe(1)
      expect(
        yield* Effect.flip(
          runInOwnFiber(
            Effect.promise(() => Promise.resolve(1)),
            refuse
          )
        )
      ).toBe("waited")
    })
  )

  it.effect("interrupts the effect with its caller, also inside an uninterruptible region", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<boolean>()
      const work = Effect.onInterrupt(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never), () =>
        Deferred.succeed(ended, true)
      )
      const fiber = yield* Effect.fork(Effect.uninterruptible(runInOwnFiber(work, Effect.interruptible)))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      expect(Option.fromNullable(yield* Deferred.await(ended))).toEqual(Option.some(true))
    })
  )
})

describe("ensuring", () => {
  const works = { success: Effect.succeed(1), failure: Effect.fail("work"), defect: Effect.die("work") }
  const finalizers = { success: Effect.void, defect: Effect.die("finalizer") }

  for (const [work, effect] of Object.entries<Effect.Effect<number, string>>(works)) {
    for (const [finalizer, last] of Object.entries<Effect.Effect<void>>(finalizers)) {
      it.effect(`ends as Effect.ensuring does: work with ${work}, finalizer with ${finalizer}`, () =>
        Effect.gen(function* () {
          expect(yield* Effect.exit(withFinalizer(effect, last))).toEqual(
            yield* Effect.exit(Effect.ensuring(effect, last))
          )
        })
      )
    }
  }

  it.live("runs the finalizer of an interrupted effect", () =>
    Effect.gen(function* () {
      let ended = 0
      const fiber = yield* Effect.fork(
        withFinalizer(
          Effect.never,
          Effect.sync(() => ended++)
        )
      )
      yield* Effect.sleep(5)
      yield* Fiber.interrupt(fiber)
      expect(ended).toBe(1)
    })
  )
})
