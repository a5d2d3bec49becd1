import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { checkLaw, lawCases } from "./support/erasureLaw.js"

/** Parts of 500 histories, so that a part can run alone: `-t "part 3"`. */
const parts = [1, 2, 3, 4]
const numRuns = 500

/** Histories between two lines of progress, so that a stopped run says how far it was. */
const progressEvery = 10

/** `TEST_SEED` repeats the histories of an earlier run. */
const firstSeed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000)

describe("an erasure after one of 2,000 random histories", () => {
  for (const part of parts) {
    const seed = firstSeed + part
    let checked = 0
    it.scoped.prop(
      `leaves all that was not chosen as it was, part ${part}`,
      [lawCases({ minLength: 20, maxLength: 40 })],
      ([example]) =>
        Effect.map(checkLaw(example), () => {
          checked++
          if (checked % progressEvery > 0) return
          console.log(`part ${part}: ${checked} of ${numRuns} histories, TEST_SEED ${firstSeed}`)
        }),
      { fastCheck: { numRuns, seed, endOnFailure: true } }
    )
  }
})
