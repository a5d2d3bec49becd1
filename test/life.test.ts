import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import type { Memory as Image } from "../events/Memory.js"
import { stores } from "../events/Trust.js"
import type { Daybook } from "../src/Daybook.js"
import type { Memory } from "../src/Memory.js"
import { comparisonKey, mergeContents, missingContent } from "../src/maintenance/mergeContents.js"
import { dayMillis } from "../src/maintenance/stageRow.js"
import { memoryText } from "../src/model/memoryText.js"
import { type StageName, stageNames } from "../src/model/stages.js"
import type { WholeMemory } from "../src/model/wholeMemory.js"
import { estimateTokens as estimate } from "../text/normalise/countTokens.js"
import { shortenText, specificWords } from "../text/normalise/sentences.js"
import { type EngineOptions, fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

/** A clock that is moved by months would otherwise stop at each look for idle agents. */
const system = (options: EngineOptions = {}) =>
  fresh({ ...options, policy: { actors: { idle: 1_000 * 365 * dayMillis }, ...options.policy } })

const start = Date.UTC(2026, 0, 1, 9)
const end = start + 500 * dayMillis
const agent = "ada"

/** Something that was captured or remembered so many days before the end, and seen again so many days before it. */
const item = fc.record({
  age: fc.integer({ min: 0, max: 480 }),
  again: fc.array(fc.integer({ min: 0, max: 480 }), { maxLength: 4 }),
  title: fc.constantFrom("Tea at four", "tea at FOUR", "The crane is broken", "Mira likes tea", "Build 7 failed"),
  fact: fc.constantFrom("green", "with 2 cups", "on 2026-03-14", "at the Harbour", "since May"),
  words: fc.integer({ min: 0, max: 90 }),
  type: fc.constantFrom("event", "decision", "temp", "person", "task", "identity"),
  tier: fc.constantFrom("core", "long", "mid", "mid", "mid", "daily", undefined),
  kind: fc.constantFrom("manual", "auto_capture", "auto_capture"),
  tags: fc.constantFrom([], [], [], ["pinned"]),
  project: fc.constantFrom("harbour", "office", undefined),
  store: fc.constantFrom("private", "shared", "social"),
  importance: fc.constantFrom(0, 0, 0.5, 1),
  expires: fc.constantFrom(null, null, null, 1, 600)
})
type Item = typeof item extends fc.Arbitrary<infer A> ? A : never

/** How many days before the end something is written. */
const writtenOn = ({ again, age }: Item): ReadonlyArray<number> => [age, ...again.filter((ago) => ago <= age)]

/** No year without a write: maintenance waits for a confirmation if the clock jumps that far ahead of the log. */
const items = fc.array(item, { minLength: 4, maxLength: 30 }).filter((all) => {
  const days = [...all.flatMap(writtenOn), 0].sort((a, b) => b - a)
  return days.every((ago, at) => at === 0 || days[at - 1]! - ago < 365)
})
const bounds = fc.constantFrom(3, 200)

const policyOf = (rows: number) => ({
  gc: { rows, capacity: 4 },
  compress: { rows },
  retention: { rows, narrative: 60 },
  archive: { rows, deleteAfter: 100 },
  maintenance: { rows, profileTokens: 12 },
  reconcile: { reconciler: "none" }
})

/** Tells what there is to tell, in the order of time. */
const lived = (memory: Memory, all: ReadonlyArray<Item>) =>
  Effect.gen(function* () {
    const told = all
      .flatMap((one, at) => writtenOn(one).map((ago) => ({ ago, at, one })))
      .sort((a, b) => b.ago - a.ago || a.at - b.at)
    for (const { ago, at, one } of told) {
      yield* TestClock.setTime(end - ago * dayMillis)
      const narrative = Array.from({ length: one.words }, (_, word) => (word % 9 === 8 ? `v${word}.` : "word")).join(
        " "
      )
      yield* memory.remember(
        {
          title: one.title,
          facts: [one.fact, `number ${at}`],
          narrative,
          type: one.type,
          tier: one.tier as "mid" | undefined,
          source: { kind: one.kind as "manual" },
          tags: one.tags,
          ...(one.project === undefined ? {} : { project: one.project }),
          store: one.store as "private",
          importance: one.importance,
          ...(one.expires === null ? {} : { expiresAt: end - one.age * dayMillis + one.expires * dayMillis })
        },
        { reconcile: false }
      )
    }
    yield* TestClock.setTime(end)
  })

const setUp = (all: ReadonlyArray<Item>, rows: number) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook } = yield* system({ policy: policyOf(rows), vectorExtension: null })
    const memory = yield* daybook.agent(agent, { trust: "full" })
    yield* lived(memory, all)
    return { daybook, memory }
  })

const eventsOf = (daybook: System, after = 0) =>
  Effect.map(Stream.runCollect(daybook.log(agent, after)), (events) =>
    ([...events] as ReadonlyArray<DaybookEvent>).filter(({ type }) => type !== "EMBED")
  )

const headOf = (daybook: System) => Effect.map(daybook.stats(agent), ({ version }) => version)
const stateOf = (daybook: System) => Effect.map(daybook.digests(agent), ({ stateDigest }) => stateDigest)

/** An event without what is made anew each time: ids of what is new, where it was born. */
const bare = ({ payload, type }: Pick<DaybookEvent, "type" | "payload">): unknown => {
  const fresh = type === "COMPRESS" || type === "ADD" ? (payload as { memory: { id: string } }).memory : undefined
  return JSON.parse(
    JSON.stringify({ type, payload: payload as unknown }, (key, value) =>
      key === "born"
        ? value >= 2 ** 52 || value === (fresh as { born?: number })?.born
          ? 0
          : value
        : value === fresh?.id
          ? "new"
          : value
    )
  )
}

describe("laws of every stage", () => {
  it.scoped.prop(
    "dry run = run; a second run at the same time does nothing; undo restores the state; limits hold; protected memories stay",
    [items, bounds, fc.constantFrom<ReadonlyArray<StageName>>(...stageNames.map((one) => [one]), stageNames)],
    ([all, rows, stages]) =>
      Effect.gen(function* () {
        const { daybook, memory } = yield* setUp(all, rows)
        const isKept = (one: {
          readonly type: string
          readonly tags: ReadonlyArray<string>
          readonly tier?: unknown
        }) => one.type === "person" || one.tier === "core" || one.tags.includes("pinned")
        // What has expired by itself is in no list, and may be put away unless it is kept.
        const listed = (yield* memory.list({ limit: 1_000 })).map(({ id }) => id)
        const kept = (yield* memory.get(listed)).filter(isKept)
        const before = yield* stateOf(daybook)
        const version = yield* headOf(daybook)

        const dry = yield* memory.maintenance.run({ stages, dryRun: true })
        expect(yield* eventsOf(daybook, version)).toEqual([])
        const runs = yield* memory.maintenance.run({ stages })
        const written = yield* eventsOf(daybook, version)
        for (const [at, { counts, left, stage }] of dry.entries()) {
          const done = runs[at]!
          expect({ counts: done.counts, left: done.left, stage: done.stage }).toEqual({ counts, left, stage })
          const mine = written.filter(({ cause, type }) => type !== "RUN" && cause === `run:${done.run}`)
          expect(mine.map(bare)).toEqual(dry[at]!.events!.map((event) => bare(event as DaybookEvent)))
          for (const store of stores) {
            const own = mine.flatMap((event) => afterImages(event)).filter((image) => image.store === store)
            expect(new Set(own.map(({ born }) => born)).size).toBeLessThanOrEqual(rows)
          }
        }
        // Each run is a pair, and says what it did under which policy.
        const pairs = written.flatMap((event) => (event.type === "RUN" ? [event.payload] : []))
        expect(pairs.map(({ name, phase }) => `${name} ${phase}`)).toEqual(
          runs.flatMap(({ run, stage }) => (run === undefined ? [] : [`${stage} started`, `${stage} finished`]))
        )
        expect((yield* memory.maintenance.list()).map(({ run, status }) => [run, status])).toEqual(
          runs.flatMap(({ run }) => (run === undefined ? [] : [[run, "ok"]])).reverse()
        )

        // What is kept is there, and says what it said. The profile may choose it, or no longer what it chose itself.
        const still = yield* memory.get(kept.map(({ id }) => id))
        const said = (some: ReadonlyArray<WholeMemory & Partial<Image>>) =>
          some.map(({ coreFrom, promotedAt, tier, updatedAt, ...rest }) => rest)
        expect(said(still)).toEqual(said(kept))
        for (const [at, { coreFrom, tier }] of (kept as ReadonlyArray<WholeMemory & Partial<Image>>).entries()) {
          if (tier === "core" && coreFrom === undefined) expect(still[at]!.tier).toBe("core")
        }
        for (const event of written) {
          if (event.type !== "COMPRESS") continue
          const { memory: made, sources } = event.payload
          expect(missingContent(sources, made)).toEqual([])
          expect(new Set([made, ...sources].map(({ store }) => store)).size).toBe(1)
          expect(made.lineage?.map(({ to }) => to)).toEqual(sources.map(({ id }) => id))
        }
        for (const event of written) {
          for (const image of afterImages(event)) {
            if (image.status === "active") continue
            expect(image.type).not.toBe("person")
            expect(image.tier).not.toBe("core")
            expect(image.tags).not.toContain("pinned")
          }
        }

        yield* expectSameAfterRebuild(daybook, agent)

        if (runs.every(({ left }) => !left)) {
          const after = yield* headOf(daybook)
          const again = yield* memory.maintenance.run({ stages })
          expect(yield* eventsOf(daybook, after)).toEqual([])
          expect(again.every(({ counts, run }) => run === undefined && Object.keys(counts).length === 0)).toBe(true)
        }
        for (const { run } of runs.toReversed()) if (run !== undefined) yield* memory.undo({ run })
        expect(yield* stateOf(daybook)).toBe(before)
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 5, full: 25 }) } }
  )
})

describe("gc", () => {
  it.scoped("keeps the best mid memories within the capacity, in several runs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* system({ policy: { gc: { capacity: 5, rows: 4 } }, vectorExtension: null })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (let at = 0; at < 15; at++) {
        const importance = at / 15
        yield* memory.remember({ title: `item ${at}`, importance, source: { kind: "auto" } }, { reconcile: false })
      }
      const rounds: Array<boolean> = []
      do rounds.push((yield* memory.maintenance.run({ stages: ["gc"] }))[0]!.left)
      while (rounds.at(-1))
      expect(rounds).toEqual([true, true, false])
      const left = (yield* memory.list()).map(({ title }) => title).sort()
      expect(left).toEqual([10, 11, 12, 13, 14].map((at) => `item ${at}`))
      expect(yield* memory.archive.list()).toHaveLength(10)
    })
  )
})

describe("retention", () => {
  const words = fc.constantFrom("tea", "Mira", "on 2026-03-14", "42", "of", "harbour.", "so!", "what?", "東京。", "\n")
  const texts = fc.array(words, { maxLength: 80 }).map((some) => some.join(" "))

  it.prop(
    "shortens a narrative once, to its own sentences, within the limit",
    [texts, fc.integer({ min: 40, max: 200 })],
    ([text, most]) => {
      const short = shortenText(text, most)
      if (text.length <= most) expect(short).toBe(text)
      else expect(short.length).toBeLessThanOrEqual(most)
      expect(shortenText(short, most)).toBe(short)
      if (short === text || short.endsWith("…")) return
      // Words of it in their order: a line's end, which ends a sentence, is not kept.
      const rest = text.split(/\s+/u)
      for (const word of short.split(/\s+/u)) expect(rest.splice(0, rest.indexOf(word) + 1)).toContain(word)
    }
  )

  it("keeps the sentences with the most information", () => {
    const text =
      "We met. It was a long and pleasant talk about this and that and nothing at all. Mira pays 42 EUR on 2026-03-14."
    expect(shortenText(text, 60)).toBe("We met. Mira pays 42 EUR on 2026-03-14.")
    expect([...specificWords("Mira pays 42 EUR on 2026-03-14, says parseHTTP")]).toEqual([
      "Mira",
      "42",
      "EUR",
      "2026-03-14",
      "parseHTTP"
    ])
  })

  it.scoped("keeps 7 days in full, then shortens, drops after 90; as-of reads show all; people stay", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* system({ policy: { retention: { narrative: 60 } } })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const narrative = `First things first. ${"Words and more words. ".repeat(20)}Mira pays 42 EUR.`
      const one = yield* memory.remember({ title: "one", narrative })
      const mira = yield* memory.remember({ title: "Mira", type: "person", narrative })
      const narrativeOf = (id: string) => Effect.map(memory.get([id]), ([found]) => found!.narrative)
      const at = (days: number) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(start + days * dayMillis)
          yield* memory.maintenance.run({ stages: ["retention"] })
          return yield* narrativeOf(one.id)
        })
      expect(yield* at(6.9)).toBe(narrative)
      expect(yield* at(7)).toMatch(/^First things first\. .*Mira pays 42 EUR\.$/)
      expect((yield* memory.get([one.id]))[0]!.tokens).toBeLessThan(20)
      expect(yield* at(90)).toBeDefined()
      expect(yield* at(91)).toBeUndefined()
      expect(yield* narrativeOf(mira.id)).toBe(narrative)
      const then = yield* daybook.agent(agent, { trust: "full", asOf: { version: one.version! } })
      expect((yield* then.get([one.id]))[0]!.narrative).toBe(narrative)
    })
  )
})

describe("the archive", () => {
  it.scoped("takes old memories, can be searched, restores them, and forgets after a year", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* system({})
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const source = { kind: "auto_capture" } as const
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      const one = yield* inner.remember({ title: "Café über alles", people: ["Ada"], store: "shared", source })
      const two = yield* memory.remember({ title: "tea alone", narrative: "with Ada", source })
      const long = yield* memory.remember({ title: "on purpose" })
      yield* TestClock.setTime(start + 31 * dayMillis)
      const [run] = yield* memory.maintenance.run({ stages: ["archive"] })
      expect(run!.counts).toEqual({ archived: 2 })
      expect((yield* memory.list()).map(({ id }) => id)).toEqual([long.id])
      expect(yield* memory.search({ text: "cafe" })).toEqual([])
      expect((yield* memory.archive.list({ text: "ADA" })).map(({ id }) => id)).toEqual([two.id, one.id])
      expect(yield* inner.archive.list()).toMatchObject([{ id: one.id, reason: "left alone for more than 30 days" }])
      expect(yield* inner.archive.list({ text: "uber cafe" })).toHaveLength(1)
      expect(yield* inner.archive.list({ text: "uber cafe tea" })).toHaveLength(0)
      expect(yield* Effect.flip(inner.archive.restore(two.id))).toMatchObject({ _tag: "MemoryNotFound" })
      yield* inner.archive.restore(one.id)
      expect((yield* memory.get([one.id]))[0]).toMatchObject({ title: "Café über alles", tier: "long" })
      expect(yield* memory.search({ text: "cafe" })).toHaveLength(1)
      for (const who of [memory, inner]) {
        expect(yield* Effect.flip(who.archive.restore(one.id))).toMatchObject({ _tag: "InvalidInput", field: "id" })
      }
      const { id: secret } = yield* memory.remember({ title: "active, and above" })
      expect(yield* Effect.flip(inner.archive.restore(secret))).toMatchObject({ _tag: "MemoryNotFound" })
      yield* memory.forget(secret)
      // What was restored stays; who is mentioned is still known.
      yield* TestClock.setTime(start + (31 + 364) * dayMillis)
      expect((yield* memory.maintenance.run()).map(({ counts }) => counts)).toEqual(stageNames.map(() => ({})))
      yield* TestClock.setTime(start + (31 + 365) * dayMillis)
      expect(yield* memory.maintenance.run({ stages: ["cleanup"] })).toMatchObject([{ counts: { expired: 1 } }])
      expect(yield* memory.archive.list()).toEqual([])
      expect(yield* memory.people()).toMatchObject([{ name: "Ada" }])
      expect(yield* memory.history(two.id)).toHaveLength(3)
    })
  )

  it.scoped("skips memories that others change while a run is planned", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* system({ vectorExtension: null })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const ids: Array<string> = []
      for (let at = 0; at < 40; at++) {
        ids.push((yield* memory.remember({ title: `item ${at}`, source: { kind: "auto" } }, { reconcile: false })).id)
      }
      yield* TestClock.setTime(start + 40 * dayMillis)
      const [runs] = yield* Effect.all(
        [memory.maintenance.run({ stages: ["archive"] }), memory.update(ids[39]!, { title: "mine" })],
        {
          concurrency: 2
        }
      )
      const there = (yield* memory.list()).map(({ title }) => title)
      expect(there.length === 0 ? [] : there).toEqual(runs[0]!.left ? ["mine"] : there)
    })
  )
})

describe("compression", () => {
  const names = fc.constantFrom(
    "Mira",
    "the harbour",
    "7 cranes",
    "on 2026-03-14",
    "42 EUR",
    "Tom",
    "green tea",
    "parseHTTP",
    "a",
    "b"
  )
  const line = fc.array(names, { minLength: 1, maxLength: 5 }).map((some) => some.join(" "))
  const source = fc.record({
    title: fc.constantFrom("Weekly report", "weekly REPORT", "Weekly report!", "Wéekly report"),
    facts: fc.array(line, { maxLength: 4 }),
    narrative: fc.option(
      fc.array(line, { minLength: 1, maxLength: 5 }).map((some) => `${some.join(". ")}.`),
      { nil: undefined }
    ),
    people: fc.subarray(["Mira", "Tom", "Ada"]),
    tags: fc.subarray(["pii", "harbour", "week"]),
    files: fc.subarray(["a.md", "b.md"]),
    occurredAt: fc.option(
      fc.integer({ min: 0, max: 3 }).map((days) => start + days * dayMillis),
      { nil: undefined }
    )
  })
  const base = {
    revision: 1,
    status: "active",
    type: "event",
    source: { kind: "auto" },
    store: "private",
    tier: "mid",
    importance: 0,
    mentions: 1,
    lastMentionedAt: start,
    updatedAt: start
  } as const
  const memories = fc.array(source, { minLength: 3, maxLength: 12 }).map((some) =>
    some.map(
      ({ narrative, occurredAt, ...one }, at): Image => ({
        ...base,
        ...one,
        ...(narrative === undefined ? {} : { narrative }),
        ...(occurredAt === undefined ? {} : { occurredAt }),
        id: `m${at}`,
        born: at + 1,
        createdAt: start + at,
        tokens: estimate(memoryText({ ...one, narrative }))
      })
    )
  )

  it.prop(
    "loses no fact, number, date, name, person, file or tag, and costs no more tokens",
    [memories],
    ([sources]) => {
      const summary = mergeContents(sources, estimate)
      if (summary === null) return
      expect(missingContent(sources, summary)).toEqual([])
      const told = [summary.title, summary.narrative ?? "", ...summary.facts].join("\n")
      for (const { facts } of sources)
        for (const fact of facts) expect(comparisonKey(told)).toContain(comparisonKey(fact))
      for (const word of ["Mira", "Tom", "42", "2026-03-14", "parseHTTP"]) {
        if (sources.some((one) => JSON.stringify([one.title, one.narrative, one.facts]).includes(word))) {
          expect(told).toContain(word)
        }
      }
      for (const { occurredAt } of sources) {
        if (occurredAt === undefined) continue
        const day = new Date(occurredAt).toISOString().slice(0, 10)
        expect([...summary.facts, new Date(summary.occurredAt!).toISOString()].some((text) => text.includes(day))).toBe(
          true
        )
      }
      expect(summary.tokens).toBeLessThan(sources.reduce((sum, { tokens }) => sum + tokens + 1, 0))
    }
  )

  it("keeps a fact equal to the word days next to the days of its sources", () => {
    const long = "The long way round the harbour takes a whole afternoon on foot"
    const sources = [0, 1].map(
      (at): Image => ({
        ...base,
        id: `m${at}`,
        born: at + 1,
        title: long,
        facts: ["days"],
        people: [],
        files: [],
        tags: [],
        createdAt: start,
        occurredAt: start + at * dayMillis,
        tokens: 100
      })
    )
    expect(mergeContents(sources, estimate)?.facts).toEqual(["days", "Happened on 2026-01-01, 2026-01-02"])
  })

  it("detects each omission", () => {
    const [one] = fc.sample(memories, { numRuns: 1, seed: 1 })
    const image: Image = {
      ...one![0]!,
      facts: ["Tom has 7 cranes"],
      people: ["Tom"],
      files: ["a.md"],
      tags: ["week"],
      occurredAt: start,
      narrative: ""
    }
    const whole = { ...image, narrative: image.narrative ?? "" }
    expect(missingContent([image], whole)).toEqual([])
    expect(missingContent([image], { ...whole, facts: ["Tom has cranes"] })).toEqual(["Tom has 7 cranes", "7"])
    expect(missingContent([image], { ...whole, people: [] })).toEqual(["Tom"])
    expect(missingContent([image], { ...whole, files: [] })).toEqual(["a.md"])
    expect(missingContent([image], { ...whole, tags: [] })).toEqual(["week"])
    expect(missingContent([image], { ...whole, occurredAt: start + dayMillis })).toEqual(["2026-01-01"])
    expect(missingContent([{ ...image, narrative: "Zoë paid." }], { ...whole, narrative: "" })).toEqual(["Zoë"])
  })

  it.scoped("merges equal titles and near repeats within one store, with lineage; undo restores them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* system({ policy: { reconcile: { reconciler: "none" } } })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (const [at, store] of (["shared", "shared", "shared", "private", "private"] as const).entries()) {
        yield* memory.remember({
          title: at % 2 === 0 ? "Weekly report" : "weekly report!",
          facts: ["the cranes run", `${at} of 9 were repaired`],
          people: ["Ada"],
          type: "event",
          store
        })
      }
      const like = "The north pier was closed because of the storm that came from the west in the evening"
      for (const more of ["again", "today", "then"]) yield* memory.remember({ title: `${like} ${more}`, type: "task" })
      yield* daybook.backfill(agent)
      const before = yield* stateOf(daybook)
      yield* TestClock.setTime(start + 13 * dayMillis)
      expect((yield* memory.maintenance.run({ stages: ["compress"] }))[0]!.counts).toEqual({})
      yield* TestClock.setTime(start + 14 * dayMillis)
      const [run] = yield* memory.maintenance.run({ stages: ["compress"] })
      expect(run!.counts).toEqual({ compressed: 6, made: 2 })
      const [report] = yield* memory.search({ text: "weekly report", stores: ["shared"] })
      expect((yield* memory.get([report!.id]))[0]).toMatchObject({
        title: "Weekly report",
        facts: ["the cranes run", "0 of 9 were repaired", "1 of 9 were repaired", "2 of 9 were repaired"],
        store: "shared",
        mentions: 3,
        lineage: [{ kind: "derived", reason: "compressed" }, {}, {}]
      })
      expect(yield* memory.list({ types: ["event"], stores: ["private"] })).toHaveLength(2)
      expect((yield* memory.list({ types: ["task"] })).map(({ title }) => title)).toEqual([`${like} then`])
      expect(yield* memory.people()).toMatchObject([{ name: "Ada", mentions: 5 }])
      expect((yield* memory.why(report!.id)).sources).toHaveLength(3)
      yield* memory.undo({ run: run!.run! })
      yield* daybook.backfill(agent)
      expect(yield* stateOf(daybook)).toBe(before)
    })
  )
})
