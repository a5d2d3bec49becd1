import * as Effect from "effect/Effect"

/** Maximum checks while erasures follow each other. */
const maxChecks = 20

/**
 * Repeats a check that found problems while events were erased. It reads page by page, so it may see an event from before
 * an erasure, and then the ERASE event that names it. `erasures` changes with each erasure.
 */
export const steadyCheck = <A, E, F>(
  check: Effect.Effect<A, E>,
  isSound: (result: A) => boolean,
  erasures: Effect.Effect<unknown, F>
): Effect.Effect<A, E | F> =>
  Effect.gen(function* () {
    for (let checks = 1; ; checks++) {
      const before = yield* erasures
      const result = yield* check
      if (isSound(result) || checks === maxChecks || before === (yield* erasures)) return result
    }
  })
