import { hash } from "node:crypto"
import { readdirSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, relative, sep } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { isYieldDue, yieldIfDue, yieldToEventLoop } from "../../events/turns.js"
import type { CommandError } from "../actor/Actor.js"
import {
  type CredentialForbidden,
  type InvalidInput,
  PathRefused,
  type SourceNotFound,
  type StoreForbidden
} from "../model/errors.js"
import { decodeOptionalList } from "../model/filters.js"
import { randomId } from "../model/ids.js"
import type { Observation } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { RememberOptions } from "../remember/remember.js"
import type { Remembered } from "../remember/remembered.js"
import { checkPath, combineRefusals } from "./checkPath.js"
import { type MarkdownItem, parseMarkdown } from "./markdown.js"
import { fileTier } from "./markdown-context.js"
import { readTextFile } from "./textFiles.js"

export interface ImportOptions {
  /** The store of items whose front matter names none. Default: the strictest store that the trust level reads. */
  readonly store?: Observation["store"]
  /** True imports only if the agent has no events. For imports at the first start of a program. */
  readonly onlyIfEmpty?: boolean
  /** True compares each item with stored memories, as `remember` does. Default: false. */
  readonly reconcile?: boolean
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/** The result of an import. A repeated import reports every item as `unchanged`. */
export interface Imported {
  readonly files: number
  readonly items: number
  readonly added: number
  /** Items that another file or line also contains: counted as another mention, or merged into a memory. */
  readonly duplicates: number
  /** Items that were imported from the same file before. */
  readonly unchanged: number
  /** Items and files that were refused, and why: `file` begins with the given path. Line 0 means the whole file. */
  readonly refused: ReadonlyArray<{ readonly file: string; readonly line: number; readonly problem: string }>
  /**
   * The parts of files that were left out or read as plain text, each with its first line and the reason. Items in such
   * parts still count as read.
   */
  readonly cut: ReadonlyArray<{ readonly file: string; readonly line: number; readonly problem: string }>
  /** The stream version of the IMPORT event; absent if nothing was new. */
  readonly version?: number
  /** The id of the run, for undoing the whole import; absent if nothing was new. */
  readonly run?: string
}

/** The writes that an import needs. */
export interface ImportTarget {
  /** True if the agent has no events yet. */
  readonly isEmpty: Effect.Effect<boolean, CommandError>
  readonly rememberAll: (
    observations: ReadonlyArray<readonly [Observation, RememberOptions]>
  ) => Effect.Effect<
    ReadonlyArray<
      Either.Either<Remembered, CommandError | InvalidInput | SourceNotFound | StoreForbidden | CredentialForbidden>
    >,
    CommandError | InvalidInput
  >
  readonly record: (
    payload: {
      readonly files: ReadonlyArray<{ readonly path: string; readonly items: number }>
      readonly added: number
      readonly duplicates: number
      readonly unchanged: number
      readonly refused: number
    },
    run: string
  ) => Effect.Effect<number, CommandError>
}

interface SourceFile {
  readonly file: string
  /** Relative to the given path, with "/". */
  readonly path: string
  /** For messages: begins with the given path, as the caller wrote it. */
  readonly shown: string
}

/**
 * Imports markdown: a file, or every .md and .markdown file below a folder. Each item's command id is derived from its
 * file and text. So a repeated import adds nothing, even if lines have moved. In a folder, links that lead out of it,
 * and files that cannot be read, are listed as refused, and the others are imported. Fails with `PathRefused`, before
 * the first write, if given paths cannot be read.
 */
export const importFiles = Effect.fnUntraced(function* (
  target: ImportTarget,
  paths: ReadonlyArray<string>,
  options: ImportOptions = {}
): Effect.fn.Return<Imported, CommandError | InvalidInput | PathRefused> {
  if (options.onlyIfEmpty === true && !(yield* target.isEmpty)) return emptyImport
  yield* decodeOptionalList("paths", paths, Schema.String)
  const refused: Array<Imported["refused"][number]> = []
  const cut: Array<Imported["cut"][number]> = []
  const files: Array<{ readonly path: string; readonly shown: string; readonly items: ReadonlyArray<MarkdownItem> }> =
    []
  const failures: Array<PathRefused> = []
  for (const path of paths) {
    const listed = yield* Effect.either(filesBelow(path, refused))
    if (Either.isLeft(listed)) failures.push(listed.left)
    for (const source of Either.getOrElse(listed, () => [])) {
      yield* yieldIfDue
      const read = readTextFile(source.file, limits.importFile)
      if ("text" in read) files.push({ ...source, items: yield* itemsOf(read.text, source, cut) })
      else if (source.file === path) failures.push(new PathRefused({ path, problem: read.problem }))
      else refused.push({ file: source.shown, line: 0, problem: read.problem })
    }
  }
  if (failures.length > 0) return yield* combineRefusals(failures)
  const items = files.flatMap(({ items, path, shown }) => items.map((item) => ({ path, shown, item })))
  const run = randomId()
  const counts = { added: 0, duplicates: 0, unchanged: 0 }
  for (let from = 0; from < items.length; from += importBatch) {
    const batch = items.slice(from, from + importBatch)
    const outcomes = yield* target.rememberAll(batch.map(({ item, path }) => commandOf(item, path, options, run)))
    for (const [index, outcome] of outcomes.entries()) {
      const { item, shown } = batch[index]!
      if (Either.isRight(outcome) && outcome.right.partlyIndexed === true) {
        cut.push({ file: shown, line: item.line, problem: "is too long: only the beginning can be searched" })
      }
      if (Either.isLeft(outcome)) {
        // The same item was imported with other options, such as another store: the stored memory stays unchanged.
        if (outcome.left._tag === "CommandConflict") counts.unchanged++
        else refused.push({ file: shown, line: item.line, problem: itemProblem(outcome.left) })
      } else if (outcome.right.repeated) counts.unchanged++
      else if (["added", "replaced"].includes(outcome.right.outcome)) counts.added++
      else counts.duplicates++
    }
    options.onProgress?.({ done: Math.min(from + importBatch, items.length), total: items.length })
  }
  const summary = { files: files.length, items: items.length, ...counts, refused, cut }
  if (counts.added + counts.duplicates === 0) return summary
  const version = yield* target.record(
    {
      files: files.map(({ items, path }) => ({ path, items: items.length })),
      ...counts,
      refused: refused.length
    },
    run
  )
  return { ...summary, version, run }
})

/** The command id is derived from the item's content, so the user cannot choose another id. */
const itemProblem = ({ _tag, message }: { readonly _tag: string; readonly message: string }): string =>
  _tag === "AlreadyErased"
    ? "was erased: to store this item again, change the text, or use 'daybook remember'"
    : message

/**
 * Reads the items of a file. Pauses for the event loop between the parts of a long file. Adds the parts that were cut
 * to `cut`.
 */
const itemsOf = Effect.fnUntraced(function* (text: string, source: SourceFile, cut: Array<Imported["cut"][number]>) {
  const steps = parseMarkdown(text, source.path)
  let step = steps.next()
  while (step.done !== true) {
    yield* yieldIfDue
    step = steps.next()
  }
  const { cuts, items } = step.value
  for (const { line, problem } of [...cuts, ...items.flatMap(cutFields)])
    cut.push({ file: source.shown, line, problem })
  return items
})

/** The problems of an item whose fields exceed the limits of a memory. `commandOf` shortens these fields. */
const cutFields = ({ facts, line, people }: MarkdownItem): ReadonlyArray<{ line: number; problem: string }> => [
  ...(facts.length > limits.facts
    ? [{ line, problem: `contains more than ${limits.facts} facts: the rest was skipped` }]
    : []),
  ...(facts.some(({ length }) => length > limits.fact)
    ? [{ line, problem: `contains a fact longer than ${limits.fact} characters: the end of the fact was cut off` }]
    : []),
  ...(people.length > limits.people
    ? [{ line, problem: `names more than ${limits.people} people: the rest was skipped` }]
    : [])
]

const emptyImport: Imported = { files: 0, items: 0, added: 0, duplicates: 0, unchanged: 0, refused: [], cut: [] }

/** Maximum items per transaction. Small, so that progress is regular and other writers need not wait long. */
const importBatch = 250

const commandOf = (
  item: MarkdownItem,
  path: string,
  { reconcile = false, store }: ImportOptions,
  run: string
): readonly [Observation, RememberOptions] => [
  {
    title: item.title,
    type: item.type,
    narrative: item.narrative,
    facts: item.facts.slice(0, limits.facts).map((fact) => fact.slice(0, limits.fact).toWellFormed()),
    tags: item.tags,
    people: item.people.slice(0, limits.people),
    files: [path],
    store: item.store ?? store,
    occurredAt: item.occurredAt,
    tier: fileTier(path),
    source: { kind: "import", name: path, place: `line ${item.line}` }
  },
  { commandId: `import:${item.key}:${hash("sha256", path, "hex").slice(0, 32)}`, reconcile, run }
]

const filesBelow = Effect.fnUntraced(function* (path: string, refused: Array<Imported["refused"][number]>) {
  const attempt = <A>(read: () => A) =>
    Effect.try({
      try: read,
      catch: (error) =>
        error instanceof PathRefused
          ? error
          : new PathRefused({ path, problem: "cannot be read: check its permissions" })
    })
  const { entries, root } = yield* attempt(() => entriesOf(path))
  if (entries === undefined) return [{ file: path, path: nameOf(path), shown: path }]
  const files: Array<SourceFile> = []
  for (const entry of entries) {
    if (isYieldDue()) yield* yieldToEventLoop
    if (entry.isDirectory() || !/\.(md|markdown)$/i.test(entry.name)) continue
    const file = join(entry.parentPath ?? entry.path, entry.name)
    const name = relative(root, file).split(sep).join("/")
    const shown = join(path, name)
    const problem = yield* attempt(() => problemOf(file, root))
    if (problem === undefined) files.push({ file, path: name, shown })
    else refused.push({ file: shown, line: 0, problem })
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
})

/** Lists all files below a folder, and returns the folder's real path. For a file, there are no entries. */
const entriesOf = (path: string) => {
  if (!checkPath(path).isDirectory()) return { root: path }
  const root = realpathSync(path)
  return { root, entries: readdirSync(root, { recursive: true, withFileTypes: true }) }
}

/** Returns the reason why a file in a folder cannot be imported; undefined if it can. */
const problemOf = (file: string, root: string): string | undefined => {
  let target: string
  try {
    target = realpathSync(file)
  } catch {
    return "is a broken link"
  }
  if (!target.startsWith(root + sep)) return "is a link to a target outside the folder: import the target instead"
  return statSync(target).isFile() ? undefined : "is not a regular file"
}

/**
 * The name of a single file. It includes a folder `people` or `journal`, because these give its items a type:
 * people/alice.md.
 */
const nameOf = (path: string): string => {
  const folder = basename(dirname(path))
  return folder === "people" || folder === "journal" ? `${folder}/${basename(path)}` : basename(path)
}
