import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { activeSetOf } from "../bench/year/bounds.js"
import * as SetClock from "../bench/year/clock.js"
import { decodeYear, type Year } from "../bench/year/format.js"
import { type MonthReport, replayYear } from "../bench/year/live.js"
import { firstMentions } from "../bench/year/mentions.js"
import { failuresOf, judgeYear, renderMonth } from "../bench/year/render.js"
import { makeCaptureTracker, toConversation } from "../bench/year/spoken.js"
import { attributeStatesIn } from "../bench/year/truths.js"
import { writeYear } from "../bench/year/write.js"
import * as Default from "../layers/Default.js"
import * as HashEmbedder from "../layers/HashEmbedder.js"
import type { WholeMemory } from "../src/model/wholeMemory.js"
import { decode } from "../src/ports/Policy.js"
import { temporaryFolder } from "./support/engine.js"
import { rounds } from "./support/size.js"

const policy = Either.getOrThrow(decode({ reconcile: { reconciler: "rules" } }))
const day = 86_400_000
const now = Date.UTC(2026, 5, 1)

const file = (more: object = {}) => ({
  name: "a year",
  memories: [
    { at: "2026-02-03T10:00:00Z", title: "Mira lives in Ghent" },
    { at: "2026-01-02", title: "Mira lives in Lisbon", type: "identity" }
  ],
  turns: [{ at: "2026-01-02", session: "one", text: "I live in Lisbon" }],
  searches: [{ at: "2026-01-05", text: "where does Mira live" }],
  attributes: [
    {
      name: "home",
      truths: [
        { from: "2026-01-02", says: ["Mira", "Lisbon"] },
        { from: "2026-02-03T10:00:00Z", says: ["Mira", "Ghent"], or: [["Gent"]] }
      ]
    }
  ],
  ...more
})
const read = (document: unknown): Year => Either.getOrThrow(decodeYear(document))
const problems = (document: unknown) =>
  Either.match(decodeYear(document), { onLeft: ({ problems }) => problems, onRight: () => [] })

describe("a year's file", () => {
  it("is read in order of time, in whole days from the first to the last", () => {
    const { attributes, from, happenings, to } = read(file())
    expect(happenings.map(({ at, kind, place }) => [new Date(at).toISOString().slice(0, 10), kind, place])).toEqual([
      ["2026-01-02", "memory", "memory 2"],
      ["2026-01-02", "turn", "turn 1"],
      ["2026-01-05", "search", "search 1"],
      ["2026-02-03", "memory", "memory 1"]
    ])
    expect([from, to]).toEqual([Date.UTC(2026, 0, 2), Date.UTC(2026, 1, 4)])
    expect(attributes[0]!.truths[1]!.ways).toEqual([["Mira", "Ghent"], ["Gent"]])
  })

  it("is refused with every problem and its place, without texts", () => {
    const at = "2026-01-02"
    expect(
      problems(
        file({
          memories: [
            { at: "soon", title: "" },
            { at, title: "secret", colour: "secret" },
            "secret",
            { title: "secret" }
          ],
          turns: [{ at, text: "secret" }],
          searches: [{ at, text: " " }],
          attributes: [
            { name: "a", truths: [] },
            { name: "b", truths: [{ from: at, says: [] }] },
            {
              name: "c",
              truths: [
                { from: at, says: ["secret"] },
                { from: at, says: ["secret"] }
              ]
            },
            { name: "d", truths: [{ from: at, says: ["x"] }] },
            { name: "d", truths: [{ from: at, says: ["x"] }] }
          ]
        })
      )
    ).toEqual([
      "memory 1: at: is not a date: use an ISO 8601 time",
      "memory 1: title: is empty",
      expect.stringMatching(/^memory 2: colour: is not a known field: use title, /),
      "memory 3: must be an object",
      "memory 4: at: is missing",
      "turn 1: session: is missing",
      "search 1: text: is empty",
      "attribute 1: truths: is empty",
      "attribute 2: truths.0.says: is empty",
      "attribute 3: truths.1.from: must be later than the start of the previous truth",
      "attribute 5: name: an earlier attribute has the same name"
    ])
    expect(problems({ name: "a", memories: [], more: 1 })).toEqual(
      expect.arrayContaining(["file: memories: is empty", expect.stringMatching(/^file: more: is not a known field/)])
    )
    expect(problems(null)).not.toEqual([])
    const many = problems(file({ memories: Array.from({ length: 40 }, () => ({ at, title: "" })) }))
    expect([many.length, many.at(-1)]).toEqual([31, "… and 10 more"])
  })
})

describe("a current truth", () => {
  const { attributes } = read(file())
  const standing = (lines: ReadonlyArray<string>, at: string) => attributeStatesIn(attributes, lines, Date.parse(at))

  it("counts as held, contradicted, outdated or missing in the lines of a profile", () => {
    const of = (...lines: ReadonlyArray<string>) => standing(lines, "2026-03-01")[0]!.standing
    expect(of("- MIRA'S home is in Ghent")).toBe("held")
    expect(of("- she is in Gent")).toBe("held")
    expect(of("- Mira moved from Lisbon to Ghent")).toBe("held")
    expect(of("- Mira lives in Ghent", "- Mira lives in Lisbon")).toBe("contradicted")
    expect(of("- Mira lives in Lisbon")).toBe("outdated")
    // Words of two lines, or parts of words, say nothing.
    expect(of("- Mira", "- Ghentish")).toBe("missing")
    expect(standing(["- Mira lives in Lisbon"], "2026-01-20")).toEqual([{ name: "home", standing: "held" }])
    expect(standing([], "2026-01-01")).toEqual([])
  })

  it("dates from its first mention", () => {
    expect([...firstMentions(read(file()))]).toEqual([
      ["home 1", Date.UTC(2026, 0, 2)],
      ["home 2", Date.UTC(2026, 1, 3, 10)]
    ])
    const silent = file({ attributes: [{ name: "car", truths: [{ from: "2026-01-02", says: ["Kia"] }] }] })
    expect([...firstMentions(read(silent))]).toEqual([])
  })
})

describe("a spoken year", () => {
  const memories = [
    "Mira lives in Lisbon",
    "Mira's dog no longer likes Mira's sister, she prefers cats",
    "Meetings with Mira are best when she travels",
    "Ana Ferro knows the tax module best. She is in Porto"
  ]
  const document = file({ memories: memories.map((title, at) => ({ at: `2026-01-0${at + 2}`, title })) })

  it("is said by the user in the first person", () => {
    const turns = [{ at: "2026-01-02", session: "one", role: "user", speaker: "Mira", text: "Mira is here." }]
    const said = toConversation(read({ ...document, turns })).happenings.flatMap((entry) =>
      entry.kind === "said" ? [entry.turn.text] : []
    )
    expect(said).toEqual([
      "I live in Lisbon.",
      "I am here.",
      "My dog no longer likes my sister, I prefer cats.",
      "Meetings with me are best when I travel.",
      "Ana Ferro knows the tax module best. She is in Porto."
    ])
  })

  it("says why a truth is not in the profile", () => {
    const year = read(document)
    const at = Date.UTC(2026, 0, 20)
    const reasonAfter = (
      captured: ReadonlyArray<string>,
      active: Partial<WholeMemory>,
      standing = "missing" as const
    ) => {
      const hearing = makeCaptureTracker(year)
      hearing.note(Date.UTC(2026, 0, 3), "Mira lives in Lisbon.", captured)
      return hearing.reasonOf({ name: "home", standing }, at, [{ type: "event", title: "", ...active } as WholeMemory])
    }
    const title = "Mira lives in Lisbon"
    expect(reasonAfter([], {})).toBe("not captured")
    expect(reasonAfter(["Mira lives there"], {})).toBe("captured in other words")
    expect(reasonAfter([title], {})).toBe("no longer active")
    expect(reasonAfter([title], { title })).toBe("captured as another type")
    expect(reasonAfter([title], { title, type: "identity" })).toBe("no room in the profile")
    expect(reasonAfter([title], { title, tier: "core" }, "outdated" as never)).toBe("outdated value beside it")
  })
})

describe("limits of the active set", () => {
  const memory = (fields: Partial<WholeMemory>): WholeMemory =>
    ({
      id: "a",
      type: "event",
      title: "t",
      facts: [],
      tags: [],
      tier: "long",
      store: "private",
      createdAt: now,
      updatedAt: now,
      lastMentionedAt: now,
      ...fields
    }) as WholeMemory
  const ago = (days: number) => ({
    createdAt: now - days * day,
    updatedAt: now - days * day,
    lastMentionedAt: now - days * day
  })
  const above = (...memories: ReadonlyArray<WholeMemory>) => activeSetOf(memories, policy, now).above

  it("are each detected when exceeded, at the earliest a day later", () => {
    expect(above(memory({ tier: "mid", ...ago(30.5) }))).toEqual({})
    expect(above(memory({ tier: "mid", ...ago(32) }))).toEqual({ "mid and left alone for more than 30 days": 1 })
    expect(above(memory({ tier: "mid", ...ago(32), lastMentionedAt: now - day }))).toEqual({})
    expect(above(memory({ tier: "mid", ...ago(32), tags: ["pinned"] }))).toEqual({})
    expect(above(memory({ tier: "long", ...ago(400) }))).toEqual({})
    expect(above(memory({ expiresAt: now - 2 * day }))).toEqual({ "active though it expired": 1 })
    expect(above(memory({ type: "debug", tier: "mid", ...ago(25) }))).toEqual({ "debug and decayed to 0.001": 1 })
    expect(above(memory({ narrative: "n".repeat(281), ...ago(9) }))).toEqual({
      "with a long narrative after 7 days": 1
    })
    expect(above(memory({ narrative: "n", ...ago(92) }))).toEqual({ "with a narrative after 90 days": 1 })
    const mid = Array.from({ length: 503 }, (_, at) => memory({ tier: "mid", store: at < 502 ? "private" : "shared" }))
    expect(activeSetOf(mid, policy, now)).toEqual({
      memories: 503,
      byTier: { mid: 503 },
      fullest: 502,
      above: { "above the 500 mid memories of store private": 2 }
    })
  })
})

describe("a generated year", () => {
  it("is the same for the same seed, with a fixed amount per day", () => {
    const year = writeYear(7, 6)
    expect(writeYear(7, 6)).toEqual(year)
    expect(writeYear(8, 6).memories).not.toEqual(year.memories)
    const { attributes, happenings } = read(JSON.parse(JSON.stringify(year)))
    const count = (kind: string) => happenings.filter((one) => one.kind === kind).length
    expect([count("memory"), count("turn"), count("search"), attributes.length]).toEqual([300, 120, 24, 30])
  })

  it("mentions every truth when it begins, and changes most of them", () => {
    const year = read(JSON.parse(JSON.stringify(writeYear(1, 365))))
    const told = firstMentions(year)
    for (const { name, truths } of year.attributes) {
      for (const [at, { from }] of truths.entries()) expect(told.get(`${name} ${at + 1}`)).toBeLessThanOrEqual(from)
    }
    expect(year.attributes.filter(({ truths }) => truths.length > 2).length).toBeGreaterThan(20)
  })
})

describe("a replayed year", () => {
  it.scopedLive(
    "reports each month, loses nothing and is the same when repeated",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const days = rounds({ quick: 8, full: 33 })
        const told = (days: number) => ({ memories: 50 * days, turns: 20 * days, searches: 4 * days })
        const year = read(JSON.parse(JSON.stringify(writeYear(3, days))))
        const clock = SetClock.make(year.from)
        const months: Array<MonthReport> = []
        const end = yield* replayYear(year, policy, clock, (month) => months.push(month)).pipe(
          Effect.provide(Layer.orDie(Default.layer({ folder, policy, embedder: HashEmbedder.layer }))),
          Effect.provide(clock.layer)
        )
        expect(months.map(({ name, told }) => [name, told])).toEqual(
          rounds({
            quick: [["2025-01", told(days)]],
            full: [
              ["2025-01", told(31)],
              ["2025-02", told(days - 31)]
            ]
          })
        )
        const [first, last] = [months[0]!, months.at(-1)!]
        const sum = (counts: Readonly<Record<string, number>>) =>
          Object.values(counts).reduce((all, one) => all + one, 0)
        expect(sum(first.outcomes)).toBe(first.told.memories)
        expect(first.done).toMatchObject({ archived: expect.any(Number), core: expect.any(Number) })
        expect(first.active.above).toEqual({})
        expect(first.profile.held).toHaveLength(30)
        expect(last.truths).toEqual({ told: expect.any(Number), lost: [] })
        expect(last.truths.told).toBeGreaterThanOrEqual(rounds({ quick: 30, full: 31 }))
        expect(end).toMatchObject({ verified: true, same: true })
        expect(renderMonth(first)).toMatch(new RegExp(`^2025-01 +${first.told.memories} +${first.told.turns} `))
        expect(
          judgeYear(months, { ...end, same: false }, 1)
            .filter(({ kept }) => !kept)
            .map(({ is }) => is)
        ).toContain("no")
        expect(failuresOf({ ...last, truths: { told: 1, lost: ["home 1"] } })).toContain(
          `${last.name}: in no event: home 1`
        )
      }),
    300_000
  )

  it.effect("waits between its steps, and continues after pauses", () =>
    Effect.gen(function* () {
      const clock = SetClock.make(now)
      const times = yield* Effect.gen(function* () {
        const before = yield* Clock.currentTimeMillis
        yield* Effect.sleep(5)
        yield* clock.set(now + day)
        // Never back.
        yield* clock.set(now)
        return [before, yield* Clock.currentTimeMillis]
      }).pipe(Effect.provide(clock.layer))
      expect(times).toEqual([now, now + day])
    })
  )
})
