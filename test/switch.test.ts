import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Daybook } from "../src/Daybook.js"
import { EmbedderError } from "../src/ports/Embedder.js"
import { Reranker } from "../src/ports/Reranker.js"
import { known, type Scripted, scripted, turned } from "./support/embedders.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { gatedLog } from "./support/gatedLog.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

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
    yield* memory.sessions.append({ session: "monday", role: "user", text: "Where does the pilot keep the rope?" })
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
  it.scopedLive("builds the new index while the old one serves, then changes all reads by one event", () =>
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

  it.scopedLive("is not prepared again if another switch activated it first", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const { gate, layer: log, reached } = yield* gatedLog(folder)
      const daybook = yield* open(folder, { ...known(old, next), policy, log })
      const memory = yield* filled(daybook)
      yield* Effect.zipRight(gate.close, reached.close)
      // While this write waits, both switches see the old embedder.
      const write = yield* Effect.fork(memory.remember({ title: "the pilot has a spare rope" }))
      yield* reached.await
      const first = yield* Effect.fork(daybook.embedders.switchTo(agent, "next", { now: true }))
      yield* Effect.sleep(50)
      const second = yield* Effect.fork(daybook.embedders.switchTo(agent, "next"))
      yield* Effect.sleep(50)
      yield* gate.open
      yield* Fiber.join(write)
      expect(yield* Fiber.join(first)).toMatchObject({ model: "next", state: "inForce", unchanged: false })
      expect(yield* Fiber.join(second)).toMatchObject({ model: "next", state: "inForce", unchanged: true })
      expect(yield* embedderEvents(daybook)).toEqual(["inForce next"])
      expect(yield* daybook.embedders.status(agent)).toMatchObject({ inForce: { model: "next" }, preparing: null })
    })
  )

  it.scopedLive("leaves the past unchanged, and can be reversed without a request", () =>
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
      const recalls = yield* memory.recalls.list()
      for (const { number } of recalls) expect((yield* memory.recalls.rerun(number)).same).toBe(true)
      expect((yield* memory.recalls.get(1)).embedder).toEqual({ model: "old", dimensions: 48 })
      expect((yield* memory.recalls.get(recalls[0]!.number)).embedder).toEqual({ model: "next", dimensions: 96 })

      // The rebuild asks nobody either, and comes to the same.
      yield* expectSameAfterRebuild(daybook, agent)
      expect(yield* searched(daybook)).toEqual(after)

      expect(yield* daybook.embedders.back(agent)).toMatchObject({ model: "old", state: "inForce", unchanged: false })
      expect(yield* searched(daybook)).toEqual(before)
      expect(yield* daybook.embedders.back(agent)).toMatchObject({ model: "next" })
      expect(yield* daybook.embedders.drop(agent)).toEqual([{ model: "old", dimensions: 48 }])
      expect(yield* searched(daybook)).toEqual(after)
      expect((yield* searched(daybook, version)).model).toBe("old")
      expect((yield* memory.recalls.rerun(1)).same).toBe(true)
      expect([...old.asked, ...next.asked]).toEqual([])
      yield* expectSameAfterRebuild(daybook, agent)
      rmSync(join(folder, "views"), { recursive: true })
      expect((yield* searched(daybook)).hits).toEqual(after.hits)
    })
  )
})

describe("the switch back", () => {
  it.scopedLive("restores the recorded parameters, whoever chose them", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { ...known(old, next), policy })
          yield* filled(daybook)
          yield* daybook.embedders.switchTo(agent, "old", { weight: 0.1 })
          const before = yield* searched(daybook)
          yield* daybook.embedders.switchTo(agent, "next")
          expect(yield* daybook.embedders.back(agent)).toMatchObject({ model: "old", state: "inForce" })
          expect(yield* daybook.embedders.status(agent)).toMatchObject({ inForce: { model: "old", weight: 0.1 } })
          expect(yield* searched(daybook)).toEqual(before)
        })
      )
      // One that this program does not know is not gone back to.
      const daybook = yield* open(folder, { ...known(old), policy })
      expect((yield* Effect.flip(daybook.embedders.back(agent))).message).toContain("unknown embedder next")
      expect(yield* daybook.embedders.status(agent)).toMatchObject({ inForce: { model: "old", weight: 0.1 } })
    })
  )
})

describe("the status of an agent's embedder", () => {
  it.scopedLive("sends a request only if asked to probe", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const unavailable = new EmbedderError({ model: "old", reason: "failed", detail: "no route to host" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { ...known(old, next), policy })
          yield* filled(daybook)
          yield* daybook.embedders.switchTo(agent, "next", { adopt: false })
          yield* (yield* daybook.agent(agent, { trust: "full" })).remember({ title: "a late rope of the pilot" })
        })
      )
      rmSync(join(folder, "views"), { recursive: true })
      old.asked.length = 0
      const quiet = { embedding: { ...policy.embedding, gather: 3_600_000 } }
      old.embed = () => Effect.never
      const daybook = yield* open(folder, { ...known(old, next), policy: quiet })
      expect((yield* daybook.embedders.status(agent)).failure).toBeUndefined()
      yield* daybook.embedders.drop(agent, "next")
      expect(old.asked).toEqual([])
      old.embed = () => Effect.fail(unavailable)
      expect((yield* daybook.embedders.status(agent, { probe: true })).failure).toContain("no route to host")
      expect(old.asked).toEqual([["text"]])
    })
  )
})

describe("a prepared index", () => {
  it.scopedLive("keeps the local index of the stores withheld from it", () =>
    Effect.gen(function* () {
      const [old, next, words] = [scripted("old", 1, 48), scripted("next", 2, 96), scripted("words", 3, 32)]
      const service = { ...next.service, substitute: { stores: ["private" as const], embedder: words.service } }
      const { daybook } = yield* fresh({ ...known(old, { ...next, service }, words), policy })
      yield* filled(daybook)
      yield* daybook.embedders.switchTo(agent, "next", { adopt: false })
      expect((yield* daybook.embedders.status(agent)).kept).toEqual([])
      expect((yield* Effect.flip(daybook.embedders.drop(agent))).message).toContain(
        "is being prepared: pass its name to drop it"
      )
      expect((yield* Effect.flip(daybook.embedders.drop(agent, "words"))).message).toContain(
        "because this model embeds the stores that"
      )
    })
  )

  it.scopedLive("is compared without calling a remote reranker", () =>
    Effect.gen(function* () {
      let asked = 0
      const rerank = (_: string, texts: ReadonlyArray<string>) =>
        Effect.sync(() => {
          asked++
          return texts.map(() => 0.5)
        })
      const reranker = Layer.succeed(Reranker, { name: "far", weight: 0.1, topN: 8, rerank })
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const { daybook } = yield* fresh({ ...known(old, next), reranker, policy })
      const memory = yield* filled(daybook)
      for (const text of ["rope of the pilot", "tea"]) yield* memory.search({ text })
      expect(asked).toBe(2)
      yield* daybook.flush(agent)
      yield* daybook.embedders.switchTo(agent, "next", { adopt: false })
      expect(yield* daybook.embedders.compare(agent)).toMatchObject({ queries: 2 })
      expect(asked).toBe(2)
    })
  )

  it.scopedLive("is known before the query is embedded, so that the previous embedder is not called", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const make = () => [scripted("slow", 1, 48, { local: true, skipsCache: true }), scripted("next", 2, 96)] as const
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { ...known(...make()), policy })
          yield* filled(daybook)
          yield* daybook.embedders.switchTo(agent, "next")
        })
      )
      const [slow, next] = make()
      let queries = 0
      const sound = slow.embed
      slow.embed = (...asked) => {
        queries++
        return sound(...asked)
      }
      const daybook = yield* open(folder, { ...known(slow, next), policy })
      expect((yield* searched(daybook)).model).toBe("next")
      expect(queries).toBe(0)
    })
  )

  it.scopedLive("is compared with the active one before anything changes", () =>
    Effect.gen(function* () {
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const { daybook } = yield* fresh({ ...known(old, next), policy })
      const memory = yield* filled(daybook)
      for (const text of ["rope of the pilot", "tea", "rope of the pilot", "maps of harbour 8"])
        yield* memory.search({ text })
      yield* daybook.flush(agent)
      expect(yield* Effect.flip(daybook.embedders.compare(agent))).toMatchObject({ _tag: "NoSuchIndex" })
      expect(yield* daybook.embedders.switchTo(agent, "next", { adopt: false })).toMatchObject({ state: "prepared" })
      const before = yield* searched(daybook)
      expect(before.model).toBe("old")
      const head = yield* headOf(daybook)
      const ids = (yield* memory.search({ text: "harbour 8", limit: 1 })).map(({ id }) => id)
      const compared = yield* daybook.embedders.compare(agent, { questions: [{ query: "harbour 8", ids }] })
      expect(compared).toMatchObject({
        inForce: { model: "old" },
        other: { model: "next", embedded: 41, lacking: 0 },
        queries: 3,
        quality: { questions: 1, inForce: { recall: 1, ndcg: 1, mrr: 1 }, other: { recall: expect.any(Number) } }
      })
      expect(compared.overlap).toBeGreaterThan(0)
      expect(compared.overlap).toBeLessThan(1)
      expect(compared.differing[0]!.overlap).toBeLessThan(1)
      expect(yield* headOf(daybook)).toBe(head)
      // What is written meanwhile gets both vectors, and to put it in force then takes one event.
      yield* memory.remember({ title: "a late rope of the pilot" })
      while ((yield* daybook.embedders.status(agent)).preparing!.lacking > 0) yield* Effect.sleep(10)
      next.asked.length = 0
      expect(yield* daybook.embedders.switchTo(agent, "next")).toMatchObject({ state: "inForce", unchanged: false })
      expect(next.asked).toEqual([])
      expect((yield* searched(daybook)).model).toBe("next")
      expect(yield* daybook.embedders.switchTo(agent, "next")).toMatchObject({ state: "inForce", unchanged: true })
    })
  )

  it.scopedLive("remains unfinished if its embedder fails, and continues without sending a text twice", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { ...known(old, next), policy })
          yield* filled(daybook)
          const sound = next.embed
          next.embed = (texts, purpose) =>
            next.asked.length > 3
              ? Effect.fail(new EmbedderError({ model: "next", reason: "failed", detail: "HTTP 500" }))
              : sound(texts, purpose)
          const error = yield* Effect.flip(daybook.embedders.switchTo(agent, "next"))
          expect(error.message).toBe("embedder next: failed (HTTP 500)")
          expect((yield* searched(daybook)).model).toBe("old")
          const status = yield* daybook.embedders.status(agent)
          expect(status.preparing!.embedded).toBeGreaterThan(0)
          expect(status.preparing!.lacking).toBeGreaterThan(0)
          expect(status.failure).toContain("HTTP 500")
          next.embed = sound
        })
      )
      const came = next.asked.slice(0, 3).flat()
      next.asked.length = 0
      // Another process goes on by itself.
      const daybook = yield* open(folder, { ...known(old, next), policy })
      yield* searched(daybook)
      while ((yield* daybook.embedders.status(agent)).preparing !== null) yield* Effect.sleep(50)
      expect((yield* searched(daybook)).model).toBe("next")
      expect(next.asked.flat().filter((text) => came.includes(text))).toEqual([])
    })
  )

  it.scopedLive.each(["by the same call", "by itself"])("has what it lacked when its process ended made %s", (how) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const before = scripted("next", 2, 96)
      before.before = Effect.never
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { ...known(scripted("old", 1, 48), before), policy })
          yield* filled(daybook)
          yield* daybook.embedders.switchTo(agent, "next", { now: true, wait: false })
        })
      )
      const daybook = yield* open(folder, { ...known(scripted("old", 1, 48), scripted("next", 2, 96)), policy })
      const lacking = Effect.map(daybook.embedders.status(agent), ({ inForce }) => [inForce.model, inForce.lacking])
      expect(yield* lacking).toEqual(["next", 41])
      if (how === "by the same call") {
        expect(yield* daybook.embedders.switchTo(agent, "next")).toMatchObject({ state: "inForce", unchanged: true })
      } else {
        while ((yield* lacking)[1] !== 0) yield* Effect.sleep(50)
      }
      expect(yield* lacking).toEqual(["next", 0])
    })
  )

  it.scopedLive("is abandoned by a drop, which is refused if there is none", () =>
    Effect.gen(function* () {
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const { daybook } = yield* fresh({ ...known(old, next), policy })
      const refusal = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(effect), ({ message }) => message)
      expect(yield* refusal(daybook.embedders.back(agent))).toBe("there is no other index: the agent has no events")
      yield* filled(daybook)
      expect(yield* refusal(daybook.embedders.switchTo(agent, "nobody"))).toContain("unknown embedder nobody")
      expect(yield* refusal(daybook.embedders.drop(agent, "old"))).toContain("is the active embedder")
      expect(yield* refusal(daybook.embedders.drop(agent, "next"))).toContain("no index of next")
      expect(yield* refusal(daybook.embedders.drop(agent, "nobody"))).toContain("dimensions: is required")
      expect(yield* refusal(daybook.embedders.back(agent))).toContain("no earlier embedder")
      yield* daybook.embedders.switchTo(agent, "next", { adopt: false })
      expect(yield* refusal(daybook.embedders.drop(agent))).toBe(
        "the only other index (next, 96 dimensions) is being prepared: pass its name to drop it"
      )
      yield* daybook.embedders.drop(agent, "next")
      expect(yield* daybook.embedders.status(agent)).toMatchObject({ preparing: null, kept: [] })
      // In force at once, what is missing is made then: from the cache.
      next.asked.length = 0
      yield* daybook.embedders.switchTo(agent, "next", { now: true, weight: 0.4 })
      expect(yield* daybook.embedders.status(agent)).toMatchObject({
        inForce: { model: "next", weight: 0.4, lacking: 0 }
      })
      expect(next.asked).toEqual([])
      expect((yield* searched(daybook)).model).toBe("next")
    })
  )

  it.scopedLive("does not affect which model made a store's first vectors", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [old, next, third] = [scripted("old", 1, 48), scripted("next", 2, 96), scripted("third", 3, 64)]
      const version = yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { ...known(old, next, third), policy })
          yield* daybook.embedders.switchTo(agent, "next", { adopt: false })
          const gate = yield* Deferred.make<void>()
          old.before = Deferred.await(gate)
          const filling = yield* Effect.fork(filled(daybook))
          const left = Effect.map(daybook.embedders.status(agent), ({ inForce, preparing }) => [
            inForce.embedded,
            preparing!.embedded
          ])
          while ((yield* left)[1]! < 41) yield* Effect.sleep(10)
          expect(yield* left).toEqual([0, 41])
          yield* Deferred.succeed(gate, undefined)
          yield* Fiber.join(filling)
          expect((yield* searched(daybook)).model).toBe("old")
          return yield* headOf(daybook)
        })
      )
      const daybook = yield* open(folder, { ...known(third, old, next), policy })
      expect((yield* searched(daybook)).model).toBe("old")
      expect((yield* searched(daybook, version)).model).toBe("old")
      yield* daybook.embedders.drop(agent, "next")
      expect((yield* searched(daybook)).model).toBe("old")
    })
  )

  it.scopedLive("that becomes active while a query is embedded makes the query be embedded again", () =>
    Effect.gen(function* () {
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const { daybook } = yield* fresh({ ...known(old, next), policy })
      yield* filled(daybook)
      yield* daybook.embedders.switchTo(agent, "next", { adopt: false })
      const [asked, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const sound = old.embed
      old.embed = (texts, purpose) =>
        Deferred.succeed(asked, undefined).pipe(
          Effect.zipRight(Deferred.await(gate)),
          Effect.zipRight(sound(texts, purpose))
        )
      const waiting = yield* Effect.fork(searched(daybook))
      yield* Deferred.await(asked)
      yield* daybook.embedders.switchTo(agent, "next")
      yield* daybook.embedders.drop(agent, "old")
      yield* Deferred.succeed(gate, undefined)
      const answer = yield* Fiber.join(waiting)
      expect(answer.model).toBe("next")
      expect(answer).toEqual(yield* searched(daybook))
    })
  )
})

describe("stores withheld from an embedder", () => {
  const beside = (stores: ReadonlyArray<"private" | "shared" | "social">) => {
    const [words, far] = [scripted("words", 1, 48, { local: true, weight: 0.3 }), scripted("far", 2, 96)]
    const service = { ...far.service, substitute: { stores, embedder: words.service } }
    return { words, far: Object.assign(far, { service }) }
  }

  it.scopedLive("are embedded by the local one, into its own index, and both indexes are searched", () =>
    Effect.gen(function* () {
      const { far, words } = beside(["private"])
      const queries: Array<string> = []
      const embed = far.service.embed
      const watched = {
        ...far,
        service: {
          ...far.service,
          embed: ((texts, purpose) => {
            if (purpose === "query") queries.push(...texts)
            return embed(texts, purpose)
          }) as typeof embed
        }
      }
      const { daybook } = yield* fresh({ ...known(watched, words), policy })
      const memory = yield* filled(daybook)
      const sent = far.asked.flat()
      expect(sent.filter((text) => titles.indexOf(text) % 2 === 0)).toEqual([])
      expect(sent).toHaveLength(20)
      expect(yield* daybook.embedders.status(agent)).toMatchObject({
        inForce: { model: "far", embedded: 20, lacking: 0 },
        apart: { model: "words", embedded: 21, lacking: 0, stores: ["private"] },
        kept: []
      })
      expect((yield* daybook.stats(agent)).vectors).toMatchObject({
        model: "far",
        embedded: 20,
        apart: { model: "words", embedded: 20, stores: ["private"] }
      })
      // Both sides bring rows up, and each row is of the index of its store.
      const hits = yield* memory.search({ text: "who looks after tea and ropes", limit: 40 })
      const near = hits.filter(({ parts }) => parts.vector > 0)
      expect(new Set(near.map(({ store }) => store))).toEqual(new Set(["private", "social"]))
      expect(queries).toHaveLength(1)

      // What is asked of those stores alone is shown to nobody else.
      yield* memory.search({ text: "tea of the pilot", stores: ["private"] })
      yield* memory.search({ text: "tea of the pilot store:private" })
      expect(queries).toHaveLength(1)
      const open = yield* daybook.agent(agent, { trust: "familiar" })
      const asked = words.asked.length
      expect((yield* open.search({ text: "rope" })).length).toBeGreaterThan(0)
      expect(words.asked).toHaveLength(asked)

      // A recall is answered again with the same scores.
      yield* daybook.flush(agent)
      for (const { number } of yield* memory.recalls.list())
        expect(yield* memory.recalls.rerun(number)).toMatchObject({ same: true })
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scopedLive.each(["as the first one", "by a switch"])(
    "are as they were as of before, whatever the settings are now: %s",
    (how) =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const [start, words, plain] = [
          scripted("start", 3, 32),
          scripted("words", 1, 48, { weight: 0.3 }),
          scripted("far", 2, 96)
        ]
        const queries: Array<string> = []
        const sound = plain.embed
        plain.embed = (texts, purpose) => {
          if (purpose === "query") queries.push(...texts)
          return sound(texts, purpose)
        }
        const substitute = { stores: ["private" as const], embedder: words.service }
        const kept = { ...plain, service: { ...plain.service, substitute } }
        const options = (far: Scripted) =>
          how === "by a switch" ? { ...known(start, far, words), policy } : { ...known(far, words, start), policy }
        const past = (daybook: System, version?: number) =>
          Effect.gen(function* () {
            const reader = yield* version === undefined
              ? daybook.agent(agent, { trust: "full" })
              : daybook.agent(agent, { trust: "full", asOf: { version } })
            const { explanation, hits } = yield* reader.explain({ text: "who looks after tea and ropes", limit: 40 })
            return { by: explanation.vectors, hits: hits.map(({ id, parts, score }) => [id, score, parts]) }
          })
        const heads: Array<number> = []
        const before: Array<unknown> = []
        for (const [at, far] of [plain, kept, plain].entries()) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const daybook = yield* open(folder, options(far))
              const memory = yield* at === 0 ? filled(daybook) : daybook.agent(agent, { trust: "full" })
              if (at === 0 && how === "by a switch") yield* daybook.embedders.switchTo(agent, "far")
              plain.asked.length = 0
              yield* memory.remember({ title: `the tea of the ${at}th` })
              yield* daybook.backfill(agent)
              if (far === kept) expect(plain.asked).toEqual([])
              for (const [which, head] of heads.entries()) expect(yield* past(daybook, head)).toEqual(before[which])
              heads.push(yield* headOf(daybook))
              before.push(yield* past(daybook, heads[at]!))
              const vectorsOf = ({ hits }: Effect.Effect.Success<ReturnType<typeof past>>) =>
                hits.map(([id, , parts]) => [id, (parts as { readonly vector: number }).vector])
              expect(vectorsOf(yield* past(daybook))).toEqual(vectorsOf(yield* past(daybook, heads[at]!)))
              // What this process is not to show it, it does not show it when asked of the past either.
              queries.length = 0
              const old = yield* daybook.agent(agent, { trust: "full", asOf: { version: heads[0]! } })
              yield* old.search({ text: "tea of the pilot", stores: ["private"] })
              expect(queries).toHaveLength(far === kept ? 0 : 1)
              yield* expectSameAfterRebuild(daybook, agent)
              if (how === "by a switch")
                expect(yield* embedderEvents(daybook)).toEqual([
                  "preparing far",
                  ...Array.from({ length: at + 1 }, () => "inForce far")
                ])
            })
          )
        }
        expect(before[1]).not.toEqual(before[0])
      })
  )

  it.scopedLive("follow the newest record if settings of two processes differ, without endless corrections", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const { far, words } = beside(["private"])
      const plain = scripted("far", 2, 96)
      const start = scripted("start", 3, 32)
      const keeping = yield* open(folder, { ...known(start, far, words), policy })
      const sending = yield* open(folder, { ...known(start, plain, words), policy })
      yield* filled(keeping)
      yield* keeping.embedders.switchTo(agent, "far")
      for (let at = 0; at < 4; at++) {
        for (const daybook of [keeping, sending]) {
          const memory = yield* daybook.agent(agent, { trust: "full" })
          yield* memory.remember({ title: `the tide table number ${at}`, store: "social" })
          yield* daybook.backfill(agent)
        }
      }
      const said = yield* embedderEvents(keeping)
      expect(said).toEqual(["preparing far", "inForce far", "inForce far"])
      // Each goes by its own settings all the same.
      plain.asked.length = far.asked.length = 0
      const memory = yield* keeping.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "the key of the shed", store: "private" })
      yield* keeping.backfill(agent)
      expect(far.asked.flat()).toEqual([])
      // After another switch both have their say once more.
      yield* keeping.embedders.switchTo(agent, "start")
      for (const daybook of [keeping, sending]) yield* daybook.backfill(agent)
      yield* keeping.embedders.switchTo(agent, "far")
      for (const daybook of [sending, keeping, sending]) yield* daybook.backfill(agent)
      expect((yield* embedderEvents(keeping)).slice(said.length)).toEqual([
        "preparing start",
        "inForce start",
        "preparing far",
        "inForce far",
        "inForce far"
      ])
    })
  )

  it.scopedLive("change the index together with the store, and are never compared across indexes", () =>
    Effect.gen(function* () {
      const { far, words } = beside(["private"])
      const { daybook } = yield* fresh({ ...known(far, words), policy })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* memory.remember({ title: "canine company", store: "private" })
      yield* daybook.backfill(agent)
      expect(far.asked.flat()).toEqual([])
      yield* memory.update(id, { store: "social" })
      yield* daybook.backfill(agent)
      expect(far.asked.flat()).toEqual(["canine company"])
      expect(yield* daybook.embedders.status(agent)).toMatchObject({
        inForce: { embedded: 1, lacking: 0 },
        apart: { embedded: 1, lacking: 0 }
      })
      const vectorsOf = (text: string) =>
        Effect.map(memory.search({ text }), (hits) => hits.map(({ parts }) => parts.vector > 0))
      expect(yield* vectorsOf("canine company")).toEqual([true])
      // Only the vector of its own index counts: the other one says nothing of it any more.
      far.embed = (texts) => Effect.succeed(texts.map((text) => turned(text, 2, 96).map((value) => -value)))
      expect(yield* vectorsOf("canine company")).toEqual([false])
    })
  )

  it.scopedLive("leave no vector in the index of a memory's former store", () =>
    Effect.gen(function* () {
      const { far, words } = beside(["private"])
      const { daybook } = yield* fresh({ ...known(far, words), policy })
      const gate = yield* Deferred.make<void>()
      far.before = Deferred.await(gate)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* memory.remember({ title: "canine company", store: "social" })
      yield* memory.remember({ title: "feline company", store: "social" })
      while (far.asked.flat().length < 2) yield* Effect.sleep(5)
      yield* memory.update(id, { store: "private" })
      yield* Deferred.succeed(gate, undefined)
      yield* daybook.backfill(agent)
      const events = yield* Stream.runCollect(daybook.log(agent))
      const made = [...events].flatMap(({ payload, type }) =>
        type === "EMBED" && payload !== null && "entries" in payload
          ? payload.entries.map(({ store }) => `${store} by ${payload.model}`)
          : []
      )
      expect(made.toSorted()).toEqual([`private by ${words.service.model}`, `social by ${far.service.model}`])
      expect(yield* daybook.embedders.status(agent)).toMatchObject({
        inForce: { embedded: 1, lacking: 0 },
        apart: { embedded: 1, lacking: 0 }
      })
    })
  )
})
