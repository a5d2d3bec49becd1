import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as LexicalReranker from "../layers/LexicalReranker.js"
import { timeSpanCondition } from "../projections/memoryFilters.js"
import type { Observation } from "../src/model/input.js"
import { Reranker, RerankerError } from "../src/ports/Reranker.js"
import { memorySyntax } from "../src/search/fields.js"
import { makeDuplicateCollector } from "../src/search/foldEqual.js"
import { parseQuery } from "../src/search/query.js"
import type { Draft } from "../src/search/rank.js"
import { totalScore } from "../src/search/rank.js"
import type { Query } from "../src/search/search.js"
import { timeMatcher } from "../src/search/timeCues.js"
import { gateMessage } from "../text/normalise/gate.js"
import { type EngineOptions, fresh } from "./support/engine.js"
import { expectDuration } from "./support/size.js"

const now = Date.parse("2026-03-14T06:00:00Z")
const day = 86_400_000
const instant = fc.integer({ min: -40, max: 40 }).map((days) => now + days * day)

const remembering = (observations: ReadonlyArray<Observation>, options: EngineOptions = {}) =>
  Effect.gen(function* () {
    const { daybook } = yield* fresh(options)
    const memory = yield* daybook.agent("ada", { trust: "full" })
    yield* memory.rememberAll(observations)
    yield* daybook.backfill("ada")
    return memory
  })

describe("the gate", () => {
  const messages: Record<string, ReadonlyArray<string>> = JSON.parse(
    readFileSync(new URL("fixtures/gate/messages.json", import.meta.url), "utf8")
  )
  for (const [reason, texts] of Object.entries(messages)) {
    it(`${reason}: ${texts.length} messages`, () => {
      expect(texts.filter((text) => gateMessage(text).reason !== reason)).toEqual([])
    })
  }

  it("reads one long laugh as fast as any other message", () => {
    const laughs = ["哈", "嗯", "哦", "k", "ha", "ok ", "hm", "!", "```", "`"].map((word) => `${word.repeat(2_000)}x`)
    const began = performance.now()
    for (const text of laughs) for (const end of ["", " that was funny", "笑"]) gateMessage(`${text}${end}`)
    expectDuration("30 long messages of one laugh", performance.now() - began, 400)
  })

  it.scoped("refuses messages that need no memory, on request", () =>
    Effect.gen(function* () {
      const memory = yield* remembering([{ title: "thanks to Mira the pump works" }])
      expect(yield* memory.search({ text: "thanks!" })).toHaveLength(1)
      expect(yield* memory.search({ text: "thanks!", gate: true })).toEqual([])
      expect(yield* memory.search({ text: "thanks to whom?", gate: true })).toHaveLength(1)
      expect((yield* memory.explain({ text: "thanks!", gate: true })).explanation.gate).toEqual({
        recall: false,
        reason: "acknowledgement"
      })
    })
  )
})

describe("fields in a query", () => {
  const harbour: ReadonlyArray<Observation> = [
    { title: "harbour plan", type: "decision", tags: ["north pier"], people: ["Mira Holt"], project: "tide" },
    { title: "harbour fees", type: "discovery", store: "shared", session: "monday", occurredAt: "2026-01-05" },
    { title: "harbour boats", type: "task", tags: ["boats"], occurredAt: "2026-02-20" }
  ]
  const titles = (text: string, query: Query = {}) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const memory = yield* remembering(harbour)
      return (yield* memory.search({ text, ...query })).map(({ title }) => title.slice(8)).sort()
    })

  for (const [text, found] of [
    ["harbour type:decision", ["plan"]],
    ["harbour TYPE:Decision", ["plan"]],
    ["harbour type:decision type:task", ["boats", "plan"]],
    ["harbour project:tide project:crane", ["plan"]],
    ["harbour session:monday session:friday", ["fees"]],
    ["type:decision type:task -boats", ["plan"]],
    ["harbour store:shared", ["fees"]],
    ['harbour tag:"North Pier"', ["plan"]],
    ['harbour person:"mira holt"', ["plan"]],
    ["harbour project:tide", ["plan"]],
    ["harbour session:monday", ["fees"]],
    ["harbour after:2026-02-01", ["boats", "plan"]],
    ["harbour after:2026-02-01 before:2026-03-01", ["boats"]],
    ["type:task", ["boats"]],
    ["type:task store:shared", []],
    ["harbour -type:task", ["fees", "plan"]],
    ["harbour NOT type:task", ["fees", "plan"]],
    ["harbour -type:task -type:Decision", ["fees"]],
    ["-type:task", ["fees", "plan"]],
    ["harbour -store:shared", ["boats", "plan"]],
    ['harbour -tag:"North Pier"', ["boats", "fees"]],
    ['harbour -person:"mira holt"', ["boats", "fees"]],
    ["harbour -project:tide", ["boats", "fees"]],
    ["harbour -session:monday", ["boats", "plan"]],
    ["harbour -type:task -fees", ["plan"]],
    ["type:task NOT fees", ["boats"]],
    ["type:task OR type:decision -tag:boats", ["plan"]],
    ["+type:task harbour", ["boats"]],
    ["type:task AND plan", []],
    ['type:task ""', ["boats"]],
    // What is no value must not leave out what it would let in.
    ["harbour after:2026-13-45", ["boats", "fees", "plan"]],
    ["harbour AND before:nonsense", ["boats", "fees", "plan"]],
    ["harbour -before:fees", ["boats", "fees", "plan"]],
    ["harbour -store:secret", ["boats", "fees", "plan"]]
  ] as const) {
    it.scoped(text, () => Effect.map(titles(text), (answer) => expect(answer).toEqual(found)))
  }

  it.scoped("combine with the filters of the call", () =>
    Effect.gen(function* () {
      expect(yield* titles("harbour type:task", { types: ["task", "decision"] })).toEqual(["boats"])
      expect(yield* titles("harbour type:task", { types: ["decision"] })).toEqual([])
      expect(yield* titles("harbour tag:boats", { tags: ["north pier"] })).toEqual([])
    })
  )

  it.scoped("narrow a search of conversations", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.sessions.appendAll([
        { session: "monday", text: "the harbour opens at six", speaker: "Mira", at: "2026-03-01T06:00:00Z" },
        { session: "friday", text: "the harbour closes at ten", role: "assistant", at: "2026-03-05T06:00:00Z" }
      ])
      const found = (text: string) =>
        Effect.map(memory.sessions.search({ text }), (hits) => hits.map(({ session }) => session))
      expect(yield* found("harbour session:friday")).toEqual(["friday"])
      expect(yield* found("harbour speaker:mira")).toEqual(["monday"])
      expect(yield* found("harbour role:assistant")).toEqual(["friday"])
      expect(yield* found("harbour before:2026-03-03")).toEqual(["monday"])
      expect(yield* found("harbour -session:friday")).toEqual(["monday"])
      expect(yield* found("harbour -speaker:mira")).toEqual(["friday"])
      expect(yield* found("harbour -person:mira -role:assistant")).toEqual([])
      expect(yield* found("harbour -role:assistant")).toEqual(["monday"])
      expect(yield* found("harbour -kind:turn")).toEqual([])
      expect(yield* found("-store:shared -kind:file")).toEqual(["friday", "monday"])
      expect((yield* memory.explain({ text: "title:harbour +type" })).explanation.required).toEqual([
        "title:harbour",
        "type"
      ])
      // There are no titles and types in what was said: read as words.
      expect([...(yield* found("title:harbour"))].sort()).toEqual(["friday", "monday"])
      const { explanation } = yield* memory.sessions.explain({ text: "harbour type:task" })
      expect(explanation.hints).toEqual([expect.stringMatching(/^type: is not a field .*read as words$/)])
    })
  )

  for (const [text, hint, words] of [
    ["harbour foo:bar", /^foo: is not a field/, 3],
    ["harbour store:secret", /^store:secret: must be one of private, shared, social; read as words$/, 3],
    ["harbour after:whenever", /^after:whenever: is not a date or time \(such as 2026-03-14, .*\); read as words$/, 3],
    ["harbour after:2026-13-45", /^after:2026-13-45: is not a date or time \(such as 2026-03-14, /, 3],
    ["harbour -after:2026", /^-after:2026: a time cannot be excluded: .*; left out$/, 1],
    ["harbour -store:secret", /^-store:secret: must be one of private, shared, social; left out$/, 1],
    ['""', /^the query has no words to search; the newest rows are shown$/, 0],
    ["harbour type:", /^type:: has no value .*; read as words$/, 2],
    ["(a OR b) AND harbour", /^parentheses are ignored/, 1],
    ['harbour "north pier', /^a quotation mark is not closed/, 3],
    ["harbour AND", /^nothing follows the last AND, OR or NOT$/, 0],
    ["-harbour", /^the query has only exclusions/, 1],
    ["x ".repeat(40), /^only the first 32 terms/, 32],
    ["é".repeat(600), /^only the first 1024 bytes/, 1]
  ] as const) {
    it(`a mistake is read as words, with a hint: ${text.slice(0, 30)}`, () => {
      const { hints, should } = parseQuery(text, memorySyntax)
      expect(hints).toEqual([expect.stringMatching(hint)])
      expect(should).toHaveLength(words)
    })
  }

  for (const text of ["12:30", "http://x.org/a:b", "C:\\notes", "std::vector", "note: this", "10:1 odds", ":-)"]) {
    it(`no field and no mistake: ${text}`, () => expect(parseQuery(text, memorySyntax).hints).toEqual([]))
  }
})

describe("an answer without hits", () => {
  const told: ReadonlyArray<Observation> = [
    { title: "the pump broke", type: "event", tags: ["pump"], people: ["Mira"], store: "shared", project: "tide" },
    { title: "the boat sank", type: "decision", store: "private", session: "monday" }
  ]
  const asking = Effect.gen(function* () {
    const { daybook } = yield* fresh({ vectorExtension: null })
    const memory = yield* daybook.agent("ada", { trust: "full" })
    yield* memory.rememberAll(told)
    yield* memory.sessions.append({ session: "friday", text: "the pump again", speaker: "Tom", store: "shared" })
    return { daybook, memory }
  })

  it.scoped("names filter values that no row has, also those of the call", () =>
    Effect.gen(function* () {
      const { memory } = yield* asking
      const hints = (query: Query) => Effect.map(memory.explain(query), ({ explanation }) => explanation.hints)
      for (const [text, wanted] of [
        ["pump type:nothing", ['no memory has type "nothing"']],
        ["type:nothing tag:x", ['no memory has type "nothing"', 'no memory has tag "x"']],
        ["store:social", ['no memory has store "social"']],
        ["person:Ann", ['no memory has person "Ann" (person: takes a whole name; people: takes a part of a name)']],
        ["project:crane", ['no memory has project "crane"']],
        ["session:sunday", ['no memory has session "sunday"']],
        ["type:event session:monday", ["no memory passes all filters"]],
        ["after:2100-01-01", ["no memory passes all filters"]],
        ["-type:event -type:decision", ["no memory passes all filters"]],
        ["type:event zebra", []],
        ["zebra", []],
        ["title:pump type:decision", ["no memory contains all required terms (+title:pump)"]],
        ['"broke pump"', ["no memory contains all required terms (+broke pump)"]],
        ["type:event", []]
      ] as const) {
        expect([text, yield* hints({ text })]).toEqual([text, wanted])
      }
      expect(yield* hints({ text: "pump", types: ["nothing", "event"], tags: ["x"] })).toEqual([
        'no memory has type "nothing"',
        'no memory has tag "x"'
      ])
      const { explanation } = yield* memory.sessions.explain({ text: "pump speaker:Ann session:friday" })
      expect(explanation.hints).toEqual(['no turn or file has speaker "Ann"'])
    })
  )

  it.scoped("reveals nothing stored above the reader's level", () =>
    Effect.gen(function* () {
      const { daybook } = yield* asking
      const low = yield* daybook.agent("ada", { trust: "inner" })
      const { explanation } = yield* low.explain({ text: "type:decision session:monday" })
      expect(explanation.hints).toEqual(['no memory has type "decision"', 'no memory has session "monday"'])
    })
  )
})

describe("the score of a hit", () => {
  it.scoped("depends on the named project, on importance and on the slow decay of identities", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const memory = yield* remembering([
        { title: "pump pressure one", project: "tide table" },
        { title: "pump pressure two", project: "crane" },
        { title: "pump pressure three", importance: 1 },
        { title: "pump pressure four", type: "identity", occurredAt: "2025-03-14" },
        { title: "pump pressure five", type: "debug", occurredAt: "2026-03-04" }
      ])
      const { explanation, hits } = yield* memory.explain({ text: "pump pressure of the tide table" })
      const partsOf = (name: string) => hits.find(({ title }) => title.endsWith(name))!.parts
      expect(hits[0]).toMatchObject({ title: "pump pressure one" })
      expect(partsOf("one").project).toBeGreaterThan(0)
      expect(partsOf("two").project).toBe(0)
      expect(partsOf("three").importance).toBe(0.1)
      expect(partsOf("four").recency).toBeCloseTo(0.05 * Math.exp(-0.002 * 365), 12)
      expect(partsOf("five").recency).toBeCloseTo(0.05 * Math.exp(-0.5 * 10), 12)
      expect(explanation).toMatchObject({
        mode: "enhanced",
        words: ["pump", "pressure", "tide", "table"],
        required: [],
        excluded: [],
        leftOut: [
          { word: "of", reason: "stop word" },
          { word: "the", reason: "stop word" }
        ],
        vectors: "hash-256-v1",
        reranker: "lexical-1",
        hints: []
      })
      for (const { parts, score, why } of hits) {
        expect(totalScore(parts)).toBe(score)
        expect(why).toHaveLength(Object.values(parts).filter((part) => part >= 0.0005).length)
      }
      expect(hits[0]!.why[0]).toMatch(/^has the words \(0\.\d{3}\)$/)
    })
  )

  it.scoped("ignores the words that introduce a request", () =>
    Effect.gen(function* () {
      const memory = yield* remembering([
        { title: "the pump runs" },
        { title: "everything is listed, show it and tell all" }
      ])
      const words = (text: string) => Effect.map(memory.explain({ text }), ({ explanation }) => explanation.words)
      for (const text of [
        "Show me everything about the pump",
        "please tell me about the pump",
        "list all pump",
        "what do you know about the pump",
        "can you find me the pump",
        "search for pump"
      ]) {
        expect([text, yield* words(text)]).toEqual([text, ["pump"]])
      }
      expect(yield* words("show pump")).toEqual(["show", "pump"])
      expect(yield* words("know pump list")).toEqual(["know", "pump", "list"])
      expect(yield* words("tell me everything")).toEqual(["everything"])
    })
  )

  it.scoped("in classic mode uses only full text; an unknown mode means classic", () =>
    Effect.gen(function* () {
      const memory = yield* remembering(Array.from({ length: 9 }, (_, index) => ({ title: `pump number ${index}` })))
      const classic = yield* memory.explain({ text: "pump number", mode: "classic" })
      expect(classic.hits).toHaveLength(5)
      expect(classic.explanation).toMatchObject({ mode: "classic", vectors: null, reranker: null })
      expect(classic.hits.map(({ parts }) => parts.vector + parts.rerank)).toEqual([0, 0, 0, 0, 0])
      expect(yield* memory.explain({ text: "pump number", mode: "turbo" })).toEqual(classic)
      expect(yield* memory.search({ text: "pump number" })).toHaveLength(9)
      expect(yield* memory.search({ text: "pump number", mode: "classic", limit: 7 })).toHaveLength(7)
    })
  )
})

describe("times in a query", () => {
  const told: ReadonlyArray<Observation> = [
    { title: "the pump broke", occurredAt: "2026-03-05T10:00:00Z" },
    { title: "the pump was cleaned", occurredAt: "2026-02-02T10:00:00Z" },
    { title: "a pump was ordered", occurredAt: "2025-05-20T10:00:00Z" },
    { title: "Mira has a new dog", occurredAt: "2026-03-06T23:30:00Z" }
  ]
  const asking = (text: string, options: EngineOptions = {}) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const memory = yield* remembering(told, options)
      return yield* memory.explain({ text })
    })

  it.scoped("prefer rows in them, and are not searched as words", () =>
    Effect.gen(function* () {
      const { explanation, hits } = yield* asking("what about the pump last week?")
      expect(hits.map(({ title }) => title).slice(0, 2)).toEqual(["the pump broke", expect.anything()])
      expect(hits[0]!.parts.date).toBeGreaterThan(0)
      expect(hits).toContainEqual(expect.objectContaining({ title: "Mira has a new dog" }))
      expect(explanation.words).toEqual(["pump"])
      expect(explanation.times).toMatchObject([
        { text: "last week", from: Date.parse("2026-03-02"), to: Date.parse("2026-03-09") }
      ])
      const [may] = (yield* asking("pump in May 2025")).hits
      expect(may).toMatchObject({ title: "a pump was ordered" })
    })
  )

  it.scoped("alone return the rows in them, newest first", () =>
    Effect.gen(function* () {
      const titles = (text: string, options?: EngineOptions) =>
        Effect.map(asking(text, options), ({ hits }) => hits.map(({ title }) => title))
      expect(yield* titles("what happened last week?")).toEqual(["Mira has a new dog", "the pump broke"])
      expect(yield* titles("last week")).toEqual(["Mira has a new dog", "the pump broke"])
      // In Berlin it was half past midnight of the next day.
      const berlin = { policy: { search: { zone: "Europe/Berlin" } } }
      expect(yield* titles("on Friday of last week")).toEqual(["Mira has a new dog"])
      expect(yield* titles("on Friday of last week", berlin)).toEqual([])
      // A date may stand in a text as well, so it is looked for.
      expect((yield* titles("in May 2025"))[0]).toBe("a pump was ordered")
      expect((yield* titles("on 6 March 2026"))[0]).toBe("Mira has a new dog")
      expect(yield* titles('pump after:"last month" before:"this month"')).toEqual(["the pump was cleaned"])
    })
  )

  it.scoped("that name a month, day or year return the rows in them, then rows that contain the name", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const memory = yield* remembering([
        ...told,
        { title: "we march on in March 2026", occurredAt: "2024-01-01" },
        { title: "in February the boats are painted", occurredAt: "2024-01-02" },
        { title: "May it go on", occurredAt: "2024-01-03" }
      ])
      const titles = (text: string) => Effect.map(memory.search({ text }), (hits) => hits.map(({ title }) => title))
      const [pump, cleaned, ordered, dog] = told.map(({ title }) => title)
      for (const text of ["what happened in March?", "What happened in march", "anything new in March?"])
        expect([text, yield* titles(text)]).toEqual([text, [dog, pump]])
      expect(yield* titles("what happened in March 2026?")).toEqual([dog, pump, "we march on in March 2026"])
      expect(yield* titles("what happened in February")).toEqual([cleaned, "in February the boats are painted"])
      expect(yield* titles("what happened in February -boats")).toEqual([cleaned])
      expect(yield* titles("what was done in May 2025")).toEqual([ordered])
      expect(yield* titles("show me everything since March")).toEqual([dog, pump])
      expect(yield* titles("what happened on 5 March 2026")).toEqual([pump])
      // Without a word that makes a time of it, it is one like others.
      for (const text of ["march", "March"]) expect((yield* titles(text))[0]).toBe("we march on in March 2026")
      for (const text of ["may", "May"]) expect((yield* titles(text))[0]).toBe("May it go on")
    })
  )

  it.scoped("without any row leave the words to answer, with a hint", () =>
    Effect.gen(function* () {
      const hint = (text: string) => `nothing is recorded for ${text}; searched by words`
      const hints = (text: string) => Effect.map(asking(text), ({ explanation }) => explanation.hints)
      expect(yield* hints("what happened yesterday?")).toEqual([hint("yesterday")])
      expect(yield* hints("what happened in 2019?")).toEqual([hint("2019")])
      expect(yield* hints("the pump yesterday")).toEqual([hint("yesterday")])
      expect(yield* hints("what happened last week?")).toEqual([])
      expect((yield* asking("the pump yesterday")).hits.length).toBeGreaterThan(0)
    })
  )

  it.scoped("respect required words, and still find other rows that contain the name", () =>
    Effect.gen(function* () {
      const titles = (text: string) => Effect.map(asking(text), ({ hits }) => hits.map(({ title }) => title))
      expect(yield* titles("+pump last week")).not.toContain("Mira has a new dog")
      expect(yield* titles("last week -dog")).toEqual(["the pump broke"])
      expect(yield* titles("after:2026-03-01 -dog")).toEqual(["the pump broke"])
      expect(yield* titles("after:2026 before:March")).toEqual(["the pump was cleaned"])
      expect(yield* titles("after:Monday")).toEqual([])
      const memory = yield* remembering([
        { title: "Christmas party at Anna's house", occurredAt: "2025-06-01" },
        { title: "Standup is on Monday mornings", occurredAt: "2025-06-01" },
        { title: "last week was the worst", occurredAt: "2024-06-01" }
      ])
      const first = (text: string) => Effect.map(memory.search({ text }), ([hit]) => hit?.title)
      expect(yield* first("what is on at Christmas")).toBe("Christmas party at Anna's house")
      expect(yield* first("on Monday")).toBe("Standup is on Monday mornings")
      const many = Array.from({ length: 20 }, (_, day) => `on ${day + 1} May 2025`).join(", ")
      const { explanation } = yield* memory.explain({ text: many })
      expect(explanation.times).toHaveLength(8)
      expect(explanation.hints).toContain("only the first 8 times are used")
    })
  )

  const dated: ReadonlyArray<Observation> = [
    { title: "the crane was painted", type: "event", occurredAt: "2026-01-10T10:00:00Z" },
    { title: "the crane stays green", type: "decision", occurredAt: "2026-01-20T10:00:00Z" },
    { title: "invoices go out on Fridays", type: "decision", occurredAt: "2025-11-03T10:00:00Z" },
    { title: "inspect the crane", type: "task", occurredAt: "2026-03-20T10:00:00Z" },
    { title: "renew the insurance", type: "task", occurredAt: "2026-03-18T10:00:00Z" }
  ]
  const answers = (text: string, query: Query = {}) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const memory = yield* remembering(dated)
      return (yield* memory.search({ ...query, text })).map(({ title }) => title)
    })
  const [painted, green, invoices, inspect, insurance] = dated.map(({ title }) => title)

  it.scoped("rank what lies in them above everything else, and the named types first", () =>
    Effect.gen(function* () {
      // "invoices" and "Fridays" occur only outside of the time.
      expect((yield* answers("invoices on Fridays in January 2026")).slice(0, 2)).toEqual([green, painted])
      expect(yield* answers("decisions of January 2026")).toEqual([green, painted])
      expect((yield* answers("what did we decide about the crane in January"))[0]).toBe(green)
      expect(yield* answers("what is due next week")).toEqual([insurance, inspect])
      expect((yield* answers("what is due in March"))[0]).toBe(insurance)
    })
  )

  it.scoped("ask for what was written in them if the question says so", () =>
    Effect.gen(function* () {
      // All memories were written at `now`; tasks are about a later time.
      expect((yield* answers("what did I write down today")).toSorted()).toEqual(
        dated.map(({ title }) => title).toSorted()
      )
      expect((yield* answers("anything new today")).toSorted()).toEqual([inspect, insurance])
      expect(yield* answers("what happened on 20 March 2026")).toEqual([inspect])
      expect((yield* answers("what was noted in January 2026")).slice(0, 2)).toEqual([green, painted])
    })
  )

  it.scoped("count from the asking time", () =>
    Effect.gen(function* () {
      expect(yield* answers("what happened last month", { at: "2026-02-10" })).toEqual([green, painted])
      expect(yield* answers("what happened last month", { at: Date.parse("2025-12-24") })).toEqual([invoices])
      yield* TestClock.setTime(now)
      const memory = yield* remembering(dated)
      const recency = ([hit]: ReadonlyArray<{ readonly parts: { readonly recency: number } }>) => hit!.parts.recency
      const ask = (at: string) => Effect.map(memory.search({ text: "painted", at }), recency)
      expect(yield* ask("2026-01-11")).toBeGreaterThan(yield* ask("2026-02-11"))
      const wrong = yield* Effect.flip(memory.search({ text: "painted", at: "soon" }))
      expect(wrong).toMatchObject({ _tag: "InvalidInput", field: "at" })
    })
  )

  it.effect.prop(
    "select the same rows in SQL as one by one",
    [
      fc.array(fc.tuple(instant, fc.option(instant), fc.option(instant)), { minLength: 1, maxLength: 12 }),
      instant,
      fc.integer({ min: 1, max: 60 })
    ],
    ([rows, from, days]) =>
      Effect.sync(() => {
        const db = new Database(":memory:")
        db.exec(
          "CREATE TABLE rows (born INTEGER PRIMARY KEY, created_at INTEGER, occurred_at INTEGER, expires_at INTEGER)"
        )
        const insert = db.prepare("INSERT INTO rows (created_at, occurred_at, expires_at) VALUES (?, ?, ?)")
        for (const row of rows) insert.run(...row)
        const range = { from, to: from + days * day, text: "", index: 0 }
        for (const reading of ["happened", "written", "due", "any"] as const) {
          const isInTimes = timeMatcher({ ranges: [range], reading })
          const expected = rows.flatMap(([createdAt, occurredAt, expiresAt], index) =>
            isInTimes({ createdAt, occurredAt, expiresAt }) ? [index + 1] : []
          )
          const { params, sql } = timeSpanCondition({ ...range, reading })
          expect(
            db
              .prepare(`SELECT born FROM rows o WHERE ${sql} ORDER BY born`)
              .pluck()
              .all(...params)
          ).toEqual(expected)
        }
        db.close()
      })
  )

  it.scoped("work in conversations too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.sessions.appendAll([
        { session: "a", text: "the pump broke again", at: "2026-02-02T10:00:00Z" },
        { session: "b", text: "the pump broke again, sadly", at: "2026-03-13T18:00:00Z" }
      ])
      const [first] = yield* memory.sessions.search({ text: "when did the pump break yesterday evening" })
      expect(first).toMatchObject({ session: "b" })
      expect(first!.parts.date).toBeGreaterThan(0)
      const only = yield* memory.sessions.search({ text: "yesterday" })
      expect(only.map(({ session }) => session)).toEqual(["b"])
    })
  )
})

describe("hits with equal text", () => {
  it.scoped("are folded into the newest", () =>
    Effect.gen(function* () {
      const memory = yield* remembering([
        { title: "The pump runs at 3.5 bar", occurredAt: "2026-01-01" },
        { title: "the pump runs at 3.5 bar!", occurredAt: "2026-01-03" },
        { title: "“The Pump” runs at  3.5 bar.", occurredAt: "2026-01-02" },
        { title: "The pump runs at 35 bar" },
        { title: "The pump runs not at 3.5 bar" },
        { title: "The pump runs at -3.5 bar" }
      ])
      const hits = yield* memory.search({ text: "pump bar" })
      expect(hits.filter(({ alike }) => alike > 0)).toMatchObject([{ title: "the pump runs at 3.5 bar!", alike: 2 }])
      expect(hits).toHaveLength(4)
      const explained = yield* memory.explain({ text: "pump bar" })
      expect(explained.hits.flatMap(({ why }) => why.filter((line) => line.startsWith("stands for")))).toEqual([
        "stands for 2 more that say the same"
      ])
    })
  )

  it.scoped("are all shown if the policy says so", () =>
    Effect.gen(function* () {
      const policy = { search: { fold: false } }
      const memory = yield* remembering([{ title: "the pump runs at night" }, { title: "The pump runs at night." }], {
        policy
      })
      expect(yield* memory.search({ text: "pump" })).toHaveLength(2)
    })
  )

  it("are not folded if very short or very long", () => {
    const folded = (...texts: ReadonlyArray<string>) => {
      const drafts = makeDuplicateCollector<Draft<string, object>>(true)
      for (const [born, text] of texts.entries())
        drafts.take({ text, born, time: born, parts: {}, row: text, alike: 0, store: "private" })
      return drafts.kept()
    }
    expect(folded("Yes, we do.", "yes we do", "YES, WE DO!")).toHaveLength(3)
    expect(folded("x y ".repeat(1_000), "x y ".repeat(1_000))).toHaveLength(2)
    expect(folded("one two three four", "other words are here", "One two three four!")).toMatchObject([
      { born: 2, alike: 1 },
      { born: 1, alike: 0 }
    ])
    expect(folded("मैं घर पर हूँ आज", "मैं घर पर हूं आज")).toHaveLength(2)
    expect(folded("今天去修水泵，好吗", "今天去修水泵，好吗？")).toHaveLength(1)
  })

  it.scoped("never fill the answer, however many they are", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("ada", { trust: "full" })
      yield* memory.sessions.appendAll([
        ...Array.from({ length: 70 }, (_, at) => ({ session: `s${at}`, text: "The nightly build failed again" })),
        ...Array.from({ length: 15 }, (_, at) => ({
          session: "others",
          text: `the nightly build of part ${at} is done`
        }))
      ])
      const hits = yield* memory.sessions.search({ text: "nightly build failed" })
      expect(hits).toHaveLength(10)
      expect(hits.filter(({ alike }) => alike > 0)).toMatchObject([{ alike: 69 }])
    })
  )
})

describe("reranking", () => {
  const scoresOf = (query: string, ...texts: ReadonlyArray<string>) =>
    Effect.flatMap(Reranker, (reranker) => reranker!.rerank(query, texts)).pipe(
      Effect.provide(LexicalReranker.layer),
      Effect.map((scores) => scores.map((score) => Math.round(score * 1_000) / 1_000))
    )

  it.effect("prefers words that are close together, in order, or the exact phrase", () =>
    Effect.gen(function* () {
      const [phrase, near, far, turned, half, one, none] = yield* scoresOf(
        "north pier crane",
        "The north pier crane is broken",
        "The crane of the north pier is broken",
        "North of here there is a bridge, then some houses, a pier, and at the very end a crane",
        "crane pier north",
        "The north pier is broken",
        "cranes",
        "nothing of that"
      )
      expect(phrase).toBe(1)
      for (const [better, worse] of [
        [phrase, near],
        [near, far],
        [near, half],
        [phrase, turned],
        [half, one]
      ] as const) {
        expect(better).toBeGreaterThan(worse!)
      }
      expect([one, none]).toEqual([0, 0])
    })
  )

  const told: ReadonlyArray<Observation> = [
    { title: "the crane stands at the very end of the bay, far from any pier, in the north" },
    { title: "the pier in the north has a crane" },
    { title: "north pier crane" }
  ]
  const reranking = (
    rerank: (query: string, texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, RerankerError>
  ) => ({ reranker: Layer.succeed(Reranker, { name: "test", topN: 2, weight: 1, rerank }) })
  const answer = (options: EngineOptions) =>
    Effect.flatMap(remembering(told, options), (memory) => memory.explain({ text: "north pier crane" }))

  it.scoped("sees the first hits and changes their order", () =>
    Effect.gen(function* () {
      const before = yield* answer(reranking(() => Effect.succeed([0, 0])))
      const seen: Array<unknown> = []
      const after = yield* answer(
        reranking((query, texts) => {
          seen.push([query, texts.length])
          return Effect.succeed([0.25, 1])
        })
      )
      expect(seen).toEqual([["north pier crane", 2]])
      expect(after.hits.map(({ title }) => title)).toEqual([1, 0, 2].map((at) => before.hits[at]!.title))
      expect(after.hits.map(({ parts }) => parts.rerank)).toEqual([1, 0.25, 0])
      expect(after.explanation.reranker).toBe("test")
    })
  )

  const failures = {
    fails: () => Effect.fail(new RerankerError({ name: "test", reason: "failed" })),
    dies: () => Effect.die("broken"),
    throws: () => {
      throw new Error("broken")
    },
    "answers too few": () => Effect.succeed([1]),
    "answers NaN": () => Effect.succeed([1, Number.NaN]),
    "answers more than 1": () => Effect.succeed([1, 7])
  }
  for (const [how, rerank] of Object.entries(failures)) {
    it.scoped(`with one that ${how} keeps the order`, () =>
      Effect.gen(function* () {
        const before = yield* answer({ policy: { search: { rerank: false } } })
        const after = yield* answer(reranking(rerank))
        expect(after.explanation.reranker).toBeNull()
        expect(after.hits.map(({ title }) => title)).toEqual(before.hits.map(({ title }) => title))
      })
    )
  }

  it.scopedLive("that hangs is limited by the time-out of a query's vector", () =>
    Effect.gen(function* () {
      const policy = { search: { queryTimeout: 20 } }
      const after = yield* answer({ ...reranking(() => Effect.never), policy })
      expect(after.explanation.reranker).toBeNull()
      expect(after.hits).toHaveLength(3)
    })
  )
})
