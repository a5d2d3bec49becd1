import * as Effect from "effect/Effect"
import { expect } from "vitest"

/** `npm test` is quick, `.ci/run` between, `npm run test:full` and `npm run test:soak` full: vitest.config.ts sets it. */
const size = process.env.DAYBOOK_TEST_SIZE
export const isFull = size === "full"

/** The number of rounds, or anything else that depends on the size of the run. `ci` is for `.ci/run`. */
export const rounds = <A>({ quick, full, ci = quick }: Sizes<A>): A => (isFull ? full : size === "ci" ? ci : quick)

/** One of several like cases in `npm test`, all of them in the other runs. */
export const firstOrAll = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  rounds({ quick: all.slice(0, 1), full: all, ci: all })

interface Sizes<A> {
  readonly quick: A
  readonly full: A
  readonly ci?: A | undefined
}

/**
 * The number of random cases of a law. `.ci/run` takes `ci`, by default a tenth of those of `npm run test:full` and at
 * least those of `npm test`, and other cases each time.
 */
export const lawRuns = ({ quick, full, ci = Math.max(quick, Math.ceil(full / 10)) }: Sizes<number>): number =>
  rounds({ quick, full, ci })

/**
 * Lets timers and input run between the rounds of a long test. Without it a test that computes for a minute starves the
 * messages to vitest, which ends the run with an error.
 */
export const yieldToTimers: Effect.Effect<void> = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** The milliseconds that some work takes. */
export const durationOf = (work: () => void): number => {
  const began = performance.now()
  work()
  return performance.now() - began
}

/**
 * Checks a duration in milliseconds against the promised one. The full run prints it and fails above five times the
 * promise, because other processes slow a machine down. `npm test` looks at no clock.
 */
export const expectDuration = (what: string, took: number, promised: number, limit = 5 * promised) => {
  if (!isFull) return
  console.log(`${what}: ${took.toFixed(1)} ms, promised ${promised} ms`)
  expect(took, what).toBeLessThanOrEqual(limit)
}
