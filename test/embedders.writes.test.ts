import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { embedderNamed } from "../layers/embedders.js"
import { Embedder } from "../src/ports/Embedder.js"
import { decode } from "../src/ports/Policy.js"
import { open, temporaryFolder } from "./support/engine.js"
import { type EmbeddingProvider, embedding } from "./support/providerProtocols.js"
import { type Behaviour, providerServer } from "./support/providerServer.js"
import { withSettings } from "./support/settings.js"
import { firstOrAll, rounds } from "./support/size.js"

const key = "sk-test-writes-3Kd8secretKEYm1"
const agent = "ada"

/** What goes wrong, in turns, in three of ten requests. */
const troubles: ReadonlyArray<Behaviour> = [
  { status: 429, headers: { "retry-after-ms": "20" } },
  { status: 500 },
  { answer: true, list: (vectors) => vectors.slice(1) },
  { truncated: true },
  { status: 503, body: "<html>" },
  { answer: true, list: (vectors) => vectors.map((one) => one.slice(1)) },
  { reset: true },
  { status: 401 },
  { answer: true, list: ([one, ...more]) => [[Number.NaN, ...one.slice(1)], ...more] },
  { answer: true, delay: 700 },
  { hang: true },
  { raw: "not JSON" }
]
const isTrouble = (number: number) => [1, 4, 8].includes(number % 10)

/** Many texts for the first provider, and enough for the others to meet every trouble. */
const cases = firstOrAll(embedding).map((provider): readonly [EmbeddingProvider, number] => [
  provider,
  provider === "openai" ? rounds({ quick: 1_500, full: 10_000 }) : rounds({ quick: 700, full: 2_000 })
])

const settings: Readonly<Record<EmbeddingProvider, readonly [model: string, dimensions: number, batch: number]>> = {
  openai: ["text-embedding-3-small", 64, 32],
  voyage: ["voyage-4", 256, 16],
  cohere: ["embed-v4.0", 256, 16],
  "openai-compatible": ["own-8", 8, 16],
  ollama: ["tiny-8", 8, 16]
}

/** Bytes that this process holds in JavaScript and in buffers. */
const usedBytes = (): number => {
  const { arrayBuffers, external, heapUsed } = process.memoryUsage()
  return arrayBuffers + external + heapUsed
}

describe("a provider of which three of ten calls fail", () => {
  it.scopedLive.each(cases)(
    "%s: %i memories get their vectors, no text is sent twice, and the state is reported",
    ([provider, texts]) =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const server = yield* providerServer(key)
        const [model, dimensions, batch] = settings[provider]
        const named = provider === "ollama" ? {} : { keyVariable: "KEY" }
        const quick = { timeout: 500, patience: 2_000, retries: 1, backoff: 5 }
        const one = { baseUrl: server.base(`embed ${provider}`), batch, ...named, ...quick }
        const policy = { embedding: { gather: 5, providers: { [provider]: one } } }
        const values = Either.getOrThrow(decode(policy)).embedding
        const embedder = yield* embedderNamed(`${provider}/${model}`, dimensions, values).pipe(
          withSettings({ KEY: key })
        )

        /** How often a text came back with its vector, as far as the server knows. */
        const answered = new Map<string, number>()
        let trouble = 0
        server.otherwise((request, number) => {
          const behaviour = isTrouble(number) ? troubles[trouble++ % troubles.length]! : ({ answer: true } as const)
          if ("answer" in behaviour && behaviour.list === undefined && (behaviour.delay ?? 0) < quick.timeout) {
            // "text" is the one word by which it is found out whether a text or the provider is at fault.
            for (const text of request.texts) if (text !== "text") answered.set(text, (answered.get(text) ?? 0) + 1)
          }
          return behaviour
        })

        const daybook = yield* open(folder, { policy, embedder: Layer.succeed(Embedder, embedder) })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        for (let from = 0; from < texts; from += 1_000) {
          const titles = Array.from(
            { length: Math.min(1_000, texts - from) },
            (_, at) => `Quvexira wrote down number ${from + at}`
          )
          yield* memory.rememberAll(titles.map((title) => ({ title, store: "shared" as const })))
        }

        const told = new Set<string>()
        // Earlier test files of this process have left garbage.
        const before = usedBytes()
        let peak = 0
        let left = texts
        for (let round = 0; left > 0; round++) {
          expect(round).toBeLessThan(400)
          const { error, remaining } = yield* daybook.backfill(agent)
          expect(remaining).toBeLessThanOrEqual(left)
          left = remaining
          const { vectors } = yield* daybook.stats(agent)
          // What was said of the newest batch, while it lasts.
          if (error !== undefined) {
            told.add(error.message)
            expect(vectors.failure).toBe(error.message)
          } else expect(vectors.failure).toBeUndefined()
          peak = Math.max(peak, usedBytes() - before)
        }

        const { vectors } = yield* daybook.stats(agent)
        expect(vectors).toMatchObject({ model: `${provider}/${model}`, dimensions, embedded: texts })
        expect(server.problems).toEqual([])
        expect(answered.size).toBe(texts)
        expect([...answered.values()].filter((times) => times !== 1)).toEqual([])
        expect(trouble / server.requests.length).toBeGreaterThan(0.28)
        for (const message of told)
          expect(message).toMatch(
            /^embedder \S+: (failed \((status \d+|no connection|unreadable)|count|dimensions|values|timeout)/
          )
        // Most of it is made good before anybody is told.
        expect(told.size).toBeGreaterThan(0)
        expect(embedder.usage!().requests).toBe(server.requests.length)
        expect(peak).toBeLessThan(500e6)
        console.log(
          `${provider}: ${texts} texts, ${server.requests.length} requests, ${trouble} of them failing; peak ${Math.round(peak / 1e6)} MB;`,
          [...told].map((message) => message.replace(/^embedder \S+ /, "")).join("; ")
        )

        // A rebuild has them all in the cache.
        const requests = server.requests.length
        yield* daybook.rebuild(agent)
        expect((yield* daybook.stats(agent)).vectors.embedded).toBe(texts)
        expect(yield* daybook.backfill(agent)).toEqual({ embedded: 0, remaining: 0 })
        expect(server.requests).toHaveLength(requests)
      })
  )
})
