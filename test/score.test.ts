import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import type { Memory } from "../events/Memory.js"
import { observations } from "../projections/observations.js"
import type { Db } from "../projections/Projection.js"
import { recalls } from "../projections/recalls.js"
import { countScores, findMemoriesByScore } from "../projections/scoreReads.js"
import { verdictOf } from "../src/maintenance/rules.js"
import { dayMillis } from "../src/maintenance/stageRow.js"
import { readTiers } from "../src/maintenance/tiers.js"
import { decode, defaults } from "../src/ports/Policy.js"
import { decayOf, lifeScoreOf, scoreFactsOf, toScoreFormula } from "../src/search/score.js"
import { answerOf, build, daybookIn, newFolder, removeFolders } from "./support/cli.js"
import { fresh } from "./support/engine.js"

const now = Date.UTC(2026, 10, 22, 12)

const memoryOf = (fields: Partial<Memory> & { readonly born: number }): Memory => ({
  id: `m${fields.born}`,
  revision: 1,
  status: "active",
  type: "task",
  title: `memory ${fields.born}`,
  facts: [],
  tags: [],
  people: [],
  files: [],
  source: { kind: "auto" },
  store: "private",
  tier: "mid",
  importance: 0,
  tokens: 1,
  mentions: 1,
  lastMentionedAt: fields.createdAt ?? now,
  createdAt: now,
  updatedAt: fields.createdAt ?? now,
  ...fields
})

describe("the score of a memory", () => {
  // frequency + recency + importance, each worked out by hand with weights 1, 1 and 2.
  const table: ReadonlyArray<
    readonly [type: string, mentions: number, shown: number, days: number, importance: number, score: number]
  > = [
    ["task", 1, 0, 0, 0, 1],
    ["task", 1, 0, 1, 0, 0.951229],
    ["task", 1, 0, 14, 0, 0.496585],
    ["task", 1, 0, 30, 0, 0.22313],
    ["task", 2, 0, 0, 0, 1.693147],
    ["task", 2, 2, 0, 0, 2.386294],
    ["task", 4, 0, 7, 0.5, 1.386294 + 0.704688 + 1],
    ["task", 1, 99, 60, 1, 4.60517 + 0.049787 + 2],
    ["identity", 1, 0, 365, 0, 0.481909],
    ["decision", 1, 9, 100, 1, Math.LN10 + 0.367879 + 2],
    ["event", 1, 0, 10, 0, 0.367879],
    ["conversation", 1, 0, 20, 0.1, 0.135335 + 0.2],
    ["temp", 1, 0, 13, 0, 0.001503],
    ["debug", 1, 0, 14, 0, 0.000912],
    ["standup", 1, 0, 10, 0, 0.606531],
    ["hour", 1, 0, 10, 0, 0.049787]
  ]
  const { tiers } = Either.getOrThrow(decode({ tiers: { decays: { ...defaults.tiers.decays, hour: 0.3 } } }))

  for (const [type, mentions, accesses, days, importance, score] of table) {
    it(`of a ${type} with ${mentions} mentions, ${accesses} times shown, ${days} days unseen is ${score.toFixed(6)}`, () => {
      const made = lifeScoreOf({ type, mentions, accesses, importance, seenAt: now - days * dayMillis }, tiers, now)
      expect(made.score).toBeCloseTo(score, 5)
      expect(made.frequency + made.recency + made.importance).toBe(made.score)
    })
  }

  it("uses the policy's weights, and is constant for a day", () => {
    const weighed = { ...tiers, frequencyWeight: 0.5, recencyWeight: 3, importanceWeight: 0 }
    const facts = { type: "task", mentions: 2, accesses: 0, importance: 1, seenAt: now - 10 * dayMillis }
    expect(lifeScoreOf(facts, weighed, now).score).toBeCloseTo(0.5 * Math.LN2 + 3 * 0.606531, 5)
    expect(lifeScoreOf(facts, weighed, now + 11 * 3_600_000)).toEqual(lifeScoreOf(facts, weighed, now))
    expect(lifeScoreOf({ ...facts, seenAt: now + 5 * dayMillis }, weighed, now).days).toBe(0)
  })

  const rows = fc.array(
    fc.record({
      type: fc.constantFrom("task", "identity", "temp", "standup"),
      mentions: fc.integer({ min: 1, max: 9 }),
      accesses: fc.constantFrom(0, 0, 1, 7),
      days: fc.integer({ min: 0, max: 400 }),
      accessed: fc.integer({ min: 0, max: 400 }),
      importance: fc.constantFrom(0, 0.25, 1),
      tier: fc.constantFrom("core", "long", "mid", "daily") as fc.Arbitrary<Memory["tier"]>,
      gone: fc.constantFrom(false, false, false, true)
    }),
    { minLength: 1, maxLength: 40 }
  )

  it.effect.prop("is the same in SQL: the best, the means and the counts by range", [rows], ([made]) =>
    Effect.gen(function* () {
      const db = new Database(":memory:") as unknown as Db
      db.exec(`${observations.tables}${observations.indexes}${recalls.tables}`)
      const scores = made.map(({ accessed, accesses, days, gone, ...fields }, at) => {
        const createdAt = now - days * dayMillis
        const memory = memoryOf({ born: at + 1, ...fields, createdAt, ...(gone ? { expiresAt: now } : {}) })
        const event = { type: "ADD", version: memory.born, payload: { memory } }
        observations.apply(db, event as never, { opennessOf: () => 0, vectorOf: () => undefined })
        const lastAccessedAt = now - accessed * dayMillis
        if (accesses > 0) db.prepare("INSERT INTO accesses VALUES (?, ?, ?)").run(memory.id, accesses, lastAccessedAt)
        const row = { memory, accesses: accesses > 0 ? { accesses, lastAccessedAt } : undefined }
        const unshown = lifeScoreOf(scoreFactsOf({ memory, accesses: undefined }), defaults.tiers, now)
        return { born: memory.born, gone, memory, unshown, life: lifeScoreOf(scoreFactsOf(row), defaults.tiers, now) }
      })
      const best = (of: (one: (typeof scores)[number]) => number) =>
        scores
          .filter(({ gone }) => !gone)
          .map((one) => ({ born: one.born, score: of(one) }))
          .sort((a, b) => b.score - a.score || b.born - a.born)
          .slice(0, 7)
      const rounded = (ranked: ReadonlyArray<{ born: number; score: number }>) =>
        ranked.map(({ born, score }) => [born, score.toFixed(9)])
      const formula = toScoreFormula(defaults.tiers)
      const full = findMemoriesByScore(db, "full", formula, { now, limit: 7 })
      expect(full.map(({ score }) => score.toFixed(9))).toEqual(
        best((one) => one.life.score).map(({ score }) => score.toFixed(9))
      )
      for (const { born, score } of full) expect(scores[born - 1]!.life.score).toBeCloseTo(score, 9)
      // Whoever is below full trust learns nothing of what others were shown.
      expect(rounded(findMemoriesByScore(db, "inner", formula, { now, limit: 7 })).length).toBe(0)
      const there = scores.filter(({ gone }) => !gone)
      const told = yield* readTiers((f) => Effect.sync(() => f({ db, now })), defaults, 3)
      const paged = countScores(formula, now, [1], 3)
      while (paged.next(db)) {}
      expect(paged.result().all.memories).toBe(told.all.memories)
      expect(paged.result().all.score).toBeCloseTo(told.all.score, 9)
      const mean = (of: ReadonlyArray<number>) => of.reduce((sum, one) => sum + one, 0) / Math.max(1, of.length)
      expect(told.all.memories).toBe(there.length)
      expect(told.all.score).toBeCloseTo(mean(there.map(({ life }) => life.score)), 9)
      expect(told.all.days).toBeCloseTo(mean(there.map(({ life }) => life.days)), 9)
      expect(told.byTier.mid!.memories).toBe(there.filter(({ memory }) => memory.tier === "mid").length)
      expect(told.byScore.map(({ memories }) => memories)).toEqual(
        [0, 0.5, 1, 2, 3].map(
          (from, at, all) => there.filter(({ life: { score } }) => score >= from && score < (all[at + 1] ?? 1e9)).length
        )
      )
    })
  )
})

describe("the verdict of the rules", () => {
  const verdict = (fields: Partial<Memory>, accesses?: { accesses: number; lastAccessedAt: number }) =>
    verdictOf({ memory: memoryOf({ born: 1, ...fields }), accesses }, defaults, now).action
  const ago = (days: number) => ({
    createdAt: now - days * dayMillis,
    lastMentionedAt: now - days * dayMillis,
    updatedAt: now - days * dayMillis
  })

  it("promotes after three hits within seven days, removes below 0.5 or after thirty days, keeps the rest", () => {
    expect(verdict({ ...ago(20), mentions: 4, lastMentionedAt: now - 7 * dayMillis })).toBe("promote")
    expect(verdict({ ...ago(20), mentions: 3, lastMentionedAt: now - 7 * dayMillis })).toBe("keep")
    expect(verdict({ ...ago(20), mentions: 4, lastMentionedAt: now - 8 * dayMillis })).toBe("keep")
    expect(verdict(ago(10), { accesses: 3, lastAccessedAt: now - dayMillis })).toBe("promote")
    expect(verdict(ago(13))).toBe("keep")
    expect(verdict(ago(14))).toBe("remove")
    expect(verdict({ ...ago(30), importance: 1 })).toBe("keep")
    expect(verdict({ ...ago(31), importance: 1 })).toBe("remove")
    expect(verdict({ ...ago(31), importance: 1, tier: "daily" })).toBe("remove")
    expect(verdict({ ...ago(9), type: "debug" })).toBe("remove")
  })

  it("leaves core memories, people, pinned ones and long ones of the user alone", () => {
    const old = ago(400)
    expect(verdict({ ...old, tier: "core" })).toBe("keep")
    expect(verdict({ ...old, type: "person" })).toBe("keep")
    expect(verdict({ ...old, tags: ["pinned"] })).toBe("keep")
    expect(verdict({ ...old, tier: "long" })).toBe("keep")
    expect(verdict({ ...old, tier: "long", promotedAt: old.createdAt })).toBe("demote")
    expect(verdict({ ...ago(29), tier: "long", promotedAt: now })).toBe("keep")
  })
})

describe("the explanation of a score", () => {
  it.scoped("is part of why and explain, with accesses at full trust only", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { daybook } = yield* fresh({ policy: { actors: { idle: 20 * dayMillis } } })
      const full = yield* daybook.agent("ada", { trust: "full", record: true })
      const { id } = yield* full.remember({
        title: "harbour cranes",
        type: "decision",
        store: "shared",
        importance: 0.5
      })
      yield* full.search({ text: "harbour" })
      yield* daybook.flush("ada")
      yield* TestClock.adjust("10 days")
      const inner = yield* daybook.agent("ada", { trust: "inner", record: false })
      const later = yield* daybook.agent("ada", { trust: "full", record: false })
      expect((yield* later.why(id)).life).toMatchObject({ action: "keep", score: { hits: 1, days: 10, importance: 1 } })
      expect((yield* later.explain({ text: "harbour" })).hits[0]!.life).toMatchObject({ hits: 1, decay: 0.01 })
      expect((yield* inner.why(id)).life).toMatchObject({ score: { hits: 0, days: 10 } })
      expect((yield* inner.explain({ text: "harbour" })).hits[0]!.life).toMatchObject({ hits: 0 })
      expect(yield* Effect.flip(inner.maintenance.tiers())).toMatchObject({ _tag: "TrustRequired" })
      expect((yield* later.maintenance.tiers()).best).toMatchObject([
        { id, score: expect.closeTo(Math.LN2 + 0.904837 + 1, 5) }
      ])
      expect(decayOf("constructor", defaults.tiers)).toBe(0.05)
    })
  )

  it.scoped("is empty, and no failure, for an agent without events", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("nobody", { trust: "full" })
      expect((yield* memory.maintenance.tiers()).all).toEqual({ memories: 0, score: 0, days: 0 })
      expect((yield* memory.maintenance.tiers()).best).toEqual([])
      expect((yield* daybook.stats("nobody")).memories).toMatchObject({ active: 0, created: 0, byTier: {} })
    })
  )

  it("is printed on the command line, with curves", async () => {
    build()
    const daybook = daybookIn(newFolder())
    await daybook("remember", "tea", "--type", "decision")
    expect(answerOf(await daybook("tiers", "--json")).byTier.long).toEqual({ memories: 1, score: 1, days: 0 })
    const { stdout } = await daybook("tiers", "--plot")
    expect(stdout).toMatch(/^decision +█{14}[▇█]/m)
    expect(stdout).toMatch(/^all others .* 0\.05 {2}half after 13\.9 days$/m)
    expect(stdout).toMatch(/^temp .* half after 1\.4 days$/m)
    expect((await daybook("stats")).stdout).toMatch(/^by score +1–2: 1$/m)
    removeFolders()
  })
})
