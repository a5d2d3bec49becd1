import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { limits } from "../src/model/limits.js"
import { earliestInstant, latestInstant } from "../text/when/dates.js"
import { resolveTimes } from "../text/when/resolveTimes.js"
import { lawRuns } from "./support/size.js"

/** A text and the stretches that it names; null is an open end. */
interface Case {
  readonly text: string
  readonly asked: string
  readonly zone: string
  readonly when: ReadonlyArray<{ readonly text: string; readonly from: string | null; readonly to: string | null }>
}

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`fixtures/time/${name}.json`, import.meta.url), "utf8"))
const groups = ["relative", "calendar", "ranges", "zones", "chinese"]
const cases = (name: string): ReadonlyArray<Case> => fixture(name)
const timeless: ReadonlyArray<string> = fixture("none")
const asked = Date.parse("2026-05-20T12:00:00Z")

const named = (text: string, asked: number, zone: string) =>
  resolveTimes(text, asked, zone).map(({ from, text, to }) => ({
    text,
    from: from === earliestInstant ? null : new Date(from).toISOString(),
    to: to === latestInstant ? null : new Date(to).toISOString()
  }))

const expected = ({ when }: Case) =>
  when.map(({ from, text, to }) => ({
    text,
    from: from && new Date(from).toISOString(),
    to: to && new Date(to).toISOString()
  }))

describe.each(groups)("times: %s", (group) => {
  it.each(cases(group))("$text ($zone, $asked)", (wanted) => {
    expect(named(wanted.text, Date.parse(wanted.asked), wanted.zone)).toEqual(expected(wanted))
  })
})

/** A text, and its ranges as ISO 8601 intervals ("2026-05-19T15:00/..") at the time of `asked`, in UTC. */
const english: ReadonlyArray<readonly [text: string, ...ranges: ReadonlyArray<string>]> = fixture("english")
const instantOf = (time: string) => `${time}${time.includes("T") ? "" : "T00:00"}Z`

describe("times: English in general", () => {
  it.each(english)("%s", (text, ...ranges) => {
    const wanted = ranges.map((range) => {
      const [from, to] = range.split("/") as [string, string]
      return [
        from === ".." ? earliestInstant : Date.parse(instantOf(from)),
        to === ".." ? latestInstant : Date.parse(instantOf(to))
      ]
    })
    expect(resolveTimes(text, asked, "UTC").map(({ from, to }) => [from, to])).toEqual(wanted)
  })
})

describe("no time", () => {
  it.each(timeless)("%s", (text) => {
    expect(named(text, asked, "Europe/Berlin")).toEqual([])
  })
})

describe("any text, any time, any zone", () => {
  const zones = ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu", "America/Santiago"]
  const words = [...groups.flatMap(cases).map(({ text }) => text), ...english.map(([text]) => text)].flatMap((text) =>
    text.split(" ")
  )
  const fragments = [
    ...new Set([...words, ...timeless, ..."- / , . ' 's ( ) \n \t 9999 0 31 第 月 前 \ud800".split(" ")])
  ]
  const text = fc.oneof(
    fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(" ")),
    fc.array(fc.constantFrom(...fragments), { maxLength: 300 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary", maxLength: 60 })
  )
  const instant = fc.integer({ min: earliestInstant, max: latestInstant })

  it("stretches in order, within the calendar, each with the words that say it", () => {
    fc.assert(
      fc.property(text, fc.oneof(instant, fc.constant(asked)), fc.constantFrom(...zones), (text, asked, zone) => {
        let end = 0
        for (const when of resolveTimes(text, asked, zone)) {
          expect(when.from).toBeLessThan(when.to)
          expect(when.from).toBeGreaterThanOrEqual(earliestInstant)
          expect(when.to).toBeLessThanOrEqual(latestInstant)
          expect(when.index).toBeGreaterThanOrEqual(end)
          expect(text.slice(when.index, when.index + when.text.length)).toBe(when.text)
          end = when.index + when.text.length
          expect(end).toBeLessThanOrEqual(limits.queryBytes)
        }
      }),
      { numRuns: lawRuns({ quick: 300, full: 2_000 }) }
    )
  })

  it("the zone of the process has no say", () => {
    const before = process.env.TZ
    const all = groups.flatMap(cases)
    try {
      for (const zone of ["UTC", "America/Santiago", "Pacific/Apia", "Australia/Lord_Howe"]) {
        process.env.TZ = zone
        expect(new Date(asked).toString()).toContain(
          zone === "UTC"
            ? "GMT+0000"
            : zone === "Pacific/Apia"
              ? "+1300"
              : zone === "America/Santiago"
                ? "-0400"
                : "+1030"
        )
        for (const wanted of all)
          expect(named(wanted.text, Date.parse(wanted.asked), wanted.zone)).toEqual(expected(wanted))
      }
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })

  it("a zone that is none is refused, an instant that is none names nothing", () => {
    expect(() => resolveTimes("yesterday", asked, "Mars/Olympus")).toThrow(RangeError)
    for (const asked of [Number.NaN, Number.POSITIVE_INFINITY, earliestInstant - 1, latestInstant + 1])
      expect(resolveTimes("yesterday", asked, "UTC")).toEqual([])
  })

  it("what lies beyond the calendar names nothing, and breaks nothing", () => {
    for (const text of ["9999 decades ago", "the last 9999 decades", "9999 years from now"])
      expect(resolveTimes(text, asked, "Europe/Berlin")).toEqual([])
    const edges = [
      earliestInstant,
      earliestInstant + 86_400_000,
      latestInstant - 86_400_000,
      latestInstant,
      253_370_761_200_000
    ]
    for (const edge of edges)
      for (const { text } of groups.flatMap(cases))
        expect(() => resolveTimes(text, edge, "Europe/Berlin")).not.toThrow()
  })

  it("only the first KiB is read", () => {
    expect(named(`${"x ".repeat(500)}yesterday`, asked, "UTC")).toHaveLength(1)
    expect(named(`${"x ".repeat(512)}yesterday`, asked, "UTC")).toEqual([])
  })
})
