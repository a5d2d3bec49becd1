import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { DaybookEvent } from "../events/catalogue.js"
import type { TrustLevel } from "../events/Trust.js"
import { projections } from "../projections/all.js"
import { findOpenDisputes } from "../projections/disputeGroups.js"
import type { Projection } from "../projections/Projection.js"
import type { Daybook } from "../src/Daybook.js"
import { portionCommand } from "../src/maintenance/portionCommand.js"
import { noReconciler, Reconciler } from "../src/ports/Reconciler.js"
import { maySettleGroup } from "../src/remember/levels.js"
import { agent, as, disputing, hour, policy, say, sidesOf, system, viewOf } from "./support/disputes.js"

type System = Daybook["Type"]
const titles = (daybook: System, trust: TrustLevel = "full") =>
  Effect.flatMap(as(daybook, trust), (memory) =>
    Effect.map(memory.list({ limit: 1_000 }), (rows) => rows.map(({ title }) => title).sort())
  )
const eventsOf = (daybook: System) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (all) => [...all] as ReadonlyArray<DaybookEvent>)

describe("a memory that took another one's place", () => {
  /** A dispute with a statement of a familiar, whose text `inner` and then `full` repeat. */
  const takenOverTwice = Effect.gen(function* () {
    const { daybook } = yield* system()
    yield* say(daybook, "The door is blue", undefined, { trust: "familiar" })
    const red = yield* say(daybook, "The door is red", 0.6)
    for (const trust of ["inner", "full"]) {
      expect((yield* say(daybook, "The door is blue", undefined, { trust })).outcome).toBe("replaced")
    }
    const blue = (yield* (yield* as(daybook, "full")).list()).find(({ title }) => title === "The door is blue")!
    return { daybook, red, blue, memory: yield* as(daybook, "full") }
  })

  it.scoped("has its disputes, after two takeovers as well, and they can be settled from either side", () =>
    Effect.gen(function* () {
      const { blue, daybook, memory, red } = yield* takenOverTwice
      expect(yield* sidesOf(daybook, blue.id)).toEqual(["The door is red"])
      expect(yield* sidesOf(daybook, red.id)).toEqual(["The door is blue"])
      expect(yield* memory.decisions({ open: true })).toMatchObject([{ id: red.id, disputedBy: [{ id: blue.id }] }])
      const before = (yield* daybook.digests(agent)).stateDigest
      for (const id of [red.id, blue.id]) {
        for (const choice of ["keep", "replace", "both"] as const) {
          const { kept, retired, run } = yield* memory.decide(id, choice)
          const expected = { keep: [[blue.id], [red.id]], replace: [[red.id], [blue.id]], both: [[id], []] }[choice]
          expect([kept, retired]).toEqual(
            choice === "both" ? [expect.arrayContaining([red.id, blue.id]), []] : expected
          )
          expect(yield* memory.decisions({ open: true })).toEqual([])
          expect(yield* sidesOf(daybook, red.id)).toBeUndefined()
          yield* memory.undo({ run })
          expect((yield* daybook.digests(agent)).stateDigest).toBe(before)
        }
      }
    })
  )

  it.scoped("is listed with the disputes that the other one raised", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const old = yield* say(daybook, "The door is red", undefined, { trust: "familiar" })
      yield* say(daybook, "The door is blue", 0.6, { trust: "familiar" })
      const blue = yield* say(daybook, "The door is blue", 0.6, { trust: "inner" })
      expect(blue.outcome).toBe("replaced")
      const memory = yield* as(daybook, "full")
      expect(yield* memory.decisions({ open: true })).toMatchObject([{ id: blue.id, disputedBy: [{ id: old.id }] }])
    })
  )
})

describe("who settles a dispute", () => {
  it.scoped("names any side, and retires only the sides that its memory disputes", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const red = yield* say(daybook, "The door is red", undefined, { tier: "core" })
      const blue = yield* say(daybook, "The door is blue", 0.6)
      const green = yield* say(daybook, "The door is green", 0.6)
      expect(yield* sidesOf(daybook, red.id)).toEqual(["The door is green", "The door is blue"])
      const state = Effect.map(daybook.digests(agent), ({ stateDigest }) => stateDigest)
      const before = yield* state
      const cases = [
        [red.id, "keep", [blue.id], [red.id]],
        [red.id, "replace", [red.id], [blue.id]],
        [blue.id, "keep", [blue.id], [red.id]],
        [blue.id, "replace", [red.id], [blue.id]],
        [green.id, "keep", [green.id], [blue.id]],
        [green.id, "replace", [blue.id], [green.id]],
        [blue.id, "both", [], [blue.id, red.id, green.id]]
      ] as const
      for (const [id, choice, retired, kept] of cases) {
        const settled = yield* memory.decide(id, choice)
        expect([settled.retired, [...settled.kept].sort()]).toEqual([retired, [...kept].sort()])
        expect(yield* titles(daybook)).toHaveLength(3 - retired.length)
        yield* memory.undo({ run: settled.run })
        expect(yield* state).toBe(before)
      }
      const replaced = yield* memory.decide(blue.id, "replace")
      expect((yield* memory.get([blue.id]))[0]).toMatchObject({ tier: "core" })
      expect((yield* memory.profile()).text).toContain("(earlier: The door is blue)")
      yield* memory.undo({ run: replaced.run })
    })
  )

  it.scoped("flags what came from a retired side, with the event that retired it as the cause", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const red = yield* say(daybook, "The door is red")
      const blue = yield* say(daybook, "The door is blue", 0.6)
      const from = [{ kind: "memory", id: red.id }]
      const derived = yield* say(daybook, "Paint of that colour is in the cellar", undefined, { from })
      const before = (yield* daybook.digests(agent)).stateDigest
      const { run } = yield* memory.decide(blue.id, "replace")
      expect((yield* memory.get([derived.id]))[0]).toMatchObject({ stale: { of: red.id, reason: "replaced" } })
      const events = yield* eventsOf(daybook)
      const retired = events.find(({ type }) => type === "DELETE")!
      expect(events.at(-1)).toMatchObject({ type: "UPDATE", cause: `event:${retired.version}` })
      yield* memory.undo({ run })
      expect((yield* daybook.digests(agent)).stateDigest).toBe(before)
    })
  )

  it.scoped("lists disputes with their state, and an estimate of readable contradictions only", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system({ policy: { ...policy, reconcile: { threshold: 0.05 } } })
      const memory = yield* as(daybook, "full")
      const familiar = yield* as(daybook, "familiar")
      const red = yield* say(daybook, "The door is red")
      yield* say(daybook, "The door is blue", 0.6)
      const black = yield* say(daybook, "The door is black", 0.7)
      const facts = ["red 0.9", "blue 0.5", "0.98"]
      const green = yield* say(daybook, "The door is green", undefined, { facts })
      expect(green).toMatchObject({ outcome: "replaced", replaced: black.id })
      expect((yield* memory.decisions({ open: true }))[0]).toMatchObject({ id: green.id, confidence: 0.9 })
      yield* memory.update(red.id, { store: "private" })
      expect((yield* familiar.decisions())[0]).toMatchObject({ id: green.id, state: "open", confidence: 0.5 })
      expect((yield* memory.decisions({ open: true }))[0]).toMatchObject({ confidence: 0.9 })
      yield* memory.decide(green.id, "both")
      expect((yield* memory.decisions()).map(({ state }) => state)).toEqual(["settled", "ended", "open"])
      expect(yield* familiar.decisions({ open: true })).toEqual([])
    })
  )
})

describe("many sides of a low level", () => {
  const many = { policy: { ...policy, reconcile: { candidates: 100 } } }
  const later = "2027-01-01T00:00:00Z"

  it.scoped("are counted, and hide no side of a higher level", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* system(many)
      const target = yield* say(daybook, "The door is red", undefined, { trust: "inner", occurredAt: later })
      for (let side = 0; side < 60; side++) {
        yield* say(daybook, `The door is colour${side}`, 1, { trust: "familiar" })
      }
      yield* say(daybook, "The door is grey", 0.6)
      for (let side = 60; side < 70; side++) {
        yield* say(daybook, `The door is colour${side}`, 1, { trust: "familiar" })
      }
      const memory = yield* as(daybook, "full")
      const [row] = yield* memory.get([target.id])
      expect(row!.disputedBy!.map(({ level, title }) => [level, title]).slice(0, 2)).toEqual([
        ["full", "The door is grey"],
        ["familiar", "The door is colour69"]
      ])
      expect(row!.moreSides).toBe(68)
      // A group that is larger than what is read keeps its highest levels, and is settled by the highest level only.
      const now = yield* Clock.currentTimeMillis
      const db = yield* viewOf(folder)
      const ids = (yield* memory.list({ limit: 100 })).map(({ id }) => id)
      const cut = findOpenDisputes(db, "full", ids, now, 10)
      expect(new Set(cut.values()).size).toBe(1)
      const group = cut.get(target.id)!
      expect([group.isCut, group.sides[0]!.title, group.sides[1]!.id]).toEqual([true, "The door is grey", target.id])
      expect(maySettleGroup({ level: "inner" }, { ...group, sides: [] })).toBe(false)
      expect(maySettleGroup({ level: "full" }, group)).toBe(true)
      // The side of the highest level is checked, wherever it stands.
      const inner = yield* say(daybook, "The door is white", 1, { trust: "inner" })
      expect(inner).toMatchObject({ outcome: "added", disputes: [target.id] })
      expect((yield* say(daybook, "The door is pink", 1)).outcome).toBe("replaced")
    })
  )
})

describe("writes that cannot read the disputes", () => {
  const stopping = projections.map(
    (one): Projection =>
      one.name !== "disputes"
        ? one
        : {
            ...one,
            apply: (db, event, lookup) => {
              if (event.type === "ADD" && event.payload.memory.title === "poison") throw new TypeError("poison")
              one.apply(db, event, lookup)
            }
          }
  )

  it.scoped("settle and retire nothing", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system({ projections: stopping })
      const memory = yield* as(daybook, "full")
      const red = yield* say(daybook, "The door is red")
      const blue = yield* say(daybook, "The door is blue", 0.6)
      yield* say(daybook, "poison")
      const parked = (yield* daybook.stats(agent)).view.parked.map(({ projection }) => projection)
      expect(parked).toContain("disputes")
      const green = yield* say(daybook, "The door is green", 1)
      expect(green).toMatchObject({ outcome: "added", disputes: [blue.id] })
      expect(yield* Effect.flip(memory.decide(red.id, "keep"))).toMatchObject({
        _tag: "ProjectionParked",
        projection: "disputes"
      })
      expect(yield* titles(daybook)).toHaveLength(4)
    })
  )
})

describe("what a dispute shows", () => {
  it.scoped("one hit for its side of the highest level, though that one ranks on a later page", () =>
    Effect.gen(function* () {
      const search = { drafts: 1 }
      const { daybook } = yield* system({ policy: { ...policy, search } })
      const memory = yield* as(daybook, "full")
      const red = yield* say(daybook, "The door is red")
      yield* say(daybook, "The door is blue, as blue as a blue sky", 1, { trust: "familiar" })
      const [hit, ...others] = yield* memory.search({ text: "blue door", limit: 1 })
      expect([hit!.id, others]).toEqual([red.id, []])
      // Without folding each side is a hit of its own.
      const unfolded = yield* system({ policy: { ...policy, search: { fold: false } } })
      yield* say(unfolded.daybook, "The door is red")
      yield* say(unfolded.daybook, "The door is blue", 1, { trust: "familiar" })
      const hits = yield* (yield* as(unfolded.daybook, "full")).search({ text: "door" })
      expect(hits.map(({ disputedBy }) => disputedBy?.length)).toEqual([1, 1])
    })
  )

  it.scoped("one hit that is as near, and ranks as high, as the side that the query found", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const red = yield* say(daybook, "The door is red")
      const blue = yield* say(daybook, "The door is blue", 0.6)
      yield* memory.remember({ title: "The curtain is red", type: "config" }, { reconcile: false })
      const [hit, curtain] = yield* memory.search({ text: "red door", near: true })
      expect(hit).toMatchObject({ id: blue.id, evidence: 1, near: true, disputedBy: [{ id: red.id }] })
      expect(curtain!.title).toBe("The curtain is red")
      expect(hit!.score).toBeGreaterThan(curtain!.score)
      // A side that the query did not find is not shown for it.
      const found = yield* memory.search({ text: "red" })
      expect(found.map(({ id }) => id)).toContain(red.id)
    })
  )

  it.scoped("in the profile, every statement that no shown one disputes", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      for (const [colour, confidence] of [["red"], ["blue", 0.5], ["green", 0.5]] as const) {
        yield* say(daybook, `The door is ${colour}`, confidence)
      }
      // Green disputes blue, and blue red: green does not speak against red.
      const { text } = yield* memory.profile()
      expect(text.split("\n").map((line) => line.replace(/; 0\.5/u, ""))).toEqual([
        "- The door is green (earlier: The door is blue)",
        "- The door is red"
      ])
      // A line names three earlier ones and counts the others.
      const five = yield* system()
      yield* say(five.daybook, "The gate is white", undefined, { occurredAt: "2027-01-01T00:00:00Z" })
      for (const colour of ["red", "blue", "green", "black"]) yield* say(five.daybook, `The gate is ${colour}`, 0.5)
      expect((yield* (yield* as(five.daybook, "full")).profile()).text).toBe(
        "- The gate is white (earlier: The gate is black; The gate is green; The gate is blue; 1 more)"
      )
      // Without room for the names they are only counted.
      expect((yield* (yield* as(five.daybook, "full")).profile({ tokens: 14 })).text).toBe(
        "- The gate is white (4 earlier)"
      )
    })
  )

  it.scoped("to a repeated command only as far as its level may still read it", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const [full, inner] = [yield* as(daybook, "full"), yield* as(daybook, "inner")]
      const red = yield* say(daybook, "The door is red")
      const blue = { title: "The door is blue", facts: ["0.6"], type: "preference", store: "social" as const }
      const first = yield* inner.remember(blue, { commandId: "one" })
      expect(first.disputes).toEqual([red.id])
      expect(yield* inner.remember(blue, { commandId: "one" })).toEqual({ ...first, repeated: true })
      yield* full.update(red.id, { store: "private" })
      expect((yield* inner.remember(blue, { commandId: "one" })).disputes).toBeUndefined()
      expect((yield* inner.history(first.id))[0]!.decision).toMatchObject({ action: "ADD", candidates: [] })
    })
  )
})

describe("a model alone", () => {
  const by = { kind: "model", name: "m", promptDigest: "0" } as const
  const model = (confidences: ReadonlyArray<number>) => {
    const left = [...confidences]
    const scripted = disputing()
    return Layer.succeed(Reconciler, {
      name: "model",
      judge: noReconciler.judge,
      ask: (question) => {
        const confidence = left.shift()!
        const facts = [String(confidence)]
        const { verdict } = scripted.judge({ ...question, statement: { ...question.statement, facts } })
        return Effect.succeed({
          verdict: { ...verdict, reason: "it quotes red" },
          by,
          sure: confidence === 1,
          confidence
        })
      }
    })
  }

  it.scoped(
    "keeps the disputes of a group when it retires one side, and stores none of its own words in a dispute",
    () =>
      Effect.gen(function* () {
        const { daybook } = yield* system({ reconciler: model([0.5, 1]) })
        const red = yield* say(daybook, "The door is red")
        const blue = yield* say(daybook, "The door is blue")
        expect(blue.disputes).toEqual([red.id])
        expect(JSON.stringify((yield* eventsOf(daybook)).at(-1))).not.toContain("quotes")
        const green = yield* say(daybook, "The door is green")
        expect(green).toMatchObject({ outcome: "replaced", replaced: blue.id, disputes: [red.id] })
        expect(yield* sidesOf(daybook, red.id)).toEqual(["The door is green"])
      })
  )
})

describe("the night", () => {
  const night = (daybook: System) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(24 * hour)
      const memory = yield* as(daybook, "full")
      return yield* memory.maintenance.run({ stages: ["settle"] })
    })

  it.scoped("retires nothing because it was repeated: that is a dispute", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const fields = { tags: [] }
      const ada = yield* say(daybook, "The owner of Apollo is Ada", undefined, fields)
      const grace = yield* say(daybook, "The owner of Apollo is Grace", undefined, fields)
      yield* say(daybook, "The owner of Apollo is Grace", undefined, fields)
      const [run] = yield* night(daybook)
      expect(run!.counts).toEqual({ disputed: 1 })
      expect(yield* titles(daybook)).toHaveLength(2)
      expect(yield* sidesOf(daybook, ada.id)).toEqual(["The owner of Apollo is Grace"])
      const memory = yield* as(daybook, "full")
      // What a person decided stands.
      yield* memory.decide(grace.id, "both")
      expect((yield* night(daybook))[0]!.counts).toEqual({})
    })
  )

  it.scoped("writes nothing of its plan that a settlement or a change has overtaken", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* system()
      const memory = yield* as(daybook, "full")
      const ada = yield* say(daybook, "The owner of Apollo is Ada")
      const grace = yield* say(daybook, "The owner of Apollo is Grace", 0.6)
      yield* memory.update(grace.id, { facts: ["0.99"] })
      const [planned] = yield* memory.maintenance.run({ stages: ["settle"], dryRun: true })
      expect(planned!.counts).toEqual({ superseded: 1 })
      const written = Effect.gen(function* () {
        const { now, version } = { now: yield* Clock.currentTimeMillis, version: (yield* daybook.stats(agent)).version }
        const db = yield* viewOf(folder)
        const { events = [] } = planned!
        const command = portionCommand({ run: "r", actor: "a", started: undefined, events, generation: db.name })
        const situation = { db, now, version: version + 1, newId: () => "", decided: [], mayRedecide: false }
        const decided = Either.getOrThrow(command.decide(situation))
        return "events" in decided ? decided.events.map(({ type }) => type) : []
      })
      expect(yield* written).toEqual(["DELETE", "UPDATE"])
      const both = yield* memory.decide(grace.id, "both")
      expect(yield* written).toEqual([])
      yield* memory.undo({ run: both.run })
      yield* memory.forget(grace.id)
      expect(yield* written).toEqual([])
      expect(yield* titles(daybook)).toEqual([expect.stringContaining("Ada")])
      expect(ada.outcome).toBe("added")
    })
  )

  it.scoped("retires what is certain, with the confidence and both memories on record", () =>
    Effect.gen(function* () {
      const reconciler = Layer.succeed(Reconciler, disputing())
      const { daybook } = yield* system({ reconciler })
      const memory = yield* as(daybook, "full")
      const ada = yield* say(daybook, "The owner of Apollo is Ada")
      const facts = ["0.99"]
      const grace = yield* memory.remember(
        { title: "The owner of Apollo is Grace", facts, type: "preference", store: "social" },
        { reconcile: false }
      )
      const [run] = yield* night(daybook)
      expect(run!.counts).toEqual({ superseded: 1 })
      const retired = (yield* eventsOf(daybook)).find(({ type }) => type === "DELETE")
      expect(retired!.payload).toMatchObject({
        memory: { id: ada.id },
        decision: { confidence: 0.99, candidates: [{ id: ada.id }, { id: grace.id }] }
      })
    })
  )
})
