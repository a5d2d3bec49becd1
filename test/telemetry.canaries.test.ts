import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import { Client } from "../layers/client/index.js"
import { policyEmbedderLayer } from "../layers/embedders.js"
import * as RuleReconciler from "../layers/RuleReconciler.js"
import * as Telemetry from "../layers/telemetry/index.js"
import { Daybook } from "../src/Daybook.js"
import type { Memory } from "../src/Memory.js"
import { decode } from "../src/ports/Policy.js"
import { collector } from "./support/collector.js"
import { answers, open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { startServer } from "./support/httpServer.js"
import { call, clientAt } from "./support/mcp.js"
import { layerWithSettings } from "./support/settings.js"
import { linesOf } from "./support/traceFile.js"

/** Words that occur nowhere else. Whatever is written, asked or sent holds one of them. */
const words = {
  title: "Zyxquill",
  narrative: "Vorplenax",
  fact: "Quixarbel",
  person: "Mirandolf",
  tag: "wexlonby",
  session: "Drovanik",
  turn: "Tomdrivel",
  note: "Plinkwort",
  query: "Quebnarth",
  file: "Gramsovel",
  goal: "Hextwizzle",
  wrong: "Ozgarblent",
  header: "Jukravost",
  key: "sk-canary-8Jt6secretKEYx9"
}

/** Every write of a handle with the words, right and wrong. A wrong one fails while its input is decoded, or later. */
const write = (memory: Memory) =>
  Effect.gen(function* () {
    const { fact, file, goal, narrative, note, person, query, session, tag, title, turn, wrong } = words
    const content = { narrative: `${narrative} said so`, facts: [fact], people: [person], tags: [tag] }
    const { id } = yield* memory.remember({ title: `${title} likes boats`, session, project: title, ...content })
    const writes: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      memory.remember({ title: `${title} likes boats no more`, ...content }),
      memory.rememberAll([{ title: `${title} one` }, { title: `${title} two`, type: wrong } as never]),
      memory.remember({ title: `the password is ${title}-hunter2-Qq9` }),
      memory.remember({ title: wrong.repeat(2_000) }),
      memory.remember({ [wrong]: title } as never),
      memory.remember({ title: 7, narrative: wrong } as never),
      memory.remember({ title: wrong }, { [wrong]: 1 } as never),
      memory.remember({ title, occurredAt: wrong }),
      memory.update(id, { title: `${title} sails` }),
      memory.update(wrong, { title }),
      memory.vouch([id, wrong]),
      memory.updatePerson(person, { relationship: fact, [wrong.toLowerCase()]: tag }),
      memory.updatePerson(person, { [wrong]: fact }),
      memory.updatePerson(person, { [wrong.toLowerCase()]: 7 as never }),
      memory.decide(wrong, "both"),
      memory.sessions.append({ session, role: "user", text: `${turn}. I like ${turn}.`, speaker: person }),
      memory.sessions.append({ session, role: "assistant", text: `${turn} noted` }),
      memory.sessions.append({ session, role: wrong as never, text: turn }),
      memory.sessions.appendAll([{ session, text: turn }]),
      memory.sessions.extract(session),
      memory.sessions.end(session),
      memory.sessions.end(wrong),
      memory.sessions.rolling.roll(session),
      memory.files.add({ path: `${file}.md`, text: `# ${file}` }),
      memory.files.forget(wrong),
      memory.notes.save({ content: note, tags: [tag] }),
      memory.notes.delete(wrong),
      memory.scratchpad.write(session, [note]),
      memory.observeTool({ tool: tag, input: query, output: note }),
      memory.schedules.add({ goal, every: 60_000 }),
      memory.schedules.add({ goal, cron: wrong }),
      memory.importMarkdown([`/tmp/${file}.md`]),
      memory.archive.add(id),
      memory.archive.restore(id),
      memory.maintenance.run(),
      memory.maintenance.run({ stages: [wrong as never] }),
      memory.context({ message: `What do you know about ${query} and ${title}?`, session }),
      memory.context({ [wrong]: 1 } as never),
      memory.search({ text: `${query} boats`, people: [person], tags: [tag] }),
      memory.search({ text: title, types: [wrong] as never, at: wrong }),
      memory.explain({ text: `${query} person:${person}` }),
      memory.forget(id),
      memory.undo({ run: wrong })
    ]
    const failed = yield* Effect.forEach(writes, Effect.exit)
    expect(failed.filter(({ _tag }) => _tag === "Failure").length).toBeGreaterThan(10)
  })

/** The same words over HTTP and MCP, in addresses, parameters, bodies and headers. */
const request = (daybook: Context.Tag.Service<Daybook>) =>
  Effect.gen(function* () {
    const { header, person, query, title, wrong } = words
    const server = yield* startServer({ wrap: () => daybook })
    const { text: token } = yield* server.tokenFor("*", "full")
    const send = (path: string, init: RequestInit = {}) =>
      Effect.promise(async () => {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "x-own": header }
        await (await fetch(server.url + path, { ...init, headers: { ...headers, traceparent: header } })).text()
      })
    yield* send(`/search?text=${query}&agent=ada`)
    yield* send(`/memories/${wrong}?agent=ada`)
    yield* send(`/people/${person}?agent=ada`, { method: "PATCH", body: JSON.stringify({ relationship: wrong }) })
    yield* send(`/${wrong}?${wrong}=${wrong}`)
    yield* send(`/memories?agent=ada`, { method: "POST", body: JSON.stringify({ title: `${title} over HTTP` }) })
    yield* send(`/memories?agent=ada`, { method: "POST", body: `{"title": "${wrong}` })
    yield* send(`/memories?agent=ada`, { method: "POST", body: JSON.stringify({ title: { [wrong]: wrong } }) })
    const remote = yield* Effect.provide(Client.make({ url: server.url, token }), FetchHttpClient.layer)
    yield* Effect.exit(remote.agent("ada").search({ text: query }))
    yield* Effect.exit(remote.agent("ada").get([wrong]))
    const client = yield* Effect.provideService(clientAt("full"), Daybook, daybook)
    yield* Effect.promise(async () => {
      await call(client, "memory_write", { title: `${title} by a tool` })
      await call(client, "memory_search", { query })
      await call(client, "memory_get", { ids: wrong })
      await call(client, wrong).catch(() => {})
    })
    return token
  })

/** Everything above on an engine whose embedder has a key, and breaks. */
const program: Effect.Effect<string, unknown, Scope.Scope> = Effect.gen(function* () {
  const policy = {
    recall: { log: true },
    search: { queryTimeout: 300 },
    embedding: {
      embedder: "openai-compatible/own-8",
      dimensions: 8,
      local: [],
      providers: {
        "openai-compatible": {
          baseUrl: "http://127.0.0.1:9/v1",
          keyVariable: "CANARY_KEY",
          ...{ retries: 0, timeout: 200, patience: 300, backoff: 1 }
        }
      }
    }
  }
  const values = Either.getOrThrow(decode(policy))
  const daybook = yield* open(yield* temporaryFolder, {
    policy,
    reconciler: RuleReconciler.layer,
    extractor: tinyLayer,
    embedder: Layer.orDie(policyEmbedderLayer(values)).pipe(layerWithSettings({ CANARY_KEY: words.key }))
  })
  const memory = yield* daybook.agent("ada", { trust: "full", record: true })
  yield* write(memory)
  const { person, query, title, wrong } = words
  yield* answers(memory, { ids: [wrong], texts: [title, query, wrong], people: [person] })
  yield* daybook.backfill("ada")
  return yield* request(daybook)
})

/** Nobody prints; every level is on, so that each log line is made. */
const loud = Layer.merge(
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(() => {})
  ),
  Logger.minimumLogLevel(LogLevel.All)
)

const hits = (text: string, secrets: ReadonlyArray<string>) =>
  secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()))

describe("texts, names, queries and keys", () => {
  it.scopedLive(
    "are in no line of the trace file",
    () =>
      Effect.gen(function* () {
        const file = join(yield* temporaryFolder, "trace.jsonl")
        const token = yield* Effect.scoped(program).pipe(
          Effect.provide(Telemetry.layerFile({ file })),
          Effect.provide(loud)
        )
        const lines = linesOf(file)
        expect(lines.length).toBeGreaterThan(200)
        const names = new Set(lines.map(({ name }) => name))
        for (const name of ["search_memory", "HTTP GET", "HTTP POST", "Embedder.embed", "tools/call memory_search"])
          expect(names).toContain(name)
        expect(lines.filter(({ status }) => status === "error").length).toBeGreaterThan(20)
        expect(hits(readFileSync(file, "utf8"), [...Object.values(words), token])).toEqual([])
      }),
    60_000
  )

  it.scopedLive(
    "reach no collector",
    () =>
      Effect.gen(function* () {
        const { bodies, spans, url } = yield* collector()
        const token = yield* Effect.scoped(program).pipe(
          Effect.provide(Telemetry.layerOtlp({ url, spansEvery: 100, metricsEvery: 100 })),
          Effect.provide(loud)
        )
        expect(spans().length).toBeGreaterThan(150)
        expect(spans().filter(({ status }) => status.code === 2).length).toBeGreaterThan(20)
        expect(spans().flatMap(({ events }) => events).length).toBeGreaterThan(50)
        const sent = bodies.map(({ text }) => text).join("\n")
        expect(sent).toContain("daybook_operation_millis")
        expect(hits(sent, [...Object.values(words), token])).toEqual([])
      }),
    60_000
  )
})
