import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hashVector } from "../layers/HashEmbedder.js"
import type { Observation } from "../src/model/input.js"
import { maxDimensions } from "../src/ports/policy/models.js"
import type { FusionOptions } from "../src/search/fusion.js"
import { vectorShare } from "../src/search/fusion.js"
import type { Query } from "../src/search/search.js"
import { known, scripted } from "./support/embedders.js"
import { type EngineOptions, fresh } from "./support/engine.js"

const observations: ReadonlyArray<Observation> = [
  { title: "the ferry leaves at nine" },
  { title: "Mira repairs the kettle" },
  { title: "the crane lifts forty tons", occurredAt: "2026-01-05" },
  { title: "rain is expected on Sunday" }
]
const kettle = hashVector("Mira repairs the kettle")

/** A system whose memories and turns have their vectors. */
const remembering = (options: EngineOptions = {}) =>
  Effect.gen(function* () {
    const { daybook } = yield* fresh({ ...options, policy: { recall: {}, ...options.policy } })
    const memory = yield* daybook.agent("ada", { trust: "full" })
    yield* memory.rememberAll(observations)
    // Each in a session of its own: the vector of a turn is also that of the turn before it.
    for (const { title } of observations) yield* memory.sessions.append({ session: title, text: title })
    yield* memory.notes.save({ content: "Mira repairs the kettle" })
    yield* daybook.backfill("ada")
    return { daybook, memory }
  })

const titles = (hits: ReadonlyArray<{ readonly title: string }>) => hits.map(({ title }) => title)

describe("the vector of a call", () => {
  it.scoped("takes the place of the text's own, at any length, in searches of memories, turns and notes", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      const query = { text: "ferry", textWeight: 0, limit: 1 }
      expect(titles(yield* memory.search(query))).toEqual(["the ferry leaves at nine"])
      const own = yield* memory.search({ ...query, embedding: kettle })
      expect(titles(own)).toEqual(["Mira repairs the kettle"])
      const longer = [...kettle].map((value) => value * 8)
      expect(yield* memory.search({ ...query, embedding: longer })).toEqual(own)
      const [turn] = yield* memory.sessions.search({ ...query, kinds: ["turn"], embedding: kettle })
      expect(turn).toMatchObject({ kind: "turn", text: "Mira repairs the kettle" })
      const [note] = yield* memory.notes.search({ ...query, embedding: kettle })
      expect(note).toMatchObject({ content: "Mira repairs the kettle" })
    })
  )

  it.scoped("counts together with the words, and without any", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      const both = yield* memory.explain({ text: "ferry", embedding: kettle })
      expect(new Set(titles(both.hits))).toEqual(new Set(["the ferry leaves at nine", "Mira repairs the kettle"]))
      expect(both.explanation).toMatchObject({ vectors: "hash-256-v1", fusion: { embedding: true } })
      for (const text of ["", "   ", "type:discovery"]) {
        const [first] = yield* memory.search({ text, embedding: kettle })
        expect([text, first?.title]).toEqual([text, "Mira repairs the kettle"])
        expect(first!.parts.vector).toBeGreaterThan(0)
      }
      const crane = yield* memory.search({ text: "in January 2026", embedding: kettle })
      expect(crane[0]?.title).toBe("the crane lifts forty tons")
      expect(titles(crane)).toContain("Mira repairs the kettle")
    })
  )

  it.scoped("is refused with both dimensions if the active index has others, also as of a version", () =>
    Effect.gen(function* () {
      const small = scripted("small-8", 1, 8)
      const { daybook } = yield* fresh(known(small))
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.remember({ title: "the ferry leaves at nine" })
      yield* daybook.backfill("ada")
      const then = yield* daybook.agent("ada", { trust: "full", asOf: { version: 1 } })
      for (const reader of [memory, then]) {
        for (const query of [
          { text: "ferry", embedding: kettle },
          { text: "", embedding: kettle }
        ]) {
          const error = yield* Effect.flip(reader.search(query))
          expect(error).toMatchObject({ _tag: "InvalidInput", field: "embedding" })
          expect(error.message).toContain("has 256 dimensions, but the active index (small-8) has 8")
          expect(yield* Effect.flip(reader.sessions.search(query))).toMatchObject({ field: "embedding" })
        }
        expect(yield* reader.search({ text: "ferry", embedding: [1, 0, 0, 0, 0, 0, 0, 0] })).toHaveLength(1)
      }
    })
  )

  it.scoped("is refused if vectors have no weight", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering({ policy: { search: { vectorWeight: 0 } } })
      const error = yield* Effect.flip(memory.search({ text: "ferry", embedding: kettle }))
      expect(error.message).toBe(
        "embedding: has no effect, because vectors have a weight of 0 here: pass a `vectorWeight` above 0"
      )
      expect(yield* memory.search({ text: "", embedding: kettle, vectorWeight: 1 })).not.toEqual([])
    })
  )
})

describe("topK", () => {
  it.scoped("is the number of rows of each side", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      const query = { text: "the ferry, the crane or the kettle", embedding: kettle }
      const found = (topK: number) =>
        Effect.map(memory.search({ ...query, topK }), (hits) => [
          hits.filter(({ parts }) => parts.text > 0).length,
          hits.filter(({ parts }) => parts.vector > 0).length
        ])
      expect(yield* found(1)).toEqual([1, 1])
      expect(yield* found(4_095)).toEqual([4, 2])
      // More hits than `topK` come only from the union of both sides.
      expect((yield* memory.search({ ...query, topK: 1, limit: 4 })).length).toBeLessThanOrEqual(2)
      expect(yield* memory.search({ text: query.text, topK: 1, mode: "classic" })).toHaveLength(1)
    })
  )
})

describe("the weights of a call", () => {
  it("are a ratio; a weight of 0 leaves its side out, an absent one is the usual share", () => {
    expect(vectorShare(undefined, 0.4)).toBe(0.4)
    expect(vectorShare({ topK: 3 }, 0.4)).toBe(0.4)
    expect(vectorShare({ vectorWeight: 3, textWeight: 1 }, 0.4)).toBe(0.75)
    expect(vectorShare({ vectorWeight: 0 }, 1)).toBe(0)
    expect(vectorShare({ textWeight: 0 }, 0)).toBe(1)
    expect(vectorShare({ vectorWeight: 0.6 }, 0.4)).toBeCloseTo(0.5, 12)
    expect(vectorShare({ textWeight: 0.4 }, 0.4)).toBeCloseTo(0.5, 12)
    expect(vectorShare({ vectorWeight: Number.MAX_VALUE, textWeight: Number.MAX_VALUE }, 0.4)).toBe(0.5)
  })

  it.scoped("move the score between words and vectors", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      const partsOf = (weights: FusionOptions) =>
        Effect.map(memory.search({ text: "ferry", embedding: kettle, ...weights }), (hits) => ({
          first: hits[0]!.title,
          text: Math.max(...hits.map(({ parts }) => parts.text)),
          vector: Math.max(...hits.map(({ parts }) => parts.vector)),
          count: hits.length
        }))
      expect(yield* partsOf({ vectorWeight: 1, textWeight: 3 })).toMatchObject({
        first: "the ferry leaves at nine",
        text: 0.75,
        vector: 0.25
      })
      expect(yield* partsOf({ vectorWeight: 9, textWeight: 1 })).toMatchObject({ first: "Mira repairs the kettle" })
      expect(yield* partsOf({ textWeight: 0 })).toMatchObject({ first: "Mira repairs the kettle", text: 0, vector: 1 })
      const byVectors = yield* memory.search({ text: "ferry", embedding: kettle, textWeight: 0 })
      expect(titles(byVectors)).not.toContain("the ferry leaves at nine")
      const words = yield* memory.explain({ text: "ferry", vectorWeight: 0 })
      expect(words.explanation).toMatchObject({ vectors: null, fusion: { vectorWeight: 0 } })
      expect(words.hits.map(({ parts }) => parts.text)).toEqual([1])
    })
  )

  it.scoped("let the words answer if the embedder fails, even if they have no weight", () =>
    Effect.gen(function* () {
      const failing = scripted("small-8", 1, 8)
      const { daybook } = yield* fresh(known(failing))
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.rememberAll(observations)
      yield* daybook.backfill("ada")
      failing.embed = () => Effect.die("down")
      const { explanation, hits } = yield* memory.explain({ text: "ferry", textWeight: 0 })
      expect(titles(hits)).toEqual(["the ferry leaves at nine"])
      expect(hits[0]!.parts.text).toBe(1)
      expect(explanation.hints.join()).toContain("searched without vectors of this embedder")
    })
  )
})

describe("an option of the fusion", () => {
  it.scoped("is refused if it means nothing", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      const refusals: ReadonlyArray<readonly [query: unknown, message: string]> = [
        [{ embedding: "0.1" }, "embedding: must be a Float32Array or a list of numbers"],
        [{ embedding: [1, "2"] }, "embedding: must be a Float32Array or a list of numbers"],
        [{ embedding: [1, Number.NaN] }, "embedding: must contain only finite numbers"],
        [{ embedding: new Float32Array(256) }, "embedding: must contain a number other than 0"],
        [{ embedding: [] }, "embedding: must contain a number other than 0"],
        [
          { embedding: new Float32Array(maxDimensions + 1).fill(1) },
          `embedding: has more than ${maxDimensions} numbers`
        ],
        [{ embedding: kettle, vectorWeight: 0 }, "embedding: cannot be used if `vectorWeight` is 0"],
        [{ topK: 0 }, "topK: must be a whole number from 1 to 4095"],
        [{ topK: 4_096 }, "topK: must be a whole number from 1 to 4095"],
        [{ topK: "3" }, "topK: must be a whole number from 1 to 4095"],
        [{ vectorWeight: -1 }, "vectorWeight: must be a finite number, 0 or greater"],
        [{ textWeight: Number.POSITIVE_INFINITY }, "textWeight: must be a finite number, 0 or greater"],
        [{ textWeight: "1" }, "textWeight: must be a finite number, 0 or greater"],
        [
          { vectorWeight: 0, textWeight: 0 },
          "vectorWeight: cannot be 0 if `textWeight` is 0: at least one of the two must be greater than 0"
        ],
        ...[{ embedding: kettle }, { vectorWeight: 1 }, { textWeight: 1 }].map(
          (option) =>
            [
              { ...option, mode: "classic" },
              `${Object.keys(option)[0]}: cannot be used in classic mode, which compares no vectors`
            ] as const
        )
      ]
      for (const [query, message] of refusals) {
        for (const search of [memory.search, memory.explain, memory.sessions.search, memory.notes.search]) {
          const answer: Effect.Effect<unknown, Error> = search({ text: "ferry", ...(query as object) })
          const error = yield* Effect.flip(answer)
          expect(error).toMatchObject({ _tag: "InvalidInput", message })
        }
      }
    })
  )

  it.scoped("is part of the recall, and a rerun gives the same ids and scores", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* remembering()
      const options: ReadonlyArray<FusionOptions> = [
        { embedding: kettle },
        { topK: 1 },
        { vectorWeight: 5, textWeight: 1 },
        { embedding: [...kettle], topK: 2, textWeight: 0 }
      ]
      const queries = ["", "the ferry or the kettle", "in January 2026"].flatMap((text) =>
        options.map((option): Query => ({ text, ...option }))
      )
      const answers: Array<ReadonlyArray<{ readonly id: string; readonly score: number }>> = []
      for (const query of queries) {
        answers.push(yield* memory.search(query))
        answers.push(yield* memory.sessions.search(query))
      }
      yield* daybook.flush("ada")
      yield* memory.remember({ title: "the kettle and the ferry are here" })
      yield* daybook.backfill("ada")
      for (const [index, hits] of answers.entries()) {
        const { differences, hits: again, recall } = yield* memory.recalls.rerun(index + 1)
        expect([index, differences]).toEqual([index, []])
        expect(again.map(({ id }) => id)).toEqual(hits.map(({ id }) => id))
        const { embedding, ...numbers } = queries[Math.floor(index / 2)]!
        const { text: _, ...asked } = numbers
        expect(recall.filters.fusion).toEqual({ ...asked, ...(embedding === undefined ? {} : { embedding: true }) })
      }
      expect(answers.every((hits) => hits.length > 0)).toBe(true)
    })
  )
})
