import { existsSync, readdirSync, readSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import * as Effect from "effect/Effect"
import { openDatabase } from "../../../events/driver.js"
import { freePagesWithContent } from "../../../events/erasure/slack.js"
import { type StorageError, storageError } from "../../../events/errors.js"
import { openRawFile } from "../../../events/rawFile.js"
import { isYieldDue, runInTurns, type Steps } from "../../../events/turns.js"
import { InvalidInput } from "../../model/errors.js"
import { findTextsAcrossPages } from "./borderHits.js"
import { findTextsInDatabase, type ReportHit } from "./databaseHits.js"
import { findTextsInFile } from "./fileHits.js"
import { type Needle, needleOf } from "./needle.js"

/** Where a text was found, without the text. */
export interface Hit {
  /** The index of the text in the list of searched texts, from 0. */
  readonly text: number
  /** The path of the file: relative to the searched folder, or as it was given. */
  readonly file: string
  /** The event or row with its column, or the kind of place, such as the bytes of the file. */
  readonly place: string
  /** True if only an erasure of the whole agent removes the column of the event. */
  readonly stays?: true
}

export interface ProveOptions {
  /**
   * Finds a text only as a separate word, as `erase` finds a name: "Ann" is not in "Annual". Matches in the bytes and
   * stems of a database then count only if no longer word in its columns explains them. Default: false.
   */
  readonly wholeWords?: boolean | undefined
}

/** The result of a search for texts in files. */
export interface Proof {
  /** True if all files were searched and none contains any of the texts. */
  readonly clean: boolean
  /** At most 20 for each text. */
  readonly hits: ReadonlyArray<Hit>
  /** How many hits are not listed. */
  readonly more: number
  /** Files that are damaged or compressed in another way than gzip. Only their names and bytes were searched. */
  readonly notSearched: ReadonlyArray<string>
  /** Number of searched files, and their size in bytes. */
  readonly files: number
  readonly bytes: number
  /** Free pages of databases that still contain data; 0 after cleaning. */
  readonly freePages: number
  /** Bytes of write-ahead logs. They are 0 after cleaning, until the next write. */
  readonly walBytes: number
}

/** Maximum hits that are reported for one text. */
const maxHits = 20

/**
 * Searches folders and files for texts: the columns of all tables as SQLite decodes them, with JSON unescaped and gzip
 * unpacked; the full-text indexes, by stems; and the bytes of every file, including write-ahead logs and texts that
 * continue on another page of a database. Backups and exports are searched like data folders. Case, Unicode form and
 * the punctuation between words do not matter. A rephrased text is not found. Fails with `InvalidInput` if there is no
 * file to search.
 */
export const prove = (
  places: string | ReadonlyArray<string>,
  texts: ReadonlyArray<string>,
  { wholeWords = false }: ProveOptions = {}
): Effect.Effect<Proof, InvalidInput | StorageError> =>
  Effect.suspend(() => {
    const needles = texts.map((text) => needleOf(text, wholeWords))
    if (texts.length === 0 || needles.includes(undefined)) {
      const problem = "each text must have at least two letters or digits"
      return Effect.fail<InvalidInput | StorageError>(new InvalidInput({ field: "verify", problem }))
    }
    const roots = typeof places === "string" ? [places] : places
    const missing = roots.find((place) => !existsSync(place))
    if (missing !== undefined)
      return Effect.fail(new InvalidInput({ field: "in", problem: `${missing} does not exist` }))
    const search = proofIn(roots, needles as ReadonlyArray<Needle>)
    const where = storageError("searched files")
    const nothing = new InvalidInput({
      field: "in",
      problem: `${roots.join(", ")} contain${roots.length === 1 ? "s" : ""} no files: nothing was searched`
    })
    return Effect.filterOrFail(
      runInTurns(search, (step) => Effect.try({ try: step, catch: where })),
      ({ files }) => files > 0,
      () => nothing
    )
  }).pipe(Effect.withSpan("Erasure.prove"))

const proofIn = function* (roots: ReadonlyArray<string>, needles: ReadonlyArray<Needle>): Steps<Proof> {
  const hits: Array<Hit> = []
  const notSearched: Array<string> = []
  const counts = needles.map(() => 0)
  const totals = { files: 0, bytes: 0, freePages: 0, walBytes: 0 }
  /** For each database and its write-ahead log: the texts that occur there only inside longer words. */
  const explained = new Map<string, ReadonlySet<number>>()
  const add = (file: string): ReportHit => {
    const added = new Set<string>()
    return (text, place, stays = false) => {
      // A row may have a text in several values of one column.
      const key = `${text} ${place}`
      if (added.has(key)) return
      added.add(key)
      counts[text]!++
      if (counts[text]! <= maxHits) hits.push({ text, file, place, ...(stays ? { stays: true as const } : {}) })
    }
  }
  for (const [path, file] of roots.flatMap(filesIn)) {
    if (isYieldDue()) yield
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) continue
    totals.files++
    totals.bytes += size
    if (path.endsWith("-wal")) totals.walBytes += size
    const addTo = add(file)
    if (isDatabase(path)) {
      const db = openDatabase(path, { readonly: true, timeout: 1_000 })
      try {
        totals.freePages += yield* freePagesWithContent(db)
        const within = yield* findTextsInDatabase(db, needles, addTo)
        for (const name of [path, `${path}-wal`]) explained.set(name, within)
        yield* findTextsAcrossPages(path, needles, (text, place) => (within.has(text) ? undefined : addTo(text, place)))
      } finally {
        db.close()
      }
    }
    const within = explained.get(path)
    const isSearched = yield* findTextsInFile(path, needles, {
      add: (text, place) => (within?.has(text) === true ? undefined : addTo(text, place)),
      isText: within === undefined
    })
    if (!isSearched) notSearched.push(file)
  }
  return {
    clean: hits.length === 0 && notSearched.length === 0,
    hits,
    more: counts.reduce((sum, count) => sum + Math.max(0, count - maxHits), 0),
    notSearched,
    ...totals
  }
}

const isDatabase = (path: string): boolean => {
  const { close, descriptor } = openRawFile(path)
  try {
    const head = Buffer.alloc(16)
    return readSync(descriptor, head, 0, 16, 0) === 16 && head.toString("latin1") === "SQLite format 3\0"
  } finally {
    close()
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** All files of a place, in the order of their paths, each with the name in the report. */
const filesIn = (place: string): ReadonlyArray<readonly [path: string, name: string]> =>
  statSync(place).isDirectory()
    ? readdirSync(place, { recursive: true, withFileTypes: true })
        .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
        .filter(({ entry, path }) => entry.isFile() || (entry.isSymbolicLink() && isFile(path)))
        .map(({ path }) => path)
        .sort()
        .map((path) => [path, relative(place, path)] as const)
    : [[place, place]]
