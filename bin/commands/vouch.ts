import * as Effect from "effect/Effect"
import { countText } from "../format.js"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const vouch: Command<{ readonly commandId?: string }, readonly [ids: ReadonlyArray<string>]> = {
  usage: "vouch <id...>",
  summary: "raise memories to trust level full, so that prompts contain them",
  operator: true,
  options: [commandIdOption],
  examples: ["vouch 8k2v0q5w1x"],
  run: ({ memory, out }, { commandId }, [ids]) =>
    Effect.gen(function* () {
      const vouched = yield* Effect.flatMap(memory, (opened) => opened.vouch(ids, { commandId }))
      yield* out.show(
        vouched,
        () =>
          `vouched for ${countText(vouched.ids.length, "memory", "memories")}: ${vouched.ids.join(", ")}${
            vouched.version === undefined ? "" : ` (version ${vouched.version})`
          }`
      )
    })
}
