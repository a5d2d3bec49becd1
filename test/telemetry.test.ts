import { execFileSync } from "node:child_process"
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import * as RuleReconciler from "../layers/RuleReconciler.js"
import * as Telemetry from "../layers/telemetry/index.js"
import { makeTraceLines } from "../layers/telemetry/TraceLines.js"
import type { Daybook } from "../src/Daybook.js"
import { spanNames } from "../src/model/operations.js"
import { Embedder, EmbedderError } from "../src/ports/Embedder.js"
import { attributesOf, collector } from "./support/collector.js"
import { type EngineOptions, fresh, methodPaths, open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { linesOf, namesOf } from "./support/traceFile.js"

type System = Context.Tag.Service<Daybook>

/** Runs work with a trace file, and returns the file's lines at the end. */
const tracedTo = <A, E>(file: string, work: Effect.Effect<A, E>, options: Partial<Telemetry.TraceFileOptions> = {}) =>
  Effect.map(Effect.provide(work, Telemetry.layerFile({ file, ...options })), () => linesOf(file))

/** Work on an engine of its own, with a file that does not exist yet. */
const traceOf = <A, E>(work: (daybook: System) => Effect.Effect<A, E>, options: EngineOptions = {}) =>
  Effect.flatMap(temporaryFolder, (folder) =>
    tracedTo(join(folder, "trace.jsonl"), Effect.scoped(Effect.flatMap(open(join(folder, "data"), options), work)))
  )

const failing = Layer.succeed(Embedder, {
  model: "broken-8",
  dimensions: 8,
  weight: 0.5,
  floor: 0.1,
  local: true,
  batch: 8,
  embed: () => Effect.fail(new EmbedderError({ model: "broken-8", reason: "failed" }))
})

describe("a trace file", () => {
  it.scopedLive("has a span for each operation, with the engine's spans and events below it", () =>
    Effect.gen(function* () {
      const lines = yield* traceOf(
        (daybook) =>
          Effect.gen(function* () {
            const memory = yield* daybook.agent("coop", { trust: "full" })
            const { id } = yield* memory.remember({
              title: "The staging database listens on port 5432",
              type: "config"
            })
            yield* memory.remember({ title: "The staging database listens on port 6543 now", type: "config" })
            yield* memory.search({ text: "staging database" })
            yield* Effect.exit(memory.update(id, { title: "another" }))
            yield* Effect.exit(memory.forget("Zyxquill"))
          }),
        { reconciler: RuleReconciler.layer }
      )
      const spans = lines.filter(({ type }) => type === "span")
      const search = spans.find(({ name }) => name === "search_memory")!
      expect(search).toMatchObject({
        status: "ok",
        attributes: {
          agent: "coop",
          level: "full",
          "daybook.method": "Memory.search",
          "gen_ai.operation.name": "search_memory",
          "gen_ai.memory.record.count": 1
        }
      })
      expect(search.millis).toBeGreaterThan(0)
      expect(search.parent).toBeUndefined()
      const [write] = spans.filter(({ name }) => name === "upsert_memory")
      const below = (parent: string) => spans.filter((span) => span.parent === parent)
      const run = below(write!.span!).find(({ name }) => name === "Actor.run")!
      expect(run.attributes).toEqual({ commands: 1 })
      expect(below(run.span!).map(({ name }) => name)).toContain("EventLog.append")
      expect(new Set([write!.trace, run.trace])).toEqual(new Set([write!.trace]))
      // An id that is none may be a text.
      const wrong = spans.filter(({ name, status }) => name === "delete_memory" && status === "error")
      expect(wrong.map(({ attributes }) => attributes!["error.type"])).toEqual(["MemoryNotFound"])
      expect(JSON.stringify(lines)).not.toContain("Zyxquill")
      const events = lines.filter(({ type }) => type === "event")
      const find = (name: string) => events.find((event) => event.name === name)?.attributes
      expect(find("start.initializing")).toBeUndefined()
      expect(find("start.embedding_configured")).toMatchObject({ dimensions: 256, local: true })
      expect(find("reconciliation.requested")).toEqual({ by: "rule", statements: 1 })
      const parentOf = (name: string) => events.find((event) => event.name === name)?.in
      expect(["requested", "decided", "applied"].map((what) => parentOf(`reconciliation.${what}`))).toEqual(
        Array(3).fill("Actor.run")
      )
      expect(find("reconciliation.decided")).toEqual({ action: "DELETE", by: "rule", candidates: 1, fallback: false })
      expect(find("reconciliation.applied")).toEqual({ action: "DELETE" })
      expect(find("embedding.request")).toMatchObject({ outcome: "ok", texts: 1, purpose: "document", dimensions: 256 })
      expect(namesOf(lines, "event")).toContain("start.initializing")
      expect(namesOf(lines, "metric")).toEqual(
        expect.arrayContaining(["daybook_operation_millis", "daybook_log_events", "daybook_open_views"])
      )
    })
  )

  it.scopedLive("names what became of a prompt, of captured turns, of summaries and of maintenance", () =>
    Effect.gen(function* () {
      const lines = yield* traceOf(
        (daybook) =>
          Effect.gen(function* () {
            const memory = yield* daybook.agent("coop", { trust: "full" })
            yield* memory.remember({ title: "Deploys happen on Tuesdays", tier: "mid" })
            yield* memory.context({ message: "When do deploys happen?", parts: "recalled" })
            yield* memory.context({ message: "thanks!" })
            yield* memory.context({ message: "Which zebra crossed the harbour?" })
            yield* memory.sessions.append({ session: "monday", role: "user", text: "Well. I like green tea." })
            yield* memory.sessions.append({ session: "monday", role: "assistant", text: "Noted." })
            yield* memory.sessions.end("monday")
            yield* memory.sessions.summarize("monday")
            yield* memory.maintenance.run({ stages: ["gc", "sessions"] })
          }),
        { extractor: tinyLayer }
      )
      const of = (name: string) => lines.filter((line) => line.type === "event" && line.name === name)
      expect(of("prompt_index.built")[0]!.attributes).toEqual({ candidates: 1 })
      expect(of("prompt_index.injected")[0]!.attributes).toMatchObject({ memories: 1 })
      expect(of("prompt_index.skipped").map(({ attributes }) => attributes!.reason)).toEqual(
        expect.arrayContaining(["gate", "nothing_found"])
      )
      expect(of("capture.extracted")[0]!.attributes).toMatchObject({ extracted_count: 1, written_count: 1, turns: 1 })
      expect(of("session_summary.written")).toHaveLength(1)
      expect(of("session_summary.skipped").at(-1)!.attributes).toEqual({ reason: "unchanged" })
      expect(of("maintenance.run_started")[0]!.attributes).toEqual({ stages: 2 })
      expect(of("maintenance.stage").map(({ attributes }) => attributes!.stage)).toEqual(["gc", "sessions"])
      expect(namesOf(lines, "span")).toContain("Maintenance.stage")
    })
  )

  it.scopedLive("tells that a search went on without vectors", () =>
    Effect.gen(function* () {
      const lines = yield* traceOf(
        (daybook) =>
          Effect.gen(function* () {
            const memory = yield* daybook.agent("coop", { trust: "full" })
            yield* memory.remember({ title: "Deploys happen on Tuesdays" })
            yield* memory.search({ text: "deploys" })
          }),
        { embedder: failing }
      )
      const event = lines.find(({ name }) => name === "search.vector_fallback")!
      expect(event.attributes).toEqual({ model: "broken-8", reason: "full_text" })
      const failed = lines.filter(({ name }) => name === "embedding.request")
      expect(failed.at(-1)!.attributes).toMatchObject({ outcome: "failed", model: "broken-8" })
      const fallback = lines.filter(({ name, tags }) => name === "daybook_fallbacks" && tags?.part === "vectors")
      expect(fallback).toHaveLength(1)
    })
  )

  it.scopedLive("belongs to its owner, is continued, and is begun again when it is full", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "trace.jsonl")
      writeFileSync(file, '{"type":"event","name":"earlier"}\n', { mode: 0o644 })
      const span = Effect.withSpan(Effect.void, "Views.catchUp")
      yield* tracedTo(file, span)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(namesOf(linesOf(file), "event")).toContain("earlier")
      expect(namesOf(linesOf(file), "span")).toEqual(["Views.catchUp"])
      const other = join(folder, "other.jsonl")
      yield* tracedTo(other, Effect.repeatN(Effect.zipRight(span, Effect.sleep(1)), 400), { maxBytes: 20_000 })
      expect(statSync(`${other}.1`).size).toBeLessThan(20_000 + (64 << 10) + 1_000)
      expect(statSync(`${other}.1`).mode & 0o777).toBe(0o600)
    })
  )

  it.scopedLive("that cannot be written fails nothing, and is told once", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "taken"))
      const told: Array<string> = []
      const logger = Logger.make(({ message }) => told.push(JSON.stringify(message)))
      for (const file of [join(folder, "taken"), join(folder, "missing", "trace.jsonl")]) {
        told.length = 0
        const work = Effect.scoped(
          Effect.gen(function* () {
            const memory = yield* (yield* open(yield* temporaryFolder)).agent("coop", { trust: "full" })
            yield* memory.remember({ title: "The ferry leaves at noon" })
            expect(yield* memory.search({ text: "ferry" })).toHaveLength(1)
          })
        )
        yield* Effect.provide(tracedTo(file, work), Logger.replace(Logger.defaultLogger, logger))
        expect(told.filter((line) => line.includes("cannot be written"))).toHaveLength(1)
      }
    })
  )

  it.scopedLive("escapes what others name, such as a model and the trace of a caller", () =>
    Effect.gen(function* () {
      const awkward = 'a"b\\c'
      const parent = Tracer.externalSpan({ traceId: awkward, spanId: awkward, sampled: true })
      const work = Effect.annotateCurrentSpan({ agent: awkward, tokens: 1, constructor: awkward }).pipe(
        Effect.withSpan("Memory.get", { parent, kind: "server" })
      )
      const lines = yield* tracedTo(join(yield* temporaryFolder, "trace.jsonl"), work)
      expect(lines[0]).toMatchObject({
        kind: "server",
        trace: awkward,
        parent: awkward,
        attributes: { agent: awkward, tokens: 1 }
      })
    })
  )

  it("cuts no line, also if the system takes a part of them", () => {
    // A pipe holds 64 kB, so that the system takes the lines in parts.
    const pipe = join(mkdtempSync(join(tmpdir(), "daybook-")), "pipe")
    execFileSync("mkfifo", [pipe])
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    const lines = makeTraceLines({ file: pipe, maxBytes: 1_000_000 })
    let text = ""
    const read = () => {
      const buffer = Buffer.alloc(1 << 20)
      text += buffer.toString("utf8", 0, readSync(reader, buffer))
    }
    for (let number = 0; number < 200; number++) lines.add(lineOf({ number, text: "x".repeat(999) }))
    lines.flush()
    expect(lines.failure()).toBe("EAGAIN")
    read()
    lines.add(lineOf({ number: "last" }))
    lines.close()
    read()
    const numbers = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).number)
    expect(numbers.length).toBeGreaterThan(50)
    expect(numbers).toEqual([...numbers.slice(0, -1).keys(), "last"])
    closeSync(reader)
    rmSync(dirname(pipe), { recursive: true })
  })

  it("drops lines, and goes on when the file can be written again", () => {
    const lines = makeTraceLines({ file: "/nonexistent/trace.jsonl", maxBytes: 1_000_000 })
    lines.add(lineOf({ a: 1 }))
    lines.flush()
    expect(lines.failure()).toBe("ENOENT")
    lines.close()
  })
})

const lineOf = (fields: object) => ({ json: () => JSON.stringify(fields) })

/** Spans as a careless program or library makes them: with texts in every place. */
const careless = (secret: string) =>
  Effect.gen(function* () {
    const span = yield* Effect.currentSpan
    span.event(`said ${secret}`, 0n, { text: secret, tokens: 3 })
    yield* Effect.annotateCurrentSpan({ query: secret, agent: `${secret} and others`, level: secret, tokens: 5 })
    yield* Effect.annotateCurrentSpan({ model: `a ${secret}`, "gen_ai.memory.record.id": secret, [secret]: 1 })
    return yield* Effect.fail(Object.assign(new Error(secret), { name: `Failure of ${secret}` }))
  }).pipe(Effect.withSpan(`search for ${secret}`, { attributes: { text: secret } }), Effect.ignore)

describe("the filter of attributes", () => {
  const secret = "Zyxquill"

  it.scopedLive("lets no text into the file: not as a name, an attribute, an event or an error", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "trace.jsonl")
      const lines = yield* tracedTo(file, careless(secret))
      expect(readFileSync(file, "utf8")).not.toContain(secret)
      expect(lines.find(({ type }) => type === "span")).toMatchObject({
        name: "span",
        status: "error",
        attributes: { tokens: 5, "error.type": "_OTHER" }
      })
      expect(lines.find(({ type }) => type === "event")).toMatchObject({ name: "span", attributes: { tokens: 3 } })
    })
  )

  it.scopedLive("lets none through to a collector, or to the tracer of another package", () =>
    Effect.gen(function* () {
      const { bodies, spans, url } = yield* collector()
      yield* Effect.provide(careless(secret), Telemetry.layerOtlp({ url, spansEvery: 50 }))
      expect(spans()).toHaveLength(1)
      expect(bodies.map(({ text }) => text).join("\n")).not.toContain(secret)
      const heard: Array<string> = []
      const own = Tracer.make({
        context: (run) => run(),
        span: (name, parent, context, links, startTime, kind) => {
          heard.push(name)
          return {
            ...{ _tag: "Span", name, parent, context, links, kind, spanId: "s", traceId: "t", sampled: true },
            status: { _tag: "Started", startTime },
            attributes: new Map(),
            attribute: (...said) => heard.push(JSON.stringify(said)),
            event: (name, _, said) => heard.push(name, JSON.stringify(said)),
            end: (_, exit) => heard.push(String(exit)),
            addLinks: () => {}
          } as Tracer.Span
        }
      })
      yield* Effect.provide(careless(secret), Layer.provide(Telemetry.layerFiltered, Layer.setTracer(own)))
      expect(heard).toContain('["tokens",5]')
      expect(heard.join("\n")).not.toContain(secret)
    })
  )
})

describe("OTLP", () => {
  it.scopedLive("carries spans with their events, and metrics, to a collector", () =>
    Effect.gen(function* () {
      const { bodies, metricNames, spans, url } = yield* collector()
      const work = Effect.scoped(
        Effect.gen(function* () {
          const memory = yield* (yield* open(yield* temporaryFolder)).agent("coop", { trust: "full" })
          yield* memory.remember({ title: "The ferry leaves at noon" })
          yield* memory.context({ message: "When does the ferry leave?", parts: "recalled" })
        })
      )
      const headers = { authorization: "Bearer collector-key" }
      yield* Effect.provide(work, Telemetry.layerOtlp({ url, headers, serviceName: "harbour" }))
      const context = spans().find(({ name }) => name === "search_memory")!
      expect(attributesOf(context)).toMatchObject({ "daybook.method": "Memory.context", agent: "coop" })
      expect(context.events.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["prompt_index.built", "prompt_index.injected"])
      )
      for (const name of ["daybook_operation_millis", "daybook_log_events", "daybook_open_views"])
        expect(metricNames()).toContain(name)
      expect(bodies[0]!.text).toContain('"harbour"')
      expect(bodies[0]!.headers).toContain("Bearer collector-key")
    })
  )

  it.scopedLive("loses no span that ended before the end, also if its export is in progress then", () =>
    Effect.gen(function* () {
      const { spans, url } = yield* collector({ delay: 400 })
      const span = Effect.withSpan(Effect.void, "Views.catchUp")
      // An export begins every 20 ms, and takes 400.
      const work = Effect.repeatN(Effect.zipRight(span, Effect.sleep(15)), 9)
      yield* Effect.provide(work, Telemetry.layerOtlp({ url, spansEvery: 20 }))
      expect(spans()).toHaveLength(10)
    })
  )

  it.scopedLive("waits two seconds for a collector at the end, and says what it gave up", () =>
    Effect.gen(function* () {
      const { spans, url } = yield* collector({ delay: 30_000 })
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => said.push(JSON.stringify(message)))
      const work = Effect.zipRight(Effect.withSpan(Effect.void, "Views.catchUp"), Effect.sleep(100))
      const startedAt = performance.now()
      yield* Effect.provide(work, Telemetry.layerOtlp({ url, spansEvery: 20 })).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger))
      )
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      expect(spans()).toEqual([])
      expect(said).toContainEqual(expect.stringMatching(/did not accept the last telemetry.*"requests":[1-9]/))
    })
  )

  it.scopedLive("to a collector that is not there fails nothing", () =>
    Effect.gen(function* () {
      const work = Effect.scoped(
        Effect.gen(function* () {
          const memory = yield* (yield* open(yield* temporaryFolder)).agent("coop", { trust: "full" })
          return yield* memory.remember({ title: "The ferry leaves at noon" })
        })
      )
      const answer = yield* Effect.provide(work, Telemetry.layerOtlp({ url: "http://127.0.0.1:9" }))
      expect(answer.outcome).toBe("added")
    })
  )
})

describe("an option of telemetry", () => {
  const otlp: ReadonlyArray<readonly [object, string]> = [
    [{ uri: "http://127.0.0.1:9" }, "uri: is not a known option: use url, headers, serviceName, spansEvery"],
    [{ servicename: "harbour" }, "servicename: is not a known option"],
    [{ url: "127.0.0.1:4318" }, "url: must be an http or https address"],
    [{ url: 4318 }, "url: must be an http or https address"],
    [{ url: "http://127.0.0.1:4318/v1/traces" }, "without `/v1/traces`: Daybook appends the path of each signal"],
    [{ closeMillis: "x" }, "closeMillis: must be a whole number from 0"],
    [{ spansEvery: 0 }, "spansEvery: must be a whole number from 1"],
    [{ metricsEvery: Number.NaN }, "metricsEvery: must be a whole number from 1"],
    [{ serviceName: "" }, "serviceName: must be a non-empty text"],
    [{ headers: { authorization: 1 } }, "headers: must be an object whose keys are header names"],
    [{ headers: "authorization=key" }, "headers: must be an object whose keys are header names"],
    [{ headers: null }, "headers: must be an object whose keys are header names"]
  ]
  const file: ReadonlyArray<readonly [object | undefined, string]> = [
    [{ path: "trace.jsonl" }, "path: is not a known option: use file, maxBytes, metricsEvery"],
    [{}, "file: is missing"],
    [undefined, "file: is missing"],
    [{ file: 1 }, "file: must be a non-empty text"],
    [{ file: "trace.jsonl", maxBytes: "1" }, "maxBytes: must be a whole number from 1"],
    [{ file: "trace.jsonl", metricsEvery: 0 }, "metricsEvery: must be a whole number from 1"]
  ]
  const layers = [
    ...otlp.map(([options, message]) => ["layerOtlp", options, Telemetry.layerOtlp(options), message] as const),
    ...file.map(([options, message]) => ["layerFile", options, Telemetry.layerFile(options as never), message] as const)
  ]
  it.effect.each(layers)("is refused by %s: %j", ([, , layer, message]) =>
    Effect.map(Effect.flip(Effect.provide(Effect.void, layer)), (error) => {
      expect(error).toMatchObject({ _tag: "InvalidInput", message: expect.stringContaining(message) })
    })
  )
})

describe("the names of operations", () => {
  it.scopedLive("cover every method of a handle", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("coop", { trust: "full" })
      const named = Object.keys(spanNames).map((method) => method.slice("Memory.".length))
      expect(named.sort()).toEqual([...methodPaths(memory)].sort())
    })
  )
})
