import Database from "better-sqlite3"
import { StorageError } from "./errors.js"
import { registerConnection } from "./rawFile.js"
import { unsupportedRuntime } from "./runtime.js"
import type { Db } from "./statement.js"

/**
 * Opens a database file. All connections are opened with this function, so that it refuses an unsupported Node or
 * platform before it loads the native binary.
 *
 * @throws StorageError of kind `unsupported` if Daybook cannot run here, otherwise SQLite's own error about the file.
 */
export const openDatabase = (file: string, options?: Database.Options): Db => {
  assertRuntime()
  const db = new Database(file, options)
  registerConnection(file, db)
  return db
}

/**
 * Runs the set-up of a new connection. If the set-up throws, closes the connection, which would otherwise keep its file
 * locked.
 */
export const closeOnError = <A>(db: Db, work: () => A): A => {
  try {
    return work()
  } catch (cause) {
    db.close()
    throw cause
  }
}

/** Throws if loading the binary of better-sqlite3 would crash or fail. */
export const assertRuntime = (): void => {
  const unsupported = unsupportedRuntime(process)
  if (unsupported === undefined) return
  throw new StorageError({ kind: "unsupported", where: "runtime", code: unsupported.code, detail: unsupported.problem })
}

/** True if SQLite itself reported the error. */
export const isSqliteError = (cause: unknown): cause is Error & { readonly code: string } =>
  cause instanceof Database.SqliteError
