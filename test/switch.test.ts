import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Daybook } from "../src/Daybook.js"
import { known, scripted } from "./support/embedders.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const policy = { embedding: { gather: 0, timeout: 5_000 } }
const titles = Array.from(
  { length: 40 },
  (_, at) => `the pilot of harbour ${at} keeps ${["tea", "rope", "maps"][at % 3]}`
)

const filled = (daybook: System) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: true })
    yield* memory.rememberAll(
      titles.map((title, at) => ({ title, store: at % 2 === 0 ? "private" : "social" }) as const)
    )
    yield* memory.addTurn({ session: "monday", role: "user", text: "Where does the pilot keep the rope?" })
    yield* daybook.backfill(agent)
    return memory
  })

const searched = (daybook: System, asOf?: number) =>
  Effect.gen(function* () {
    const reader = yield* asOf === undefined
      ? daybook.agent(agent, { trust: "full" })
      : daybook.agent(agent, { trust: "full", asOf: { version: asOf } })
    const { explanation, hits } = yield* reader.explain({ text: "who looks after tea and ropes", limit: 10 })
    return { model: explanation.vectors, hits: hits.map(({ id, score }) => [id, score]) }
  })

const headOf = (daybook: System) =>
  Effect.map(daybook.agents, (agents) => agents.find(({ name }) => name === agent)!.version)

const embedderEvents = (daybook: System) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) =>
    [...events].flatMap(({ payload, type }) =>
      type === "EMBEDDER" && payload !== null && "state" in payload
        ? [`${payload.state} ${String(Reflect.get(payload, "model"))}`]
        : []
    )
  )

describe("a switch to another embedder", () => {
  it.scopedLive("makes the new index while the old one serves, then changes all reads by one event", () =>
    Effect.gen(function* () {
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const { daybook } = yield* fresh({ ...known(old, next), policy })
      yield* filled(daybook)
      const before = yield* searched(daybook)
      expect(before.model).toBe("old")
      const gate = yield* Deferred.make<void>()
      next.before = Deferred.await(gate)
      const switching = yield* Effect.fork(daybook.embedders.switchTo(agent, "next"))
      while (next.asked.length === 0) yield* Effect.sleep(5)
      expect(yield* searched(daybook)).toEqual(before)
      const during = yield* daybook.embedders.status(agent)
      expect(during).toMatchObject({
        inForce: { model: "old", lacking: 0, since: expect.any(Number) },
        preparing: { model: "next", dimensions: 96, embedded: 0, lacking: 41, adopt: true }
      })
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(switching)).toEqual({
        model: "next",
        dimensions: 96,
        state: "inForce",
        unchanged: false
      })
      const after = yield* searched(daybook)
      expect(after.model).toBe("next")
      expect(after.hits).not.toEqual(before.hits)
      expect(yield* embedderEvents(daybook)).toEqual(["preparing next", "inForce next"])
      expect(yield* daybook.embedders.status(agent)).toMatchObject({
        configured: { model: "old" },
        inForce: { model: "next", embedded: 41, lacking: 0 },
        preparing: null,
        kept: [{ model: "old", embedded: 41, lacking: 0 }]
      })
      expect((yield* daybook.stats(agent)).vectors).toMatchObject({
        model: "next",
        embedded: 40,
        configured: { model: "old" }
      })
    })
  )

  it.scopedLive("leaves the past as it was, and goes back without asking anybody", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const daybook = yield* open(folder, { ...known(old, next), policy })
      const memory = yield* filled(daybook)
      yield* memory.search({ text: "rope of the pilot" })
      yield* daybook.flush(agent)
      const [version, before] = [yield* headOf(daybook), yield* searched(daybook)]
      yield* daybook.embedders.switchTo(agent, "next")
      yield* memory.search({ text: "rope of the pilot" })
      yield* daybook.flush(agent)
      const [later, after] = [yield* headOf(daybook), yield* searched(daybook)]
      old.asked.length = next.asked.length = 0

      expect((yield* searched(daybook, version)).hits.map(([id]) => id)).toEqual(before.hits.map(([id]) => id))
      expect((yield* searched(daybook, version)).model).toBe("old")
      expect((yield* searched(daybook, later)).model).toBe("next")
      const recalls = yield* memory.recalls()
      for (const { number } of recalls) expect((yield* memory.rerun(number)).same).toBe(true)
      expect((yield* memory.recall(1)).embedder).toEqual({ model: "old", dimensions: 48 })
      expect((yield* memory.recall(recalls[0]!.number)).embedder).toEqual({ model: "next", dimensions: 96 })

      // The rebuild asks nobody either, and comes to the same.
      const live = yield* daybook.digests(agent)
      yield* daybook.rebuild(agent)
      expect(yield* daybook.digests(agent)).toEqual(live)
      expect(yield* searched(daybook)).toEqual(after)

      expect(yield* daybook.embedders.back(agent)).toMatchObject({ model: "old", state: "inForce", unchanged: false })
      expect(yield* searched(daybook)).toEqual(before)
      expect(yield* daybook.embedders.back(agent)).toMatchObject({ model: "next" })
      expect(yield* daybook.embedders.drop(agent)).toEqual([{ model: "old", dimensions: 48 }])
      expect(yield* searched(daybook)).toEqual(after)
      expect((yield* searched(daybook, version)).model).toBe("old")
      expect((yield* memory.rerun(1)).same).toBe(true)
      expect([...old.asked, ...next.asked]).toEqual([])
      const dropped = yield* daybook.digests(agent)
      yield* daybook.rebuild(agent)
      expect(yield* daybook.digests(agent)).toEqual(dropped)
      rmSync(join(folder, "views"), { recursive: true })
      expect((yield* searched(daybook)).hits).toEqual(after.hits)
    })
  )
})
