import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Scheduler from "../layers/Scheduler.js"
import { projections as all } from "../projections/all.js"
import type { Projection } from "../projections/Projection.js"
import { schedules } from "../projections/schedules.js"
import { Daybook } from "../src/Daybook.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"

const start = Date.parse("2026-03-14T06:00:00Z")
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const agent = "ada"
const schedule = { goal: "Tell the tide", handler: "tides", every: hour }

/** A system with a runner that ends when it is told to, or with the test. */
const running = (
  options: Scheduler.SchedulerOptions,
  policy: Record<string, unknown> = {},
  before: (daybook: Context.Tag.Service<Daybook>) => Effect.Effect<unknown, unknown> = () => Effect.void
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook } = yield* fresh({
      policy: { actors: { idle: 365 * 24 * hour }, schedules: { poll: minute, ...policy } }
    })
    yield* before(daybook)
    const scope = yield* Effect.acquireRelease(Scope.make(), (one) =>
      Effect.gen(function* () {
        const closing = yield* Effect.fork(Scope.close(one, Exit.void))
        yield* pass(minute)
        yield* Fiber.join(closing)
      })
    )
    const context = yield* Layer.buildWithScope(
      Scheduler.layer(options).pipe(Layer.provide(Layer.succeed(Daybook, daybook))),
      scope
    )
    return {
      daybook,
      memory: yield* daybook.agent(agent, { trust: "full" }),
      scheduler: Context.get(context, Scheduler.Scheduler),
      stop: Scope.close(scope, Exit.void)
    }
  })

/** Lets everybody who can go on go on: nothing here waits for anything but the test clock. */
const settled = Effect.forEach(
  Array.from({ length: 50 }),
  () => Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
  { discard: true }
)

/** Lets time pass, a step at a time, as whoever sleeps begins to only once they had their turn. */
const pass = (millis: number, step = millis) =>
  Effect.forEach(Array.from({ length: Math.ceil(millis / step) }), () =>
    Effect.zipRight(settled, Effect.zipRight(TestClock.adjust(step), settled))
  )

describe("the runner of schedules", () => {
  it.scoped("runs due schedules, gives a handler everything it needs, and sends notifications", () =>
    Effect.gen(function* () {
      const jobs: Array<Scheduler.Job> = []
      const told: Array<Scheduler.Notification> = []
      const { memory } = yield* running({
        handlers: {
          tides: (job) =>
            Effect.gen(function* () {
              jobs.push(job)
              const title = `High tide ${new Date(job.occurrence).toISOString()}`
              yield* job.memory.remember({ title }, { run: job.run, commandId: job.key })
              return { output: `${title}, and so on`, counts: { turns: 2, notified: 9, cost: 0.25, none: Number.NaN } }
            })
        },
        notify: (one) => Effect.sync(() => void told.push(one))
      })
      const { id } = yield* memory.schedules.add({ ...schedule, name: "Tides" })
      yield* memory.schedules.add({ ...schedule, handler: "kettle" })
      yield* pass(3 * hour, 10 * minute)
      expect(jobs.map(({ attempt, occurrence }) => [occurrence, attempt])).toEqual([
        [start + hour, 1],
        [start + 2 * hour, 1],
        [start + 3 * hour, 1]
      ])
      expect(jobs[0]).toMatchObject({
        agent,
        key: `${id}@${start + hour}`,
        schedule: { id, name: "Tides", goal: "Tell the tide" }
      })
      const runs = yield* memory.schedules.runs(id)
      expect(runs).toHaveLength(3)
      const title = "High tide 2026-03-14T07:00:00.000Z"
      expect(runs[2]).toMatchObject({
        run: jobs[0]!.run,
        status: "ok",
        counts: { turns: 2, cost: 0.25 },
        summary: `${title}, and so on`,
        notified: true
      })
      expect(told.map(({ occurrence, definition: of, run, status }) => [run, of.id, occurrence, status])).toEqual(
        jobs.map(({ occurrence, run }) => [run, id, occurrence, "ok"])
      )
      const history = yield* memory.history((yield* memory.search({ text: title, limit: 1 }))[0]!.id)
      expect(history).toMatchObject([{ actor: `schedule ${id}` }])
      expect((yield* memory.undo({ run: jobs[0]!.run }, { dryRun: true })).undone).toHaveLength(1)
    })
  )

  it.scoped("catches up at the start, once per schedule, across a clock change", () =>
    Effect.gen(function* () {
      const done: Array<string> = []
      const { memory } = yield* running(
        { handlers: { tides: (job) => Effect.sync(() => void done.push(`${job.schedule.name} ${job.occurrence}`)) } },
        {},
        (daybook) =>
          Effect.gen(function* () {
            const memory = yield* daybook.agent(agent, { trust: "full" })
            yield* memory.schedules.add({ ...schedule, name: "hourly" })
            yield* memory.schedules.add({
              goal: "x",
              name: "daily",
              handler: "tides",
              cron: "30 2 * * *",
              zone: "Europe/Berlin"
            })
            yield* TestClock.setTime(Date.parse("2026-03-28T12:00:00Z"))
          })
      )
      yield* settled
      expect(done.sort()).toEqual([`daily ${Date.parse("2026-03-15T01:30:00Z")}`, `hourly ${start + hour}`])
      const [daily] = yield* memory.schedules.list({ text: "daily" })
      // 02:30 is left out that night: an hour later, by the clocks, it is as long after midnight.
      expect(daily!.nextRunAt).toBe(Date.parse("2026-03-29T01:30:00Z"))
    })
  )

  it.scoped("retries with growing pauses, each attempt under a lease, then records a failure", () =>
    Effect.gen(function* () {
      const tried: Array<number> = []
      const told: Array<Scheduler.Notification> = []
      const { memory } = yield* running(
        {
          handlers: {
            tides: {
              retries: 3,
              run: ({ attempt }) =>
                Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<never, unknown> => {
                  tried.push(now - start - hour)
                  if (attempt === 2) return Effect.die(new TypeError("no tide table"))
                  return attempt === 3 ? Effect.fail({ _tag: "TideError" }) : Effect.fail("the office is closed")
                })
            }
          },
          notify: (one) =>
            Effect.zipRight(
              Effect.sync(() => void told.push(one)),
              Effect.fail("nobody there")
            )
        },
        { backoff: 2 * second, backoffMost: 5 * second }
      )
      const { id } = yield* memory.schedules.add({ ...schedule, notify: "on-failure" })
      yield* pass(hour)
      yield* pass(20 * second, second)
      expect(tried).toEqual([0, 2 * second, 6 * second, 11 * second])
      expect(yield* memory.schedules.runs(id)).toMatchObject([
        { status: "failed", attempt: 4, error: "the office is closed", notified: true, dueAt: start + hour }
      ])
      expect(told).toMatchObject([{ status: "failed", state: { failures: 1, next: start + 2 * hour } }])
      expect(yield* memory.schedules.get(id)).toMatchObject({ failures: 1, lastStatus: "failed", running: null })
    })
  )

  it.scoped("abandons a handler that hangs, even if it cannot be stopped", () =>
    Effect.gen(function* () {
      const others: Array<number> = []
      const { memory } = yield* running({
        handlers: {
          tides: { timeout: minute, retries: 0, run: () => Effect.uninterruptible(Effect.never) },
          kettle: ({ occurrence }) => Effect.sync(() => void others.push(occurrence))
        }
      })
      const { id } = yield* memory.schedules.add(schedule)
      yield* memory.schedules.add({ ...schedule, handler: "kettle" })
      yield* pass(hour)
      yield* pass(2 * minute, 10 * second)
      expect(others).toEqual([start + hour])
      expect(yield* memory.schedules.runs(id)).toMatchObject([
        { status: "timeout", error: "the handler took longer than 60000 ms", duration: minute }
      ])
    })
  )

  it.scoped("limits concurrent runs, and no agent blocks the others", () =>
    Effect.gen(function* () {
      let most = 0
      let now = 0
      const done: Array<string> = []
      const { daybook, memory, scheduler } = yield* running(
        {
          handlers: {
            tides: (job) =>
              Effect.acquireUseRelease(
                Effect.sync(() => {
                  most = Math.max(most, ++now)
                }),
                () =>
                  Effect.zipRight(
                    Effect.sleep(10 * second),
                    Effect.sync(() => void done.push(job.agent))
                  ),
                () => Effect.sync(() => now--)
              )
          }
        },
        { concurrency: 4 }
      )
      for (let count = 0; count < 8; count++) yield* memory.schedules.add(schedule)
      yield* (yield* daybook.agent("bob", { trust: "full" })).schedules.add({ ...schedule, every: hour + 1 })
      yield* pass(hour)
      yield* pass(second)
      expect((yield* scheduler.running).map(({ agent }) => agent)).toEqual(["ada", "ada", "ada", "ada"])
      yield* pass(40 * second, second)
      // The last of ada's waits longer, although it was due before.
      expect([most, done.length, done[8]]).toEqual([4, 9, "ada"])
    })
  )

  it.scoped("stops cleanly: finished runs are recorded, unfinished ones are released at once", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const { memory, stop } = yield* running(
        {
          handlers: {
            tides: () => Effect.as(Effect.sleep(3 * second), "high"),
            kettle: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
          }
        },
        { drain: 5 * second }
      )
      const { id: short } = yield* memory.schedules.add(schedule)
      const { id: long } = yield* memory.schedules.add({ ...schedule, handler: "kettle" })
      yield* pass(hour)
      const stopping = yield* Effect.fork(stop)
      yield* pass(5 * second, second)
      yield* Deferred.await(stopped)
      yield* stopping
      expect(yield* memory.schedules.runs(short)).toMatchObject([{ status: "ok", summary: "high" }])
      expect(yield* memory.schedules.runs(long)).toMatchObject([{ status: "abandoned" }])
      expect(yield* memory.schedules.get(long)).toMatchObject({ running: null, nextRunAt: start + hour, failures: 0 })
      yield* pass(2 * hour, hour)
      expect(yield* memory.schedules.runs(short)).toHaveLength(1)
    })
  )

  it.scoped(
    "abandons a notification that gets no answer: neither other runs nor the end of the program wait for it",
    () =>
      Effect.gen(function* () {
        const told: Array<number> = []
        const { memory, stop } = yield* running(
          {
            handlers: { tides: () => Effect.succeed("high") },
            notify: ({ occurrence }) =>
              Effect.suspend(() => {
                told.push(occurrence)
                return occurrence === start + hour ? Effect.never : Effect.uninterruptible(Effect.never)
              })
          },
          { concurrency: 1, drain: 5 * second }
        )
        yield* memory.schedules.add(schedule)
        yield* memory.schedules.add({ ...schedule, every: hour + second })
        yield* pass(hour)
        yield* pass(40 * second, 5 * second)
        expect(told).toEqual([start + hour, start + hour + second])
        const stopping = yield* Effect.fork(stop)
        yield* pass(6 * second, second)
        expect(yield* Fiber.poll(stopping)).toMatchObject({ _tag: "Some" })
      })
  )

  it.scoped("does not release a run whose handler continues: nobody starts it before its lease expires", () =>
    Effect.gen(function* () {
      const ends = yield* Deferred.make<void>()
      const { daybook, memory, stop } = yield* running(
        {
          handlers: {
            tides: { timeout: minute, run: () => Effect.uninterruptible(Deferred.await(ends)) },
            // Comes to its end half a second after it is told to stop, in its second attempt.
            kettle: {
              timeout: minute,
              run: ({ attempt }) =>
                attempt === 1 ? Effect.fail("cold") : Effect.onInterrupt(Effect.never, () => Effect.sleep(500))
            }
          }
        },
        { drain: 5 * second, grace: second, backoff: second }
      )
      const { id } = yield* memory.schedules.add(schedule)
      const { id: slow } = yield* memory.schedules.add({ ...schedule, handler: "kettle" })
      yield* pass(hour)
      yield* pass(2 * second, second)
      const stopping = yield* Effect.fork(stop)
      yield* pass(7 * second, 500)
      expect(yield* Fiber.poll(stopping)).toMatchObject({ _tag: "Some" })
      expect(yield* memory.schedules.runs(slow)).toMatchObject([{ status: "abandoned", attempt: 2 }])
      expect(yield* memory.schedules.runs(id)).toMatchObject([{ status: "running" }])
      const tides = new Map([["tides", minute]])
      expect((yield* daybook.runner.claim(agent, tides, 10)).claimed).toEqual([])
      yield* pass(minute)
      expect((yield* daybook.runner.claim(agent, tides, 10)).claimed).toMatchObject([{ schedule: id, attempt: 2 }])
      yield* Deferred.succeed(ends, undefined)
    })
  )

  it.scoped("skips agents whose due schedules belong to other handlers", () =>
    Effect.gen(function* () {
      const done: Array<string> = []
      let claims = 0
      const { memory } = yield* Effect.gen(function* () {
        return yield* running(
          {
            handlers: { tides: (job) => Effect.sync(() => void done.push(job.schedule.goal)) }
          },
          { poll: second },
          (daybook) =>
            Effect.gen(function* () {
              const { claim } = daybook.runner
              Object.assign(daybook.runner, {
                claim: (...asked: Parameters<typeof claim>) => {
                  claims++
                  return claim(...asked)
                }
              })
              const memory = yield* daybook.agent(agent, { trust: "full" })
              yield* memory.schedules.add({ goal: "tea", handler: "kettle", at: start + second })
            })
        )
      })
      yield* pass(2 * minute, second)
      // Longer and longer, up to five minutes.
      expect(claims).toBeGreaterThan(2)
      expect(claims).toBeLessThan(6)
      yield* pass(18 * minute, 30 * second)
      expect(claims).toBeLessThan(12)
      // Whoever writes is looked at again soon.
      const { nextRunAt } = yield* memory.schedules.add({ ...schedule, every: minute })
      yield* pass(70 * second, second)
      expect(nextRunAt).toBe(start + 21 * minute)
      expect(done).toEqual(["Tell the tide"])
    })
  )

  it.scoped("continues with other agents if one cannot be read, and retries it later", () =>
    Effect.gen(function* () {
      const done: Array<string> = []
      const warned: Array<unknown> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void warned.push(message))
      )
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const folder = yield* temporaryFolder
        let poisonous = true
        const sick: Projection = {
          ...schedules,
          apply: (db, event, lookup) => {
            if (poisonous && event.type === "SCHEDULE" && event.payload.state?.next === start + hour)
              throw new TypeError()
            schedules.apply(db, event, lookup)
          }
        }
        const policy = { actors: { idle: 365 * 24 * hour }, schedules: { poll: minute } }
        yield* Effect.scoped(
          Effect.gen(function* () {
            const daybook = yield* open(folder, { policy })
            for (const name of ["ada", "bob", "cy"]) {
              const memory = yield* daybook.agent(name, { trust: "full" })
              // The sick one is the first that is due.
              yield* memory.schedules.add({ ...schedule, every: name === "bob" ? hour : hour + minute })
            }
          })
        )
        rmSync(join(folder, "views"), { recursive: true })
        const projections = all.map((one) => (one.name === "schedules" ? sick : one))
        const daybook = yield* open(folder, { policy, projections })
        yield* Layer.build(
          Scheduler.layer({ handlers: { tides: (job) => Effect.sync(() => void done.push(job.agent)) } }).pipe(
            Layer.provide(Layer.succeed(Daybook, daybook))
          )
        )
        yield* pass(hour)
        yield* pass(2 * minute, minute)
        expect(done.toSorted()).toEqual(["ada", "cy"])
        expect(warned).toContainEqual([
          "cannot check the schedules of an agent",
          { agent: "bob", failure: "ProjectionParked" }
        ])
        poisonous = false
        yield* daybook.rebuild("bob")
        yield* pass(12 * minute, 4 * minute)
        expect(done.toSorted()).toEqual(["ada", "bob", "cy"])
      }).pipe(Effect.provide(logger))
    })
  )
})
