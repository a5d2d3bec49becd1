import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { policyEmbedderLayer } from "../layers/embedders.js"
import { policyRerankerLayer } from "../layers/rerankers.js"
import { decode } from "../src/ports/Policy.js"
import { open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { overheard } from "./support/modelCases.js"
import { type EmbeddingProvider, embedding, type RerankingProvider } from "./support/providerProtocols.js"
import { type Behaviour, providerServer } from "./support/providerServer.js"
import { layerWithSettings } from "./support/settings.js"
import { firstOrAll } from "./support/size.js"

const key = "sk-canary-8Jt6secretKEYx9"
const environment = { CANARY_KEY: key }
const words = { title: "Zyxquill", narrative: "Vorplenax", query: "Quebnarth", turn: "Tomdrivel" }

const models: Readonly<
  Record<EmbeddingProvider, readonly [name: string, dimensions: number, reranker: RerankingProvider]>
> = {
  openai: ["openai/text-embedding-3-small", 64, "jina"],
  voyage: ["voyage/voyage-4", 256, "voyage"],
  cohere: ["cohere/embed-v4.0", 256, "cohere"],
  "openai-compatible": ["openai-compatible/own-8", 8, "endpoint"],
  ollama: ["ollama/tiny-8", 8, "jina"]
}

/** Each answers with what it was sent, headers and all, or breaks in a way of its own. */
const behaviours: ReadonlyArray<Behaviour> = [
  { answer: true },
  { status: 400 },
  { status: 401 },
  { status: 422 },
  { status: 429, headers: { "retry-after-ms": "5" } },
  { status: 500 },
  { status: 302, headers: { location: `/${key}` } },
  { raw: `{"error": "${key} ${words.title}"}` },
  { raw: `${words.query} ${key}` },
  { truncated: true },
  { reset: true },
  { hang: true },
  { endless: true },
  { answer: true, list: (list) => list.slice(1) },
  { answer: true, list: (list) => list.map(() => words.title) },
  { answer: true }
]

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe.each(firstOrAll(embedding))("keys and texts with %s and a reranker", (provider) => {
  it.scopedLive("appear in no log, span, error or title at the most verbose level; the key in no event or file", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* providerServer(key)
      const [embedder, dimensions, rerankedBy] = models[provider]
      const quick = { backoff: 1, timeout: 120 }
      const named = { keyVariable: "CANARY_KEY", ...quick }
      const policy = {
        search: { queryTimeout: 300 },
        recall: { log: true },
        embedding: {
          embedder,
          dimensions,
          gather: 1,
          // Whatever is written here may be sent: that texts are kept from providers is another test.
          local: [],
          providers: {
            [provider]: {
              baseUrl: server.base(`embed ${provider}`),
              retries: 1,
              patience: 400,
              ...(provider === "ollama" ? quick : named)
            }
          }
        },
        rerank: {
          reranker: rerankedBy,
          providers: {
            [rerankedBy]: {
              baseUrl: server.base(`rerank ${rerankedBy}`),
              ...(rerankedBy === "endpoint" ? quick : named)
            }
          }
        }
      }
      const values = Either.getOrThrow(decode(policy))
      server.otherwise((_, number) => behaviours[number % behaviours.length]!)

      const answers: Array<unknown> = []
      const program = Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, {
            policy,
            embedder: Layer.orDie(policyEmbedderLayer(values)).pipe(layerWithSettings(environment)),
            reranker: Layer.orDie(policyRerankerLayer(values)).pipe(layerWithSettings(environment)),
            extractor: tinyLayer
          })
          const memory = yield* daybook.agent("ada", { trust: "full", record: true })
          for (let at = 0; at < 12; at++) {
            const title = `${words.title} number ${at} of the harbour`
            yield* memory.remember({ title, narrative: words.narrative, store: "shared" })
            yield* memory.sessions.append({
              session: "monday",
              role: "user",
              text: `${words.turn} ${at}. I like ${words.turn} ${at}.`,
              store: "shared"
            })
            const { explanation } = yield* memory.explain({ text: `${words.query} harbour` })
            answers.push(explanation.hints, yield* daybook.backfill("ada"), (yield* daybook.stats("ada")).vectors)
          }
          yield* daybook.flush("ada")
          const events = yield* Stream.runCollect(daybook.log("ada"))
          return [...events]
        })
      )
      const { exit, spans, text } = yield* overheard(program)
      if (exit._tag === "Failure") throw new Error("the program failed")
      expect(spans).toEqual(expect.arrayContaining(["Embedder.embed", "Reranker.rerank", "search_memory"]))
      // It was broken in every way, and somebody was told.
      expect(server.requests.length).toBeGreaterThan(2 * behaviours.length)
      const told = inspect(answers, { depth: 9, maxArrayLength: null })
      expect(told).toMatch(/embedder \S+: failed/)
      expect(told).toMatch(/reranker \S+: /)
      expect(told).not.toMatch(/CANARY|retry-after/)
      const addresses = server.requests.map(({ headers }) => headers.host!)
      for (const secret of [key, ...Object.values(words), ...new Set(addresses)]) {
        expect(text).not.toContain(secret)
        expect(told).not.toContain(secret)
        expect(process.title).not.toContain(secret)
        expect(process.argv.join(" ")).not.toContain(secret)
      }
      const events = JSON.stringify(exit.value)
      expect(events).toContain(words.title)
      expect(events).not.toContain(key)
      for (const address of new Set(addresses)) expect(events).not.toContain(address)
      const embeds = JSON.stringify(exit.value.filter(({ type }) => type === "EMBED"))
      for (const word of Object.values(words)) expect(embeds).not.toContain(word)
      for (const file of filesOf(folder)) expect(readFileSync(file).includes(key)).toBe(false)
      // The key went nowhere but into its header.
      for (const { body } of server.requests) expect(JSON.stringify(body)).not.toContain(key)
    })
  )
})

describe.each(embedding.filter((provider) => provider !== "ollama"))(
  "what is private beside %s and a reranker",
  (provider) => {
    it.scopedLive("leaves the machine neither as a document nor as a hit, and can still be found", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const server = yield* providerServer(key)
        const [embedder, dimensions, rerankedBy] = models[provider]
        const named = { keyVariable: "CANARY_KEY" }
        const policy = {
          embedding: {
            embedder,
            dimensions,
            gather: 1,
            providers: { [provider]: { baseUrl: server.base(`embed ${provider}`), ...named } }
          },
          rerank: {
            reranker: rerankedBy,
            providers: {
              [rerankedBy]: {
                baseUrl: server.base(`rerank ${rerankedBy}`),
                ...(rerankedBy === "endpoint" ? {} : named)
              }
            }
          }
        }
        const values = Either.getOrThrow(decode(policy))
        const daybook = yield* open(folder, {
          policy,
          embedder: Layer.orDie(policyEmbedderLayer(values)).pipe(layerWithSettings(environment)),
          reranker: Layer.orDie(policyRerankerLayer(values)).pipe(layerWithSettings(environment)),
          extractor: tinyLayer
        })
        const memory = yield* daybook.agent("ada", { trust: "full" })
        const secret = "Zyxquill"
        const stores = ["private", "shared", "social"] as const
        for (let at = 0; at < 12; at++) {
          const store = stores[at % 3]!
          const word = store === "private" ? secret : "Openword"
          yield* memory.remember({
            title: `${word} ${at} keeps the harbour`,
            narrative: `${word} said it about the boat.`,
            facts: [`${word} fact`],
            people: [word],
            store
          })
          // Turns of one session, each next to those of other stores.
          yield* memory.sessions.append({
            session: "monday",
            role: "user",
            speaker: word,
            text: `${word} turn ${at}, yes. I like ${word} ${at}.`,
            store
          })
        }
        yield* memory.remember({ title: `the password is ${secret}-hunter2-Qq9`, store: "shared" })
        yield* memory.files.add({ path: `notes/${secret}.md`, text: `# ${secret}\n\nboats`, store: "private" })
        const moved = yield* memory.remember({ title: `${secret} was told to all of us`, store: "private" })
        const { remaining } = yield* daybook.backfill("ada")
        expect(remaining).toBe(0)

        const hits = yield* memory.search({ text: "who keeps the harbour and the boat", limit: 30 })
        expect(hits.filter(({ store }) => store === "private").length).toBeGreaterThan(3)
        expect(hits.some(({ parts, store }) => store === "private" && parts.vector > 0)).toBe(true)
        yield* memory.sessions.search({ text: "yes, a turn about boats", limit: 30 })
        yield* memory.search({ text: `${secret} harbour`, stores: ["private"] })
        const { vectors } = yield* daybook.stats("ada")
        expect(vectors).toMatchObject({
          model: embedder,
          embedded: 16,
          apart: { model: "glove-100-v1", dimensions: 100, stores: ["private"], embedded: 10 }
        })
        const leaked = () => server.requests.filter(({ body }) => JSON.stringify(body).includes(secret))
        expect(leaked().map(({ body }) => body)).toEqual([])
        expect(server.requests.filter(({ body }) => JSON.stringify(body).includes("Openword")).length).toBeGreaterThan(
          2
        )
        expect(server.problems).toEqual([])

        // What somebody makes less private is for everybody from then on.
        yield* memory.update(moved.id, { store: "shared" })
        yield* daybook.backfill("ada")
        expect(leaked().flatMap(({ texts }) => texts)).toEqual([expect.stringContaining("was told to all of us")])
      })
    )
  }
)
