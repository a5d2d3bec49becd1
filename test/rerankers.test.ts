import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { rerankerNamed } from "../layers/rerankers.js"
import { decode } from "../src/ports/Policy.js"
import { Reranker } from "../src/ports/Reranker.js"
import { fresh } from "./support/engine.js"
import { overheard } from "./support/modelCases.js"
import { type RerankingProvider, relevance, reranking } from "./support/providerProtocols.js"
import { type Behaviour, type ProviderServer, providerServer } from "./support/providerServer.js"
import { withSettings } from "./support/settings.js"
import { expectDuration } from "./support/size.js"

const key = "sk-test-rerank-5Xw7secretKEYd4"
const environment = { TEST_RERANK_KEY: key }

const models: Readonly<Record<RerankingProvider, string>> = {
  cohere: "rerank-v3.5",
  voyage: "rerank-2.5",
  jina: "jina-reranker-v2-base-multilingual",
  endpoint: "bge-reranker-v2-m3"
}

const policyFor = (provider: RerankingProvider, server: ProviderServer, more: object = {}) => {
  const named = provider === "endpoint" ? {} : { keyVariable: "TEST_RERANK_KEY" }
  const providers = { [provider]: { baseUrl: server.base(`rerank ${provider}`), ...named, backoff: 10, ...more } }
  return Either.getOrThrow(decode({ rerank: { providers } }))
}

const asking = (provider: RerankingProvider, more: object = {}) =>
  Effect.gen(function* () {
    const server = yield* providerServer(key)
    const name = `${provider}/${models[provider]}`
    const reranker = yield* rerankerNamed(name, policyFor(provider, server, more)).pipe(withSettings(environment))
    return { server, reranker: reranker!, name }
  })

const query = "where is the Quvexira pump"
const texts = ["nothing of the kind", "the Quvexira pump is in hall 3", "a pump"]

describe.each(reranking)("the reranker of %s", (provider) => {
  const model = models[provider]

  it.scopedLive("sends requests as its documentation says, and scores each text", () =>
    Effect.gen(function* () {
      const { name, reranker, server } = yield* asking(provider)
      expect(reranker).toMatchObject({ name, topN: 8, weight: 0.5, withheldStores: ["private"] })
      expect(reranker.local).toBeUndefined()
      expect(yield* reranker.rerank(query, texts)).toEqual(texts.map((text) => relevance(query, text)))
      const own: Readonly<Record<RerankingProvider, object>> = {
        cohere: { model, query, documents: texts, top_n: 3 },
        voyage: { model, query, documents: texts, top_k: 3, return_documents: false, truncation: true },
        jina: { model, query, documents: texts, top_n: 3, return_documents: false },
        endpoint: { model, query, documents: texts, top_n: 3 }
      }
      expect(server.requests.map(({ body }) => body)).toEqual([own[provider]])
      expect(server.problems).toEqual([])
    })
  )

  const failures: ReadonlyArray<readonly [string, ReadonlyArray<Behaviour>, string, number]> = [
    ["a wrong key", [{ status: 401 }], "failed (status 401, the server rejected the key)", 1],
    ["busy", [{ status: 429, headers: { "retry-after": "60" } }], "failed (status 429, too many requests)", 1],
    ["broken each time", [{ status: 500 }, { status: 503 }], "failed (status 503)", 2],
    ["cut off each time", [{ truncated: true }, { truncated: true }], "failed (unreadable answer)", 2],
    ["JSON of something else", [{ raw: '{"ok": true}' }], "failed (unreadable answer)", 1],
    ["too few", [{ answer: true, list: (scores) => scores.slice(1) }], "returned a wrong number of scores", 1],
    [
      "one twice",
      [{ answer: true, list: ([one, _, ...more]) => [one, one, ...more] }],
      "returned a wrong number of scores",
      1
    ],
    [
      "another's place",
      [{ answer: true, list: ([one, ...more]) => [{ ...one, index: 9 }, ...more] }],
      "returned a wrong number of scores",
      1
    ],
    [
      "no number",
      [{ answer: true, list: ([one, ...more]) => [{ ...one, relevance_score: null }, ...more] }],
      "returned invalid scores",
      1
    ]
  ]
  it.scopedLive.each(failures)("fails with a reason: %s", ([_, behaviours, reason, requests]) =>
    Effect.gen(function* () {
      const { name, reranker, server } = yield* asking(provider)
      server.next(...behaviours)
      const { exit, spans, text } = yield* overheard(reranker.rerank(query, texts))
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ _tag: "Fail" })
      expect(text).toContain(`reranker ${name}: ${reason}`)
      expect(server.requests).toHaveLength(requests)
      for (const secret of [key, query, ...texts, server.base(`rerank ${provider}`).slice(7)])
        expect(text).not.toContain(secret)
      expect(spans).toEqual(["Reranker.rerank"])
    })
  )

  it.scopedLive("sees the first hits of a search and no private text; a failure or time-out keeps the order", () =>
    Effect.gen(function* () {
      const { name, reranker, server } = yield* asking(provider, { timeout: 300, retries: 0 })
      const { daybook } = yield* fresh({
        reranker: Layer.succeed(Reranker, reranker),
        policy: { search: { rerankWeight: 1 } }
      })
      const memory = yield* daybook.agent("ada", { trust: "full" })
      for (let at = 0; at < 12; at++) {
        const store = at % 3 === 0 ? ("private" as const) : ("shared" as const)
        yield* memory.remember({ title: `Pump ${at} of the harbour${at === 4 ? " in hall number three" : ""}`, store })
      }
      yield* daybook.backfill("ada")
      const text = "harbour pump in hall three"
      server.otherwise(({ texts }) => ({
        answer: true,
        list: () => texts.map((one, index) => ({ index, relevance_score: one.includes("hall") ? 0 : 0.9 }))
      }))
      const plain = yield* memory.explain({ text, limit: 12 })
      expect(plain.explanation.reranker).toBe(name)
      const shown = server.requests.at(-1)!.texts
      // Of the first 8 those that it may see.
      expect(shown.length).toBeGreaterThan(2)
      expect(shown.length).toBeLessThan(8)
      expect(shown.filter((one) => /Pump (0|3|6|9) /.test(one))).toEqual([])
      // It took the best away from its place, and the answer says from where each came.
      expect(plain.hits[0]!.title).not.toContain("hall")
      const moved = plain.hits.find(({ title }) => title.includes("hall"))!
      expect(moved.before).toBe(1)
      expect(plain.hits.map(({ before }) => before).toSorted((a, b) => a! - b!)).toEqual(
        plain.hits.map((_, at) => at + 1)
      )
      for (const { parts, score } of plain.hits)
        expect(Object.values(parts).reduce((all, part) => all + part, 0)).toBeCloseTo(score, 9)
      // What it did not see counts as middling.
      const middling = (0.9 * (shown.length - 1)) / shown.length
      const unseen = plain.hits.filter(({ before, store }) => store === "private" && before! <= 8)
      expect(unseen.length).toBe(8 - shown.length)
      for (const { parts } of unseen) expect(parts.rerank).toBeCloseTo(middling, 9)

      const orders: Array<ReadonlyArray<string>> = []
      for (const behaviour of [
        { hang: true },
        { status: 401 },
        { truncated: true }
      ] satisfies ReadonlyArray<Behaviour>) {
        server.next(behaviour)
        const started = Date.now()
        const { explanation, hits } = yield* memory.explain({ text, limit: 12 })
        expectDuration(`${name}: a search without an answer`, Date.now() - started, 300)
        expect(explanation.reranker).toBeNull()
        expect(explanation.hints.at(-1)).toMatch(new RegExp(`^reranker ${name}: .*; hits are not reranked$`))
        expect(hits.every(({ before }) => before === undefined)).toBe(true)
        orders.push(hits.map(({ id }) => id))
      }
      expect(orders[0]).toEqual(plain.hits.toSorted((a, b) => a.before! - b.before!).map(({ id }) => id))
      expect(orders[1]).toEqual(orders[0])
      expect(orders[2]).toEqual(orders[0])

      // Nothing but what it may not see: it is not asked.
      const before = server.requests.length
      expect((yield* memory.explain({ text, stores: ["private"] })).explanation.reranker).toBeNull()
      expect(server.requests).toHaveLength(before)
    })
  )
})

describe("a reranker", () => {
  it.scopedLive("with logits is mapped by the logistic function, in the same order", () =>
    Effect.gen(function* () {
      const { reranker, server } = yield* asking("endpoint")
      const logits = [-4.5, 6.25, 0.5]
      // Servers differ in how they call it.
      server.next({ answer: true, list: () => logits.map((score, index) => ({ index, score })) })
      const scores = yield* reranker.rerank(query, texts)
      expect(scores).toEqual(logits.map((score) => 1 / (1 + Math.exp(-score))))
    })
  )

  it.scopedLive("gets as many hits as the policy says, cut to a length", () =>
    Effect.gen(function* () {
      const server = yield* providerServer(key)
      const endpoint = { baseUrl: server.base("rerank endpoint") }
      const policy = Either.getOrThrow(decode({ rerank: { topN: 3, providers: { endpoint } } }))
      const reranker = (yield* rerankerNamed("endpoint", policy).pipe(withSettings({})))!
      expect(reranker.topN).toBe(3)
      yield* reranker.rerank(query, ["x".repeat(100_000), "ä".repeat(100_000)])
      expect(server.requests[0]!.texts.map((text) => Buffer.byteLength(text))).toEqual([8_192, 8_192])
      expect(server.requests[0]!.body.model).toBeUndefined()
    })
  )

  const refusals: ReadonlyArray<readonly [string, object, string]> = [
    ["cohere", {}, "COHERE_API_KEY is not set"],
    ["endpoint/m", {}, "rerank.providers.endpoint.baseUrl is missing"],
    ["jina", { jina: { baseUrl: "http://h/v1" } }, "rerank.providers.jina.keyVariable is missing"],
    ["lexicla", {}, "must be one of lexical, none, cohere, voyage, jina, endpoint"]
  ]
  it.live.each(refusals)("is refused in one line: %s", ([name, providers, problem]) =>
    Effect.gen(function* () {
      const policy = Either.getOrThrow(decode({ rerank: { providers } }))
      const error = yield* Effect.flip(rerankerNamed(name, policy).pipe(withSettings({})))
      expect(error.message).toMatch(new RegExp(`^(unknown|cannot use) reranker ${name}[^ ]*: `))
      expect(error._tag).toBe(name === "lexicla" ? "UnknownReranker" : "RerankerUnavailable")
      expect(error.problem).toBe(problem)
    })
  )

  it.live("has a name that finds it again; none means no reranker", () =>
    Effect.gen(function* () {
      const policy = Either.getOrThrow(decode({}))
      expect(yield* rerankerNamed("lexical", policy)).toMatchObject({ name: "lexical-1" })
      expect(yield* rerankerNamed("lexical-1", policy)).toMatchObject({ name: "lexical-1", local: true })
      expect(yield* rerankerNamed("none", policy)).toBeNull()
    })
  )
})
