import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { levels } from "../events/Trust.js"
import type { Daybook } from "../src/Daybook.js"
import type { ScheduleInput } from "../src/schedules/input.js"
import type { Outcome } from "../src/schedules/Runner.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { type Asked, histories, perform } from "./support/histories.js"
import { lawRuns, rounds } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const start = Date.parse("2026-03-14T06:00:00Z")
const minute = 60_000
const hour = 60 * minute
const agent = "ada"
const awake = { actors: { idle: 365 * 24 * hour } }
const tides = new Map([["tides", minute]])
const ok: Outcome = { status: "ok", output: "high" }

const prepared = (policy: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook, folder } = yield* fresh({ policy: { ...awake, ...policy } })
    return { daybook, folder, memory: yield* daybook.agent(agent, { trust: "full" }), runner: daybook.runner }
  })

const hourly: ScheduleInput = { goal: "Tell the tide", name: "Tides", handler: "tides", every: hour }

/** The one run that there is to take. */
const take = (daybook: System) =>
  Effect.map(daybook.runner.claim(agent, tides, 10), ({ claimed }) => {
    expect(claimed).toHaveLength(1)
    return claimed[0]!
  })

const timers = (daybook: System) => daybook.runner.due({ until: Number.MAX_SAFE_INTEGER, limit: 100 })

describe("a schedule", () => {
  it.scoped("is added, found, counted, changed, paused, resumed and deleted", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const added = yield* memory.schedules.add(
        { ...hourly, channel: "desk", context: "thread 12", notify: "on-change", keep: 5 },
        { commandId: "tides" }
      )
      expect(added).toEqual({
        outcome: "added",
        id: added.id,
        nextRunAt: start + hour,
        version: 1,
        repeated: false
      })
      expect(
        yield* memory.schedules.add(
          { ...hourly, channel: "desk", context: "thread 12", notify: "on-change", keep: 5 },
          { commandId: "tides" }
        )
      ).toEqual({ ...added, repeated: true })
      expect(yield* memory.schedules.get(added.id)).toEqual({
        id: added.id,
        name: "Tides",
        goal: "Tell the tide",
        handler: "tides",
        cadence: { kind: "interval", every: hour, from: start },
        notify: "on-change",
        missed: "once",
        keep: 5,
        channel: "desk",
        context: "thread 12",
        status: "active",
        nextRunAt: start + hour,
        failures: 0,
        createdAt: start,
        updatedAt: start,
        lastRunAt: null,
        lastStatus: null,
        running: null
      })
      const { id: other } = yield* memory.schedules.add({
        goal: "Näher am Tee",
        cron: "0  9 * * mon",
        zone: "Asia/Tokyo"
      })
      expect(yield* memory.schedules.get(other)).toMatchObject({
        handler: "default",
        cadence: { kind: "cron", expression: "0 9 * * mon", zone: "Asia/Tokyo" },
        notify: "always",
        keep: 100,
        nextRunAt: Date.parse("2026-03-16T00:00:00Z")
      })
      const found = (query: Parameters<typeof memory.schedules.list>[0]) =>
        Effect.map(memory.schedules.list(query), (all) => all.map(({ id }) => id))
      expect(yield* found({})).toEqual([other, added.id])
      expect(yield* found({ limit: 1, offset: 1 })).toEqual([added.id])
      expect(yield* found({ text: "NÄHER" })).toEqual([other])
      expect(yield* found({ handlers: ["tides"] })).toEqual([added.id])
      expect(yield* found({ before: start + 2 * hour })).toEqual([added.id])
      expect(yield* found({ statuses: ["paused"] })).toEqual([])
      expect(yield* memory.schedules.count()).toBe(2)
      expect(yield* memory.schedules.count({ text: "tide" })).toBe(1)

      yield* TestClock.adjust(minute)
      expect(yield* memory.schedules.update(added.id, { goal: "Tell the tide" })).toMatchObject({
        outcome: "unchanged",
        version: 2
      })
      const changed = yield* memory.schedules.update(added.id, { goal: "Tell Zoë", name: null, every: 2 * hour })
      expect(changed).toMatchObject({ outcome: "updated", nextRunAt: start + minute + 2 * hour })
      const now = yield* memory.schedules.get(added.id)
      expect(now).toMatchObject({ goal: "Tell Zoë", updatedAt: start + minute, channel: "desk" })
      expect(now).not.toHaveProperty("name")
      expect(yield* memory.schedules.update(added.id, { status: "paused" })).toMatchObject({ nextRunAt: null })
      expect(yield* found({ statuses: ["paused"] })).toEqual([added.id])
      expect(yield* timers(daybook)).toEqual([{ agent, due: Date.parse("2026-03-16T00:00:00Z") }])
      yield* TestClock.adjust(5 * hour)
      // From now on, on the grid that it had.
      expect(yield* memory.schedules.update(added.id, { status: "active" })).toMatchObject({
        nextRunAt: start + minute + 6 * hour
      })
      expect(yield* memory.schedules.delete(added.id)).toMatchObject({ outcome: "deleted", nextRunAt: null })
      expect((yield* Effect.flip(memory.schedules.get(added.id)))._tag).toBe("ScheduleNotFound")
      expect((yield* Effect.flip(memory.schedules.update(added.id, { goal: "x" })))._tag).toBe("ScheduleNotFound")
      expect((yield* Effect.flip(memory.schedules.delete(added.id)))._tag).toBe("ScheduleNotFound")
      expect((yield* Effect.flip(memory.schedules.runs(added.id)))._tag).toBe("ScheduleNotFound")
    })
  )

  it.scoped("is refused if invalid, and nothing is written", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const goal = "Tell the tide"
      const wrong: ReadonlyArray<readonly [ScheduleInput, string]> = [
        [{ goal: " ", every: hour }, "goal: is empty"],
        [{ goal: "x".repeat(10_001), every: hour }, "goal: is longer than 10000 characters"],
        [{ goal }, "cron: is missing: give exactly one of `cron`, `at` and `every`"],
        [
          { goal, every: hour, cron: "* * * * *" },
          "every: cannot be combined with `cron`: give exactly one of `cron`, `at` and `every`"
        ],
        [
          { goal, every: 59_999 },
          "every: must leave at least 60000 ms between runs, as the policy requires in `schedules.minInterval`"
        ],
        [
          { goal, cron: "*/30 * * * * *" },
          "cron: must leave at least 60000 ms between runs, as the policy requires in `schedules.minInterval`"
        ],
        [{ goal, every: 0.5 }, "every: must be a whole number of milliseconds, 1 or more"],
        [{ goal, cron: "0 0 30 2 *" }, "cron: contains a day that never occurs"],
        [
          { goal, cron: "often" },
          "cron: must have five or six fields: [second] minute hour day month weekday, such as 30 9 * * mon-fri"
        ],
        [{ goal, cron: "* * * * *", zone: "Mars/Base" }, "zone: must be an IANA time zone, such as Europe/Berlin"],
        [{ goal, every: hour, zone: "UTC" }, "zone: can only be used with `cron`"],
        [{ goal, at: start + 1, from: start }, "from: can only be used with `every`"],
        [{ goal, at: start }, "at: is in the past: use a later time"],
        [{ goal, at: "soon" }, "at: is not a date: use an ISO 8601 time, such as 2026-03-14T09:30:00Z"],
        [{ goal, every: hour, keep: 0 }, "keep: must be a whole number from 1 to 1000"],
        [
          { goal, every: hour, notify: "often" as never },
          "notify: must be one of always, on-change, on-failure, never"
        ],
        [{ goal, every: hour, often: true } as never, expect.stringMatching(/^often: is not a known field: use goal, /)]
      ]
      for (const [input, message] of wrong) {
        expect((yield* Effect.flip(memory.schedules.add(input))).message).toEqual(message)
      }
      expect((yield* Effect.flip(memory.schedules.update("nobody", {}))).message).toBe(
        "changes: must have at least one field to change"
      )
      expect(yield* daybook.agents).toEqual([])
      const { id } = yield* memory.schedules.add({ goal, handler: "tides", at: start + hour })
      yield* TestClock.adjust(hour)
      yield* daybook.runner.finish(agent, yield* take(daybook), ok)
      expect(yield* memory.schedules.get(id)).toMatchObject({ status: "completed", nextRunAt: null })
      expect((yield* Effect.flip(memory.schedules.update(id, { status: "active" }))).message).toBe(
        "status: cannot be changed, because the schedule has ended: pass a new `cron`, `at` or `every` to restart it"
      )
      expect(yield* memory.schedules.update(id, { at: start + 2 * hour })).toMatchObject({
        nextRunAt: start + 2 * hour
      })
      expect((yield* memory.schedules.get(id)).status).toBe("active")
    })
  )

  it.scoped("is refused beyond 1,000 active and paused ones per agent", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      yield* memory.schedules.add({ goal: "over", handler: "tides", at: start + minute })
      yield* TestClock.adjust(minute)
      yield* daybook.runner.finish(agent, yield* take(daybook), ok)
      yield* Effect.forEach(Array.from({ length: 1_000 }), () => memory.schedules.add(hourly), {
        concurrency: "unbounded"
      })
      expect((yield* Effect.flip(memory.schedules.add(hourly))).message).toBe(
        "schedule limit reached (1000 active or paused): delete a schedule first"
      )
    })
  )

  it.scoped("requires full trust: below it, every answer is the same", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const ask = Effect.gen(function* () {
        const all: Array<string> = []
        for (const trust of levels.filter((level) => level !== "full")) {
          const low = yield* daybook.agent(agent, { trust })
          for (const refused of [
            low.schedules.list(),
            low.schedules.count(),
            low.schedules.get("0000000000"),
            low.schedules.runs("0000000000"),
            low.schedules.run("0000000000"),
            low.schedules.add(hourly),
            low.schedules.update("0000000000", { goal: "x" }),
            low.schedules.delete("0000000000")
          ]) {
            const error = yield* Effect.flip<unknown, { readonly message: string }, never>(refused)
            all.push(error.message)
          }
        }
        return all
      })
      const before = yield* ask
      expect(new Set(before)).toEqual(new Set(["schedules requires trust level `full`"]))
      yield* memory.schedules.add(hourly)
      expect(yield* ask).toEqual(before)
    })
  )
})

describe("a run", () => {
  it.scoped("is claimed once, ends in one append with its schedule's next time, and appears in the history", () =>
    Effect.gen(function* () {
      const { daybook, memory, runner } = yield* prepared()
      const { id } = yield* memory.schedules.add(hourly)
      expect((yield* runner.claim(agent, tides, 10)).claimed).toEqual([])
      yield* TestClock.adjust(hour + 5_000)
      expect((yield* runner.claim(agent, new Map([["kettle", minute]]), 10)).claimed).toEqual([])
      const run = yield* take(daybook)
      expect(run).toMatchObject({ schedule: id, occurrence: start + hour, attempt: 1, lease: start + hour + 65_000 })
      expect(yield* timers(daybook)).toEqual([{ agent, due: run.lease }])
      expect((yield* runner.claim(agent, tides, 10)).claimed).toEqual([])
      expect(yield* memory.schedules.get(id)).toMatchObject({
        running: { run: run.run, dueAt: start + hour, attempt: 1, leasedUntil: run.lease }
      })
      yield* TestClock.adjust(2_000)
      const output = "high 🌊 ".repeat(2_000)
      const done = { ...ok, output, summary: "high", counts: { turns: 3, cost: 12 }, duration: 2_000 }
      expect(yield* runner.finish(agent, run, done)).toEqual({
        notify: true,
        state: { status: "active", next: start + 2 * hour, failures: 0 }
      })
      expect((yield* Effect.flip(runner.finish(agent, run, done)))._tag).toBe("LeaseLost")
      const events = yield* Stream.runCollect(daybook.log(agent))
      expect([...events].map(({ cause, type }) => [type, cause])).toEqual([
        ["SCHEDULE", null],
        ["RUN", null],
        ["RUN", null],
        ["SCHEDULE", `run:${run.run}`]
      ])
      const told = {
        run: run.run,
        schedule: id,
        status: "ok",
        dueAt: start + hour,
        startedAt: start + hour + 5_000,
        finishedAt: start + hour + 7_000,
        duration: 2_000,
        attempt: 1,
        summary: "high",
        error: null,
        counts: { turns: 3, cost: 12 },
        notified: true
      }
      expect(yield* memory.schedules.runs(id)).toEqual([told])
      expect(yield* memory.schedules.run(run.run)).toEqual({ ...told, output })
      expect((yield* Effect.flip(memory.schedules.run("nobody")))._tag).toBe("RunNotFound")
      expect(yield* memory.schedules.get(id)).toMatchObject({
        lastRunAt: start + hour + 7_000,
        lastStatus: "ok",
        running: null,
        nextRunAt: start + 2 * hour
      })
      // As of then it was under way.
      const then = yield* daybook.agent(agent, { trust: "full", asOf: { version: 2 } })
      expect(yield* then.schedules.runs(id)).toMatchObject([{ status: "running", finishedAt: null }])
      expect((yield* then.schedules.get(id)).running).not.toBeNull()
    })
  )

  it.scoped("with an expired lease is taken over, and its late owner is refused", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory, runner } = yield* prepared()
      const { id } = yield* memory.schedules.add(hourly)
      yield* TestClock.adjust(hour)
      const late = yield* take(daybook)
      yield* TestClock.adjust(minute - 1)
      const other = yield* open(folder, { policy: awake })
      expect((yield* other.runner.claim(agent, tides, 10)).claimed).toEqual([])
      yield* TestClock.adjust(1)
      const [taken] = (yield* other.runner.claim(agent, tides, 10)).claimed
      expect(taken).toMatchObject({ occurrence: start + hour, attempt: 2 })
      for (const refused of [
        runner.finish(agent, late, ok),
        runner.renew(agent, { ...late, attempt: 2 }, start + 2 * hour),
        runner.release(agent, late)
      ]) {
        expect(
          yield* Effect.flip<unknown, { readonly _tag: string; readonly message: string }, never>(refused)
        ).toMatchObject({
          _tag: "LeaseLost",
          message: `run ${late.run} is no longer active: it ended, or another process took it over; discard the result of the run`
        })
      }
      yield* other.runner.finish(agent, taken!, ok)
      expect((yield* memory.schedules.runs(id)).map(({ attempt, status }) => [status, attempt])).toEqual([
        ["ok", 2],
        ["abandoned", 1]
      ])
    })
  )

  it.scopedLive("claimed or ended by two processes succeeds in one: the expected version decides", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const systems = [yield* open(folder), yield* open(folder)]
      const memory = yield* systems[0]!.agent(agent, { trust: "full" })
      for (let round = 1; round <= rounds({ quick: 3, full: 10, ci: 10 }); round++) {
        const at = (yield* Clock.currentTimeMillis) + 500
        const { id } = yield* memory.schedules.add({ goal: "Tell the tide", handler: "tides", at })
        yield* Effect.sleep(at - (yield* Clock.currentTimeMillis) + 1)
        const claims = yield* Effect.all(
          systems.map(({ runner }) => runner.claim(agent, tides, 1)),
          { concurrency: 2 }
        )
        const claimed = claims.flatMap(({ claimed }) => claimed)
        expect(claimed).toHaveLength(1)
        const ends = yield* Effect.all(
          systems.map(({ runner }) => Effect.either(runner.finish(agent, claimed[0]!, ok))),
          { concurrency: 2 }
        )
        expect(ends.map(({ _tag }) => _tag).sort()).toEqual(["Left", "Right"])
        expect(yield* memory.schedules.runs(id)).toMatchObject([{ status: "ok" }])
      }
    })
  )

  it.scoped("that was released starts again at once, but not forever", () =>
    Effect.gen(function* () {
      const { daybook, memory, runner } = yield* prepared({ schedules: { takeovers: 3 } })
      const { id } = yield* memory.schedules.add(hourly)
      yield* TestClock.adjust(hour)
      // Programs that are stopped in good order leave nothing: however often, it is no failure.
      for (let attempt = 1; attempt <= 5; attempt++) {
        const run = yield* take(daybook)
        expect(run.attempt).toBe(attempt)
        yield* runner.release(agent, run)
        expect(yield* memory.schedules.run(run.run)).toMatchObject({ status: "abandoned", attempt, counts: {} })
      }
      for (const attempt of [6, 7, 8]) {
        expect(yield* take(daybook)).toMatchObject({ attempt })
        yield* TestClock.adjust(minute)
      }
      expect((yield* runner.claim(agent, tides, 10)).claimed).toEqual([])
      expect((yield* memory.schedules.runs(id)).slice(0, 3)).toMatchObject([
        { status: "failed", error: "was begun 3 times and never ended", attempt: 8 },
        { status: "abandoned", attempt: 7 },
        { status: "abandoned", attempt: 6 }
      ])
      expect(yield* memory.schedules.get(id)).toMatchObject({ failures: 1, nextRunAt: start + 2 * hour })
    })
  )

  it.scoped("counts as failed until one succeeds; after too many in a row the schedule stops", () =>
    Effect.gen(function* () {
      const { daybook, memory, runner } = yield* prepared({ schedules: { failures: 3 } })
      const { id } = yield* memory.schedules.add({ ...hourly, keep: 4 })
      const states: Array<unknown> = []
      for (const status of ["failed", "timeout", "ok", "failed", "failed", "failed"] as const) {
        yield* TestClock.adjust(hour)
        yield* runner.finish(agent, yield* take(daybook), status === "ok" ? ok : { status, error: "no tide" })
        const { failures, status: stands } = yield* memory.schedules.get(id)
        states.push([failures, stands])
      }
      expect(states).toEqual([
        [1, "active"],
        [2, "active"],
        [0, "active"],
        [1, "active"],
        [2, "active"],
        [3, "failed"]
      ])
      expect(yield* timers(daybook)).toEqual([])
      expect((yield* memory.schedules.runs(id)).map(({ status }) => status)).toEqual([
        "failed",
        "failed",
        "failed",
        "ok"
      ])
      expect(yield* memory.schedules.update(id, { status: "active" })).toMatchObject({ nextRunAt: start + 7 * hour })
      expect((yield* memory.schedules.get(id)).failures).toBe(0)
    })
  )

  for (const [missed, runs, next] of [
    ["once", 1, 11],
    ["each", 10, 11]
  ] as const) {
    it.scoped(`missed ten times runs ${runs === 1 ? "once" : "ten times"} if so configured`, () =>
      Effect.gen(function* () {
        const { daybook, memory, runner } = yield* prepared()
        const { id } = yield* memory.schedules.add({ ...hourly, missed })
        yield* TestClock.adjust(10 * hour + minute)
        const occurrences: Array<number> = []
        for (let done = 0; done < runs; done++) {
          const run = yield* take(daybook)
          occurrences.push((run.occurrence - start) / hour)
          yield* runner.finish(agent, run, ok)
        }
        expect(occurrences).toEqual(Array.from({ length: runs }, (_, index) => index + 1))
        expect((yield* runner.claim(agent, tides, 10)).claimed).toEqual([])
        expect((yield* memory.schedules.get(id)).nextRunAt).toBe(start + next * hour)
      })
    )
  }

  it.scoped("survives a change, a pause or the deletion of its schedule", () =>
    Effect.gen(function* () {
      const { daybook, memory, runner } = yield* prepared()
      const { id } = yield* memory.schedules.add(hourly)
      yield* TestClock.adjust(hour)
      const first = yield* take(daybook)
      yield* memory.schedules.update(id, { at: start + 9 * hour })
      expect((yield* runner.finish(agent, first, ok)).state).toEqual({
        status: "active",
        next: start + 9 * hour,
        failures: 0
      })
      yield* TestClock.adjust(8 * hour)
      const second = yield* take(daybook)
      yield* memory.schedules.update(id, { status: "paused" })
      expect((yield* runner.finish(agent, second, { status: "failed" })).state).toEqual({
        status: "paused",
        next: null,
        failures: 1
      })
      yield* memory.schedules.update(id, { every: hour, status: "active" })
      yield* TestClock.adjust(hour)
      const third = yield* take(daybook)
      yield* memory.schedules.update(id, { status: "paused" })
      yield* TestClock.adjust(minute)
      // Nobody is to do it again, but that it was left is on record.
      expect((yield* runner.claim(agent, tides, 10)).claimed).toEqual([])
      expect(yield* memory.schedules.run(third.run)).toMatchObject({ status: "abandoned", output: null })
      yield* memory.schedules.update(id, { status: "active" })
      yield* TestClock.adjust(hour)
      const last = yield* take(daybook)
      yield* memory.schedules.delete(id)
      expect((yield* Effect.flip(runner.finish(agent, last, ok)))._tag).toBe("LeaseLost")
      expect((yield* Effect.flip(memory.schedules.run(last.run)))._tag).toBe("RunNotFound")
    })
  )

  it.scoped("is reported as its schedule's notify setting says", () =>
    Effect.gen(function* () {
      const outcomes: ReadonlyArray<Outcome> = [
        { status: "ok", output: "high" },
        { status: "ok", output: "high" },
        { status: "ok", output: "low" },
        { status: "failed", error: "no tide" },
        { status: "timeout", error: "no tide" },
        { status: "ok", output: "low" }
      ]
      const wanted = {
        always: [true, true, true, true, true, true],
        "on-change": [true, false, true, true, true, true],
        "on-failure": [false, false, false, true, true, false],
        never: [false, false, false, false, false, false]
      } as const
      for (const [notify, decisions] of Object.entries(wanted)) {
        const { daybook, memory, runner } = yield* prepared()
        const { id } = yield* memory.schedules.add({ ...hourly, notify: notify as keyof typeof wanted })
        const told: Array<boolean> = []
        for (const outcome of outcomes) {
          yield* TestClock.adjust(hour)
          told.push((yield* runner.finish(agent, yield* take(daybook), outcome)).notify)
        }
        expect([notify, told]).toEqual([notify, decisions])
        expect((yield* memory.schedules.runs(id)).map(({ notified }) => notified).reverse()).toEqual(decisions)
      }
    })
  )

  it.scoped("is no memory: undo refuses it, or undoes only the memories that it wrote", () =>
    Effect.gen(function* () {
      const { daybook, memory, runner } = yield* prepared()
      const { id } = yield* memory.schedules.add(hourly)
      yield* TestClock.adjust(hour)
      const before = (yield* daybook.digests(agent)).stateDigest
      const run = yield* take(daybook)
      const written = yield* memory.remember({ title: "High tide at six" }, { run: run.run })
      yield* runner.finish(agent, run, ok)
      for (const event of [1, 2, 4, 5]) {
        expect((yield* Effect.flip(memory.undo({ event }))).message).toMatch(
          /^cannot undo version \d \((SCHEDULE|RUN)\): the event changed no memory$/
        )
      }
      const undone = yield* memory.undo({ run: run.run })
      expect(undone.undone.map(({ memory }) => memory)).toEqual([written.id])
      expect((yield* daybook.digests(agent)).stateDigest).toBe(before)
      expect(yield* memory.schedules.runs(id)).toMatchObject([{ status: "ok" }])
      expect((yield* Effect.flip(memory.undo({ run: "nobody" })))._tag).toBe("NothingToUndo")
    })
  )
})

describe("timers", () => {
  it.scoped("find the agents with due schedules among many, without waking any", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { policy: awake })
          for (let number = 0; number < 30; number++) {
            const memory = yield* daybook.agent(`agent-${number}`, { trust: "full" })
            if (number % 10 === 0) yield* memory.schedules.add({ ...hourly, every: hour + number * minute })
            else yield* memory.remember({ title: "tea" })
          }
        })
      )
      const daybook = yield* open(folder, { policy: awake })
      yield* TestClock.adjust(hour + 10 * minute)
      const due = yield* daybook.runner.due({ until: start + hour + 10 * minute, limit: 10 })
      expect(due).toEqual([
        { agent: "agent-0", due: start + hour },
        { agent: "agent-10", due: start + hour + 10 * minute }
      ])
      expect(yield* daybook.awake).toBe(0)
    })
  )

  it.scoped(
    "with wrong times are corrected: those that are too early at their next read, all of them on request by retime",
    () =>
      Effect.gen(function* () {
        const { daybook, folder, memory, runner } = yield* prepared()
        yield* memory.schedules.add(hourly)
        yield* (yield* daybook.agent("bob", { trust: "full" })).remember({ title: "tea" })
        const right = [{ agent, due: start + hour }]
        const change = (text: string) =>
          Effect.sync(() => {
            const db = new Database(join(folder, "log.db"))
            db.exec(text)
            db.close()
          })
        yield* change("UPDATE timers SET due = 5")
        expect((yield* runner.claim(agent, tides, 10)).claimed).toEqual([])
        expect(yield* timers(daybook)).toEqual(right)
        for (const [damage, mended] of [
          ["DELETE FROM timers", [agent]],
          ["UPDATE timers SET due = 1e15", [agent]],
          ["INSERT INTO timers VALUES ('bob', 7)", ["bob"]]
        ] as const) {
          yield* change(damage)
          expect(yield* runner.retime).toEqual({ agents: 2, mended })
          expect(yield* timers(daybook)).toEqual(right)
        }
        expect((yield* daybook.verify()).problems).toEqual([])
      })
  )

  it.scoped.prop(
    "follow from the events of any history, and can be rebuilt from them",
    [histories({ agents: ["ada", "bob"], minLength: 40, maxLength: 60 })],
    ([steps]) =>
      Effect.gen(function* () {
        const { daybook, folder } = yield* prepared()
        const asked: Asked = new Map()
        const ours = steps.filter(({ kind }) => ["schedule", "reschedule", "run", "wait", "remember"].includes(kind))
        for (const step of ours) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
        const live = yield* timers(daybook)
        const agents = (yield* daybook.agents).length
        expect(yield* daybook.runner.retime).toEqual({ agents, mended: [] })
        expect(yield* timers(daybook)).toEqual(live)
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 3, full: 10 }), endOnFailure: true } }
  )
})
