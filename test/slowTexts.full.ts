import { describe, expect, it } from "vitest"
import { costOf, textStages } from "../bench/textStages.js"
import { worstTexts } from "../bench/worstTexts.js"

/** Milliseconds of CPU time without a turn of the event loop. */
const promised = 50

/**
 * CPU time, because other processes share the machine. Five times the promise fails: a regular expression that
 * backtracks, or a loop over pairs, takes hundreds of times as long.
 */
describe("formerly slow texts", () => {
  for (const stage of textStages) {
    it(`are read by ${stage.name} in at most ${promised} ms without a yield, at their largest`, async () => {
      for (const [name, text] of Object.entries(worstTexts(stage))) {
        // Messages to vitest wait for the end of a long computation.
        await new Promise((resolve) => setImmediate(resolve))
        const costs = [costOf(stage, text), costOf(stage, text)]
        const longest = Math.min(...costs.map((cost) => cost.longest))
        console.log(`${stage.name}, ${name}: ${longest.toFixed(1)} ms of ${costs[1]!.total.toFixed(1)} ms`)
        expect(longest, name).toBeLessThanOrEqual(5 * promised)
      }
    })
  }
})
