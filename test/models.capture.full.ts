import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DaybookEvent } from "../events/catalogue.js"
import { policyExtractorLayer } from "../layers/extractors.js"
import { decode } from "../src/ports/Policy.js"
import { open, temporaryFolder } from "./support/engine.js"
import { environment, key, overheard } from "./support/modelCases.js"
import type { ModelRequest, Protocol } from "./support/modelProtocols.js"
import { type Behaviour, modelServer } from "./support/modelServer.js"
import { layerWithSettings } from "./support/settings.js"
import { rounds } from "./support/size.js"

const agents = Array.from({ length: 10 }, (_, hall) => `agent-${hall}`)
const turnsOfEach = rounds({ quick: 16, full: 200, ci: 30 })
const token = "ghp_9sKq2LmV0xWZ77aaPbR4hYc1TtQe3D5fG8j"

const titleOf = (hall: string, locker: number) => `The user's locker Quvexira-${locker} is in hall ${hall}`
const textOf = (hall: string, locker: number) => `My locker Quvexira-${locker} is in hall ${hall}.`

const factOf = ({ text, turn }: { readonly text: string; readonly turn: number }) => ({
  title: text.replace(/^My/, "The user's").replace(/\.$/, ""),
  type: "state",
  narrative: null as string | null,
  facts: null,
  project: null,
  topic: null,
  importance: null,
  occurred: null,
  expires: null,
  people: [],
  tags: [],
  sources: [{ turn, reason: "says so" }],
  statedBy: "user"
})

/** What a model that answers does, and how EXTRACT names its failure. */
const cases: Readonly<
  Record<string, { readonly takes: (request: ModelRequest) => Behaviour; readonly told?: RegExp }>
> = {
  answers: { takes: (request) => ({ answer: answerOf(request) }) },
  breaks: { takes: () => ({ status: 500 }), told: /failed \(status 500\)$/ },
  isBusy: { takes: () => ({ status: 429, headers: { "retry-after": "3600" } }), told: /failed \(status 429\)$/ },
  hangs: { takes: () => ({ hang: true }), told: /timeout$/ },
  isSlow: { takes: (request) => ({ answer: answerOf(request), delay: 3_000 }), told: /timeout$/ },
  hangsUp: { takes: () => ({ reset: true }), told: /no connection/ },
  mumbles: { takes: () => ({ text: '{"facts": [{"title": "The us' }), told: /unreadable answer$/ },
  points: {
    takes: (request) => ({ answer: answerOf(request, (fact) => ({ ...fact, sources: [{ turn: 99, reason: "r" }] })) }),
    told: /named an unknown turn$/
  },
  invents: {
    takes: (request) => ({ answer: answerOf(request, (fact) => ({ ...fact, title: "The user owes the bank money" })) }),
    told: /made a statement that no turn supports \(in \d+ of \d+ facts\)$/
  },
  echoes: {
    takes: (request) => ({ answer: answerOf(request, (fact) => ({ ...fact, narrative: `password: ${token}` })) }),
    told: /wrote a credential$/
  },
  floods: {
    takes: (request) => ({ answer: answerOf(request, (fact) => ({ ...fact, title: "locker".repeat(170_000) })) }),
    told: /wrote a statement that is too long$/
  }
}
const kinds = Object.keys(cases)

type Fact = ReturnType<typeof factOf>

function answerOf({ data }: ModelRequest, change: (fact: Fact) => Fact = (fact) => fact) {
  return { facts: data.turns.map(factOf).map(change), archive: [], summary: null }
}

/** A memory system whose policy names a model that extracts. */
const withModel = (protocol: Protocol, folder: string, baseUrl: string) =>
  Effect.gen(function* () {
    const policy = {
      reconcile: { reconciler: "none" },
      recall: { log: false },
      capture: { extractor: "model", minTurnMessages: 3, turns: 4 },
      model: {
        ...(protocol === "messages" ? { provider: "anthropic" } : { provider: "openai", api: protocol }),
        model: "small-1",
        baseUrl,
        keyVariable: "TEST_MODEL_KEY",
        timeout: 1_500,
        retries: 0,
        concurrency: 40
      }
    }
    const extractor = policyExtractorLayer(yield* decode(policy)).pipe(layerWithSettings(environment))
    return yield* open(folder, { policy, extractor: extractor as never })
  })

type Opened = Effect.Effect.Success<ReturnType<typeof withModel>>

const hallOf = (agent: string) => agent.replace("agent-", "")

/** Everything that every agent is told, one turn after the other, the agents beside each other. */
const say = (daybook: Opened) =>
  Effect.forEach(
    agents,
    (agent) =>
      Effect.gen(function* () {
        const memory = yield* daybook.agent(agent, { trust: "full" })
        for (let locker = 0; locker < turnsOfEach; locker++)
          yield* memory.sessions.append({ session: "day", text: textOf(hallOf(agent), locker) })
        return (yield* memory.sessions.extract()).pending
      }),
    { concurrency: agents.length }
  )

describe.each<Protocol>(["responses", "messages"])("turns beside a model that speaks %s", (protocol) => {
  it.scopedLive("are extracted once each, whatever the model answers, and each event says what happened", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* modelServer({ key })
      server.otherwise((request, number) => cases[kinds[number % kinds.length]!]!.takes(request))
      const daybook = yield* withModel(protocol, folder, server.url)
      const { exit, text } = yield* overheard(say(daybook))
      if (exit._tag === "Failure") throw new Error(text.slice(0, 4_000))
      expect(exit.value).toEqual(agents.map(() => 0))

      const outcomes = new Map<string, number>()
      for (const agent of agents) {
        const events = [...(yield* Stream.runCollect(daybook.log(agent)))]
        const turns = events.filter(({ type }) => type === "TURN")
        const extracts = events.filter(
          (event): event is Extract<DaybookEvent, { type: "EXTRACT" }> => event.type === "EXTRACT"
        )
        expect(turns).toHaveLength(turnsOfEach)
        expect(extracts.reduce((sum, { payload }) => sum + payload!.turns, 0)).toBe(turnsOfEach)
        expect(extracts.at(-1)!.payload!.until).toBe(turns.at(-1)!.version)
        const sources = extracts.flatMap(({ payload }) => payload!.captured.flatMap((captured) => captured.turns))
        expect(sources).toEqual(turns.map(({ version }) => version))

        const memory = yield* daybook.agent(agent, { trust: "full" })
        const titles = (yield* memory.list({ limit: 1_000 })).map(({ title }) => title)
        const expected = turns.map((_, locker) => titleOf(hallOf(agent), locker))
        expect([...titles].sort()).toEqual([...expected].sort())
        for (const { payload } of extracts) {
          const { by, captured, fallback } = payload!
          const kind = fallback === undefined ? "answers" : kinds.find((name) => cases[name]!.told?.test(fallback))
          outcomes.set(kind ?? `unknown: ${fallback}`, (outcomes.get(kind ?? `unknown: ${fallback}`) ?? 0) + 1)
          expect(by.kind).toBe(fallback === undefined ? "model" : "rule")
          for (const { action, rule } of captured)
            expect([action, rule === "model"]).toEqual(["ADD", fallback === undefined])
        }
      }
      // A slow model looks like one that hangs.
      expect([...outcomes.keys()].sort()).toEqual(kinds.filter((kind) => kind !== "isSlow").sort())
      expect(server.problems).toEqual([])
      for (const secret of [key, token, "Quvexira"]) expect(text).not.toContain(secret)
      console.log(`${protocol}: ${agents.length * turnsOfEach} turns, ${server.requests.length} requests;`, outcomes)
    })
  )
})
