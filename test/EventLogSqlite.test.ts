import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { codec } from "../events/Codec.js"
import { type Append, type CachedVector, EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { verify } from "../events/verify.js"
import { ByHand, eventLogSuite } from "./suites/eventLog.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-log-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Changes `log.db` behind the log's back. */
const edit = (path: string, sql: string, ...params: ReadonlyArray<unknown>) => {
  const db = new Database(join(path, "log.db"))
  try {
    return db.prepare(sql).run(...params).changes
  } finally {
    db.close()
  }
}

const layer = Layer.unwrapScoped(
  Effect.map(folder, (path) =>
    Layer.merge(
      EventLogSqlite.layer(path),
      Layer.succeed(ByHand, {
        erase: (stream, version) =>
          Effect.sync(() =>
            edit(
              path,
              `UPDATE events SET payload = NULL, salt = NULL, request_digest = NULL, erased_at = recorded_at
                WHERE stream = ? AND version = ?`,
              stream,
              version
            )
          )
      })
    )
  )
)

eventLogSuite("EventLogSqlite", layer)

/** Another process would open the folder in the same way. */
const open = (path: string) => Effect.map(Layer.build(EventLogSqlite.layer(path)), Context.get(EventLog))

const append = (stream: string, commandId: string, vectors: ReadonlyArray<CachedVector> = []): Append => ({
  stream,
  expected: "any",
  now: 1_000,
  commands: [{ commandId, request: commandId, actor: "test", events: [{ type: "ADD", schema: 1, payload: "{}" }] }],
  vectors
})

describe("EventLogSqlite: the file", () => {
  it.scoped("holds everything: another process finds the same events", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const vector = Float32Array.of(1, 2)
      const digest = "ab".repeat(32)
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* open(path)
          yield* log.append(append("one", "a"))
          yield* log.append(append("two", "b", [{ model: "m", dimensions: 2, digest, vector }]))
          return yield* verify(log, codec, "two")
        })
      )
      const log = yield* open(path)
      const after = yield* verify(log, codec, "two", { expect: before.anchor! })
      // The process that closed the log noted the state of the file in a line of its own.
      expect(after).toEqual({ ...before, anchor: after.anchor })
      expect((yield* log.append(append("two", "b")))[0]!.repeated).toBe(true)
      expect((yield* log.vectors("m", 2, [digest])).get(digest)).toEqual(vector)
      expect((yield* log.append(append("two", "c")))[0]!.events[0]!.version).toBe(2)
      expect((yield* verify(log, codec, null)).problems).toEqual([])
    })
  )

  it.scopedLive("allows several writers: each version and each command has one winner", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const logs = [yield* open(path), yield* open(path)]
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 200 }).keys(),
        (index) => Effect.map(logs[index % 2]!.append(append("one", `c-${index >> 2}`)), ([answer]) => answer!),
        { concurrency: 20 }
      )
      expect(outcomes.filter(({ repeated }) => !repeated).length).toBe(50)
      for (const log of logs) {
        const events = yield* log.read("one", { after: 0, limit: 1_000 })
        expect(events.map(({ version }) => version)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
        expect((yield* verify(log, codec, null)).problems).toEqual([])
      }
      const rivals = yield* Effect.forEach(
        Array.from({ length: 40 }).keys(),
        (index) => Effect.either(logs[index % 2]!.append({ ...append("one", `r-${index}`), expected: 50 })),
        { concurrency: "unbounded" }
      )
      expect(rivals.filter(Either.isRight).length).toBe(1)
      const losers = rivals.flatMap((outcome) => (Either.isLeft(outcome) ? [outcome.left._tag] : []))
      expect(losers).toEqual(Array(39).fill("VersionConflict"))
    })
  )

  it.scoped("shares one transaction among appends of several agents, and refuses invalid ones alone", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const log = yield* open(path)
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 90 }).keys(),
        (index) =>
          Effect.either(
            log.append({ ...append(`agent ${index % 9}`, `c-${index}`), expected: index % 3 === 0 ? "any" : "none" })
          ),
        { concurrency: "unbounded" }
      )
      const refused = outcomes.flatMap((outcome) => (Either.isLeft(outcome) ? [outcome.left._tag] : []))
      expect(refused).toEqual(Array(54).fill("VersionConflict"))
      expect((yield* log.streams).map(({ version }) => version)).toEqual([10, 1, 1, 10, 1, 1, 10, 1, 1])
      expect((yield* verify(log, codec, null)).problems).toEqual([])
      const transactions = readFileSync(join(path, "anchor.log"), "utf8").split("\n").length
      expect(transactions).toBeLessThan(9 * 4)
    })
  )

  it.scoped("treats a damaged vector as missing, so it is computed again", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const log = yield* open(path)
      const digests = ["aa", "bb", "cc", "dd", "ee"].map((two) => two.repeat(32))
      const vectors = digests.map((digest) => ({
        model: "m",
        dimensions: 2,
        digest,
        vector: Float32Array.of(0.5, 0.25)
      }))
      yield* log.append(append("one", "a", vectors))
      const damage = (digest: string, to: string, ...params: ReadonlyArray<unknown>) =>
        expect(edit(path, `UPDATE embeddings SET ${to} WHERE hex(digest) = ?`, ...params, digest.toUpperCase())).toBe(1)
      damage(digests[0]!, "vector = ?", Buffer.from(Float32Array.of(0.5, 0.26).buffer))
      damage(digests[1]!, "vector = ?", Buffer.from(Float32Array.of(0.5).buffer))
      damage(digests[2]!, "checksum = checksum + 1")
      damage(digests[4]!, "vector = CAST(vector AS TEXT)")
      const found = yield* log.vectors("m", 2, digests)
      expect([...found.keys()]).toEqual([digests[3]])
      expect((yield* verify(log, codec, null)).problems.map(({ what }) => what)).toEqual([
        "log.db: 4 cached vectors are damaged; they count as missing"
      ])
      yield* log.append(append("one", "b", vectors))
      expect((yield* log.vectors("m", 2, digests)).size).toBe(5)
    })
  )
})
