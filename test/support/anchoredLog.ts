import fs, { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { codec } from "../../events/Codec.js"
import { type Append, EventLog } from "../../events/EventLog.js"
import * as EventLogSqlite from "../../events/EventLogSqlite.js"
import { verify } from "../../events/verify.js"

/** An append of some events to a stream. */
export const eventsOf = (stream: string, count = 1, commandId?: string): Append => ({
  stream,
  expected: "any",
  now: 1_773_489_600_000,
  commands: [
    {
      ...(commandId === undefined ? {} : { commandId, request: "" }),
      actor: "test",
      events: Array.from({ length: count }, (_, index) => ({ type: "NOTE", schema: 1, payload: `{"note":${index}}` }))
    }
  ]
})

/** Opens the log of a folder for some work, as one process would. */
export const inProcess = <A, E>(folder: string, work: Effect.Effect<A, E, EventLog>) =>
  Effect.provide(work, EventLogSqlite.layer(folder))

export const appendTo = (stream: string, count = 1, commandId?: string) =>
  Effect.flatMap(EventLog, (log) => log.append(eventsOf(stream, count, commandId)))

export const verified = (expect?: string) =>
  Effect.flatMap(EventLog, (log) => verify(log, codec, null, expect === undefined ? {} : { expect }))

/** Copies the files that hold a log. Shared memory is made again from the write-ahead log. */
export const copyLog = (from: string, to: string) => {
  mkdirSync(to, { recursive: true })
  for (const name of ["log.db", "log.db-wal", "anchor.log"]) {
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
  }
}

export const anchorLines = (folder: string): ReadonlyArray<string> =>
  readFileSync(join(folder, "anchor.log"), "utf8").trimEnd().split("\n")

export const writeAnchor = (folder: string, lines: ReadonlyArray<string>) =>
  writeFileSync(join(folder, "anchor.log"), `${lines.join("\n")}\n`)

/** Runs `instead` before each line that the anchor is given, until it is undone. */
export const onAnchorLine = (instead: () => void) => {
  const original = fs.writeSync
  const patched = ((...args: Parameters<typeof original>) => {
    if (Buffer.isBuffer(args[1]) && args[1].includes('"sequence":')) instead()
    return original(...args)
  }) as typeof original
  fs.writeSync = patched
  syncBuiltinESMExports()
  return () => {
    fs.writeSync = original
    syncBuiltinESMExports()
  }
}
