import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { stageNames } from "../src/model/stages.js"
// Loaded by the engine when they are first needed, which no test clock waits for.
import "../src/schedules/deleteSchedule.js"
import "../src/maintenance/maintain.js"
import "../src/schedules/ensure.js"
import "../src/schedules/runCommands.js"
import type { DaybookEvent } from "../events/catalogue.js"
import * as Maintenance from "../layers/Maintenance.js"
import { policyRecordOf } from "../src/actor/policyRecord.js"
import { Daybook } from "../src/Daybook.js"
import { makeJobs } from "../src/maintenance/jobs.js"
import { defaults } from "../src/ports/Policy.js"
import { Summarizer } from "../src/ports/Summarizer.js"
import { open, temporaryFolder } from "./support/engine.js"
import { overheard } from "./support/modelCases.js"
import { quiet } from "./support/quiet.js"

type System = Context.Tag.Service<Daybook>

const hour = 3_600_000
const day = 24 * hour
/** A Tuesday. */
const start = Date.UTC(2026, 2, 10, 12)

const settled = Effect.forEach(
  Array.from({ length: 30 }),
  () => Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
  { discard: true }
).pipe(Effect.zipRight(quiet))

/** Lets time pass up to an instant, an hour at a time. */
const until = (instant: number) =>
  Effect.gen(function* () {
    yield* settled
    for (let now = yield* TestClock.currentTimeMillis; now < instant; now = yield* TestClock.currentTimeMillis) {
      yield* TestClock.adjust(Math.min(hour, instant - now))
      yield* settled
    }
  })

const policyOf = (policy: Record<string, object> = {}) => ({
  actors: { idle: 1_000 * 365 * day },
  ...policy,
  schedules: { poll: hour, ...policy.schedules }
})

/** What a process of its own would hold, with maintenance, until it is stopped or the test ends. */
const running = (
  folder: string,
  policy: Record<string, object> = {},
  options: Maintenance.MaintenanceOptions = {},
  summarizer?: Layer.Layer<Summarizer>
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const daybook = yield* Scope.extend(
      open(folder, { policy: policyOf(policy), vectorExtension: null, ...(summarizer && { summarizer }) }),
      scope
    )
    const inside = yield* Scope.fork(scope, { _tag: "Sequential" } as never)
    const context = yield* Layer.buildWithScope(
      Maintenance.layer({ every: hour, ...options }).pipe(Layer.provide(Layer.succeed(Daybook, daybook))),
      inside
    )
    let stopped = false
    const stop = Effect.suspend(() => {
      if (stopped) return Effect.void
      stopped = true
      return Effect.gen(function* () {
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* settled
        yield* TestClock.adjust(10_000)
        yield* settled
        yield* Fiber.join(closing)
      })
    })
    yield* Effect.addFinalizer(() => stop)
    return { daybook, stop, maintenance: Context.get(context, Maintenance.Maintenance) }
  })

const full = (daybook: System, agent: string) => daybook.agent(agent, { trust: "full" })

/** Writes what each day's log has, from a process that has no maintenance. */
const written = (folder: string, agents: ReadonlyArray<string>, each = 4) =>
  Effect.scoped(
    Effect.gen(function* () {
      const daybook = yield* open(folder, { policy: policyOf(), vectorExtension: null })
      for (const agent of agents) {
        const memory = yield* full(daybook, agent)
        for (let at = 0; at < each; at++) {
          const title = `Ship ${at} of ${agent} came at ${at}:15`
          yield* memory.remember(
            { title, type: "event", tier: "daily", source: { kind: "auto" } },
            { reconcile: false }
          )
        }
      }
    })
  )

const eventsOf = (daybook: System, agent: string) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) => [...events] as ReadonlyArray<DaybookEvent>)

const schedulesOf = (daybook: System, agent: string) =>
  Effect.map(
    Effect.flatMap(full(daybook, agent), (memory) => memory.schedules.list()),
    (found) =>
      Object.fromEntries(
        found.map(({ handler, nextRunAt }) => [handler, nextRunAt === null ? null : new Date(nextRunAt).toISOString()])
      )
  )

describe("the engine's own jobs", () => {
  it("run every stage", () => {
    expect(
      makeJobs(defaults.maintenance)
        .flatMap(({ stages }) => stages)
        .toSorted()
    ).toEqual(stageNames.toSorted())
  })

  it.scoped("run at the start for new agents, then at the policy's times, and record their runs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start - day)
      const folder = yield* temporaryFolder
      yield* written(folder, ["ada"])
      yield* TestClock.setTime(start)
      const policy = { maintenance: { zone: "Europe/Berlin", weekday: "wednesday" } }
      const { daybook } = yield* running(folder, policy)
      yield* settled
      // On a busy machine the runs at the start take longer.
      const isDue = Effect.map(schedulesOf(daybook, "ada"), (next) =>
        Object.values(next).includes(new Date(start).toISOString())
      )
      for (let tries = 0; tries < 50 && (yield* isDue); tries++) yield* settled
      expect(yield* schedulesOf(daybook, "ada")).toEqual({
        "daybook/daily": "2026-03-11T02:00:00.000Z",
        "daybook/gc": "2026-03-11T02:30:00.000Z",
        "daybook/weekly": "2026-03-11T03:00:00.000Z"
      })
      const memory = yield* full(daybook, "ada")
      const [note] = yield* memory.list()
      expect(note!.title).toBe("Event notes of 2026-03-09")
      const [of] = yield* memory.schedules.list({ handlers: ["daybook/daily"] })
      const [run] = yield* memory.schedules.runs(of!.id)
      const [stage] = yield* memory.maintenance.list()
      expect(run).toMatchObject({
        status: "ok",
        attempt: 1,
        counts: { compressed: 4, made: 1 },
        summary: `daily (run ${stage!.run}): 4 compressed, 1 made`
      })
      expect(stage).toMatchObject({ stage: "daily", status: "ok" })
      yield* until(start + 2 * day)
      expect(yield* memory.schedules.runs(of!.id)).toMatchObject([
        { dueAt: Date.parse("2026-03-12T02:00:00Z"), status: "ok", summary: "nothing to do" },
        { dueAt: Date.parse("2026-03-11T02:00:00Z") },
        { dueAt: start }
      ])
      const digest = stage!.policy
      const runs = (yield* eventsOf(daybook, "ada")).flatMap((event) => (event.type === "RUN" ? [event.payload] : []))
      expect(runs.length).toBeGreaterThan(16)
      for (const { policy } of runs) expect(policy).toBe(digest)
      expect(digest).not.toBe(policyRecordOf(defaults).digest)
      yield* memory.undo({ run: stage!.run })
      expect((yield* memory.list()).length).toBe(4)
    })
  )

  it.scoped("open no agent to find out whether anything is due", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      const names = ["ada", "bob", "cy", "dee", "eve"]
      yield* written(folder, names, 1)
      const first = yield* running(folder)
      yield* until(start + hour)
      yield* first.stop
      const { daybook } = yield* running(folder)
      yield* until(start + 6 * hour)
      expect(yield* daybook.awake).toBe(0)
      yield* until(start + day)
      expect(yield* daybook.awake).toBe(names.length)
    })
  )

  it.scoped("let later agents wait for the next time, and run with other handlers and notifications", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      const told: Array<string> = []
      const { daybook, maintenance } = yield* running(
        folder,
        {},
        {
          handlers: { tides: () => Effect.succeed("high") },
          notify: ({ summary }) => Effect.sync(() => void told.push(summary ?? ""))
        }
      )
      yield* settled
      const memory = yield* full(daybook, "new")
      yield* memory.remember({ title: "tea" })
      yield* memory.schedules.add({ goal: "Tell the tide", handler: "tides", at: start + 2 * hour })
      yield* maintenance.checkNow
      yield* settled
      expect(yield* schedulesOf(daybook, "new")).toMatchObject({ "daybook/daily": "2026-03-11T03:00:00.000Z" })
      expect(yield* memory.maintenance.list()).toEqual([])
      yield* until(start + 3 * hour)
      expect(told).toEqual(["high"])
      expect(yield* maintenance.running).toEqual([])
    })
  )

  it.scoped("stay deleted, and follow a changed policy", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      yield* written(folder, ["ada"], 1)
      const first = yield* running(folder)
      yield* settled
      const memory = yield* full(first.daybook, "ada")
      const [weekly] = yield* memory.schedules.list({ handlers: ["daybook/weekly"] })
      yield* memory.schedules.delete(weekly!.id)
      yield* first.stop
      const { daybook } = yield* running(folder, { maintenance: { daily: "05:15", gc: "06:00" } })
      yield* until(start + day)
      expect(yield* schedulesOf(daybook, "ada")).toEqual({
        "daybook/daily": "2026-03-12T05:15:00.000Z",
        "daybook/gc": "2026-03-12T06:00:00.000Z"
      })
    })
  )

  it.scoped("keep a time set by a caller, whatever the policy says", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      yield* written(folder, ["ada"], 1)
      const first = yield* running(folder)
      yield* settled
      const memory = yield* full(first.daybook, "ada")
      const [daily] = yield* memory.schedules.list({ handlers: ["daybook/daily"] })
      yield* memory.schedules.update(daily!.id, { cron: "20 1 * * *" })
      yield* until(start + day)
      expect(yield* schedulesOf(first.daybook, "ada")).toMatchObject({ "daybook/daily": "2026-03-12T01:20:00.000Z" })
      yield* first.stop
      const { daybook } = yield* running(folder, { maintenance: { daily: "05:15", gc: "06:00" } })
      yield* until(start + 2 * day)
      expect(yield* schedulesOf(daybook, "ada")).toMatchObject({
        "daybook/daily": "2026-03-13T01:20:00.000Z",
        "daybook/gc": "2026-03-13T06:00:00.000Z"
      })
    })
  )

  it.scoped("continue a stage that a run left unfinished, in the same job", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start - day)
      const folder = yield* temporaryFolder
      yield* written(folder, ["ada"], 60)
      yield* TestClock.setTime(start)
      const { daybook } = yield* running(folder, { maintenance: { rows: 25 } })
      for (let tries = 0; tries < 10; tries++) yield* settled
      const memory = yield* full(daybook, "ada")
      const { byTier } = yield* memory.maintenance.tiers()
      expect([byTier.daily!.memories, byTier.mid!.memories]).toEqual([0, 3])
      expect((yield* memory.maintenance.list()).filter(({ stage }) => stage === "daily").length).toBe(3)
    })
  )

  it.scoped("run each occurrence once in two processes; one takes over what the other left", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start - day)
      const folder = yield* temporaryFolder
      const names = Array.from({ length: 3 }, (_, at) => `agent-${at}`)
      yield* written(folder, names, 2)
      yield* TestClock.setTime(start)
      const one = yield* running(folder)
      const two = yield* running(folder)
      yield* until(start + day)
      yield* one.stop
      yield* until(start + 2 * day)
      const by = new Map<string, number>()
      for (const name of names) {
        const events = yield* eventsOf(two.daybook, name)
        expect(
          events
            .filter(({ type }) => type === "SCHEDULE")
            .flatMap(({ payload }) => (payload as { change: string }).change)
            .filter((change) => change === "created").length
        ).toBe(3)
        expect(events.filter(({ type }) => type === "COMPRESS").length).toBe(1)
        for (const event of events) {
          if (event.type !== "RUN" || event.payload.kind !== "schedule" || event.payload.phase !== "finished") continue
          expect(event.payload.status).toBe("ok")
          const key = `${name} ${event.payload.name} ${event.payload.occurrence}`
          by.set(key, (by.get(key) ?? 0) + 1)
        }
        const memory = yield* full(two.daybook, name)
        expect((yield* memory.list()).map(({ title }) => title)).toEqual(["Event notes of 2026-03-09"])
      }
      // At the start, and on two days: weekly is due on Monday.
      expect(by.size).toBe(names.length * (3 + 2 + 2))
      expect(new Set(by.values())).toEqual(new Set([1]))
      expect((yield* two.daybook.verify()).problems).toEqual([])
      expect((yield* two.daybook.runner.retime).mended).toEqual([])
    })
  )

  it.scoped("give a slow summarizer an hour, more than other handlers, and lose none of its texts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start - day)
      const folder = yield* temporaryFolder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const memory = yield* full(yield* open(folder, { policy: policyOf(), vectorExtension: null }), "ada")
          for (let at = 0; at < 100; at++)
            yield* memory.sessions.append({ session: `s${at}`, role: "user", text: `Paint door ${at}` })
        })
      )
      yield* TestClock.setTime(start)
      let asked = 0
      const summarizer = Layer.succeed(Summarizer, {
        name: "slow",
        summarize: ({ sources }) =>
          Effect.gen(function* () {
            asked++
            yield* Effect.sleep("50 seconds")
            return { lines: [{ part: "request" as const, text: sources[0]!.text!, sources: [0] }] }
          })
      })
      const { daybook } = yield* running(folder, { summarize: { concurrency: 1 } }, {}, summarizer)
      const memory = yield* full(daybook, "ada")
      const daily = Effect.gen(function* () {
        const [of] = yield* memory.schedules.list({ handlers: ["daybook/daily"] })
        return of === undefined ? [] : yield* memory.schedules.runs(of.id)
      })
      while ((yield* daily)[0]?.status !== "ok") {
        yield* TestClock.adjust("10 seconds")
        yield* settled
      }
      expect(yield* TestClock.currentTimeMillis).toBeLessThan(start + hour)
      // Of 3,570 seconds 3,510 are such that an answer would still come in time.
      expect(yield* daily).toMatchObject([{ status: "ok", attempt: 1, counts: { summarized: asked } }])
      expect(asked).toBeGreaterThan(60)
      expect(asked).toBeLessThan(75)
      const made = (yield* eventsOf(daybook, "ada")).flatMap((one) => (one.type === "SUMMARIZE" ? [one.payload] : []))
      expect(made.map(({ decision }) => decision.by.kind)).toEqual(Array.from({ length: asked }, () => "model"))
    })
  )

  it.scoped("are never stopped after failures, and report them without the error's text", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      yield* written(folder, ["ada"], 1)
      const daybook = yield* open(folder, {
        policy: policyOf({ schedules: { failures: 2, retries: 0 } }),
        vectorExtension: null
      })
      const broken = { ...daybook, agent: () => Effect.die(new Error("the vault code is 4711")) } as never
      const { text } = yield* overheard(
        Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(
              Maintenance.layer({
                every: hour,
                handlers: { tides: () => Effect.void }
              }).pipe(Layer.provide(Layer.succeed(Daybook, broken)))
            )
            const memory = yield* full(daybook, "ada")
            yield* memory.schedules.add({ goal: "Tell the tide", handler: "tides", cron: "15 * * * *" })
            yield* until(start + 4 * day)
          })
        )
      )
      const memory = yield* full(daybook, "ada")
      const schedules = yield* memory.schedules.list({ statuses: ["active", "failed"] })
      expect(
        Object.fromEntries(schedules.map(({ failures, handler, status }) => [handler, [status, failures]]))
      ).toEqual({
        "daybook/daily": ["active", 5],
        "daybook/gc": ["active", 5],
        "daybook/weekly": ["active", 1],
        tides: ["failed", 2]
      })
      expect(text).toContain("a run failed")
      expect(text).toContain("ada")
      expect(text).not.toContain("4711")
    })
  )
})
