import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { codec } from "../events/Codec.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { projections as all } from "../projections/all.js"
import type { Projection } from "../projections/Projection.js"
import { textDigest } from "../projections/vectors.js"
import type { Memory, MemoryReader } from "../src/Memory.js"
import { limits } from "../src/model/limits.js"
import { chunkingVersion, chunkLength, chunkNumber, chunkOverlap, chunkTextsOf } from "../text/normalise/chunks.js"
import { answers, fresh, open, temporaryFolder } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns } from "./support/size.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook } = yield* fresh()
  return { daybook, memory: yield* daybook.agent(agent, { trust: "full" }) }
})

const textsOf = (memory: MemoryReader, text: string) =>
  Effect.map(memory.sessions.search({ text, limit: 20 }), (hits) => hits.map((hit) => hit.text))

const say = (memory: Memory, session: string, ...texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => memory.sessions.append({ session, text }))

const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `w${from + at}`).join(" ")

describe("tool calls of turns", () => {
  it.scoped("are found by their arguments and by their results", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const {
        turn: { id }
      } = yield* memory.sessions.append({
        session: "monday",
        role: "assistant",
        text: "I looked it up.",
        toolCalls: [
          { name: "timetable", arguments: '{"harbour":"Vellanoor"}', result: `${words(400)} departs at pier nine` },
          { name: "clock", result: "zephyrine" }
        ]
      })
      for (const text of ["Vellanoor", "departs pier nine", "timetable", "zephyrine"]) {
        const [hit, ...others] = yield* memory.sessions.search({ text })
        expect(hit).toMatchObject({ id, kind: "turn", sequence: 1 })
        expect(others).toEqual([])
      }
      expect((yield* memory.sessions.search({ text: "zephyrine" }))[0]!.text).toBe("clock\nzephyrine")
      yield* expectSameAfterRebuild(daybook, agent)
      yield* memory.sessions.forget("monday")
      expect(yield* memory.sessions.search({ text: "zephyrine" })).toEqual([])
    })
  )

  it.scoped("share the limit of a turn's indexed text", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      const result = `${"long ".repeat(20_000)}`
      const toolCalls = Array.from({ length: 100 }, (_, index) => ({ name: `tool${index}`, result }))
      yield* memory.sessions.append({ session: "monday", text: "all", toolCalls })
      expect(yield* textsOf(memory, "tool0")).toHaveLength(1)
      expect(yield* textsOf(memory, "tool99")).toEqual([])
    })
  )
})

describe("chunks", () => {
  const texts = fc.array(
    fc.constantFrom("word ", "A sentence. ", "line\n", "東京。", "🚀", "x".repeat(700), " ", "é", "what? "),
    { maxLength: 300 }
  )

  it("cover a text in order; none is too long or splits a character, and each repeats little of the last", () => {
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join("")
        const chunks = chunkTextsOf(text)
        let at = 0
        let end = 0
        for (const [index, chunk] of chunks.entries()) {
          expect(chunk.length).toBeLessThanOrEqual(chunkLength)
          expect(chunk.isWellFormed()).toBe(true)
          // Repetitive text has the chunk in several places: the one that belongs here begins where it must.
          const from = text.indexOf(chunk, index === 0 ? 0 : Math.max(at + 1, end - chunkOverlap - 1))
          expect(from).toBeGreaterThanOrEqual(0)
          expect(from).toBeLessThanOrEqual(end)
          at = from
          end = from + chunk.length
        }
        expect(chunks.at(-1)).toBe(text.slice(text.length - chunks.at(-1)!.length))
      }),
      { numRuns: lawRuns({ quick: 30, full: 300, ci: 80 }) }
    )
  })

  it("of the longest allowed turn have distinct numbers, however it is cut", () => {
    // The only end of a sentence stands right behind the middle of each chunk.
    const text = `${"x".repeat(320)}. `.repeat(4_000).slice(0, limits.turn)
    const chunks = chunkTextsOf(text)
    expect(chunks.length).toBeGreaterThan(3_000)
    expect(chunkNumber(7, chunks.length)).toBeLessThan(chunkNumber(8, 0))
  })

  it("end at a sentence if possible, otherwise between words", () => {
    const [first, second] = chunkTextsOf(`${words(100)}. ${words(100, 100)}`)
    expect(first).toMatch(/w99\. $/)
    expect(second).toMatch(/^w\d+ /)
    expect(chunkTextsOf("x".repeat(chunkLength))).toHaveLength(1)
    expect(chunkTextsOf(words(200))[0]).toMatch(/\s$/)
  })
})

describe("sessions", () => {
  it.scoped("begin with their first turn, keep their order, and are listed by recency", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      yield* say(memory, "monday", "Hello", "How are you?")
      yield* TestClock.adjust("1 hours")
      yield* memory.sessions.append({ session: "friday", text: "Bye", role: "assistant", speaker: "Mira", sequence: 7 })
      yield* memory.sessions.append({ session: "friday", text: "See you", at: "2026-03-14T06:30:00Z" })
      expect(yield* memory.sessions.list()).toMatchObject([
        { session: "friday", turns: 2, sequence: 8, speakers: ["Mira"], lastAt: start + 3_600_000 },
        { session: "monday", turns: 2, sequence: 2, speakers: [], startedAt: start, lastAt: start }
      ])
      expect((yield* memory.sessions.get("monday", { last: 1 })).map(({ text }) => text)).toEqual(["How are you?"])
      const late = yield* Effect.flip(memory.sessions.append({ session: "friday", text: "again", sequence: 8 }))
      expect(late).toMatchObject({ _tag: "SequenceConflict", session: "friday", sequence: 8, last: 8 })
      expect((yield* memory.sessions.get("friday")).map(({ text }) => text)).toEqual(["Bye", "See you"])
    })
  )

  it.scoped("refuse invalid turns by field, and repeat the first answer to a command id", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const outcomes = yield* memory.sessions.appendAll([
        { session: "", text: "x" },
        { session: "s", text: " " },
        { session: "s", text: "x", role: "nobody" as never },
        { session: "s", text: "x", sequence: 0 },
        { session: "s", text: "x", at: "yesterday" },
        { session: "s", text: "lone \ud800" },
        { session: "s", text: "", toolCalls: [{ name: "clock" }] }
      ])
      expect(outcomes.map((one) => (Either.isLeft(one) ? (one.left as { field?: string }).field : "taken"))).toEqual([
        "session",
        "text",
        "role",
        "sequence",
        "at",
        "text",
        "taken"
      ])
      const turn = { session: "s", text: "once" }
      const first = yield* memory.sessions.append(turn, { commandId: "c" })
      expect(yield* memory.sessions.append(turn, { commandId: "c" })).toEqual({
        ...first,
        turn: { ...first.turn, repeated: true }
      })
      expect((yield* memory.sessions.get("s")).map(({ text }) => text)).toEqual(["", "once"])
      expect((yield* daybook.stats(agent)).version).toBe(2)
    })
  )

  it.scoped("are forgotten with everything that belongs to them, as far as the level may read it", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      yield* memory.sessions.append({ session: "s", text: "private kettle" })
      yield* inner.sessions.append({ session: "s", text: "shared kettle", store: "shared" })
      yield* memory.sessions.append({ session: "other", text: "another kettle" })
      yield* daybook.backfill(agent)
      const [, past] = yield* Effect.all([
        memory.sessions.get("s"),
        daybook.agent(agent, { trust: "full", asOf: { version: 3 } })
      ])
      expect(yield* inner.sessions.forget("s")).toEqual({
        outcome: "forgotten",
        session: "s",
        turns: 1,
        repeated: false
      })
      expect((yield* memory.sessions.get("s")).map(({ text }) => text)).toEqual(["private kettle"])
      expect((yield* Effect.flip(inner.sessions.forget("s")))._tag).toBe("SessionNotFound")
      expect((yield* memory.sessions.forget("s")).turns).toBe(1)
      expect(yield* memory.sessions.get("s")).toEqual([])
      expect((yield* memory.sessions.list()).map(({ session }) => session)).toEqual(["other"])
      expect(yield* textsOf(memory, "kettle")).toEqual(["another kettle"])
      expect((yield* textsOf(past, "kettle")).sort()).toEqual(["another kettle", "private kettle", "shared kettle"])
      expect((yield* memory.sessions.append({ session: "s", text: "begun again" })).turn.sequence).toBe(1)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )
})

describe("while its projection is parked", () => {
  /** Conversations that stop at one text. */
  const stopping = all.map((one): Projection => {
    if (one.name !== "conversation") return one
    const apply: Projection["apply"] = (db, event, lookup) => {
      if (event.type === "TURN" && event.payload.turn.text === "poison") throw new TypeError("a text of the user")
      one.apply(db, event, lookup)
    }
    return { ...one, apply }
  })
  const parked = { _tag: "ProjectionParked", projection: "conversation", reason: "TypeError" }

  it.scoped("writes of conversations fail with the projection's name and the reason; memories still work", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const memory = yield* (yield* open(folder)).agent(agent, { trust: "full" })
          yield* say(memory, "s", "one", "poison", "three")
        })
      )
      rmSync(join(folder, "views"), { recursive: true })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, { projections: stopping })
          const memory = yield* daybook.agent(agent, { trust: "full" })
          const { version } = yield* daybook.stats(agent)
          // By its frozen tables the next turn of the session would be the second.
          expect(yield* Effect.flip(memory.sessions.append({ session: "s", text: "four" }))).toMatchObject(parked)
          expect(yield* Effect.flip(memory.sessions.forget("s"))).toMatchObject(parked)
          expect(yield* Effect.flip(memory.files.add({ path: "a.md", text: "six" }))).toMatchObject(parked)
          expect(yield* Effect.flip(memory.files.forget("a.md"))).toMatchObject(parked)
          expect((yield* Effect.flip(memory.sessions.forget("s"))).message).toContain(
            "conversation is parked (TypeError)"
          )
          for (const outcome of yield* memory.sessions.appendAll([{ session: "t", text: "five" }])) {
            expect(Either.isLeft(outcome) && outcome.left).toMatchObject(parked)
          }
          expect((yield* daybook.stats(agent)).version).toBe(version)
          yield* memory.remember({ title: "still kept" })
        })
      )
      const daybook = yield* open(folder)
      yield* daybook.rebuild(agent)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      expect((yield* memory.sessions.append({ session: "s", text: "four" })).turn.sequence).toBe(4)
    })
  )

  it.scoped("the turn that parks it fails too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* fresh({ projections: stopping })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* say(memory, "s", "one")
      expect(yield* Effect.flip(memory.sessions.append({ session: "s", text: "poison" }))).toMatchObject(parked)
      expect((yield* daybook.stats(agent)).version).toBe(1)
      yield* daybook.rebuild(agent)
      expect((yield* memory.sessions.append({ session: "s", text: "two" })).turn.sequence).toBe(2)
    })
  )
})

describe("vectors of chunks", () => {
  it.scoped("with an old chunking version are ignored, and made again", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const folder = yield* temporaryFolder
      const at = yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder)
          yield* say(yield* daybook.agent(agent, { trust: "full" }), "s", "the harbour of Emden", "the pilot")
          return (yield* daybook.stats(agent)).version
        })
      )
      const other = {
        type: "EMBED" as const,
        payload: {
          model: "hash-256-v1",
          dimensions: 256,
          entries: [],
          chunks: [{ turn: "x", born: chunkNumber(1, 0), store: "private" as const, digest: textDigest("elsewhere") }],
          cutting: chunkingVersion + 1
        }
      }
      const { payload, schema } = codec.encode(other.type, other.payload)
      const vectors = [
        { ...other.payload, digest: textDigest("elsewhere"), vector: new Float32Array(256).fill(0.0625) }
      ]
      const commands = [{ actor: "embedder", events: [{ type: other.type, schema, payload }] }]
      yield* Effect.flatMap(EventLog, (log) =>
        log.append({ stream: agent, expected: at, now: start, commands, vectors })
      ).pipe(Effect.provide(EventLogSqlite.layer(folder)))
      const daybook = yield* open(folder)
      expect((yield* daybook.stats(agent)).conversation).toMatchObject({ chunks: 2, embedded: 0 })
      expect(yield* daybook.backfill(agent)).toEqual({ embedded: 2, remaining: 0 })
    })
  )
})

describe("a search of conversations", () => {
  it.scoped("finds the end of a long tool output, with one hit per turn", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      yield* memory.sessions.append({
        session: "s",
        role: "tool",
        text: `${words(3_000)} the needle lies here ${words(3_000, 3_000)}`
      })
      const hits = yield* memory.sessions.search({ text: "needle" })
      expect(hits).toHaveLength(1)
      expect(hits[0]!.text).toContain("needle")
      expect(hits[0]!.text.length).toBeLessThanOrEqual(chunkLength)
      expect(yield* memory.sessions.search({ text: "w5999" })).toHaveLength(1)
    })
  )

  it.scoped("finds repeated words once: the chunk has the first and the last time", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      yield* say(memory, "s", "good morning kettle", "yes", "good morning kettle")
      yield* say(memory, "t", "good morning kettle")
      // Somebody else who says the same is another one who said it.
      yield* memory.sessions.append({ session: "u", text: "okay zebra", speaker: "Ann" })
      yield* memory.sessions.append({ session: "u", text: "okay zebra", speaker: "Bo" })
      expect(yield* memory.sessions.search({ text: "zebra", speakers: ["bo "] })).toMatchObject([
        { speaker: "Bo", sequence: 2, sequenceEnd: 2 }
      ])
      const hits = yield* memory.sessions.search({ text: "kettle morning", sessions: ["s"] })
      expect(hits.map(({ sequence, sequenceEnd, text }) => [text, sequence, sequenceEnd])).toEqual([
        ["good morning kettle", 1, 3],
        ["yes", 2, 2]
      ])
      expect((yield* memory.sessions.get("s")).map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    })
  )

  it.scoped("finds repeated words by the neighbours of each occurrence, and by the day of each", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const days = ["2023-05-08T10:00:00Z", "2023-06-09T10:00:00Z", "2024-01-10T10:00:00Z"]
      const told = [
        ["Do we sail to Emden?", "Yes, we do."],
        ["Do we sail to Emden?", "Yes, we do.", "Then I tell the pilot."],
        ["Shall I paint the kettle?", "Yes, we do.", "In green then."]
      ]
      for (const [index, texts] of told.entries()) {
        for (const text of texts) yield* memory.sessions.append({ session: "s", text, at: days[index]! })
      }
      const yes = (query: object) =>
        Effect.map(memory.sessions.search({ ...query, limit: 50 }), (hits) =>
          hits.filter(({ text }) => text === "Yes, we do.").map(({ sequence, sequenceEnd }) => [sequence, sequenceEnd])
        )
      // The first two are one piece; the third has a neighbour of its own.
      expect(yield* yes({ text: "Emden" })).toEqual([[2, 4]])
      expect(yield* yes({ text: "pilot" })).toEqual([[2, 4]])
      expect(yield* yes({ text: "paint kettle" })).toEqual([[7, 7]])
      expect(yield* yes({ text: "yes", after: days[1]!, before: "2023-06-10" })).toEqual([[2, 4]])
      expect(yield* yes({ text: "yes", before: "2023-05-09" })).toEqual([[2, 4]])
      expect(yield* yes({ text: "yes", after: "2023-05-09", before: "2023-06-09" })).toEqual([])
      const [may, june] = yield* Effect.forEach(["May", "June"], (month) =>
        memory.sessions.search({ text: `did we say yes in ${month} 2023` })
      )
      for (const hits of [may!, june!])
        expect(hits.find(({ sequence }) => sequence === 2)!.parts.date).toBeGreaterThan(0)
      // By its words alone, too: the day of each time is indexed.
      expect(yield* yes({ text: "2023-06-09" })).toContainEqual([2, 4])
      expect(yield* memory.sessions.search({ limit: 1 })).toMatchObject([{ text: "In green then." }])
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("ranks repeated words by their last time", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      yield* memory.sessions.append({ session: "s", text: "the kettle again", at: "2020-01-01" })
      yield* memory.sessions.append({ session: "s", text: words(70), at: "2020-01-02" })
      yield* memory.sessions.append({ session: "t", text: "the kettle once", at: "2021-01-01" })
      yield* memory.sessions.append({ session: "s", text: "the kettle again", at: "2026-03-14" })
      const [newest] = yield* memory.sessions.search({ text: "kettle", sessions: ["s"] })
      expect(newest).toMatchObject({
        session: "s",
        occurredAt: Date.parse("2020-01-01"),
        lastAt: Date.parse("2026-03-14")
      })
      expect(newest!.parts.recency).toBeCloseTo(0.05, 10)
      expect((yield* memory.sessions.search({})).map(({ text }) => text)).toEqual([
        "the kettle again",
        "the kettle once",
        words(70)
      ])
      // The day of each time is among the words that it is found by.
      for (const day of ["2020-01-01", "2026-03-14"]) {
        const [found] = yield* memory.sessions.search({ text: `+${day}` })
        expect(found).toMatchObject({ session: "s" })
        expect(found!.parts.text).toBeGreaterThan(0)
      }
    })
  )

  it.scoped("finds any of thousands of speakers, by whole names and parts, also inside Chinese text", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      for (let from = 0; from < 3_000; from += 1_000) {
        yield* memory.sessions.appendAll(
          Array.from({ length: 1_000 }, (_, index) => ({
            session: `s${index % 7}`,
            text: `the boat ${from + index}`,
            speaker: `A Speaker${from + index}`
          }))
        )
      }
      yield* memory.sessions.append({
        session: "x",
        text: "the boat is green",
        speaker: "Zoë Zander",
        role: "assistant"
      })
      yield* memory.sessions.append({ session: "x", text: "船是绿色的", speaker: "小林", role: "assistant" })
      yield* memory.sessions.append({ session: "x", text: "我的船是蓝色的", role: "user" })
      const first = (text: string, query: object = {}) =>
        Effect.map(memory.sessions.search({ text, ...query }), ([hit]) => hit)
      expect((yield* first("what did Zander say of the green boat"))?.speaker).toBe("Zoë Zander")
      expect((yield* first("green boat", { speakers: ["zoë  zander"] }))?.speaker).toBe("Zoë Zander")
      expect((yield* first("昨天小林说过什么 船"))?.speaker).toBe("小林")
      expect((yield* first("昨天我说过什么 船"))?.text).toBe("我的船是蓝色的")
      expect((yield* first("昨天我们说过什么 船"))?.parts.speaker).toBe(0)
      // A name that nobody has any more is a word like others.
      yield* memory.sessions.forget("x")
      yield* memory.sessions.append({ session: "y", text: "Zander came" })
      yield* memory.sessions.append({ session: "z", text: "Nobody came" })
      const [found, other] = yield* memory.sessions.search({ text: "Zander came" })
      expect([found!.text, found!.parts.speaker]).toEqual(["Zander came", 0])
      expect(found!.parts.text).toBeGreaterThan(other!.parts.text)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("finds words that are also part of a speaker's name", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared
      const rule = "Our rule: we deploy in the small hours"
      yield* memory.sessions.append({ session: "a", text: rule, speaker: "Anna" })
      yield* memory.sessions.append({ session: "a", text: "The window is broken", speaker: "Mira Holt" })
      yield* memory.sessions.append({ session: "b", text: "Build 7 is green", speaker: "Deploy Bot" })
      yield* memory.sessions.append({ session: "c", text: "Tell Mira that Anna came", speaker: "Tom" })
      const asked = (text: string) =>
        Effect.map(memory.sessions.explain({ text, mode: "classic" }), ({ explanation, hits }) => ({
          texts: hits.map((hit) => hit.text),
          names: explanation.leftOut.filter(({ reason }) => reason === "speaker").map(({ word }) => word)
        }))
      for (const text of [
        "deploy schedule",
        "deploy window",
        "Deploy window",
        "Our Deploy Window",
        "deploy. Deploy it"
      ]) {
        const { names, texts } = yield* asked(text)
        expect([text, names, texts.includes(rule)]).toEqual([text, [], true])
      }
      for (const [text, names] of [
        ["which build did Deploy Bot make", ["Deploy", "Bot"]],
        ["which build did deploy bot make", ["deploy", "bot"]],
        ["what window did Mira break", ["Mira"]],
        ["what window did Mira's cat break", ["Mira's"]],
        ["which rule has anna", ["anna"]],
        ["what window did mira break", []],
        ["what window did Bot deploy", ["Bot"]]
      ] as const) {
        expect([text, (yield* asked(text)).names]).toEqual([text, names])
      }
      // Where nothing else is found, the names are looked for.
      const alone = yield* asked("the deploy bot zebra")
      expect([alone.names, alone.texts.includes(rule)]).toEqual([[], true])
      expect((yield* asked("any zebra of Anna")).texts).toEqual(["Tell Mira that Anna came"])
      // A speaker who is gone, and one whom the level may not know, is none.
      yield* memory.sessions.forget("b")
      expect((yield* asked("which window has the deploy bot")).names).toEqual([])
      yield* memory.sessions.append({ session: "d", store: "private", text: "hello", speaker: "Deploy Bot" })
      expect((yield* asked("which window has the deploy bot")).names).toEqual(["deploy", "bot"])
      const low = yield* daybook.agent(agent, { trust: "inner" })
      const { explanation } = yield* low.sessions.explain({ text: "which window has the deploy bot" })
      expect(explanation.leftOut.filter(({ reason }) => reason === "speaker")).toEqual([])
    })
  )

  it.scoped("treats an everyday word as a speaker only if it is written as a name", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      yield* memory.sessions.append({ session: "a", text: "I march on Rome", speaker: "Will" })
      yield* memory.sessions.append({ session: "b", text: "the boat is mine", speaker: "May" })
      yield* memory.sessions.append({ session: "c", text: "we hope that the boat may float in May", speaker: "Tom" })
      yield* memory.sessions.append({ session: "d", text: "the build of the boat is green", speaker: "Support Team" })
      const asked = (text: string) =>
        Effect.map(memory.sessions.explain({ text, mode: "classic" }), ({ explanation, hits }) => ({
          names: explanation.leftOut.filter(({ reason }) => reason === "speaker").map(({ word }) => word),
          boosted: hits.filter(({ parts }) => parts.speaker > 0).map(({ speaker }) => speaker)
        }))
      for (const text of [
        "the boat may float",
        "may the boat float",
        "May the boat float",
        "which boat floats in May",
        "what boat for May",
        "boat May",
        "will the boat float",
        "Will the boat float",
        "support boat"
      ]) {
        expect([text, yield* asked(text)]).toEqual([text, { names: [], boosted: [] }])
      }
      for (const [text, names, boosted] of [
        ["what boat did May mean", ["May"], ["May"]],
        ["what boat has may", ["may"], ["May"]],
        ["May's boat", ["May's"], ["May"]],
        ["the boat that may says is hers", ["may"], ["May"]],
        ["what did Will say of a march", [], ["Will"]],
        ["the march of Will on Rome", [], ["Will"]],
        ["the boat that support team built", ["support", "team"], ["Support Team"]],
        ["the boat of tom", ["tom"], ["Tom"]]
      ] as const) {
        expect([text, yield* asked(text)]).toEqual([text, { names, boosted }])
      }
      expect((yield* memory.sessions.search({ text: "speaker:will" })).map(({ session }) => session)).toEqual(["a"])
    })
  )

  it.scoped("uses the neighbours of a short turn, and not of a long one", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      yield* say(memory, "s", "Which harbour do you mean?", "Emden, of course.", "And the pilot?", words(61), "zebra")
      expect(yield* textsOf(memory, "harbour")).toContain("Emden, of course.")
      expect(yield* textsOf(memory, "pilot")).toContain("Emden, of course.")
      expect(yield* textsOf(memory, "zebra")).toEqual(["zebra"])
    })
  )

  it.scoped("prefers the speaker that the question names, the user for I, and the named day", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared
      const at = ["2023-05-08T10:00:00Z", "2023-06-09T10:00:00Z"]
      for (const [index, speaker] of ["Mira", "Tom"].entries()) {
        const role = index === 0 ? "user" : "assistant"
        for (const day of at) {
          yield* memory.sessions.append({
            session: day,
            speaker,
            role,
            text: `painted a boat, ${speaker} ${day}`,
            at: day
          })
        }
      }
      const first = (text: string) => Effect.map(memory.sessions.search({ text }), ([hit]) => hit!)
      expect((yield* first("What did Tom paint?")).speaker).toBe("Tom")
      expect((yield* first("What did I paint?")).role).toBe("user")
      const dated = yield* first("What was painted in June 2023?")
      expect(dated.occurredAt).toBe(Date.parse(at[1]!))
      expect(dated.parts.date).toBeGreaterThan(0)
      for (const { parts, score } of yield* memory.sessions.search({ text: "What did Tom paint on 8 May 2023?" })) {
        expect(score).toBe(Object.values(parts).reduce((sum, part) => sum + part, 0))
      }
    })
  )

  it.scoped("returns the same bytes, whatever higher levels store, neighbours included", () =>
    Effect.gen(function* () {
      const probe = { ids: [], texts: ["tea", "canary", "green tea", "May 2023", "Ada"], people: [] }
      const seen: Array<unknown> = []
      for (const hidden of [0, 1, 300]) {
        const { daybook, memory } = yield* prepared
        for (let index = 0; index < 6; index++) {
          const secrets = Array.from({ length: hidden }, (_, at) => ({
            session: "monday",
            text: `canary tea ${index} ${at}`,
            speaker: "Ada",
            at: "2023-05-08"
          }))
          yield* memory.sessions.appendAll(secrets)
          for (const { session, text } of secrets.slice(0, 30)) {
            yield* memory.files.add({ path: `tea ${index}.md`, text: `# canary\n${text}\n`.repeat(hidden), session })
          }
          yield* memory.files.add({ path: `tea ${index}.md`, text: `green tea file ${index}`, store: "shared" })
          yield* memory.sessions.append({ session: "monday", text: `green tea ${index}`, store: "shared" })
        }
        yield* daybook.backfill(agent)
        const inner = yield* daybook.agent(agent, { trust: "inner" })
        const all = yield* answers(inner, probe)
        // Ids are random.
        seen.push(JSON.stringify(all).replace(/\\"id\\":\\"[a-z0-9]{10}\\"/g, "id"))
        expect(seen.at(-1)).toBe(seen[0])
        // What was asked is told back under `explain`; nothing else may hold it.
        const told = Object.values(all)
          .join()
          .replaceAll(/"words":\[[^\]]*\]/g, "")
        expect(told).not.toContain("canary")
      }
    })
  )
})

describe("a turn of hundreds of pieces", () => {
  it.scoped("is one hit and displaces no others, by words or by vectors", () =>
    Effect.gen(function* () {
      for (const [copies, pool] of [
        [1_500, 10],
        [80, 20]
      ] as const) {
        yield* TestClock.setTime(start)
        const { daybook } = yield* fresh({ policy: { search: { pool } } })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const line = (at: number) => `kettle kettles ${at} ${"-".repeat(600)}.\n`
        yield* memory.sessions.append({
          session: "s",
          role: "tool",
          text: Array.from({ length: copies }, (_, at) => line(at)).join("")
        })
        yield* say(memory, "t", ...Array.from({ length: 8 }, (_, at) => `the old kettle of number ${at}`))
        for (const embedded of [false, true]) {
          if (embedded) yield* daybook.backfill(agent)
          const hits = yield* memory.sessions.search({ text: "kettle", limit: 20 })
          expect(hits.map(({ session }) => session).sort()).toEqual(["s", ...Array(8).fill("t")])
        }
        const hits = yield* memory.sessions.search({ text: "kettle", sessions: ["s"] })
        expect(hits).toHaveLength(1)
        expect(hits[0]!.parts.vector).toBeGreaterThan(0)
        expect(hits[0]!.parts.text).toBeGreaterThan(0)
        const near = yield* memory.sessions.search({ text: "kettle", limit: 20 })
        expect(near.filter(({ parts }) => parts.vector > 0).map(({ session }) => session)).toContain("t")
      }
    })
  )
})
