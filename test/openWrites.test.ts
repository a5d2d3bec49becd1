import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { openDatabase } from "../events/driver.js"
import { projections } from "../projections/all.js"
import type { Projection } from "../projections/Projection.js"
import * as Generations from "../projections/view/generations.js"
import { type EngineOptions, open, temporaryFolder } from "./support/engine.js"
import { gatedLog } from "./support/gatedLog.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const agent = "ada"

/** An engine, its view as another process sees it, and a gate before or after the log. */
const prepared = (options: EngineOptions = {}, after = false) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { gate, layer, reached } = yield* gatedLog(folder, after)
    const daybook = yield* open(folder, { ...options, log: layer })
    yield* Effect.addFinalizer(() => gate.open)
    const memory = yield* daybook.agent(agent, { trust: "full" })
    yield* memory.remember({ title: "the first" })
    const titles = Effect.map(memory.list(), (rows) => rows.map(({ title }) => title).sort())
    yield* titles
    const outside = yield* Effect.acquireRelease(
      Effect.sync(() => openDatabase(Generations.make(join(folder, "views"), agent).current()!)),
      (db) => Effect.sync(() => db.close())
    )
    const position = () => outside.prepare("SELECT position FROM view").pluck().get() as number
    return { daybook, folder, gate, memory, outside, position, reached, titles }
  })

/** The position of a view that no engine has open. */
const positionIn = (folder: string) => {
  const db = openDatabase(Generations.make(join(folder, "views"), agent).current()!)
  const position = db.prepare("SELECT position FROM view").pluck().get()
  db.close()
  return position
}

const shortly = Effect.sleep("200 millis")

describe("writes one after another", () => {
  it.scopedLive("share a commit of the view, which follows soon, and every read finds them", () =>
    Effect.gen(function* () {
      const { daybook, memory, position, titles } = yield* prepared()
      const behind: Array<boolean> = []
      for (let count = 2; count <= 40; count++) {
        yield* memory.remember({ title: `fact ${count}` })
        behind.push(position() < count)
        if (count % 10 === 0) expect(yield* titles).toHaveLength(count)
      }
      expect(behind).toContain(true)
      yield* shortly
      expect(position()).toBeGreaterThanOrEqual(40)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scopedLive("are committed when the agent closes", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const written = Effect.gen(function* () {
        const memory = yield* (yield* open(folder)).agent(agent, { trust: "full" })
        yield* Effect.forEach([1, 2, 3], (index) => memory.remember({ title: `fact ${index}` }))
      })
      yield* Effect.scoped(written)
      expect(positionIn(folder)).toBeGreaterThanOrEqual(3)
    })
  )

  it.scopedLive("do not delay a read: it finds what was acknowledged, while the log stores the next", () =>
    Effect.gen(function* () {
      const { gate, memory, reached, titles } = yield* prepared()
      yield* memory.remember({ title: "the second" })
      yield* gate.close
      yield* reached.close
      const third = yield* Effect.fork(memory.remember({ title: "the third" }))
      yield* reached.await
      expect(yield* titles).toEqual(["the first", "the second"])
      yield* gate.open
      yield* Fiber.join(third)
      expect(yield* titles).toEqual(["the first", "the second", "the third"])
    })
  )

  it.scopedLive("let another engine write in between, and see what it wrote", () =>
    Effect.gen(function* () {
      const { daybook, folder, gate, memory, reached, titles } = yield* prepared()
      const other = yield* (yield* open(folder)).agent(agent, { trust: "full" })
      yield* memory.remember({ title: "the second" })
      yield* gate.close
      yield* reached.close
      const mine = yield* Effect.fork(memory.remember({ title: "mine" }))
      yield* reached.await
      // The transaction of the second is still open; a timer commits it. Then the other engine's event comes first.
      yield* other.remember({ title: "of the other" })
      yield* gate.open
      yield* Fiber.join(mine)
      const all = ["mine", "of the other", "the first", "the second"]
      expect(yield* titles).toEqual(all)
      for (const title of ["more of mine", "more of the other"])
        yield* (title.endsWith("mine") ? memory : other).remember({ title })
      expect((yield* other.list()).map(({ title }) => title).sort()).toEqual(
        [...all, "more of mine", "more of the other"].sort()
      )
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scopedLive("are applied once, if another engine applies them before the one that wrote them", () =>
    Effect.gen(function* () {
      const { daybook, folder, gate, memory, reached } = yield* prepared({}, true)
      const other = yield* (yield* open(folder)).agent(agent, { trust: "full" })
      yield* memory.remember({ title: "the second" })
      yield* shortly
      yield* gate.close
      yield* reached.close
      const repeat = yield* Effect.fork(memory.remember({ title: "the second" }))
      yield* reached.await
      expect((yield* other.list())[0]).toMatchObject({ title: "the second", mentions: 2 })
      yield* gate.open
      yield* Fiber.join(repeat)
      expect((yield* memory.list())[0]).toMatchObject({ title: "the second", mentions: 2 })
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scopedLive("are found after a rollback, when a projection cannot apply one of them", () =>
    Effect.gen(function* () {
      const failing = projections.map((projection): Projection => {
        if (projection.name !== "people") return projection
        const apply: Projection["apply"] = (db, event, lookup) => {
          if (event.type === "ADD" && event.payload.memory.title === "poison") throw new TypeError("poison")
          projection.apply(db, event, lookup)
        }
        return { ...projection, apply }
      })
      const { daybook, memory, titles } = yield* prepared({ projections: failing })
      yield* memory.remember({ title: "before" })
      yield* memory.remember({ title: "poison" })
      yield* memory.remember({ title: "after" })
      expect(yield* titles).toEqual(["after", "before", "poison", "the first"])
      expect((yield* daybook.stats(agent)).view.parked).toMatchObject([{ projection: "people", position: 2 }])
      expect((yield* daybook.verify(agent)).problems).toEqual([])
    })
  )

  it.scopedLive("stay readable if the view cannot be committed", () =>
    Effect.gen(function* () {
      const { memory, outside, titles } = yield* prepared()
      yield* memory.remember({ title: "the second" })
      yield* shortly
      outside.exec("BEGIN IMMEDIATE")
      // The log has it; the view cannot take it, because another connection has the lock.
      yield* memory.remember({ title: "the third" })
      const read = yield* Effect.fork(titles)
      yield* shortly
      outside.exec("ROLLBACK")
      expect(yield* Fiber.join(read)).toEqual(["the first", "the second", "the third"])
    })
  )
})
