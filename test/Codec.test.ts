import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { StoredEvent } from "../events/Chain.js"
import { type Codec, CurrentCodec, codec, make } from "../events/Codec.js"
import { catalogue, type EventDefinition, type EventType } from "../events/catalogue.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { InvalidEvent } from "../events/errors.js"
import { type Memory, memoryJson } from "../events/Memory.js"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"

const definitions: Readonly<Record<string, EventDefinition>> = catalogue
const types = Object.keys(catalogue) as Array<EventType>
const samples = join(import.meta.dirname, "fixtures", "events")

const sample = (type: string, version: number): string =>
  JSON.stringify(JSON.parse(readFileSync(join(samples, `${type}.v${version}.json`), "utf8")))

const row = (type: string, schema: number, payload: string | null): StoredEvent => ({
  chain: 1,
  sequence: 7,
  stream: "agent",
  version: 3,
  type,
  schema,
  payload,
  salt: null,
  digest: new Uint8Array(32),
  hash: new Uint8Array(32),
  commandId: "c-1",
  commandKey: null,
  ordinal: 0,
  requestDigest: null,
  actor: "somebody",
  cause: null,
  names: null,
  occurredAt: 1,
  recordedAt: 2,
  erasedAt: null
})

const right = <A, E>(either: Either.Either<A, E>): A => Either.getOrThrowWith(either, (error) => error)
const left = <A, E>(either: Either.Either<A, E>): E => right(Either.flip(either))

describe("a decision of schema 5 with the rule of capture in its reason", () => {
  const reasonOf = (reason: string) => {
    const payload = JSON.parse(sample("ADD", 5)) as { decision: { reason: string } }
    payload.decision.reason = reason
    const event = right(Effect.runSync(Effect.either(codec.decode(row("ADD", 5, JSON.stringify(payload))))))
    return (event.payload as { readonly decision: { readonly reason: string; readonly extracted?: unknown } }).decision
  }

  it("has the rule as a field, and keeps the words about its turns", () => {
    expect(
      reasonOf("no similar memory; extracted by en-plan, stated by user: accepts a proposal; marked pii")
    ).toMatchObject({
      reason: "no similar memory; accepts a proposal; marked pii",
      extracted: { rule: "en-plan", statedBy: "user", sources: [] }
    })
    expect(reasonOf("said to hold no more; extracted by archive")).toMatchObject({
      reason: "said to hold no more",
      extracted: { rule: "archive", sources: [] }
    })
  })

  it("is unchanged without such a note", () => {
    expect(reasonOf("no similar memory; marked pii").extracted).toBeUndefined()
  })
})

describe("golden samples", () => {
  it("exist for each schema of each event type, and for no other", () => {
    const wanted = types.flatMap((type) =>
      Array.from({ length: catalogue[type].version }, (_, index) => `${type}.v${index + 1}.json`)
    )
    expect(readdirSync(samples).sort()).toEqual(wanted.sort())
  })

  for (const type of types) {
    const { upcasts, version } = definitions[type]!

    it(`${type} has an upcast from each older schema`, () => {
      expect(Object.keys(upcasts).map(Number)).toEqual(Array.from({ length: version - 1 }, (_, index) => index + 1))
    })

    for (let schema = 1; schema <= version; schema++) {
      it(`${type} of schema ${schema} survives decoding and encoding`, () => {
        const text = sample(type, schema)
        const event = right(codec.decode(row(type, schema, text)))
        expect(event).toMatchObject({ type, sequence: 7, stream: "agent", version: 3, commandId: "c-1", recordedAt: 2 })
        const encoded = codec.encode(type, event.payload as never)
        expect(encoded.schema).toBe(version)
        expect(right(codec.decode(row(type, version, encoded.payload)))).toEqual(event)
        // The newest schema keeps every field of its sample, to the letter.
        if (schema === version) expect(encoded.payload).toBe(text)
      })

      it(`an invalid ${type} of schema ${schema} is reported by place, without its values`, () => {
        const canary = "CANARY-5a1f"
        const whole = JSON.parse(sample(type, schema))
        let refused = 0
        for (const path of leavesOf(whole)) {
          const wrong = structuredClone(whole)
          const value = valueAt(whole, path)
          replaceAt(wrong, path, typeof value === "string" ? { [canary]: canary } : canary)
          const outcome = codec.decode(row(type, schema, JSON.stringify(wrong)))
          if (Either.isRight(outcome)) {
            // What was asked for, and by which policy, is kept as it was given.
            expect(path.some((key) => ["input", "filters", "policy", "values", "payload"].includes(String(key)))).toBe(
              true
            )
            continue
          }
          refused++
          expect(outcome.left).toBeInstanceOf(InvalidEvent)
          expect(outcome.left).toMatchObject({ stream: "agent", version: 3, type })
          expect((outcome.left as InvalidEvent).path.split(", ")).toContain(path.join("."))
          expect(everythingOf(outcome.left)).not.toContain(canary)
        }
        expect(refused).toBeGreaterThan(0)
        const torn = left(codec.decode(row(type, schema, `{"memory": ${canary}`)))
        expect(torn).toMatchObject({ _tag: "InvalidEvent", path: "payload" })
        expect(everythingOf(torn)).not.toContain(canary)
      })
    }

    it(`${type} of a newer schema is unknown`, () => {
      for (const schema of [version + 1, version + 100, 0, -1]) {
        expect(left(codec.decode(row(type, schema, sample(type, version))))).toMatchObject({
          _tag: "UnknownEvent",
          stream: "agent",
          version: 3,
          type,
          schema
        })
      }
    })

    it(`an erased ${type} keeps its envelope`, () => {
      expect(right(codec.decode(row(type, version, null)))).toMatchObject({ type, version: 3, payload: null })
    })
  }

  for (const type of ["ADD", "UPDATE", "DELETE", "COMPRESS"] as const) {
    it(`the after-image of ${type} keeps the exact JSON text of the payload`, () => {
      const { version } = catalogue[type]
      const text = sample(type, version)
      const { memory, ...rest } = JSON.parse(text)
      const quoted = { ...memory, title: `${memory.title}"},"decision":{"x":[{` }
      for (const stored of [
        text,
        JSON.stringify({ memory }),
        JSON.stringify({ memory: quoted, ...rest }),
        JSON.stringify({ ...rest, memory }),
        JSON.stringify({ memory, ...rest }, null, 1),
        `${text} `,
        `${JSON.stringify({ memory })} `,
        text.replace(/.$/, " }"),
        text.replace('{"memory":', '{"memory": ')
      ]) {
        const decoded = codec.decode(row(type, version, stored))
        if (Either.isLeft(decoded)) continue
        const image = (decoded.right.payload as { readonly memory: Memory }).memory
        expect(JSON.parse(memoryJson(image))).toEqual(image)
        if (stored === text) expect(memoryJson(image)).toBe(JSON.stringify(image))
      }
    })
  }

  it("only names in the catalogue are event types", () => {
    for (const type of ["TOPIC", "add", "", "constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(left(codec.decode(row(type, 1, "{}")))).toMatchObject({ _tag: "UnknownEvent", type, schema: 1 })
    }
  })
})

describe("upcasting", () => {
  const Note = Schema.Struct({ title: Schema.String, tags: Schema.Array(Schema.String), pinned: Schema.Boolean })
  type First = { readonly text: string }
  type Second = { readonly title: string; readonly tags: ReadonlyArray<string> }
  const notes = make({
    NOTE: {
      schema: Note,
      version: 3,
      upcasts: {
        1: (payload): Second => {
          const { text } = payload as First
          const [title = "", ...tags] = text.split("#")
          return { title: title.trim(), tags }
        },
        2: (payload) => ({ ...(payload as Second), pinned: (payload as Second).tags.includes("pin") })
      }
    },
    BROKEN: {
      schema: Note,
      version: 2,
      upcasts: {
        1: (payload) => {
          throw new Error(`cannot take ${JSON.stringify(payload)}`)
        }
      }
    },
    GAP: { schema: Note, version: 3, upcasts: { 1: (payload) => payload } }
  })
  const read = (schema: number, payload: unknown) =>
    Either.map(notes.decode(row("NOTE", schema, JSON.stringify(payload))), (event): unknown => event.payload)

  it("converts each old payload to the newest schema, step by step", () => {
    expect(right(read(1, { text: "tides #harbour#pin" }))).toEqual({
      title: "tides",
      tags: ["harbour", "pin"],
      pinned: true
    })
    expect(right(read(2, { title: "tides", tags: [] }))).toEqual({ title: "tides", tags: [], pinned: false })
    expect(right(read(3, { title: "tides", tags: [], pinned: true }))).toEqual({
      title: "tides",
      tags: [],
      pinned: true
    })
    expect(notes.encode("NOTE" as never, { title: "x", tags: [], pinned: true } as never)).toEqual({
      schema: 3,
      payload: '{"title":"x","tags":[],"pinned":true}',
      value: { title: "x", tags: [], pinned: true }
    })
  })

  it.prop("are the same by every way", [FastCheck.string(), FastCheck.array(FastCheck.string())], ([a, b]) => {
    const title = a.replaceAll("#", "").trim()
    const tags = b.map((tag) => tag.replaceAll("#", ""))
    const newest = right(read(3, { title, tags, pinned: tags.includes("pin") }))
    expect(right(read(2, { title, tags }))).toEqual(newest)
    expect(right(read(1, { text: [title, ...tags].join("#") }))).toEqual(newest)
  })

  it("leaves a payload of the newest schema unchanged", () => {
    expect(left(read(1, { title: "x", tags: [], pinned: true }))).toMatchObject({ _tag: "InvalidEvent" })
    expect(left(read(2, { title: "x" }))).toMatchObject({ _tag: "InvalidEvent", path: "payload" })
    expect(left(read(4, { title: "x", tags: [], pinned: true }))).toMatchObject({ _tag: "UnknownEvent", schema: 4 })
  })

  it("reports a failed or missing upcast without the payload", () => {
    for (const type of ["BROKEN", "GAP"]) {
      const error = left(notes.decode(row(type, 1, '{"text":"CANARY-77"}')))
      expect(error).toMatchObject({ _tag: "InvalidEvent", type, path: "payload" })
      expect(everythingOf(error)).not.toContain("CANARY-77")
    }
  })
})

describe("the engine", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-codec-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const withDaybook = <A, E, R>(path: string, use: Effect.Effect<A, E, R>, another: Codec = codec) =>
    Effect.provide(
      use,
      Layer.provide(Default.layer({ folder: path, policy: defaults }), Layer.succeed(CurrentCodec, another))
    )
  /** What another version of the program, or somebody by hand, stores. */
  const store = (path: string, stream: string, type: string, schema: number, payload: string) =>
    Effect.flatMap(EventLog, (log) =>
      log.append({
        stream,
        expected: "any",
        now: Date.now(),
        commands: [{ actor: "another", events: [{ type, schema, payload }] }]
      })
    ).pipe(Effect.provide(EventLogSqlite.layer(path)))
  const memory = (agent: string) => Effect.flatMap(Daybook, (daybook) => daybook.agent(agent, { trust: "full" }))
  const remember = (agent: string, ...titles: ReadonlyArray<string>) =>
    Effect.flatMap(memory(agent), ({ remember }) => Effect.forEach(titles, (title) => remember({ title })))
  const titles = (agent: string) =>
    Effect.flatMap(memory(agent), ({ list }) => Effect.map(list(), (rows) => rows.map(({ title }) => title).sort()))
  const eventsOf = (agent: string) =>
    Effect.flatMap(Daybook, (daybook) => Effect.map(Stream.runCollect(daybook.log(agent)), Chunk.toReadonlyArray))
  const newer = (also: Readonly<Record<string, EventDefinition>>) => make({ ...catalogue, ...also })
  const futures: ReadonlyArray<readonly [what: string, type: string, schema: number, payload: string, codec: Codec]> = [
    [
      "type",
      "TOPIC",
      1,
      '{"name":"harbour"}',
      newer({ TOPIC: { schema: Schema.Struct({ name: Schema.String }), version: 1, upcasts: {} } })
    ],
    [
      "schema",
      "IMPORT",
      2,
      '{"count":3}',
      newer({
        IMPORT: {
          schema: Schema.Struct({ count: Schema.Number }),
          version: 2,
          upcasts: { 1: (payload) => ({ count: (payload as { added: number }).added }) }
        }
      })
    ]
  ]

  it.scopedLive("reads golden samples in a view, a rebuild and the log", () =>
    Effect.gen(function* () {
      const path = yield* folder
      // In an order in which they make sense together: each memory is born where its sample says.
      const order: ReadonlyArray<EventType> = [
        "ADD",
        "UPDATE",
        "EMBED",
        "COMPRESS",
        "ARCHIVE",
        "DELETE",
        "IMPORT",
        "TURN",
        "EXTRACT",
        "FILE",
        "FORGET",
        "RECALL",
        "ERASE",
        "REMAINS",
        "CONFIGURE",
        "CLOCK",
        "SCHEDULE",
        "RUN",
        "SUMMARIZE",
        "ROLL",
        "SCRATCHPAD",
        "EMBEDDER",
        "ACCEPT"
      ]
      expect([...order].sort()).toEqual([...types].sort())
      yield* withDaybook(
        path,
        Effect.gen(function* () {
          const daybook = yield* Daybook
          for (const type of order) {
            const { version } = catalogue[type]
            yield* store(path, "agent", type, version, sample(type, version))
            yield* titles("agent")
          }
          expect((yield* daybook.stats("agent")).view.parked).toEqual([])
          expect(yield* titles("agent")).toEqual(["Tide tables come from the pilots"])
          expect((yield* eventsOf("agent")).map(({ type }) => type)).toEqual(order)
          const live = yield* daybook.digests("agent")
          yield* daybook.rebuild("agent")
          expect(yield* daybook.digests("agent")).toEqual(live)
          // These events came into the log without the timers that belong to them.
          yield* daybook.runner.retime
          const { events, problems } = yield* daybook.verify("agent")
          expect(events).toBe(order.length)
          // No ledger has the line of the sample.
          expect(problems.map(({ what }) => what)).toEqual([
            `event ${order.indexOf("ERASE") + 1} of agent refers to a line that is missing from the ledger of erasures`
          ])
        })
      )
    })
  )

  for (const [what, type, schema, payload, newerCodec] of futures) {
    it.scopedLive(`stops reading an agent at a ${what} of a newer version, until the version is known`, () =>
      Effect.gen(function* () {
        const path = yield* folder
        yield* withDaybook(
          path,
          Effect.zipRight(remember("one", "first", "second"), remember("two", "other"), { concurrent: true })
        )
        const before = yield* withDaybook(path, eventsOf("one"))
        const unknown = { _tag: "UnknownEvent", stream: "one", version: before.length + 1, type, schema }
        yield* store(path, "one", type, schema, payload)

        const stopped = Effect.gen(function* () {
          const daybook = yield* Daybook
          const { forget, get, history, list, search } = yield* memory("one")
          expect(yield* titles("one")).toEqual(["first", "second"])
          const [hit] = yield* search({ text: "first" })
          expect(yield* get([hit!.id])).toMatchObject([{ title: "first" }])
          expect(yield* history(hit!.id)).toMatchObject([{ type: "ADD" }])
          expect((yield* daybook.stats("one")).version).toBe(before.length)
          yield* daybook.rebuild("one")
          expect(yield* list()).toHaveLength(2)
          const past = yield* daybook.agent("one", { trust: "full", asOf: { version: before.length } })
          expect(yield* past.list()).toHaveLength(2)
          const beyond = yield* daybook.agent("one", { trust: "full", asOf: { version: before.length + 1 } })
          for (const use of [
            beyond.list(),
            remember("one", "third"),
            remember("one", "first"),
            forget(hit!.id),
            forget("x"),
            eventsOf("one"),
            daybook.backfill("one")
          ] as ReadonlyArray<Effect.Effect<unknown, unknown, Daybook>>) {
            const error = yield* Effect.flip(use)
            expect({ ...(error as object) }).toMatchObject(unknown)
            expect(everythingOf(error)).not.toContain(payload)
          }
          yield* daybook.flush("one")
          expect((yield* daybook.agents).find(({ name }) => name === "one")!.version).toBe(before.length + 1)
          yield* remember("two", "more")
          expect(yield* titles("two")).toContain("more")
          expect((yield* daybook.verify()).problems).toEqual([])
        })
        const warnings: Array<string> = []
        const logger = Logger.make(({ message }) => void warnings.push(String(message)))
        const quiet = Effect.provide(stopped, Logger.replace(Logger.defaultLogger, logger))
        yield* withDaybook(path, quiet)
        expect(warnings).toEqual([
          expect.stringContaining(
            `update Daybook; until then, reads use only the events up to event ${before.length}, and writes fail`
          )
        ])
        // Once more, with no view that could have been read before.
        rmSync(join(path, "views"), { recursive: true })
        yield* withDaybook(path, quiet)

        yield* withDaybook(
          path,
          Effect.gen(function* () {
            expect(yield* titles("one")).toEqual(["first", "second"])
            yield* remember("one", "third")
            expect(yield* titles("one")).toEqual(["first", "second", "third"])
            const events = yield* eventsOf("one")
            expect(events.slice(0, before.length)).toEqual(before)
            expect(events[before.length]).toMatchObject({ type, payload: JSON.parse(payload) })
            expect(events.filter((event) => event.type === "ADD").length).toBe(3)
            const daybook = yield* Daybook
            yield* daybook.backfill("one")
            const live = yield* daybook.digests("one")
            yield* daybook.rebuild("one")
            expect(yield* daybook.digests("one")).toEqual(live)
            expect((yield* daybook.verify()).problems).toEqual([])
          }),
          newerCodec
        )
      })
    )
  }

  it.scopedLive("reports an invalid payload as InvalidEvent, with its path and without its text", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* withDaybook(path, Effect.zipRight(remember("one", "first"), remember("two", "other")))
      const wrong = JSON.parse(sample("ADD", 1))
      wrong.memory.title = { text: "CANARY-91" }
      yield* store(path, "one", "ADD", 1, JSON.stringify(wrong))
      yield* withDaybook(
        path,
        Effect.gen(function* () {
          for (const use of [titles("one"), remember("one", "second"), eventsOf("one")]) {
            const exit = yield* Effect.exit(use as Effect.Effect<unknown, unknown, Daybook>)
            const cause = exit._tag === "Failure" ? exit.cause : Cause.empty
            expect({ ...([...Cause.failures(cause)][0] as object) }).toMatchObject({
              _tag: "InvalidEvent",
              stream: "one",
              type: "ADD",
              path: "memory.title"
            })
            expect(Cause.pretty(cause) + everythingOf(cause)).not.toContain("CANARY-91")
          }
          expect(yield* titles("two")).toEqual(["other"])
        })
      )
    })
  )
})

type Path = ReadonlyArray<string | number>

/** The paths of all strings, numbers and so on in a payload. */
const leavesOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([key, inner]) =>
        leavesOf(inner, [...path, Array.isArray(value) ? Number(key) : key])
      )
    : [path]

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value)

const replaceAt = (value: unknown, path: Path, by: unknown) => {
  const parent = valueAt(value, path.slice(0, -1)) as Record<string, unknown>
  parent[path.at(-1)!] = by
}

/** All that a log line could show of an error. */
const everythingOf = (error: unknown): string =>
  [inspect(error, { depth: 20 }), JSON.stringify(error), String(error), (error as Error).stack].join("\n")
