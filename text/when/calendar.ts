import type { ParsedComponents, ParsedResult } from "chrono-node"
import { Chrono, configuration } from "chrono-node/en"
import type { Atom } from "./atom.js"
import { type Clock, days, hour, isDay, minute, type Stretch, second } from "./clock.js"

// Dates and clock times as chrono reads them. Its parsers say which fields a text names; what it makes of
// them (a point in time, the year nearest to now, the zone of the process) is left aside, and with it its refiners.
/** The same day whenever and wherever this runs: nothing relative is taken from it. */
const reference = new Date(2000, 0, 1, 12)
/** What those parsers read is never taken, and their patterns cost more than all others. */
const unused = /TimeUnit|Relative|Casual|Weekday|EndOf/
const reader = new Chrono({
  parsers: configuration.createCasualConfiguration().parsers.filter((parser) => !unused.test(parser.constructor.name)),
  refiners: []
})

/** Dates, months and times of day, in no order; they may overlap. */
export const calendarAtoms = (text: string, clock: Clock): ReadonlyArray<Atom> =>
  readable.test(text)
    ? [
        ...reader
          .parse(text, reference)
          .flatMap((result) => dateOf(text, result, clock) ?? hoursOf(text, result) ?? []),
        ...shortMonths(text, clock)
      ]
    : []

const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
const readable = new RegExp(`\\d|${months}`, "i")
const shaped = new RegExp(
  `(?:^|[^a-z])(?:${months})|^\\d{4}[-/]|^\\d\\d?([./-])\\d\\d?\\1\\d{4}$|^[01]\\d/\\d{4}$`,
  "i"
)
const monthName = new RegExp(`(?:${months})[a-z]*\\.?`, "i")
/** Of the twelve those that are nothing else: no verb, no name, no short form. */
const plainMonth = /^(?:january|february|july|sept|september|october|november|december)$/i

const dateOf = (text: string, result: ParsedResult, clock: Clock): Atom | undefined => {
  const { start } = result
  if (!start.isCertain("month") || !shaped.test(result.text)) return undefined
  const lead = /^(?:(on|in)\s+)?/i.exec(result.text)!
  const index = result.index + lead[0].length
  const said = result.text.slice(lead[0].length)
  const name = monthName.exec(said)?.[0]
  const month = start.get("month")!
  let year = start.isCertain("year") ? start.get("year")! : undefined
  let end = index + said.trimEnd().length
  if (!start.isCertain("day")) {
    if (name === undefined && !/^\d{4}-|\/\d{4}$/.test(said)) return undefined
    if (year !== undefined && !(year >= 1000 && /\d{4}/.test(said))) year = undefined
    if (year === undefined) end = index + said.search(monthName) + name!.length
    return monthAtom(index, end, year, month, year === undefined && !plainMonth.test(name!), clock)
  }
  let first = start.get("day")!
  let last = result.end?.get("day") ?? first
  let of = month
  // "in May 12 people": English says "on May 12".
  if (year === undefined && name !== undefined && said.startsWith(name) && /\bin\s+$/i.test(text.slice(0, index)))
    return monthAtom(index, index + name.length, undefined, month, true, clock)
  // "3 May 10 people": a year of two digits is no year here.
  const short = year === undefined ? null : /[\s,]+\d\d$/.exec(said.trimEnd())
  if (short !== null && !/\d{4}/.test(said)) {
    year = undefined
    end -= short[0].length
  }
  // "3.5.2025" has the day first, whatever slashes do.
  if (/^\d+\.\d+\.\d+$/.test(said)) {
    const [left, right] = said.split(".").map(Number) as [number, number]
    if (right > 12) return undefined
    first = left
    last = left
    of = right
  }
  const known =
    (year ?? 1000) >= 1000 &&
    isDay(year ?? 2000, of, first) &&
    isDay(year ?? 2000, of, last) &&
    first <= last &&
    // chrono reads the 13th month as the 13th day.
    !(/^\d{4}\D\d/.test(said) && Number(/\D(\d+)/.exec(said)![1]) !== month)
  if (!known || modal(text.slice(0, index), said, text.slice(end), year)) return nothing(index, end)
  if (start.isCertain("hour")) {
    const stretch = instantOf(start, said, clock)
    return stretch && { index, end, kind: "day", weak: false, stretch }
  }
  return dayAtom(index, end, year, of, first, last, clock)
}

/** No day, and no month either: "30 February 2026". */
const nothing = (index: number, end: number): Atom => ({ index, end, kind: "span", weak: true })

/** Days `first` to `last` of a month, of any year where none is said. */
export const dayAtom = (
  index: number,
  end: number,
  year: number | undefined,
  month: number,
  first: number,
  last: number,
  clock: Clock
): Atom => {
  const of = (year: number) =>
    isDay(year, month, last) ? days(clock, [year, month, first], [year, month, last + 1]) : undefined
  return { index, end, kind: "day", weak: false, date: { year, month }, ...turned(year, of) }
}

const monthAtom = (
  index: number,
  end: number,
  year: number | undefined,
  month: number,
  weak: boolean,
  clock: Clock
) => {
  const of = (year: number) => days(clock, [year, month], [year, month + 1])
  return { index, end, kind: "month" as const, weak, date: { year, month }, ...turned(year, of) }
}

/** "since Jan", "Jan-Mar 2025": chrono leaves a short form alone unless "in" stands before. */
const shortMonths = (text: string, clock: Clock): ReadonlyArray<Atom> =>
  [...text.matchAll(/\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g)].map(({ 0: name, index }) =>
    monthAtom(index, index + 3, undefined, months.split("|").indexOf(name.toLowerCase()) + 1, true, clock)
  )

const turned = (year: number | undefined, turn: (year: number) => Stretch | undefined): Partial<Atom> =>
  year === undefined ? { cycle: { of: "year", turn } } : { stretch: turn(year) }

/**
 * "the top 3 may change", "march 3 miles", "the second march": in small letters and
 * without a year these are a date only where nothing but a preposition follows, or "on" stands before.
 */
const modal = (before: string, said: string, after: string, year: number | undefined): boolean => {
  if (year !== undefined) return false
  if (/^[a-z]+ (?:may|march|mar)\b/i.test(said) || /^(?:may|march|mar) [a-z]/.test(said)) return !/\bof\b/i.test(said)
  if (!/\b(?:may|march|mar)\b/.test(said)) return false
  if (/\b(?:on|since|until|till|before|after|from|between|to|and|of)\s+(?:the\s+)?$/i.test(before)) return false
  return !/^\s*(?:$|[^\s\p{L}\p{N}]|(?:in|at|on|with|to|until|and|about|by|for|from)\b)/iu.test(after)
}

/** "2026-05-03T14:30Z": the minute or the second that it names, in its own zone where it has one. */
const instantOf = (start: ParsedComponents, said: string, clock: Clock): Stretch | undefined => {
  const [year, month, day] = [start.get("year")!, start.get("month")!, start.get("day")!]
  const time = timeOf(start)
  if (time >= 24 * hour) return undefined
  const zone = start.isCertain("timezoneOffset") ? start.get("timezoneOffset")! : undefined
  const from =
    zone === undefined ? clock.at(year, month, day, time) : Date.UTC(year, month - 1, day) + time - zone * minute
  return { from, to: from + grainOf(start, said) }
}

const timeOf = (part: ParsedComponents): number =>
  part.get("hour")! * hour +
  (part.get("minute") ?? 0) * minute +
  (part.isCertain("second") ? part.get("second")! : 0) * second

const grainOf = (part: ParsedComponents, said: string): number =>
  part.isCertain("second") ? second : /\d[:.]\d/.test(said) ? minute : hour

/** A time of day: with minutes, with am or pm, with "at" or a part of the day. A mere number is none. */
const hoursOf = (text: string, result: ParsedResult): Atom | undefined => {
  const { start, end } = result
  if (!start.isCertain("hour") || start.isCertain("day") || !clockShape.test(result.text)) return undefined
  const lead = /^(?:(?:at|from)\s+)?/i.exec(result.text)![0].length
  const index = result.index + lead
  const said = result.text.slice(lead).trimEnd()
  // "at 3 sites"
  if (/^\d+$/.test(said) && /^\s+\p{Ll}+s\b/u.test(text.slice(index + said.length))) return undefined
  // "at 5" is in the afternoon, "at 9" in the morning.
  const noon = /^[1-6]$/.test(said) ? 12 * hour : 0
  const from = timeOf(start) + noon
  const to = end?.isCertain("hour") === true ? timeOf(end) : from + grainOf(start, said)
  if (from >= 24 * hour) return undefined
  const hours = { from, to: to <= from ? to + 24 * hour : to }
  return { index, end: index + said.length, kind: "clock", weak: true, hours, exact: true }
}

const clockShape = /\d:\d\d|\d\s*[ap]\.?m\b|^at\s+\d|o\W*clock|(?:night|morning|afternoon)$/i
