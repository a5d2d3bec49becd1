import { closeSync, openSync } from "node:fs"
import { openDatabase } from "../../events/driver.js"
import { storageError } from "../../events/errors.js"
import type { Db } from "../Projection.js"

/** A lock that only one process holds at a time. The operating system releases it when the process ends or crashes. */
export interface Lease {
  /** Tries once to take the lease, without waiting. Returns false if another process has the lease. */
  readonly tryTake: () => boolean
  readonly release: () => void
  readonly close: () => void
}

/**
 * Makes a lease from a file lock of the operating system. The file is an empty database, because SQLite can lock files
 * on every system. If the file cannot be created, every process gets the lease: duplicate work is better than lost
 * work.
 */
export const make = (file: string): Lease => {
  let db: Db | undefined
  return {
    tryTake: () => {
      try {
        db ??= open(file)
        db.exec("BEGIN EXCLUSIVE")
        return true
      } catch (cause) {
        return storageError("lease")(cause).kind !== "busy"
      }
    },
    release: () => {
      if (db?.inTransaction === true) db.exec("ROLLBACK")
    },
    close: () => db?.close()
  }
}

const open = (file: string): Db => {
  try {
    // Fails if the file exists. Opening and closing an existing file would release this process's locks on it.
    closeSync(openSync(file, "wx", 0o600))
  } catch {}
  return openDatabase(file, { timeout: 0 })
}
