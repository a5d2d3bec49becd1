import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Store } from "../../events/Trust.js"
import { listFiles, type RefusedFile, readTextFile, type TextFile } from "../../src/import/textFiles.js"
import { InvalidInput } from "../../src/model/errors.js"
import { refusalError } from "../exit.js"
import { countText, oneLine } from "../format.js"
import { definedFields, flag, option, parseIsoTime, parseStore } from "../options.js"
import { awaitVectors } from "../vectors.js"
import type { Command } from "./Command.js"

interface FileOptions {
  readonly session?: string
  readonly move?: boolean
  readonly store?: Store
  readonly at?: number
}

/** Number of files written concurrently in one transaction. Their texts stay in memory until it commits. */
const concurrentFiles = 16

export const addFile: Command<FileOptions, readonly [paths: ReadonlyArray<string>]> = {
  usage: "add-file <path...>",
  creates: true,
  summary: "index text files and folders for search; skip unchanged files",
  options: [
    option("--session <key>", "attach the files to a session; forgetting the session hides them"),
    flag("--move", "move files that belong to another session (needs --session)"),
    option("--store <store>", "set the store, which limits readers: private, shared or social", parseStore),
    option("--at <time>", "set the time of the change, ISO 8601 (default: each file's own time)", parseIsoTime)
  ],
  examples: ["add-file README.md docs/", "add-file notes/harbour.md --session monday --store shared"],
  run: (call, options, [paths]) =>
    Effect.gen(function* () {
      const { out } = call
      if (options.move === true && options.session === undefined) {
        return yield* new InvalidInput({ field: "--move", problem: "needs --session" })
      }
      const memory = yield* call.memory
      const listings = paths.map(listFiles)
      const failures: Array<RefusedFile> = uniqueByPath(listings.flatMap(({ refused }) => refused))
      const skipped: Array<RefusedFile> = []
      const cut: Array<RefusedFile> = []
      const moved: Array<MovedFile> = []
      const files = [...new Set(listings.flatMap((listing) => listing.paths))]
      const outcomes = { added: 0, updated: 0, unchanged: 0 }
      let doneCount = 0
      const add = (path: string) =>
        Effect.gen(function* () {
          const file = readTextFile(path)
          if ("problem" in file) failures.push(file)
          else yield* index(file)
          out.progress(++doneCount, files.length)
        })
      const index = ({ changedAt, path, text }: TextFile) =>
        Effect.gen(function* () {
          const answer = yield* Effect.either(
            memory.files.add({ path, text, at: changedAt, ...definedFields(options) })
          )
          if (Either.isRight(answer)) {
            const { from, indexed, outcome, session } = answer.right
            if (indexed !== undefined) cut.push({ path, problem: `only the first ${indexed} characters are indexed` })
            if (outcome === "moved") moved.push({ path, from: from ?? null, session: session ?? "" })
            else outcomes[outcome]++
          } else if (answer.left._tag === "FileInSession") {
            const problem = `belongs to session ${answer.left.session}; pass --move to move the file`
            failures.push({ path, problem })
          } else if (answer.left._tag !== "InvalidInput") return yield* answer.left
          // If an empty file was indexed before, `add` succeeded above and emptied it. Other empty files are skipped.
          else if (answer.left.field === "text" && text.trim() === "") skipped.push({ path, problem: "is empty" })
          else failures.push({ path, problem: answer.left.message })
        })
      const exit = yield* Effect.exit(Effect.forEach(files, add, { concurrency: concurrentFiles, discard: true }))
      yield* awaitVectors(call)
      yield* exit
      for (const list of [failures, skipped, cut, moved]) list.sort((a, b) => (a.path < b.path ? -1 : 1))
      const { added, unchanged, updated } = outcomes
      const total = added + updated + unchanged + moved.length + skipped.length + failures.length
      yield* out.show({ files: total, ...outcomes, moved, skipped, cut, refused: failures }, () =>
        [
          `${countText(total, "file")}: ${added} added, ${updated} updated, ${unchanged} unchanged`,
          ...[`${moved.length} moved`, `${skipped.length} skipped`, `${failures.length} refused`].filter(
            (part) => !/^0 /.test(part)
          )
        ].join(", ")
      )
      for (const { from, path, session } of moved) {
        out.note(
          `${oneLine(path)}: moved from ${from === null ? "no session" : `session ${oneLine(from)}`} to session ${oneLine(session)}`
        )
      }
      for (const { path, problem } of [...skipped, ...cut, ...failures])
        out.note(`${oneLine(path)}: ${oneLine(problem)}`)
      if (failures.length > 0)
        return yield* refusalError(
          `${countText(failures.length, "file")} refused; the first is ${oneLine(failures[0]!.path)}`
        )
    })
}

interface MovedFile {
  readonly path: string
  /** The file's previous session; null for none. */
  readonly from: string | null
  readonly session: string
}

/** Keeps one entry per path, even if the call names a path twice. */
const uniqueByPath = (files: ReadonlyArray<RefusedFile>): Array<RefusedFile> => [
  ...new Map(files.map((file) => [file.path, file])).values()
]
