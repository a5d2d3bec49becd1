import * as Effect from "effect/Effect"
import { countText } from "../format.js"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const forgetSession: Command<{ readonly commandId?: string }, readonly [session: string]> = {
  usage: "forget-session <session>",
  summary: "hide a conversation and its files; their history stays in the log",
  options: [commandIdOption],
  examples: ["forget-session monday"],
  run: ({ memory, out }, { commandId }, [session]) =>
    Effect.gen(function* () {
      const forgotten = yield* Effect.flatMap(memory, (opened) => opened.sessions.forget(session, { commandId }))
      yield* out.show(forgotten, () => {
        const versionText = forgotten.version === undefined ? "" : ` (version ${forgotten.version})`
        const { files, scratchpads, turns } = forgotten
        const contents = [
          countText(turns, "turn"),
          ...(files === undefined ? [] : [countText(files, "file")]),
          ...(scratchpads === undefined ? [] : [countText(scratchpads, "scratchpad")])
        ]
        return `forgot ${new Intl.ListFormat("en").format(contents)} of ${forgotten.session}${versionText}`
      })
    })
}
