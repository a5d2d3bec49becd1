import { describe, it } from "@effect/vitest"
import { checkLaw, lawCases } from "./support/erasureLaw.js"

/** Parts of 500 histories, so that a part can run alone: `-t "part 3"`. */
const parts = [1, 2, 3, 4]

describe("an erasure after one of 2,000 random histories", () => {
  for (const part of parts) {
    it.scoped.prop(
      `leaves all that was not chosen as it was, part ${part}`,
      [lawCases({ minLength: 20, maxLength: 40 })],
      ([example]) => checkLaw(example),
      { fastCheck: { numRuns: 500, endOnFailure: true } }
    )
  }
})
