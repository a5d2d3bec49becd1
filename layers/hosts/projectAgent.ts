import { basename, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { checkAgentName } from "../../src/model/agentName.js"
import { limits } from "../../src/model/limits.js"
import { readSetting } from "../settings.js"

/**
 * The agent of a project: the name of the project's folder, with `-` in place of spaces and control characters.
 * Projects whose folders have the same name share a memory. The root folder has the agent `default`.
 */
export const projectAgentName = (folder: string): string => {
  const characters = [
    ...basename(resolve(folder))
      .normalize("NFC")
      .replace(/[\p{C}\p{Z}]+/gu, "-")
  ]
  // A name with wide characters may be too long for a folder's name.
  for (let length = Math.min(characters.length, limits.agent); length > 0; length--) {
    const name = checkAgentName(characters.slice(0, length).join(""))
    if (Either.isRight(name)) return name.right
  }
  return "default"
}

/**
 * The agent of the current project: `$DAYBOOK_AGENT`, or else the agent of the project's folder. That folder is
 * `$CLAUDE_PROJECT_DIR`, which Claude Code sets, or else `folder`.
 */
export const currentAgentName = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<string> {
  const project = yield* readSetting("CLAUDE_PROJECT_DIR")
  return (yield* readSetting("DAYBOOK_AGENT")) ?? projectAgentName(project ?? folder)
})
