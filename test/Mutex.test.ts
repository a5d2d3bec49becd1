import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Mutex from "../events/Mutex.js"

describe("a mutex", () => {
  it.effect("lets one holder in at a time, in order of arrival", () =>
    Effect.gen(function* () {
      const mutex = Mutex.make()
      const order: Array<string> = []
      const work = (name: number) =>
        mutex.locked(() =>
          Effect.gen(function* () {
            order.push(`${name} in`)
            for (let times = 0; times < 3; times++) yield* Effect.yieldNow()
            order.push(`${name} out`)
          })
        )
      yield* Effect.forEach([1, 2, 3, 4], work, { concurrency: "unbounded" })
      expect(order).toEqual([1, 2, 3, 4].flatMap((name) => [`${name} in`, `${name} out`]))
    })
  )

  it.effect("is free again after work that fails, dies or throws", () =>
    Effect.gen(function* () {
      const mutex = Mutex.make()
      const bad: ReadonlyArray<() => Effect.Effect<never, string>> = [
        () => Effect.fail("failed"),
        () => Effect.die("died"),
        () => {
          throw new Error("thrown")
        }
      ]
      for (const work of bad) expect(Exit.isFailure(yield* Effect.exit(mutex.locked(work)))).toBe(true)
      expect(yield* mutex.locked(() => Effect.succeed("free"))).toBe("free")
    })
  )

  it.effect("goes to the next waiter if a waiter is interrupted, at any moment", () =>
    Effect.gen(function* () {
      for (let moment = 0; moment < 30; moment++) {
        const mutex = Mutex.make()
        const done: Array<string> = []
        const first = yield* Effect.fork(
          mutex.locked(() => Effect.forEach(Array(10), () => Effect.yieldNow(), { discard: true }))
        )
        yield* Effect.yieldNow()
        const gone = yield* Effect.fork(mutex.locked(() => Effect.sync(() => done.push("second"))))
        const last = yield* Effect.fork(mutex.locked(() => Effect.sync(() => done.push("third"))))
        for (let times = 0; times < moment; times++) yield* Effect.yieldNow()
        yield* Fiber.interrupt(gone)
        yield* Fiber.join(first)
        yield* Fiber.join(last)
        expect(done.at(-1)).toBe("third")
        expect(yield* mutex.locked(() => Effect.succeed("free"))).toBe("free")
      }
    })
  )
})
