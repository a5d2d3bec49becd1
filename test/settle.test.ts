import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { afterImages, type DaybookEvent } from "../events/catalogue.js"
import * as RuleReconciler from "../layers/RuleReconciler.js"
import type { Memory } from "../src/Memory.js"
import { Summarizer } from "../src/ports/Summarizer.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns } from "./support/size.js"

const agent = "ada"
const start = Date.UTC(2026, 0, 1, 9)
/** A clock that is moved by hours would otherwise stop at each look for idle agents. */
const actors = { idle: 365 * 24 * 60 * 60 * 1_000 }
const system = (rows = 200) =>
  fresh({ vectorExtension: null, reconciler: RuleReconciler.layer, policy: { actors, maintenance: { rows } } })

const told = (memory: Memory, title: string, fields: object = {}) =>
  Effect.zipRight(
    TestClock.adjust("1 hour"),
    memory.remember({ title, type: "identity", store: "private", ...fields }, { reconcile: false })
  )
const titles = (memory: Memory) =>
  Effect.map(memory.list({ limit: 1_000 }), (all) => all.map(({ title }) => title).sort())
const settle = (memory: Memory) => memory.maintenance.run({ stages: ["settle"] })

describe("the stage settle", () => {
  it.scoped("retires outdated memories in any wording, names the successor, and can be undone", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      yield* TestClock.setTime(start)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const lisbon = yield* told(memory, "The office of Ada is in Lisbon")
      const desk = yield* told(memory, "Ada's office is in Lisbon")
      yield* told(memory, "Ada was born in Lisbon")
      yield* told(memory, "The office of Tom is in Lisbon")
      yield* told(memory, "The office of Ada is in Lisbon", { store: "shared" })
      const before = yield* titles(memory)
      const ghent = yield* told(memory, "The office of Ada is in Ghent now")
      const [run] = yield* settle(memory)
      expect(run).toMatchObject({ stage: "settle", counts: { superseded: 2 }, left: false })
      expect(yield* titles(memory)).toEqual(
        [
          "Ada was born in Lisbon",
          "The office of Ada is in Ghent now",
          "The office of Ada is in Lisbon",
          "The office of Tom is in Lisbon"
        ].sort()
      )
      expect((yield* memory.why(ghent.id)).supersedes.map(({ id }) => id)).toContain(lisbon.id)
      expect((yield* memory.why(desk.id)).supersededBy).toMatchObject({ id: ghent.id })
      yield* memory.undo({ run: run!.run! })
      expect(yield* titles(memory)).toEqual([...before, "The office of Ada is in Ghent now"].sort())
    })
  )

  it.scoped("compares what holds across its types, but no event", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      yield* TestClock.setTime(start)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* told(memory, "Ada's office is in Lisbon", { type: "identity" })
      yield* told(memory, "The office of Ada is in Lisbon", { type: "event" })
      yield* told(memory, "Ada's office is now in Ghent", { type: "decision" })
      expect(yield* settle(memory)).toMatchObject([{ counts: { superseded: 1 } }])
      expect(yield* titles(memory)).toEqual(["Ada's office is now in Ghent", "The office of Ada is in Lisbon"])
    })
  )

  it.scoped("keeps pinned memories and those made core by a user, and does nothing without a judge", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      yield* TestClock.setTime(start)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* told(memory, "The office of Ada is in Lisbon", { tier: "core" })
      yield* told(memory, "The boat of Ada is in Lisbon", { tags: ["pinned"] })
      yield* told(memory, "The office of Ada is in Ghent now")
      yield* told(memory, "The boat of Ada is in Ghent now")
      expect(yield* settle(memory)).toMatchObject([{ counts: {} }])

      const { daybook: plain } = yield* fresh({ vectorExtension: null, policy: { actors } })
      const other = yield* plain.agent(agent, { trust: "full" })
      yield* told(other, "The office of Ada is in Lisbon")
      yield* told(other, "The office of Ada is in Ghent now")
      expect(yield* settle(other)).toMatchObject([{ counts: {} }])
    })
  )

  it.scoped("supersedes nothing without a settler, in runs and in the profile", () =>
    Effect.gen(function* () {
      const reconciler = RuleReconciler.layer
      const { daybook } = yield* fresh({ vectorExtension: null, reconciler, policy: { actors }, readsEnglish: false })
      yield* TestClock.setTime(start)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* told(memory, "Ada's flat is in Lisbon")
      yield* told(memory, "The office of Ada is in Ghent")
      yield* told(memory, "Ada moved her flat from Lisbon to Ghent")
      expect(yield* settle(memory)).toMatchObject([{ counts: {} }])
      expect((yield* memory.profile()).text).toContain("Ada's flat is in Lisbon")
    })
  )

  it.scoped("calls no summarizer without a statement reader", () =>
    Effect.gen(function* () {
      let calls = 0
      const summarizer = Layer.succeed(Summarizer, {
        name: "counting",
        summarize: ({ sources }) => {
          calls++
          return Effect.succeed({ lines: [{ part: "request" as const, text: sources[0]!.text!, sources: [0] }] })
        }
      })
      const writers: Array<string> = []
      for (const readsEnglish of [true, false]) {
        const { daybook } = yield* fresh({ vectorExtension: null, summarizer, policy: { actors }, readsEnglish })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        yield* memory.sessions.append({ session: "monday", role: "user", text: "Paint the door" })
        yield* TestClock.adjust("2 days")
        yield* memory.maintenance.run({ stages: ["sessions"] })
        writers.push((yield* memory.sessions.summaries())[0]!.by!.kind)
      }
      expect(writers).toEqual(["model", "rule"])
      expect(calls).toBe(1)
    })
  )

  const item = fc.record({
    of: fc.constantFrom("office", "boat", "piano"),
    who: fc.constantFrom("Ada", "Ada", "Tom"),
    place: fc.constantFrom("Lisbon", "Ghent", "Turin", "Bergen"),
    how: fc.constantFrom(
      "The {of} of {who} is in {place}",
      "{who}'s {of} is in {place}",
      "The {of} of {who} is in {place} now",
      "{who} moved the {of} from Lisbon to {place}"
    ),
    tier: fc.constantFrom("core", "mid", "long", "long"),
    tags: fc.constantFrom([], [], [], ["pinned"]),
    store: fc.constantFrom("private", "private", "shared")
  })

  it.scoped.prop(
    "dry run = run; a second run at the same time does nothing; limits hold; undo restores; stores stay separate",
    [fc.array(item, { minLength: 2, maxLength: 25 }), fc.constantFrom(3, 200)],
    ([items, rows]) =>
      Effect.gen(function* () {
        const { daybook } = yield* system(rows)
        yield* TestClock.setTime(start)
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        for (const { how, of, place, who, ...fields } of items) {
          yield* told(memory, how.replace("{of}", of).replace("{who}", who).replace("{place}", place), fields)
        }
        const state = () => Effect.map(daybook.digests(agent), ({ stateDigest }) => stateDigest)
        const events = (after: number) =>
          Effect.map(Stream.runCollect(daybook.log(agent, after)), (all) => [...all] as ReadonlyArray<DaybookEvent>)
        const before = yield* state()
        const version = (yield* events(0)).length
        const [dry] = yield* memory.maintenance.run({ stages: ["settle"], dryRun: true })
        expect(yield* events(version)).toEqual([])
        const [run] = yield* settle(memory)
        const written = (yield* events(version)).filter(({ type }) => type !== "RUN")
        expect(written.map(({ payload, type }) => ({ type, payload }))).toEqual(
          dry!.events!.map(({ payload, type }) => ({ type, payload }))
        )
        const images = written.flatMap(afterImages)
        // The bound is each store's own.
        for (const one of ["private", "shared"]) {
          const changed = images.filter(({ store }) => store === one).map(({ born }) => born)
          expect(new Set(changed).size).toBeLessThanOrEqual(rows)
        }
        const byId = new Map(images.map((image) => [image.id, image]))
        for (const { lineage = [], status, store, tags, tier } of images) {
          if (status !== "active") expect([tier === "core", tags.includes("pinned")]).toEqual([false, false])
          for (const { to } of lineage) if (byId.has(to)) expect(byId.get(to)!.store).toBe(store)
        }
        yield* expectSameAfterRebuild(daybook, agent)
        if (run!.left) return
        expect(yield* settle(memory)).toMatchObject([{ counts: {} }])
        if (run!.run !== undefined) yield* memory.undo({ run: run!.run })
        expect(yield* state()).toBe(before)
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 10, full: 40 }) } }
  )
})
