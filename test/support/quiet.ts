import { performance } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import { vi } from "vitest"

/** Rounds in a row in which the event loop did next to nothing; and the most rounds, some 5 s, that are waited for. */
const rounds = { quiet: 2, most: 5_000 }

/** Whether a read, write or sync of a file goes on in another thread. */
const isReadingFiles = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"))

/**
 * Waits in real time until this process has no more work for now, whatever the load of the machine. It is for tests
 * under TestClock, whose adjustments start work that ends later.
 */
export const quiet: Effect.Effect<void> = Effect.promise(async () => {
  for (let quietRounds = 0, count = 0; quietRounds < rounds.quiet && count < rounds.most; count++) {
    const before = performance.eventLoopUtilization()
    await new Promise((resolve) => setTimeout(resolve, 1))
    const isIdle = performance.eventLoopUtilization(before).active < 1 && !isReadingFiles()
    // Code that is loaded late comes from vitest's own process, which may be busy.
    await vi.dynamicImportSettled()
    quietRounds = isIdle ? quietRounds + 1 : 0
  }
})

/** Reads again and again in real time until the value is as expected, for at most 30 s, and returns the last one. */
export const eventually = <A, E, R>(read: Effect.Effect<A, E, R>, expected: (value: A) => boolean) =>
  Effect.gen(function* () {
    const end = performance.now() + 30_000
    for (;;) {
      const value = yield* read
      if (expected(value) || performance.now() > end) return value
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
    }
  })
