import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import type { Command } from "./commands/Command.js"

/** The output of `daybook` without a command: three lines that say what to do next. */
export const nextStepsCommand: Command = {
  usage: "daybook",
  summary: "say what to do next",
  run: (call) =>
    Effect.suspend(() => {
      const { out } = call
      const folder = resolve(call.folder)
      const exists = existsSync(join(folder, "log.db"))
      const next = exists
        ? ["daybook agents", "daybook list", "daybook search WORDS"]
        : ['daybook remember "Deploys happen on Tuesdays"', "daybook demo"]
      return out.show({ folder, exists, next: [...next, "daybook init", "daybook --help"] }, () =>
        [
          exists ? `The memory is in ${folder}.` : `There is no memory in ${folder} yet.`,
          exists ? `Explore it: ${next.join(", ")}` : `Begin: ${next[0]}, or run a demo: ${next[1]}`,
          "Connect an agent: daybook init. All commands: daybook --help"
        ].join("\n")
      )
    })
}
