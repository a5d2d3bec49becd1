import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { embedderNamed } from "../layers/embedders.js"
import { decode } from "../src/ports/Policy.js"
import { staticNames, unknownName } from "./support/embedderNames.js"
import { overheard } from "./support/modelCases.js"
import { type EmbeddingProvider, embedding, vectorFor } from "./support/providerProtocols.js"
import { type Behaviour, type ProviderServer, providerServer } from "./support/providerServer.js"
import { withSettings } from "./support/settings.js"
import { expectDuration } from "./support/size.js"

const key = "sk-test-embed-9Vq2secretKEYb8"
const environment = { TEST_EMBED_KEY: key }

const models: Readonly<Record<EmbeddingProvider, readonly [model: string, dimensions: number]>> = {
  openai: ["text-embedding-3-small", 1_536],
  voyage: ["voyage-4", 1_024],
  cohere: ["embed-v4.0", 1_536],
  "openai-compatible": ["own-8", 8],
  ollama: ["nomic-embed-text", 768]
}

/** A policy in which a provider is this server, quick in everything. */
const policyFor = (provider: EmbeddingProvider, server: ProviderServer, more: object = {}) => {
  const named = provider === "ollama" ? {} : { keyVariable: "TEST_EMBED_KEY" }
  const quick = { timeout: 2_000, patience: 4_000, backoff: 10, retries: 2 }
  const providers = { [provider]: { baseUrl: server.base(`embed ${provider}`), ...named, ...quick, ...more } }
  return Either.getOrThrow(decode({ embedding: { providers } })).embedding
}

const asking = (provider: EmbeddingProvider, more: object = {}, dimensions = models[provider][1]) =>
  Effect.gen(function* () {
    const server = yield* providerServer(key)
    const policy = policyFor(provider, server, more)
    const name = `${provider}/${models[provider][0]}`
    const embedder = yield* embedderNamed(name, dimensions, policy).pipe(withSettings(environment))
    return { server, embedder, name }
  })

const texts = ["Quvexira moved to the harbour", "der zweite Text", "第三", "a fourth"]

/** What the server makes of a text, with what stands before it. */
const expected = (provider: EmbeddingProvider, text: string, purpose: "document" | "query", dimensions: number) => {
  const type = { voyage: purpose, cohere: `search_${purpose}` }[provider as string] ?? ""
  const prefix = provider === "ollama" ? `search_${purpose}: ` : ""
  return Float32Array.from(vectorFor(`${type} ${prefix}${text}`, dimensions))
}

describe.each(embedding)("the embedder of %s", (provider) => {
  const [model, dimensions] = models[provider]

  it.scopedLive("sends documents and queries as its documentation says, and reads the answers", () =>
    Effect.gen(function* () {
      const { embedder, name, server } = yield* asking(provider)
      expect(embedder).toMatchObject({ model: name, dimensions, weight: 0.7 })
      expect(yield* embedder.embed(texts, "document")).toEqual(
        texts.map((text) => expected(provider, text, "document", dimensions))
      )
      expect(yield* embedder.embed([texts[0]!], "query")).toEqual([expected(provider, texts[0]!, "query", dimensions)])
      expect(server.problems).toEqual([])
      expect(server.requests).toHaveLength(2)
      const [first, second] = server.requests.map(({ body }) => body)
      const own: Readonly<Record<EmbeddingProvider, readonly [object, object]>> = {
        openai: [
          { model, input: texts, encoding_format: "float" },
          { model, input: texts.slice(0, 1), encoding_format: "float" }
        ],
        voyage: [
          { model, input: texts, input_type: "document" },
          { model, input: texts.slice(0, 1), input_type: "query" }
        ],
        cohere: [
          { model, texts, input_type: "search_document", embedding_types: ["float"], truncate: "END" },
          { model, texts: texts.slice(0, 1), input_type: "search_query", embedding_types: ["float"], truncate: "END" }
        ],
        "openai-compatible": [
          { model, input: texts },
          { model, input: texts.slice(0, 1) }
        ],
        ollama: [
          { model, input: texts.map((text) => `search_document: ${text}`), truncate: true },
          { model, input: [`search_query: ${texts[0]}`], truncate: true }
        ]
      }
      expect([first, second]).toEqual(own[provider])
      const { requests, tokens } = embedder.usage!()
      expect(requests).toBe(2)
      const sent = server.requests.flatMap((request) => request.texts)
      expect(tokens).toBe(sent.reduce((all, text) => all + Math.ceil(text.length / 4), 0))
    })
  )

  it.scopedLive("retries if the provider is busy, broken or unreachable", () =>
    Effect.gen(function* () {
      const { embedder, server } = yield* asking(provider)
      server.next({ status: 429, headers: { "retry-after": "1" } })
      const started = Date.now()
      yield* embedder.embed(texts, "document")
      expect(Date.now() - started).toBeGreaterThanOrEqual(990)
      server.next({ status: 500 }, { status: 503, body: "<html>" })
      yield* embedder.embed(texts, "document")
      server.next({ reset: true }, { truncated: true })
      yield* embedder.embed(texts, "document")
      expect(server.requests).toHaveLength(8)
      expect(embedder.usage!().requests).toBe(8)
    })
  )

  const failures: ReadonlyArray<readonly [string, ReadonlyArray<Behaviour>, string, number]> = [
    ["a wrong key", [{ status: 401 }], "failed (status 401, the server rejected the key)", 1],
    ["no such model", [{ status: 404 }], "failed (status 404, the server has no such model or URL)", 1],
    [
      "busy for an hour",
      [{ status: 429, headers: { "retry-after": "3600" } }],
      "failed (status 429, too many requests)",
      1
    ],
    ["broken each time", [{ status: 500 }, { status: 502 }, { status: 503 }], "failed (status 503)", 3],
    [
      "cut off each time",
      [{ truncated: true }, { truncated: true }, { truncated: true }],
      "failed (unreadable answer)",
      3
    ],
    [
      "no JSON",
      [{ raw: "<html>" }, { raw: "" }, { raw: '{"data": [{"embedding": [NaN]}]}' }],
      "failed (unreadable answer)",
      3
    ],
    ["JSON of something else", [{ raw: '{"error": null, "ok": true}' }], "failed (unreadable answer)", 1],
    ["an elsewhere", Array(3).fill({ status: 302, headers: { location: "/elsewhere" } }), "failed (no connection)", 3],
    ["an answer without end", [{ endless: true }], "failed (the answer is too large)", 1],
    ["too few", [{ answer: true, list: (vectors) => vectors.slice(1) }], "returned a wrong number of vectors", 1],
    [
      "too many",
      [{ answer: true, list: (vectors) => [...vectors, vectors[0]] }],
      "returned a wrong number of vectors",
      1
    ],
    ["a hole", [{ answer: true, list: ([_, ...more]) => [null, ...more] }], "returned a wrong number of vectors", 1],
    [
      "other dimensions",
      [{ answer: true, list: (vectors) => vectors.map((one) => one.slice(1)) }],
      "returned vectors with wrong dimensions",
      1
    ],
    [
      "one of other dimensions",
      [{ answer: true, list: ([one, ...more]) => [one.slice(1), ...more] }],
      "returned vectors with wrong dimensions",
      1
    ],
    // JSON has no NaN: servers write null for it.
    [
      "NaN",
      [{ answer: true, list: ([one, ...more]) => [[Number.NaN, ...one.slice(1)], ...more] }],
      "returned vectors with invalid values",
      1
    ],
    [
      "a number too great",
      [{ answer: true, list: ([one, ...more]) => [[1e300, ...one.slice(1)], ...more] }],
      "returned vectors with invalid values",
      1
    ],
    [
      "numbers in words",
      [{ answer: true, list: ([one, ...more]) => [one.map(String), ...more] }],
      "returned vectors with invalid values",
      1
    ],
    // The whole, its first half, that half's halves; then it is clear.
    ["refused for whatever it is", Array(4).fill({ status: 400 }), "failed (status 400)", 4]
  ]
  it.scopedLive.each(failures)("fails with a reason: %s", ([_, behaviours, reason, requests]) =>
    Effect.gen(function* () {
      const { embedder, name, server } = yield* asking(provider)
      server.next(...behaviours)
      const { exit, spans, text } = yield* overheard(embedder.embed(texts, "document"))
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ _tag: "Fail" })
      expect(text).toContain(`embedder ${name}: ${reason}`)
      expect(server.requests).toHaveLength(requests)
      for (const secret of [key, ...texts, server.base(`embed ${provider}`).slice(7)])
        expect(text).not.toContain(secret)
      expect(spans).toEqual(["Embedder.embed"])
      // And it goes on as if nothing had been.
      server.next({ answer: true })
      expect(yield* embedder.embed(["again"], "document")).toHaveLength(1)
    })
  )

  it.scopedLive("times out as configured, and aborts the request", () =>
    Effect.gen(function* () {
      const { embedder, server } = yield* asking(provider, { timeout: 500 })
      server.next({ hang: true })
      const started = Date.now()
      expect(yield* Effect.flip(embedder.embed(texts, "document"))).toMatchObject({ reason: "timeout" })
      expectDuration(`time-out of ${provider} after 500 ms`, Date.now() - started, 600, 1_500)
      expect(server.requests).toHaveLength(1)
    })
  )
})

describe("a provider's embedder", () => {
  it.scopedLive("limits concurrent requests, and queries do not wait for documents", () =>
    Effect.gen(function* () {
      const { embedder, server } = yield* asking("openai-compatible", { concurrency: 3 })
      server.otherwise(({ texts }) => ({ answer: true, delay: texts[0]!.startsWith("query") ? 0 : 300 }))
      const documents = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 12 }, (_, at) => embedder.embed([`document ${at}`], "document")),
          { concurrency: "unbounded" }
        )
      )
      while (server.requests.length < 3) yield* Effect.sleep(5)
      const started = Date.now()
      yield* embedder.embed(["query"], "query")
      expectDuration("a query beside documents", Date.now() - started, 58)
      expect(yield* documents.poll).toMatchObject({ _tag: "None" })
      expect(yield* documents.await).toMatchObject({ _tag: "Success" })
      expect(server.most()).toBe(4)
    })
  )

  it.scopedLive("limits texts and bytes per request", () =>
    Effect.gen(function* () {
      const cohere = yield* asking("cohere", { batch: 500 }, 256)
      expect(cohere.embedder.batch).toBe(96)
      const many = Array.from({ length: 200 }, (_, at) => `text ${at}`)
      expect(yield* cohere.embedder.embed(many, "document")).toHaveLength(200)
      expect(cohere.server.requests.map(({ texts }) => texts.length)).toEqual([96, 96, 8])
      expect(cohere.server.requests[0]!.body.output_dimension).toBe(256)

      const openai = yield* asking("openai")
      const long = Array.from({ length: 100 }, (_, at) => `${at} ${"ä long tale ".repeat(20_000)}`)
      expect(yield* openai.embedder.embed(long, "document")).toHaveLength(100)
      expect(openai.server.problems).toEqual([])
      expect(openai.server.requests.length).toBeGreaterThan(1)
      expect(openai.server.requests.flatMap(({ texts }) => texts.map((text) => text.slice(0, 3)))).toEqual(
        long.map((text) => text.slice(0, 3))
      )
    })
  )

  it.scopedLive("keeps vectors received before a failure: no text is sent twice", () =>
    Effect.gen(function* () {
      const { embedder, server } = yield* asking("openai-compatible", { batch: 2, retries: 0 })
      server.next({ answer: true }, { answer: true }, { status: 500 })
      const six = ["one", "two", "three", "four", "five", "six"]
      yield* Effect.flip(embedder.embed(six, "document"))
      const vectors = yield* embedder.embed(six, "document")
      expect(vectors).toEqual(six.map((text) => expected("openai-compatible", text, "document", 8)))
      expect(server.requests.map(({ texts }) => texts)).toEqual([
        ["one", "two"],
        ["three", "four"],
        ["five", "six"],
        ["five", "six"]
      ])
    })
  )

  it.scopedLive(
    "finds a rejected text, and shortens or skips it; all other texts of the request get their vectors",
    () =>
      Effect.gen(function* () {
        const { embedder, server } = yield* asking("openai-compatible")
        server.otherwise(({ texts }) =>
          texts.some((text) => text.length > 300 || text.includes("forbidden")) ? { status: 400 } : { answer: true }
        )
        const some = ["short", `too long ${"x".repeat(2_000)}`, "a forbidden word", "the last one"]
        const vectors = yield* embedder.embed(some, "document")
        expect(vectors[0]).toEqual(expected("openai-compatible", "short", "document", 8))
        expect(vectors[1]).toEqual(expected("openai-compatible", some[1]!.slice(0, 125), "document", 8))
        expect([...vectors[2]!]).toEqual(Array(8).fill(0))
        expect(vectors[3]).toEqual(expected("openai-compatible", "the last one", "document", 8))
      })
  )

  it.scopedLive("has a name that finds it again; callers with the same name share one embedder", () =>
    Effect.gen(function* () {
      const server = yield* providerServer(key)
      const policy = policyFor("voyage", server)
      const named = (name: string, dimensions?: number) =>
        embedderNamed(name, dimensions, policy).pipe(withSettings(environment))
      const one = yield* named("voyage")
      expect(one.model).toBe("voyage/voyage-4")
      expect(yield* named(one.model, one.dimensions)).toBe(one)
      expect(yield* named("voyage", 512)).not.toBe(one)
      for (const name of staticNames) {
        const own = yield* embedderNamed(name)
        expect(yield* embedderNamed(own.model, own.dimensions)).toMatchObject({ model: own.model })
        expect(own.substitute).toBeUndefined()
      }
      expect(one.substitute).toMatchObject({ stores: ["private"], embedder: { model: "glove-100-v1", local: true } })
      // A server on this machine is none of a provider; one elsewhere is.
      const ollama = policyFor("ollama", server)
      expect(
        (yield* embedderNamed("ollama", undefined, ollama).pipe(withSettings(environment))).substitute
      ).toBeUndefined()
      const away = Either.getOrThrow(
        decode({ embedding: { providers: { ollama: { baseUrl: "http://gpu.lan:11434" } } } })
      )
      expect(
        (yield* embedderNamed("ollama", undefined, away.embedding).pipe(withSettings(environment))).substitute
      ).toBeDefined()
      const all = Either.getOrThrow(decode({ embedding: { local: [] } })).embedding
      const open = yield* embedderNamed("openai", undefined, all).pipe(withSettings({ OPENAI_API_KEY: key }))
      expect(open.substitute).toBeUndefined()
    })
  )

  it.live.each([
    ["ollama/snowflake-arctic-embed", 1_024, 0.7],
    ["ollama/snowflake-arctic-embed:latest", 1_024, 0.7],
    ["ollama/snowflake-arctic-embed:22m", 384, 0.7],
    ["ollama/snowflake-arctic-embed:110m-m-fp16", 768, 0.7],
    ["ollama/nomic-embed-text:v1.5", 768, 0.7],
    ["ollama/all-minilm:33m", 384, 0.5],
    ["compatible/sentence-transformers/all-MiniLM-L6-v2", 384, 0.5]
  ] as const)("has the dimensions of its tag and the weight of its kind: %s", ([name, dimensions, weight]) =>
    Effect.gen(function* () {
      const named = { baseUrl: "http://localhost:1/v1", keyVariable: "TEST_EMBED_KEY" }
      const policy = Either.getOrThrow(decode({ embedding: { providers: { "openai-compatible": named } } })).embedding
      const asked = name.startsWith("compatible") ? dimensions : undefined
      expect(yield* embedderNamed(name, asked, policy).pipe(withSettings(environment))).toMatchObject({
        dimensions,
        weight
      })
    })
  )

  const refusals: ReadonlyArray<readonly [string, number | undefined, object, string]> = [
    ["openai", undefined, {}, "OPENAI_API_KEY is not set"],
    ["openai/text-embedding-3-small", 2_000, {}, "supports up to 1536 dimensions, not 2000"],
    ["voyage/voyage-4", 300, {}, "supports 256, 512, 1024, 2048 dimensions, not 300"],
    [
      "cohere/embed-v9",
      undefined,
      {},
      "the dimensions of this model are unknown: set `embedding.dimensions`, or pass `--dimensions`"
    ],
    ["cohere/embed-v9", 8_193, {}, "the dimensions must be a whole number from 1 to 8192"],
    [
      "ollama/snowflake-arctic-embed:9b",
      undefined,
      {},
      "the dimensions of this model are unknown: set `embedding.dimensions`, or pass `--dimensions`"
    ],
    ["ollama/snowflake-arctic-embed:22m", 1_024, {}, "supports 384 dimensions, not 1024"],
    ["openai-compatible/m", 8, {}, "embedding.providers.openai-compatible.baseUrl is missing"],
    [
      "compatible/m",
      8,
      { "openai-compatible": { baseUrl: "http://h/v1" } },
      "embedding.providers.openai-compatible.keyVariable is missing"
    ],
    ["openai-compatible", 8, {}, "the name of a model is required: write openai-compatible/MODEL"],
    // A provider's own key goes to no other address.
    ["openai", undefined, { openai: { baseUrl: "http://h/v1" } }, "embedding.providers.openai.keyVariable is missing"],
    ["words", 64, {}, "supports 100 dimensions, not 64"],
    ["wrods", undefined, {}, unknownName]
  ]
  it.live.each(refusals)("is refused in one line: %s, %s", ([name, dimensions, providers, problem]) =>
    Effect.gen(function* () {
      const policy = Either.getOrThrow(decode({ embedding: { providers } })).embedding
      const error = yield* Effect.flip(embedderNamed(name, dimensions, policy).pipe(withSettings({})))
      expect(error.message).toMatch(/^(?:unknown embedder [^\n]+|cannot use embedder [^\n]+: [^\n]+)$/)
      expect(error.problem).toBe(problem)
      // What the policy or the environment lacks may be there tomorrow.
      expect(error._tag === "EmbedderUnavailable").toBe(/is not set$|is missing$/.test(problem))
    })
  )
})
