import type * as Effect from "effect/Effect"
import { yieldToEventLoop } from "../../events/turns.js"
import { type ArchiveCursor, type ArchiveEntry, findArchived } from "../../projections/archive.js"
import type { CommandError } from "../actor/Actor.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { InvalidInput, type LevelTooLow, type MemoryNotFound, type ProjectionParked } from "../model/errors.js"
import { checkPage, decodeOptionalText, type PageQuery, type ReadError } from "../model/filters.js"
import { limits } from "../model/limits.js"
import { defineMethod } from "../model/operation.js"
import { toWholeMemory, type WholeMemory } from "../model/wholeMemory.js"
import { type Archived, archiveMemory } from "../remember/archiveMemory.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { type Restored, restore } from "../remember/restore.js"
import type { Runner } from "../remember/runner.js"

export type { Archived } from "../remember/archiveMemory.js"
export type { Restored } from "../remember/restore.js"

/** Selects a page of archived memories. */
export interface ArchiveQuery extends PageQuery {
  readonly text?: string | undefined
}

/** An archived memory, with its archiving time (milliseconds since the epoch) and reason. */
export interface ArchivedMemory extends WholeMemory {
  readonly archivedAt: number
  readonly reason: string
}

/** Reads of the archive: `memory.archive`. */
export interface ArchiveReader {
  /**
   * Lists archived memories, newest first. `text` selects memories that contain all of its words, ignoring case and
   * accents.
   */
  readonly list: (query?: ArchiveQuery) => Effect.Effect<ReadonlyArray<ArchivedMemory>, ReadError>
}

/** Writes of the archive: `memory.archive`. */
export interface ArchiveWriter {
  /** Moves a memory to the archive. Afterwards, only `archive.list` returns the memory. */
  readonly add: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Archived, CommandError | InvalidInput | LevelTooLow | MemoryNotFound>
  /** Restores a memory from the archive; its tier becomes long. */
  readonly restore: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Restored, CommandError | InvalidInput | LevelTooLow | MemoryNotFound | ProjectionParked>
}

/** @internal */
export const makeArchiveReader = ({ level, read }: ReaderSource): ArchiveReader => ({
  list: defineMethod("Memory.archive.list")(function* (query = {}) {
    const page = yield* checkPage(query, 50, ["text"])
    const { text = "" } = yield* decodeOptionalText("text", query.text)
    const words = text.split(/\s+/u).filter((word) => word !== "")
    if (words.length > limits.queryTerms) {
      return yield* new InvalidInput({ field: "text", problem: `must have at most ${limits.queryTerms} words` })
    }
    const rows: Array<ArchiveEntry> = []
    let after: ArchiveCursor | undefined
    let skipped = 0
    do {
      const cursor: ArchiveCursor | undefined = after
      const missing = page.offset - skipped + page.limit - rows.length
      const maxRows = words.length === 0 ? Math.min(missing, maxArchiveRowsPerRead) : maxArchiveRowsPerRead
      const { entries, next } = yield* read(({ db }) => findArchived(db, level, words, { after: cursor, maxRows }))
      const skip = Math.min(page.offset - skipped, entries.length)
      skipped += skip
      rows.push(...entries.slice(skip, skip + page.limit - rows.length))
      after = next
      if (after !== undefined) yield* yieldToEventLoop
    } while (after !== undefined && rows.length < page.limit)
    return rows.map(({ memory, ...row }) => ({ ...toWholeMemory(memory), ...row }))
  })
})

/** @internal */
export const makeArchiveWriter = ({ run }: Runner, writer: Writer): ArchiveWriter => ({
  add: defineMethod("Memory.archive.add")((id, options) => run(() => archiveMemory(writer, id, options), options)),
  restore: defineMethod("Memory.archive.restore")((id, options) => run(() => restore(writer, id, options), options))
})

/** Maximum archive rows to read without a pause; reading them takes about 2 ms. */
const maxArchiveRowsPerRead = 500
