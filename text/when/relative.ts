import { type Amount, amount, amountOf, rangeAtDistance } from "./amounts.js"
import { type Clock, days, shift, type TimeRange, type Unit, unitAt } from "./clock.js"
import type { TimeExpression } from "./expression.js"
import { hoursOfPart, hoursOn } from "./parts.js"

// Ranges at a distance from the asking time, and years, decades and parts of the day. chrono reduces these to an
// instant, or does not know them.

type Reader = (match: RegExpExecArray, clock: Clock) => Omit<TimeExpression, "index" | "end"> | undefined

const strongRange = (kind: TimeExpression["kind"], range: TimeRange): Omit<TimeExpression, "index" | "end"> => ({
  kind,
  weak: false,
  range
})
const dayFromToday = (clock: Clock, count: number) => unitAt(clock, clock.askedAt, "day", count)

/** Reads ranges relative to the asking time: "last week", "the past month". */
const relative: Reader = ([, article, direction, name], clock) => {
  const unit = name!.toLowerCase() as Unit
  const count = /next|coming/i.test(direction!) ? 1 : /this|current/i.test(direction!) ? 0 : -1
  // "the last day" may mean the past 24 hours, and "the next day" may follow another day.
  if (unit === "day" && (count >= 0 || article === undefined)) return undefined
  // "the last week", "the past week" and all hours are a duration that ends now. "last week" is a calendar week.
  const rolling =
    unit !== "weekend" &&
    count !== 0 &&
    (/past/i.test(direction!) || unit === "hour" || (article !== undefined && !/prev/i.test(direction!)))
  if (rolling) return strongRange("span", until(clock, [{ unit, min: 1, max: 1 }], count))
  const range = unitAt(clock, clock.askedAt, unit, count)
  if (unit !== "year" && unit !== "week") return strongRange("span", range)
  return { ...strongRange(unit === "year" ? "year" : "span", range), occurrence: cycleNumber(unit, count, clock) }
}

const cycleNumber = (period: "year" | "week", count: number, { year }: Clock) => ({
  period,
  number: period === "year" ? year + count : count
})

/** The range from `amount` before now until now, or from now until `amount` after now. */
const until = (clock: Clock, amount: Amount, side: number): TimeRange => {
  const target = amount.reduce((offset, step) => shift(clock, offset, step.unit, side * step.max), clock.askedAt)
  return side < 0 ? { from: target, to: clock.askedAt } : { from: clock.askedAt, to: target }
}

const yearFields = (clock: Clock, year: number, weak: boolean): Omit<TimeExpression, "index" | "end"> => ({
  kind: "year",
  weak,
  range: days(clock, [year, 1], [year + 1, 1]),
  occurrence: { period: "year", number: year }
})

const readers: ReadonlyArray<readonly [RegExp, Reader]> = [
  [
    /\b(today|yesterday|tomorrow)\b/dgi,
    ([, day], clock) => ({ ...strongRange("day", dayFromToday(clock, dayWords.indexOf(day!.toLowerCase()) - 1)) })
  ],
  [
    /\b(?:(tonight)|last\s+(night|evening)|this\s+(morning|noon|afternoon|evening|night))\b/gi,
    ([, , last, now], clock) =>
      strongRange(
        "span",
        hoursOn(clock, dayFromToday(clock, last === undefined ? 0 : -1), hoursOfPart(last ?? now ?? "night"))
      )
  ],
  [
    /\b(morning|noon|midday|lunchtime|afternoon|evening|night|midnight)\b/gi,
    ([, part]) => ({ kind: "clock", weak: true, hours: hoursOfPart(part!) })
  ],
  [
    /(?:\b(the|this)\s+)?\b(last|past|previous|this|current|next|coming)[\s-]+(hour|day|week|weekend|month|quarter|year|decade)\b(?!\s+before\s+last)/gi,
    relative
  ],
  [
    /\b(?:the\s+)?(?:weekend|week|month|quarter|year|decade)\s+(?:before\s+last|after\s+next)\b/gi,
    ([phrase], clock) => {
      const [, unit, side] = /(\w+)\s+(before|after)\s+\w+$/i.exec(phrase!)!
      return strongRange(
        "span",
        unitAt(clock, clock.askedAt, unit!.toLowerCase() as Unit, /before/i.test(side!) ? -2 : 2)
      )
    }
  ],
  [
    new RegExp(`\\b(?:the\\s+|these\\s+|this\\s+)?(last|past|previous|next|coming)\\s+(${amount})\\b`, "gi"),
    ([, direction, phrase], clock) => {
      const amount = amountOf(phrase!)
      return amount && strongRange("span", until(clock, amount, /next|coming/i.test(direction!) ? 1 : -1))
    }
  ],
  [
    new RegExp(`\\b(${amount})\\s+(ago|from\\s+now|hence)(\\s+today)?\\b`, "gi"),
    ([, phrase, side, day], clock) => {
      const amount = amountOf(phrase!)
      if (amount === undefined) return undefined
      const grain = day === undefined ? undefined : "day"
      const range = rangeAtDistance(clock, clock.askedAt, { amount, side: /ago/i.test(side!) ? -1 : 1, grain })
      return strongRange(/^(?:day|week)$/.test(grain ?? amount.at(-1)!.unit) ? "day" : "span", range)
    }
  ],
  // These are times only together with other words: "the end of the month", "since the weekend".
  [
    /\bthe\s+(week|weekend|month|quarter|year)\b/gi,
    ([, unit], clock) => {
      const name = unit!.toLowerCase() as Unit
      const now = unitAt(clock, clock.askedAt, name)
      const range = name === "weekend" && now.from > clock.askedAt ? unitAt(clock, clock.askedAt, name, -1) : now
      return { kind: "span", weak: true, range }
    }
  ],
  [
    /(?<![\d.,:/+]|(?<![a-z])-)\b(1[5-9]\d\d|20\d\d)(?![\d.,:/]*\d)(?!-\d)\b/gi,
    (match, clock) => (isCount(match) ? undefined : yearFields(clock, Number(match[1]), true))
  ],
  [
    /(?<![\d.,:/+-])\b((?:19|20)\d\d)\s?[-–]\s?((?:19|20)\d\d)\b(?!-?\d)/g,
    (match, clock) =>
      match[1]! >= match[2]! || isCount(match)
        ? undefined
        : strongRange("span", days(clock, [Number(match[1]), 1], [Number(match[2]) + 1, 1]))
  ],
  [
    /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])\b(?!-?\d)/g,
    ([, year, month], clock) =>
      strongRange("month", days(clock, [Number(year), Number(month)], [Number(year), Number(month) + 1]))
  ],
  [
    /\bwinter\s+(?:of\s+)?((?:19|20)\d\d)\s?[/–-]\s?(?:(?:19|20)?\d\d)\b/gi,
    ([, year], clock) => strongRange("span", days(clock, [Number(year), 12], [Number(year) + 1, 3]))
  ],
  [
    /\bH([12])\s+(?:of\s+)?(20\d\d)\b/g,
    ([, half, year], clock) =>
      strongRange("span", days(clock, [Number(year), 6 * Number(half) - 5], [Number(year), 6 * Number(half) + 1]))
  ],
  [
    /\b(?:(?<year>(?:19|20)\d\d)-?W(?<week>\d\d)\b(?!-\d)|(?:calendar\s+)?week\s+(?<number>\d\d?)\s+(?:of|in)\s+(?<of>(?:19|20)\d\d)\b)/gi,
    ({ groups }, clock) => {
      // ISO 8601: the first week of a year contains 4 January.
      const year = Number(groups!.year ?? groups!.of)
      const { from } = unitAt(clock, clock.instantAt(year, 1, 4), "week")
      const number = Number(groups!.week ?? groups!.number)
      const range = unitAt(clock, shift(clock, from, "week", number - 1), "week")
      // A week belongs to the year of its Thursday: there is no week 0, and only some years have a week 53.
      const thursday = new Date(clock.local(shift(clock, range.from, "day", 3)))
      return thursday.getUTCFullYear() === year && number > 0 ? strongRange("span", range) : undefined
    }
  ],
  [
    /\bthe\s+(?:((?:1[5-9]|20)\d0)['’]?s|['’]?([2-9]0)['’]?s)(?!\w)/gi,
    ([, long, short], clock) => {
      const from = long === undefined ? 1900 + Number(short) : Number(long)
      // "the 1800s" is a century, "the 2000s" only a decade.
      return strongRange("span", days(clock, [from, 1], [from + (from % 100 === 0 && from < 2000 ? 100 : 10), 1]))
    }
  ],
  [
    /(?<!the\s+)\b((?:1[89]|20)\d0)['’]?s(?!\w)/gi,
    ([, from], clock) => ({ kind: "span", weak: true, range: days(clock, [Number(from), 1], [Number(from) + 10, 1]) })
  ]
]

/** Whether the number counts things: "in 2000 words", "of 1950 people". */
const isCount = ({ 0: number, index, input }: RegExpExecArray): boolean => {
  const after = input.slice(index + number.length)
  return unitAfter.test(after) || (/00$/.test(number) && /^\s+\p{Ll}+s\b/u.test(after))
}
const unitAfter =
  /^\s*(?:[%°€$£]|(?:words?|people|persons?|users?|bits?|bytes?|[kmg]i?b|steps?|dollars?|euros?|pounds?|usd|eur|gbp|yuan|[kcm]?m|k?g|ms|px|times|items|rows|tokens|pieces|points|lines|files|pages|calories|k?cal|miles?|feet|met(?:er|re)s?|hours?|minutes?|seconds?|days?|weeks?|months?|years?)\b)/i

const dayWords = ["yesterday", "today", "tomorrow"]

/** The relative times in a text, unordered; expressions may overlap. */
export const relativeExpressions = (text: string, clock: Clock): ReadonlyArray<TimeExpression> =>
  readers.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const expression = read(match as RegExpExecArray, clock)
      return expression === undefined ? [] : [{ ...expression, index: match.index, end: match.index + match[0].length }]
    })
  )
