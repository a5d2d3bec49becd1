import * as Effect from "effect/Effect"
import { count } from "../format.js"
import { type AsOfOptions, asOfOption, option, wholeNumber } from "../options.js"
import type { Command } from "./Command.js"

export const profile: Command<AsOfOptions & { readonly tokens?: number }> = {
  usage: "profile",
  summary: "print a profile for a system prompt: core facts, people, preferences",
  options: [option("--tokens <n>", "use at most n tokens (default: the policy's, 500)", wholeNumber(1)), asOfOption],
  examples: ["profile", "profile --tokens 100 --trust familiar"],
  run: ({ out, reader }, { asOf, tokens }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const found = yield* memory.profile({ tokens })
      yield* out.show(found, () => found.text)
      const left = found.left === 0 ? "" : `; ${found.left} more did not fit`
      out.note(`${count(found.entries.length, "memory", "memories")}, ${count(found.tokens, "token")}${left}`)
    })
}
