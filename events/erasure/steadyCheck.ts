import * as Effect from "effect/Effect"

/** Maximum number of checks while new erasures keep arriving. */
const maxChecks = 20

/**
 * Runs a check, and repeats it if it found problems and events were erased during the check. A check reads page by
 * page. So it may read an event before its erasure, and then the ERASE event that names it. `erasures` returns a value
 * that changes with each erasure.
 */
export const repeatCheckDuringErasures = <A, E, F>(
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
