import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { type EraseRequest, EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"

/** A process that erases, and kills itself at one step of it: a statement, or a write or flush of a file. */
export interface ErasureWriterOptions {
  readonly folder: string
  readonly request: EraseRequest
  /** The step at which it dies, from 1. */
  readonly step: number
}

const { folder, request, step } = JSON.parse(process.argv[2]!) as ErasureWriterOptions
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

const work = Effect.gen(function* () {
  const log = yield* EventLog
  steps = 0
  yield* log.erase(request)
  yield* log.clean(yield* log.cleanings)
  console.log(steps)
  steps = Number.NEGATIVE_INFINITY
})

Effect.runPromise(Effect.provide(work, EventLogSqlite.layer(folder))).catch((cause) => {
  console.error(cause)
  process.exitCode = 1
})
