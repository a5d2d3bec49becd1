import type * as Effect from "effect/Effect"
import { findFiles, findIndexedFilesByPath, type IndexedFile } from "../../projections/files.js"
import type { CommandError } from "../actor/Actor.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import {
  type FileInSession,
  FileNotFound,
  type InvalidInput,
  type LevelTooLow,
  type ProjectionParked,
  type StoreForbidden
} from "../model/errors.js"
import { checkPage, type PageQuery, type ReadError } from "../model/filters.js"
import { defineMethod } from "../model/operation.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import { type AddedFile, addFile } from "./addFile.js"
import { decodePath, type FileInput } from "./fileInput.js"
import { type ForgottenFile, forgetFile } from "./forgetFile.js"

export type { AddedFile } from "./addFile.js"
export type { FileInput } from "./fileInput.js"
export type { ForgottenFile } from "./forgetFile.js"

/** Reads of indexed files: `memory.files`. `memory.sessions.search` searches their text. */
export interface FileReader {
  /** Indexed files without their text, last added first. */
  readonly list: (query?: PageQuery) => Effect.Effect<ReadonlyArray<IndexedFile>, ReadError>
  /** One file for each store that has the path and that the level may read. */
  readonly get: (path: string) => Effect.Effect<ReadonlyArray<IndexedFile>, ReadError | FileNotFound>
}

/** Writes of indexed files: `memory.files`. */
export interface FileWriter {
  /**
   * Indexes a file's text for `memory.sessions.search`. It replaces the store's earlier text for this path. Adding the
   * same text again writes nothing. Fails with `FileInSession` if the file would change its session and `move` is not
   * true.
   */
  readonly add: (
    file: FileInput,
    options?: WriteOptions
  ) => Effect.Effect<
    AddedFile,
    CommandError | FileInSession | InvalidInput | LevelTooLow | StoreForbidden | ProjectionParked
  >
  /** Hides a file from all reads, in every store that the level may read. */
  readonly forget: (
    path: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenFile, CommandError | InvalidInput | LevelTooLow | FileNotFound | ProjectionParked>
}

/** @internal */
export const makeFileReader = ({ level, read }: ReaderSource): FileReader => ({
  list: defineMethod("Memory.files.list")(function* (query = {}) {
    const page = yield* checkPage(query, 50)
    return yield* read(({ db }) => findFiles(db, level, page))
  }),

  get: defineMethod("Memory.files.get")(function* (path) {
    yield* decodePath(path)
    const files = yield* read(({ db }) => findIndexedFilesByPath(db, level, path))
    return files.length > 0 ? files : yield* new FileNotFound({ path })
  })
})

/** @internal */
export const makeFileWriter = ({ run }: Runner, writer: Writer): FileWriter => ({
  add: defineMethod("Memory.files.add")((file, options) => run(() => addFile(writer, file, options), options)),
  forget: defineMethod("Memory.files.forget")((path, options) => run(() => forgetFile(writer, path, options), options))
})
