import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { statIfExists } from "../../events/folder.js"
import { refusalError } from "../exit.js"
import { countText, oneLine } from "../format.js"
import { commandIdOption } from "../options.js"
import type { Command } from "./Command.js"

export const forgetFile: Command<{ readonly commandId?: string }, readonly [path: string]> = {
  usage: "forget-file <path>",
  summary: "hide an indexed file; its history stays in the log",
  options: [commandIdOption],
  examples: ["forget-file notes/harbour.md"],
  run: ({ memory, out }, { commandId }, [path]) =>
    Effect.gen(function* () {
      const { files } = yield* memory
      // A library caller may have indexed the file under a name that is not a path on this disk.
      const forgotten = yield* Effect.catchTag(files.forget(path, { commandId }), "FileNotFound", (error) =>
        Effect.mapError(files.forget(resolve(path), { commandId }), (other) =>
          other._tag === "FileNotFound" ? refusalError(`${error.message}${hintFor(path)}`) : other
        )
      )
      yield* out.show(forgotten, () => {
        const versionText = forgotten.version === undefined ? "" : ` (version ${forgotten.version})`
        const stores = forgotten.files === 1 ? "" : ` in ${countText(forgotten.files, "store")}`
        return `forgot ${oneLine(forgotten.path)}${stores}${versionText}`
      })
    })
}

/** The hint if no file is indexed under this path. */
const hintFor = (path: string): string =>
  statIfExists(path)?.isDirectory() === true
    ? "; it is a folder: pass one file that 'daybook files' lists"
    : "; 'daybook files' lists the indexed files"
