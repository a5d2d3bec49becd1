import * as Effect from "effect/Effect"
import { type Choice, choices } from "../../src/remember/decide.js"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const decide: Command<{ readonly commandId?: string }, readonly [id: string, choice: string]> = {
  usage: "decide <id> <choice>",
  summary: "settle a contradiction: keep, replace or both",
  details: [
    "The id is that of the newer memory: see 'daybook decisions'.",
    "keep: retire the newer memory. replace: retire all other sides. both: keep all of them."
  ],
  options: [commandIdOption],
  examples: choices.map((choice) => `decide 8k2v0q5w1x ${choice}`),
  run: ({ memory, out }, { commandId }, [id, choice]) =>
    Effect.gen(function* () {
      const opened = yield* memory
      // The engine refuses any other choice and names the valid ones.
      const settled = yield* opened.decide(id, choice as Choice, { commandId })
      yield* out.show(settled, () => {
        const retired = settled.retired.length === 0 ? "both hold" : `retired ${settled.retired.join(", ")}`
        return `settled ${settled.id}: ${retired} (run ${settled.run})`
      })
    })
}
