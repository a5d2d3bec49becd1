import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Store } from "../../events/Trust.js"
import { filesOf, type RefusedFile, readTextFile } from "../../src/import/textFiles.js"
import { refused } from "../exit.js"
import { count, oneLine } from "../format.js"
import { given, instant, one, storeOf } from "../options.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

interface FileOptions {
  readonly session?: string
  readonly store?: Store
  readonly at?: number
}

/** Files that share a transaction; what they hold waits in memory. */
const together = 16

export const addFile: Command<FileOptions, readonly [paths: ReadonlyArray<string>]> = {
  usage: "add-file <path...>",
  summary: "index files of text, and folders of them, to be found beside conversations; unchanged ones cost nothing",
  options: [
    one("--session <key>", "the session that takes them along when it is forgotten"),
    one("--store <store>", "private, shared or social", storeOf),
    one("--at <time>", "when they were changed, an ISO 8601 date or time (default: as the disk says)", instant)
  ],
  examples: ["add-file README.md docs/", "add-file notes/harbour.md --session monday --store shared"],
  run: (call, options, [paths]) =>
    Effect.gen(function* () {
      const { out } = call
      const memory = yield* call.memory
      const found = paths.map(filesOf)
      const bad: Array<RefusedFile> = found.flatMap((one) => one.refused)
      const files = [...new Set(found.flatMap((one) => one.paths))]
      const outcomes = { added: 0, updated: 0, unchanged: 0 }
      let done = 0
      const add = (path: string) =>
        Effect.gen(function* () {
          const read = readTextFile(path)
          if ("problem" in read) return void bad.push(read)
          const fields = { path, text: read.text, at: read.changedAt, ...given(options) }
          const answer = yield* Effect.either(memory.addFile(fields))
          if (Either.isRight(answer)) outcomes[answer.right.outcome]++
          else if (answer.left._tag === "InvalidInput") bad.push({ path, problem: answer.left.message })
          else return yield* answer.left
          out.progress(++done, files.length)
        })
      const all = yield* Effect.exit(Effect.forEach(files, add, { concurrency: together, discard: true }))
      yield* awaitVectors(call)
      yield* all
      bad.sort((a, b) => (a.path < b.path ? -1 : 1))
      yield* out.show({ files: files.length, ...outcomes, refused: bad }, () => {
        const { added, unchanged, updated } = outcomes
        const summary = `${count(files.length, "file")}: ${added} added, ${updated} updated, ${unchanged} unchanged`
        return [summary, ...bad.map(({ path, problem }) => `${oneLine(path)}: ${problem}`)].join("\n")
      })
      if (bad.length > 0)
        return yield* refused(`${count(bad.length, "file")} refused, the first ${oneLine(bad[0]!.path)}`)
    })
}
