import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
// Loaded by the engine when they are first needed, which no test clock waits for.
import "../src/maintenance/maintain.js"
import "../src/schedules/ensure.js"
import "../src/schedules/runCommands.js"
import * as Background from "../layers/background.js"
import { makeHealth } from "../layers/http/health.js"
import { projections } from "../projections/all.js"
import type { Projection } from "../projections/Projection.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { type EngineOptions, open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { gatedLog } from "./support/gatedLog.js"
import { quiet } from "./support/quiet.js"

const hour = 3_600_000
const settled = Effect.forEach(
  Array.from({ length: 30 }),
  () => Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
  { discard: true }
).pipe(Effect.zipRight(quiet))

const options: EngineOptions = {
  extractor: tinyLayer,
  vectorExtension: null,
  policy: { capture: { mode: "buffer", quiet: 5 }, schedules: { poll: hour }, actors: { idle: 1_000 * hour } }
}

const policyOf = (enabled: { readonly capture: boolean; readonly retention: boolean }) => ({
  capture: { ...defaults.capture, enabled: enabled.capture },
  retention: { ...defaults.retention, enabled: enabled.retention }
})

describe("background work", () => {
  it.scoped("extracts turns of an earlier process at the start, and later ones when their time comes", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const turn = (session: string, text: string) => ({ session, text, role: "user" as const })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const memory = yield* (yield* open(folder, options)).agent("coop", { trust: "full" })
          yield* memory.sessions.append(turn("a", "I like tea."))
        })
      )
      yield* TestClock.adjust("10 minutes")
      const daybook = yield* open(folder, options)
      const memory = yield* daybook.agent("coop", { trust: "full" })
      const titles = Effect.map(memory.list({ types: ["preference"] }), (rows) => rows.map(({ title }) => title))
      yield* Background.make({ policy: policyOf({ capture: true, retention: false }) }).pipe(
        Effect.provideService(Daybook, daybook)
      )
      yield* settled
      expect(yield* titles).toEqual(["The user likes tea"])
      // Another process adds a turn, and ends: nothing in this one waits for it.
      yield* Effect.scoped(
        Effect.gen(function* () {
          const other = yield* (yield* open(folder, options)).agent("coop", { trust: "full" })
          yield* other.sessions.append(turn("b", "I like fog."))
        })
      )
      yield* TestClock.adjust("1 minute")
      yield* settled
      expect(yield* titles).toHaveLength(1)
      for (let minute = 0; minute < 6; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* settled
      }
      expect(yield* titles).toHaveLength(2)
    })
  )

  it.scoped("runs maintenance at the start only where the policy enables it", () =>
    Effect.gen(function* () {
      for (const retention of [false, true]) {
        const daybook = yield* open(yield* temporaryFolder, options)
        const memory = yield* daybook.agent("coop", { trust: "full" })
        yield* memory.remember({ title: "Deploys happen on Tuesdays" })
        const { loops } = yield* Background.make({ policy: policyOf({ capture: false, retention }) }).pipe(
          Effect.provideService(Daybook, daybook)
        )
        yield* settled
        expect(yield* memory.schedules.count()).toBe(retention ? 3 : 0)
        expect((yield* loops).map(({ name }) => name)).toEqual(retention ? ["maintenance"] : [])
      }
    })
  )
})

describe("health", () => {
  const report = (engine: EngineOptions, change: (daybook: typeof Daybook.Service) => typeof Daybook.Service) =>
    Effect.gen(function* () {
      const daybook = yield* open(yield* temporaryFolder, engine)
      const health = yield* makeHealth({ background: undefined }).pipe(Effect.provideService(Daybook, change(daybook)))
      return { daybook, health }
    })

  it.scoped("is down within ten seconds when the engine no longer answers, and ok again when it does", () =>
    Effect.gen(function* () {
      const gate = yield* Effect.makeLatch(true)
      const { health } = yield* report(options, (daybook) => ({
        ...daybook,
        health: Effect.zipRight(gate.await, daybook.health)
      }))
      yield* TestClock.adjust("3 seconds")
      expect(yield* health(false)).toMatchObject({ status: "ok", ready: true })
      yield* gate.close
      yield* TestClock.adjust("10 seconds")
      yield* settled
      expect(yield* health(false)).toMatchObject({ status: "down", ready: false, checks: { views: "stopped" } })
      yield* gate.open
      yield* TestClock.adjust("3 seconds")
      yield* settled
      expect(yield* health(false)).toMatchObject({ status: "ok", ready: true })
      expect(yield* health(true)).toMatchObject({ status: "down", ready: false })
    })
  )

  it.scoped("is degraded while commands or views do not move, and down without a log", () =>
    Effect.gen(function* () {
      let state: Partial<{ parked: number; lagging: number; commandMillis: number }> | undefined = {}
      const { health } = yield* report(options, (daybook) => ({
        ...daybook,
        health: Effect.suspend(() =>
          state === undefined
            ? Effect.die("no log")
            : Effect.succeed({ parked: 0, lagging: 0, commandMillis: 0, ...state })
        )
      }))
      const reportOf = (next: typeof state) =>
        Effect.gen(function* () {
          state = next
          yield* TestClock.adjust("3 seconds")
          yield* settled
          return yield* health(false)
        })
      expect(yield* reportOf({ parked: 1 })).toMatchObject({ status: "degraded", checks: { views: "stopped" } })
      expect(yield* reportOf({ lagging: 1 })).toMatchObject({ status: "degraded", checks: { views: "slow" } })
      expect(yield* reportOf({ commandMillis: 60_000 })).toMatchObject({
        status: "degraded",
        checks: { commands: "slow" }
      })
      expect(yield* reportOf(undefined)).toMatchObject({ status: "down", checks: { log: "stopped" } })
      expect(yield* reportOf({})).toMatchObject({ status: "ok" })
    })
  )

  it.scopedLive("of the engine sees a command that does not end, and keeps no agent awake", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { gate, layer, reached } = yield* gatedLog(folder)
      const daybook = yield* open(folder, { log: layer, policy: { actors: { idle: 200 } } })
      const memory = yield* daybook.agent("coop", { trust: "full" })
      yield* memory.remember({ title: "apple" })
      yield* daybook.backfill("coop")
      expect(yield* daybook.health).toEqual({ parked: 0, lagging: 0, commandMillis: 0 })
      yield* gate.close
      yield* reached.close
      const writing = yield* Effect.fork(memory.remember({ title: "banana" }))
      yield* reached.await
      yield* Effect.sleep(20)
      expect((yield* daybook.health).commandMillis).toBeGreaterThanOrEqual(15)
      yield* gate.open
      yield* Fiber.join(writing)
      yield* daybook.backfill("coop")
      expect((yield* daybook.health).commandMillis).toBe(0)
      while ((yield* daybook.awake) > 0) yield* Effect.zipRight(daybook.health, Effect.sleep(20))
    })
  )

  it.scopedLive("of the engine sees a projection that stopped at an event", () =>
    Effect.gen(function* () {
      const stopping: Projection = {
        name: "stopping",
        version: 1,
        handles: ["ADD"],
        tables: "CREATE TABLE stopping (n INTEGER);",
        indexes: "",
        drop: () => "DROP TABLE stopping",
        apply: () => {
          throw new TypeError("cannot")
        },
        digest: () => {},
        stateDigest: () => {}
      }
      const daybook = yield* open(yield* temporaryFolder, { projections: [...projections, stopping] })
      const memory = yield* daybook.agent("coop", { trust: "full" })
      yield* memory.remember({ title: "apple" })
      expect(yield* daybook.health).toMatchObject({ parked: 1, lagging: 0 })
    })
  )
})
