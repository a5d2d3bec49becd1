import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { codec } from "../events/Codec.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { accept, verify } from "../events/verify.js"
import { temporaryFolder } from "./support/engine.js"

const image = (born: number, title: string) => ({ id: `id${born}`, born, title })
const remains = (of: number) => ({
  ...{ of, type: "ARCHIVE", schema: 5 },
  payload: JSON.stringify({ memories: [image(2, `stays ${of}`)] })
})

/** Two streams with two shared events each, of which an erasure leaves something. */
const erased = Effect.gen(function* () {
  const log = yield* EventLog
  for (const stream of ["one", "two"]) {
    const shared = {
      type: "ARCHIVE",
      schema: 5,
      payload: JSON.stringify({ memories: [image(1, "goes"), image(2, "stays")] })
    }
    yield* log.append({ stream, expected: "none", now: 1_000, commands: [{ actor: "test", events: [shared, shared] }] })
  }
  const streams = ["one", "two"].map((stream) => ({
    ...{ stream, readAt: 2, versions: [1, 2], remains: [remains(1), remains(2)] }
  }))
  const request = { actor: "test", now: 2_000, reason: "privacy", selector: "memory" } as const
  yield* log.erase({ ...request, streams, wholeStreams: [], vectors: [] })
  return log
})

const edits: ReadonlyArray<readonly [name: string, sql: string]> = [
  ["a row that names another event", "UPDATE remains SET version = 4 WHERE stream = 'one' AND of = 2"],
  ["a deleted row", "DELETE FROM remains WHERE stream = 'one' AND of = 1"],
  ["a row too many", "INSERT INTO remains (stream, of, version) VALUES ('one', 7, 4)"],
  ["a row of another stream", "UPDATE remains SET stream = 'three' WHERE stream = 'one' AND of = 1"]
]

describe("an edited table of remains", () => {
  for (const [name, sql] of edits) {
    it.scopedLive(`is reported, and repaired where an operator accepts it: ${name}`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        yield* Effect.gen(function* () {
          const log = yield* erased
          expect((yield* verify(log, codec, null)).problems).toEqual([])
          const before = yield* log.read("one", { after: 0, limit: 10 })
          const other = new Database(join(folder, "log.db"))
          other.exec(sql)
          const { digest, problems } = yield* verify(log, codec, null)
          expect(problems.map(({ stream, what }) => [stream, what])).toContainEqual([
            "one",
            "the table of remains differs from the REMAINS events"
          ])
          expect((yield* verify(log, codec, "two")).problems).toEqual([])
          yield* accept(log, codec, digest!)
          expect((yield* verify(log, codec, null)).problems).toEqual([])
          expect(yield* log.read("one", { after: 0, limit: 10 })).toEqual(before)
          other.close()
        }).pipe(Effect.provide(EventLogSqlite.layer(folder)), Effect.scoped)
      })
    )
  }
})
