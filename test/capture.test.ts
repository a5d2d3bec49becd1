import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { DaybookEvent } from "../events/catalogue.js"
import { stores } from "../events/Trust.js"
import { yieldToEventLoop } from "../events/turns.js"
import * as RuleReconciler from "../layers/RuleReconciler.js"
import * as Generations from "../projections/view/generations.js"
import type { Daybook } from "../src/Daybook.js"
import type { ExtractRequest } from "../src/ports/Extractor.js"
import { sentencesOf } from "../text/normalise/sentences.js"
import { type EngineOptions, fresh, open, temporaryFolder } from "./support/engine.js"
import { asking, brokenModels, extract, layerOf, tiny } from "./support/extractor.js"
import { lawRuns } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")

const prepared = (options: EngineOptions = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook, folder } = yield* fresh({ extractor: layerOf(tiny), ...options })
    return { daybook, folder, memory: yield* daybook.agent(agent, { trust: "full" }) }
  })

const eventsOf = (daybook: System, type?: DaybookEvent["type"]) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) =>
    [...events].filter((event): event is DaybookEvent => event.payload !== null && (type ?? event.type) === event.type)
  )

/** Lets background work end that waits for no clock. */
const quietTurns = Effect.repeat(yieldToEventLoop, { times: 50 })

describe("a turn of the user", () => {
  it.scoped("is extracted at once, in the same append, and the answer lists what was done", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const turn = { session: "monday", channel: "signal", speaker: "Ada" }
      expect(yield* memory.sessions.append({ ...turn, text: "Hello.", role: "assistant" })).toMatchObject({
        pending: 1,
        captured: []
      })
      const added = yield* memory.sessions.append({ ...turn, text: "I like green tea. My name is Ada." })
      expect(added).toMatchObject({
        turn: { sequence: 2, session: "monday" },
        pending: 0,
        captured: [
          { action: "ADD", title: "The user likes green tea" },
          { action: "ADD", title: "The user's name is Ada" }
        ]
      })
      const [whole] = yield* memory.get([added.captured[0]!.id])
      expect(whole).toMatchObject({
        ...{ type: "preference", tier: "mid", store: "private", session: "monday", channel: "signal", sender: "Ada" },
        source: { kind: "auto_capture", name: "session:monday" },
        lineage: [{ kind: "turn", to: added.turn.id, reason: "extracted" }],
        level: "full"
      })
      const events = yield* eventsOf(daybook)
      expect(events.map(({ type }) => type)).toEqual(["TURN", "TURN", "ADD", "ADD", "EXTRACT"])
      expect(events.at(-1)!.payload).toMatchObject({
        ...{ session: "monday", store: "private", until: 2, turns: 2, extractor: "tiny-1", by: { name: "tiny-rules" } },
        captured: [
          { id: added.captured[0]!.id, action: "ADD", rule: "likes", turns: [2] },
          { id: added.captured[1]!.id, action: "ADD", rule: "is", turns: [2] }
        ]
      })
      const why = yield* memory.why(added.captured[0]!.id)
      expect(why.versions[0]!.decision).toMatchObject({
        reason: expect.not.stringContaining("extracted"),
        extracted: { rule: "likes", statedBy: "user", sources: [{ turn: added.turn.id, reason: "says it" }] }
      })
      expect(why.sources).toMatchObject([
        { kind: "turn", because: "says it", turn: { session: "monday", sequence: 2 } }
      ])
      expect((yield* daybook.stats(agent)).capture).toEqual({
        waiting: 0,
        extractors: [{ name: "tiny-1", attempts: 1, successes: 1, turns: 2, captured: 2 }]
      })
    })
  )

  it.scoped("is not extracted if the caller or the policy says so, nor are many turns, imports and other roles", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const text = "I like green tea."
      expect(yield* memory.sessions.append({ session: "a", text }, { extract: false })).toMatchObject({
        pending: 0,
        captured: []
      })
      yield* memory.sessions.appendAll([{ session: "a", text }])
      expect(yield* memory.sessions.append({ session: "a", text: "Noted.", role: "tool" })).toMatchObject({
        pending: 1
      })
      expect(yield* memory.sessions.append({ session: "a", text: "Fine." })).toMatchObject({ pending: 0, captured: [] })
      expect(yield* memory.sessions.extract()).toEqual({ captured: [], pending: 0 })
      expect((yield* eventsOf(daybook, "EXTRACT")).map(({ payload }) => payload)).toMatchObject([{ turns: 2 }])
      // A turn of many waits if it is asked to.
      yield* memory.sessions.appendAll([
        [{ session: "b", text }, { extract: true }],
        [{ session: "b", text: "No." }, {}]
      ])
      expect(yield* memory.list()).toEqual([])
      expect((yield* memory.sessions.extract("b")).captured).toMatchObject([{ title: "The user likes green tea" }])
      const off = yield* prepared({ policy: { capture: { enabled: false } } })
      expect(yield* off.memory.sessions.append({ session: "a", text })).toMatchObject({ pending: 0, captured: [] })
      expect(yield* eventsOf(off.daybook)).toHaveLength(1)
    })
  )

  it.scoped("repeated with its command id gets the first answer; a repeat of the words counts as a mention", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const turn = { session: "a", text: "I like green tea." }
      const first = yield* memory.sessions.append(turn, { commandId: "one" })
      const again = yield* memory.sessions.append(turn, { commandId: "one" })
      expect(again).toEqual({ ...first, turn: { ...first.turn, repeated: true } })
      expect(yield* eventsOf(daybook)).toHaveLength(3)
      const other = yield* memory.sessions.append(turn)
      expect(other.captured).toMatchObject([{ id: first.captured[0]!.id, action: "NONE" }])
      expect((yield* memory.get([first.captured[0]!.id]))[0]).toMatchObject({ mentions: 2 })
      const wrong = yield* Effect.flip(memory.sessions.append(turn, { extract: "no" } as never))
      expect(wrong.message).toContain("extract: must be true or false")
      expect(yield* eventsOf(daybook)).toHaveLength(6)
    })
  )

  it.scoped("goes through the reconciler: what it contradicts is retired, what it ends is archived", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared({ reconciler: RuleReconciler.layer })
      const say = (text: string) => memory.sessions.append({ session: "a", text })
      const [tea] = (yield* say("My phone number is 555 0101.")).captured
      const [changed] = (yield* say("My phone number is 555 0199 now.")).captured
      expect(changed).toMatchObject({ action: "DELETE" })
      expect(yield* memory.get([tea!.id])).toEqual([])
      yield* say("I like green tea.")
      expect((yield* say("I no longer like green tea.")).captured).toMatchObject([{ action: "ARCHIVE" }])
      expect((yield* memory.list()).map(({ title }) => title)).toEqual(["The user's phone number is 555 0199 now"])
    })
  )

  it.scoped("never leaves a credential in clear, unless the policy keeps private ones", () =>
    Effect.gen(function* () {
      const text = "My password is hunter2-Xk9!q. I like tea."
      const { daybook, memory } = yield* prepared()
      expect((yield* memory.sessions.append({ session: "a", text })).captured).toMatchObject([
        { title: "The user likes tea" }
      ])
      const [event] = yield* eventsOf(daybook, "EXTRACT")
      expect(event!.payload).toMatchObject({ skipped: { credential: 1 } })
      const kept = yield* prepared({ policy: { capture: { credentials: true } } })
      const added = yield* kept.memory.sessions.append({ session: "a", text })
      expect((yield* kept.memory.get([added.captured[0]!.id]))[0]).toMatchObject({
        type: "credential",
        store: "private"
      })
      const shared = yield* kept.memory.sessions.append({ session: "b", text, store: "shared" })
      expect(shared.captured).toHaveLength(1)
    })
  )

  it.scoped("has the lowest level of its sources, and lies in their store", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const inner = yield* daybook.agent(agent, { trust: "inner" })
      const low = yield* inner.sessions.append({ session: "a", text: "I like tea." })
      const [id] = low.captured.map((captured) => captured.id)
      expect((yield* memory.get([id!]))[0]).toMatchObject({ level: "inner", store: "shared" })
      const tool = [{ name: "read", result: "x" }]
      const own = yield* memory.sessions.append({ session: "a", text: "I like rope.", toolCalls: tool })
      expect((yield* memory.get([own.captured[0]!.id]))[0]).toMatchObject({ level: "familiar", store: "private" })
      // What waits in another store is not extracted, and a level below sees nothing of it.
      yield* memory.sessions.append({ session: "a", text: "Hm.", role: "assistant" })
      expect(yield* inner.sessions.extract()).toEqual({ captured: [], pending: 0 })
      expect((yield* memory.sessions.extract()).pending).toBe(0)
    })
  )

  it.scoped("is taken back by undo of its session, and forgotten turns are not extracted", () =>
    Effect.gen(function* () {
      const { memory } = yield* prepared()
      const [kept] = (yield* memory.sessions.append({ session: "b", text: "I like rope." })).captured
      yield* memory.sessions.append({ session: "a", text: "I like tea. My name is Ada." })
      yield* memory.sessions.append({ session: "a", text: "I no longer like rope." })
      expect(yield* memory.get([kept!.id])).toEqual([])
      const undone = yield* memory.undo({ source: "session:a" })
      expect(undone.undone).toHaveLength(3)
      expect((yield* memory.list()).map(({ title }) => title)).toEqual(["The user likes rope"])
      yield* memory.sessions.append({ session: "c", text: "I like fog.", role: "assistant" })
      yield* memory.sessions.forget("c")
      expect(yield* memory.sessions.extract()).toEqual({ captured: [], pending: 0 })
    })
  )
})

describe("what a prompt showed", () => {
  it.scoped("is not captured again when the assistant repeats it or the user pastes it", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared()
      const shown = yield* memory.remember({ title: "I like the harbour at dawn", facts: ["My boat is Gudrun"] })
      yield* memory.remember({ title: "I like the pier" })
      const chat = yield* daybook.agent(agent, { trust: "full", session: "a" })
      yield* chat.get([shown.id])
      const pasted = `- [${shown.id}] I like the harbour at dawn\nI like fog.`
      expect((yield* memory.sessions.append({ session: "a", text: pasted })).captured).toMatchObject([
        { title: "The user likes fog" }
      ])
      yield* memory.sessions.append({
        session: "a",
        role: "assistant",
        text: "I like the harbour at dawn. My boat is Gudrun."
      })
      expect((yield* memory.sessions.extract()).captured).toEqual([])
      // Another session was shown nothing.
      yield* memory.sessions.append({ session: "b", role: "assistant", text: "My boat is Gudrun." })
      expect((yield* memory.sessions.extract()).captured).toHaveLength(1)
      expect((yield* chat.recalls.get(1)).session).toBe("a")
    })
  )

  it.scoped("above a store changes nothing of what is captured there", () =>
    Effect.gen(function* () {
      const run = (isShown: boolean) =>
        Effect.gen(function* () {
          const { daybook, memory } = yield* prepared()
          const secret = yield* memory.remember({ title: "I like the harbour at dawn" })
          const open = yield* memory.remember({ title: "I like the pier at noon", store: "social" })
          const chat = yield* daybook.agent(agent, { trust: "full", session: "a" })
          if (isShown) yield* chat.get([secret.id, open.id])
          const familiar = yield* daybook.agent(agent, { trust: "familiar" })
          const text = "I like the harbour at dawn. I like the pier at noon."
          yield* memory.sessions.append({ session: "a", role: "assistant", text, store: "social" })
          return (yield* familiar.sessions.extract()).captured.map(({ title }) => title)
        })
      expect(yield* run(true)).toEqual(yield* run(false))
    })
  )
})

describe("a model", () => {
  for (const [problem, ask] of Object.entries(brokenModels)) {
    it.scoped(`that ${problem} loses nothing: the rules extract, and the event says so`, () =>
      Effect.gen(function* () {
        const extractor = layerOf(asking(ask))
        const { daybook, memory } = yield* prepared({ extractor, policy: { capture: { minTurnMessages: 100 } } })
        expect(yield* memory.sessions.append({ session: "a", text: "I like tea." })).toMatchObject({
          pending: 1,
          captured: []
        })
        const extracting = yield* Effect.fork(memory.sessions.extract())
        yield* TestClock.adjust("30 seconds")
        const { captured } = yield* extracting
        expect(captured).toMatchObject([{ action: "ADD", title: "The user likes tea" }])
        const [event] = yield* eventsOf(daybook, "EXTRACT")
        expect(event!.payload).toMatchObject({
          by: { name: "tiny-rules" },
          fallback: expect.stringContaining("extractor tiny-1+model: ")
        })
        expect((yield* daybook.stats(agent)).capture.extractors).toMatchObject([{ attempts: 1, successes: 0 }])
      })
    )
  }

  it.scoped("extracts in the background once enough turns wait, and sees no credential", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const extractor = layerOf(
        asking((request) => {
          seen.push(...request.turns.map(({ text }) => text))
          return Effect.delay(Effect.succeed({ ...extract(request), by: { kind: "model", name: "m" } }), "2 seconds")
        })
      )
      const { daybook, memory } = yield* prepared({ extractor })
      const texts = ["I like tea.", "My password is hunter2-Xk9!q. Fine.", "I like rope.", "I like fog."]
      for (const [index, text] of texts.entries()) {
        expect(yield* memory.sessions.append({ session: "a", text })).toMatchObject({
          pending: index + 1,
          captured: []
        })
      }
      yield* TestClock.adjust("1 second")
      // Asked to extract meanwhile, it waits for the same answer.
      const flushed = yield* Effect.fork(memory.sessions.extract())
      yield* TestClock.adjust("5 seconds")
      expect(yield* flushed).toEqual({ captured: [], pending: 0 })
      expect(seen).toHaveLength(4)
      expect(seen.join(" ")).not.toContain("hunter2")
      expect((yield* memory.list()).map(({ title }) => title).sort()).toEqual(
        ["fog", "rope", "tea"].map((what) => `The user likes ${what}`)
      )
      const [event] = yield* eventsOf(daybook, "EXTRACT")
      expect(event!.payload).toMatchObject({ by: { kind: "model", name: "m" }, latency: 2_000, turns: 4 })
    })
  )

  it.scoped(
    "in mode buffer extracts after a pause, at the token limit and on the next day, with a line of the daily log",
    () =>
      Effect.gen(function* () {
        const policy = { capture: { mode: "buffer", tokens: 60, quiet: 5 } }
        const { daybook, memory } = yield* prepared({ policy })
        const say = (session: string, text: string) => memory.sessions.append({ session, text, channel: "signal" })
        const titles = Effect.map(memory.list({ limit: 100 }), (rows) => rows.map(({ title }) => title))
        yield* say("a", "I like tea.")
        yield* TestClock.adjust("4 minutes")
        yield* say("a", "I like rope.")
        yield* TestClock.adjust("4 minutes")
        expect(yield* titles).toEqual([])
        yield* TestClock.adjust("2 minutes")
        yield* Effect.repeat(Effect.yieldNow(), { times: 1_000 })
        expect(yield* memory.sessions.extract("a", { due: true })).toMatchObject({ pending: 0 })
        const [line] = (yield* memory.search({ types: ["conversation"] })).map(({ id }) => id)
        expect((yield* memory.get([line!]))[0]).toMatchObject({
          ...{ title: "2 turns of a: The user likes tea; The user likes rope", tier: "daily", channel: "signal" }
        })
        expect(yield* memory.sessions.extract("b", { due: true })).toMatchObject({ captured: [], pending: 0 })
        yield* say("b", "I like fog.")
        expect(yield* memory.sessions.extract("b", { due: true })).toMatchObject({ captured: [], pending: 1 })
        yield* TestClock.setTime(Date.parse("2026-03-14T23:58:00Z"))
        yield* say("c", "I like snow.")
        // The day ends before the pause does.
        yield* TestClock.setTime(Date.parse("2026-03-15T00:00:00Z"))
        yield* quietTurns
        expect(yield* titles).toContain("The user likes snow")
        expect(yield* memory.sessions.extract("c")).toEqual({ captured: [], pending: 0 })
        yield* say("d", `I like ${"rope ".repeat(80)}.`)
        expect((yield* memory.sessions.extract("d", { due: true })).pending).toBe(0)
        expect((yield* eventsOf(daybook, "EXTRACT")).length).toBeGreaterThan(3)
      })
  )
})

describe("turns that an earlier process left", () => {
  for (const capture of [{ mode: "after", minTurnMessages: 3 }, { mode: "buffer" }] as const) {
    it.scoped(`are extracted when capture is resumed, and the others when they are due: mode ${capture.mode}`, () =>
      Effect.gen(function* () {
        const options = { policy: { capture: { ...capture, quiet: 60 } }, extractor: layerOf(tiny) }
        const folder = yield* temporaryFolder
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { sessions } = yield* (yield* open(folder, options)).agent(agent, { trust: "full" })
            yield* TestClock.setTime(start)
            yield* sessions.append({ session: "old", text: "I like tea." })
            yield* TestClock.adjust("50 minutes")
            yield* sessions.append({ session: "new", text: "I like fog." })
          })
        )
        yield* TestClock.adjust("20 minutes")
        const daybook = yield* open(folder, options)
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const preferences = Effect.map(memory.list({ types: ["preference"] }), (rows) => rows.map(({ title }) => title))
        yield* daybook.resume(agent)
        expect(yield* preferences).toEqual(["The user likes tea"])
        yield* TestClock.adjust("39 minutes")
        yield* quietTurns
        expect(yield* preferences).toHaveLength(1)
        yield* TestClock.adjust("1 minutes")
        yield* quietTurns
        expect((yield* preferences).toSorted()).toEqual(["The user likes fog", "The user likes tea"])
        // Nothing waits, so nothing is extracted again.
        const { length } = yield* eventsOf(daybook, "EXTRACT")
        yield* daybook.resume(agent)
        yield* TestClock.adjust("2 days")
        expect(yield* eventsOf(daybook, "EXTRACT")).toHaveLength(length)
      })
    )
  }
})

describe("a conversation that recalls before each answer", () => {
  it.scoped("captures each statement of the user once, however often the assistant repeats it", () =>
    Effect.gen(function* () {
      const everySentence = ({ turns }: ExtractRequest) => ({
        by: { kind: "rule", name: "sentences" } as const,
        facts: turns.flatMap(({ role, text }, turn) =>
          sentencesOf(text).map((title) => ({
            ...{ title, type: "discovery", people: [], tags: [], rule: "sentence", statedBy: role as "user" },
            sources: [{ turn, reason: "" }] as const
          }))
        )
      })
      const { daybook, memory } = yield* prepared({ extractor: layerOf({ name: "sentences", extract: everySentence }) })
      const chat = yield* daybook.agent(agent, { trust: "full", session: "chat" })
      const boats = lawRuns({ quick: 25, full: 500 })
      for (let boat = 0; boat < boats; boat++) {
        yield* memory.sessions.append({ session: "chat", text: `Boat ${boat} has a hull of the colour ${boat % 7}.` })
        const hits = yield* chat.search({ text: `hull of boat ${boat % 5}`, limit: 5 })
        const repeated = hits.map(({ title }) => `As I remember, ${title}`).join(" ")
        yield* memory.sessions.append({ session: "chat", role: "assistant", text: `${hits[0]?.title}\n${repeated}` })
        yield* TestClock.adjust("10 seconds")
      }
      yield* memory.sessions.extract()
      const ids = (yield* memory.list({ limit: 1_000 })).map(({ id }) => id)
      const mentions: Array<number> = []
      for (let from = 0; from < ids.length; from += 200) {
        mentions.push(...(yield* memory.get(ids.slice(from, from + 200))).map((one) => one.mentions))
      }
      expect(mentions).toEqual(Array.from({ length: boats }, () => 1))
    })
  )
})

describe("turns, recalls and memories above a store", () => {
  const things = ["tea", "rope", "fog"]
  const step = fc.record({
    store: fc.constantFrom(...stores),
    role: fc.constantFrom("user" as const, "assistant" as const),
    text: fc.constantFrom(
      ...things.flatMap((thing) => [`I like ${thing}.`, `My ${thing} is green.`, `I no longer like ${thing}.`])
    ),
    isShown: fc.boolean()
  })

  it.scoped.prop(
    "change nothing of what a level below reads, is answered and has waiting",
    [fc.array(step, { minLength: 10, maxLength: 30 })],
    ([steps]) =>
      Effect.gen(function* () {
        const run = (isSecretKept: boolean) =>
          Effect.gen(function* () {
            const { daybook } = yield* prepared({ reconciler: RuleReconciler.layer })
            const full = yield* daybook.agent(agent, { trust: "full", session: "a" })
            const familiar = yield* daybook.agent(agent, { trust: "familiar", session: "a" })
            const answers: Array<unknown> = []
            for (const { isShown, role, store, text } of steps) {
              const turn = { session: "a", role, store, text }
              if (store !== "social") {
                if (!isSecretKept) continue
                yield* full.sessions.append(turn)
                if (isShown) yield* full.search({ text })
                continue
              }
              const { captured, pending, turn: added } = yield* familiar.sessions.append(turn)
              if (isShown) yield* familiar.search({ text })
              answers.push([added.sequence, pending, captured.map(({ action, title }) => [action, title])])
            }
            const rest = yield* familiar.sessions.extract()
            const rows = yield* familiar.get((yield* familiar.list({ limit: 100 })).map(({ id }) => id))
            return {
              answers,
              rest: [rest.pending, rest.captured.map(({ action, title }) => [action, title])],
              rows: rows.map(({ level, mentions, title, type }) => [title, type, level, mentions])
            }
          })
        expect(yield* run(true)).toEqual(yield* run(false))
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 4, full: 40 }) }, timeout: 180_000 }
  )
})

describe("capture done twice", () => {
  it.scopedLive.prop(
    "gives what capture done once gives, also by two processes at the same time",
    [
      fc.array(fc.constantFrom("I like tea.", "My boat is Gudrun.", "I like fog. I like rope.", "Hello."), {
        minLength: 5,
        maxLength: 15
      })
    ],
    ([texts]) =>
      Effect.gen(function* () {
        const { daybook, folder } = yield* fresh({ extractor: layerOf(tiny) })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const other = yield* open(folder, { extractor: layerOf(tiny) })
        const second = yield* other.agent(agent, { trust: "full" })
        const say = (writer: typeof memory) => (text: string, index: number) =>
          writer.sessions.append({ session: `s${index % 2}`, text }, { commandId: `${index}` })
        for (const [index, text] of texts.entries()) {
          yield* Effect.all([say(memory)(text, index), say(second)(text, index)], { concurrency: "unbounded" })
        }
        // Vectors are made in the background.
        const written = Effect.map(eventsOf(daybook), (events) => events.filter(({ type }) => type !== "EMBED"))
        const once = yield* written
        for (const writer of [memory, second]) {
          yield* Effect.forEach(texts, say(writer))
          expect(yield* writer.sessions.extract()).toEqual({ captured: [], pending: 0 })
        }
        expect(yield* written).toEqual(once)
        const turns = once.flatMap(({ type, version }) => (type === "TURN" ? [version] : []))
        expect(turns).toHaveLength(texts.length)
        const statements = texts.flatMap((text) => text.match(/(like|boat is) /g) ?? []).length
        const captured = once.flatMap((event) => (event.type === "EXTRACT" ? event.payload.captured : []))
        expect(captured).toHaveLength(statements)
        const rows = yield* memory.get((yield* memory.list()).map(({ id }) => id))
        expect(rows.reduce((sum, { mentions }) => sum + mentions, 0)).toBe(statements)
        expect((yield* daybook.compareView(agent)).differences).toEqual([])
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 3, full: 30 }) }, timeout: 180_000 }
  )
})

describe("a waiting turn that was edited in the view", () => {
  it.scoped("is extracted as it stands in the log", () =>
    Effect.gen(function* () {
      const { daybook, folder, memory } = yield* prepared()
      yield* memory.sessions.appendAll([[{ session: "a", text: "I like tea." }, { extract: true }]])
      const view = new Database(Generations.make(join(folder, "views"), agent).current()!)
      view.prepare("UPDATE turns SET turn = replace(turn, 'tea', 'poison')").run()
      view.close()
      expect((yield* memory.sessions.extract()).captured).toMatchObject([{ title: "The user likes tea" }])
      expect((yield* eventsOf(daybook)).map(({ payload }) => JSON.stringify(payload)).join()).not.toContain("poison")
    })
  )
})

describe("many turns", () => {
  it.scoped("are extracted in parts, each once, also by callers at the same time", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* prepared({ policy: { capture: { turns: 5 } } })
      const turns = Array.from(
        { length: 23 },
        (_, index) => [{ session: "a", text: `I like boat ${index}.` }, { extract: true }] as const
      )
      for (const answer of yield* memory.sessions.appendAll(turns)) expect(Either.isRight(answer)).toBe(true)
      const answers = yield* Effect.all(
        [
          memory.sessions.extract(),
          memory.sessions.append({ session: "a", text: "I like boat 23." }),
          memory.sessions.extract("a")
        ],
        { concurrency: "unbounded" }
      )
      expect(answers.flatMap(({ captured }) => captured)).toHaveLength(24)
      expect(yield* memory.list({ limit: 100 })).toHaveLength(24)
      const extracted = yield* eventsOf(daybook, "EXTRACT")
      expect(extracted.flatMap((event) => (event.type === "EXTRACT" ? event.payload.captured : []))).toHaveLength(24)
      expect((yield* daybook.compareView(agent)).differences).toEqual([])
    })
  )
})
