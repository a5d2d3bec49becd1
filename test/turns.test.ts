import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { EventLog, type NewEvent } from "../events/EventLog.js"
import { isYieldDue, itemsPerCheck, runInTurns, type Steps, turnMillis, yieldIfDue } from "../events/turns.js"
import * as ViewFile from "../projections/view/ViewFile.js"
import { Views } from "../projections/view/Views.js"
import type { Memory } from "../src/Memory.js"
import { foundation, fresh, open, temporaryFolder } from "./support/engine.js"
import { story, tellAtOnce } from "./support/events.js"
import { rounds } from "./support/size.js"

const agent = "ada"

afterEach(async () => {
  vi.restoreAllMocks()
  // A turn that began under the other clock ends with it.
  await new Promise((resolve) => setImmediate(resolve))
})

/** Lets this many milliseconds pass at each look at the clock, however long the work takes. */
const passAtEachLook = (millis: number) => {
  let now = performance.now()
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += millis
    return now
  })
}

/** Counts the turns of the event loop during some work. */
const turnsDuring = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let turns = 0
    let isRunning = true
    const tick = () => {
      turns++
      if (isRunning) setImmediate(tick)
    }
    setImmediate(tick)
    const answer = yield* work
    isRunning = false
    return { turns, answer }
  })

describe("a yield to the event loop", () => {
  it("is due after some milliseconds of work, and no longer due after the loop ran", async () => {
    const clock = vi.spyOn(performance, "now")
    await new Promise((resolve) => setImmediate(resolve))
    clock.mockReturnValue(1_000)
    expect(isYieldDue()).toBe(false)
    clock.mockReturnValue(1_000 + turnMillis - 1)
    expect(isYieldDue()).toBe(false)
    clock.mockReturnValue(1_000 + turnMillis)
    expect(isYieldDue()).toBe(true)
    let turned = false
    setTimeout(() => {
      turned = true
    })
    await Effect.runPromise(Effect.repeatN(Effect.delay(yieldIfDue, "1 millis"), 3))
    expect(turned).toBe(true)
    expect(isYieldDue()).toBe(false)
  })

  it("is where an interruption takes effect", async () => {
    passAtEachLook(turnMillis)
    const fiber = Effect.runFork(Effect.forever(yieldIfDue))
    await new Promise((resolve) => setTimeout(resolve, 5))
    const exit = await Effect.runPromise(Fiber.interrupt(fiber))
    expect(exit._tag).toBe("Failure")
  })
})

/** Each loop with the items that it works on. Every `itemsPerTurn` items leave time for a turn. */
const itemsPerTurn = 25
const size = rounds({ quick: 100, full: 3_000, ci: 500 })
const titles = Array.from({ length: size }, (_, at) => ({ title: `Harbour ${at} has ${at * 7} berths` }))

/** Calls a method as programs without Effect do: each call is a promise of its own. */
const eachAwaited = (calls: ReadonlyArray<Effect.Effect<unknown, unknown>>) =>
  Effect.promise(async () => {
    for (const call of calls) await Effect.runPromise(call)
  })

const markdown = (folder: string, files: number): string => {
  const notes = join(folder, "notes")
  mkdirSync(notes)
  for (let at = 0; at < files; at++) writeFileSync(join(notes, `${at}.md`), `- Note ${at}\n- Other note ${at}\n`)
  return notes
}

describe("other work runs during", () => {
  const writes: ReadonlyArray<readonly [string, (memory: Memory) => Effect.Effect<unknown, unknown>]> = [
    ["remember, one call after the other", (memory) => eachAwaited(titles.map((made) => memory.remember(made)))],
    ["rememberAll", (memory) => memory.rememberAll(titles.slice(0, 1_000))],
    [
      "appendAll",
      (memory) => memory.sessions.appendAll(titles.slice(0, 1_000).map(({ title: text }) => ({ session: "s", text })))
    ]
  ]
  for (const [name, write] of writes) {
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        const { daybook } = yield* fresh()
        const memory = yield* daybook.agent(agent, { trust: "full" })
        yield* memory.remember({ title: "first" })
        passAtEachLook(turnMillis / 4)
        const { turns } = yield* turnsDuring(write(memory))
        expect(turns).toBeGreaterThan(Math.min(size, 1_000) / itemsPerTurn)
        vi.restoreAllMocks()
        expect((yield* daybook.backfill(agent)).remaining).toBe(0)
        const live = (yield* daybook.digests(agent)).digest
        yield* daybook.rebuild(agent)
        expect((yield* daybook.digests(agent)).digest).toBe(live)
      })
    )
  }

  it.scopedLive("an import, a rebuild, a verification, what-if and maintenance", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const files = size / 2
      const notes = markdown(yield* temporaryFolder, files)
      passAtEachLook(turnMillis / 4)
      const expectTurns = (name: string, work: Effect.Effect<unknown, unknown>, items = size) =>
        Effect.map(turnsDuring(work), ({ turns }) => {
          expect(turns, name).toBeGreaterThan(items / itemsPerTurn)
        })
      let run = ""
      yield* expectTurns(
        "import",
        Effect.tap(memory.importMarkdown([notes]), (imported) => {
          run = imported.run!
        })
      )
      yield* expectTurns("rebuild", daybook.rebuild(agent))
      yield* expectTurns("rebuild of one projection", daybook.rebuild(agent, ["people"]))
      yield* expectTurns("verify", daybook.verify())
      yield* expectTurns("what-if", daybook.whatIf(agent))
      yield* expectTurns("digests", daybook.digests(agent))
      yield* expectTurns("maintain", memory.maintenance.run(), 0)
      yield* expectTurns("undo", memory.undo({ run }))
      vi.restoreAllMocks()
      expect(yield* memory.list({ limit: 1 })).toEqual([])
      expect((yield* daybook.verify()).ok).toBe(true)
    })
  )

  it.scopedLive("an append of many events; appends of others are stored after it", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(foundation(yield* temporaryFolder))
      const log = Context.get(context, EventLog)
      const count = 20 * itemsPerCheck
      const event: NewEvent = { type: "IMPORT", schema: 1, payload: "{}" }
      const append = (stream: string, events: ReadonlyArray<NewEvent>) =>
        log.append({ stream, expected: "none", now: Date.now(), commands: [{ actor: "test", events }] })
      yield* append("first", [event])
      passAtEachLook(turnMillis)
      const { answer, turns } = yield* turnsDuring(
        Effect.all([append(agent, Array(count).fill(event)), append("other", [event])], { concurrency: 2 })
      )
      vi.restoreAllMocks()
      expect(turns).toBeGreaterThanOrEqual(count / itemsPerCheck)
      expect(answer.map(([command]) => command!.events.length)).toEqual([count, 1])
      expect((yield* log.inspect({ stream: null })).problems).toEqual([])
    })
  )

  it.scopedLive("the catch-up of a view", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(foundation(yield* temporaryFolder))
      const [log, views] = [Context.get(context, EventLog), Context.get(context, Views)]
      const { add } = story()
      const events = titles.map(({ title }, at) => add(`gull${at}`, { title }))
      yield* tellAtOnce(log, agent, events.slice(0, 1))
      const view = yield* views.open(agent)
      yield* tellAtOnce(log, agent, events.slice(1))
      passAtEachLook(turnMillis / 4)
      const { turns } = yield* turnsDuring(views.catchUp(view))
      expect(turns).toBeGreaterThan(size / itemsPerTurn)
      expect(yield* views.read(view, (db) => ViewFile.checkpointOf(db).position)).toBe(size)
    })
  )
})

describe("an interruption", () => {
  it.live("of steps ends the query that they iterate over, so that its connection can write and close", () =>
    Effect.gen(function* () {
      const db = new Database(":memory:")
      db.exec("CREATE TABLE numbers AS SELECT value FROM json_each('[1, 2, 3]')")
      const steps = function* (): Steps<number> {
        let sum = 0
        for (const number of db.prepare("SELECT value FROM numbers").pluck().iterate() as Iterable<number>) {
          sum += number
          yield
        }
        return sum
      }
      expect(yield* runInTurns(steps(), Effect.sync)).toBe(6)
      const reading = yield* Effect.fork(runInTurns(steps(), Effect.sync))
      yield* Effect.yieldNow()
      expect(() => db.exec("DELETE FROM numbers")).toThrow("busy")
      yield* Fiber.interrupt(reading)
      db.exec("DELETE FROM numbers")
      db.close()
    })
  )

  it.scopedLive("of a bulk write keeps stored items, and writes no others", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const many = Array.from({ length: 600 }, (_, at) => ({ title: `Gull ${at}` }))
      passAtEachLook(turnMillis / 4)
      const writing = yield* Effect.fork(memory.rememberAll(many))
      const stored = Effect.map(memory.list({ limit: 1_000 }), (rows) => rows.length)
      while ((yield* stored) === 0) yield* Effect.sleep(0)
      yield* Fiber.interrupt(writing)
      vi.restoreAllMocks()
      const count = yield* stored
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThan(600)
      expect((yield* daybook.verify()).ok).toBe(true)
      yield* memory.rememberAll(many)
      expect(yield* stored).toBe(600)
    })
  )

  it.scopedLive("of a rebuild leaves the view in use, and no unfinished file", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.rememberAll(titles.slice(0, 1_000))
      // Otherwise the background may add vectors during the rebuild.
      yield* daybook.backfill(agent)
      const before = yield* daybook.digests(agent)
      const started = yield* Deferred.make<void>()
      const rebuilding = yield* Effect.fork(
        daybook.rebuild(agent, undefined, () => Deferred.unsafeDone(started, Effect.void))
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(rebuilding)
      expect(yield* daybook.digests(agent)).toEqual(before)
    })
  )

  it.scopedLive("of a caller that wakes an agent ends the waking, and the next caller wakes it again", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      yield* (yield* daybook.agent(agent, { trust: "full" })).rememberAll(titles.slice(0, 1_000))
      const again = yield* open(folder)
      const views = join(folder, "views", agent)
      rmSync(views, { recursive: true })
      const list = Effect.flatMap(again.agent(agent, { trust: "full" }), ({ list }) => list({ limit: 1_000 }))
      passAtEachLook(turnMillis)
      const callers = yield* Effect.forEach([1, 2, 3], () => Effect.fork(list))
      while (!existsSync(views) || readdirSync(views).length === 0) yield* Effect.sleep(0)
      yield* Fiber.interrupt(callers[0]!)
      expect(yield* again.awake).toBe(1)
      yield* Fiber.interruptAll(callers)
      expect(yield* again.awake).toBe(0)
      expect(readdirSync(views)).toEqual([])
      vi.restoreAllMocks()
      expect(yield* list).toHaveLength(Math.min(size, 1_000))
    })
  )
})
