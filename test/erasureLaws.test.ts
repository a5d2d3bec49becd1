import { describe, it } from "@effect/vitest"
import { checkLaw, lawCases } from "./support/erasureLaw.js"
import { lawRuns, rounds } from "./support/size.js"

describe("an erasure", () => {
  it.scoped.prop(
    "leaves all that was not chosen as it was: in the log, live, rebuilt and as of every earlier version",
    [lawCases(rounds({ quick: { minLength: 20, maxLength: 30 }, full: { minLength: 20, maxLength: 40 } }))],
    ([example]) => checkLaw(example),
    { fastCheck: { numRuns: lawRuns({ quick: 2, full: 30 }), endOnFailure: true } }
  )
})
