import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { afterImages } from "../events/catalogue.js"
import type { Memory as Image } from "../events/Memory.js"
import * as RuleReconciler from "../layers/RuleReconciler.js"
import { dayOf, startOfDay, startOfWeek } from "../src/maintenance/calendar.js"
import { missingContent } from "../src/maintenance/mergeContents.js"
import { planStage, type Stage } from "../src/maintenance/Stage.js"
import { dayMillis, type Row } from "../src/maintenance/stageRow.js"
import { daily } from "../src/maintenance/stages/daily.js"
import { retention } from "../src/maintenance/stages/retention.js"
import { type Contender, chooseContenders } from "../src/maintenance/stages/weekly/core.js"
import { weekly } from "../src/maintenance/stages/weekly.js"
import { memoryText } from "../src/model/memoryText.js"
import { decode, type PolicyValues } from "../src/ports/Policy.js"
import { estimateTokens as estimate } from "../text/normalise/countTokens.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

/** A Wednesday. */
const now = Date.UTC(2026, 2, 18, 12)
const agent = "ada"

const policyOf = (maintenance: object = {}): PolicyValues => Either.getOrThrow(decode({ maintenance }))

let born = 0
let made = 0
/** A memory that was captured so many days ago. */
const row = (days: number, fields: Partial<Image> = {}): Row => {
  const at = now - days * dayMillis
  born++
  const title = `thing ${born} of ${born * 7}`
  const memory: Image = {
    id: `m${born}`,
    born,
    revision: 1,
    status: "active",
    type: "event",
    title,
    facts: [],
    tags: [],
    people: [],
    files: [],
    source: { kind: "auto" },
    store: "private",
    tier: "mid",
    importance: 0,
    mentions: 1,
    lastMentionedAt: at,
    createdAt: at,
    updatedAt: at,
    tokens: 0,
    ...fields
  }
  return {
    memory: { ...memory, tokens: estimate(memoryText(memory)) },
    accesses: undefined
  }
}

/** What a stage makes of rows: each image that it leaves, as one line. */
const then = (stage: Stage, rows: ReadonlyArray<Row>, policy = policyOf()) => {
  const planned = planStage(stage, rows, policy, now, { newId: () => `new${++made}`, countTokens: estimate })
  const images = planned.events.flatMap((event) => afterImages(event as never))
  return {
    ...planned,
    images,
    lines: images.map(({ id, status, tier }) => `${id} ${status === "active" ? tier : status}`).sort()
  }
}

/** The rows as a plan leaves them. */
const leftBy = (rows: ReadonlyArray<Row>, images: ReadonlyArray<Image>): ReadonlyArray<Row> => {
  const left = new Map(rows.map((one) => [one.memory.id, one]))
  for (const memory of images)
    left.set(memory.id, { memory: memory.born === 0 ? { ...memory, born: ++born } : memory, accesses: undefined })
  return [...left.values()].filter(({ memory }) => memory.status === "active")
}

describe("days and weeks", () => {
  const berlin = { zone: "Europe/Berlin", weekday: "monday" } as const
  it.each([
    ["2026-03-18T12:00:00Z", "UTC", "2026-03-18T00:00:00Z", "2026-03-16T00:00:00Z"],
    ["2026-03-15T23:30:00Z", "Europe/Berlin", "2026-03-15T23:00:00Z", "2026-03-15T23:00:00Z"],
    ["2026-03-15T22:30:00Z", "Europe/Berlin", "2026-03-14T23:00:00Z", "2026-03-08T23:00:00Z"],
    // Clocks were put forward on Sunday the 29th.
    ["2026-03-30T12:00:00Z", "Europe/Berlin", "2026-03-29T22:00:00Z", "2026-03-29T22:00:00Z"],
    ["2026-04-01T12:00:00Z", "Europe/Berlin", "2026-03-31T22:00:00Z", "2026-03-29T22:00:00Z"],
    ["2026-01-01T03:00:00Z", "America/New_York", "2025-12-31T05:00:00Z", "2025-12-29T05:00:00Z"]
  ])("of %s in %s", (at, zone, today, week) => {
    const of = { ...berlin, zone }
    expect(new Date(startOfDay(Date.parse(at), of)).toISOString()).toBe(new Date(today).toISOString())
    expect(new Date(startOfWeek(Date.parse(at), of)).toISOString()).toBe(new Date(week).toISOString())
  })

  it("give names to instants", () => {
    expect(dayOf(Date.parse("2026-03-15T23:30:00Z"), berlin)).toBe("2026-03-16")
    expect(startOfWeek(now, { zone: "UTC", weekday: "wednesday" })).toBe(Date.UTC(2026, 2, 18))
    expect(startOfWeek(now, { zone: "UTC", weekday: "thursday" })).toBe(Date.UTC(2026, 2, 12))
  })
})

describe("daily: given the log of days, after the end of a day", () => {
  const given = (days: number, fields: Partial<Image> = {}) => row(days, { tier: "daily", ...fields })

  it("memories of one type, project and topic become one note, with all content and lineage", () => {
    const rows = [
      given(1, { title: "Tom repaired crane 3", project: "harbour", facts: ["it took 4 hours"], people: ["Tom"] }),
      given(1, { title: "The pilot came at 9:30", project: "harbour", tags: ["pilots"] }),
      given(1, { title: "Mira went home", project: "office" }),
      given(1, { title: "A bulb broke", project: "office" }),
      given(2, { title: "Fog until noon", project: "harbour" }),
      given(2, { title: "Fog again", project: "harbour", type: "task" })
    ]
    const { counts, images, left } = then(daily, rows)
    expect({ counts, left }).toEqual({ counts: { compressed: 4, made: 2, kept: 2 }, left: false })
    const notes = images.filter(({ status, born }) => status === "active" && born === 0)
    expect(notes.map(({ facts, title }) => [title, ...facts])).toEqual([
      ["Event notes of 2026-03-17 on harbour", "Tom repaired crane 3", "it took 4 hours", "The pilot came at 9:30"],
      ["Event notes of 2026-03-17 on office", "Mira went home", "A bulb broke"]
    ])
    expect(notes[0]).toMatchObject({ tier: "mid", people: ["Tom"], tags: ["pilots"], project: "harbour", mentions: 1 })
    expect(notes[0]!.lineage).toEqual(
      rows.slice(0, 2).map(({ memory }) => ({ kind: "derived", to: memory.id, reason: "compressed" }))
    )
    const gone = images.filter(({ status }) => status === "compressed")
    expect(missingContent(gone.slice(0, 2), notes[0]!)).toEqual([])
    expect(images.filter(({ status, tier }) => status === "active" && tier === "daily")).toEqual([])
  })

  it("today's memories, people, pinned and temporary ones stay; standalone types are kept alone", () => {
    const rows = [
      given(0.4),
      given(0.4),
      given(1, { type: "person" }),
      given(1, { type: "temp" }),
      given(1, { type: "debug" }),
      given(1, { tags: ["pinned"] }),
      row(1, { tier: "mid" }),
      given(1, { type: "identity", id: "who" }),
      given(1, { type: "preference", id: "tea" }),
      given(1, { type: "preference", id: "no coffee" }),
      given(1, { type: "decision", id: "thursdays" }),
      given(1, { id: "odd", stale: { kind: "turn", of: "t", reason: "forgotten" } })
    ]
    expect(then(daily, rows).lines).toEqual(["no coffee mid", "odd mid", "tea mid", "thursdays mid", "who mid"])
  })

  it("a note never mixes stores and contains no credentials", () => {
    const stores = ["private", "shared", "social"] as const
    const rows = stores.flatMap((store) => [
      given(1, { store }),
      given(1, { store }),
      given(1, { store, type: "credential" })
    ])
    const { images } = then(daily, rows)
    const notes = images.filter(({ born }) => born === 0)
    expect(notes.map(({ store }) => store)).toEqual([...stores])
    for (const note of notes) {
      expect(note.facts.toSorted()).toEqual(
        rows
          .flatMap(({ memory }) => (memory.store === note.store && memory.type === "event" ? [memory.title] : []))
          .toSorted()
      )
    }
  })

  it("each missed day gets its own note, by the clock of the zone", () => {
    const at = Date.parse("2026-03-15T23:30:00Z")
    const rows = [
      given(0, { createdAt: at - 3_600_000 }),
      given(0, { createdAt: at }),
      given(0, { createdAt: at + 60_000 })
    ]
    const titles = (zone: string) =>
      then(daily, rows, policyOf({ zone }))
        .images.filter(({ status }) => status === "active")
        .map(({ title }) => title)
    expect(titles("UTC")).toEqual(["Event notes of 2026-03-15", rows[2]!.memory.title].slice(0, 1))
    expect(titles("Europe/Berlin")).toEqual([rows[0]!.memory.title, "Event notes of 2026-03-16"])
  })

  it("a second delivery does nothing", () => {
    const rows = Array.from({ length: 30 }, (_, at) =>
      given(1 + (at % 3), { project: at % 2 === 0 ? "harbour" : "office" })
    )
    const { images } = then(daily, rows)
    expect(then(daily, leftBy(rows, images)).events).toEqual([])
  })

  it.prop(
    "no run exceeds its limit; after all runs no day is left and no fact is lost",
    [
      fc.integer({ min: 1, max: 40 }),
      fc.array(
        fc.record({
          days: fc.integer({ min: 0, max: 3 }),
          project: fc.constantFrom("a", "b"),
          type: fc.constantFrom("event", "task", "identity"),
          tags: fc.integer({ min: 0, max: 12 })
        }),
        { maxLength: 40 }
      )
    ],
    ([bound, all]) => {
      const policy = policyOf({ rows: bound })
      let rows: ReadonlyArray<Row> = all.map(({ days, project, tags, type }) =>
        given(days, { project, type, tags: Array.from({ length: tags }, (_, at) => `tag-${at + days}`) })
      )
      const facts = rows.map(({ memory }) => memory.title)
      for (let left = true, runs = 0; left; runs++) {
        expect(runs).toBeLessThan(60)
        const done = then(daily, rows, policy)
        expect(new Set(done.images.map(({ id }) => id)).size).toBeLessThanOrEqual(bound)
        if (done.left) expect(done.events.length).toBeGreaterThan(0)
        rows = leftBy(rows, done.images)
        left = done.left
      }
      for (const { memory } of rows) {
        if (memory.tier === "daily") expect(memory.createdAt).toBeGreaterThanOrEqual(startOfDay(now, { zone: "UTC" }))
      }
      const said = rows.flatMap(({ memory }) => [memory.title, ...memory.facts])
      for (const fact of facts) expect(said).toContain(fact)
    }
  )
})

describe("weekly: given stored memories, after the end of a week", () => {
  it("mid memories of a project or topic become one note per week; others stay", () => {
    const harbour = { project: "harbour" }
    const rows = [
      row(12, { ...harbour, title: "Crane 3 broke" }),
      row(11, { ...harbour, title: "Crane 3 runs" }),
      row(4, { ...harbour, title: "Fog" }),
      row(3, { ...harbour, title: "Storm" }),
      row(1, { ...harbour, title: "this week" }),
      row(9, { title: "of nothing" }),
      row(9, { title: "of nothing either" }),
      row(9, { ...harbour, tier: "long" }),
      row(9, { ...harbour, type: "config" }),
      row(9, { ...harbour, type: "config" }),
      row(9, { ...harbour, type: "person" }),
      row(9, { ...harbour, tags: ["pinned"] }),
      row(9, { ...harbour, topic: "pilots" }),
      // About to be long.
      row(9, { ...harbour, mentions: 9, lastMentionedAt: now - 3 * dayMillis })
    ]
    const { counts, images } = then(weekly, rows)
    expect(counts).toMatchObject({ compressed: 4, made: 2 })
    expect(images.filter(({ born }) => born === 0).map(({ facts, title }) => [title, ...facts])).toEqual([
      ["Event notes of the week from 2026-03-02 on harbour", "Crane 3 broke", "Crane 3 runs"],
      ["Event notes of the week from 2026-03-09 on harbour", "Fog", "Storm"]
    ])
    expect(then(weekly, leftBy(rows, images)).events).toEqual([])
  })

  it("includes the notes of its days, each with its content", () => {
    const log = [3, 3, 4, 4].map((days) => row(days, { tier: "daily", topic: "tides" }))
    const days = leftBy(log, then(daily, log).images)
    const [note] = then(weekly, days).images.filter(({ born }) => born === 0)
    const titles = log.map(({ memory }) => memory.title)
    expect(note).toMatchObject({
      title: "Event notes of the week from 2026-03-09 on tides",
      source: { kind: "auto", name: "weekly" }
    })
    expect(note!.facts).toEqual([
      "Event notes of 2026-03-15 on tides",
      titles[0],
      titles[1],
      "Event notes of 2026-03-14 on tides",
      titles[2],
      titles[3]
    ])
  })

  it("temporary memories go when less than a thousandth of their recency is left, in the policy's tiers", () => {
    const rows = [
      row(14, { type: "temp", importance: 1, id: "temp" }),
      row(14, { type: "debug", importance: 1, id: "debug" }),
      row(13, { type: "temp", importance: 1 }),
      row(90, { type: "event" }),
      row(90, { type: "temp", tier: "long", id: "on purpose" }),
      row(90, { type: "temp", tier: "core" }),
      row(90, { type: "temp", tags: ["pinned"] })
    ]
    expect(then(weekly, rows).lines).toEqual(["debug archived", "temp archived"])
    const all = policyOf({ decayedTiers: ["long", "mid", "daily"] })
    expect(then(weekly, rows, all).lines).toEqual(["debug archived", "on purpose archived", "temp archived"])
  })

  it("the profile uses its budget; memories that no longer fit return to their former tier", () => {
    const policy = policyOf({ profileTokens: 20 })
    const rows = [
      row(0, { type: "identity", title: "Lives in Emden by the sea", id: "home", tier: "long" }),
      row(0, { type: "preference", title: "Prefers tea", id: "tea" }),
      row(300, {
        type: "decision",
        title: "Deploys happen on Tuesdays and never on Fridays",
        id: "old",
        tier: "core",
        coreFrom: "mid"
      }),
      row(1, { type: "decision", title: "Deploys happen on Thursdays", id: "new" }),
      row(1, { type: "event", title: "Mine", tier: "core", id: "by hand" }),
      row(1, { type: "event", title: "Once a decision", tier: "core", coreFrom: "long", id: "changed" }),
      row(1, { type: "preference", title: "Gone", id: "stale", stale: { kind: "turn", of: "t", reason: "forgotten" } })
    ]
    const { counts, images, lines } = then(weekly, rows, policy)
    expect(lines).toEqual(["changed long", "home core", "new core", "old mid", "tea core"])
    expect(counts).toMatchObject({ core: 3, demoted: 2 })
    expect(images.find(({ id }) => id === "home")!.coreFrom).toBe("long")
    expect(images.find(({ id }) => id === "old")).not.toHaveProperty("coreFrom")
    expect(then(weekly, leftBy(rows, images), policy).events).toEqual([])
  })

  it("memories made core by the rules still lose narrative by age; those made core by a user do not", () => {
    const narrative = "Words and more words. ".repeat(40)
    const rows = [
      row(100, { narrative, tier: "core", coreFrom: "mid", id: "rules" }),
      row(100, { narrative, tier: "core" })
    ]
    expect(then(retention, rows).lines).toEqual(["rules core"])
  })

  it("each store has its own profile: higher stores change nothing in lower ones", () => {
    const policy = policyOf({ profileTokens: 8 })
    const social = Array.from({ length: 6 }, (_, at) => row(at, { type: "preference", store: "social", level: "full" }))
    const above = Array.from({ length: 9 }, () => row(0, { type: "identity", importance: 1 }))
    const below = (rows: ReadonlyArray<Row>) =>
      then(weekly, rows, policy).images.flatMap(({ id, store, tier }) => (store === "social" ? [`${id} ${tier}`] : []))
    expect(below([...social, ...above])).toEqual(below(social))
    expect(below(social).length).toBeGreaterThan(0)
  })

  const contender = fc.record({
    type: fc.constantFrom("identity", "preference", "decision", "event"),
    tier: fc.constantFrom<Image["tier"]>("core", "long", "mid"),
    byRule: fc.boolean(),
    score: fc.integer({ min: 0, max: 5 }),
    cost: fc.integer({ min: 1, max: 9 }),
    fit: fc.boolean()
  })
  it.prop(
    "the choice fits the budget, does not depend on earlier choices, and leaves no room for a rejected memory",
    [fc.array(contender, { maxLength: 40 }), fc.integer({ min: 0, max: 60 })],
    ([all, budget]) => {
      const contenders = all.map(
        ({ byRule, fit, ...one }, at): Contender => ({
          ...one,
          born: at + 1,
          coreFrom: one.tier === "core" && byRule ? "mid" : undefined,
          mayBeChosen: fit && one.type !== "event"
        })
      )
      const core = chooseContenders(contenders, budget)
      const given = contenders.filter(({ coreFrom, tier }) => tier === "core" && coreFrom === undefined)
      const spent = given.reduce((sum, { cost }) => sum + cost, 0)
      const cost = contenders.filter(({ born }) => core.has(born)).reduce((sum, { cost }) => sum + cost, 0)
      expect(cost).toBeLessThanOrEqual(Math.max(0, budget - spent))
      for (const one of contenders) {
        if (core.has(one.born)) expect([one.mayBeChosen, given.includes(one)]).toEqual([true, false])
        else if (one.mayBeChosen && !given.includes(one))
          expect(one.cost).toBeGreaterThan(Math.max(0, budget - spent) - cost)
      }
      const moved = contenders.map((one) =>
        given.includes(one)
          ? one
          : core.has(one.born)
            ? { ...one, tier: "core" as const, coreFrom: "mid" as const }
            : { ...one, tier: "mid" as const, coreFrom: undefined }
      )
      expect(chooseContenders(moved, budget)).toEqual(core)
    }
  )
})

describe("through the engine", () => {
  it.scoped("makes notes of a week's log, keeps a changing truth in the profile, and can undo its runs", () =>
    Effect.gen(function* () {
      const start = Date.UTC(2026, 2, 9, 9)
      yield* TestClock.setTime(start)
      const { daybook } = yield* fresh({ policy: { actors: { idle: 1_000 * 365 * dayMillis } } })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const state = Effect.map(daybook.digests(agent), ({ stateDigest }) => stateDigest)
      const source = { kind: "auto" } as const
      yield* memory.remember({ title: "Mira lives in Emden", type: "identity", source })
      for (let at = 0; at < 5; at++) {
        yield* TestClock.setTime(start + at * dayMillis)
        for (const what of ["arrived", "left"]) {
          const title = `Ship ${at} ${what} at ${9 + at}:15`
          yield* memory.remember(
            { title, type: "event", tier: "daily", project: "harbour", source },
            { reconcile: false }
          )
        }
        yield* TestClock.setTime(start + at * dayMillis + 18 * 3_600_000)
        yield* memory.maintenance.run({ stages: ["daily"] })
      }
      yield* daybook.backfill(agent)
      yield* TestClock.setTime(start + 7 * dayMillis)
      const before = yield* state
      const [run] = yield* memory.maintenance.run({ stages: ["weekly"] })
      expect(run!.counts).toEqual({ core: 1, compressed: 5, made: 1 })
      const [note] = yield* memory.search({ text: "ship 3 harbour", types: ["event"] })
      expect(note!.title).toBe("Event notes of the week from 2026-03-09 on harbour")
      expect((yield* memory.get([note!.id]))[0]!.facts).toContain("Ship 3 left at 12:15")
      const [mira] = yield* memory.list({ types: ["identity"] })
      expect((yield* memory.get([mira!.id]))[0]).toMatchObject({ tier: "core", coreFrom: "mid" })
      yield* expectSameAfterRebuild(daybook, agent)
      yield* memory.undo({ run: run!.run! })
      yield* daybook.backfill(agent)
      expect(yield* state).toBe(before)
    })
  )

  it.scoped(
    "the successor of a core memory becomes core; the successor of one source of a note leaves the note unchanged",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now - 8 * dayMillis)
        const { daybook } = yield* fresh({
          policy: { actors: { idle: 1_000 * 365 * dayMillis } },
          reconciler: RuleReconciler.layer
        })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const home = yield* memory.remember({
          title: "Mira lives in Emden",
          type: "identity",
          source: { kind: "auto" }
        })
        for (const title of ["The staging database listens on port 5432", "Tom repaired crane 3"]) {
          yield* memory.remember({ title, type: "technical", tier: "daily" }, { reconcile: false })
        }
        yield* TestClock.setTime(now)
        yield* memory.maintenance.run({ stages: ["daily", "weekly"] })
        const moved = yield* memory.remember({ title: "Mira lives in Bremen now", type: "identity" })
        expect(moved).toMatchObject({ outcome: "replaced", replaced: home.id })
        expect((yield* memory.get([moved.id]))[0]).toMatchObject({ tier: "core", coreFrom: "long" })
        const port = { title: "The staging database listens on port 6543 now", type: "technical" }
        expect(yield* memory.remember(port)).toMatchObject({ outcome: "added" })
        const [note] = yield* memory.search({ text: "crane 3" })
        expect((yield* memory.get([note!.id]))[0]!.facts).toEqual([
          "The staging database listens on port 5432",
          "Tom repaired crane 3"
        ])
      })
  )
})
