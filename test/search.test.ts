import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { Candidate } from "../projections/observationSearch.js"
import type { Memory } from "../src/Memory.js"
import type { ReadError } from "../src/model/filters.js"
import type { Observation } from "../src/model/input.js"
import { limits } from "../src/model/limits.js"
import { Embedder } from "../src/ports/Embedder.js"
import { defaults } from "../src/ports/Policy.js"
import { ftsExpressionOf } from "../src/search/ftsQuery.js"
import { parseQuery } from "../src/search/query.js"
import {
  namedTimeGain,
  orderByScore,
  type QueryCues,
  scoreMemories,
  timeMatchScore,
  totalScore
} from "../src/search/rank.js"
import type { Hit, Query } from "../src/search/search.js"
import { type EngineOptions, fresh } from "./support/engine.js"
import { vocabulary } from "./support/histories.js"
import { expectDuration, lawRuns, yieldToTimers } from "./support/size.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")

/** A memory system that remembers these, each with its vector. */
const remembering = (observations: ReadonlyArray<Observation>, options: EngineOptions = {}) =>
  Effect.gen(function* () {
    const { daybook, folder } = yield* fresh(options)
    const memory = yield* daybook.agent(agent, { trust: "full" })
    for (let from = 0; from < observations.length; from += limits.batch) {
      yield* memory.rememberAll(observations.slice(from, from + limits.batch))
    }
    yield* daybook.backfill(agent)
    return { daybook, folder, memory }
  })

const titled = (...titles: ReadonlyArray<string>): ReadonlyArray<Observation> => titles.map((title) => ({ title }))

const titlesOf = (memory: Memory, query: Query) =>
  Effect.map(memory.search({ limit: 100, ...query }), (hits) => hits.map(({ title }) => title))

/** Full text on its own: what matches is what is found. */
const textAlone: EngineOptions = { vectorExtension: null }

describe("any text is a query", () => {
  const fragments =
    '" "" ( ) () NEAR NEAR( NEAR/2 NEAR(a,2) AND OR NOT and * ^ ^tea : :: title: titl: title:( {title facts}: -title: narrative:"a b" type:discovery store: store:x tag:"a person:é after:2026 before:tea after:"last session:\' rank: + - ++ -- +" -" \\ \' \'\' ; /* */ % _ ? ?1 @a $a # [ ] { } < > = ! | & ~ , . tea kettle text_full postings_full bm25(text_full) 1e9 -1 0x0 東京 東 京都 สวัสดี 🚀 👩‍👩‍👧 é e\u0301 ß İ ı \u202e \ufeff \ufffd \u0000 \ud800 \udc00 \ud83d ﬁ ① C++ c# .NET #12 @a foo_barBaz v1.2.3 5km a-b 1,250.50 9fceb02d 0171/2345678 +49 https://a.b/c?d#e Müller 서울에서 Москва Ψυχή ال בית サーバー 🇩🇪'
      .split(" ")
      .concat([" ", "\t", "\n", "\u00a0", "\u3000", "\u2028"])
  const anything: fc.Arbitrary<string> = fc.oneof(
    fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join("")),
    fc.array(fc.constantFrom(...fragments, ...vocabulary), { maxLength: 45 }).map((parts) => parts.join(" ")),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string16bits({ maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 400 })
  )

  it.scopedLive("at random: no error, at full trust and below", () =>
    Effect.gen(function* () {
      const { daybook } = yield* remembering(
        fragments.flatMap((fragment) => [
          { title: `x ${fragment.replace(/[\p{Surrogate}\0]/gu, "")} x` },
          { title: `tea ${fragment.replace(/[\p{Surrogate}\0]/gu, "")}`, store: "social" as const }
        ])
      )
      const readers = [
        yield* daybook.agent(agent, { trust: "full" }),
        yield* daybook.agent(agent, { trust: "familiar" })
      ]
      for (const [index, text] of fc
        .sample(anything, { numRuns: lawRuns({ quick: 300, full: 100_000, ci: 5_000 }), seed: 11 })
        .entries()) {
        const reader = readers[index % 2]!
        if (index % 100 === 0) yield* yieldToTimers
        const asked: ReadonlyArray<Effect.Effect<ReadonlyArray<{ readonly score: number }>, ReadError>> = [
          reader.search({ text, limit: 5 }),
          reader.sessions.search({ text, limit: 5 }),
          Effect.map(reader.explain({ text, limit: 5 }), ({ hits }) => hits)
        ]
        const hits = yield* asked[index % 3]!.pipe(
          Effect.mapError((error) => new Error(`${JSON.stringify(text)}: ${error.message}`))
        )
        for (const { score } of hits) if (!Number.isFinite(score)) throw new Error(JSON.stringify(text))
      }
    })
  )

  it.scopedLive("of a megabyte is answered quickly", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering(titled("tea", "東京都に住んでいます", "a".repeat(400)))
      const long = [
        ...'a,é,東,🚀,\ud800,\0,(,",tea ,tea AND ,-tea ,title:a ,東 京 '.split(",").map((part) => part.repeat(1 << 18)),
        `${" ".repeat(1 << 20)}tea`
      ]
      let slowest = 0
      for (const text of long) {
        const began = performance.now()
        yield* memory.search({ text })
        slowest = Math.max(slowest, performance.now() - began)
      }
      expectDuration("slowest search for a megabyte of text", slowest, 200)
    })
  )

  it.scopedLive("finds rows with its words", () =>
    Effect.gen(function* () {
      const kept = [
        "C++ templates",
        "what's up?",
        "foo-bar",
        "100% cotton",
        'he said "never"',
        "東京都に住んでいます",
        "café au lait",
        "rocket 🚀 launch",
        "$HOME is unset",
        "a AND b",
        "NOT now",
        "title: Dune",
        "see https://example.org/a?b=c",
        "Ада Лавлейс",
        "สวัสดีครับ",
        "Straße",
        "ﬁnish line",
        "n°5 — a perfume"
      ]
      const { daybook, memory } = yield* remembering(titled(...kept), textAlone)
      const cases: ReadonlyArray<readonly [string, string]> = [
        ["C++", "C++ templates"],
        ["c++ template", "C++ templates"],
        ["what's up?", "what's up?"],
        ["foo-bar", "foo-bar"],
        ["100%", "100% cotton"],
        ["°", "n°5 — a perfume"],
        ['said "never', 'he said "never"'],
        ["東京", "東京都に住んでいます"],
        ["東京都", "東京都に住んでいます"],
        ["住んで", "東京都に住んでいます"],
        ["京", "東京都に住んでいます"],
        ["す", "東京都に住んでいます"],
        ["cafe", "café au lait"],
        ["CAFÉ", "café au lait"],
        ["cafe\u0301", "café au lait"],
        ["🚀", "rocket 🚀 launch"],
        ["$HOME", "$HOME is unset"],
        ["a AND", "a AND b"],
        ["NOT", "NOT now"],
        ["title:", "title: Dune"],
        ["https://example.org/a?b=c", "see https://example.org/a?b=c"],
        ["ада", "Ада Лавлейс"],
        ["สวัสดี", "สวัสดีครับ"],
        ["straße", "Straße"],
        ["finish", "ﬁnish line"],
        ["n°5", "n°5 — a perfume"],
        ["launches", "rocket 🚀 launch"],
        ["-rocket", "rocket 🚀 launch"]
      ]
      for (const [text, title] of cases)
        expect([text, yield* titlesOf(memory, { text })]).toEqual([text, expect.arrayContaining([title])])
      // Quotation marks, signs and operators with nothing between them are no text either.
      const nothing = ["", " ", "\n\t", '""', '"', "*", "-", "+", "- +", "NOT", "AND OR", "“”", '"" AND *']
      for (const text of [...nothing, undefined]) expect(yield* titlesOf(memory, { text })).toEqual([...kept].reverse())
      for (const trust of ["inner", "familiar", "public"] as const) {
        const reader = yield* daybook.agent(agent, { trust })
        for (const [text] of cases) expect(yield* reader.search({ text })).toEqual([])
      }
    })
  )

  it.scopedLive("without words finds nothing", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering(titled("tea", "coffee"), textAlone)
      for (const text of ["\0", "\ud800", `${" ".repeat(2_000)}tea`]) {
        for (const { parts } of yield* memory.search({ text })) expect([text, parts.text]).toEqual([text, 0])
      }
    })
  )
})

describe("words, phrases and fields", () => {
  it.scopedLive("support alternatives, +must, -must not, AND, NOT, phrases and columns", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering(
        [
          { title: "green tea", narrative: "kettle" },
          { title: "black tea", facts: ["green cup"] },
          { title: "tea house green", tags: ["kettle"] },
          { title: "coffee", people: ["Green Giant"] }
        ],
        textAlone
      )
      const found = (text: string) => Effect.map(titlesOf(memory, { text }), (titles) => [...titles].sort())
      const [black, coffee, green, house] = ["black tea", "coffee", "green tea", "tea house green"]
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string | undefined>]> = [
        ["tea coffee", [black, coffee, green, house]],
        ["tea OR coffee", [black, coffee, green, house]],
        ["+tea green", [black, green, house]],
        ["+tea +kettle", [green, house]],
        ["tea AND kettle", [green, house]],
        ["tea AND kettle AND house", [house]],
        ["tea -kettle", [black]],
        ["tea NOT kettle", [black]],
        ["green -tea", [coffee]],
        ["+tea -kettle -cup", []],
        ['"green tea"', [green]],
        ['"tea green"', []],
        ['+"green tea" coffee', [green]],
        ['tea -"green tea"', [black, house]],
        ["title:green", [green, house]],
        ["TITLE:green", [green, house]],
        ["facts:green", [black]],
        ["people:giant", [coffee]],
        ["tags:kettle", [house]],
        ["narrative:kettle", [green]],
        ["+title:tea -title:green", [black]],
        ['title:"tea house"', [house]],
        ["title:green title:black", []],
        ["title:black OR people:giant", [black, coffee]],
        ["kettle title:green", [green, house]],
        ["kett*", [green, house]],
        ["Coff*", [coffee]],
        ["tea -kett*", [black]],
        ["title:gree*", [green, house]],
        ["everything about coffee", [coffee]],
        ["everything", []],
        ["teas", [black, green, house]],
        ["nothing", []]
      ]
      for (const [text, titles] of cases) expect([text, yield* found(text)]).toEqual([text, titles])
    })
  )

  it.scopedLive("of signs only are searched as substrings, without excluded rows", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering(titled("a && b", "c && d", "e || f"), textAlone)
      for (const [text, titles] of [
        ["&&", ["c && d", "a && b"]],
        ["&& -c", ["a && b"]],
        ["&& type:task", []]
      ] as const)
        expect([text, yield* titlesOf(memory, { text })]).toEqual([text, titles])
    })
  )

  it("are parsed", () => {
    const simple = (text: string) => {
      const { must, not, should } = parseQuery(text)
      return {
        must,
        should: should.map(({ isDroppable: droppable, expression }) => (droppable ? expression : [expression])),
        not
      }
    }
    expect(simple("green tea")).toEqual({ must: [], should: ['"green"', '"tea"'], not: [] })
    expect(simple('+green "black tea" -milk title:x')).toEqual({
      must: ['"green"', '"black tea"', 'title : "x"'],
      should: [],
      not: ['"milk"']
    })
    expect(simple("“green tea” cup")).toEqual({ must: ['"green tea"'], should: ['"cup"'], not: [] })
    // A sentence speaks of what it quotes.
    expect(simple('who read "black tea" there?').must).toEqual([])
    expect(simple('cup "black tea"?').should).toEqual(['"cup"', ['"black tea"']])
    expect(simple('what of "black tea"?').must).toEqual(['"black tea"'])
    expect(simple('who read +"black tea"').must).toEqual(['"black tea"'])
    expect(simple('title:a OR facts:b OR "c d" e')).toEqual({
      must: ['(title : "a" OR facts : "b" OR "c d")'],
      should: ['"e"'],
      not: []
    })
    expect(simple("a OR title:b").must).toEqual(['("a" OR title : "b")'])
    expect(simple("a AND b OR c NOT d")).toEqual({ must: ['"a"', '"b"'], should: ['"c"'], not: ['"d"'] })
    expect(simple("a AND")).toEqual({ must: ['"a"'], should: [], not: [] })
    expect(simple("AND a")).toEqual({ must: [], should: ['"a"'], not: [] })
    expect(simple("NOT")).toEqual({ must: [], should: [], not: [] })
    expect(simple("NOT a -b")).toEqual({ must: [], should: ['"a"', '"b"'], not: [] })
    expect(simple("and or not")).toEqual({ must: [], should: ['"and"', '"or"', '"not"'], not: [] })
    expect(parseQuery('say "unclosed words').should).toHaveLength(3)
    expect(simple("title:")).toEqual({ must: [], should: ['"title:"'], not: [] })
    expect(simple("url:x")).toEqual({ must: [], should: ['"url"', '"x"'], not: [] })
    expect(simple('- + : ""')).toEqual({ must: [], should: [], not: [] })
    expect(simple("東京都")).toEqual({ must: [], should: ['("東京" AND "京都")'], not: [] })
    expect(simple("東")).toEqual({ must: [], should: ['"東" *'], not: [] })
    expect(parseQuery("x ".repeat(100)).should).toHaveLength(limits.queryTerms)
    expect(parseQuery(`${"é".repeat(600)} lost`).should).toHaveLength(1)
    expect(ftsExpressionOf({ must: [], should: [], not: ['"a"'] })).toBeNull()
    expect(
      ftsExpressionOf({
        must: ['"a"', '"b"'],
        should: [{ text: "c", offset: 0, expression: '"c"', isDroppable: true }],
        not: ['"d"', '"e"']
      })
    ).toBe('(("a" AND "b") AND ("a" OR "c")) NOT ("d" OR "e")')
  })

  it.scopedLive("are left out if common, while others remain", () =>
    Effect.gen(function* () {
      const common = Array.from({ length: 1_200 }, (_, index) => ({ title: `meeting n${index}` }))
      const { memory } = yield* remembering([...common, ...titled("meeting with Grace", "Grace sings")], textAlone)
      const count = (text: string) => Effect.map(memory.search({ text, limit: 1_000 }), (hits) => hits.length)
      expect(yield* titlesOf(memory, { text: "meeting Grace" })).toEqual(["Grace sings", "meeting with Grace"])
      expect(yield* count("meeting")).toBe(1_000)
      expect(yield* count("meeting meetings")).toBe(1_000)
      expect(yield* count('"meeting" Grace')).toBe(1_000)
      expect(yield* count("title:meeting Grace")).toBe(1_000)
      expect(yield* titlesOf(memory, { text: "+meeting Grace", limit: 1 })).toEqual(["meeting with Grace"])
      expect(yield* count("Grace -meeting")).toBe(1)
      const small = yield* remembering(
        [...common.slice(0, 900), ...titled("meeting with Grace", "Grace sings")],
        textAlone
      )
      expect((yield* small.memory.search({ text: "meeting Grace", limit: 1_000 })).length).toBe(902)
      expect([...(yield* titlesOf(small.memory, { text: "meeting Grace", limit: 2 }))].sort()).toEqual([
        "Grace sings",
        "meeting with Grace"
      ])
    })
  )
})

describe("filters act before ranking", () => {
  it.scopedLive("keep a rare match below 5,000 filtered rows with better scores", () =>
    Effect.gen(function* () {
      const rare: Observation = {
        title: "a long way round",
        narrative: "in the end, after much else that says nothing of it, somebody made tea for everybody who was there",
        type: "rare",
        store: "shared",
        tags: ["Rare"],
        people: ["Rare Person"],
        project: "rare",
        session: "rare",
        tier: "mid" as const,
        occurredAt: "2001-01-01"
      }
      const common = Array.from({ length: 5_000 }, (_, index) => ({
        title: `tea tea ${index}`,
        store: "private" as const,
        project: "common",
        occurredAt: "2010-01-01"
      }))
      const { memory } = yield* remembering([rare, ...common, { title: "tea of tomorrow", occurredAt: "2030-01-01" }])
      expect(yield* titlesOf(memory, { text: "tea" })).not.toContain(rare.title)
      const filters: ReadonlyArray<Query> = [
        { stores: ["shared", "social"] },
        { stores: ["shared"] },
        { stores: ["shared"], types: [], tags: [] },
        { stores: ["shared"], types: ["rare"] },
        { types: ["rare", "other"] },
        { tags: [" RARE "] },
        { anyTags: [" RARE ", "other"] },
        { tiers: ["mid", "core"] },
        { people: ["rare  person"] },
        { project: "rare" },
        { session: "rare" },
        { before: "2001-01-01T00:00:00.001Z" },
        { after: 978_307_200_000, before: new Date("2001-01-02") }
      ]
      for (const filter of filters) {
        expect([filter, yield* titlesOf(memory, { text: "tea", ...filter })]).toEqual([filter, [rare.title]])
        expect((yield* memory.list(filter)).map(({ title }) => title)).toEqual([rare.title])
        expect(yield* titlesOf(memory, filter)).toEqual([rare.title])
      }
      expect(yield* titlesOf(memory, { text: "tea", after: "2020-01-01" })).toEqual(["tea of tomorrow"])
      expect(yield* titlesOf(memory, { text: "tea", before: "2001-01-01" })).toEqual([])
      expect(yield* titlesOf(memory, { text: "tea -tomorrow", after: "2020-01-01" })).toEqual([])
      // A word that must be there narrows likewise.
      expect(yield* titlesOf(memory, { text: "tea +everybody" })).toEqual([rare.title])
    })
  )

  it.scopedLive("select rows that have each of `tags`, and one of `anyTags`", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering([
        { title: "tea with milk", tags: ["tea", "milk"] },
        { title: "tea with lemon", tags: ["tea", "lemon"] },
        { title: "milk for tea", tags: ["milk"] }
      ])
      for (const [filter, wanted] of [
        [{ tags: ["tea", "milk"] }, ["tea with milk"]],
        [{ tags: ["tea", "honey"] }, []],
        [{ anyTags: ["lemon", "honey"] }, ["tea with lemon"]],
        [{ tags: ["milk"], anyTags: ["tea", "lemon"] }, ["tea with milk"]],
        [{ anyTags: ["tea", "milk"] }, ["milk for tea", "tea with lemon", "tea with milk"]]
      ] as const) {
        expect((yield* titlesOf(memory, filter)).toSorted()).toEqual(wanted)
        expect((yield* titlesOf(memory, { ...filter, text: "tea" })).toSorted()).toEqual(wanted)
        expect((yield* memory.list(filter)).map(({ title }) => title).toSorted()).toEqual(wanted)
      }
      expect(yield* titlesOf(memory, { text: "tea tag:milk tag:tea" })).toEqual(["tea with milk"])
      expect(yield* titlesOf(memory, { text: "tea -tag:lemon -tag:milk" })).toEqual([])
      expect(yield* titlesOf(memory, { text: "tea -tag:tea" })).toEqual(["milk for tea"])
      expect(yield* titlesOf(memory, { text: "tea tier:mid" })).toEqual([])
    })
  )

  it.scopedLive("combine with required and excluded words, also if rows have expired", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering([
        { title: "green tea", type: "decision" },
        { title: "black tea", type: "decision" },
        { title: "green coffee", type: "event" },
        { title: "green milk", type: "decision", expiresAt: "2020-01-01" }
      ])
      expect(yield* titlesOf(memory, { text: "+green tea", types: ["decision"] })).toEqual(["green tea"])
      expect(yield* titlesOf(memory, { text: "tea -green", types: ["decision"] })).toEqual(["black tea"])
      expect(yield* titlesOf(memory, { text: "+green" })).toEqual(expect.arrayContaining(["green tea", "green coffee"]))
      expect(yield* titlesOf(memory, { text: "+green -tea" })).toEqual(["green coffee"])
    })
  )

  it.scopedLive("sort a list", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering([
        { title: "first", importance: 0.2 },
        { title: "second", importance: 0.9, occurredAt: "2001-01-01" },
        { title: "third", importance: 0.5 }
      ])
      yield* memory.remember({ title: "first", importance: 0.2 })
      const titles = (sort?: never) => Effect.map(memory.list({ sort }), (rows) => rows.map(({ title }) => title))
      const rows = (sort: string | undefined) => titles(sort as never)
      expect(yield* rows(undefined)).toEqual(["third", "first", "second"])
      expect(yield* rows("oldest")).toEqual(["second", "first", "third"])
      expect(yield* rows("changed")).toEqual(["first", "third", "second"])
      expect(yield* rows("mentions")).toEqual(["first", "third", "second"])
      expect(yield* rows("importance")).toEqual(["second", "third", "first"])
      expect(yield* Effect.flip(memory.list({ sort: "size" as never }))).toMatchObject({ field: "sort" })
    })
  )

  it.scopedLive("return as many rows as requested, beyond the pool", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering(Array.from({ length: 300 }, (_, index) => ({ title: `tea ${index}` })))
      expect((yield* titlesOf(memory, { text: "tea", limit: 1_000 })).length).toBe(300)
    })
  )

  it.scopedLive("match any of their values, and none if no row has a value", () =>
    Effect.gen(function* () {
      const { memory } = yield* remembering([{ title: "tea", tags: ["t19"] }], textAlone)
      const tags = Array.from({ length: 20 }, (_, index) => `t${index}`)
      expect(yield* titlesOf(memory, { anyTags: tags })).toEqual(["tea"])
      const outcome = yield* Effect.either(memory.search({ tags: [" "] }))
      expect(outcome._tag === "Left" ? outcome.left._tag : outcome.right).toEqual(
        outcome._tag === "Left" ? "InvalidInput" : []
      )
    })
  )
})

/** Directions for a few words; nothing else has one of them. */
const meanings: Readonly<Record<string, number>> = { dog: 0, puppy: 0, canine: 0, cat: 1, feline: 1 }
const meaningful = (weight: number) =>
  Layer.succeed(Embedder, {
    model: "meaning",
    dimensions: 4,
    weight,
    floor: 0.5,
    batch: 100,
    embed: (texts) =>
      Effect.succeed(
        texts.map((text) => {
          const vector = new Float32Array(4)
          for (const word of text.toLowerCase().split(/\W+/))
            vector[meanings[word] ?? 3]! += meanings[word] === undefined ? 0.1 : 1
          return vector
        })
      )
  })

describe.each(["minmax", "rrf"] as const)("fusion by %s", (fusion) => {
  const policy = { search: { fusion } }

  it.scopedLive("a hit of one index alone can rank first", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* remembering(titled("a puppy", "the zebra crossing", "feline", "bread"), {
        policy,
        embedder: meaningful(0.5)
      })
      const [near] = yield* memory.search({ text: "canine" })
      expect(near).toMatchObject({ title: "a puppy", parts: { text: 0 } })
      expect(near!.parts.vector).toBeGreaterThan(0.4)
      const [said] = yield* memory.search({ text: "dog zebra" })
      expect(said?.parts.text === 0 || said?.parts.vector === 0).toBe(true)
      expect(yield* titlesOf(memory, { text: "dog zebra" })).toEqual(["the zebra crossing", "a puppy"])
      const only = (yield* memory.search({ text: "dog zebra" }))[0]!
      expect(only.parts).toMatchObject({ vector: 0 })
      expect(only.parts.text).toBeGreaterThan(0.4)
      // What must not be there is no hit, however near; what must be there is asked of both sides.
      expect(yield* titlesOf(memory, { text: "canine -puppy" })).toEqual([])
      expect(yield* titlesOf(memory, { text: "canine +bread" })).toEqual(["bread"])
      expect(yield* titlesOf(memory, { text: "title:dog" })).toEqual([])
      expect(yield* titlesOf(memory, { text: "canine title:bread" })).toEqual(["bread"])
      expect(yield* titlesOf(memory, { text: '"dog"' })).toEqual([])
      expect(yield* titlesOf(memory, { text: '"zebra crossing" dog' })).toEqual(["the zebra crossing"])
      for (const text of ["dog tag:pets", "dog person:Ann", "dog type:task", "dog -store:private"])
        expect([text, yield* titlesOf(memory, { text })]).toEqual([text, []])
      yield* memory.sessions.append({ session: "a", text: "a puppy", speaker: "Ann" })
      const turns = (text: string) => Effect.map(memory.sessions.search({ text }), (hits) => hits.length)
      yield* daybook.backfill(agent)
      expect(yield* turns("dog")).toBe(1)
      for (const text of ['"dog"', "dog -puppy", "dog +bread", "dog person:Bo", "dog -person:ann", "dog -session:a"])
        expect([text, yield* turns(text)]).toEqual([text, 0])
    })
  )

  it.scopedLive("the parts add up to the score, and the scores give the order", () =>
    Effect.gen(function* () {
      const observations = fc.sample(
        fc.record({
          title: fc
            .array(fc.constantFrom(...vocabulary, "dog", "puppy", "cat"), { minLength: 1, maxLength: 4 })
            .map((words) => words.join(" ")),
          occurredAt: fc.constantFrom("2026-03-01", "2025-01-01", "2026-02-02T10:00:00Z")
        }),
        { numRuns: lawRuns({ quick: 60, full: 200 }), seed: 5 }
      )
      const { memory } = yield* remembering([...observations, ...observations.slice(0, 50)], {
        policy,
        embedder: meaningful(0.3)
      })
      for (const text of ["dog tea", "cafe", "cat", "green OR puppy", "+dog", ""]) {
        const hits = yield* memory.search({ text, limit: 1_000 })
        expect(hits.length).toBeGreaterThan(0)
        for (const { parts, score } of hits) {
          expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 12)
          expect(Math.min(...Object.values(parts))).toBeGreaterThanOrEqual(0)
        }
        if (text !== "")
          expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a))
      }
    })
  )

  it.scoped("ties have a fixed order: first the newer, then the later stored", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, memory } = yield* remembering(
        [
          { title: "tea one", occurredAt: "2026-03-13T10:00:00Z" },
          { title: "tea two", occurredAt: "2026-03-13T12:00:00Z" },
          { title: "tea three", occurredAt: "2026-03-13T12:00:00Z" },
          { title: "tea four", occurredAt: "2026-03-13T09:00:00Z" },
          { title: "tea five", occurredAt: "2026-03-13T12:00:00Z" }
        ],
        { ...textAlone, policy }
      )
      const expected = ["tea five", "tea three", "tea two", "tea one", "tea four"]
      expect(yield* titlesOf(memory, { text: "tea" })).toEqual(expected)
      if (fusion === "minmax")
        expect(new Set((yield* memory.search({ text: "tea" })).map(({ score }) => score)).size).toBe(1)
      expect(yield* titlesOf(memory, { text: "tea", limit: 3 })).toEqual(expected.slice(0, 3))
      expect(yield* titlesOf(memory, {})).toEqual(expected)
      yield* daybook.rebuild(agent)
      expect(yield* titlesOf(memory, { text: "tea" })).toEqual(expected)
    })
  )

  it.scoped("the same question has the same answer all day, and on another day only recency differs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { memory } = yield* remembering(titled("tea", "green tea", "teapot for tea"), {
        policy: { ...policy, actors: { idle: 10 * day } }
      })
      const asked = memory.search({ text: "tea" })
      const today = yield* asked
      yield* TestClock.setTime(Date.parse("2026-03-14T23:59:59.999Z"))
      expect(yield* asked).toEqual(today)
      yield* TestClock.setTime(Date.parse("2026-03-15T00:00:00Z"))
      const { decays, recencyWeight } = defaults.search
      const still = ({ parts: { recency: _, ...parts } }: Hit) => parts
      const tomorrow = yield* asked
      expect(tomorrow.map(still)).toEqual(today.map(still))
      for (const { parts } of tomorrow)
        expect(parts.recency).toBeCloseTo(recencyWeight * Math.exp(-decays.discovery!), 12)
    })
  )

  const day = 86_400_000
  const candidate: fc.Arbitrary<Candidate> = fc
    .record({
      born: fc.integer({ min: 1, max: 1_000_000 }),
      text: fc.option(fc.constantFrom(0, 0.5, 1, 1.5, 7)),
      similarity: fc.option(fc.constantFrom(0.3, 0.5, 0.9, 1)),
      type: fc.constantFrom("identity", "event", "debug", "mine"),
      openness: fc.constantFrom(0, 1, 2),
      project: fc.constantFrom(null, "harbour"),
      importance: fc.constantFrom(0, 0.5, 1),
      mentions: fc.constantFrom(1, 2, 3, 400),
      time: fc.constantFrom(start, start - 1, start - day, start - 90 * day, start + day)
    })
    .filter(({ similarity, text }) => text !== null || similarity !== null)
    .map((one) => ({ ...one, occurredAt: null, createdAt: one.time, expiresAt: null }))
  const pool = fc.uniqueArray(candidate, { minLength: 1, maxLength: 20, selector: ({ born }) => born })
  const ranked = (candidates: ReadonlyArray<Candidate>, weight: number) =>
    orderByScore(scoreMemories(candidates, { ...defaults.search, fusion }, { main: weight }, start, cues)).map(
      (draft) => ({
        ...draft,
        score: totalScore(draft.parts)
      })
    )
  const cues: QueryCues = {
    date: (instant) => instant < start,
    inTimes: ({ createdAt }) => createdAt < start - day,
    types: new Set(["event"]),
    project: (name) => name !== null
  }

  it.prop(
    "rank does not depend on the order of the candidates",
    [pool, fc.double({ min: 0, max: 1, noNaN: true })],
    ([candidates, weight]) => {
      expect(ranked([...candidates].reverse(), weight)).toEqual(ranked(candidates, weight))
    }
  )

  it.prop(
    "rank gives each index at most its weight",
    [pool, fc.double({ min: 0, max: 1, noNaN: true })],
    ([candidates, weight]) => {
      const { dateBoost, importanceWeight, mentionWeight, projectBoost, recencyWeight, typeGain } = defaults.search
      const hits = ranked(candidates, weight)
      const isInTimes = ({ born }: { readonly born: number }) =>
        cues.inTimes(candidates.find((one) => one.born === born)!)
      expect(hits.map(isInTimes)).toEqual(hits.map(isInTimes).toSorted((a, b) => Number(b) - Number(a)))
      for (const { born, parts, score } of hits) {
        const { importance, project, similarity, text, time, type } = candidates.find((one) => one.born === born)!
        const base = parts.text + parts.vector
        expect(parts.text).toBeGreaterThanOrEqual(0)
        expect(parts.text).toBeLessThanOrEqual(text === null ? 0 : 1 - weight)
        expect(parts.vector).toBeGreaterThanOrEqual(0)
        expect(parts.vector).toBeLessThanOrEqual(similarity === null ? 0 : weight)
        expect(parts.recency).toBeLessThanOrEqual(recencyWeight)
        expect(parts.mentions).toBeLessThanOrEqual(8 * mentionWeight)
        expect(parts.importance).toBe(importance * importanceWeight)
        expect(parts.project).toBe(project === null ? 0 : projectBoost * base)
        const inTimes = isInTimes({ born })
        expect(parts.date).toBeCloseTo(
          (time < start ? dateBoost * base + timeMatchScore : 0) + (inTimes ? namedTimeGain(defaults.search) : 0),
          12
        )
        expect(parts.type).toBe(inTimes && type === "event" ? typeGain : 0)
        expect(score).toBeCloseTo(
          base + parts.recency + parts.mentions + parts.importance + parts.project + parts.date + parts.type,
          12
        )
      }
    }
  )

  it.prop(
    "rank never puts a candidate that is better in every part last",
    [pool, fc.double({ min: 0, max: 1, noNaN: true })],
    ([candidates, weight]) => {
      const place = new Map(ranked(candidates, weight).map(({ born }, index) => [born, index]))
      const atLeast = (a: number | null, b: number | null) => b === null || (a !== null && a >= b)
      for (const a of candidates) {
        for (const b of candidates) {
          const better =
            a.born > b.born &&
            atLeast(a.text, b.text) &&
            atLeast(a.similarity, b.similarity) &&
            a.mentions >= b.mentions &&
            a.importance >= b.importance &&
            a.type === b.type &&
            a.project === b.project &&
            cues.date(a.time) === cues.date(b.time) &&
            cues.inTimes(a) === cues.inTimes(b) &&
            a.time >= b.time
          if (better) expect(place.get(a.born)).toBeLessThan(place.get(b.born)!)
        }
      }
    }
  )
})
