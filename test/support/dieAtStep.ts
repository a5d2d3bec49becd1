import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import Database from "better-sqlite3"

/**
 * Counts the steps of this process: statements of SQLite, and writes, flushes, renames and removals of files. It kills
 * itself with SIGKILL at one of them. Import it first. Steps count from `start`.
 */
export const dieAtStep = (step: number) => {
  let steps = Number.NEGATIVE_INFINITY
  // biome-ignore lint/suspicious/noExplicitAny: it wraps functions of any signature.
  const counted = (work: (...args: Array<any>) => any) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    function (this: unknown, ...args: Array<any>) {
      if (++steps === step) process.kill(process.pid, "SIGKILL")
      return work.apply(this, args)
    }
  const memory = new Database(":memory:")
  const statement = Object.getPrototypeOf(memory.prepare("SELECT 1"))
  statement.run = counted(statement.run)
  Database.prototype.exec = counted(Database.prototype.exec)
  Database.prototype.pragma = counted(Database.prototype.pragma)
  memory.close()
  for (const name of ["writeSync", "fsyncSync", "renameSync", "rmSync"] as const) {
    Object.assign(fs, { [name]: counted(fs[name]) })
  }
  syncBuiltinESMExports()
  return {
    start: () => {
      steps = 0
    },
    /** Ends the counting, and returns the count. */
    stop: () => {
      const count = steps
      steps = Number.NEGATIVE_INFINITY
      return count
    }
  }
}
