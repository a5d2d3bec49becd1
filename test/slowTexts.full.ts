import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { measureStage, textStages } from "../bench/textStages.js"
import { makeWorstCaseTexts } from "../bench/worstTexts.js"
import { isFull } from "./support/size.js"

/** A short run takes a quarter of the texts, others each time. */
const quarterOf = ({ length }: { readonly length: number }) => ({
  minLength: Math.ceil(length / 4),
  maxLength: Math.ceil(length / 4)
})

/** Milliseconds of CPU time without a turn of the event loop. */
const promised = 50

/**
 * CPU time, because other processes share the machine. Five times the promise fails: a regular expression that
 * backtracks, or a loop over pairs, takes hundreds of times as long.
 */
describe("formerly slow texts", () => {
  for (const stage of textStages) {
    it(`are read by ${stage.name} in at most ${promised} ms without a yield, at their largest`, async () => {
      const texts = Object.entries(makeWorstCaseTexts(stage))
      for (const [name, text] of isFull ? texts : fc.sample(fc.shuffledSubarray(texts, quarterOf(texts)), 1)[0]!) {
        // Messages to vitest wait for the end of a long computation.
        await new Promise((resolve) => setImmediate(resolve))
        let { longest, total } = measureStage(stage, text)
        // Again, where another process may have disturbed a measurement.
        for (let again = 0; again < 3 && longest > promised; again++) {
          const cost = measureStage(stage, text)
          if (cost.longest < longest) ({ longest, total } = cost)
        }
        console.log(`${stage.name}, ${name}: ${longest.toFixed(1)} ms of ${total.toFixed(1)} ms`)
        expect(longest, name).toBeLessThanOrEqual(5 * promised)
      }
    })
  }
})
