import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { levels, type TrustLevel } from "../events/Trust.js"
import { Client, connect, InvalidInput, type RemoteDaybook } from "../layers/client/index.js"
import { hashVector } from "../layers/HashEmbedder.js"
import type { Daybook } from "../src/Daybook.js"
import type { AgentOptions } from "../src/DaybookService.js"
import { callerOf, serve, tokenFor } from "./support/apiServer.js"
import { disputingLayer } from "./support/disputes.js"
import { answers, type Flat, fresh, methodPaths, open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform, probesOf } from "./support/histories.js"
import { startServer } from "./support/httpServer.js"
import { lawRuns, rounds } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const start = Date.parse("2026-03-14T06:00:00Z")

const clientFor = (url: string, trust: TrustLevel) =>
  Effect.orDie(Effect.provide(Client.make({ url, token: tokenFor(trust) }), FetchHttpClient.layer))

/** A memory system whose operations are requests to a server, with a token for each level. What a server does not offer stays local. */
const remoteSystem = (local: System, url: string): Effect.Effect<System> =>
  Effect.gen(function* () {
    const clients = new Map<TrustLevel, RemoteDaybook>()
    for (const trust of ["full", "inner", "familiar", "public"] as const)
      clients.set(trust, yield* clientFor(url, trust))
    const { agent: _, ...operator } = clients.get("full")!
    const agent = (name: string, { trust, ...options }: AgentOptions) =>
      Effect.map(local.agent(name, { trust, ...options }), ({ importMarkdown }) => ({
        ...clients.get(trust)!.agent(name, options),
        importMarkdown
      }))
    return { ...local, ...operator, agent } as unknown as System
  })

const firstDifference = (actual: Flat, expected: Flat) =>
  Object.keys({ ...actual, ...expected })
    .filter((key) => actual[key] !== expected[key])
    .map((key) => `${key}: ${actual[key]} instead of ${expected[key]}`)[0]

describe("a client", () => {
  it.scopedLive("lists every agent, on as many pages as it takes", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.remember({ title: "The ferry leaves at noon" })
      const [row] = yield* daybook.agents
      const agents = Array.from({ length: 1_001 }, (_, index) => ({ ...row!, name: `agent-${index}` }))
      const client = yield* clientFor(yield* serve({ ...daybook, agents: Effect.succeed(agents) }), "full")
      expect((yield* client.agents).map(({ name }) => name)).toEqual(agents.map(({ name }) => name))
    })
  )

  it.scopedLive("has every method of a memory but the import of files", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      const client = yield* clientFor("http://127.0.0.1:1", "full")
      const local = methodPaths(memory).filter((path) => path !== "importMarkdown")
      expect([...methodPaths(client.agent("ada"))].sort()).toEqual([...local].sort())
    })
  )

  it.scoped.prop(
    "answers as the library does, at every level, now and as of the past",
    [
      histories(
        rounds({
          quick: { agents: ["ada"], minLength: 15, maxLength: 20 },
          full: { agents: ["ada", "Ωμέγα"], minLength: 40, maxLength: 60 }
        })
      )
    ],
    ([steps]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const folder = yield* temporaryFolder
        const policy = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }
        const local = yield* open(folder, { policy, reconciler: disputingLayer, extractor: tinyLayer })
        const daybook = yield* remoteSystem(local, yield* serve(local))
        const asked: Asked = new Map()
        for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
        const moments = [undefined, { at: start + 60 * 60_000 }].slice(0, rounds({ quick: 1, full: 2 }))
        const callers = levels.slice(0, rounds({ quick: 2, full: 4 }))
        for (const [agent, probe] of probesOf(asked)) {
          for (const [trust, asOf] of callers.flatMap((trust) => moments.map((asOf) => [trust, asOf] as const))) {
            const read = (system: System) =>
              Effect.flatMap(
                asOf === undefined ? system.agent(agent, { trust }) : system.agent(agent, { trust, asOf }),
                (reader) => answers(reader, probe)
              )
            expect(firstDifference(yield* read(daybook), yield* read(local))).toBeUndefined()
          }
        }
        for (const agent of asked.keys()) {
          const [stats, events] = [yield* daybook.stats(agent), yield* Stream.runCollect(daybook.log(agent))]
          expect(stats).toEqual(JSON.parse(JSON.stringify(yield* local.stats(agent))))
          expect([...events]).toEqual(JSON.parse(JSON.stringify([...(yield* Stream.runCollect(local.log(agent)))])))
        }
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 2 }) }, timeout: 600_000 }
  )

  it.scopedLive("sends messages and vectors that are longer than a URL may be", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const local = yield* daybook.agent("ada", { trust: "full" })
      yield* local.remember({ title: "the ferry leaves at nine" })
      yield* daybook.backfill("ada")
      const memory = (yield* clientFor(yield* serve(daybook), "full")).agent("ada")
      const text = `the ferry ${"and a long log of the harbour ".repeat(1_000)}`
      const embedding = new Float32Array(hashVector("the ferry leaves at nine"))
      const at = new Date()
      const asked = { message: text, at, parts: "recalled" } as const
      expect((yield* memory.context(asked)).user).toBe((yield* local.context(asked)).user)
      expect(yield* memory.search({ text, at })).toEqual(yield* local.search({ text, at }))
      expect((yield* memory.search({ text: "tea", embedding })).length).toBe(1)
      expect(yield* memory.sessions.search({ text, at })).toEqual([])
    })
  )

  it.scopedLive("sends the vector and the weights of a search", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const local = yield* daybook.agent("ada", { trust: "full" })
      yield* local.rememberAll([{ title: "the ferry leaves at nine" }, { title: "Mira repairs the kettle" }])
      yield* daybook.backfill("ada")
      const memory = (yield* clientFor(yield* serve(daybook), "full")).agent("ada")
      const embedding = hashVector("Mira repairs the kettle")
      const query = { text: "ferry", embedding, topK: 2, vectorWeight: 1.5, textWeight: 0.5 }
      const hits = yield* memory.search(query)
      expect(hits.map(({ title }) => title)).toEqual(["Mira repairs the kettle", "the ferry leaves at nine"])
      expect(hits).toEqual(JSON.parse(JSON.stringify(yield* local.search(query))))
      const refused = yield* Effect.flip(memory.search({ ...query, embedding: [1, 2] }))
      expect(refused).toMatchObject({ _tag: "InvalidInput", field: "embedding" })
      expect(yield* Effect.flip(memory.search({ text: "ferry", embedding: [] }))).toMatchObject({ field: "embedding" })
    })
  )

  it.scopedLive("gives a batch an answer for each entry, with the library's errors", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = (yield* clientFor(yield* serve(daybook), "inner")).agent("ada")
      const outcomes = yield* memory.rememberAll([
        { title: "The ferry leaves at noon" },
        { title: "" },
        [{ title: "The pier is closed", store: "private" }, { commandId: "pier" }]
      ])
      expect(outcomes.map((outcome) => (outcome._tag === "Right" ? outcome.right.outcome : outcome.left._tag))).toEqual(
        ["added", "InvalidInput", "StoreForbidden"]
      )
    })
  )

  it.scopedLive("repeats a write with the same command id without writing", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const client = yield* clientFor(yield* serve(daybook), "full")
      const memory = client.agent("ada")
      for (const commandId of ["chat-17", " für Ada: 100 % ", "utf-8''%zz"]) {
        const first = yield* memory.remember({ title: `about ${commandId}` }, { commandId })
        const again = yield* memory.remember({ title: `about ${commandId}` }, { commandId })
        expect(again).toEqual({ ...first, repeated: true })
      }
      expect((yield* client.stats("ada")).memories.created).toBe(3)
      const other = yield* Effect.flip(memory.remember({ title: "another" }, { commandId: "chat-17" }))
      expect(other).toMatchObject({ _tag: "CommandConflict", commandId: "chat-17" })
    })
  )

  it.scopedLive("tells a refusal of the server from an error of the library", () =>
    Effect.gen(function* () {
      const { tokenFor: tokenOf, url } = yield* startServer()
      const { text: token } = yield* tokenOf("coop", "full")
      const errorWith = (token: string, agent: string) =>
        Effect.flatMap(Effect.provide(Client.make({ url, token }), FetchHttpClient.layer), (client) =>
          Effect.flip(client.agent(agent).get(["none", ""]))
        )
      expect(yield* errorWith("none", "coop")).toMatchObject({
        _tag: "RequestRefused",
        status: 401,
        title: "InvalidToken"
      })
      expect(yield* errorWith(token, "other")).toMatchObject({ _tag: "AgentForbidden", agents: "coop" })
      expect(yield* errorWith(token, "coop")).toMatchObject({ _tag: "InvalidInput", field: "ids" })
    })
  )

  it.scopedLive("names the request when the server cannot be reached, and not its query", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const client = yield* clientFor(yield* Effect.scoped(serve(daybook)), "full")
      const error = yield* Effect.flip(client.agent("ada").search({ text: "canary" }))
      expect(error).toMatchObject({ _tag: "RequestFailed", kind: "connection", code: "ECONNREFUSED" })
      expect(String(error)).not.toContain("canary")
    })
  )
})

describe("an erasure over HTTP", () => {
  it.scopedLive("shows what would go, erases it, and lists it, with the token in the record", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const url = yield* serve(daybook)
      const memory = yield* daybook.agent("ada", { trust: "full" })
      const other = yield* daybook.agent("bob", { trust: "full" })
      const { id } = yield* memory.remember({ title: "Anna likes tea" })
      yield* memory.remember({ title: "The ferry leaves at noon" })
      yield* other.remember({ title: "Anna lives at the pier" })
      const client = yield* Effect.provide(Client.make({ url, token: tokenFor("full") }), FetchHttpClient.layer)
      const plan = yield* client.erase({ person: "Anna" }, { dryRun: true })
      expect(plan.agents.map(({ agent, memories }) => [agent, memories.length])).toEqual([
        ["ada", 1],
        ["bob", 1]
      ])
      expect(yield* memory.get([id])).toHaveLength(1)
      const done = yield* client.erase({ agent: "ada", person: "Anna" }, { reason: "privacy", actor: "desk" })
      expect(done.cleaning).toBe("done")
      expect(yield* memory.get([id])).toEqual([])
      expect(yield* other.list()).toHaveLength(1)
      expect(yield* Effect.flip(client.erase({ agent: "ada", ids: [id] }))).toMatchObject({
        _tag: "NothingToErase"
      })
      expect(yield* client.erasures("ada")).toMatchObject([
        { agent: "ada", reason: "privacy", selector: "person", actor: expect.stringMatching(/^token:.*\/desk$/) }
      ])
      yield* client.erase({ everythingOf: "bob" })
      expect((yield* daybook.agents).map(({ name }) => name)).toEqual(["ada"])
      const promised = connect({ url, token: tokenFor("full", "ada") })
      expect(yield* Effect.promise(() => promised.erasures("ada"))).toHaveLength(1)
    })
  )

  it.scopedLive("refuses a selection that is not exactly one, values of another type, and unknown fields", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const call = callerOf(yield* serve(daybook), tokenFor("full", "ada"))
      const memory = yield* daybook.agent("ada", { trust: "full" })
      const { id } = yield* memory.remember({ title: "Anna likes tea" })
      for (const [body, field] of [
        [{}, "erase"],
        [{ ids: [id], person: "Anna" }, "erase"],
        [{ ids: [id], everything: true }, "erase"],
        [{ ids: id }, "ids"],
        [{ ids: [id], dryRun: "false" }, "dryRun"],
        [{ ids: [id], revive: 1 }, "revive"],
        [{ ids: [id], reason: "spite" }, "reason"],
        [{ ids: [id], agent: "bob" }, "agent"],
        [{ ids: [id], actor: "me" }, "actor"],
        [{ everything: "bob" }, "everything"]
      ] as const)
        expect((yield* call("POST", "/erasures", body)).json.error).toMatchObject({ _tag: "InvalidInput", field })
      expect(yield* memory.get([id])).toHaveLength(1)
      expect(yield* daybook.erasures()).toEqual([])
    })
  )
})

describe("a client with promises", () => {
  it.scopedLive("writes, reads, reads the past and follows the log", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const url = yield* serve(daybook)
      yield* Effect.promise(async () => {
        const client = connect({ url, token: tokenFor("full") })
        const memory = client.agent("ada")
        const { id } = await memory.remember({ title: "The ferry leaves at noon" })
        await memory.sessions.append({ session: "monday", role: "user", text: "When does the ferry leave?" })
        await memory.update(id, { title: "The ferry leaves at one" })
        expect((await memory.get([id]))[0]?.title).toBe("The ferry leaves at one")
        const then = client.agent("ada", { asOf: { version: 1 } })
        expect((await then.list()).map(({ title }) => title)).toEqual(["The ferry leaves at noon"])
        expect((await client.agents()).map(({ name }) => name)).toEqual(["ada"])
        const types: Array<string> = []
        for await (const { type } of client.log("ada")) types.push(type)
        // Embedding happens in the background.
        expect(types.filter((type) => type !== "EMBED")).toEqual(["ADD", "TURN", "UPDATE"])
        expect((await client.verify("ada")).ok).toBe(true)
        const error = await memory.update(id, { title: "" }).catch((failure: unknown) => failure)
        expect(error).toBeInstanceOf(InvalidInput)
        expect(error).toMatchObject({ field: "title", problem: "is empty" })
      })
    })
  )
})
