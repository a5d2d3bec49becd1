import * as Effect from "effect/Effect"
import { refusalError } from "../exit.js"
import { memoryText } from "../format.js"
import { type AsOfOptions, asOfOption } from "../options.js"
import type { Command } from "./Command.js"

export const get: Command<AsOfOptions, readonly [ids: ReadonlyArray<string>]> = {
  usage: "get <id...>",
  alias: "show",
  summary: "show whole memories, in the given order",
  options: [asOfOption],
  examples: ["get 8k2v0q5w1x", "get 8k2v0q5w1x 3h7c9m2p4z --json"],
  needsNoRules: true,
  run: ({ out, reader }, { asOf }, [ids]) =>
    Effect.gen(function* () {
      const memory = yield* reader(asOf)
      const memories = yield* memory.get(ids)
      yield* out.show(memories, () => memories.map((entry) => memoryText(entry, out.colours)).join("\n\n"))
      const missing = ids.filter((id) => !memories.some((entry) => entry.id === id))
      if (missing.length > 0)
        return yield* refusalError(`memory ${missing.join(", ")} not found: check the id and the trust level`)
    })
}
