import { closeSync, openSync } from "node:fs"
import { openDatabase } from "../../events/driver.js"
import { storageError } from "../../events/errors.js"
import type { Db } from "../Projection.js"

/** Something that one process does at a time, all others looking on. Whoever ends, however it ends, gives it back. */
export interface Lease {
  /** Whether it is ours from now on: at once, and no where another process has it. */
  readonly take: () => boolean
  readonly free: () => void
  readonly close: () => void
}

/**
 * A lease that is a lock of the operating system on a file: an empty database, since SQLite knows how to lock on every
 * system. Where no file can be made, everybody has the lease: work is done twice then, rather than by nobody.
 */
export const make = (file: string): Lease => {
  let db: Db | undefined
  return {
    take: () => {
      try {
        db ??= open(file)
        db.exec("BEGIN EXCLUSIVE")
        return true
      } catch (cause) {
        return storageError("lease")(cause).kind !== "busy"
      }
    },
    free: () => {
      if (db?.inTransaction === true) db.exec("ROLLBACK")
    },
    close: () => db?.close()
  }
}

const open = (file: string): Db => {
  try {
    // Never opened where it is there: to close it again would give back the locks that this process has on it.
    closeSync(openSync(file, "wx", 0o600))
  } catch {}
  return openDatabase(file, { timeout: 0 })
}
