import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { DaybookEvent } from "../events/catalogue.js"
import type { TrustLevel } from "../events/Trust.js"
import type { Daybook } from "../src/Daybook.js"
import { decode } from "../src/ports/Policy.js"
import { agent, as, hour, policy, say, sidesOf, start, system } from "./support/disputes.js"
import { lawRuns } from "./support/size.js"

type System = Daybook["Type"]
const eventsOf = (daybook: System) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (all) => [...all] as ReadonlyArray<DaybookEvent>)
describe("a contradiction that is not certain", () => {
  it.scoped("is stored beside the memory, which gets no event, and every read shows both sides", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const old = yield* say(daybook, "The door is red")
      const before = yield* eventsOf(daybook)
      const answer = yield* say(daybook, "The door is blue", 0.6)
      expect(answer).toMatchObject({ outcome: "added", disputes: [old.id] })
      const events = (yield* eventsOf(daybook)).slice(before.length)
      expect(events.map(({ type }) => type)).toEqual(["ADD"])
      expect(events[0]!.payload).toMatchObject({
        memory: { disputes: [{ id: old.id, ground: "unsure", confidence: 0.6 }] },
        decision: { action: "DISPUTE", confidence: 0.6, candidates: [{ id: old.id }] }
      })
      expect(JSON.stringify(events)).not.toContain("is red")
      const shown = { id: old.id, title: "The door is red", at: start + hour, level: "full" }
      expect((yield* memory.get([answer.id]))[0]!.disputedBy).toEqual([shown])
      expect((yield* memory.list()).map(({ disputedBy }) => disputedBy?.map(({ id }) => id))).toEqual([
        [old.id],
        [answer.id]
      ])
      expect((yield* memory.timeline({ anchor: old.id })).map(({ disputedBy }) => disputedBy?.length)).toEqual([1, 1])
      const why = yield* memory.why(answer.id)
      expect(why.memory.disputedBy).toEqual([shown])
      expect([why.supersedes, why.sources, why.memory.lineage]).toEqual([[], [], undefined])
      expect(why.versions[0]!.decision).toMatchObject({
        action: "DISPUTE",
        reason: "another value; disputes it: not certain"
      })
      // A certain contradiction goes on as ever.
      const certain = yield* say(daybook, "The door is green", 0.98)
      expect(certain).toMatchObject({ outcome: "replaced", replaced: answer.id })
      expect(certain.disputes).toEqual([old.id])
      expect(yield* sidesOf(daybook, old.id)).toEqual(["The door is green"])
    })
  )

  it.scoped("folds into one hit, which the highest level and then the newest side stands for", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      yield* say(daybook, "The door is red")
      const blue = yield* say(daybook, "The door is blue", 0.6)
      yield* say(daybook, "The door is green", 1, { trust: "familiar" })
      yield* say(daybook, "The door is black", 0.5, { trust: "familiar" })
      yield* say(daybook, "The door is white", 0.5, { trust: "familiar" })
      const [hit, ...others] = yield* memory.search({ text: "door" })
      expect(others).toEqual([])
      expect(hit).toMatchObject({ id: blue.id, alike: 0, moreSides: 1 })
      expect(hit!.disputedBy!.map(({ level, title }) => [level, title])).toEqual([
        ["full", "The door is red"],
        ["familiar", "The door is white"],
        ["familiar", "The door is black"]
      ])
      const { hits } = yield* memory.explain({ text: "door" })
      expect(hits.map(({ disputedBy }) => disputedBy?.length)).toEqual([3])
    })
  )

  it.scoped("is in force while all sides are, at the asking time and at any past one", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const old = yield* say(daybook, "The door is red")
      const { id, version } = yield* say(daybook, "The door is blue", 0.6, { expiresAt: start + 4 * hour })
      expect(yield* sidesOf(daybook, old.id)).toEqual(["The door is blue"])
      const { version: forgotten } = yield* memory.forget(id)
      expect(yield* sidesOf(daybook, old.id)).toBeUndefined()
      yield* memory.undo({ event: forgotten! })
      expect(yield* sidesOf(daybook, old.id)).toEqual(["The door is blue"])
      yield* TestClock.adjust("2 hours")
      expect(yield* sidesOf(daybook, old.id)).toBeUndefined()
      yield* memory.update(old.id, { title: "The door is dark red" }).pipe(Effect.orDie)
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: version! } })
      expect((yield* past.get([old.id]))[0]!.disputedBy).toMatchObject([{ id }])
      const before = yield* daybook.agent(agent, { trust: "full", asOf: { version: version! - 1 } })
      expect((yield* before.get([old.id]))[0]!.disputedBy).toBeUndefined()
    })
  )

  it.scoped("is told only to readers of all sides", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const familiar = yield* as(daybook, "familiar")
      const old = yield* say(daybook, "The door is red")
      const blue = yield* say(daybook, "The door is blue", 0.6)
      expect(yield* sidesOf(daybook, blue.id, "familiar")).toEqual(["The door is red"])
      yield* memory.update(old.id, { store: "private" })
      expect(yield* sidesOf(daybook, blue.id)).toEqual(["The door is red"])
      const [hit] = yield* familiar.search({ text: "door" })
      const told = [
        hit,
        yield* familiar.get([blue.id]),
        yield* familiar.list(),
        yield* familiar.timeline({ anchor: blue.id }),
        yield* familiar.explain({ text: "door" }),
        yield* familiar.why(blue.id),
        yield* familiar.history(blue.id),
        yield* familiar.profile()
      ]
      expect(JSON.stringify(told)).not.toMatch(/disput|is red|confidence/iu)
      expect(JSON.stringify(told)).not.toContain(old.id)
    })
  )

  it.scoped("never lets a lower level stand before a higher one, retire it or settle its dispute", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const old = yield* say(daybook, "The door is red")
      const low = yield* say(daybook, "The door is blue", 1, { trust: "familiar" })
      expect(low).toMatchObject({ outcome: "added", disputes: [old.id] })
      const [entry] = yield* memory.history(low.id)
      expect(entry!.decision).toMatchObject({ action: "DISPUTE" })
      // The familiar's own memory is a side of a dispute with the full one: it may not settle that.
      const own = yield* say(daybook, "The door is green", 1, { trust: "familiar" })
      expect(own.outcome).toBe("added")
      expect(yield* memory.search({ text: "door" })).toMatchObject([{ id: old.id }])
      // A statement derived from memories settles nothing either; one of one's own does.
      const from = [{ kind: "memory", id: own.id }]
      expect((yield* say(daybook, "The door is black", 1, { from })).outcome).toBe("added")
      expect((yield* say(daybook, "The door is white", 1)).outcome).toBe("replaced")
    })
  )

  it.scoped("is not merged away by maintenance", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const fields = { type: "discovery", tier: "mid", project: "house" }
      const titles = [1, 2, 3, 4, 5, 6].map((n) => `The door of the long house by the green river is painted ${n}`)
      for (const title of titles) yield* say(daybook, title, undefined, fields)
      const paint = (n: number, confidence?: number) =>
        say(daybook, `The gate is painted with colour number ${n} from the shop`, confidence, fields)
      const first = yield* paint(1)
      const second = yield* paint(2, 0.5)
      yield* TestClock.adjust("60 days")
      yield* memory.maintenance.run({ stages: ["daily", "weekly", "compress"] })
      expect(yield* sidesOf(daybook, first.id)).toEqual([(yield* memory.get([second.id]))[0]!.title])
      expect((yield* memory.list({ limit: 1_000 })).length).toBeLessThan(8)
    })
  )
})

describe("a person who settles a dispute", () => {
  it.scoped("keeps, replaces or lets both hold, as one run that undo takes back", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const memory = yield* as(daybook, "full")
      const old = yield* say(daybook, "The door is red")
      const blue = yield* say(daybook, "The door is blue", 0.6)
      const state = Effect.map(daybook.digests(agent), ({ stateDigest }) => stateDigest)
      const before = yield* state
      const titles = Effect.map(memory.list(), (rows) => rows.map(({ title }) => title))
      expect(yield* memory.decisions({ open: true })).toMatchObject([
        { id: blue.id, confidence: 0.6, disputedBy: [{ id: old.id }] }
      ])
      const replaced = yield* memory.decide(blue.id, "replace")
      expect(replaced).toMatchObject({ outcome: "settled", retired: [old.id] })
      expect(yield* titles).toEqual(["The door is blue"])
      expect((yield* memory.why(old.id)).supersededBy).toMatchObject({ id: blue.id })
      expect(yield* memory.decisions({ open: true })).toEqual([])
      yield* memory.undo({ run: replaced.run })
      expect(yield* state).toBe(before)
      const kept = yield* memory.decide(blue.id, "keep")
      expect(kept.retired).toEqual([blue.id])
      expect(yield* titles).toEqual(["The door is red"])
      yield* memory.undo({ run: kept.run })
      expect(yield* state).toBe(before)
      const both = yield* memory.decide(blue.id, "both")
      expect(both.retired).toEqual([])
      expect(yield* memory.decisions({ open: true })).toEqual([])
      expect(yield* sidesOf(daybook, old.id)).toBeUndefined()
      expect(yield* titles).toEqual(["The door is blue", "The door is red"])
      yield* memory.undo({ run: both.run })
      expect(yield* sidesOf(daybook, old.id)).toEqual(["The door is blue"])
    })
  )

  it.scoped("needs the level of every side, and an open dispute", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const familiar = yield* as(daybook, "familiar")
      const old = yield* say(daybook, "The door is red")
      const low = yield* say(daybook, "The door is blue", 1, { trust: "familiar" })
      const before = yield* daybook.digests(agent)
      expect(yield* Effect.flip(familiar.decide(low.id, "replace"))).toMatchObject({ _tag: "LevelTooLow" })
      expect(yield* Effect.flip(familiar.decide(old.id, "keep"))).toMatchObject({ _tag: "LevelTooLow" })
      expect(yield* Effect.flip(familiar.decide("nothere", "keep"))).toMatchObject({ _tag: "MemoryNotFound" })
      expect((yield* Effect.flip(familiar.decide(low.id, "none" as "keep"))).message).toContain("keep, replace, both")
      expect(yield* daybook.digests(agent)).toEqual(before)
    })
  )
})

describe("the laws of disputes", () => {
  const step = fc.record({
    thing: fc.constantFrom("door", "gate", "roof"),
    colour: fc.constantFrom("red", "blue", "green", "black"),
    confidence: fc.constantFrom(undefined, 0.4, 0.7, 0.97, 0.98, 1),
    trust: fc.constantFrom<TrustLevel>("full", "full", "inner", "familiar"),
    next: fc.constantFrom("nothing", "nothing", "forget", "undo", "private")
  })

  it.scoped.prop(
    "a view is its log, undo restores, what-if repeats, and no memory is retired by less than the policy says",
    [fc.array(step, { minLength: 3, maxLength: 14 })],
    ([steps]) =>
      Effect.gen(function* () {
        const { daybook } = yield* system()
        const memory = yield* as(daybook, "full")
        const state = Effect.map(daybook.digests(agent), ({ stateDigest }) => stateDigest)
        for (const { colour, confidence, next, thing, trust } of steps) {
          const before = yield* state
          const known = yield* memory.list({ limit: 1_000 })
          const answer = yield* say(daybook, `The ${thing} is ${colour}`, confidence, { trust })
          // The same text of a lower level is taken over, whatever the confidence.
          const gone = known.find(({ id, title }) => id === answer.replaced && title !== `The ${thing} is ${colour}`)
          if (gone !== undefined) expect(confidence ?? 1).toBeGreaterThanOrEqual(0.98)
          for (const id of answer.disputes ?? []) {
            expect(known.map((row) => row.id)).toContain(id)
            const [side] = yield* memory.get([id])
            // At most three sides are shown, those of the highest level first.
            if (side?.moreSides === undefined)
              expect(side?.disputedBy?.map(({ title }) => title)).toContain(`The ${thing} is ${colour}`)
          }
          if (next === "undo" && answer.version !== undefined && trust === "full") {
            yield* memory.undo({ event: answer.version })
            expect(yield* state).toBe(before)
          }
          if (next === "forget") yield* Effect.ignore(memory.forget(answer.id))
          if (next === "private") yield* Effect.ignore(memory.update(answer.id, { store: "private" }))
        }
        const live = yield* daybook.digests(agent)
        const read = yield* memory.search({ text: "the", limit: 100 })
        yield* daybook.rebuild(agent)
        expect(yield* daybook.digests(agent)).toEqual(live)
        expect(yield* memory.search({ text: "the", limit: 100 })).toEqual(read)
        const { version } = yield* daybook.stats(agent)
        const asOf = yield* daybook.agent(agent, { trust: "full", asOf: { version } })
        expect(yield* asOf.search({ text: "the", limit: 100 })).toEqual(read)
        const same = yield* daybook.whatIf(agent, {
          policy: yield* decode({ ...policy, recall: { log: false }, sessions: { after_turn: false } })
        })
        expect(same.decisions).toEqual([])
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 6, full: 60 }) } }
  )

  it.scoped("what-if shows what another certainty would have retired", () =>
    Effect.gen(function* () {
      const { daybook } = yield* system()
      const old = yield* say(daybook, "The door is red")
      const blue = yield* say(daybook, "The door is blue", 0.6)
      const bold = yield* decode({
        ...policy,
        recall: { log: false },
        sessions: { after_turn: false },
        reconcile: { certain: 0.5 }
      })
      const { decisions, memories } = yield* daybook.whatIf(agent, { policy: bold })
      expect(decisions).toMatchObject([
        { before: { outcome: "added", disputes: [old.id] }, after: { outcome: "replaced", replaced: old.id } }
      ])
      expect(memories.onlyLive).toMatchObject([{ id: old.id, elsewhere: "superseded" }])
      expect(memories.changed).toMatchObject([{ id: blue.id }])
    })
  )
})
