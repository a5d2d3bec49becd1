import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { Observation } from "../src/model/input.js"
import { type EngineOptions, fresh } from "./support/engine.js"

const told: ReadonlyArray<Observation> = [
  { title: "Mira repairs the harbour crane", people: ["Mira Holt"], occurredAt: "2026-03-05T10:00:00Z" },
  { title: "The crane was painted green", occurredAt: "2026-01-05T10:00:00Z" },
  { title: "Ticket HX-2041 is about the tide tables", occurredAt: "2025-11-05T10:00:00Z" },
  ...["bread", "rope", "paint", "nets", "lamps", "salt"].map((what) => ({
    title: `We buy ${what} at the market`,
    occurredAt: "2025-06-01T10:00:00Z"
  }))
]

const remembering = (options: EngineOptions = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-14T06:00:00Z"))
    const { daybook } = yield* fresh(options)
    const memory = yield* daybook.agent("ada", { trust: "full" })
    yield* memory.rememberAll(told)
    yield* daybook.backfill("ada")
    return { daybook, memory }
  })

describe("evidence", () => {
  it.scoped("is absolute: a hit has the same however good or bad the others are", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      const evidence = (text: string) =>
        Effect.map(memory.search({ text, mode: "classic" }), (hits) => hits.map((hit) => [hit.title, hit.evidence]))
      // All words, no other word; the rest has one of two.
      const [first, second] = yield* evidence("crane green")
      expect(first).toEqual(["The crane was painted green", 1])
      expect(second![1]).toBeGreaterThan(0)
      expect(second![1]).toBeLessThan(0.5)
      // The only hit has the full score of full text, but little evidence: no memory has three of the four words.
      const [weak] = (yield* memory.explain({ text: "crane torque of a helicopter rotor", mode: "classic" })).hits
      expect(weak!.parts.text).toBe(1)
      expect(weak!.evidence).toBeLessThan(0.3)
      const alone = yield* memory.search({ text: "crane green", mode: "classic", limit: 1 })
      expect(alone.map((hit) => [hit.title, hit.evidence])).toEqual([first])
    })
  )

  it.scoped("of a question that no memory answers is low, and the search says that nothing is near", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      for (const text of [
        "which grape goes into the sparkling wine of the Loire",
        "crane torque of a helicopter rotor",
        "what did Doctor Marchetti say about the greyhound"
      ]) {
        const { explanation, hits } = yield* memory.explain({ text })
        expect([text, explanation.nothingNear]).toEqual([text, true])
        expect(hits.map(({ near }) => near)).toEqual(hits.map(() => false))
        expect(yield* memory.search({ text, near: true })).toEqual([])
      }
      for (const text of ["harbour crane", "HX-2041", "what does Mira repair", "harbuor crane", "+tide tables"]) {
        const { explanation, hits } = yield* memory.explain({ text })
        expect([text, explanation.nothingNear, hits[0]!.near]).toEqual([text, false, true])
        const near = yield* memory.search({ text, near: true })
        expect(near.map(({ id }) => id)).toEqual(hits.filter((hit) => hit.near).map(({ id }) => id))
      }
    })
  )

  it.scoped("of everything is full without words, and of what lies in a named time without others", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering()
      for (const text of ["", "what happened in January 2026"]) {
        const { explanation, hits } = yield* memory.explain({ text })
        expect(explanation.nothingNear).toBe(false)
        expect(hits.filter(({ evidence, near }) => near && evidence === 1)).toHaveLength(hits.length)
      }
      const { hits } = yield* memory.explain({ text: "what was the trouble with the submarine in January 2026" })
      expect(hits.filter(({ near }) => near).map(({ title }) => title)).toEqual(["The crane was painted green"])
    })
  )

  it.scoped("from which a hit is near is a setting", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering({ policy: { search: { nearEvidence: 0 } } })
      const { explanation } = yield* memory.explain({ text: "crane torque of a helicopter rotor" })
      expect(explanation.nothingNear).toBe(false)
    })
  )

  it.scoped("reveals nothing of memories above the reader's level", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* remembering()
      yield* memory.remember({ title: "The gate code of the social club", store: "social" })
      const familiar = yield* daybook.agent("ada", { trust: "familiar" })
      const ask = Effect.forEach(["gate code helicopter", "crane"], (text) => familiar.explain({ text }))
      const before = yield* ask
      yield* memory.rememberAll(
        ["helicopter", "gate", "code"].map((word) => ({ title: `Private ${word} notes`, store: "private" as const }))
      )
      expect(yield* ask).toEqual(before)
    })
  )
})
