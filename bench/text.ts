import { formatNumber, type Group } from "./harness.js"
import { measureStage, textStages } from "./textStages.js"
import { makeWorstCaseTexts } from "./worstTexts.js"

/** Maximum milliseconds of CPU time without a turn of the event loop. */
const promised = 50

/** The slowest known text of each stage that reads free text, at its largest size. */
export const text: Group = {
  name: "text",
  rows: async function* ({ quick }) {
    for (const stage of textStages) {
      const size = quick ? Math.min(stage.size, 2_000) : stage.size
      const costs = Object.entries(makeWorstCaseTexts({ size })).map(([name, text]) => {
        measureStage(stage, text)
        return { name, ...measureStage(stage, text) }
      })
      const worst = costs.reduce((slowest, cost) => (cost.longest > slowest.longest ? cost : slowest))
      yield {
        name: `slowest text of ${formatNumber(size)} characters: ${stage.name}`,
        daybook: `${formatNumber(worst.longest)} ms CPU without a turn, ${formatNumber(worst.total)} in all: ${worst.name}`,
        floor: "",
        result: `${formatNumber(worst.longest)} ms`,
        target: `≤ ${promised} ms`,
        reached: worst.longest <= promised,
        figures: { costs }
      }
    }
  }
}
