import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HashEmbedder from "../layers/HashEmbedder.js"
import * as WordEmbedder from "../layers/WordEmbedder.js"
import { limits } from "../src/model/limits.js"
import { type EngineOptions, fresh } from "./support/engine.js"

/** Texts, and queries that must find one of them. All texts of all files are one haystack. */
interface Fixture {
  readonly texts: Readonly<Record<string, string>>
  readonly cases: ReadonlyArray<{ readonly query: string; readonly finds: string }>
}

const folder = new URL("./fixtures/search/", import.meta.url)
const fixtures = readdirSync(folder)
  .sort()
  .map((file) => ({ file, ...(JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Fixture) }))
const cases = fixtures.flatMap(({ cases, file, texts }) =>
  cases.map(({ finds, query }) => ({ file, query, text: texts[finds]! }))
)
const texts = fixtures.flatMap(({ texts }) => Object.values(texts))

const top = 3

type Search = (query: string) => Effect.Effect<ReadonlyArray<string>, unknown>

/** A line for each case whose text is not among the first three: where it stands instead. */
const misses = (search: Search) =>
  Effect.map(
    Effect.forEach(cases, ({ file, query, text }) =>
      Effect.map(search(query), (found) => {
        const at = found.indexOf(text)
        if (at >= 0 && at < top) return []
        return [`${file}: ${query} finds ${text} ${at < 0 ? "not at all" : `at rank ${at + 1}`}`]
      })
    ),
    (lines) => lines.flat()
  )

const settings: Readonly<Record<string, EngineOptions>> = {
  "vectors of words": { embedder: WordEmbedder.layer },
  "vectors of hashed features": { embedder: HashEmbedder.layer },
  "no vectors": { vectorExtension: null }
}

describe("test cases by script and spelling", () => {
  it("are many, and contain each text once", () => {
    expect(cases.length).toBeGreaterThanOrEqual(90)
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts.length).toBeGreaterThanOrEqual(150)
    for (const { query, text } of cases) expect([query, typeof text]).toEqual([query, "string"])
  })

  describe.each(Object.keys(settings))("with %s", (setting) => {
    it.scopedLive("finds every memory among the first three", () =>
      Effect.gen(function* () {
        const { daybook } = yield* fresh(settings[setting])
        const memory = yield* daybook.agent("ada", { trust: "full" })
        for (let from = 0; from < texts.length; from += limits.batch) {
          yield* memory.rememberAll(texts.slice(from, from + limits.batch).map((title) => ({ title })))
        }
        yield* daybook.backfill("ada")
        const failed = yield* misses((text) =>
          Effect.map(memory.search({ text, limit: 50 }), (hits) => hits.map(({ title }) => title))
        )
        expect(failed).toEqual([])
      })
    )

    it.scopedLive("finds every turn among the first three", () =>
      Effect.gen(function* () {
        const { daybook } = yield* fresh(settings[setting])
        const memory = yield* daybook.agent("ada", { trust: "full" })
        const turns = fixtures.flatMap(({ file, texts }) =>
          Object.values(texts).map((text) => ({ session: file, text, at: "2025-01-06T06:00:00Z" }))
        )
        for (let from = 0; from < turns.length; from += 100)
          yield* memory.sessions.appendAll(turns.slice(from, from + 100))
        yield* daybook.backfill("ada")
        const failed = yield* misses((text) =>
          Effect.map(memory.sessions.search({ text, limit: 50 }), (hits) => hits.map((hit) => hit.text))
        )
        expect(failed).toEqual([])
      })
    )
  })
})
