import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { freePagesWithContent } from "../events/erasure/slack.js"
import { runAllSteps } from "../events/turns.js"
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

/** Each event has a secret of its own. */
const secretOf = (version: number) => `${version * 7_919}-quagga-canary`

const oneOfMany = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const file = join(folder, "log.db")
  const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
  for (let at = 0; at < 1_000; at += 100) {
    const events = Array.from({ length: 100 }, (_, index) => ({
      ...{ type: "ADD", schema: 5 },
      payload: JSON.stringify({ memory: { born: at + index + 1, title: secretOf(at + index + 1).padEnd(1_300) } })
    }))
    yield* log.append({ stream: "one", expected: at, now: 1_000, commands: [{ actor: "test", events }] })
  }
  const eraseOne = (version: number, by = log) =>
    Effect.gen(function* () {
      const { version: readAt } = yield* by.head("one")
      yield* by.erase({
        ...{ actor: "test", now: 2_000, reason: "privacy", selector: "memory", wholeStreams: [], vectors: [] },
        streams: [{ stream: "one", readAt, versions: [version], remains: [] }]
      } as const)
    })
  const found = (version: number) =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(secretOf(version)))
  expect(found(3)).not.toEqual([])
  return { eraseOne, file, folder, found, log }
})

/** VACUUM increments it. */
const schemaOf = (file: string) => withReader(file, (db) => db.pragma("schema_version", { simple: true }))

const freePagesOf = (file: string) => withReader(file, (db) => runAllSteps(freePagesWithContent(db)))

const withReader = <A>(file: string, read: (db: Database.Database) => A): A => {
  const db = new Database(file, { readonly: true })
  const result = read(db)
  db.close()
  return result
}

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

  it.scopedLive("reads the file in place of a rewrite where no page has a copy", () =>
    Effect.gen(function* () {
      const { eraseOne, file, found, log } = yield* oneOfMany
      const before = schemaOf(file)
      yield* eraseOne(3)
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(found(3)).toEqual([])
      expect(schemaOf(file)).toBe(before)
      expect(freePagesOf(file)).toBe(0)
    })
  )

  it.scopedLive("rewrites the file where a page has a part of a copy", () =>
    Effect.gen(function* () {
      const { eraseOne, file, found, log } = yield* oneOfMany
      const other = new Database(file)
      other.pragma("wal_checkpoint(TRUNCATE)")
      other.close()
      // 64 zeros are a gap: no row of this log has as many.
      const gap = readFileSync(file).indexOf(Buffer.alloc(64), 10 * 4_096)
      expect(gap).toBeGreaterThan(0)
      const descriptor = openSync(file, "r+")
      writeSync(descriptor, secretOf(3).slice(0, 6), gap + 20)
      closeSync(descriptor)
      const before = schemaOf(file)
      yield* eraseOne(3)
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(schemaOf(file)).not.toBe(before)
      expect(found(3)).toEqual([])
      expect(readFileSync(file).includes(secretOf(3).slice(0, 6))).toBe(false)
    })
  )

  it.scopedLive("rewrites the file for several erasures of which another process made one", () =>
    Effect.gen(function* () {
      const { eraseOne, file, folder, found, log } = yield* oneOfMany
      yield* eraseOne(3)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
          yield* eraseOne(4, other)
        })
      )
      yield* eraseOne(5)
      const before = schemaOf(file)
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(schemaOf(file)).not.toBe(before)
      expect([3, 4, 5].flatMap(found)).toEqual([])
    })
  )

  it.scopedLive("reads the file once for several erasures of its own", () =>
    Effect.gen(function* () {
      const { eraseOne, file, found, log } = yield* oneOfMany
      const before = schemaOf(file)
      for (const version of [3, 4, 5]) yield* eraseOne(version)
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(schemaOf(file)).toBe(before)
      expect([3, 4, 5].flatMap(found)).toEqual([])
    })
  )

  it.scopedLive("does not count what another process erased meanwhile as cleaned", () =>
    Effect.gen(function* () {
      const { eraseOne, folder, found, log } = yield* oneOfMany
      yield* eraseOne(3)
      const cleanings = yield* log.cleanings
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
          yield* eraseOne(4, other)
        })
      )
      expect(yield* log.clean(cleanings)).toBe("changed")
      expect((yield* log.cleanings).streams).toEqual(["one"])
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect((yield* log.cleanings).streams).toEqual([])
      expect([3, 4].flatMap(found)).toEqual([])
    })
  )

  it.scopedLive("rewrites the file where it does not know what a cached vector was, or there is too much to keep", () =>
    Effect.gen(function* () {
      for (const [vectors, versions] of [
        [["ab".repeat(32)], [3]],
        [[], Array.from({ length: 900 }, (_, index) => index + 1)]
      ] as const) {
        const { file, found, log } = yield* oneOfMany
        const before = schemaOf(file)
        yield* log.erase({
          ...{ actor: "test", now: 2_000, reason: "privacy", selector: "memory", wholeStreams: [], vectors },
          streams: [{ stream: "one", readAt: 1_000, versions, remains: [] }]
        } as const)
        expect(yield* log.clean(yield* log.cleanings)).toBe("done")
        expect(schemaOf(file)).not.toBe(before)
        expect(found(3)).toEqual([])
      }
    })
  )
})
