import { statSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { refused } from "../exit.js"
import { count, oneLine } from "../format.js"
import { commandId } from "../options.js"
import type { Command } from "./Command.js"

export const forgetFile: Command<{ readonly commandId?: string }, readonly [path: string]> = {
  usage: "forget-file <path>",
  summary: "take a file out of every read; its events stay in the log",
  options: [commandId],
  examples: ["forget-file notes/harbour.md"],
  run: ({ memory, out }, { commandId }, [path]) =>
    Effect.gen(function* () {
      const { forgetFile } = yield* memory
      // A program may have given it another name than its place on this disk.
      const done = yield* Effect.catchTag(forgetFile(path, { commandId }), "FileNotFound", (error) =>
        Effect.mapError(forgetFile(resolve(path), { commandId }), (other) =>
          other._tag === "FileNotFound" ? refused(`${error.message}${insteadOf(path)}`) : other
        )
      )
      yield* out.show(done, () => {
        const place = done.version === undefined ? "" : ` (version ${done.version})`
        const stores = done.files === 1 ? "" : ` in ${count(done.files, "store")}`
        return `forgot ${oneLine(done.path)}${stores}${place}`
      })
    })
}

/** What to do about a path that holds no file. */
const insteadOf = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    ? " is indexed: that is a folder, and forget-file takes the path of one file, as 'daybook files' lists them"
    : "; 'daybook files' lists those that are indexed"
