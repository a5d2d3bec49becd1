import * as Effect from "effect/Effect"
import { type Choice, choices } from "../../src/remember/settleDispute.js"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const decide: Command<{ readonly commandId?: string }, readonly [id: string, choice: string]> = {
  usage: "decide <id> <choice>",
  summary: "settle a contradiction: keep, replace or both",
  details: [
    "<id> is the memory on either side: 'daybook decisions --open' lists them.",
    "keep: the older memory stays. replace: the newer memory replaces it. both: both stay.",
    "If the memory contradicts older ones, keep and replace settle only these contradictions."
  ],
  options: [commandIdOption],
  examples: choices.map((choice) => `decide 8k2v0q5w1x ${choice}`),
  run: ({ memory, out }, { commandId }, [id, choice]) =>
    Effect.gen(function* () {
      const opened = yield* memory
      // The engine refuses any other choice and names the valid ones.
      const settled = yield* opened.decide(id, choice as Choice, { commandId })
      yield* out.show(settled, () => {
        const retired = settled.retired.length === 0 ? "" : `; retired ${settled.retired.join(", ")}`
        return `settled ${settled.id}: kept ${settled.kept.join(", ")}${retired} (run ${settled.run})`
      })
    })
}
