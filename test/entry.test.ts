import { existsSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { Daybook, Embedder, Hit, Observation, Policy, Query, Reconciler, Reranker } from "../layers/entry.js"
import { newFolder } from "./support/cli.js"

const memoryOf = (agent: string) => Effect.flatMap(Daybook, (daybook) => daybook.agent(agent, { trust: "full" }))

const day = Duration.toMillis("1 day")

describe("Daybook.layerMemory", () => {
  it.scoped("works under TestClock: a day passes at once, and memories expire", () =>
    Effect.gen(function* () {
      const memory = yield* memoryOf("coop")
      yield* memory.remember({ title: "The ferry leaves at noon", expiresAt: day / 2 })
      yield* memory.remember({ title: "The harbour has three piers" })
      const titles = Effect.map(memory.search({ text: "ferry" }), (hits) => hits.map(({ title }) => title))
      expect(yield* titles).toContain("The ferry leaves at noon")
      yield* TestClock.adjust("1 day")
      expect(yield* titles).not.toContain("The ferry leaves at noon")
      yield* TestClock.adjust("365 days")
      expect(yield* memory.list()).toHaveLength(1)
      // The reads were recorded by the passing of time alone.
      expect((yield* memory.recalls.list()).map(({ text }) => text)).toContain("ferry")
    }).pipe(Effect.provide(Daybook.layerMemory()))
  )

  it.live("uses no folder of the user, and leaves no files", () =>
    Effect.gen(function* () {
      const untouched = `${newFolder()}/untouched`
      const before = readdirSync(tmpdir()).filter((name) => name.startsWith("daybook-"))
      const write = Effect.flatMap(memoryOf("coop"), (memory) => memory.remember({ title: "The ferry leaves at noon" }))
      const { outcome } = yield* write.pipe(
        Effect.provide(Daybook.layerMemory()),
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["DAYBOOK_DATA", untouched]])))
      )
      expect(outcome).toBe("added")
      expect(existsSync(untouched)).toBe(false)
      const after = readdirSync(tmpdir()).filter((name) => name.startsWith("daybook-") && !before.includes(name))
      expect(after.filter((name) => /^daybook-[A-Za-z0-9]{6}$/.test(name))).toEqual([])
    })
  )
})

describe("Daybook.layer", () => {
  it.live("reads the folder from the program's settings if none is given", () =>
    Effect.gen(function* () {
      const folder = `${newFolder()}/data`
      yield* Effect.flatMap(memoryOf("coop"), (memory) => memory.remember({ title: "The ferry leaves at noon" })).pipe(
        Effect.provide(Daybook.layer()),
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["DAYBOOK_DATA", folder]])))
      )
      expect(existsSync(`${folder}/log.db`)).toBe(true)
    })
  )
})

describe("the namespaces", () => {
  const embedderOf = <E>(layer: Layer.Layer<Embedder.Embedder, E>) =>
    Effect.provide(
      Effect.map(Embedder.Embedder, ({ model }) => model),
      layer
    )
  const key = ConfigProvider.fromMap(new Map([["OPENAI_API_KEY", "test-key"]]))

  it.live("build a provider's embedder with the key from the settings", () =>
    Effect.gen(function* () {
      const small = Embedder.layerOpenAi({ model: "text-embedding-3-small", dimensions: 512 })
      expect(yield* Effect.withConfigProvider(embedderOf(small), key)).toBe("openai/text-embedding-3-small")
      const missing = Effect.withConfigProvider(embedderOf(small), ConfigProvider.fromMap(new Map()))
      expect((yield* Effect.flip(missing)).message).toContain("OPENAI_API_KEY is not set")
      const wrong = Embedder.layerOpenAi({ baseUrl: "not a URL" })
      expect((yield* Effect.flip(embedderOf(wrong)))._tag).toBe("InvalidPolicy")
      expect(yield* embedderOf(Embedder.layerWords)).toBe("glove-100-v1")
      expect(yield* embedderOf(Embedder.layerHash)).toBe("hash-256-v1")
    })
  )

  it.live("name the optional parts", () =>
    Effect.gen(function* () {
      expect(yield* Effect.provide(Reranker.Reranker, Reranker.layerNone)).toBeNull()
      expect((yield* Effect.provide(Reranker.Reranker, Reranker.layerLexical))?.name).toBe("lexical-1")
      expect((yield* Effect.provide(Reconciler.Reconciler, Reconciler.layerRules))?.name).toBe("rules-v13")
      const model = Reconciler.layerHybrid({ provider: "anthropic", model: "small" })
      expect((yield* Effect.provide(Reconciler.Reconciler, model))?.name).toBe("rules-v13+anthropic/small")
      expect((yield* Policy.decode({ search: { mode: "classic" } })).search.mode).toBe("classic")
    })
  )
})

describe("the schemas", () => {
  it.scoped("accept the inputs and answers of methods", () =>
    Effect.gen(function* () {
      const memory = yield* memoryOf("coop")
      const observation: Observation = { title: "The ferry leaves at noon", type: "event", occurredAt: "2026-03-14" }
      expect(Schema.is(Observation)(observation)).toBe(true)
      expect(Schema.is(Observation)({ ...observation, importance: 2 })).toBe(false)
      yield* memory.remember(observation)
      const query: Query = { text: "ferry", types: ["event"], after: new Date(0), limit: 5 }
      expect(Schema.is(Query)(query)).toBe(true)
      expect(Schema.is(Query)({ limit: 0 })).toBe(false)
      const hits = yield* memory.search(query)
      expect(hits).toHaveLength(1)
      expect(Schema.decodeUnknownSync(Schema.Array(Hit), { onExcessProperty: "error" })(hits)).toEqual(hits)
    }).pipe(Effect.provide(Daybook.layerMemory()))
  )
})
