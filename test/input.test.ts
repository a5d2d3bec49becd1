import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import { type Memory, Tier } from "../events/Memory.js"
import { stores } from "../events/Trust.js"
import { decodeChanges, decodeObservation, normaliseTags, type Observation } from "../src/model/input.js"
import { limits } from "../src/model/limits.js"
import { differingInput, observationFrom } from "../src/remember/recordedInput.js"
import { countMixedTokens } from "../text/normalise/countTokens.js"
import { daysBetween, toInstant, toIso } from "../text/when/dates.js"
import { fresh } from "./support/engine.js"

const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== "" && !text.includes("\0"))
const instant = fc.oneof(
  fc.constantFrom("2026-02-28", "2026-02-28T10:00:00+02:00", "1999-12-31 23:59"),
  fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }),
  fc.integer({ min: 0, max: 4_000_000_000_000 })
)
const observation: fc.Arbitrary<Observation> = fc.record(
  {
    title: word,
    type: fc.constantFrom("discovery", "person"),
    narrative: fc.constantFrom("", "a narrative"),
    facts: fc.array(word, { maxLength: 2 }),
    tags: fc.array(fc.constantFrom("Work", " work ", "home", "HOME "), { maxLength: 3 }),
    people: fc.array(fc.constantFrom("Ada", "Grace"), { maxLength: 2 }),
    files: fc.array(fc.constantFrom("a.md", "b.md"), { maxLength: 2 }),
    source: fc.constantFrom(
      { kind: "agent" },
      { kind: "tool", name: "grep", place: "line 3" },
      { kind: "auto" }
    ) as fc.Arbitrary<NonNullable<Observation["source"]>>,
    session: fc.constant("monday"),
    channel: fc.constant("mail"),
    sender: fc.constant("Ada"),
    project: fc.constantFrom("apollo", "gemini"),
    topic: fc.constant("moon"),
    store: fc.constantFrom(...stores),
    tier: fc.constantFrom(...Tier.literals),
    importance: fc.constantFrom(0, 0.5, 1),
    occurredAt: instant,
    expiresAt: fc.constantFrom("2400-01-01", 13_000_000_000_000)
  },
  { requiredKeys: ["title"] }
)

/** As JSON keeps it: a Date as its text. */
const plain = (asked: unknown): unknown => JSON.parse(JSON.stringify(asked))

describe("the recorded input of an event", () => {
  const image = (from: Observation): Memory => ({
    id: "0123456789",
    born: 1,
    revision: 1,
    status: "active",
    type: "discovery",
    facts: [],
    files: [],
    people: [],
    source: { kind: "agent" },
    store: "private",
    tier: "long",
    importance: 0,
    tokens: 1,
    mentions: 1,
    lastMentionedAt: 0,
    createdAt: 0,
    updatedAt: 0,
    ...(from as object as Pick<Memory, "title">),
    tags: normaliseTags(from.tags ?? []),
    ...(from.occurredAt === undefined ? {} : { occurredAt: toInstant(from.occurredAt)! }),
    ...(from.expiresAt === undefined ? {} : { expiresAt: toInstant(from.expiresAt)! })
  })

  it.prop("together with any after-image restores the request", [observation, observation], ([asked, other]) => {
    for (const memory of [image(asked), image(other)]) {
      const kept = plain(differingInput(asked, memory)) as ReturnType<typeof differingInput>
      expect(plain(observationFrom(memory, kept.input))).toEqual(plain(asked))
    }
  })

  it("is left out if the after-image says the same", () => {
    const asked: Observation = { title: "tea", tags: ["work"], facts: ["green"], occurredAt: 5 }
    const memory = image({ ...asked, type: "discovery" })
    const whole = observationFrom(memory, undefined)
    expect(differingInput(whole, memory)).toEqual({})
    expect(differingInput({ ...whole, tags: [" WORK "] }, memory)).toEqual({ input: { tags: [" WORK "] } })
    const { store: _, ...without } = whole
    expect(differingInput(without, memory)).toEqual({ input: { store: null } })
  })

  it.scopedLive.prop(
    "restores the request of every event in the log, added or duplicate",
    [fc.array(observation, { minLength: 5, maxLength: 15 })],
    ([some]) =>
      Effect.gen(function* () {
        const { daybook } = yield* fresh()
        const memory = yield* daybook.agent("ada", { trust: "full" })
        // Again with other labels: duplicates whose after-image is the first one's.
        const asked = [
          ...some,
          ...some.map(({ facts, title }): Observation => ({ title, ...(facts === undefined ? {} : { facts }) })),
          ...some
        ]
        for (const one of yield* memory.rememberAll(asked)) Either.getOrThrow(one)
        const events = [...(yield* Stream.runCollect(daybook.log("ada")))]
        expect(events).toHaveLength(asked.length)
        for (const [index, event] of events.entries()) {
          if ((event.type !== "ADD" && event.type !== "UPDATE") || event.payload === null) throw new Error(event.type)
          expect(plain(observationFrom(event.payload.memory, event.payload.input))).toEqual(plain(asked[index]))
        }
      }),
    { fastCheck: { numRuns: 5 } }
  )
})

describe("tags", () => {
  const tags = fc.array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 90 }),
      fc.constantFrom("A", "a ", "🚀".repeat(40), "İ".repeat(64), "ΑΣ")
    ),
    {
      maxLength: 30
    }
  )

  it.prop("are trimmed, lower-cased, deduplicated and limited in length and number", [tags], ([asked]) => {
    const normal = normaliseTags(asked)
    expect(normal.length).toBeLessThanOrEqual(limits.tags)
    expect(new Set(normal).size).toBe(normal.length)
    for (const tag of normal) {
      expect(tag).toBe(tag.trim())
      expect(tag).toBe(tag.toLowerCase())
      expect(tag.length).toBeGreaterThan(0)
      expect(tag.length).toBeLessThanOrEqual(limits.tag)
      expect(tag.isWellFormed()).toBe(true)
    }
  })

  it.prop("do not change when normalised twice", [tags], ([asked]) => {
    expect(normaliseTags(normaliseTags(asked))).toEqual(normaliseTags(asked))
  })

  it.prop("keep the order of their first occurrence", [tags, tags], ([some, more]) => {
    const normal = normaliseTags(some)
    expect(normaliseTags([...some, ...more]).slice(0, normal.length)).toEqual(normal)
  })

  it("are cut, not refused", () => {
    expect(normaliseTags([" Work ", "work", "", "  ", "🚀".repeat(40)])).toEqual(["work", "🚀".repeat(32)])
    expect(normaliseTags([`${"x".repeat(63)}🚀`])).toEqual(["x".repeat(63)])
    expect(normaliseTags(Array.from({ length: 40 }, (_, index) => `t${index}`))).toHaveLength(limits.tags)
  })
})

describe("instants", () => {
  const good: ReadonlyArray<readonly [unknown, string]> = [
    ["2026-03-14", "2026-03-14T00:00:00.000Z"],
    ["2026-03-14T10:20", "2026-03-14T10:20:00.000Z"],
    ["2026-03-14 10:20:30", "2026-03-14T10:20:30.000Z"],
    ["2026-03-14T10:20:30.5Z", "2026-03-14T10:20:30.500Z"],
    ["2026-03-14t10:20:30.123456789z", "2026-03-14T10:20:30.123Z"],
    ["2026-03-14T10:20:30+02:00", "2026-03-14T08:20:30.000Z"],
    ["2026-03-14T10:20:30 -0930", "2026-03-14T19:50:30.000Z"],
    [" 2024-02-29 ", "2024-02-29T00:00:00.000Z"],
    ["2000-02-29", "2000-02-29T00:00:00.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["0099-12-31", "0099-12-31T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"],
    [0, "1970-01-01T00:00:00.000Z"],
    [-1, "1969-12-31T23:59:59.999Z"],
    [new Date("2026-03-14T10:20:30.001Z"), "2026-03-14T10:20:30.001Z"]
  ]
  const bad: ReadonlyArray<unknown> = [
    "",
    "yesterday",
    "2026",
    "2026-3-14",
    "14.03.2026",
    "2026-02-30",
    "2025-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-03-14T24:00",
    "2026-03-14T10:60",
    "2026-03-14T10:20:60",
    "2026-03-14T10",
    "2026-03-14T10:20:30+25:00",
    "2026-03-14T10:20:30+02:60",
    "2026-03-14T10:20Zulu",
    "+002026-03-14",
    "0000-01-01",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-01:00",
    "２０２６-０３-１４",
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    8.64e15,
    new Date(Number.NaN),
    null,
    undefined,
    true,
    {},
    [],
    1n
  ]

  for (const zone of ["UTC", "America/St_Johns", "Pacific/Apia"]) {
    it(`are equal in ${zone}`, () => {
      const before = process.env.TZ
      process.env.TZ = zone
      try {
        for (const [asked, iso] of good) {
          const at = toInstant(asked)
          expect([asked, at === undefined ? at : toIso(at)]).toEqual([asked, iso])
        }
        for (const asked of bad) expect([asked, toInstant(asked)]).toEqual([asked, undefined])
      } finally {
        if (before === undefined) delete process.env.TZ
        else process.env.TZ = before
      }
    })
  }

  it.prop("of any date survive", [fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })], ([at]) => {
    expect(toInstant(at)).toBe(at)
    expect(toInstant(new Date(at))).toBe(at)
    expect(toInstant(toIso(at))).toBe(at)
  })

  it("are whole UTC days apart", () => {
    const at = (iso: string) => Date.parse(iso)
    expect(daysBetween(at("2026-03-14T00:00:00Z"), at("2026-03-14T23:59:59.999Z"))).toBe(0)
    expect(daysBetween(at("2026-03-14T23:59:59.999Z"), at("2026-03-15T00:00:00Z"))).toBe(1)
    expect(daysBetween(at("2026-03-15T00:00:00Z"), at("2026-03-01T00:00:00Z"))).toBe(0)
    expect(daysBetween(-1, 0)).toBe(1)
  })
})

describe("decoding", () => {
  it.prop("accepts every valid observation unchanged", [observation], ([asked]) => {
    expect(Either.getOrThrow(decodeObservation(asked))).toEqual(asked)
  })

  it.prop(
    "refuses everything else without throwing, and never quotes it",
    [fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true })],
    ([asked]) => {
      for (const decoded of [decodeObservation({ title: "tea", narrative: asked }), decodeChanges({ title: asked })]) {
        if (Either.isRight(decoded)) continue
        expect(decoded.left._tag).toBe("InvalidInput")
        expect(["narrative", "title"]).toContain(decoded.left.field)
        expect(decoded.left.problem).toMatch(/^(is|must|holds|has) /)
      }
    }
  )

  it("copies its input, so that later changes have no effect", () => {
    const facts = ["a fact"]
    const source = { kind: "tool" as const, name: "grep" }
    const decoded = Either.getOrThrow(decodeObservation({ title: "tea", facts, source }))
    facts.push("x".repeat(limits.fact + 1))
    source.name = ""
    expect(decoded).toEqual({ title: "tea", facts: ["a fact"], source: { kind: "tool", name: "grep" } })
  })

  it("reads inherited fields, and detects the holes of a list", () => {
    class Note {
      readonly title = "tea"
      get facts() {
        return ["a fact"]
      }
    }
    expect(Either.getOrThrow(decodeObservation(new Note()))).toEqual({ title: "tea", facts: ["a fact"] })
    const holed: Array<string> = ["a fact"]
    holed[2] = "another"
    const refused = Either.flip(decodeObservation({ title: "tea", facts: holed }))
    expect(Either.getOrThrow(refused)).toMatchObject({ field: "facts.1", problem: "must be text" })
  })
})

describe("the mixed count of tokens", () => {
  const cases: ReadonlyArray<readonly [string, number]> = [
    ["", 0],
    [" \n\t\u3000", 0],
    ["tea", 1],
    ["two words", 2],
    ["one two three four", 3],
    ["東", 2],
    ["東京", 3],
    ["ひらがな", 6],
    ["東京 tower", 4],
    ["東京tower東", 6],
    ["C++ what's foo-bar", 3],
    ["🚀", 1]
  ]
  it("counts words and ideographs", () => {
    for (const [text, tokens] of cases) expect([text, countMixedTokens(text)]).toEqual([text, tokens])
  })

  const text = fc.string({ unit: "grapheme" })
  it.prop("of a concatenation is between the larger part and the sum", [text, text], ([a, b]) => {
    const both = countMixedTokens(`${a}\n${b}`)
    expect(both).toBeLessThanOrEqual(countMixedTokens(a) + countMixedTokens(b))
    expect(both).toBeGreaterThanOrEqual(Math.max(countMixedTokens(a), countMixedTokens(b)))
  })
})
