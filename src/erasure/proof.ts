import { readdirSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import * as Effect from "effect/Effect"
import { openDatabase } from "../../events/driver.js"
import { type StorageError, storageError } from "../../events/errors.js"
import { inTurns, isTurnDue, type Steps } from "../../events/turns.js"
import { InvalidInput } from "../model/errors.js"
import { databaseHits } from "./databaseHits.js"
import { fileHits } from "./fileHits.js"
import { type Needle, needleOf } from "./needle.js"

/** Where a text was found, without the text. */
export interface Hit {
  /** The position of the text in the question, from 0. */
  readonly text: number
  /** The path of the file, relative to the data folder. */
  readonly file: string
  /** The table and the row, or the kind of the place. */
  readonly place: string
}

/** The result of a search for texts in all files of a data folder. */
export interface Proof {
  readonly clean: boolean
  readonly hits: ReadonlyArray<Hit>
  /** Files, and their bytes, that were searched. */
  readonly files: number
  readonly bytes: number
  /** Pages of databases that are free but may still have old content; 0 after cleaning. */
  readonly freePages: number
  /** Bytes of write-ahead logs. They are 0 after cleaning, until the next write. */
  readonly walBytes: number
}

/** Maximum hits that are reported for one text. */
const maxHits = 20

/**
 * Searches a data folder for texts: the columns of all tables as SQLite decodes them, with JSON unescaped and gzip
 * unpacked; the full-text indexes, by stems; and the bytes of every file, write-ahead logs included. Case and Unicode
 * form do not count. A text that was only rephrased is not found.
 */
export const prove = (
  folder: string,
  texts: ReadonlyArray<string>
): Effect.Effect<Proof, InvalidInput | StorageError> =>
  Effect.suspend(() => {
    const needles = texts.map(needleOf)
    if (texts.length === 0 || needles.includes(undefined)) {
      const problem = "each text must have at least two letters or digits"
      return Effect.fail<InvalidInput | StorageError>(new InvalidInput({ field: "verify", problem }))
    }
    const search = proofIn(folder, needles as ReadonlyArray<Needle>)
    const where = storageError("data folder")
    return inTurns(search, (step) => Effect.try({ try: step, catch: where }))
  }).pipe(Effect.withSpan("Erasure.prove"))

const proofIn = function* (folder: string, needles: ReadonlyArray<Needle>): Steps<Proof> {
  const hits: Array<Hit> = []
  const counts = needles.map(() => 0)
  const totals = { files: 0, bytes: 0, freePages: 0, walBytes: 0 }
  const add = (file: string) => (text: number, place: string) => {
    counts[text]!++
    if (counts[text]! <= maxHits) hits.push({ text, file: relative(folder, file), place })
  }
  for (const file of filesIn(folder)) {
    if (isTurnDue()) yield
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) continue
    totals.files++
    totals.bytes += size
    if (file.endsWith("-wal")) totals.walBytes += size
    yield* fileHits(file, needles, add(file))
    if (!file.endsWith(".db")) continue
    const db = openDatabase(file, { readonly: true, timeout: 1_000 })
    try {
      totals.freePages += db.pragma("freelist_count", { simple: true }) as number
      yield* databaseHits(db, needles, add(file))
    } finally {
      db.close()
    }
  }
  return { clean: hits.length === 0, hits, ...totals }
}

/** All files below a folder, in the order of their paths. A file name is searched as a text too: see `fileHits`. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
