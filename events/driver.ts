import Database from "better-sqlite3"
import { StorageError } from "./errors.js"
import { unsupportedRuntime } from "./runtime.js"
import type { Db } from "./statement.js"

/**
 * Opens a database file. Every connection is opened here, so that an unsupported Node or platform is refused before the
 * native binary is loaded.
 *
 * @throws StorageError of kind `unsupported` where Daybook cannot run, else what SQLite says of the file.
 */
export const openDatabase = (file: string, options?: Database.Options): Db => {
  assertRuntime()
  return new Database(file, options)
}

/** Throws where the binary of better-sqlite3 must not be loaded. */
export const assertRuntime = (): void => {
  const unsupported = unsupportedRuntime(process)
  if (unsupported === undefined) return
  throw new StorageError({ kind: "unsupported", where: "runtime", code: unsupported.code, detail: unsupported.problem })
}

/** An error that SQLite itself reported. */
export const isSqliteError = (cause: unknown): cause is Error & { readonly code: string } =>
  cause instanceof Database.SqliteError
