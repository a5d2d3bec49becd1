import * as Effect from "effect/Effect"
import { count } from "../format.js"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const forgetSession: Command<{ readonly commandId?: string }, readonly [session: string]> = {
  usage: "forget-session <session>",
  summary: "hide a conversation and its files; their history stays in the log",
  options: [commandIdOption],
  examples: ["forget-session monday"],
  run: ({ memory, out }, { commandId }, [session]) =>
    Effect.gen(function* () {
      const done = yield* Effect.flatMap(memory, (opened) => opened.sessions.forget(session, { commandId }))
      yield* out.show(done, () => {
        const place = done.version === undefined ? "" : ` (version ${done.version})`
        const files = done.files === undefined ? "" : ` and ${count(done.files, "file")}`
        return `forgot ${count(done.turns, "turn")}${files} of ${done.session}${place}`
      })
    })
}
