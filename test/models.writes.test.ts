import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { promptDigest } from "../layers/models/reconcilePrompt.js"
import { policyReconcilerLayer } from "../layers/reconcilers.js"
import { decode } from "../src/ports/Policy.js"
import { open, temporaryFolder } from "./support/engine.js"
import { environment, key, overheard } from "./support/modelCases.js"
import type { ModelRequest, Protocol } from "./support/modelProtocols.js"
import { type Behaviour, modelServer } from "./support/modelServer.js"
import { layerWithSettings } from "./support/settings.js"
import { firstOrAll, rounds } from "./support/size.js"

const agents = Array.from({ length: 10 }, (_, at) => `agent-${at}`)
const writesOfEach = rounds({ quick: 10, full: 100, ci: 20 })
const name = "Quvexira"
const prose = `Certainly! ${"These two are much alike, and yet they are not. ".repeat(2_100)}`

/** How the model takes a statement, which names it; and what the event says of it. */
const cases: Readonly<
  Record<string, { readonly takes: (request: ModelRequest, asked: number) => Behaviour; readonly told?: RegExp }>
> = {
  adds: { takes: () => ({ answer: { reason: "new", action: "ADD", target: null, merged: null } }) },
  mentions: { takes: () => ({ answer: { reason: "same", action: "NONE", target: 0, merged: null } }) },
  replaces: {
    takes: () => ({ answer: { reason: "changed", action: "DELETE", target: 0, certain: true, merged: null } })
  },
  merges: {
    takes: ({ data }) => {
      const merged = {
        title: data.memories[0].title,
        narrative: null,
        facts: [`merged ${data.statement.title}`],
        tags: null
      }
      return { answer: { reason: "more", action: "UPDATE", target: 0, merged } }
    }
  },
  waits: {
    takes: (_, asked) =>
      asked === 0
        ? { status: 429, headers: { "retry-after": "0" } }
        : { answer: { reason: "new", action: "ADD", target: null, merged: null } }
  },
  breaks: { takes: () => ({ status: 500 }), told: /status 500/ },
  mumbles: { takes: () => ({ text: '{"action": "DEL' }), told: /unreadable/ },
  points: {
    takes: () => ({ answer: { reason: "that one", action: "DELETE", target: 99, merged: null } }),
    told: /target/
  },
  invents: {
    takes: () => ({ answer: { reason: "why not", action: "ERASE", target: 0, merged: null } }),
    told: /action/
  },
  talks: { takes: () => ({ text: prose }), told: /unreadable/ }
}
const kinds = Object.keys(cases)
const outcomes: Readonly<Record<string, string>> = { mentions: "mentioned", replaces: "replaced", merges: "merged" }

const statement = (agent: string, at: number) => ({
  title: `${name} ${kinds[at % kinds.length]} the shelf in hall ${agent.replace("agent-", "")} for box number ${at}`,
  type: "technical"
})

const policyOf = (protocol: Protocol, baseUrl: string, patience = 60_000) => ({
  reconcile: { reconciler: "model", threshold: 0.1, timeout: 20 * patience },
  recall: { log: false },
  model: {
    ...(protocol === "messages" ? { provider: "anthropic" } : { provider: "openai", api: protocol }),
    model: "small-1",
    baseUrl,
    keyVariable: "TEST_MODEL_KEY",
    timeout: patience / 2,
    patience,
    retries: 1,
    backoff: 5,
    concurrency: 40
  }
})

/** A memory system whose policy names the model: each agent has something that its statements are like. */
const withModel = (protocol: Protocol, folder: string, baseUrl: string, patience?: number) =>
  Effect.gen(function* () {
    const policy = policyOf(protocol, baseUrl, patience)
    const decoded = yield* decode(policy)
    return yield* open(folder, {
      policy,
      reconciler: policyReconcilerLayer(decoded).pipe(layerWithSettings(environment)) as never
    })
  })

type Opened = Effect.Effect.Success<ReturnType<typeof withModel>>

/** Everything that every agent is told, one after the other, the agents beside each other. */
const writeAll = (daybook: Opened, each = writesOfEach) =>
  Effect.forEach(
    agents,
    (agent) =>
      Effect.gen(function* () {
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const first = `${name} built the shelf in hall ${agent.replace("agent-", "")} for boxes`
        yield* memory.remember({ title: first }, { reconcile: false })
        return yield* Effect.forEach(Array.from({ length: each }).keys(), (at) =>
          Effect.map(memory.remember(statement(agent, at)), (answer) => ({
            agent,
            answer,
            kind: kinds[at % kinds.length]!
          }))
        )
      }),
    { concurrency: agents.length }
  ).pipe(Effect.map((all) => all.flat()))

/** With each answer the event that it named, and whether its memory is there, unless a later statement retired it. */
const checked = (daybook: Opened, answers: Effect.Effect.Success<ReturnType<typeof writeAll>>) =>
  Effect.forEach(agents, (agent) =>
    Effect.gen(function* () {
      const own = answers.filter((one) => one.agent === agent)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(daybook.log(agent)))
      const byVersion = new Map(events.map((event) => [event.version, event]))
      const retired = events.flatMap(({ payload, type }) =>
        type === "DELETE" ? [(payload as { memory: { id: string } }).memory.id] : []
      )
      const there = new Set([
        ...retired,
        ...(yield* memory.get(own.map(({ answer }) => answer.id))).map(({ id }) => id)
      ])
      return own.map((one) => ({
        ...one,
        event: byVersion.get(one.answer.version ?? -1),
        there: there.has(one.answer.id)
      }))
    })
  ).pipe(Effect.map((all) => all.flat()))

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe.each(firstOrAll<Protocol>(["responses", "messages"]))("writes beside a model that speaks %s", (protocol) => {
  it.scopedLive("all succeed, whatever the model answers, and each event says what happened", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* modelServer({ key })
      const asked = new Map<string, number>()
      server.otherwise((request) => {
        const { title } = request.data.statement
        const times = asked.get(title) ?? 0
        asked.set(title, times + 1)
        const kind = title.split(" ")[1]
        return cases[kind]!.takes(request, times)
      })
      const daybook = yield* withModel(protocol, folder, server.url)
      const { exit, text } = yield* overheard(writeAll(daybook))
      if (exit._tag === "Failure") throw new Error(text.slice(0, 4_000))
      const written = yield* checked(daybook, exit.value)
      expect(written).toHaveLength(agents.length * writesOfEach)
      expect(new Set(written.map(({ agent, answer }) => `${agent} ${answer.version}`)).size).toBe(written.length)
      const counts: Record<string, number> = {}
      for (const { answer, event, kind, there } of written) {
        const { told } = cases[kind]!
        const { decision } = event!.payload as {
          decision: { by: object; action: string; fallback?: string; latency?: number }
        }
        expect(there).toBe(true)
        expect([answer.outcome, decision.fallback ?? "no fallback"]).toEqual([
          outcomes[kind] ?? "added",
          told === undefined ? "no fallback" : expect.stringMatching(told)
        ])
        if (told === undefined) {
          expect(decision.by).toEqual({
            kind: "model",
            name: protocol === "messages" ? "anthropic/small-1" : "openai/small-1",
            promptDigest
          })
        } else {
          expect(decision.action).toBe("ADD")
        }
        counts[`${kind} → ${answer.outcome}`] = (counts[`${kind} → ${answer.outcome}`] ?? 0) + 1
      }
      expect(server.problems).toEqual([])
      // What was written and the key are in no log line, span or error; the key is in no file.
      expect(text).not.toContain(name)
      expect(text).not.toContain(key)
      for (const file of filesOf(folder)) expect(readFileSync(file).includes(key)).toBe(false)
      console.log(`${protocol}: ${written.length} writes, ${server.requests.length} requests;`, counts)
    })
  )

  it.scopedLive.each([
    ["nobody answers at its address", /no connection/],
    ["it never answers", /timeout|kept changing/]
  ] as const)("all come to be where %s", ([, reason]) =>
    Effect.gen(function* () {
      const few = rounds({ quick: 3, full: 20 })
      const folder = yield* temporaryFolder
      const server = yield* modelServer({ key })
      server.otherwise({ hang: true })
      // A port that was free a moment ago.
      const { url } = reason.test("timeout") ? server : yield* Effect.scoped(modelServer({ key }))
      const daybook = yield* withModel(protocol, folder, url, reason.test("timeout") ? 400 : undefined)
      const written = yield* checked(daybook, yield* writeAll(daybook, few))
      expect(written).toHaveLength(agents.length * few)
      for (const { answer, event, there } of written) {
        expect([answer.outcome, there]).toEqual(["added", true])
        expect((event!.payload as { decision: { fallback: string } }).decision.fallback).toMatch(reason)
      }
    })
  )
})
