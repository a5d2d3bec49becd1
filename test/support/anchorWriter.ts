import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as Effect from "effect/Effect"
import { EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"

/** A process that appends events until it kills itself between a commit and the line of the anchor. */
export interface AnchorWriterOptions {
  readonly folder: string
  readonly name: string
  /** Lines that are written before the one that is not, or only in part. */
  readonly lines: number
  readonly torn: boolean
}

const { folder, lines, name, torn } = JSON.parse(process.argv[2]!) as AnchorWriterOptions
const { writeSync } = fs
let written = 0

fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
  const [descriptor, bytes, , , position] = args as unknown as [number, Buffer, number, number, number]
  if (Buffer.isBuffer(bytes) && bytes.includes('"sequence":') && ++written > lines) {
    if (torn) writeSync(descriptor, bytes, 0, Math.floor(bytes.length / 2), position)
    process.kill(process.pid, "SIGKILL")
  }
  return writeSync(...args)
}) as typeof writeSync
syncBuiltinESMExports()

const work = Effect.gen(function* () {
  const log = yield* EventLog
  for (let index = 0; ; index++) {
    const stream = index % 3 === 0 ? "shared" : name
    const events = [{ type: "NOTE", schema: 1, payload: `{"n":${index}}` }]
    yield* log.append({ stream, expected: "any", now: Date.now(), commands: [{ actor: name, events }] })
  }
})

Effect.runPromise(Effect.provide(work, EventLogSqlite.layer(folder))).catch((cause) => {
  console.error(cause)
  process.exitCode = 1
})
