import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { codec } from "../events/Codec.js"
import type { EventType, Payload } from "../events/catalogue.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import type { Memory } from "../events/Memory.js"
import { ruleDecision } from "../src/actor/Command.js"
import type { Daybook } from "../src/Daybook.js"
import type { Erasable } from "../src/erasure/Erasure.js"
import { type Question, Reconciler, type Verdict } from "../src/ports/Reconciler.js"
import { fresh } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

/** A reconciler that does what a tag of the statement says to the first memory with the same first word. */
const scripted = Layer.succeed(Reconciler, {
  name: "scripted",
  judge: ({ candidates, statement }: Question) => {
    const [action] = statement.tags.filter((tag) => ["update", "delete", "none"].includes(tag))
    const subject = statement.title.split(" ")[0]
    const target = candidates.findIndex(({ title }) => title.split(" ")[0] === subject)
    const verdict: Verdict =
      action === undefined || target < 0
        ? { action: "ADD", reason: "told to" }
        : { action: action.toUpperCase() as "UPDATE" | "DELETE" | "NONE", target, reason: "told to" }
    return { verdict, by: { kind: "rule", name: "scripted" }, sure: true }
  }
})

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook, folder } = yield* fresh({
    policy: { ...awake, reconcile: { threshold: 0.01, candidates: 100 }, recall: { log: true } },
    reconciler: scripted,
    extractor: tinyLayer
  })
  return { daybook, folder, memory: yield* daybook.agent(agent, { trust: "full", record: false }) }
})

const eventsOf = (daybook: System) => Effect.map(Stream.runCollect(daybook.log(agent)), Chunk.toReadonlyArray)

/** The text of everything that an agent's log still answers. */
const logText = (daybook: System) => Effect.map(eventsOf(daybook), (events) => JSON.stringify(events))

/** Erases, and checks that the log is sound and that live equals rebuilt. */
const eraseAndCheck = (daybook: System, selection: Erasable) =>
  Effect.gen(function* () {
    const erasure = yield* daybook.erase(selection, { reason: "privacy" })
    expect((yield* daybook.verify()).problems).toEqual([])
    yield* daybook.backfill(agent)
    const live = yield* daybook.digests(agent)
    yield* daybook.rebuild(agent)
    expect((yield* daybook.digests(agent)).projections).toEqual(live.projections)
    return erasure
  })

/** The after-images that ADD events of the agent have. */
const imagesOfAdds = (daybook: System) =>
  Effect.map(eventsOf(daybook), (events) =>
    events.flatMap((event) => (event.type === "ADD" && event.payload !== null ? [event.payload.memory] : []))
  )

/** Appends an event as another process would. */
const appendEvent = <T extends EventType>(folder: string, type: T, payload: Payload<T>) =>
  Effect.gen(function* () {
    const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
    const now = yield* Clock.currentTimeMillis
    const event = { type, ...codec.encode(type, payload) }
    yield* log.append({ stream: agent, expected: "exists", now, commands: [{ actor: "test", events: [event] }] })
  }).pipe(Effect.scoped)

describe("erasing a memory by its id", () => {
  it.scoped("removes every version of its text from every read, and keeps the other memories as they were", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const { id } = yield* memory.remember({
        title: "quokka lives in Perth",
        facts: ["street: Elm"],
        people: ["Anna"]
      })
      const other = yield* memory.remember({ title: "gulls sleep on one leg", people: ["Grace"] })
      yield* memory.update(id, { title: "quokka lives in Sydney" })
      yield* memory.forget(id)
      const before = yield* memory.get([other.id])
      const { agents } = yield* eraseAndCheck(daybook, { agent, ids: [id] })
      expect(agents[0]).toMatchObject({ events: 3, remains: 0, counts: { memories: 1 } })
      expect(yield* memory.get([other.id])).toEqual(before)
      const text = yield* logText(daybook)
      for (const word of ["quokka", "Perth", "Sydney", "Elm", "Anna"]) expect(text).not.toContain(word)
      expect(text).toContain("gulls")
      expect(yield* memory.people()).toMatchObject([{ name: "Grace" }])
    })
  )

  it.scoped("refuses an id that nothing has, and one that was erased before", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const { id } = yield* memory.remember({ title: "quokka lives in Perth" })
      yield* memory.remember({ title: "gulls sleep on one leg" })
      const mixed = yield* Effect.flip(daybook.erase({ agent, ids: [id, "MISSING234"] }))
      expect(mixed).toMatchObject({ _tag: "NothingToErase", ids: ["MISSING234"] })
      yield* daybook.erase({ agent, ids: [id] })
      expect(yield* Effect.flip(daybook.erase({ agent, ids: [id] }))).toMatchObject({ _tag: "NothingToErase" })
    })
  )

  it.scoped("takes what was derived from it too, and leaves the other source of a merge retired", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const source = yield* memory.remember({ title: "quokka lives in Perth" })
      const derived = yield* memory.remember({
        title: "marsupials live in Australia",
        from: [{ kind: "memory", id: source.id }]
      })
      const { agents } = yield* eraseAndCheck(daybook, { agent, ids: [source.id] })
      expect(agents[0]!.memories.map(({ id }) => id)).toEqual([source.id, derived.id])
      expect(yield* memory.get([derived.id])).toEqual([])
    })
  )

  it.scoped("keeps a replacement when the replaced memory is erased, and the reverse", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const old = yield* memory.remember({ title: "harbour listens on 5432" })
      const next = yield* memory.remember({ title: "harbour listens on 6432", tags: ["delete"] })
      const before = yield* memory.get([next.id])
      expect(before).toHaveLength(1)
      const first = yield* eraseAndCheck(daybook, { agent, ids: [old.id] })
      expect(first.agents[0]).toMatchObject({ events: 2, remains: 1 })
      expect(yield* memory.get([next.id])).toEqual(before)
      expect(yield* logText(daybook)).not.toContain("5432")

      const older = yield* memory.remember({ title: "castle opens at nine" })
      const newer = yield* memory.remember({ title: "castle opens at ten", tags: ["delete"] })
      const second = yield* eraseAndCheck(daybook, { agent, ids: [newer.id] })
      expect(second.agents[0]!.retired).toEqual([older.id])
      expect(yield* memory.get([older.id])).toEqual([])
      expect(yield* logText(daybook)).toContain("castle opens at nine")
      expect(yield* logText(daybook)).not.toContain("castle opens at ten")
    })
  )

  it.scoped("leaves 99 of 100 memories archived that one event archived", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared
      yield* memory.rememberAll(Array.from({ length: 100 }, (_, index) => ({ title: `errand number ${index}` })))
      yield* appendEvent(folder, "ARCHIVE", {
        memories: (yield* imagesOfAdds(daybook)).map((image) => ({
          ...image,
          revision: 2,
          status: "archived" as const
        })),
        decision: ruleDecision("ARCHIVE", "test", "old")
      })
      const archived = yield* memory.archive.list({ limit: 100 })
      expect(archived).toHaveLength(100)
      const gone = archived[7]!.id
      const { agents } = yield* eraseAndCheck(daybook, { agent, ids: [gone] })
      expect(agents[0]).toMatchObject({ events: 3, remains: 2, counts: { memories: 1 } })
      expect(yield* memory.archive.list({ limit: 100 })).toEqual(archived.filter(({ id }) => id !== gone))
      expect(yield* memory.list({ limit: 100 })).toEqual([])
    })
  )

  it.scoped("takes the merged memory too, if one side of a merge is erased; the other side stays as it was", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared
      yield* memory.rememberAll([{ title: "quokka eats leaves", people: ["Anna"] }, { title: "gulls eat fish" }])
      const images = yield* imagesOfAdds(daybook)
      const [one, other] = images as [Memory, Memory]
      const merged: Memory = {
        ...{ ...one, id: "merged2345", born: images.length + 1, title: "quokka eats leaves; gulls eat fish" },
        lineage: images.map(({ id }) => ({ kind: "derived", to: id, reason: "compressed" }))
      }
      const sources = images.map((image) => ({ ...image, revision: 2, status: "compressed" as const }))
      yield* appendEvent(folder, "COMPRESS", {
        ...{ memory: merged, sources },
        decision: ruleDecision("COMPRESS", "test", "alike")
      })
      expect((yield* memory.list()).map(({ id }) => id)).toEqual([merged.id])
      const { agents } = yield* eraseAndCheck(daybook, { agent, ids: [one.id] })
      expect(agents[0]!.memories.map(({ id }) => id)).toEqual([one.id, merged.id])
      expect(yield* memory.list()).toEqual([])
      expect(yield* logText(daybook)).not.toContain("quokka")
      const [last] = (yield* eventsOf(daybook)).filter(
        ({ erasedAt, payload }) => erasedAt !== undefined && payload !== null
      )
      expect(last).toMatchObject({
        type: "ARCHIVE",
        payload: { memories: [{ id: other.id, status: "compressed", revision: 2 }] }
      })
    })
  )

  it.scoped("takes the sources of a merged memory too, because they have its text", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared
      yield* memory.rememberAll([{ title: "quokka eats leaves" }, { title: "gulls eat fish" }])
      const images = yield* imagesOfAdds(daybook)
      const merged: Memory = {
        ...{ ...images[0]!, id: "merged2345", born: images.length + 1, title: "quokka eats leaves; gulls eat fish" },
        lineage: images.map(({ id }) => ({ kind: "derived", to: id, reason: "compressed" }))
      }
      const sources = images.map((image) => ({ ...image, revision: 2, status: "compressed" as const }))
      yield* appendEvent(folder, "COMPRESS", {
        ...{ memory: merged, sources },
        decision: ruleDecision("COMPRESS", "test", "alike")
      })
      yield* eraseAndCheck(daybook, { agent, ids: [merged.id] })
      expect(yield* logText(daybook)).not.toMatch(/quokka|gulls/)
    })
  )

  it.scoped("blanks the queries that showed it, and keeps the other recalls of the batch with their numbers", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const { id } = yield* memory.remember({ title: "quokka lives in Perth" })
      yield* memory.remember({ title: "gulls sleep on one leg" })
      const recorded = yield* daybook.agent(agent, { trust: "full", record: true })
      for (const text of ["gulls", "quokka", "sleep leg"]) yield* recorded.search({ text })
      yield* daybook.flush(agent)
      const before = yield* memory.recalls.list()
      expect(before.map(({ text }) => text)).toEqual(["sleep leg", "quokka", "gulls"])
      const { agents } = yield* eraseAndCheck(daybook, { agent, ids: [id] })
      expect(agents[0]!.counts.queries).toBe(1)
      const after = yield* memory.recalls.list()
      expect(after[1]).toMatchObject({ number: before[1]!.number, text: "", erased: true })
      expect([after[0], after[2]]).toEqual([before[0], before[2]])
      expect(yield* Effect.flip(memory.recalls.rerun(before[1]!.number))).toMatchObject({ _tag: "RecallErased" })
      expect(yield* memory.recalls.rerun(before[0]!.number)).toMatchObject({ same: true })
    })
  )
})

describe("erasing a session", () => {
  it.scoped("takes its turns, what was captured from them, its summaries and scratchpads", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      yield* memory.sessions.append({ session: "monday", role: "user", text: "I like quokka. My kettle is wombat." })
      yield* memory.sessions.append({ session: "friday", role: "user", text: "I like gulls." })
      yield* memory.sessions.extract()
      yield* memory.scratchpad.write("monday", ["buy quokka food"])
      yield* TestClock.adjust("2 hours")
      yield* memory.maintenance.run({ stages: ["sessions"] })
      const other = yield* memory.sessions.get("friday")
      const { agents } = yield* eraseAndCheck(daybook, { agent, session: "monday" })
      expect(agents[0]!.counts).toMatchObject({ turns: 1, scratchpads: 1 })
      expect(agents[0]!.counts.memories).toBeGreaterThan(0)
      expect(yield* memory.sessions.get("friday")).toEqual(other)
      const text = yield* logText(daybook)
      for (const word of ["quokka", "wombat"]) expect(text).not.toContain(word)
      expect(text).toContain("gulls")
    })
  )

  it.scoped("takes what it added to an older memory out again", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const { id } = yield* memory.remember({ title: "harbour has a crane", facts: ["built: 1950"] })
      const [before] = yield* memory.get([id])
      yield* memory.remember({
        title: "harbour has a quokka",
        facts: ["color: red"],
        people: ["Anna"],
        tags: ["update"],
        session: "monday"
      })
      yield* memory.update(id, { facts: [...(yield* memory.get([id]))[0]!.facts, "height: 30 m"] })
      expect(JSON.stringify(yield* memory.get([id]))).toContain("quokka")
      const { agents } = yield* eraseAndCheck(daybook, { agent, session: "monday" })
      expect(agents[0]!.changed).toMatchObject([{ id }])
      const [after] = yield* memory.get([id])
      expect(after).toMatchObject({ title: before!.title, facts: ["built: 1950", "height: 30 m"], people: [] })
      for (const word of ["quokka", "Anna", "color"]) expect(yield* logText(daybook)).not.toContain(word)
    })
  )
})
