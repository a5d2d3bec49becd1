import * as Effect from "effect/Effect"
import { count } from "../format.js"
import { type AsOfOptions, asOf, one, whole } from "../options.js"
import type { Command } from "./Command.js"

export const profile: Command<AsOfOptions & { readonly tokens?: number }> = {
  usage: "profile",
  summary: "the core block of a system prompt: what is core, who people are, what they prefer, what was decided",
  options: [one("--tokens <n>", "what it may cost (default: as the policy says, 500)", whole(1)), asOf],
  examples: ["profile", "profile --tokens 100 --trust familiar"],
  run: ({ out, reader }, { asOf, tokens }) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const found = yield* memory.profile({ tokens })
      yield* out.show(found, () => found.text)
      const left = found.left === 0 ? "" : `; no room for ${found.left} more`
      out.note(`${count(found.entries.length, "memory", "memories")}, ${count(found.tokens, "token")}${left}`)
    })
}
