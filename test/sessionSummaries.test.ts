import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { DaybookEvent } from "../events/catalogue.js"
import { yieldToEventLoop } from "../events/turns.js"
// Loaded by the engine when it is first needed, which no test clock waits for.
import "../src/maintenance/maintain.js"
import "../src/maintenance/summarizeSession.js"
import { ruleStatementReader as english } from "../layers/RuleStatementReader.js"
import type { SummaryTurn } from "../projections/summaries.js"
import { summarizeByRules as summarizeInSteps } from "../src/maintenance/sessionSummary.js"
import { Summarizer, SummarizerError, type SummaryRequest } from "../src/ports/Summarizer.js"
import { type EngineOptions, fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const start = Date.UTC(2026, 2, 14, 9)
const minute = 60_000
const agent = "ada"

/** Runs a program while time passes, a second at a time. */
const slowly = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const running = yield* Effect.fork(program)
    while ((yield* Fiber.poll(running))._tag === "None") {
      for (let at = 0; at < 20; at++) yield* yieldToEventLoop
      if ((yield* Fiber.poll(running))._tag === "None") yield* TestClock.adjust("1 seconds")
    }
    return yield* Fiber.join(running)
  })

const said = (role: SummaryTurn["role"], text: string, at: number): SummaryTurn => ({
  born: at + 1,
  role,
  level: "full",
  speaker: null,
  text,
  occurredAt: start + at * minute
})
const conversation = (turns: ReadonlyArray<SummaryTurn>) => ({
  turns,
  count: turns.length,
  startedAt: start,
  lastAt: start
})

const system = (options: EngineOptions = {}) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    // The tests of the stage add many turns before it runs.
    const { sessions, ...policy } = options.policy ?? {}
    const { daybook } = yield* fresh({
      vectorExtension: null,
      ...options,
      policy: { ...policy, sessions: { after_turn: false, ...(sessions as object) } }
    })
    const memory = yield* daybook.agent(agent, { trust: "full" })
    const say = (session: string, ...lines: ReadonlyArray<readonly ["user" | "assistant" | "tool", string]>) =>
      Effect.forEach(lines, ([role, text]) => memory.sessions.append({ session, role, text }))
    const events = Effect.map(Stream.runCollect(daybook.log(agent)), (all) =>
      ([...all] as ReadonlyArray<DaybookEvent>).flatMap((event) =>
        event.type === "SUMMARIZE" ? [{ version: event.version, ...event.payload }] : []
      )
    )
    const sumUp = Effect.map(memory.maintenance.run({ stages: ["sessions"] }), ([run]) => run!)
    const state = Effect.map(daybook.digests(agent), ({ stateDigest }) => stateDigest)
    return { daybook, memory, say, events, sumUp, state }
  })

const ferry = [
  ["user", "Hello!"],
  ["user", "When does the ferry to Vellanoor leave? I have to be there by nine."],
  ["tool", "06:40, 09:10"],
  ["assistant", "There is one at 06:40. We still need to book a cabin."],
  ["user", "Then we agreed to take the 06:40 ferry."],
  ["assistant", "Yes. The ferry leaves at 06:40 from pier 3."]
] as const

/** The result of all steps. */
const summarizeByRules = (...input: Parameters<typeof summarizeInSteps>) => {
  const steps = summarizeInSteps(...input)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

describe("the rules' summary of a session", () => {
  it("has the request, the outcome, the decisions and the open items", () => {
    const turns = ferry.map(([role, text], at) => said(role, text, at))
    expect(summarizeByRules(conversation(turns), english, "inner")!.summary).toEqual({
      request: "When does the ferry to Vellanoor leave? I have to be there by nine.",
      outcome: "Yes. The ferry leaves at 06:40 from pier 3.",
      decisions: ["Then we agreed to take the 06:40 ferry."],
      open: ["We still need to book a cabin."],
      level: "full",
      turns: 6,
      until: 6,
      sources: [1, 2, 4, 5, 6],
      startedAt: start,
      lastAt: start
    })
    expect([...summarizeByRules(conversation(turns), english, "inner")!.facts]).toEqual([
      [5, ["Then we agreed to take the 06:40 ferry."]],
      [4, ["We still need to book a cabin."]]
    ])
  })

  it.each([
    ["a question that nobody answered", ["Is the pump on? It hums."], { open: ["Is the pump on?"] }],
    ["a question about a decision", ["What have we decided?"], { decisions: [], open: ["What have we decided?"] }],
    ["what was said again", ["Decision: tea.", "It rains.", "decision: TEA"], { decisions: ["decision: TEA"] }],
    ["going with", ["Let's go with SQLite then."], { decisions: ["Let's go with SQLite then."] }],
    [
      "to do",
      ["TODO: paint the door.", "The door is not painted yet."],
      {
        open: ["TODO: paint the door.", "The door is not painted yet."]
      }
    ],
    ["nothing of either", ["The door is green."], { decisions: [], open: [] }],
    ["a password", ["My password is hunter2-Xk9!q and we agreed on it.", "Thanks."], { decisions: [] }]
  ])("knows %s", (_, texts, wanted) => {
    const turns = texts.map((text, at) => said("user", text, at))
    const { summary } = summarizeByRules(conversation(turns), english, "inner")!
    expect(summary).toMatchObject(wanted)
    expect(JSON.stringify(summary)).not.toContain("hunter2")
  })

  it("is null if neither user nor assistant said anything", () => {
    for (const turns of [[], [said("tool", "06:40", 0)], [said("user", " \n", 0), said("system", "Be kind.", 1)]])
      expect(summarizeByRules(conversation(turns), english, "inner")).toBeNull()
  })

  it.prop(
    "contains only sentences that were said",
    [fc.array(fc.string({ maxLength: 60 }), { maxLength: 12 })],
    ([texts]) => {
      const turns = texts.map((text, at) => said(at % 2 === 0 ? "user" : "assistant", text, at))
      const ruled = summarizeByRules(conversation(turns), english, "inner")
      const all = texts.map((text) => text.replace(/\s+/gu, " ")).join(" ")
      const one = (text: string) => text.replace(/\s+/gu, " ")
      for (const item of [...(ruled?.summary.decisions ?? []), ...(ruled?.summary.open ?? [])])
        expect(all).toContain(one(item))
    }
  )
})

describe("session summaries", () => {
  it.scoped("are written once per session and store after a quiet time, and again only after new turns", () =>
    Effect.gen(function* () {
      const { daybook, events, memory, say, state, sumUp } = yield* system()
      const before = yield* state
      yield* say("monday", ...ferry)
      yield* say("empty", ["tool", "06:40"])
      yield* memory.sessions.append({ session: "monday", role: "user", text: "Is it open to all?", store: "social" })
      const unsummed = yield* state
      yield* TestClock.adjust("29 minutes")
      expect((yield* sumUp).counts).toEqual({})
      yield* TestClock.adjust("1 minutes")
      const [dry] = yield* memory.maintenance.run({ stages: ["sessions"], dryRun: true })
      const first = yield* sumUp
      expect(first).toMatchObject({ counts: { summarized: 2 }, left: false })
      const made = yield* events
      expect(made.map(({ version: _, ...payload }) => payload)).toEqual(dry!.events!.map(({ payload }) => payload))
      // What erases a turn finds by its version what quotes it, in what was replaced too; what tools said is not quoted.
      const borns = new Map(
        ([...(yield* Stream.runCollect(daybook.log(agent)))] as ReadonlyArray<DaybookEvent>).flatMap((event) =>
          event.type === "TURN" ? [[event.payload.turn.text, event.version]] : []
        )
      )
      const quoted = ferry.flatMap(([role, text]) => (role === "tool" ? [] : borns.get(text)!))
      expect(made.map(({ summary }) => summary!.sources)).toEqual([quoted, [borns.get("Is it open to all?")]])
      expect(made.map(({ session, store }) => `${session} ${store}`)).toEqual(["monday private", "monday social"])
      expect((yield* sumUp).run).toBeUndefined()

      const [mine, social] = yield* memory.sessions.summaries({ session: "monday" })
      expect(mine).toEqual({
        session: "monday",
        store: "private",
        request: "When does the ferry to Vellanoor leave? I have to be there by nine.",
        outcome: "Yes. The ferry leaves at 06:40 from pier 3.",
        decisions: ["Then we agreed to take the 06:40 ferry."],
        open: ["We still need to book a cabin."],
        quoted: [],
        observations: 0,
        turns: 6,
        behind: false,
        lastAt: start,
        writtenAt: start + 30 * minute,
        by: { kind: "rule", name: "sessions" }
      })
      expect(social).toMatchObject({ store: "social", request: "Is it open to all?", open: ["Is it open to all?"] })
      const summed = yield* state

      yield* say("monday", ["user", "We decided to walk."])
      expect((yield* memory.sessions.summaries())[0]).toMatchObject({ turns: 6, behind: true })
      yield* TestClock.adjust("31 minutes")
      const second = yield* sumUp
      expect(second.counts).toEqual({ summarized: 1 })
      const again = (yield* events).at(-1)!
      expect([again.replaces, again.was]).toEqual([made[0]!.version, made[0]!.summary])
      expect(again.summary!.sources.slice(0, -1)).toEqual(again.was!.sources)
      expect((yield* memory.sessions.summaries()).find(({ store }) => store === "private")).toMatchObject({
        turns: 7,
        behind: false,
        decisions: ["Then we agreed to take the 06:40 ferry.", "We decided to walk."]
      })

      // As of then it is what it was then.
      const then = yield* daybook.agent(agent, { trust: "full", asOf: { version: again.version - 1 } })
      expect((yield* then.sessions.summaries()).find(({ store }) => store === "private")!.turns).toBe(6)

      // Undone one after the other, and done again, and undone again.
      const walked = yield* state
      const back = yield* memory.undo({ run: second.run! })
      expect(back.undone).toMatchObject([{ type: "SUMMARIZE", memory: "monday", what: "restored" }])
      expect((yield* memory.sessions.summaries()).find(({ store }) => store === "private")!.turns).toBe(6)
      yield* memory.undo({ run: back.run! })
      expect(yield* state).toBe(walked)
      yield* memory.undo({ run: second.run! })
      yield* memory.undo({ run: first.run! })
      expect((yield* memory.sessions.summaries()).length).toBe(0)
      expect([unsummed, summed, before]).not.toContain(walked)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("undo restores the state; undoing a summary that was replaced since needs force", () =>
    Effect.gen(function* () {
      const { memory, say, state, sumUp } = yield* system()
      yield* say("monday", ...ferry)
      yield* TestClock.adjust("1 hours")
      const before = yield* state
      const first = yield* sumUp
      const undone = yield* memory.undo({ run: first.run! }, { dryRun: true })
      expect(undone.events).toMatchObject([{ type: "SUMMARIZE", payload: { summary: null } }])
      yield* memory.undo({ run: first.run! })
      expect(yield* state).toBe(before)

      const second = yield* sumUp
      yield* say("monday", ["user", "One more thing."])
      yield* TestClock.adjust("1 hours")
      yield* sumUp
      const held = yield* memory.undo({ run: second.run! })
      expect(held.run).toBeUndefined()
      expect(held.conflicts).toMatchObject([{ memory: "monday", fields: ["summary"] }])
      yield* memory.undo({ run: second.run! }, { force: true })
      expect(yield* memory.sessions.summaries()).toEqual([])
    })
  )

  it.scoped("are forgotten with the session, and no undo restores them", () =>
    Effect.gen(function* () {
      const { memory, say, sumUp } = yield* system()
      yield* say("monday", ...ferry)
      yield* TestClock.adjust("1 hours")
      const first = yield* sumUp
      const { run: gone } = yield* memory.undo({ run: first.run! })
      yield* memory.sessions.forget("monday")
      yield* memory.undo({ run: gone! })
      expect(yield* memory.sessions.summaries()).toEqual([])
      yield* say("monday", ["user", "Something new."])
      yield* TestClock.adjust("1 hours")
      yield* sumUp
      yield* memory.sessions.forget("monday")
      expect(yield* memory.sessions.summaries()).toEqual([])
      expect((yield* sumUp).counts).toEqual({})
    })
  )

  it.scoped("count the session's present memories, as far as each level may read them", () =>
    Effect.gen(function* () {
      const { daybook, memory, say, sumUp } = yield* system()
      yield* say("monday", ...ferry)
      yield* TestClock.adjust("1 hours")
      yield* sumUp
      const remember = (title: string, more: object) =>
        memory.remember({ title, session: "monday", ...more }, { reconcile: false })
      const walk = yield* remember("We walk", { type: "decision" })
      yield* remember("then we agreed to take the 06:40 ferry", { type: "decision", tags: ["done"] })
      yield* remember("Book a cabin", { type: "task" })
      yield* remember("Ask for the timetable", { type: "task", tags: ["done"] })
      const tea = yield* remember("Tea is served", { store: "shared", type: "decision" })
      const of = (trust: "full" | "inner" | "familiar") =>
        Effect.flatMap(daybook.agent(agent, { trust }), (reader) => reader.sessions.summaries())
      expect(yield* of("full")).toMatchObject([
        {
          store: "private",
          observations: 4,
          decisions: ["Then we agreed to take the 06:40 ferry.", "We walk"],
          open: ["We still need to book a cabin.", "Book a cabin"]
        },
        { store: "shared", request: null, observations: 1, decisions: ["Tea is served"], turns: 0, by: null }
      ])
      expect(yield* of("inner")).toMatchObject([{ store: "shared", observations: 1 }])
      expect(yield* of("familiar")).toEqual([])
      yield* memory.forget(walk.id)
      yield* memory.update(tea.id, { store: "private" })
      expect(yield* of("inner")).toEqual([])
      expect(yield* of("full")).toMatchObject([
        {
          observations: 4,
          decisions: ["Then we agreed to take the 06:40 ferry.", "Tea is served"].map((one) =>
            expect.stringMatching(new RegExp(one, "i"))
          )
        }
      ])
    })
  )

  it.scoped("are limited per run", () =>
    Effect.gen(function* () {
      const { say, sumUp } = yield* system({ policy: { sessions: { rows: 2 } } })
      for (const session of ["a", "b", "c", "d", "e"]) {
        yield* say(`empty ${session}`, ["tool", "06:40"])
        yield* say(session, ["user", "Is the pump on?"])
      }
      yield* TestClock.adjust("1 hours")
      const runs = [yield* sumUp, yield* sumUp, yield* sumUp, yield* sumUp]
      expect(runs.map(({ counts, left }) => [counts.summarized ?? 0, left])).toEqual([
        [2, true],
        [2, true],
        [1, false],
        [0, false]
      ])
    })
  )

  const writer = (lines: (request: SummaryRequest) => ReadonlyArray<unknown>, asked: Array<SummaryRequest> = []) =>
    Layer.succeed(Summarizer, {
      name: "writer",
      promptDigest: "digest",
      summarize: (request) => {
        asked.push(request)
        const answer = lines(request)
        return answer.length === 0
          ? Effect.fail(new SummarizerError({ name: "writer", reason: "failed" }))
          : Effect.succeed({ lines: answer } as never)
      }
    })

  it.scoped("use the summarizer's text if the turns support it; otherwise the rule's, and the event says why", () =>
    Effect.gen(function* () {
      const asked: Array<SummaryRequest> = []
      const good = [
        { part: "request", text: "When does the ferry to Vellanoor leave?", sources: [1] },
        { part: "outcome", text: "The ferry leaves at 06:40 from pier 3.", sources: [4] },
        { part: "decision", text: "Then we agreed to take the 06:40 ferry.", sources: [3] },
        { part: "open", text: "Still need to book a cabin", sources: [2] }
      ]
      const answers: Array<ReadonlyArray<unknown>> = [
        good,
        good.with(1, { part: "outcome", text: "The ferry leaves at 07:40 from pier 3.", sources: [4] }),
        good.slice(0, 3),
        good.slice(1),
        []
      ]
      const summarizer = writer(() => answers.shift()!, asked)
      const { events, memory, say, sumUp } = yield* system({ summarizer })
      for (const session of ["a", "b", "c", "d", "e"]) yield* say(session, ...ferry)
      yield* memory.sessions.append({ session: "a", role: "user", text: "By the way, my password is hunter2-Xk9!q." })
      yield* TestClock.adjust("1 hours")
      yield* sumUp
      // The one with the most turns was used last.
      const told = new Map((yield* events).map(({ decision, session, summary }) => [session, { decision, summary }]))
      const fallbacks = [...told.values()].map(({ decision }) => decision.fallback)
      expect(fallbacks).toEqual([
        undefined,
        "summarizer writer: made a statement that no source supports (in 1 of 4 lines)",
        "summarizer writer: omitted statements of the sources (1 statements)",
        "summarizer writer: put a line in the wrong part",
        "summarizer writer: failed"
      ])
      const [written, ...ruled] = [...told.values()]
      expect(written!.decision.by).toEqual({ kind: "model", name: "writer", promptDigest: "digest" })
      expect(written!.summary).toMatchObject({ outcome: good[1]!.text, open: ["Still need to book a cabin"] })
      for (const { decision, summary } of ruled) {
        expect(decision.by).toEqual({ kind: "rule", name: "sessions" })
        expect(summary!.open).toEqual(["We still need to book a cabin."])
      }
      expect(asked[0]).toMatchObject({ kind: "session", subject: "" })
      expect(JSON.stringify(asked)).not.toContain("hunter2")
      expect((yield* memory.sessions.summaries({ session: [...told.keys()][0] }))[0]!.by).toMatchObject({
        kind: "model"
      })
    })
  )

  it.scoped("are not written for a session that is forgotten meanwhile", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const summarizer = Layer.succeed(Summarizer, {
        name: "slow",
        summarize: () =>
          Effect.zipRight(
            Effect.zipRight(Deferred.succeed(asked, undefined), Effect.sleep("30 seconds")),
            Effect.fail(new SummarizerError({ name: "slow", reason: "failed" }))
          )
      })
      const { events, memory, say } = yield* system({ summarizer })
      yield* say("monday", ...ferry)
      yield* TestClock.adjust("1 hours")
      const running = yield* Effect.fork(memory.maintenance.run({ stages: ["sessions"] }))
      yield* Deferred.await(asked)
      yield* memory.sessions.forget("monday")
      yield* say("monday", ["user", "Hello again."])
      yield* TestClock.adjust("1 minutes")
      expect(yield* Fiber.join(running)).toMatchObject([{ counts: {}, left: true }])
      expect(yield* events).toEqual([])
      expect(yield* memory.sessions.summaries()).toEqual([])
    })
  )

  it.scoped(
    "are written before further ones are requested; no request is made that could still be running at the deadline",
    () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const summarizer = Layer.succeed(Summarizer, {
          name: "slow",
          summarize: ({ sources }) =>
            Effect.gen(function* () {
              asked.push(sources[0]!.text!)
              yield* Effect.sleep("5 seconds")
              return { lines: [{ part: "request" as const, text: sources[0]!.text!, sources: [0] }] }
            })
        })
        const policy = { sessions: { rows: 20 }, summarize: { concurrency: 2, timeout: 10_000 } }
        const { events, memory, say, sumUp } = yield* system({ policy, summarizer })
        for (let at = 0; at < 15; at++) yield* say(`s${at}`, ["user", `Paint door ${at}`])
        yield* TestClock.adjust("1 hours")
        const now = yield* TestClock.currentTimeMillis
        const late = yield* memory.maintenance.run({ stages: ["sessions"], deadline: now - 1 })
        expect(late).toMatchObject([{ counts: {}, left: true }])
        const first = yield* slowly(memory.maintenance.run({ stages: ["sessions"], deadline: now + 30_000 }))
        // Begun at 0, 5, 10, 15 and 20 seconds.
        expect(first).toMatchObject([{ counts: { summarized: 10 }, left: true, duration: 25_000 }])
        expect((yield* events).map(({ summary }) => summary!.request)).toEqual(asked)

        // Stopped in between: what was answered is there.
        const stopped = yield* Effect.fork(memory.maintenance.run({ stages: ["sessions"] }))
        yield* slowly(Effect.sleep("7 seconds"))
        yield* Fiber.interrupt(stopped)
        expect((yield* events).length).toBe(12)
        expect(yield* slowly(sumUp)).toMatchObject({ counts: { summarized: 3 }, left: false })
        expect((yield* events).every(({ decision }) => decision.by.kind === "model")).toBe(true)
        // Asked again was alone what was under way when it was stopped.
        expect([asked.length, new Set(asked).size]).toEqual([17, 15])
        expect(yield* Effect.flip(memory.maintenance.run({ deadline: Number.NaN }))).toMatchObject({
          field: "deadline"
        })
      })
  )
})

describe("summarising a session after its turns", () => {
  const live = { policy: { sessions: { after_turn: true }, summary: { tokens: 200 } } }
  const settle = Effect.repeat(yieldToEventLoop, { times: 50 })
  const pass = (duration: "1 second" | "2 seconds") => Effect.zipRight(TestClock.adjust(duration), settle)

  it.scoped("happens two seconds after an answer, once for all turns until then", () =>
    Effect.gen(function* () {
      const { daybook, events, memory, say } = yield* system(live)
      yield* say("monday", ...ferry.slice(0, 2))
      yield* pass("2 seconds")
      expect(yield* events).toEqual([])
      yield* say("monday", ...ferry.slice(2, 4))
      yield* pass("1 second")
      yield* say("monday", ...ferry.slice(4))
      yield* pass("1 second")
      expect(yield* events).toMatchObject([{ summary: { turns: 6, outcome: ferry.at(-1)![1] } }])
      expect(yield* memory.sessions.summaries()).toMatchObject([{ session: "monday", behind: false, turns: 6 }])
      yield* pass("2 seconds")
      yield* pass("2 seconds")
      expect(yield* events).toHaveLength(1)
      // A lower level's turns cause the same, whatever the session has above them.
      const familiar = yield* daybook.agent(agent, { trust: "familiar" })
      yield* familiar.sessions.append({ session: "monday", text: "When do you sail?" })
      yield* familiar.sessions.append({ session: "monday", text: "At noon.", role: "assistant" })
      yield* pass("2 seconds")
      expect((yield* events).map(({ store }) => store)).toEqual(["private", "social"])
    })
  )

  it.scoped("also condenses the oldest turns once they fill their budget", () =>
    Effect.gen(function* () {
      const { memory, say } = yield* system(live)
      const line = (day: number) =>
        ["user", `On day ${day} the crew painted shed ${day}. ${"It rained. ".repeat(15)}`] as const
      yield* say("monday", line(1), line(2), line(3))
      yield* pass("2 seconds")
      expect(yield* memory.sessions.rolling.read("monday")).toBe(null)
      yield* say("monday", line(4), line(5))
      yield* pass("2 seconds")
      expect(yield* memory.sessions.rolling.read("monday")).toMatchObject({ epoch: 1 })
    })
  )

  it.scoped("never fails a turn, also if the summarizer fails or hangs; the rules write the summary", () =>
    Effect.gen(function* () {
      let asked = 0
      const summarizer = Layer.succeed(Summarizer, {
        name: "broken",
        summarize: () => (asked++ === 0 ? Effect.die("no") : Effect.never)
      })
      const { events, say } = yield* system({ ...live, summarizer })
      yield* say("monday", ...ferry)
      yield* pass("2 seconds")
      expect(yield* events).toMatchObject([{ decision: { by: { kind: "rule" } } }])
      yield* say("tuesday", ...ferry)
      yield* pass("2 seconds")
      yield* say("tuesday", ...ferry)
      yield* TestClock.adjust("1 hour")
      yield* settle
      expect((yield* events).map(({ session }) => session)).toEqual(["monday", "tuesday", "tuesday"])
      expect(asked).toBe(3)
    })
  )

  it.scoped("is left to maintenance if the policy says so, or if the process ends first", () =>
    Effect.gen(function* () {
      const { events, memory, say } = yield* system()
      yield* say("monday", ...ferry)
      yield* TestClock.adjust("1 minutes")
      yield* settle
      yield* memory.sessions.refresh("monday")
      expect(yield* events).toEqual([])
      const other = yield* system(live)
      yield* other.say("monday", ...ferry)
      yield* other.memory.sessions.refresh("monday")
      yield* other.memory.sessions.refresh("nobody")
      expect(yield* other.events).toHaveLength(1)
    })
  )
})

describe("summarising a session by request", () => {
  it.scoped("writes what maintenance would write, once, and can be undone", () =>
    Effect.gen(function* () {
      const { daybook, events, memory, say, state, sumUp } = yield* system()
      yield* say("monday", ...ferry)
      const before = yield* state
      const [written] = yield* memory.sessions.summarize("monday")
      expect(written).toMatchObject({ store: "private", outcome: "written" })
      const [summary] = yield* memory.sessions.summaries({ session: "monday" })
      expect(summary).toMatchObject({ outcome: "Yes. The ferry leaves at 06:40 from pier 3.", behind: false, turns: 6 })
      expect(yield* memory.sessions.summarize("monday")).toEqual([{ store: "private", outcome: "unchanged" }])
      expect((yield* events)[0]!.decision).toMatchObject({ reason: "asked to summarise it" })
      yield* memory.undo({ run: written!.run! })
      expect(yield* state).toBe(before)
      yield* TestClock.adjust("1 hour")
      yield* sumUp
      const [again] = yield* memory.sessions.summaries({ session: "monday" })
      expect(again).toEqual({ ...summary, writtenAt: again!.writtenAt })
      yield* memory.sessions.append({ session: "quiet", text: "06:40", role: "tool" })
      expect(yield* memory.sessions.summarize("quiet")).toEqual([{ store: "private", outcome: "skipped" }])
      yield* memory.remember({ title: "The pump hums", session: "noted" })
      expect(yield* memory.sessions.summarize("noted")).toEqual([])
      expect(yield* memory.sessions.summaries({ session: "noted" })).toMatchObject([{ observations: 1, turns: 0 }])
      expect(yield* Effect.flip(memory.sessions.summarize("nobody"))).toMatchObject({ _tag: "SessionNotFound" })
      const familiar = yield* daybook.agent(agent, { trust: "familiar" })
      yield* memory.sessions.append({ session: "open", text: "Where is the pump?", store: "social" })
      expect(yield* Effect.flip(familiar.sessions.summarize("open"))).toMatchObject({ _tag: "LevelTooLow" })
      const ended = yield* memory.sessions.end("open")
      expect(ended).toMatchObject({ pending: 0, summaries: [{ store: "social", outcome: "written" }] })
    })
  )
})
