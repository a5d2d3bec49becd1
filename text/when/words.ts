import { type Amount, amount, amountOf, away } from "./amounts.js"
import type { Atom } from "./atom.js"
import { type Clock, days, type Stretch, shift, type Unit, unitAt } from "./clock.js"
import { hoursOfPart, hoursOn } from "./parts.js"

// Stretches that are named by their distance from the asking time, and years, decades and parts of the day:
// chrono makes points of them, or does not know them.

type Reader = (match: RegExpExecArray, clock: Clock) => Omit<Atom, "index" | "end"> | undefined

const strong = (kind: Atom["kind"], stretch: Stretch): Omit<Atom, "index" | "end"> => ({ kind, weak: false, stretch })
const today = (clock: Clock, by: number) => unitAt(clock, clock.asked, "day", by)

/** Relative to the asking time: "last week", "the past month". */
const relative: Reader = ([, the, how, name], clock) => {
  const unit = name!.toLowerCase() as Unit
  const by = /next|coming/i.test(how!) ? 1 : /this|current/i.test(how!) ? 0 : -1
  // "the last day" may be the past 24 hours, "the next day" is the one after some other.
  if (unit === "day" && (by >= 0 || the === undefined)) return undefined
  // "the last week", "the past week" and any hour are so much time up to now; "last week" is one of the calendar.
  const rolling =
    unit !== "weekend" &&
    by !== 0 &&
    (/past/i.test(how!) || unit === "hour" || (the !== undefined && !/prev/i.test(how!)))
  if (rolling) return strong("span", until(clock, [{ unit, least: 1, most: 1 }], by))
  const stretch = unitAt(clock, clock.asked, unit, by)
  if (unit !== "year" && unit !== "week") return strong("span", stretch)
  return { ...strong(unit === "year" ? "year" : "span", stretch), turn: turnOf(unit, by, clock) }
}

const turnOf = (of: "year" | "week", by: number, { year }: Clock) => ({ of, number: of === "year" ? year + by : by })

/** From so long ago until now, or from now on for so long. */
const until = (clock: Clock, amount: Amount, by: number): Stretch => {
  const there = amount.reduce((there, step) => shift(clock, there, step.unit, by * step.most), clock.asked)
  return by < 0 ? { from: there, to: clock.asked } : { from: clock.asked, to: there }
}

const yearAtom = (clock: Clock, year: number, weak: boolean): Omit<Atom, "index" | "end"> => ({
  kind: "year",
  weak,
  stretch: days(clock, [year, 1], [year + 1, 1]),
  turn: { of: "year", number: year }
})

const readers: ReadonlyArray<readonly [RegExp, Reader]> = [
  [
    /\b(today|yesterday|tomorrow)\b/dgi,
    ([, day], clock) => ({ ...strong("day", today(clock, days3.indexOf(day!.toLowerCase()) - 1)) })
  ],
  [
    /\b(?:(tonight)|last\s+(night|evening)|this\s+(morning|noon|afternoon|evening|night))\b/gi,
    ([, , last, now], clock) =>
      strong("span", hoursOn(clock, today(clock, last === undefined ? 0 : -1), hoursOfPart(last ?? now ?? "night")))
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
    ([said], clock) => {
      const [, unit, side] = /(\w+)\s+(before|after)\s+\w+$/i.exec(said!)!
      return strong("span", unitAt(clock, clock.asked, unit!.toLowerCase() as Unit, /before/i.test(side!) ? -2 : 2))
    }
  ],
  [
    new RegExp(`\\b(?:the\\s+|these\\s+|this\\s+)?(last|past|previous|next|coming)\\s+(${amount})\\b`, "gi"),
    ([, how, said], clock) => {
      const amount = amountOf(said!)
      return amount && strong("span", until(clock, amount, /next|coming/i.test(how!) ? 1 : -1))
    }
  ],
  [
    new RegExp(`\\b(${amount})\\s+(ago|from\\s+now|hence)(\\s+today)?\\b`, "gi"),
    ([, said, side, day], clock) => {
      const amount = amountOf(said!)
      if (amount === undefined) return undefined
      const least = day === undefined ? undefined : "day"
      const stretch = away(clock, clock.asked, amount, /ago/i.test(side!) ? -1 : 1, least)
      return strong(/^(?:day|week)$/.test(least ?? amount.at(-1)!.unit) ? "day" : "span", stretch)
    }
  ],
  // "the end of the month", "since the weekend": nothing on their own.
  [
    /\bthe\s+(week|weekend|month|quarter|year)\b/gi,
    ([, unit], clock) => {
      const name = unit!.toLowerCase() as Unit
      const now = unitAt(clock, clock.asked, name)
      const stretch = name === "weekend" && now.from > clock.asked ? unitAt(clock, clock.asked, name, -1) : now
      return { kind: "span", weak: true, stretch }
    }
  ],
  [
    /(?<![\d.,:/+]|(?<![a-z])-)\b(1[5-9]\d\d|20\d\d)(?![\d.,:/]*\d)(?!-\d)\b/gi,
    (match, clock) => (counts(match) ? undefined : yearAtom(clock, Number(match[1]), true))
  ],
  [
    /(?<![\d.,:/+-])\b((?:19|20)\d\d)\s?[-–]\s?((?:19|20)\d\d)\b(?!-?\d)/g,
    (match, clock) =>
      match[1]! >= match[2]! || counts(match)
        ? undefined
        : strong("span", days(clock, [Number(match[1]), 1], [Number(match[2]) + 1, 1]))
  ],
  [
    /\b((?:19|20)\d\d)-(0[1-9]|1[0-2])\b(?!-?\d)/g,
    ([, year, month], clock) =>
      strong("month", days(clock, [Number(year), Number(month)], [Number(year), Number(month) + 1]))
  ],
  [
    /\bwinter\s+(?:of\s+)?((?:19|20)\d\d)\s?[/–-]\s?(?:(?:19|20)?\d\d)\b/gi,
    ([, year], clock) => strong("span", days(clock, [Number(year), 12], [Number(year) + 1, 3]))
  ],
  [
    /\bH([12])\s+(?:of\s+)?(20\d\d)\b/g,
    ([, half, year], clock) =>
      strong("span", days(clock, [Number(year), 6 * Number(half) - 5], [Number(year), 6 * Number(half) + 1]))
  ],
  [
    /\b(?:(?<year>(?:19|20)\d\d)-?W(?<week>\d\d)\b(?!-\d)|(?:calendar\s+)?week\s+(?<number>\d\d?)\s+(?:of|in)\s+(?<of>(?:19|20)\d\d)\b)/gi,
    ({ groups }, clock) => {
      // ISO 8601: the first week of a year is the one that holds 4 January.
      const year = Number(groups!.year ?? groups!.of)
      const { from } = unitAt(clock, clock.at(year, 1, 4), "week")
      const number = Number(groups!.week ?? groups!.number)
      const stretch = unitAt(clock, shift(clock, from, "week", number - 1), "week")
      // A week is of the year that its Thursday is in: there is no week 0, and a 53rd in some years only.
      const thursday = new Date(clock.local(shift(clock, stretch.from, "day", 3)))
      return thursday.getUTCFullYear() === year && number > 0 ? strong("span", stretch) : undefined
    }
  ],
  [
    /\bthe\s+(?:((?:1[5-9]|20)\d0)['’]?s|['’]?([2-9]0)['’]?s)(?!\w)/gi,
    ([, long, short], clock) => {
      const from = long === undefined ? 1900 + Number(short) : Number(long)
      // "the 1800s" are a century, "the 2000s" a decade so far.
      return strong("span", days(clock, [from, 1], [from + (from % 100 === 0 && from < 2000 ? 100 : 10), 1]))
    }
  ],
  [
    /(?<!the\s+)\b((?:1[89]|20)\d0)['’]?s(?!\w)/gi,
    ([, from], clock) => ({ kind: "span", weak: true, stretch: days(clock, [Number(from), 1], [Number(from) + 10, 1]) })
  ]
]

/** "in 2000 words", "of 1950 people": a number of something. */
const counts = ({ 0: said, index, input }: RegExpExecArray): boolean => {
  const after = input.slice(index + said.length)
  return measured.test(after) || (/00$/.test(said) && /^\s+\p{Ll}+s\b/u.test(after))
}
const measured =
  /^\s*(?:[%°€$£]|(?:words?|people|persons?|users?|bits?|bytes?|[kmg]i?b|steps?|dollars?|euros?|pounds?|usd|eur|gbp|yuan|[kcm]?m|k?g|ms|px|times|items|rows|tokens|pieces|points|lines|files|pages|calories|k?cal|miles?|feet|met(?:er|re)s?|hours?|minutes?|seconds?|days?|weeks?|months?|years?)\b)/i

const days3 = ["yesterday", "today", "tomorrow"]

/** In no order; they may overlap. */
export const wordAtoms = (text: string, clock: Clock): ReadonlyArray<Atom> =>
  readers.flatMap(([pattern, read]) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const atom = read(match as RegExpExecArray, clock)
      return atom === undefined ? [] : [{ ...atom, index: match.index, end: match.index + match[0].length }]
    })
  )
