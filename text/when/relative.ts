import { type Amount, amountOf, amountPattern, rangeAtDistance } from "./amounts.js"
import { type Clock, rangeOfDays, shift, type TimeRange, type Unit, unitAt } from "./clock.js"
import type { TimeExpression } from "./expression.js"
import { cardinalOf, ordinalOf, ordinalPattern } from "./numberWords.js"
import { hoursOfPart, hoursOn } from "./parts.js"
import { weeksOfYear } from "./recurring.js"

// Ranges at a distance from the asking time, and years, decades and parts of the day. chrono reduces these to an
// instant, or does not support them.

type Reader = (match: RegExpExecArray, clock: Clock) => Omit<TimeExpression, "index" | "end"> | undefined

const strongRange = (kind: TimeExpression["kind"], range: TimeRange): Omit<TimeExpression, "index" | "end"> => ({
  kind,
  weak: false,
  range
})
const dayFromToday = (clock: Clock, count: number) => unitAt(clock, clock.askedAt, "day", count)

/** Reads ranges relative to the asking time: "last week", "the past month". */
const relative: Reader = ([, article, direction, name, half = ""], clock) => {
  const unit = name!.toLowerCase() as Unit | "fortnight"
  const count = /next|coming/i.test(direction!) ? 1 : /this|current/i.test(direction!) ? 0 : -1
  // "the last day" may mean the past 24 hours, and "the next day" may follow another day.
  if (unit === "day" && (count >= 0 || article === undefined)) return undefined
  // "the last week", "the past week" and all hours are a duration that ends now. "last week" is a calendar week.
  const rolling =
    unit === "fortnight" ||
    (unit !== "weekend" &&
      (/past/i.test(direction!) || unit === "hour" || (article !== undefined && !/prev/i.test(direction!))))
  if (rolling && count !== 0) return strongRange("span", until(clock, amountOf(`a ${unit}${half}`)!, count))
  return unit === "fortnight" ? undefined : wholeUnit(clock, unit, count)
}

/**
 * The unit that is `count` units after the current one. A recurring time next to this expression takes its occurrence
 * from that unit.
 */
const wholeUnit = (clock: Clock, unit: Unit, count: number): Omit<TimeExpression, "index" | "end"> => ({
  ...strongRange(unit === "year" ? "year" : "span", unitAt(clock, clock.askedAt, unit, count)),
  occurrence: occurrenceAt(clock, unit, count)
})

const occurrenceAt = (clock: Clock, unit: Unit, count: number): TimeExpression["occurrence"] =>
  unit === "year" || unit === "month" || unit === "week"
    ? { period: unit, number: unit === "year" ? clock.year + count : count }
    : undefined

/** The range from now minus `amount` until now, or from now until now plus `amount`. */
const until = (clock: Clock, amount: Amount, side: number): TimeRange => {
  const target = amount.reduce((offset, step) => shift(clock, offset, step.unit, side * step.max), clock.askedAt)
  return side < 0 ? { from: target, to: clock.askedAt } : { from: clock.askedAt, to: target }
}

const yearFields = (clock: Clock, year: number, weak: boolean): Omit<TimeExpression, "index" | "end"> => ({
  kind: "year",
  weak,
  range: rangeOfDays(clock, [year, 1], [year + 1, 1]),
  occurrence: { period: "year", number: year }
})

/** A reader with a third element runs only on texts that match it, because its pattern is slow. */
const readers: ReadonlyArray<readonly [pattern: RegExp, read: Reader, mayMatch?: RegExp]> = [
  [
    /\b(today|yesterday|tomorrow)\b/dgi,
    ([, day], clock) => ({ ...strongRange("day", dayFromToday(clock, dayWords.indexOf(day!.toLowerCase()) - 1)) })
  ],
  [
    /\b(?:(tonight)|last\s+(night|evening)|this\s+(morning|noon|afternoon|evening|night))\b/gi,
    ([, , last, now], clock) =>
      strongRange(
        "part",
        hoursOn(clock, dayFromToday(clock, last === undefined ? 0 : -1), hoursOfPart(last ?? now ?? "night"))
      )
  ],
  [
    /\bthe\s+(evening|night)\s+before\s+last\b/gi,
    ([, part], clock) => strongRange("part", hoursOn(clock, dayFromToday(clock, -2), hoursOfPart(part!)))
  ],
  [
    /\b(morning|noon|midday|lunchtime|afternoon|evening|night|midnight|dawn|dusk|small\s+hours)\b/gi,
    ([, part]) => ({ kind: "clock", weak: true, hours: hoursOfPart(part!) })
  ],
  [
    /(?:\b(the|this)\s+)?\b(last|past|previous|this|current|next|coming)[\s-]+(hour|day|week|weekend|fortnight|month|quarter|year|decade|century)(\s+and\s+a\s+half)?\b(?!\s+before\s+last)/gi,
    relative
  ],
  [
    /\b(?:the\s+)?(weekend|week|month|quarter|year|decade)\s+(?:(before)\s+last|after\s+next)\b/gi,
    ([, unit, before], clock) => wholeUnit(clock, unit!.toLowerCase() as Unit, before === undefined ? 2 : -2)
  ],
  [
    new RegExp(`\\b(?:the\\s+|these\\s+|this\\s+)?(last|past|previous|next|coming)\\s+(${amountPattern})\\b`, "gi"),
    ([, direction, phrase], clock) => {
      const amount = amountOf(phrase!)
      return amount && strongRange("span", until(clock, amount, /next|coming/i.test(direction!) ? 1 : -1))
    }
  ],
  [
    new RegExp(`\\b(${amountPattern})\\s+(ago|from\\s+now|hence)(?:\\s+(?:(today)|this\\s+(week|month)))?\\b`, "gi"),
    ([, phrase, side, today, unitName], clock) => {
      const amount = amountOf(phrase!)
      if (amount === undefined) return undefined
      const grain = today === undefined ? (unitName?.toLowerCase() as Unit | undefined) : "day"
      const direction = /ago/i.test(side!) ? -1 : 1
      const range = rangeAtDistance(clock, clock.askedAt, { amount, side: direction, grain })
      const [{ max, min, unit }] = amount as [Amount[number]]
      const isExact = amount.length === 1 && min === max && grain === undefined
      return {
        ...strongRange(/^(?:day|week)$/.test(grain ?? amount.at(-1)!.unit) ? "day" : "span", range),
        occurrence: isExact ? occurrenceAt(clock, unit, direction * min) : undefined
      }
    },
    /\b(?:ago|now|hence)\b/i
  ],
  // These words are times only together with other words: "the end of the month", "since the weekend".
  [
    /\bthe\s+(week|weekend|month|quarter|year)\b/gi,
    ([, unit], clock) => {
      const name = unit!.toLowerCase() as Unit
      const now = unitAt(clock, clock.askedAt, name)
      const range = name === "weekend" && now.from > clock.askedAt ? unitAt(clock, clock.askedAt, name, -1) : now
      return { kind: "span", weak: true, range, occurrence: occurrenceAt(clock, name, 0) }
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
        : strongRange("span", rangeOfDays(clock, [Number(match[1]), 1], [Number(match[2]) + 1, 1]))
  ],
  [
    /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])\b(?!-?\d)/g,
    ([, year, month], clock) =>
      strongRange("month", rangeOfDays(clock, [Number(year), Number(month)], [Number(year), Number(month) + 1]))
  ],
  [
    /\bwinter\s+(?:of\s+)?((?:19|20)\d\d)\s?[/–-]\s?(?:(?:19|20)?\d\d)\b/gi,
    ([, year], clock) => strongRange("span", rangeOfDays(clock, [Number(year), 12], [Number(year) + 1, 3]))
  ],
  [
    /\b(?:(?<first>20\d\d)[-/]?(?<code>[QH][1-4])|(?<half>H[12])\s+(?:of\s+)?(?<of>20\d\d)|(?<before>[QH][1-4])[-/](?<last>20\d\d))\b/g,
    ({ groups }, clock) => {
      const { before, code, first, half, last, of } = groups!
      const [letter, number] = [...(code ?? half ?? before)!] as [string, string]
      const months = letter === "Q" ? 3 : 6
      const [year, end] = [Number(first ?? last ?? of), months * Number(number)]
      return end > 12 ? undefined : strongRange("span", rangeOfDays(clock, [year, end - months + 1], [year, end + 1]))
    }
  ],
  [
    /(?<=\s)['’](\d\d)\b(?!['’:.,/-]?\d|['’])/g,
    (match, clock) => {
      // The most recent such year: "'08" is 2008, "'69" is 1969.
      const year = Math.floor(clock.year / 100) * 100 + Number(match[1])
      return isCount(match) ? undefined : yearFields(clock, year > clock.year + 1 ? year - 100 : year, true)
    }
  ],
  [
    /\b((?:19|20)\d\d)-?W(\d\d)\b(?!-\d)/gi,
    ([, year, number], clock) => {
      const range = weeksOfYear(clock, Number(number)).occurrence(Number(year))
      return range && strongRange("span", range)
    }
  ],
  [
    /(?:\bthe\s+|(?<=\bthe\s+(?:early|mid|late)[\s-]+))(?:((?:1[5-9]|20)\d0)['’]?s|['’]?([2-9]0)['’]?s|(?:nineteen[\s-])?((?:twen|thir|for|fif|six|seven|eigh|nine)t)ies)(?!\w)/gi,
    ([, long, short, word], clock) => {
      const from = long === undefined ? 1900 + Number(short ?? cardinalOf(`${word}y`)) : Number(long)
      // "the 1800s" is a century, "the 2000s" only a decade.
      return strongRange(
        "span",
        rangeOfDays(clock, [from, 1], [from + (from % 100 === 0 && from < 2000 ? 100 : 10), 1])
      )
    }
  ],
  [
    new RegExp(`\\b(?:the\\s+)?(${ordinalPattern})\\s+century\\b(?!\\s+b\\.?c)`, "gi"),
    ([, number], clock) => {
      // Like the 1800s, the 19th century is read from 1800 to 1899.
      const from = 100 * (ordinalOf(number!) ?? 0) - 100
      return from < 100 ? undefined : strongRange("span", rangeOfDays(clock, [from, 1], [from + 100, 1]))
    },
    /century/i
  ],
  [
    /(?<!the\s+)\b((?:1[89]|20)\d0)['’]?s(?!\w)/gi,
    ([, from], clock) => ({
      kind: "span",
      weak: true,
      range: rangeOfDays(clock, [Number(from), 1], [Number(from) + 10, 1])
    })
  ]
]

/** Whether the number counts things: "in 2000 words", "of 1950 people". */
const isCount = ({ 0: number, index, input }: RegExpExecArray): boolean => {
  const after = input.slice(index + number.length)
  return unitAfter.test(after) || (/00$/.test(number) && /^\s+\p{Ll}+s\b/u.test(after))
}
const unitAfter =
  /^\s*(?:[%°€$£]|(?:words?|people|persons?|users?|bits?|bytes?|[kmg]i?b|steps?|dollars?|euros?|pounds?|usd|eur|gbp|yuan|[kcm]?m|k?g|ms|px|times|items|rows|tokens|pieces|points|lines|files|pages|calories|k?cal|miles?|feet|met(?:er|re)s?|hours?|minutes?|seconds?|days?|weeks?(?!\s?\d)|months?|years?)\b)/i

const dayWords = ["yesterday", "today", "tomorrow"]

/** The relative times in a text, unordered; expressions may overlap. */
export const relativeExpressions = (text: string, clock: Clock): ReadonlyArray<TimeExpression> => {
  if (!mayContainRelative.test(text)) return []
  return readers.flatMap(([pattern, read, mayMatch]) =>
    mayMatch?.test(text) === false
      ? []
      : [...text.matchAll(pattern)].flatMap((match) => {
          const expression = read(match as RegExpExecArray, clock)
          return expression === undefined
            ? []
            : [{ ...expression, index: match.index, end: match.index + match[0].length }]
        })
  )
}

/** Every relative time contains one of these. Most texts have none, and compiling the patterns takes 5 ms. */
const mayContainRelative =
  /\d{4}|['’]\d\d|\d0['’]?s|day|morrow|ight|noon|morning|lunch|evening|dawn|dusk|hour|last|past|previous|this|current|next|coming|week|month|quarter|year|decade|ago|now|hence|winter|ties|century/i
