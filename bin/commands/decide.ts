import * as Effect from "effect/Effect"
import { type Choice, choices } from "../../src/remember/settleDispute.js"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const decide: Command<{ readonly commandId?: string }, readonly [id: string, choice: string]> = {
  usage: "decide <id> <choice>",
  summary: "settle a contradiction: keep, replace or both",
  details: [
    "The id is that of either side: see 'daybook decisions --open'.",
    "keep: the older side holds. replace: the newer side takes its place. both: both hold.",
    "A memory with newer and older sides: keep and replace settle those that it disputes."
  ],
  options: [commandIdOption],
  examples: choices.map((choice) => `decide 8k2v0q5w1x ${choice}`),
  run: ({ memory, out }, { commandId }, [id, choice]) =>
    Effect.gen(function* () {
      const opened = yield* memory
      // The engine refuses any other choice and names the valid ones.
      const settled = yield* opened.decide(id, choice as Choice, { commandId })
      yield* out.show(settled, () => {
        const kept = `${settled.kept.join(", ")} ${settled.kept.length === 1 ? "holds" : "hold"}`
        const retired = settled.retired.length === 0 ? "" : `, ${settled.retired.join(", ")} retired`
        return `settled ${settled.id}: ${kept}${retired} (run ${settled.run})`
      })
    })
}
