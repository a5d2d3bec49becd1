import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { embedderNamed } from "../layers/embedders.js"
import { Embedder, EmbedderError } from "../src/ports/Embedder.js"
import { Embedders, EmbedderUnavailable } from "../src/ports/Embedders.js"
import { decode } from "../src/ports/Policy.js"
import { known, scripted } from "./support/embedders.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { providerServer } from "./support/providerServer.js"
import { withSettings } from "./support/settings.js"
import { expectDuration } from "./support/size.js"

const agent = "ada"
const key = "sk-test-outage-4Kd8secretKEYx2"

const asking = Effect.gen(function* () {
  const server = yield* providerServer(key)
  const settings = { baseUrl: server.base("embed openai"), keyVariable: "TEST_KEY", backoff: 300, retries: 3 }
  const { embedding: policy } = Either.getOrThrow(decode({ embedding: { providers: { openai: settings } } }))
  const embedder = yield* embedderNamed("openai", 8, policy).pipe(withSettings({ TEST_KEY: key }))
  return { server, embedder }
})

describe("a query to a provider", () => {
  it.scopedLive("is sent once, and not at all for some time after a failed connection or a rejected key", () =>
    Effect.gen(function* () {
      for (const [behaviour, detail] of [
        [{ reset: true }, "no connection"],
        [{ status: 401 }, "status 401, the server rejected the key"]
      ] as const) {
        const { embedder, server } = yield* asking
        server.next(behaviour)
        // The first query also loads the client.
        let began = 0
        for (const text of ["one", "two", "three"]) {
          expect(yield* Effect.flip(embedder.embed([text], "query"))).toMatchObject({ detail })
          if (began === 0) began = Date.now()
        }
        expectDuration("two more queries during an outage", Date.now() - began, 50)
        expect(server.requests).toHaveLength(1)
        // What is to be kept is asked all the same, and shows that it answers again.
        yield* embedder.embed(["a document"], "document")
        yield* embedder.embed(["four"], "query")
        expect(server.requests).toHaveLength(3)
      }
      const { embedder, server } = yield* asking
      server.next({ status: 500 })
      yield* Effect.flip(embedder.embed(["one"], "query"))
      expect(server.requests).toHaveLength(1)
      yield* embedder.embed(["one"], "query")
      expect(server.requests).toHaveLength(2)
    })
  )

  it.scopedLive("does not use the vector of a document with the same text", () =>
    Effect.gen(function* () {
      const server = yield* providerServer(key)
      const settings = { baseUrl: server.base("embed voyage"), keyVariable: "TEST_KEY", batch: 1, retries: 0 }
      const { embedding: policy } = Either.getOrThrow(decode({ embedding: { providers: { voyage: settings } } }))
      const embedder = yield* embedderNamed("voyage", undefined, policy).pipe(withSettings({ TEST_KEY: key }))
      const [asked] = yield* embedder.embed(["one"], "query")
      server.next({ answer: true }, { status: 500 })
      yield* Effect.flip(embedder.embed(["one", "two"], "document"))
      expect((yield* embedder.embed(["one"], "query"))[0]).toEqual(asked)
      // The document is still kept.
      const before = server.requests.length
      const [document] = yield* embedder.embed(["one"], "document")
      expect(server.requests).toHaveLength(before)
      expect(document).not.toEqual(asked)
    })
  )
})

describe("stores with their own embedder", () => {
  const policy = { embedding: { gather: 0, timeout: 1_000 }, recall: { log: true } }
  const both = () => {
    const [words, far] = [scripted("words", 1, 48, { local: true, weight: 0.3 }), scripted("far", 2, 96)]
    const substitute = { stores: ["private" as const], embedder: words.service }
    return { words, far: Object.assign(far, { service: { ...far.service, substitute } }), substitute }
  }
  const titles = ["the pilot keeps tea", "the harbour master keeps rope"]

  it.scopedLive(
    "are searched by meaning while the provider is down; the recall names their embedder and can be rerun",
    () =>
      Effect.gen(function* () {
        const { far, words } = both()
        const { daybook } = yield* fresh({ ...known(far, words), policy })
        const memory = yield* daybook.agent(agent, { trust: "full", record: true })
        yield* memory.remember({ title: titles[0]!, store: "private" })
        yield* memory.remember({ title: titles[1]!, store: "social" })
        yield* daybook.backfill(agent)
        far.embed = () => Effect.fail(new EmbedderError({ model: "far", reason: "failed", kind: "connection" }))
        const { explanation, hits } = yield* memory.explain({ text: "keeps the pilot keeps rope" })
        expect(explanation.vectors).toBe("words")
        expect(explanation.hints).toEqual(["embedder far: failed; searched without vectors of this embedder"])
        // Who asks for what it is not to see alone learns nothing of it.
        const own = yield* memory.explain({ text: "keeps the pilot", stores: ["private"] })
        expect(own.explanation.hints).toEqual([])
        const found = Object.fromEntries(hits.map(({ parts, store }) => [store, parts]))
        expect(found.private!.vector).toBeGreaterThan(0)
        expect(found.social!.vector).toBe(0)
        // What was not compared loses nothing by it: its words count as far as those of the others.
        expect(found.social!.text + found.private!.text).toBeGreaterThan(0.7)
        yield* memory.search({ text: "keeps the pilot keeps rope" })
        yield* daybook.flush(agent)
        const recalls = yield* memory.recalls.list()
        expect(recalls.length).toBeGreaterThan(0)
        for (const { number } of recalls) expect(yield* memory.recalls.rerun(number)).toMatchObject({ same: true })
      })
  )

  it.scopedLive("are embedded and searched if the active embedder has no key", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const old = scripted("old", 3, 64)
      const { far, substitute, words } = both()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { ...known(old, far, words), policy })
          yield* (yield* daybook.agent(agent, { trust: "full" })).remember({ title: titles[0]!, store: "private" })
          yield* daybook.backfill(agent)
          yield* daybook.embedders.switchTo(agent, "far")
        })
      )
      const daybook = yield* open(folder, {
        policy,
        embedder: Layer.succeed(Embedder, old.service),
        embedders: Layer.succeed(Embedders, {
          named: (name) => Effect.fail(EmbedderUnavailable.withSubstitute(name, "its key is missing", substitute))
        })
      })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: titles[1]!, store: "private" })
      expect(yield* daybook.backfill(agent)).toMatchObject({ remaining: 0 })
      const status = yield* daybook.embedders.status(agent)
      expect(status).toMatchObject({
        inForce: { model: "far", problem: "its key is missing" },
        apart: { model: "words", embedded: 2, lacking: 0 }
      })
      const hits = yield* memory.search({ text: "who keeps rope" })
      expect(hits[0]).toMatchObject({ title: titles[1], parts: { vector: expect.any(Number) } })
      expect(hits[0]!.parts.vector).toBeGreaterThan(0)
    })
  )

  it.live("are embedded if the provider has no key", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(embedderNamed("openai").pipe(withSettings({})))
      if (error._tag !== "EmbedderUnavailable") throw error
      expect(error.substitute).toMatchObject({ stores: ["private"], embedder: { model: "glove-100-v1" } })
      expect(Object.keys(error)).not.toContain("substitute")
    })
  )
})
