import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { questionsFromRecalls } from "../src/embedding/admin/calibrate.js"
import { Embedder } from "../src/ports/Embedder.js"
import type { Recall } from "../src/recalls/RecallReader.js"
import { fresh } from "./support/engine.js"

const agent = "ada"
const minute = 60_000
const own = 0.3
const topics = ["dog", "boat", "tea", "rain", "lamp", "bread", "train", "chess"] as const
const others: Readonly<Record<string, string>> = {
  puppy: "dog",
  vessel: "boat",
  brew: "tea",
  drizzle: "rain",
  lantern: "lamp",
  loaf: "bread",
  railway: "train",
  gambit: "chess"
}

/** Vectors that know what words mean, or that say the contrary: the next topic in place of the one that is meant. */
const knowing = (wrong: boolean, asked: Array<string> = []) =>
  Layer.succeed(Embedder, {
    model: wrong ? "wrong-8" : "right-8",
    dimensions: 8,
    weight: wrong ? 0.7 : own,
    floor: 0.1,
    batch: 16,
    embed: (texts, purpose) =>
      Effect.sync(() => {
        if (purpose === "query") asked.push(...texts)
        return texts.map((text) => {
          const vector = new Float32Array(8).fill(0.01)
          for (const word of text.toLowerCase().split(/\W+/)) {
            const meant = purpose === "query" ? (others[word] ?? word) : word
            const topic = topics.indexOf(meant as (typeof topics)[number])
            if (topic >= 0) vector[(topic + (wrong && purpose === "query" ? 1 : 0)) % 8] = 1
          }
          return vector
        })
      })
  })

/** Memories of each topic, and one each that has the question's word and nothing to do with it. */
const told = (embedder: Layer.Layer<Embedder>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-14T06:00:00Z"))
    const { daybook } = yield* fresh({ embedder, policy: { recall: {}, search: { rerank: false } } })
    const memory = yield* daybook.agent(agent, { trust: "full" })
    const ids = new Map<string, string>()
    for (const topic of topics) {
      ids.set(topic, (yield* memory.remember({ type: "fact", title: `we talked at length of the ${topic}` })).id)
    }
    for (const word of Object.keys(others)) {
      yield* memory.remember({ type: "fact", title: `${word} is a word that was mentioned` })
    }
    expect((yield* daybook.backfill(agent)).remaining).toBe(0)
    return { daybook, memory, ids }
  })

const labelled = (ids: ReadonlyMap<string, string>) =>
  Object.entries(others).map(([word, topic]) => ({ query: `what of the ${word}`, ids: [ids.get(topic)!] }))

describe("calibrate", () => {
  it.scoped("raises the weight if vectors find more than words, and embeds each question once", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { daybook, ids } = yield* told(knowing(false, asked))
      asked.length = 0
      const found = yield* daybook.embedders.calibrate(agent, { questions: labelled(ids) })
      expect(found).toMatchObject({ model: "right-8", dimensions: 8, used: own, from: 8, by: "labels" })
      expect(found.weight).toBeGreaterThan(own)
      expect(found.curve.map(({ weight }) => weight)).toEqual(Array.from({ length: 21 }, (_, at) => at / 20))
      const [first, last] = [found.curve[0]!.value, found.curve.at(-1)!.value]
      expect(last).toBeGreaterThan(first)
      expect(asked.length).toBe(8)
    })
  )

  it.scoped("lowers the weight if vectors mislead", () =>
    Effect.gen(function* () {
      const { daybook, ids } = yield* told(knowing(true))
      const questions = topics.map((topic) => ({ query: `what of the ${topic}`, ids: [ids.get(topic)!] }))
      const found = yield* daybook.embedders.calibrate(agent, { questions })
      expect(found).toMatchObject({ used: 0.7, from: 8 })
      expect(found.weight).toBeLessThan(0.7)
      expect(found.curve[0]!.value).toBe(1)
    })
  )

  it.scoped("keeps the weight without clear evidence", () =>
    Effect.gen(function* () {
      const { daybook, ids } = yield* told(knowing(false))
      expect(yield* daybook.embedders.calibrate(agent)).toMatchObject({
        weight: own,
        used: own,
        from: 0,
        by: "recalls"
      })
      const easy = topics.map((topic) => ({ query: topic, ids: [ids.get(topic)!] }))
      expect((yield* daybook.embedders.calibrate(agent, { questions: easy })).weight).toBe(own)
      const one = labelled(ids).slice(0, 1)
      expect((yield* daybook.embedders.calibrate(agent, { questions: one })).weight).toBe(own)
    })
  )

  it.scoped("learns from memories opened after searches, and records no recalls", () =>
    Effect.gen(function* () {
      const { daybook, ids, memory } = yield* told(knowing(false))
      for (const [word, topic] of Object.entries(others)) {
        yield* memory.search({ text: `what of the ${word}`, types: ["fact"] })
        yield* TestClock.adjust(1_000)
        yield* memory.get([ids.get(topic)!])
        yield* TestClock.adjust(minute)
      }
      yield* daybook.flush(agent)
      const { recorded } = (yield* daybook.stats(agent)).recalls
      expect(recorded).toBe(16)
      const found = yield* daybook.embedders.calibrate(agent)
      expect(found).toMatchObject({ from: 8, by: "recalls" })
      expect(found.weight).toBeGreaterThan(own)
      expect((yield* daybook.embedders.calibrate(agent, { questions: labelled(ids) })).weight).toBe(found.weight)
      yield* daybook.flush(agent)
      expect((yield* daybook.stats(agent)).recalls).toEqual({ recorded, waiting: 0, dropped: 0 })
    })
  )
})

describe("questions from recalls", () => {
  const recall = (at: number, rest: Partial<Recall>) =>
    ({
      level: "full",
      mode: "enhanced",
      filters: { limit: 10 },
      text: "",
      askedAt: at * minute,
      hits: [],
      ...rest
    }) as Recall
  const hits = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ id, score: 1 }))
  const search = (at: number, text: string, rest: Partial<Recall> = {}) =>
    recall(at, { kind: "memories", text, hits: hits("a", "b", "c"), ...rest })
  const get = (at: number, ...ids: ReadonlyArray<string>) => recall(at, { kind: "get", mode: null, hits: hits(...ids) })
  const read = (...recalls: ReadonlyArray<Recall>) =>
    questionsFromRecalls(recalls).map(({ gains, query }) => [query.text, Object.fromEntries(gains)])

  it("take an opened memory as the answer, with a larger gain at a lower rank", () => {
    expect(read(search(0, "tea"), get(1, "a"), get(2, "c"))).toEqual([["tea", { a: 1, c: 2 }]])
  })

  it("ignore memories opened too late, after another search, at another level or without being shown", () => {
    expect(read(search(0, "tea"), get(11, "a"))).toEqual([])
    expect(read(search(0, "tea"), search(1, "coffee"), get(2, "b"))).toEqual([["coffee", { b: Math.log2(3) }]])
    expect(read(search(0, "tea"), search(1, ""), get(2, "b"))).toEqual([])
    expect(read(search(0, "tea"), search(1, "old", { mode: "classic" }), get(2, "b"))).toEqual([])
    expect(read(search(0, "tea", { level: "inner" }), get(1, "a"))).toEqual([])
    expect(read(search(0, "tea"), get(1, "z"))).toEqual([])
  })

  it("count a repeated question once, newest first", () => {
    const again = [search(0, "tea"), get(1, "b"), search(20, "coffee"), get(21, "a"), search(40, "tea"), get(41, "a")]
    expect(read(...again)).toEqual([
      ["tea", { b: Math.log2(3), a: 1 }],
      ["coffee", { a: 1 }]
    ])
    const filters = { limit: 10, types: ["fact"], projects: ["p"] }
    const [narrow] = questionsFromRecalls([search(0, "tea", { filters }), get(1, "a")])
    expect(narrow!.query).toMatchObject({ text: "tea", types: ["fact"], project: "p" })
  })
})
