import * as Effect from "effect/Effect"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const forget: Command<{ readonly commandId?: string }, readonly [id: string]> = {
  usage: "forget <id>",
  summary: "hide a memory; its history stays in the log",
  options: [commandIdOption],
  examples: ["forget 8k2v0q5w1x"],
  run: ({ memory, out }, { commandId }, [id]) =>
    Effect.gen(function* () {
      const forgotten = yield* Effect.flatMap(memory, (opened) => opened.forget(id, { commandId }))
      yield* out.show(
        forgotten,
        () => `forgot ${forgotten.id}${forgotten.version === undefined ? "" : ` (version ${forgotten.version})`}`
      )
    })
}
