import type * as Effect from "effect/Effect"
import type { IndexedFile } from "../../projections/files.js"
import type { CommandError } from "../actor/Actor.js"
import type { FileInSession, FileNotFound, InvalidInput, ProjectionParked, StoreForbidden } from "../model/errors.js"
import type { PageQuery, ReadError } from "../model/filters.js"
import type { WriteOptions } from "../remember/remember.js"
import type { AddedFile } from "./addFile.js"
import type { FileInput } from "./fileInput.js"
import type { ForgottenFile } from "./forgetFile.js"

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
   * Indexes a file's text for `memory.sessions.search`. It replaces the text that
   * the store had for its path; the same text writes nothing. It fails with
   * `FileInSession` if the file would change its session and `move` is not true.
   */
  readonly add: (
    file: FileInput,
    options?: WriteOptions
  ) => Effect.Effect<AddedFile, CommandError | FileInSession | InvalidInput | StoreForbidden | ProjectionParked>
  /** Hides a file from all reads, in every store that the level may read. */
  readonly forget: (
    path: string,
    options?: WriteOptions
  ) => Effect.Effect<ForgottenFile, CommandError | InvalidInput | FileNotFound | ProjectionParked>
}
