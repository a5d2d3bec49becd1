import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"

const secret = "okapi-canary"
const count = 3_000

/** Nine of ten events are secret. */
const events = Array.from({ length: count }, (_, at) => ({
  ...{ type: "ADD", schema: 5 },
  payload: JSON.stringify({
    memory: { born: at + 1, title: at % 10 === 0 ? "other" : secret },
    more: "x".repeat((at * 37) % 900)
  })
}))
const versions = events.flatMap(({ payload }, at) => (payload.includes(secret) ? [at + 1] : []))

const erased = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-erase-clean-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
  for (let at = 0; at < count; at += 100) {
    const commands = [{ actor: "test", events: events.slice(at, at + 100) }]
    yield* log.append({ stream: "one", expected: at, now: 1_000, commands })
  }
  const erase = log.erase({
    ...{ actor: "test", now: 2_000, reason: "privacy", selector: "memory", wholeStreams: [], vectors: [] },
    streams: [{ stream: "one", readAt: count, versions, remains: [] }]
  } as const)
  const found = () => readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(secret))
  return { erase, file: join(folder, "log.db"), found, log }
})

describe("the cleaning of an erased log", () => {
  it.scopedLive("is needed: without it the erased text is in the write-ahead log, and in gaps of the pages", () =>
    Effect.gen(function* () {
      const { erase, file, found, log } = yield* erased
      yield* erase
      expect(found()).toContain("log.db-wal")
      const other = new Database(file)
      expect(other.pragma("wal_checkpoint(TRUNCATE)")).toMatchObject([{ busy: 0 }])
      // No row has the text any more, and SQLite zeroed the cells that it freed.
      expect(other.prepare("SELECT count(*) FROM events WHERE payload LIKE ?").pluck().get(`%${secret}%`)).toBe(0)
      expect(found()).toEqual(["log.db"])
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(found()).toEqual([])
      other.close()
    })
  )

  it.scopedLive("waits while another connection reads the state before, and finishes afterwards", () =>
    Effect.gen(function* () {
      const { erase, file, found, log } = yield* erased
      const other = new Database(file)
      other.exec("BEGIN")
      other.prepare("SELECT count(*) FROM events").get()
      yield* erase
      expect(yield* log.clean(yield* log.cleanings)).toBe("waits")
      expect(found()).not.toEqual([])
      other.close()
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(found()).toEqual([])
    })
  )
})
