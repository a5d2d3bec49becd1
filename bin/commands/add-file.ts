import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Store } from "../../events/Trust.js"
import { filesOf, type RefusedFile, readTextFile, type TextFile } from "../../src/import/textFiles.js"
import { InvalidInput } from "../../src/model/errors.js"
import { refused } from "../exit.js"
import { count, oneLine } from "../format.js"
import { flag, given, instant, one, storeOf } from "../options.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

interface FileOptions {
  readonly session?: string
  readonly move?: boolean
  readonly store?: Store
  readonly at?: number
}

/** Files that share a transaction; what they hold waits in memory. */
const together = 16

export const addFile: Command<FileOptions, readonly [paths: ReadonlyArray<string>]> = {
  usage: "add-file <path...>",
  creates: true,
  summary: "index files of text, and folders of them, to be found beside conversations; unchanged ones cost nothing",
  options: [
    one("--session <key>", "the session that takes them along when it is forgotten"),
    flag("--move", "take them out of the session that they belong to; with --session"),
    one("--store <store>", "private, shared or social", storeOf),
    one("--at <time>", "when they were changed, an ISO 8601 date or time (default: as the disk says)", instant)
  ],
  examples: ["add-file README.md docs/", "add-file notes/harbour.md --session monday --store shared"],
  run: (call, options, [paths]) =>
    Effect.gen(function* () {
      const { out } = call
      if (options.move === true && options.session === undefined) {
        return yield* new InvalidInput({ field: "--move", problem: "needs --session" })
      }
      const memory = yield* call.memory
      const found = paths.map(filesOf)
      const bad: Array<RefusedFile> = uniqueOf(found.flatMap((one) => one.refused))
      const skipped: Array<RefusedFile> = []
      const moved: Array<MovedFile> = []
      const files = [...new Set(found.flatMap((one) => one.paths))]
      const outcomes = { added: 0, updated: 0, unchanged: 0 }
      let done = 0
      const add = (path: string) =>
        Effect.gen(function* () {
          const read = readTextFile(path)
          if ("problem" in read) bad.push(read)
          else yield* index(read)
          out.progress(++done, files.length)
        })
      const index = ({ changedAt, path, text }: TextFile) =>
        Effect.gen(function* () {
          const answer = yield* Effect.either(memory.addFile({ path, text, at: changedAt, ...given(options) }))
          if (Either.isRight(answer)) {
            const { from, outcome, session } = answer.right
            if (outcome === "moved") moved.push({ path, from: from ?? null, session: session ?? "" })
            else outcomes[outcome]++
          } else if (answer.left._tag === "FileInSession") {
            const problem = `belongs to session ${answer.left.session}; --move takes it from there`
            bad.push({ path, problem })
          } else if (answer.left._tag !== "InvalidInput") return yield* answer.left
          // What was indexed and is empty now is emptied there; anything else that is empty says nothing.
          else if (answer.left.field === "text" && text.trim() === "") skipped.push({ path, problem: "is empty" })
          else bad.push({ path, problem: answer.left.message })
        })
      const all = yield* Effect.exit(Effect.forEach(files, add, { concurrency: together, discard: true }))
      yield* awaitVectors(call)
      yield* all
      for (const list of [bad, skipped, moved]) list.sort((a, b) => (a.path < b.path ? -1 : 1))
      const { added, unchanged, updated } = outcomes
      const total = added + updated + unchanged + moved.length + skipped.length + bad.length
      yield* out.show({ files: total, ...outcomes, moved, skipped, refused: bad }, () =>
        [
          `${count(total, "file")}: ${added} added, ${updated} updated, ${unchanged} unchanged`,
          ...[`${moved.length} moved`, `${skipped.length} skipped`, `${bad.length} refused`].filter(
            (one) => !/^0 /.test(one)
          )
        ].join(", ")
      )
      for (const { from, path, session } of moved) {
        out.note(
          `${oneLine(path)}: moved from ${from === null ? "no session" : `session ${oneLine(from)}`} to session ${oneLine(session)}`
        )
      }
      for (const { path, problem } of [...skipped, ...bad]) out.note(`${oneLine(path)}: ${oneLine(problem)}`)
      if (bad.length > 0)
        return yield* refused(`${count(bad.length, "file")} refused, the first ${oneLine(bad[0]!.path)}`)
    })
}

interface MovedFile {
  readonly path: string
  /** The session that it was in; null for none. */
  readonly from: string | null
  readonly session: string
}

/** A path that is named twice is refused once. */
const uniqueOf = (refused: ReadonlyArray<RefusedFile>): Array<RefusedFile> => [
  ...new Map(refused.map((one) => [one.path, one])).values()
]
