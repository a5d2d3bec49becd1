import * as Effect from "effect/Effect"
import { countText } from "../format.js"
import { type AsOfOptions, asOfOption, option, wholeNumberParser } from "../options.js"
import type { Command } from "./Command.js"

export const profile: Command<AsOfOptions & { readonly tokens?: number }> = {
  usage: "profile",
  summary: "print a profile for a system prompt: core facts, people, preferences",
  options: [
    option("--tokens <n>", "use at most n tokens (default: 500, or the policy's limit)", wholeNumberParser(1)),
    asOfOption
  ],
  examples: ["profile", "profile --tokens 100 --trust familiar"],
  run: ({ out, reader }, { asOf, tokens }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const result = yield* memory.profile({ tokens })
      const quoted =
        result.quoted.length === 0
          ? []
          : ["Quoted from writers whose trust level is too low for prompts:", ...result.quoted]
      const trusted = result.text === "" && quoted.length > 0 ? [] : [result.text]
      yield* out.show(result, () => [...trusted, ...quoted].join("\n"))
      const left = result.left === 0 ? "" : `; ${result.left} more did not fit`
      out.note(`${countText(result.entries.length, "memory", "memories")}, ${countText(result.tokens, "token")}${left}`)
    })
}
