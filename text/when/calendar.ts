import type { ParsedComponents, ParsedResult } from "chrono-node"
import { Chrono, configuration } from "chrono-node/en"
import { type Clock, hour, isDay, minute, rangeOfDays, second, type TimeRange } from "./clock.js"
import type { TimeExpression } from "./expression.js"

// Dates that chrono reads. Daybook uses only the fields that chrono's parsers report. It ignores
// chrono's results (an instant, the year nearest to now, the zone of the process), so it does not run chrono's
// refiners.
/** A fixed day, so that results do not depend on the process. No relative time is computed from it. */
const reference = new Date(2000, 0, 1, 12)
/** Daybook does not use the results of these parsers, and their patterns cost more time than all others. */
const unusedParsers = /TimeUnit|Relative|Casual|Weekday|EndOf|TimeExpression/
const reader = new Chrono({
  parsers: configuration
    .createCasualConfiguration()
    .parsers.filter((parser) => !unusedParsers.test(parser.constructor.name)),
  refiners: []
})

/** Dates and months. Unordered; expressions may overlap. */
export const calendarExpressions = (text: string, clock: Clock): ReadonlyArray<TimeExpression> =>
  mayContainDate.test(text)
    ? [
        ...reader.parse(text, reference).flatMap((result) => dateOf(text, result, clock) ?? []),
        ...shortMonths(text, clock),
        ...numericDays(text, clock)
      ]
    : []

const months = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
/** A date without the name of a month has a sign between two digits. */
const mayContainDate = new RegExp(`\\d[-./]\\d|(?:^|[^a-z])(?:${months})`, "i")
const dateShape = new RegExp(
  `(?:^|[^a-z])(?:${months})|^\\d{4}[-/]|^\\d\\d?([./-])\\d\\d?\\1\\d{4}$|^[01]\\d/\\d{4}$`,
  "i"
)
const monthName = new RegExp(`(?:${months})[a-z]*\\.?`, "i")
/** Month names without another meaning as a verb, a name or an abbreviation. */
const plainMonth = /^(?:january|february|july|sept|september|october|november|december)$/i

const dateOf = (text: string, result: ParsedResult, clock: Clock): TimeExpression | undefined => {
  const { start } = result
  if (!start.isCertain("month") || !dateShape.test(result.text)) return undefined
  const preposition = /^(?:(on|in)\s+)?/i.exec(result.text)!
  const index = result.index + preposition[0].length
  const phrase = result.text.slice(preposition[0].length)
  const name = monthName.exec(phrase)?.[0]
  const month = start.get("month")!
  let year = start.isCertain("year") ? start.get("year")! : undefined
  let end = index + phrase.trimEnd().length
  if (!start.isCertain("day")) {
    if (name === undefined && !/^\d{4}-|\/\d{4}$/.test(phrase)) return undefined
    if (year !== undefined && !(year >= 1000 && /\d{4}/.test(phrase))) year = undefined
    if (year === undefined) end = index + phrase.search(monthName) + name!.length
    return { index, end, ...monthFields(year, month, year === undefined && !plainMonth.test(name!), clock) }
  }
  let first = start.get("day")!
  let last = result.end?.get("day") ?? first
  let monthOfDay = month
  // "in May 12 people" names only the month: a date would be "on May 12".
  if (year === undefined && name !== undefined && phrase.startsWith(name) && /\bin\s+$/i.test(text.slice(0, index)))
    return { index, end: index + name.length, ...monthFields(undefined, month, true, clock) }
  // In "3 May 10 people", the 10 is not a year, because it has two digits.
  const short = year === undefined ? null : /[\s,]+\d\d$/.exec(phrase.trimEnd())
  if (short !== null && !/\d{4}/.test(phrase)) {
    year = undefined
    end -= short[0].length
  }
  // A date with dots, such as "3.5.2025", has the day first. A date with slashes has the month first.
  if (/^\d+\.\d+\.\d+$/.test(phrase)) {
    const [left, right] = phrase.split(".").map(Number) as [number, number]
    if (right > 12) return undefined
    first = left
    last = left
    monthOfDay = right
  }
  const isValid =
    (year ?? 1000) >= 1000 &&
    isDay(year ?? 2000, monthOfDay, first) &&
    isDay(year ?? 2000, monthOfDay, last) &&
    first <= last &&
    // For the month 13, chrono returns the day 13.
    !(/^\d{4}\D\d/.test(phrase) && Number(/\D(\d+)/.exec(phrase)![1]) !== month)
  if (!isValid || isVerbOrName(text.slice(0, index), phrase, text.slice(end), year)) return noDate(index, end)
  if (start.isCertain("hour")) {
    const range = instantOf(start, phrase, clock)
    return range && { index, end, kind: "day", weak: false, range }
  }
  return { index, end, ...dayFields({ year, month: monthOfDay, first, last }, clock) }
}

/** A date that does not exist, such as "30 February 2026". It blocks other readings of its words. */
const noDate = (index: number, end: number): TimeExpression => ({ index, end, kind: "span", weak: true })

/** The fields of an expression for the days `first` to `last` of a month; of every year if the year is undefined. */
export const dayFields = ({ first, last, month, year }: Days, clock: Clock): Fields => {
  const rangeIn = (year: number) =>
    isDay(year, month, last) ? rangeOfDays(clock, [year, month, first], [year, month, last + 1]) : undefined
  return { kind: "day", weak: false, date: { year, month }, ...inYear(year, rangeIn) }
}

type Fields = Omit<TimeExpression, "index" | "end">

interface Days {
  readonly year: number | undefined
  readonly month: number
  readonly first: number
  readonly last: number
}

const monthFields = (year: number | undefined, month: number, weak: boolean, clock: Clock): Fields => {
  const rangeIn = (year: number) => rangeOfDays(clock, [year, month], [year, month + 1])
  return { kind: "month", weak, date: { year, month }, ...inYear(year, rangeIn) }
}

/** Short month names as in "since Jan" or "Jan-Mar 2025", which chrono reads only after "in"; plurals before "ago". */
const shortMonths = (text: string, clock: Clock): ReadonlyArray<TimeExpression> =>
  [
    ...text.matchAll(
      /\b(?:(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*s(?=\s+ago\b))/g
    )
  ].map(({ 0: name, index }) => {
    const month = months.split("|").indexOf(name.slice(0, 3).toLowerCase()) + 1
    return { index, end: index + name.length, ...monthFields(undefined, month, true, clock) }
  })

/** "28/11", and the German "28.11." with its final dot. */
const numericDay = /(?<![\d./-])(\d\d?)(?:\/(\d\d?)|\.(\d\d?)\.)(?![\d/-]|\.\d)/g
/** Words before a numeric day. Without them it may be a fraction, a ratio or a version. */
const beforeNumericDay = /\b(?:on|since|until|till|before|after)\s+(?:the\s+)?$/i
/** Words before one of two numeric days: "from 28/11 to 30/11". A single one may be a ratio. */
const beforeOneOfTwo = /\b(?:from|to|between|by|between\s+\d\d?\/\d\d?\s+and)\s+$/i

/**
 * Days without a year in numbers, after a preposition or as the whole text. With a slash, only one order may give a day
 * of the calendar: 3/4 may be in March or in April. Not a day: "24/7".
 */
const numericDays = (text: string, clock: Clock): ReadonlyArray<TimeExpression> => {
  const found = [...text.matchAll(numericDay)].map(({ 0: phrase, 1: left, 2: right, 3: germanMonth, index }) => {
    const orders = [[left, right ?? germanMonth], ...(right === undefined ? [] : [[right, left]])]
    const days = orders.map((order) => order.map(Number)).filter(([day, month]) => isDay(2000, month!, day!))
    const [day, month] = days.length === 1 && phrase !== "24/7" ? days[0]! : []
    return { index, phrase, day, month, isGerman: germanMonth !== undefined }
  })
  const areDays = found.length > 1 && found.every(({ day }) => day !== undefined)
  const whole = text.replace("?", "").trim()
  return found.flatMap(({ day, index, isGerman, month, phrase }) => {
    const before = text.slice(Math.max(0, index - 40), index)
    const isSupported = isGerman
      ? /\bam\s+$/i.test(before)
      : beforeNumericDay.test(before) || whole === phrase || (areDays && beforeOneOfTwo.test(before))
    if (day === undefined || month === undefined || !isSupported) return []
    return [
      { index, end: index + phrase.length, ...dayFields({ year: undefined, month, first: day, last: day }, clock) }
    ]
  })
}

const inYear = (
  year: number | undefined,
  occurrence: (year: number) => TimeRange | undefined
): Pick<TimeExpression, "cycle" | "range"> =>
  year === undefined ? { cycle: { period: "year", occurrence } } : { range: occurrence(year) }

/**
 * Returns true if the phrase is not a date, but a verb or a name: "the top 3 may change", "march 3 miles", "the second
 * march". In lower case and without a year, a phrase such as "march 3" is a date only after "on", before a preposition,
 * or as the last words of the text.
 */
const isVerbOrName = (before: string, phrase: string, after: string, year: number | undefined): boolean => {
  if (year !== undefined) return false
  if (/^[a-z]+ (?:may|march|mar)\b/i.test(phrase) || /^(?:may|march|mar) [a-z]/.test(phrase))
    return !/\bof\b/i.test(phrase)
  if (!/\b(?:may|march|mar)\b/.test(phrase)) return false
  if (/\b(?:on|since|until|till|before|after|from|between|to|and|of)\s+(?:the\s+)?$/i.test(before)) return false
  return !/^\s*(?:$|[^\s\p{L}\p{N}]|(?:in|at|on|with|to|until|and|about|by|for|from)\b)/iu.test(after)
}

/** The range of the named minute or second, as in "2026-05-03T14:30Z". Uses the zone in the text, if there is one. */
const instantOf = (start: ParsedComponents, phrase: string, clock: Clock): TimeRange | undefined => {
  const [year, month, day] = [start.get("year")!, start.get("month")!, start.get("day")!]
  const time = timeOf(start)
  if (time >= 24 * hour) return undefined
  const zone = start.isCertain("timezoneOffset") ? start.get("timezoneOffset")! : undefined
  const from =
    zone === undefined ? clock.instantAt(year, month, day, time) : Date.UTC(year, month - 1, day) + time - zone * minute
  return { from, to: from + grainOf(start, phrase) }
}

const timeOf = (part: ParsedComponents): number =>
  part.get("hour")! * hour +
  (part.get("minute") ?? 0) * minute +
  (part.isCertain("second") ? part.get("second")! : 0) * second

const grainOf = (part: ParsedComponents, phrase: string): number =>
  part.isCertain("second") ? second : /\d[:.]\d/.test(phrase) ? minute : hour
