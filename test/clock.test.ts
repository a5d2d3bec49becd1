import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Scheduler from "../layers/Scheduler.js"
import { Daybook } from "../src/Daybook.js"
import { type StageName, stageNames } from "../src/model/stages.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns } from "./support/size.js"

const agent = "ada"
const hour = 3_600_000
const day = 24 * hour
const year = 365.25 * day
const start = Date.parse("2026-03-14T06:00:00Z")

const setUp = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook, folder } = yield* fresh({ policy: { actors: { idle: 100 * year } } })
  const memory = yield* daybook.agent(agent, { trust: "full", record: false })
  const familiar = yield* daybook.agent(agent, { trust: "familiar", record: false })
  return { daybook, folder, memory, familiar }
})

type System = Context.Tag.Service<typeof Daybook>

/** The stages that age memories. */
const aging: ReadonlyArray<StageName> = ["compress", "gc", "retention", "archive", "cleanup"]

/** The titles as of a time, oldest first. */
const titlesAt = (daybook: System, at: number) =>
  Effect.flatMap(daybook.agent(agent, { trust: "full", asOf: { at } }), (past) =>
    Effect.map(past.list(), (rows) => rows.map(({ title }) => title).sort())
  )

/** The events that are no vectors, as type, change and recording time. */
const eventsOf = (daybook: System) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) =>
    [...events]
      .filter(({ type }) => type !== "EMBED")
      .map(({ payload, recordedAt, type }) => [
        type === "CLOCK" && payload !== null ? (payload as { readonly change: string }).change : type,
        recordedAt
      ])
  )

/** The log is sound, and its view is what the log says. */
const expectSound = (daybook: System) =>
  Effect.gen(function* () {
    expect((yield* daybook.verify(agent)).problems).toEqual([])
    yield* expectSameAfterRebuild(daybook, agent)
  })

const warningsOf = (warnings: Array<string>) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void warnings.push([message].flat().map(String).join(" ")))
  )

describe("a clock that jumps 30 years ahead and returns", () => {
  it.scoped("changes only the dates of events in between, which count as of the return; nothing ages", () =>
    Effect.gen(function* () {
      const { daybook, familiar, memory } = yield* setUp
      yield* memory.remember({ title: "before", tier: "daily" })
      yield* memory.remember({ title: "lasting", store: "social", expiresAt: start + year })
      yield* TestClock.setTime(start + 30 * year)
      const { version } = yield* memory.remember({ title: "meanwhile" })
      expect(yield* titlesAt(daybook, start + hour)).toEqual(["before", "lasting"])
      yield* TestClock.setTime(start + 2 * hour)
      const { id } = yield* familiar.remember({ title: "after", store: "social" })
      expect(yield* familiar.get([id])).toMatchObject([{ createdAt: start + 2 * hour }])
      expect(yield* eventsOf(daybook)).toEqual([
        ["ADD", start],
        ["ADD", start],
        ["ahead", start + 30 * year],
        ["ADD", start + 30 * year],
        ["returned", start + 2 * hour],
        ["ADD", start + 2 * hour]
      ])
      expect(yield* titlesAt(daybook, start + hour)).toEqual(["before", "lasting"])
      for (const at of [start + 2 * hour, start + day, start + year / 2]) {
        expect(yield* titlesAt(daybook, at)).toEqual(["after", "before", "lasting", "meanwhile"])
      }
      // As of a version in the jump, what expires later has not expired.
      const then = yield* daybook.agent(agent, { trust: "full", asOf: { version: version! } })
      expect((yield* then.list()).map(({ title }) => title).sort()).toEqual(["before", "lasting", "meanwhile"])
      yield* TestClock.setTime(start + 20 * day)
      const aged = yield* memory.maintenance.run({ stages: aging })
      expect(aged.map(({ counts }) => counts)).toEqual(aging.map(() => ({})))
      yield* expectSound(daybook)
    })
  )

  it.scoped("pauses maintenance and schedules, also if the return precedes the agent's first event", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const ran: Array<number> = []
      const { daybook, memory } = yield* setUp
      yield* memory.remember({ title: "old", tier: "daily" })
      yield* memory.schedules.add({ goal: "Tell the tide", handler: "tides", every: hour })
      yield* TestClock.setTime(start + 30 * year)
      const refused = Effect.flip(memory.maintenance.run())
      expect(yield* refused).toMatchObject({ _tag: "ClockUnconfirmed" })
      expect((yield* memory.maintenance.run({ dryRun: true })).length).toBe(stageNames.length)
      const tides = { tides: new Map([["tides", hour]]) }
      expect(yield* daybook.runner.claim(agent, tides.tides, 5)).toMatchObject({ claimed: [], waitsForClock: true })
      // A write is no confirmation.
      yield* memory.remember({ title: "meanwhile" })
      yield* TestClock.adjust("1 hour")
      expect(yield* refused).toMatchObject({ _tag: "ClockUnconfirmed" })
      expect(yield* daybook.runner.claim(agent, tides.tides, 5)).toMatchObject({ claimed: [], waitsForClock: true })
      yield* Scheduler.make({ handlers: { tides: (job) => Effect.sync(() => void ran.push(job.occurrence)) } }).pipe(
        Effect.flatMap(({ checkNow }) => Effect.zipRight(checkNow, TestClock.adjust("10 minutes"))),
        Effect.provide(Layer.merge(Layer.succeed(Daybook, daybook), warningsOf(warnings))),
        Effect.scoped
      )
      expect(ran).toEqual([])
      expect(warnings.filter((line) => line.includes("schedules wait"))).toHaveLength(1)
      yield* TestClock.setTime(start + 2 * hour)
      expect((yield* memory.maintenance.run({ stages: ["gc"] })).map(({ counts }) => counts)).toEqual([{}])
      yield* memory.remember({ title: "after" })
      expect(yield* daybook.runner.claim(agent, tides.tides, 5)).toMatchObject({
        claimed: [{ occurrence: start + hour }],
        waitsForClock: false
      })
      yield* expectSound(daybook)
    })
  )

  it.scoped("changes no later date if the agent's first event was in the jump", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* setUp
      yield* TestClock.setTime(start + 30 * year)
      yield* memory.remember({ title: "first" })
      yield* TestClock.setTime(start)
      yield* memory.remember({ title: "second" })
      expect(yield* eventsOf(daybook)).toEqual([
        ["ADD", start + 30 * year],
        ["returned", start],
        ["ADD", start]
      ])
      expect(yield* titlesAt(daybook, start - 1)).toEqual([])
      expect(yield* titlesAt(daybook, start)).toEqual(["first", "second"])
      yield* expectSound(daybook)
    })
  )
})

describe("a clock that is set back 30 years", () => {
  it.scoped("is not trusted: the newest event's time counts, and a warning says so", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const { daybook, memory } = yield* setUp
      yield* memory.remember({ title: "before" })
      yield* TestClock.setTime(start - 30 * year)
      const { id } = yield* Effect.provide(memory.remember({ title: "meanwhile", tier: "daily" }), warningsOf(warnings))
      expect(warnings).toEqual([expect.stringContaining("2026-03-14T06:00:00.000Z is used instead")])
      expect(yield* memory.get([id])).toMatchObject([{ createdAt: start }])
      expect(yield* titlesAt(daybook, start - 1)).toEqual([])
      expect(yield* titlesAt(daybook, start)).toEqual(["before", "meanwhile"])
      yield* TestClock.setTime(start + hour)
      yield* memory.remember({ title: "after" })
      expect(yield* titlesAt(daybook, start)).toEqual(["before", "meanwhile"])
      expect(yield* titlesAt(daybook, start + hour)).toEqual(["after", "before", "meanwhile"])
      const aged = yield* memory.maintenance.run({ stages: aging })
      expect(aged.map(({ counts }) => counts)).toEqual(aging.map(() => ({})))
      yield* expectSound(daybook)
    })
  )
})

describe("a clock that is an hour wrong", () => {
  it.scoped("decides by its own time; recording times stay constant until it is right", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* setUp
      yield* memory.remember({ title: "before" })
      yield* TestClock.setTime(start + hour)
      yield* memory.remember({ title: "ahead" })
      yield* TestClock.setTime(start + 10 * 60_000)
      const { id } = yield* memory.remember({ title: "soon over", expiresAt: start + 30 * 60_000 })
      expect(yield* memory.get([id])).toMatchObject([{ createdAt: start + 10 * 60_000 }])
      // Expired by the clock, though not by the newest event.
      yield* TestClock.setTime(start + 40 * 60_000)
      const second = yield* memory.remember({ title: "soon over" })
      expect(second).toMatchObject({ outcome: "added" })
      expect(yield* titlesAt(daybook, start + 30 * 60_000)).toEqual(["before"])
      expect(yield* titlesAt(daybook, start + hour)).toEqual(["ahead", "before", "soon over"])
      expect((yield* eventsOf(daybook)).map(([type]) => type)).toEqual(["ADD", "ADD", "ADD", "ADD"])
      yield* expectSound(daybook)
    })
  )
})

describe("a long sleep", () => {
  it.scoped("of a month needs no confirmation", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* setUp
      yield* memory.remember({ title: "before", tier: "daily" })
      yield* TestClock.setTime(start + 31 * day)
      expect(yield* memory.maintenance.run({ stages: ["archive"] })).toMatchObject([{ counts: { archived: 1 } }])
      yield* memory.remember({ title: "after" })
      expect(yield* titlesAt(daybook, start + 30 * day)).toEqual(["before"])
      expect(yield* titlesAt(daybook, start + 31 * day)).toEqual(["after"])
      expect((yield* eventsOf(daybook)).map(([type]) => type)).not.toContain("ahead")
      yield* expectSound(daybook)
    })
  )

  it.scoped("of two years needs one confirmation", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* setUp
      yield* memory.remember({ title: "before", tier: "daily" })
      yield* TestClock.setTime(start + 2 * year)
      expect(yield* Effect.flip(memory.maintenance.run())).toMatchObject({ _tag: "ClockUnconfirmed" })
      const confirmed = yield* memory.maintenance.run({ stages: ["archive"], confirmClock: true })
      expect(confirmed).toMatchObject([{ counts: { archived: 1 } }])
      yield* TestClock.adjust("1 day")
      yield* memory.maintenance.run()
      expect((yield* eventsOf(daybook)).map(([type]) => type)).toEqual([
        "ADD",
        "ahead",
        "confirmed",
        "RUN",
        "ARCHIVE",
        "RUN"
      ])
      yield* expectSound(daybook)
    })
  )
})

describe("any clock", () => {
  const move = fc.oneof(
    fc.integer({ min: 0, max: 5 * hour }),
    fc.integer({ min: -5 * hour, max: 0 }),
    fc.constantFrom(-30 * year, 30 * year, -3 * day, 40 * day, 2 * year)
  )
  it.effect.prop(
    "leaves a valid log, and a later as-of time never shows less than an earlier one",
    [fc.array(move, { minLength: 2, maxLength: 8 })],
    ([moves]) =>
      Effect.gen(function* () {
        const { daybook, memory } = yield* setUp
        let now = start
        for (const [index, by] of moves.entries()) {
          yield* memory.remember({ title: `memory ${index}` })
          now = Math.max(0, now + by)
          yield* TestClock.setTime(now)
        }
        yield* expectSound(daybook)
        const times = [...new Set((yield* eventsOf(daybook)).map(([, at]) => at as number))].sort((a, b) => a - b)
        let before: ReadonlyArray<string> = []
        for (const at of times) {
          const titles = yield* titlesAt(daybook, at)
          expect(titles).toEqual(expect.arrayContaining([...before]))
          before = titles
        }
        expect(before).toHaveLength(moves.length)
      }).pipe(Effect.scoped, Effect.provide(warningsOf([]))),
    { fastCheck: { numRuns: lawRuns({ quick: 10, full: 200 }) } }
  )
})
