import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { temporaryFolder } from "./support/engine.js"

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
  const folder = yield* temporaryFolder
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

/** Twenty streams that grow by turns, so that SQLite moves entries of their indexes between pages; ten are deleted. */
const manyStreams = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
  const name = (number: number) => `${number % 2 === 0 ? "other" : secret}-${number}`
  for (let round = 0; round < 20; round++) {
    for (let step = 0; step < 20; step++) {
      const stream = name((step * 7) % 20)
      const payload = JSON.stringify({ memory: { born: 1, title: "x".repeat((step * 37) % 900) } })
      const commands = [{ actor: "test", commandId: `c${round}`, events: [{ type: "ADD", schema: 5, payload }] }]
      yield* log.append({ stream, expected: "any", now: 1_000, commands })
    }
  }
  const wholeStreams = Array.from({ length: 10 }, (_, index) => name(2 * index + 1))
  const request = { actor: "test", now: 2_000, reason: "privacy", selector: "agent" } as const
  yield* log.erase({ ...request, streams: [], wholeStreams, vectors: [] })
  return { file: join(folder, "log.db"), log }
})

describe("the cleaning of an erased log", () => {
  it.scopedLive("is needed: without an emptied write-ahead log, that file has the erased text", () =>
    Effect.gen(function* () {
      const { erase, found, log } = yield* erased
      yield* erase
      const rows = yield* log.read("one", { after: 0, limit: count })
      expect(rows.filter(({ payload }) => payload?.includes(secret))).toEqual([])
      expect(found()).toContain("log.db-wal")
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(found()).toEqual([])
    })
  )

  it.scopedLive("is needed: without VACUUM, gaps of pages have copies of rows that SQLite moved and then deleted", () =>
    Effect.gen(function* () {
      const { file, log } = yield* manyStreams
      const other = new Database(file)
      expect(other.pragma("wal_checkpoint(TRUNCATE)")).toMatchObject([{ busy: 0 }])
      const rows = other.prepare("SELECT count(*) FROM events WHERE stream LIKE ?").pluck()
      expect(rows.get(`%${secret}%`)).toBe(0)
      expect(readFileSync(file).includes(secret)).toBe(true)
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(readFileSync(file).includes(secret)).toBe(false)
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
