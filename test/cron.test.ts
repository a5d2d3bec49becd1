import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { findCronProblem, nextAfter, shortestGapMillis } from "../src/schedules/cadence.js"
import { lawRuns } from "./support/size.js"

interface Case {
  readonly about: string
  readonly expression: string
  readonly zone: string
  readonly from: string
  /** The library that computed `next`. */
  readonly by: "cron-parser" | "croner"
  readonly next: ReadonlyArray<string>
}

const cases: ReadonlyArray<Case> = JSON.parse(
  readFileSync(join(import.meta.dirname, "fixtures", "cron", "next.json"), "utf8")
)

const cron = (expression: string, zone = "UTC") => ({ kind: "cron", expression, zone }) as const

const series = (expression: string, zone: string, from: string, count: number): ReadonlyArray<string> => {
  const all: Array<string> = []
  for (let at = Date.parse(from); all.length < count; ) {
    at = nextAfter(cron(expression, zone), at)!
    all.push(new Date(at).toISOString())
  }
  return all
}

/** A library by its name, where it is installed. */
// biome-ignore lint/suspicious/noExplicitAny: it need not be there, so its types cannot be named.
const library = (name: string): Promise<any> => import(/* @vite-ignore */ name).catch(() => undefined)

describe("cron expressions, as independent libraries take them", () => {
  it("cover 60 cases: zones, clock changes, month ends and leap days", () => {
    expect(cases).toHaveLength(60)
    expect(new Set(cases.map(({ about }) => about)).size).toBe(5)
  })

  for (const { about, expression, from, next, zone } of cases) {
    it(`${about}: ${expression} in ${zone} from ${from}`, () => {
      expect(series(expression, zone, from, next.length)).toEqual(next)
    })
  }

  it("match the recorded values of the installed library", async () => {
    const parser = (await library("cron-parser"))?.CronExpressionParser
    if (parser === undefined) return
    for (const { by, expression, from, next, zone } of cases) {
      if (by !== "cron-parser") continue
      const parsed = parser.parse(expression, { currentDate: new Date(from), tz: zone })
      expect(next.map(() => parsed.next().toDate().toISOString())).toEqual(next)
    }
  })
})

describe("a clock change", () => {
  // By hand: clocks of Lord Howe Island move by half an hour, at 2:00 of 4 October 2026 forward (to +11), at 2:00 of 5 April back (to +10:30).
  it("of half an hour moves an occurrence in the gap by half an hour, or runs it once", () => {
    expect(series("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 2)).toEqual([
      "2026-10-03T15:45:00.000Z",
      "2026-10-04T15:15:00.000Z"
    ])
    // What is put off comes after what is not.
    expect(series("20,40 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", 3)).toEqual([
      "2026-10-03T15:40:00.000Z",
      "2026-10-03T15:50:00.000Z",
      "2026-10-04T15:20:00.000Z"
    ])
    expect(series("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T13:00:00Z", 2)).toEqual([
      "2026-04-04T14:45:00.000Z",
      "2026-04-05T15:15:00.000Z"
    ])
    expect(series("45 * * * *", "Australia/Lord_Howe", "2026-04-04T14:00:00Z", 3)).toEqual([
      "2026-04-04T14:45:00.000Z",
      "2026-04-04T15:15:00.000Z",
      "2026-04-04T16:15:00.000Z"
    ])
  })

  it("keeps the rest of an interval that begins in the skipped hour", () => {
    // 02:00…02:45 in Berlin is left out, and done from 03:00 (01:00 UTC) on.
    expect(series("*/15 2 * * *", "Europe/Berlin", "2026-03-29T01:20:00Z", 3)).toEqual([
      "2026-03-29T01:30:00.000Z",
      "2026-03-29T01:45:00.000Z",
      "2026-03-30T00:00:00.000Z"
    ])
  })

  it("that skips a whole day loses no later occurrence", () => {
    // Samoa had no 30 December 2011.
    const days = series("0 9 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 3)
    expect(days).toEqual(["2011-12-29T19:00:00.000Z", "2011-12-30T19:00:00.000Z", "2011-12-31T19:00:00.000Z"])
  })

  const zones = ["Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Asia/Tehran", "UTC"]
  it("does not affect an interval in minutes, over a whole year", () => {
    for (const zone of zones) {
      for (const [expression, gap] of [
        ["*/30 * * * *", 30],
        ["0 * * * *", 60]
      ] as const) {
        // Where clocks move by less than an hour, or stand at half an hour, a full hour comes later once.
        const most = zone === "Australia/Lord_Howe" && gap === 60 ? 90 : gap
        const gaps: Array<number> = []
        let at = Date.parse("2026-01-01T00:10:00Z")
        for (let count = 0; count < 9_000; count++) {
          const next = nextAfter(cron(expression, zone), at)!
          gaps.push((next - at) / 60_000)
          at = next
        }
        expect(Math.max(...gaps.slice(1))).toBeLessThanOrEqual(most)
        expect(Math.min(...gaps)).toBeGreaterThan(0)
      }
    }
  })

  it("gives the same next occurrence from every earlier instant", () => {
    const around = fc.constantFrom("2026-03-28T20:00:00Z", "2026-10-24T20:00:00Z", "2026-11-01T02:00:00Z")
    const expressions = ["*/10 * * * *", "*/15 2 * * *", "30 1-3 * * *", "0 0 * * *", "5 */3 * * 0"]
    fc.assert(
      fc.property(
        around,
        fc.nat({ max: 12 * 3_600 }),
        fc.constantFrom(...expressions),
        fc.constantFrom(...zones),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (start, seconds, expression, zone, share) => {
          const from = Date.parse(start) + seconds * 1_000
          const next = nextAfter(cron(expression, zone), from)!
          expect(next).toBeGreaterThan(from)
          const between = from + Math.floor((next - from) * share)
          expect(nextAfter(cron(expression, zone), between)).toBe(next)
        }
      ),
      { numRuns: lawRuns({ quick: 40, full: 600, ci: 150 }) }
    )
  })
})

describe("other cadences", () => {
  it("run once, and at multiples of an interval from an instant on", () => {
    expect(nextAfter({ kind: "once", at: 5 }, 4)).toBe(5)
    expect(nextAfter({ kind: "once", at: 5 }, 5)).toBeNull()
    const interval = { kind: "interval", every: 10, from: 100 } as const
    expect([0, 99, 100, 101, 109, 110].map((after) => nextAfter(interval, after))).toEqual([
      100, 100, 110, 110, 110, 120
    ])
  })

  it("report the shortest gap between occurrences", () => {
    const at = Date.parse("2026-03-14T00:00:00Z")
    const gaps = ["* * * * *", "*/20 * * * * *", "0,1 9 * * *", "0 9 * * *"].map((one) =>
      shortestGapMillis(cron(one), at)
    )
    expect(gaps).toEqual([60_000, 20_000, 60_000, 86_400_000])
    expect(shortestGapMillis({ kind: "interval", every: 7, from: 0 }, at)).toBe(7)
    expect(shortestGapMillis({ kind: "once", at: 7 }, at)).toBe(Number.POSITIVE_INFINITY)
  })

  it("are refused with a message if invalid", () => {
    for (const wrong of ["", "* * *", "* * * * * * *"]) {
      expect(findCronProblem(wrong)).toMatch(/^must have five or six fields/)
    }
    const wrong = [
      ["61 9 * * *", "has an invalid minute, which must be 0 to 59"],
      ["a b c d e", "has an invalid minute, which must be 0 to 59"],
      ["*/0 * * * *", "has an invalid minute, which must be 0 to 59"],
      ["60 0 9 * * *", "has an invalid second, which must be 0 to 59"],
      ["0 24 * * *", "has an invalid hour, which must be 0 to 23"],
      [" 0  9 0 * *", "has an invalid day, which must be 1 to 31"],
      ["0 9 1 13 *", "has an invalid month, which must be 1 to 12 or jan to dec"],
      ["0 0 9 1 1 mon-fry", "has an invalid weekday, which must be 0 to 7 or sun to sat"]
    ] as const
    for (const [expression, problem] of wrong) {
      expect(findCronProblem(expression)).toBe(
        `${problem}, *, or a list, range or step of these values, such as "1,3", "1-3" or "*/2"`
      )
    }
    expect(findCronProblem("0 0 30 2 *")).toBe("contains a day that never occurs")
    expect(findCronProblem("30 9 * * mon-fri")).toBeUndefined()
  })
})
