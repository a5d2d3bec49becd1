import { type Clock, days, type TimeRange } from "./clock.js"
import type { Cycle, TimeExpression } from "./expression.js"

// Named recurring times: feasts, seasons, quarters, weekdays.

type DayOf = (year: number) => readonly [month: number, day: number]

const fixed =
  (month: number, day: number): DayOf =>
  () => [month, day]

/** Easter Sunday plus `after` days, by the anonymous Gregorian algorithm (Nature, 1876). */
const easter =
  (after: number): DayOf =>
  (year) => {
    const a = year % 19
    const b = Math.floor(year / 100)
    const c = year % 100
    const g = Math.floor((8 * b + 13) / 25)
    const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30
    const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
    const m = Math.floor((a + 11 * h + 22 * l) / 451)
    const days = h + l - 7 * m + 114
    return [Math.floor(days / 31), (days % 31) + 1 + after]
  }

/** Thanksgiving (United States), the fourth Thursday of November, plus `after` days. */
const thanksgiving =
  (after: number): DayOf =>
  (year) => [11, 22 + ((11 - new Date(Date.UTC(year, 10, 1)).getUTCDay()) % 7) + after]

const feasts: ReadonlyArray<readonly [name: string, day: DayOf]> = [
  ["new\\s+year['’]?s\\s+eve|nye|silvester", fixed(12, 31)],
  ["new\\s+year(?:['’]?s)?(?:\\s+day)?", fixed(1, 1)],
  ["valentine['’]?s(?:\\s+day)?", fixed(2, 14)],
  ["st\\.?\\s+patrick['’]?s\\s+day", fixed(3, 17)],
  ["ash\\s+wednesday", easter(-46)],
  ["palm\\s+sunday", easter(-7)],
  ["good\\s+friday", easter(-2)],
  ["easter\\s+monday", easter(1)],
  ["easter(?:\\s+sunday)?", easter(0)],
  ["pentecost|whit\\s+sunday", easter(49)],
  ["halloween|hallowe['’]en", fixed(10, 31)],
  ["thanksgiving(?:\\s+day)?", thanksgiving(0)],
  ["black\\s+friday", thanksgiving(1)],
  ["(?:christmas|xmas)\\s+eve", fixed(12, 24)],
  ["(?:christmas|xmas)(?:\\s+day)?", fixed(12, 25)],
  ["boxing\\s+day", fixed(12, 26)]
]

/**
 * The first month of each season of the northern hemisphere. Seasons are complete months. Winter belongs to the year in
 * which it begins.
 */
const seasons: { readonly [season: string]: number } = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 }

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

const feastCycles = (clock: Clock): ReadonlyArray<Cycle["occurrence"]> =>
  feasts.map(([, dayOf]) => (year) => {
    const [month, day] = dayOf(year)
    return days(clock, [year, month, day], [year, month, day + 1])
  })

/** A range of months, each year. */
export const monthsOfYear = (clock: Clock, first: number, count: number): Cycle => ({
  period: "year",
  occurrence: (year) => days(clock, [year, first], [year, first + count])
})

/** A day of each week, from Monday (0). */
export const dayOfWeek = (clock: Clock, weekday: number): Cycle => {
  const { year, month, day } = clock
  const monday = day - ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7)
  const dateIn = (week: number): readonly [number, number, number] => [year, month, monday + 7 * week + weekday]
  return {
    period: "week",
    occurrence: (week): TimeRange => days(clock, dateIn(week), [year, month, dateIn(week)[2] + 1])
  }
}

const feastPattern = new RegExp(`\\b(?:${feasts.map(([name]) => `(${name})`).join("|")})(?!\\w)`, "gi")
const seasonPattern = /\b(?:the\s+)?(spring|summer|autumn|fall|winter)\b(?:\s+of(?=\s+(?:1[5-9]|20)\d\d\b))?/gi
const quarterPattern = /\bq([1-4])\b(?:\s+of(?=\s+20\d\d\b))?/gi
const weekdayPattern =
  /\b(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b/gi

/** The recurring times in a text, unordered; expressions may overlap. */
export const recurringExpressions = (text: string, clock: Clock): ReadonlyArray<TimeExpression> => {
  const expressions: Array<TimeExpression> = []
  const add = (pattern: RegExp, kind: TimeExpression["kind"], read: (match: RegExpMatchArray) => Cycle) => {
    for (const match of text.matchAll(pattern)) {
      // "Q2" is always a quarter. All other names have other meanings too.
      const weak = !match[0].startsWith("Q")
      expressions.push({ index: match.index, end: match.index + match[0].length, kind, weak, cycle: read(match) })
    }
  }
  const cycles = feastCycles(clock)
  add(feastPattern, "feast", (match) => ({
    period: "year",
    occurrence: cycles[match.slice(1).findIndex((name) => name !== undefined)]!
  }))
  add(seasonPattern, "season", ([, name]) => monthsOfYear(clock, seasons[name!.toLowerCase()]!, 3))
  add(quarterPattern, "season", ([, number]) => monthsOfYear(clock, Number(number) * 3 - 2, 3))
  add(weekdayPattern, "weekday", ([name]) => dayOfWeek(clock, weekdays.indexOf(name.slice(0, 3).toLowerCase())))
  return expressions
}
