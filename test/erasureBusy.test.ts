import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { EventLog, type NewEvent } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { withRebuildLease } from "../projections/view/rebuildLease.js"
import { open, temporaryFolder } from "./support/engine.js"

const agent = "ada"
const person = "Zoltan Quux"
const event: NewEvent = { type: "IMPORT", schema: 1, payload: "{}" }

const logOf = (folder: string) => Effect.map(Layer.build(EventLogSqlite.layer(folder)), Context.get(EventLog))

const append = (log: Context.Tag.Service<EventLog>) =>
  log.append({ stream: "bob", expected: "any", now: Date.now(), commands: [{ actor: "test", events: [event] }] })

/** A log to which another process writes, before each erasure that was planned while writers could go on. */
const written = (folder: string, write: Effect.Effect<unknown>) => {
  const state = { isPaused: false, erasures: 0 }
  const layer = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) =>
      EventLog.of({
        ...log,
        pauseWrites: (work) =>
          Effect.tap(log.pauseWrites(work), () => {
            state.isPaused = true
          }),
        erase: (request) =>
          Effect.suspend(() => {
            state.erasures++
            return state.isPaused ? log.erase(request) : Effect.zipRight(write, log.erase(request))
          })
      })
    )
  ).pipe(Layer.provide(EventLogSqlite.layer(folder)))
  return { layer, state }
}

describe("an erasure beside busy writers", () => {
  it.scopedLive("is planned while they wait, after they put some plans out of date", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const other = yield* open(folder)
      const memory = yield* other.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "The kettle is green" })
      const write = Effect.orDie(memory.remember({ title: `${person} lives in Perth` }))
      yield* write
      const { layer, state } = written(folder, write)
      const daybook = yield* open(folder, { log: layer })
      yield* daybook.erase({ person }, { reason: "privacy" })
      expect(state).toEqual({ isPaused: true, erasures: 4 })
      expect((yield* memory.list()).map(({ title }) => title)).toEqual(["The kettle is green"])
    })
  )

  it.scopedLive("waits while the view is built again after an earlier erasure", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const daybook = yield* open(folder)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: `${person} lives in Perth` })
      const [began, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const lease = { folder, agent, built: "live" } as const
      const building = yield* Effect.fork(
        withRebuildLease(lease, Effect.zipRight(Deferred.succeed(began, undefined), Deferred.await(end)))
      )
      yield* Deferred.await(began)
      // A dry run does not wait.
      expect((yield* daybook.erase({ person }, { dryRun: true })).agents).toHaveLength(1)
      const erasing = yield* Effect.fork(daybook.erase({ person }))
      yield* Effect.sleep("200 millis")
      expect(yield* memory.list()).toHaveLength(1)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(building)
      yield* Fiber.join(erasing)
      expect(yield* memory.list()).toEqual([])
    })
  )
})

describe("work for which writers wait", () => {
  it.scopedLive("ends before the next event is stored, by this process or another", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [log, other] = [yield* logOf(folder), yield* logOf(folder)]
      yield* append(log)
      const [began, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const order: Array<string> = []
      const working = yield* Effect.fork(
        log.pauseWrites(
          Effect.gen(function* () {
            yield* Deferred.succeed(began, undefined)
            yield* Deferred.await(end)
            expect((yield* log.head("bob")).version).toBe(1)
            order.push("work")
          })
        )
      )
      yield* Deferred.await(began)
      const writing = yield* Effect.fork(
        Effect.forEach([log, other], (log) => Effect.tap(append(log), () => order.push("event")), { concurrency: 2 })
      )
      yield* Effect.sleep("100 millis")
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(working)
      yield* Fiber.join(writing)
      expect(order).toEqual(["work", "event", "event"])
      expect((yield* log.head("bob")).version).toBe(3)
    })
  )

  it.scopedLive("holds them for five seconds at most", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [log, other] = [yield* logOf(folder), yield* logOf(folder)]
      yield* append(log)
      yield* log.pauseWrites(append(other))
      expect((yield* log.head("bob")).version).toBe(2)
    })
  )
})
