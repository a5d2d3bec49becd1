import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { codec } from "../events/Codec.js"
import { type EraseRequest, EventLog, type StreamErasure } from "../events/EventLog.js"
import * as EventLogMemory from "../events/EventLogMemory.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { describeKeptParts, rebuildKeptContent } from "../events/erasure/keptParts.js"
import { accept, verify } from "../events/verify.js"
import { filesWith } from "./support/dataFiles.js"

const secret = "zebra-canary"
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-erase-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
const open = (path: string, ledgerCopy?: string) =>
  Effect.map(Layer.build(EventLogSqlite.layer(path, { ledgerCopy })), Context.get(EventLog))

const image = (born: number, title: string) => ({ id: `id${born}`, born, title })
const archive = (...titles: ReadonlyArray<string>) => ({ memories: titles.map((title, at) => image(at + 1, title)) })

type Log = Context.Tag.Service<EventLog>

/** Three events: an ADD of a secret, an ARCHIVE of three memories, and an UPDATE of the third. */
const fill = (log: Log, stream = "one") =>
  log.append({
    ...{ stream, expected: "none", now: 1_000 },
    commands: [
      {
        commandId: "c",
        request: secret,
        actor: "test",
        events: [
          { type: "ADD", schema: 5, payload: JSON.stringify({ memory: image(1, secret) }) },
          { type: "ARCHIVE", schema: 5, payload: JSON.stringify(archive(secret, "two", "three")) },
          { type: "UPDATE", schema: 5, payload: JSON.stringify({ memory: image(3, "third") }) }
        ]
      },
      {
        commandId: "d",
        request: "d",
        actor: "test",
        events: [{ type: "ADD", schema: 5, payload: '{"memory":{"born":4}}' }]
      }
    ],
    vectors: [
      { model: "m", dimensions: 1, digest: "aa".repeat(32), vector: Float32Array.of(1) },
      { model: "m", dimensions: 1, digest: "bb".repeat(32), vector: Float32Array.of(2) }
    ]
  })

const kept = JSON.stringify({ memories: [image(2, "two"), image(3, "three")] })
const erasure: StreamErasure = {
  stream: "one",
  readAt: 4,
  versions: [1, 2],
  remains: [{ of: 2, type: "ARCHIVE", schema: 5, payload: kept }]
}
const request = (streams: ReadonlyArray<StreamErasure>, more: Partial<EraseRequest> = {}): EraseRequest => ({
  ...{ actor: "test", now: 2_000, reason: "privacy", selector: "memory", streams, wholeStreams: [], vectors: [] },
  ...more
})
const all = (log: Log, stream = "one") => log.read(stream, { after: 0, limit: 100 })

/** The files of a folder in which a text is found. */
const suite = (name: string, layer: Layer.Layer<EventLog, unknown>) =>
  describe(`${name}: erasure`, () => {
    const test = <A, E>(title: string, body: (log: Log) => Effect.Effect<A, E>) =>
      it.effect(title, () => Effect.provide(Effect.flatMap(EventLog, body), layer))

    test("answers with what remains, on every read, and keeps the chain", (log) =>
      Effect.gen(function* () {
        yield* fill(log)
        expect(yield* log.newestErasure("one")).toBe(0)
        expect(yield* log.erase(request([erasure], { vectors: ["aa".repeat(32)] }))).toEqual({ erased: 2, remains: 1 })
        const events = yield* all(log)
        expect(events.map(({ type }) => type)).toEqual(["ADD", "ARCHIVE", "UPDATE", "ADD", "ERASE", "REMAINS"])
        expect(events.map(({ erasedAt }) => erasedAt)).toEqual([2_000, 2_000, null, null, null, null])
        expect(events[0]!.payload).toBe(null)
        expect(events[1]!.payload).toBe(kept)
        expect((yield* log.at("one", [2]))[0]!.payload).toBe(kept)
        expect((yield* log.replay("one", { after: 1, to: 2, limit: 5 }))[0]).toMatchObject({
          payload: kept,
          erasedAt: 2_000
        })
        const newest = yield* log.newest(
          "one",
          [1, 2, 3].map((subject) => ({ kind: "row", subject }) as const)
        )
        expect(newest.map((event) => event?.version)).toEqual([1, 2, 3])
        expect(newest[1]!.payload).toBe(kept)
        const raw = yield* log.read("one", { after: 0, limit: 100, raw: true })
        expect(raw.slice(0, 2).map(({ payload, salt }) => [payload, salt])).toEqual([
          [null, null],
          [null, null]
        ])
        expect(JSON.parse(raw[4]!.payload!)).toMatchObject({ versions: [1, 2], reason: "privacy", selector: "memory" })
        expect([...(yield* log.vectors("m", 1, ["aa".repeat(32), "bb".repeat(32)])).keys()]).toEqual(["bb".repeat(32)])
        expect(yield* log.newestErasure("one")).toBe(5)
        expect((yield* verify(log, codec, null)).problems).toEqual([])
      }))

    test("refuses an outdated selection, and repeats of erased commands", (log) =>
      Effect.gen(function* () {
        yield* fill(log)
        const conflict = yield* Effect.flip(log.erase(request([{ ...erasure, readAt: 3 }])))
        expect(conflict).toMatchObject({ _tag: "VersionConflict", expected: 3, actual: 4 })
        expect((yield* log.head("one")).version).toBe(4)
        // Only the second event of the command is erased.
        yield* log.erase(request([{ ...erasure, versions: [2] }]))
        expect(yield* Effect.flip(log.command("one", "c", secret))).toMatchObject({ _tag: "AlreadyErased" })
        expect((yield* log.command("one", "d", "d"))._tag).toBe("Some")
        expect(yield* log.erase(request([{ ...erasure, readAt: 6, versions: [5] }]))).toEqual({ erased: 0, remains: 0 })
        expect((yield* log.head("one")).version).toBe(6)
      }))

    test("erases what an erasure left, again and wholly", (log) =>
      Effect.gen(function* () {
        yield* fill(log)
        yield* log.erase(request([erasure]))
        const less = JSON.stringify({ memories: [image(3, "three")] })
        const again = { ...erasure, readAt: 6, versions: [2], remains: [{ ...erasure.remains[0]!, payload: less }] }
        expect(yield* log.erase(request([again]))).toEqual({ erased: 1, remains: 1 })
        expect((yield* log.at("one", [2]))[0]!.payload).toBe(less)
        const row = { kind: "row", subject: 2 } as const
        expect((yield* log.newest("one", [row]))[0]?.payload).toBe(less)
        expect((yield* log.read("one", { after: 5, to: 6, limit: 1, raw: true }))[0]!.payload).toBe(null)
        yield* log.erase(request([{ ...erasure, readAt: 8, versions: [2], remains: [] }]))
        expect((yield* log.at("one", [2]))[0]!.payload).toBe(null)
        expect((yield* verify(log, codec, null)).problems).toEqual([])
      }))

    test("deletes whole streams and their timers, and no others", (log) =>
      Effect.gen(function* () {
        yield* fill(log)
        yield* fill(log, "two")
        yield* log.append({ stream: "one", expected: 4, now: 3, commands: [], due: 7 })
        expect(yield* log.erase(request([], { selector: "agent", wholeStreams: ["one"] }))).toEqual({
          erased: 4,
          remains: 0
        })
        expect(yield* all(log)).toEqual([])
        expect(yield* log.timers({ until: 100, limit: 10 })).toEqual([])
        expect((yield* log.streams).map(({ stream }) => stream)).toEqual(["two"])
        expect((yield* verify(log, codec, null)).problems).toEqual([])
        // The name can be used again.
        yield* fill(log)
        expect((yield* verify(log, codec, null)).problems).toEqual([])
      }))
  })

suite("EventLogMemory", EventLogMemory.layer)
suite("EventLogSqlite", Layer.unwrapScoped(Effect.map(folder, (path) => EventLogSqlite.layer(path))))

describe("a verification during an erasure", () => {
  it.scoped("is repeated, because it saw the event before and the record after", () =>
    Effect.gen(function* () {
      const log = yield* open(yield* folder)
      const events = Array.from({ length: 300 }, (_, at) => ({
        ...{ type: "ADD", schema: 5, payload: JSON.stringify({ memory: image(at + 1, `memory ${at}`) }) }
      }))
      yield* log.append({ stream: "one", expected: "none", now: 1_000, commands: [{ actor: "test", events }] })
      let reads = 0
      const erasing = Effect.suspend(() =>
        reads++ > 0
          ? Effect.void
          : log.erase({
              ...{ actor: "test", now: 2_000, reason: "privacy", selector: "memory", wholeStreams: [], vectors: [] },
              streams: [{ stream: "one", readAt: 300, versions: [10], remains: [] }]
            })
      )
      const read: Log["read"] = (stream, options) => Effect.tap(log.read(stream, options), () => Effect.orDie(erasing))
      expect(yield* verify({ ...log, read }, codec, null)).toMatchObject({ events: 301, problems: [] })
      expect(reads).toBeGreaterThan(2)
    })
  )
})

describe("an erased log on disk", () => {
  it.scopedLive("has the text in no file, also while another connection is open", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [log, other] = [yield* open(path), yield* open(path)]
      yield* fill(log)
      yield* all(other)
      expect(filesWith(path, secret).length).toBeGreaterThan(0)
      yield* log.erase(request([erasure]))
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(filesWith(path, secret)).toEqual([])
      expect(readFileSync(join(path, "log.db-wal")).length).toBe(0)
      expect((yield* log.cleanings).streams).toEqual([])
      expect((yield* all(other))[1]!.payload).toBe(kept)
    })
  )

  it.scopedLive("names a deleted stream in no file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const log = yield* open(path)
      yield* fill(log, "giraffe-agent")
      yield* fill(log)
      yield* log.erase(request([], { selector: "agent", wholeStreams: ["giraffe-agent"] }))
      expect(yield* log.clean(yield* log.cleanings)).toBe("done")
      expect(filesWith(path, "giraffe-agent")).toEqual([])
      expect((yield* verify(log, codec, null)).problems).toEqual([])
    })
  )

  for (const isWhole of [false, true]) {
    it.scopedLive(`stays erased where an older copy replaces ${isWhole ? "a deleted stream" : "it"}`, () =>
      Effect.gen(function* () {
        const [path, copy] = [yield* folder, yield* folder]
        yield* Effect.scoped(Effect.flatMap(open(path), (log) => fill(log)))
        cpSync(path, copy, { recursive: true })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* open(path)
            yield* log.erase(isWhole ? request([], { selector: "agent", wholeStreams: ["one"] }) : request([erasure]))
            if (isWhole) return
            const less = JSON.stringify({ memories: [image(3, "three")] })
            yield* log.erase(
              request([{ ...erasure, readAt: 6, versions: [2], remains: [{ ...erasure.remains[0]!, payload: less }] }])
            )
          })
        )
        cpSync(join(path, "erasures.log"), join(copy, "erasures.log"))
        const log = yield* open(copy)
        const events = yield* all(log)
        if (isWhole) expect(events).toEqual([])
        else {
          expect(events.slice(0, 3).map(({ payload }) => payload)).toEqual([
            null,
            JSON.stringify({ memories: [image(3, "three")] }),
            JSON.stringify({ memory: image(3, "third") })
          ])
        }
        expect(yield* log.clean(yield* log.cleanings)).toBe("done")
        expect(filesWith(copy, secret)).toEqual([])
        expect((yield* verify(log, codec, null)).problems).toEqual([])
        if (!isWhole) yield* log.append({ stream: "one", expected: "any", now: 9_000, commands: [] })
      })
    )
  }

  it.scopedLive("refuses writes without its ledger, until it is back or its loss is accepted", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const ledger = join(path, "erasures.log")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* open(path)
          yield* fill(log)
          yield* log.erase(request([erasure]))
        })
      )
      const text = readFileSync(ledger)
      rmSync(ledger)
      const append = (log: Log) =>
        log.append({
          ...{ stream: "one", expected: "any", now: 5_000 },
          commands: [{ actor: "test", events: [{ type: "ADD", schema: 5, payload: "{}" }] }]
        })
      const log = yield* open(path)
      expect(yield* Effect.flip(append(log))).toMatchObject({ code: "LEDGER_DAMAGED" })
      expect((yield* all(log)).length).toBe(6)
      expect((yield* verify(log, codec, null)).problems.map(({ what }) => what)).toContain(
        "the ledger of erasures ends with line 0, but the log or the anchor refers to line 1"
      )
      writeFileSync(ledger, text)
      yield* append(log)
      writeFileSync(ledger, text.toString().replace("privacy", "mistake"))
      const { digest } = yield* verify(log, codec, null)
      yield* accept(log, codec, digest!)
      yield* append(log)
      expect((yield* verify(log, codec, null)).problems).toEqual([])
      expect(existsSync(`${ledger}.before-line-2`)).toBe(true)
    })
  )

  it.scopedLive("keeps a copy of its ledger, and takes a lost one from there", () =>
    Effect.gen(function* () {
      const [path, elsewhere] = [yield* folder, yield* folder]
      const copy = join(elsewhere, "copy.log")
      const log = yield* open(path, copy)
      yield* fill(log)
      yield* log.erase(request([erasure]))
      expect(readFileSync(copy)).toEqual(readFileSync(join(path, "erasures.log")))
      rmSync(join(path, "erasures.log"))
      yield* log.erase(request([{ ...erasure, readAt: 6, versions: [4], remains: [] }]))
      expect(readFileSync(copy)).toEqual(readFileSync(join(path, "erasures.log")))
      expect((yield* verify(log, codec, null)).problems).toEqual([])
    })
  )
})

describe("the parts that the ledger keeps", () => {
  it("refer to the old payload and contain no text of it", () => {
    const old = { memories: Array.from({ length: 100 }, (_, at) => image(at, `title ${at}`)), decision: { why: "w" } }
    const next = { memories: old.memories.filter((_, at) => at !== 40), decision: old.decision }
    const parts = describeKeptParts(old, next)!
    expect(rebuildKeptContent(old, parts)).toEqual(next)
    expect(JSON.stringify(parts)).not.toContain("title")
    expect(JSON.stringify(parts).length).toBeLessThan(200)
    expect(describeKeptParts(old, { memories: [image(1, "a new text")] })).toBe(undefined)
    expect(describeKeptParts({ replacement: image(2, "x") }, { memory: image(2, "x"), reason: "undone" })).toEqual({
      fields: { memory: { at: ["replacement"] }, reason: { value: "undone" } }
    })
  })
})
