import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { codec } from "../events/Codec.js"
import type { DaybookEvent, Payload } from "../events/catalogue.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { levels, stores, type TrustLevel } from "../events/Trust.js"
import { hashVector } from "../layers/HashEmbedder.js"
import type { Daybook } from "../src/Daybook.js"
import type { Memory, MemoryReader } from "../src/Memory.js"
import { Embedder } from "../src/ports/Embedder.js"
import type { Rerun } from "../src/recalls/RecallReader.js"
import { rankerVersion } from "../src/search/ranker.js"
import { answers, type EngineOptions, fresh, open, type Probe, temporaryFolder } from "./support/engine.js"
import { eventually } from "./support/quiet.js"
import { refusingLog } from "./support/refusingLog.js"
import { rounds } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const minute = 60_000
/** The log of recalls as it comes, agents that stay awake. */
// Summaries that are made after a turn would add events of their own.
const recording = { recall: {}, actors: { idle: 365 * 24 * 60 * minute }, sessions: { after_turn: false } }

const eventsOf = (daybook: System) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) => [...events] as ReadonlyArray<DaybookEvent>)

const recordedIn = (daybook: System) =>
  Effect.map(eventsOf(daybook), (events) =>
    events.flatMap((event): ReadonlyArray<Payload<"RECALL">> => (event.type === "RECALL" ? [event.payload] : []))
  )

const sizesOf = (daybook: System) =>
  Effect.map(recordedIn(daybook), (batches) => batches.map(({ recalls }) => recalls.length))

const textsOf = (daybook: System) =>
  Effect.map(recordedIn(daybook), (batches) => batches.flatMap(({ recalls }) => recalls.map(({ text }) => text)))

/** A system at a fixed time with three memories and two turns, all of them with their vectors. */
const prepared = (options: EngineOptions = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook, folder } = yield* fresh({ ...options, policy: { ...recording, ...options.policy } })
    const memory = yield* daybook.agent(agent, { trust: "full" })
    for (const [index, store] of stores.entries()) yield* memory.remember({ title: `green tea ${index}`, store })
    yield* memory.sessions.append({ session: "monday", text: "Where is the kettle?", speaker: "Mira" })
    yield* memory.sessions.append({
      session: "monday",
      text: "Beside the green tea.",
      speaker: "Tom",
      role: "assistant"
    })
    yield* daybook.backfill(agent)
    return { daybook, folder, memory }
  })

describe("a recall", () => {
  it.scoped("is recorded a minute later, in one event, with everything its answer depended on and no text", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const { version } = yield* daybook.stats(agent)
      const hits = yield* memory.search({ text: "tea", tags: ["Work"], stores: ["shared", "social"], limit: 2 })
      const all = yield* memory.search({ text: "green tea", after: "2026-03-14" })
      yield* TestClock.adjust(minute / 2)
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      const said = yield* memory.sessions.search({ text: "where did Mira see the kettle", speakers: ["Mira"] })
      const newest = yield* inner.search({ text: "" })
      const whole = yield* inner.get([...all.map(({ id }) => id), "0000000000"])
      yield* inner.get(["0000000000"])
      expect([hits, all, said, newest, whole].map(({ length }) => length)).toEqual([0, 3, 1, 2, 2])
      yield* TestClock.adjust(minute / 2 - 1)
      expect(yield* sizesOf(daybook)).toEqual([])
      expect((yield* daybook.stats(agent)).recalls).toEqual({ recorded: 0, waiting: 5, dropped: 0 })
      yield* TestClock.adjust(1)
      expect((yield* daybook.stats(agent)).recalls).toEqual({ recorded: 5, waiting: 0, dropped: 0 })

      const event = (yield* eventsOf(daybook)).at(-1)!
      expect(event).toMatchObject({ type: "RECALL", version: version + 1, actor: "recall", recordedAt: start + minute })
      const [batch] = yield* recordedIn(daybook)
      expect(batch).toMatchObject({
        first: 1,
        ranker: rankerVersion,
        embedder: { model: "hash-256-v1", dimensions: 256 },
        policy: { fusion: "minmax", pool: 200 },
        dropped: 0
      })
      const shown = (of: ReadonlyArray<{ readonly id: string; readonly score: number }>) =>
        of.map(({ id, score }) => ({ id, score }))
      const vector = expect.stringMatching(/^[0-9a-f]{64}$/)
      const common = { level: "full", askedAt: start, position: version }
      const later = { askedAt: start + minute / 2, position: version }
      expect(batch!.recalls).toEqual([
        {
          ...common,
          kind: "memories",
          text: "tea",
          filters: {
            limit: 2,
            types: [],
            stores: ["shared", "social"],
            allTags: ["work"],
            tags: [],
            people: [],
            projects: [],
            sessions: []
          },
          mode: "enhanced",
          gated: false,
          reranker: null,
          vector,
          hits: []
        },
        {
          ...common,
          kind: "memories",
          text: "green tea",
          filters: {
            limit: 10,
            types: [],
            stores: [],
            tags: [],
            people: [],
            projects: [],
            sessions: [],
            after: Date.parse("2026-03-14")
          },
          mode: "enhanced",
          gated: false,
          reranker: "lexical-1",
          vector,
          hits: shown(all)
        },
        {
          ...common,
          ...later,
          kind: "conversation",
          text: "where did Mira see the kettle",
          filters: { limit: 10, sessions: [], stores: [], speakers: ["Mira"], roles: [], kinds: [] },
          mode: "enhanced",
          gated: false,
          reranker: null,
          vector,
          hits: shown(said)
        },
        {
          ...common,
          ...later,
          level: "inner",
          kind: "memories",
          text: "",
          filters: { limit: 10, types: [], stores: [], tags: [], people: [], projects: [], sessions: [] },
          mode: "enhanced",
          gated: false,
          reranker: null,
          vector: null,
          hits: shown(newest)
        },
        // Whole memories, as far as the level may read them; what showed nothing is left out.
        {
          ...common,
          ...later,
          level: "inner",
          kind: "get",
          text: "",
          filters: {},
          mode: null,
          gated: false,
          reranker: null,
          vector: null,
          hits: whole.map(({ id }) => ({ id, score: null }))
        }
      ])
      expect(JSON.stringify(batch)).not.toContain("green tea 1")
      expect(JSON.stringify(batch)).not.toContain("Beside")

      // A quiet minute has nothing to record; the next recall starts another.
      yield* TestClock.adjust(10 * minute)
      expect(yield* sizesOf(daybook)).toEqual([5])
      yield* memory.search({ text: "kettle" })
      yield* TestClock.adjust(minute)
      expect(yield* sizesOf(daybook)).toEqual([5, 1])
      expect((yield* memory.recalls.list({ limit: 2 })).map(({ number, text }) => [number, text])).toEqual([
        [6, "kettle"],
        [5, ""]
      ])
    })
  )

  it.scoped("is recorded at once if a hundred wait", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      for (let index = 0; index < 99; index++) yield* memory.search({ text: `tea ${index}` })
      yield* settled
      expect(yield* sizesOf(daybook)).toEqual([])
      for (let index = 99; index < 250; index++) yield* memory.search({ text: `tea ${index}` })
      // A background fiber records them.
      expect(yield* eventually(sizesOf(daybook), (sizes) => sizes.length > 1)).toEqual([100, 100])
      yield* TestClock.adjust(minute)
      expect(yield* eventually(sizesOf(daybook), (sizes) => sizes.length > 2)).toEqual([100, 100, 50])
      expect(yield* textsOf(daybook)).toEqual(Array.from({ length: 250 }, (_, index) => `tea ${index}`))
    })
  )

  it.scoped("is recorded on request, also for a sleeping agent, and on shutdown", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      const policy = { recall: {}, actors: { open: 1 } }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { policy })
          const memory = yield* daybook.agent(agent, { trust: "full" })
          yield* memory.remember({ title: "green tea" })
          yield* memory.search({ text: "one" })
          expect(yield* daybook.flush(agent)).toBe(1)
          expect(yield* daybook.flush(agent)).toBe(0)
          expect(yield* textsOf(daybook)).toEqual(["one"])
          yield* memory.search({ text: "two" })
          // There is room for one agent only.
          yield* (yield* daybook.agent("bob", { trust: "full" })).list()
          yield* TestClock.adjust(minute - 1)
          expect(yield* textsOf(daybook)).toEqual(["one"])
          yield* TestClock.adjust(1)
          expect(yield* textsOf(daybook)).toEqual(["one", "two"])
          // Nobody was woken for it.
          expect(yield* daybook.awake).toBe(0)
          yield* memory.search({ text: "three" })
          yield* memory.search({ text: "four" })
          yield* (yield* daybook.agent("bob", { trust: "full" })).list()
        })
      )
      const daybook = yield* open(folder, { policy })
      expect(yield* textsOf(daybook)).toEqual(["one", "two", "three", "four"])
      const memory = yield* daybook.agent(agent, { trust: "full" })
      expect((yield* memory.recalls.list()).map(({ number, text }) => [number, text])).toEqual([
        [4, "four"],
        [3, "three"],
        [2, "two"],
        [1, "one"]
      ])
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )

  it.scoped("is not recorded for the past, for unknown agents, or if policy or handle disable it", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared()
      const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 2 } })
      yield* past.search({ text: "tea" })
      const silent = yield* daybook.agent(agent, { trust: "full", record: false })
      yield* silent.search({ text: "tea" })
      yield* memory.list()
      yield* memory.timeline({ anchor: (yield* memory.list())[0]!.id })
      expect(Either.isLeft(yield* Effect.either(memory.search({ text: "tea", limit: 0 })))).toBe(true)
      const nobody = yield* daybook.agent("nobody", { trust: "full" })
      yield* nobody.search({ text: "tea" })
      for (const one of [agent, "nobody"]) expect(yield* daybook.flush(one)).toBe(0)
      expect((yield* daybook.agents).map(({ name }) => name)).toEqual([agent])

      const off = yield* open(folder)
      yield* (yield* off.agent(agent, { trust: "full" })).search({ text: "tea" })
      expect(yield* off.flush(agent)).toBe(0)
      yield* (yield* off.agent(agent, { trust: "full", record: true })).search({ text: "tea" })
      expect(yield* off.flush(agent)).toBe(1)
    })
  )

  it.scoped("counts how often and when a memory was shown", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const [hit] = yield* memory.search({ text: "+2 tea" })
      yield* TestClock.adjust(minute)
      yield* (yield* daybook.agent(agent, { trust: "familiar" })).get([hit!.id])
      yield* daybook.flush(agent)
      const quiet = (trust: TrustLevel) => daybook.agent(agent, { trust, record: false })
      const [whole] = yield* (yield* quiet("full")).get([hit!.id])
      expect(whole).toMatchObject({ accesses: 2, lastAccessedAt: start + minute })
      const [below] = yield* (yield* quiet("familiar")).get([hit!.id])
      expect(below).not.toHaveProperty("accesses")
      expect(below).not.toHaveProperty("lastAccessedAt")
    })
  )
})

/** Lets what goes on in the background come to its end, without time passing. */
const settled = TestClock.adjust(0)

describe("a log that refuses writes", () => {
  it.scoped("fails no read; recalls wait, and the oldest are dropped and counted", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      const { layer, state } = refusingLog(folder)
      const policy = { ...recording, recall: { batch: 10 } }
      const daybook = yield* open(folder, { log: layer, policy })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "green tea" })
      yield* daybook.backfill(agent)
      state.sound = false
      for (let index = 0; index < 130; index++) {
        expect(yield* memory.search({ text: `tea ${index}` })).toHaveLength(1)
        // A full queue that could not be emptied is no reason to try again and again.
        if (index % 10 === 9) yield* settled
      }
      const refused = (count: number) =>
        eventually(
          Effect.sync(() => state.refused),
          (now) => now >= count
        )
      expect(yield* refused(1)).toBe(1)
      for (let count = 2; count <= 4; count++) {
        yield* TestClock.adjust(minute)
        expect(yield* refused(count)).toBe(count)
      }
      expect((yield* daybook.stats(agent)).recalls).toEqual({ recorded: 0, waiting: 100, dropped: 30 })
      const error = yield* Effect.flip(daybook.flush(agent))
      expect(error).toMatchObject({ _tag: "StorageError", kind: "full" })
      state.sound = true
      yield* TestClock.adjust(minute)
      const recalls = Effect.map(daybook.stats(agent), (stats) => stats.recalls)
      expect(yield* eventually(recalls, ({ recorded }) => recorded >= 100)).toEqual({
        recorded: 100,
        waiting: 0,
        dropped: 30
      })
      const batches = yield* recordedIn(daybook)
      expect(batches.map(({ dropped, first, recalls }) => [first, recalls.length, dropped])).toEqual(
        Array.from({ length: 10 }, (_, index) => [1 + 10 * index, 10, index === 0 ? 30 : 0])
      )
      expect(yield* textsOf(daybook)).toEqual(Array.from({ length: 100 }, (_, index) => `tea ${30 + index}`))
    })
  )

  it.scoped("fails no shutdown", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      const { layer, state } = refusingLog(folder)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { log: layer, policy: recording })
          const memory = yield* daybook.agent(agent, { trust: "full" })
          yield* memory.remember({ title: "green tea" })
          yield* memory.search({ text: "tea" })
          state.sound = false
        })
      )
      expect(state.refused).toBeGreaterThan(0)
      const daybook = yield* open(folder)
      expect(yield* sizesOf(daybook)).toEqual([])
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )
})

/** Documents wait at a gate; each query gets a vector that no other query ever gets, or none in time. */
const moody = Effect.map(Effect.makeLatch(false), (gate) => {
  const state = { queries: 0, hanging: false }
  const layer = Layer.succeed(Embedder, {
    model: "moody-256",
    dimensions: 256,
    weight: 0.4,
    floor: 0.1,
    batch: 8,
    embed: (texts, purpose) =>
      Effect.gen(function* () {
        if (purpose === "document") yield* gate.await
        else {
          state.queries++
          if (state.hanging) return yield* Effect.never
        }
        return texts.map((text) => {
          const vector = hashVector(text)
          if (purpose === "query") vector[state.queries % 256]! += 0.2 + state.queries / 1_000
          return vector
        })
      })
  })
  return { gate, layer, state }
})

describe("a rerun", () => {
  const words = "green tea kettle deploy release harbour ferry Emden oslo".split(" ")
  const sentence = (seed: number, length: number) =>
    Array.from({ length }, (_, index) => words[(seed * 7 + index * (1 + (seed % 4))) % words.length]).join(" ")

  it.scoped("is exact in classic mode, with the gate, and without the reranker", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ policy: recording })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.rememberAll(Array.from({ length: 5 }, (_, index) => ({ title: `deploy number ${index}` })))
      yield* memory.sessions.appendAll(
        Array.from({ length: 40 }, (_, index) => ({
          session: `s${index}`,
          text: index % 3 === 0 ? `the meeting of part ${index} is over` : "The meeting is over again"
        }))
      )
      const asked = [
        yield* memory.search({ text: "deploy", mode: "classic", gate: true }),
        yield* memory.search({ text: "deploy", gate: true }),
        yield* memory.sessions.search({ text: "meeting", mode: "classic" }),
        yield* memory.sessions.search({ text: "meeting over again" }),
        yield* memory.sessions.search({ text: "meeting in June 2025" }),
        yield* memory.explain({ text: "deploy -number" }).pipe(Effect.map(({ hits }) => hits)),
        yield* memory.search({ text: "type:discovery -three" }),
        yield* memory.search({ text: "deploy -type:task -project:crane -store:social" }),
        yield* memory.sessions.search({ text: "meeting -session:s1 NOT role:assistant" })
      ]
      expect(asked.map((hits) => hits.length > 0)).toEqual([false, false, true, true, true, false, true, true, true])
      yield* daybook.flush(agent)
      for (const [index, hits] of asked.entries()) {
        const { differences, hits: again } = yield* memory.recalls.rerun(index + 1)
        expect([index, differences, again.length]).toEqual([index, [], hits.length])
      }
    })
  )

  it.scoped(
    "gives the same ids and scores after many more writes and a rebuild, also for a query made while vectors were being computed",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { gate, layer, state } = yield* moody
        const folder = yield* temporaryFolder
        const policy = { ...recording, embedding: { gather: 0 }, search: { recencyWeight: 0.2, queryTimeout: 100 } }
        const daybook = yield* open(folder, { embedder: layer, policy })
        const full = yield* daybook.agent(agent, { trust: "full" })
        const asked: Array<{
          readonly kind: string
          readonly vectors: number
          readonly hits: ReadonlyArray<{ readonly id: string; readonly score: number }>
        }> = []
        const ids: Array<string> = []
        let unfinished = 0
        for (let round = 0; round < rounds({ quick: 12, full: 24 }); round++) {
          yield* round % 4 === 3 ? gate.open : gate.close
          const remembered = Array.from({ length: 3 }, (_, index) => ({
            title: `${sentence(round * 3 + index, 5)} ${round}`,
            store: stores[(round + index) % 3]!,
            ...(index === 0 ? { expiresAt: start + 80 * 60 * minute } : {})
          }))
          for (const one of yield* full.rememberAll(remembered)) ids.push(Either.getOrThrow(one).id)
          yield* full.sessions.appendAll([
            { session: "monday", text: sentence(round, 9), speaker: "Mira", store: stores[round % 3]! },
            { session: "monday", text: `${sentence(round + 5, 7)} on 14 March`, speaker: "Tom", store: "social" }
          ])
          if (round % 5 === 4) yield* Effect.ignore(full.update(ids[round]!, { narrative: sentence(round, 12) }))
          if (round % 6 === 5) yield* Effect.ignore(full.update(ids[round]!, { store: "private" }))
          if (round % 7 === 6) yield* Effect.ignore(full.forget(ids[round + 1]!))
          // Asked hours after the newest event: on another day, often, and when something else has expired.
          yield* TestClock.adjust("7 hours")
          for (const trust of levels) {
            const reader = yield* daybook.agent(agent, { trust })
            const { conversation, vectors } = yield* daybook.stats(agent)
            const missing = (all: number, embedded: number) => embedded > 0 && embedded < all
            const text = round % 8 === 7 ? "" : sentence(round, 2)
            state.hanging = round % 9 === 8
            const search = yield* Effect.fork(
              reader.search({ text, limit: 20, ...(round % 3 === 0 ? { after: 0 } : {}) })
            )
            yield* TestClock.adjust(100)
            asked.push({ kind: "memories", vectors: vectors.embedded, hits: yield* Fiber.join(search) })
            const heard = yield* Effect.fork(reader.sessions.search({ text: `what did Tom say about ${text}` }))
            yield* TestClock.adjust(100)
            asked.push({ kind: "conversation", vectors: conversation.embedded, hits: yield* Fiber.join(heard) })
            if (missing(conversation.chunks, conversation.embedded)) unfinished++
          }
        }
        // Searches happened while some had their vectors and others had not.
        expect(unfinished).toBeGreaterThan(rounds({ quick: 10, full: 20 }))
        expect(new Set(asked.map(({ vectors }) => vectors)).size).toBeGreaterThan(5)
        yield* gate.open
        yield* daybook.flush(agent)
        yield* daybook.backfill(agent)

        const more = Array.from({ length: rounds({ quick: 100, full: 1_000, ci: 250 }) }, (_, index) => ({
          title: `${sentence(index, 6)} more ${index}`,
          store: stores[index % 3]!
        }))
        yield* full.rememberAll(more)
        yield* full.sessions.appendAll(
          Array.from({ length: 50 }, (_, index) => ({ session: "monday", text: sentence(index, 8), store: "social" }))
        )
        for (const id of ids.slice(0, 20))
          yield* full.update(id, { title: "something else", store: "private" }).pipe(Effect.ignore)
        yield* full.sessions.forget("monday")
        yield* daybook.backfill(agent)
        yield* TestClock.adjust("30 days")
        yield* daybook.rebuild(agent)

        state.hanging = true
        const before = state.queries
        for (const [index, { hits, kind }] of asked.entries()) {
          const again = yield* full.recalls.rerun(index + 1)
          expect(again.recall.kind).toBe(kind)
          expect(again.differences).toEqual([])
          expect(again.same).toBe(true)
          const now = again.hits as typeof hits
          expect(now.map(({ id }) => id)).toEqual(hits.map(({ id }) => id))
          // To the last bit.
          for (const [place, { score }] of now.entries()) expect(score === hits[place]!.score).toBe(true)
        }
        expect(state.queries).toBe(before)
        expect(asked.filter(({ hits }) => hits.length > 0).length).toBeGreaterThan(rounds({ quick: 50, full: 100 }))
        const recalls = (yield* recordedIn(daybook)).flatMap(({ recalls }) => recalls)
        const [with_, without] = [
          recalls.filter(({ vector }) => vector !== null),
          recalls.filter(({ vector }) => vector === null)
        ]
        expect(without.length).toBeGreaterThan(rounds({ quick: 5, full: 10 }))
        // No vector of a query took the place of another's.
        expect(new Set(with_.map(({ vector }) => vector)).size).toBe(with_.length)
        expect((yield* daybook.verify()).problems).toEqual([])
      })
  )

  it.scoped("uses the recorded policy and embedder parameters, and reports changed ones", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared({
        policy: { search: { recencyWeight: 0.3 } }
      })
      const first = yield* memory.search({ text: "green kettle tea" })
      yield* daybook.flush(agent)
      const later = yield* open(folder, {
        policy: { search: { fusion: "rrf", mentionWeight: 1, vectorWeight: 0.9 } }
      })
      yield* later.embedders.switchTo(agent, "words")
      const reader = yield* later.agent(agent, { trust: "full" })
      const again = yield* reader.recalls.rerun(1)
      expect(again.same).toBe(true)
      expect(again.hits).toEqual(first)
      expect(again.differences).toEqual([
        { what: "embedder", was: "hash-256-v1, 256 dimensions", is: "glove-100-v1, 100 dimensions" }
      ])
      expect(again.recall).toMatchObject({
        number: 1,
        embedder: { model: "hash-256-v1", dimensions: 256 },
        policy: { recencyWeight: 0.3, fusion: "minmax" }
      })
      expect((yield* reader.search({ text: "green kettle tea" })).map(({ score }) => score)).not.toEqual(
        first.map(({ score }) => score)
      )
    })
  )

  it.scoped("uses no vectors if the recall used none", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* prepared()
      const texts = ["kettles", "green tea"]
      const asked = yield* Effect.scoped(
        Effect.gen(function* () {
          const without = yield* open(folder, { policy: recording, vectorExtension: null })
          const reader = yield* without.agent(agent, { trust: "full" })
          const memories = yield* Effect.forEach(texts, (text) => reader.search({ text }))
          return [...memories, ...(yield* Effect.forEach(texts, (text) => reader.sessions.search({ text })))]
        })
      )
      const again = yield* open(folder)
      const reader = yield* again.agent(agent, { trust: "full" })
      for (const [index, hits] of asked.entries()) {
        expect(yield* reader.recalls.rerun(index + 1)).toMatchObject({ same: true, hits, recall: { embedder: null } })
      }
      // With vectors other scores come of it.
      expect(yield* reader.search({ text: "green tea" })).not.toEqual(asked[1])
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )

  it.scoped("reports differences: the ranker's version, a missing vector, and each rank", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared()
      const hits = yield* memory.search({ text: "green tea" })
      yield* daybook.flush(agent)
      const [batch] = yield* recordedIn(daybook)
      const [one, two, three] = batch!.recalls[0]!.hits
      expect(hits).toHaveLength(3)
      const recorded = {
        ...batch!,
        first: 2,
        ranker: rankerVersion - 1,
        recalls: [
          { ...batch!.recalls[0]!, vector: "ab".repeat(32), hits: [two!, one!, three!, { id: "gone", score: 0.1 }] }
        ]
      }
      const head = (yield* daybook.agents)[0]!.version
      const elsewhere = Effect.gen(function* () {
        const log = yield* EventLog
        const event = { type: "RECALL", ...codec.encode("RECALL", recorded) }
        yield* log.append({ stream: agent, expected: head, now: start, commands: [{ actor: "test", events: [event] }] })
      })
      yield* Effect.provide(elsewhere, EventLogSqlite.layer(folder))
      const again = yield* memory.recalls.rerun(2)
      expect(again.same).toBe(false)
      const [ranker, vector, ...places] = again.differences
      expect(ranker).toEqual({ what: "ranker", was: String(rankerVersion - 1), is: String(rankerVersion) })
      expect(vector).toEqual({ what: "vector", was: "ab".repeat(32), is: "none" })
      expect(places.map((one) => one.what === "hit" && [one.place, one.was?.id, one.is?.id])).toEqual([
        [1, two!.id, one!.id],
        [2, one!.id, two!.id],
        // Without its vector it has another score.
        [3, three!.id, three!.id],
        [4, "gone", undefined]
      ])
      expect((yield* memory.recalls.rerun(1)).differences).toEqual([])
    })
  )

  it.scoped("works for reads by id, and for a query above the length limit", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const { id } = (yield* memory.list())[0]!
      yield* memory.get([id, "0000000000"])
      const long = `green tea ${"and so on ".repeat(1_000)} said Mira on 14 March 2026`
      const hits = yield* memory.sessions.search({ text: long })
      yield* daybook.flush(agent)
      yield* memory.update(id, { title: "another one" })
      yield* memory.forget(id)
      const whole: Rerun = yield* memory.recalls.rerun(1)
      expect(whole).toMatchObject({ same: true, hits: [{ id, title: "green tea 2" }] })
      const said = yield* memory.recalls.rerun(2)
      expect(said.recall.text.length).toBeLessThan(long.length)
      expect(said).toMatchObject({ same: true, hits })
    })
  )
})

describe("the recall log", () => {
  const probe = (ids: ReadonlyArray<string>): Probe => ({
    ids,
    texts: ["tea", "green tea", "kettle", "canaryquery"],
    people: ["mira", "canaryquery"]
  })

  it.scoped("requires full trust, and changes no byte of other answers", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared({ policy: { recall: { log: false } } })
      const ids = (yield* memory.list()).map(({ id }) => id)
      const everybody = Effect.gen(function* () {
        const all: Record<string, string> = {}
        for (const trust of levels.slice(1)) {
          for (const asOf of [undefined, { at: start }]) {
            const reader: MemoryReader = yield* asOf === undefined
              ? daybook.agent(agent, { trust })
              : daybook.agent(agent, { trust, asOf })
            for (const [name, answer] of Object.entries(yield* answers(reader, probe(ids))))
              all[`${trust} ${asOf === undefined} ${name}`] = answer
          }
        }
        return all
      })
      const unchanged = ({ list, timeline, history, search, people, sessions }: Memory) =>
        Effect.all([
          list(),
          timeline({ anchor: ids[0]! }),
          history(ids[0]!),
          search({ text: "tea" }),
          people(),
          sessions.get("monday")
        ])
      const [before, fully] = [yield* everybody, yield* unchanged(memory)]
      const { stateDigest } = yield* daybook.digests(agent)
      for (const trust of levels) {
        const reader = yield* daybook.agent(agent, { trust, record: true })
        for (let index = 0; index < 30; index++) yield* reader.search({ text: `canaryquery tea ${index}` })
        yield* reader.sessions.search({ text: "canaryquery kettle" })
        yield* reader.get(ids)
      }
      yield* daybook.flush(agent)
      expect(yield* everybody).toEqual(before)
      expect(yield* unchanged(memory)).toEqual(fully)
      expect((yield* daybook.digests(agent)).stateDigest).toBe(stateDigest)
      expect(JSON.stringify(before)).not.toContain("canaryquery tea")

      for (const trust of levels.slice(1)) {
        const reader = yield* daybook.agent(agent, { trust })
        for (const read of [
          reader.recalls.list(),
          reader.recalls.list({ limit: -1 }),
          reader.recalls.get(1),
          reader.recalls.get(10_000),
          reader.recalls.rerun(1),
          reader.recalls.rerun(-1)
        ] as ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>>) {
          const error = yield* Effect.flip(read)
          expect({ ...error }).toEqual({ _tag: "TrustRequired", what: "reading recalls" })
        }
      }
      // 30 searches and one of conversations at each level, and whole memories where the level reads any.
      expect(yield* memory.recalls.list({ limit: 1_000 })).toHaveLength(4 * 31 + 3)
    })
  )

  it.scoped("can be read as of a version", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const { version } = yield* daybook.stats(agent)
      for (const text of ["one", "two"]) {
        yield* memory.search({ text })
        yield* daybook.flush(agent)
      }
      const then = (at: number) => daybook.agent(agent, { trust: "full", asOf: { version: at } })
      for (const [at, texts] of [
        [version, []],
        [version + 1, ["one"]],
        [version + 2, ["two", "one"]]
      ] as const) {
        expect((yield* (yield* then(at)).recalls.list()).map(({ text }) => text)).toEqual(texts)
      }
      const past = yield* then(version + 1)
      expect((yield* past.recalls.get(1)).text).toBe("one")
      expect((yield* past.recalls.rerun(1)).same).toBe(true)
      for (const read of [past.recalls.get(2), past.recalls.rerun(2), memory.recalls.get(3)] as ReadonlyArray<
        Effect.Effect<unknown, { readonly _tag: string }>
      >) {
        expect((yield* Effect.flip(read))._tag).toBe("RecallNotFound")
      }
      for (const number of [0, 1.5, Number.NaN]) {
        expect(yield* Effect.flip(memory.recalls.get(number))).toMatchObject({ _tag: "InvalidInput", field: "number" })
      }
    })
  )

  it.scopedLive("of two processes has one sequence of numbers", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const systems = [yield* open(folder, { policy: recording }), yield* open(folder, { policy: recording })]
      const memories = yield* Effect.forEach(systems, (one) => one.agent(agent, { trust: "full" }))
      yield* memories[0]!.remember({ title: "green tea" })
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) =>
          Effect.zipRight(memories[index % 2]!.search({ text: `tea ${index}` }), systems[index % 2]!.flush(agent)),
        { concurrency: 8 }
      )
      for (const memory of memories) {
        const all = yield* memory.recalls.list({ limit: 100 })
        expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, index) => 40 - index))
        expect(new Set(all.map(({ text }) => text)).size).toBe(40)
      }
    })
  )
})
