import { type Clock, dateFieldsOf, isDay, rangeOfDays, shift, type TimeRange, unitAt } from "./clock.js"
import type { Cycle, TimeExpression } from "./expression.js"
import { ordinalOf, ordinalPattern } from "./numberWords.js"
import { endsPhrase } from "./plausible.js"

// Named recurring times: feasts, seasons, quarters, weeks of a year, weekdays, days of a month.

type DayOf = (year: number) => readonly [month: number, day: number] | undefined

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

/** The nth weekday (Sunday is 0) of a month, plus `after` days. */
const nthWeekday =
  (month: number, nth: number, weekday: number, after = 0): DayOf =>
  (year) => [month, 7 * nth - 6 + ((7 + weekday - new Date(Date.UTC(year, month - 1, 1)).getUTCDay()) % 7) + after]

/** The last Monday of May. */
const memorialDay: DayOf = (year) => [5, 31 - ((new Date(Date.UTC(year, 4, 31)).getUTCDay() + 6) % 7)]
/** Absent in most years. */
const leapDay: DayOf = (year) => (isDay(year, 2, 29) ? [2, 29] : undefined)

const feasts: ReadonlyArray<readonly [name: string, day: DayOf]> = [
  ["new\\s+year['’]?s\\s+eve|nye|silvester", fixed(12, 31)],
  ["new\\s+year(?:['’]?s)?(?:\\s+day)?", fixed(1, 1)],
  ["epiphany", fixed(1, 6)],
  ["(?:mlk|martin\\s+luther\\s+king)(?:\\s+jr\\.?)?\\s+day", nthWeekday(1, 3, 1)],
  ["burns\\s+night", fixed(1, 25)],
  ["australia\\s+day", fixed(1, 26)],
  ["groundhog\\s+day", fixed(2, 2)],
  ["valentine['’]?s(?:\\s+day)?", fixed(2, 14)],
  ["presidents?['’]?s?['’]?\\s+day", nthWeekday(2, 3, 1)],
  ["leap\\s+day", leapDay],
  ["(?:international\\s+)?women['’]?s\\s+day", fixed(3, 8)],
  ["pi\\s+day", fixed(3, 14)],
  ["st\\.?\\s+patrick['’]?s\\s+day", fixed(3, 17)],
  ["april\\s+fools?['’]?s?['’]?(?:\\s+day)?", fixed(4, 1)],
  ["earth\\s+day", fixed(4, 22)],
  ["anzac\\s+day", fixed(4, 25)],
  ["may\\s+day", fixed(5, 1)],
  ["cinco\\s+de\\s+mayo", fixed(5, 5)],
  ["mother['’]?s['’]?\\s+day", nthWeekday(5, 2, 0)],
  ["memorial\\s+day", memorialDay],
  ["father['’]?s['’]?\\s+day", nthWeekday(6, 3, 0)],
  ["juneteenth", fixed(6, 19)],
  ["midsummer(?:['’]?s)?\\s+day", fixed(6, 24)],
  ["canada\\s+day", fixed(7, 1)],
  ["independence\\s+day", fixed(7, 4)],
  ["bastille\\s+day", fixed(7, 14)],
  ["labou?r\\s+day", nthWeekday(9, 1, 1)],
  ["columbus\\s+day|indigenous\\s+peoples?['’]?\\s+day", nthWeekday(10, 2, 1)],
  ["shrove\\s+tuesday|mardi\\s+gras", easter(-47)],
  ["ash\\s+wednesday", easter(-46)],
  ["palm\\s+sunday", easter(-7)],
  ["maundy\\s+thursday", easter(-3)],
  ["good\\s+friday", easter(-2)],
  ["easter\\s+monday", easter(1)],
  ["easter(?:\\s+sunday)?", easter(0)],
  ["ascension\\s+day", easter(39)],
  ["pentecost|whit\\s+sunday", easter(49)],
  ["corpus\\s+christi", easter(60)],
  ["halloween|hallowe['’]en", fixed(10, 31)],
  ["all\\s+saints['’]?(?:\\s+day)?", fixed(11, 1)],
  ["all\\s+souls['’]?(?:\\s+day)?", fixed(11, 2)],
  ["guy\\s+fawkes(?:\\s+(?:day|night))?|bonfire\\s+night", fixed(11, 5)],
  ["veterans['’]?\\s+day|armistice\\s+day|remembrance\\s+day", fixed(11, 11)],
  ["thanksgiving(?:\\s+day)?", nthWeekday(11, 4, 4)],
  ["black\\s+friday", nthWeekday(11, 4, 4, 1)],
  ["cyber\\s+monday", nthWeekday(11, 4, 4, 4)],
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

/** A yearly holiday such as Easter, or the week or weekend around it. */
const holidayCycle = (clock: Clock, dayOf: DayOf, unit: string | undefined): Cycle => ({
  period: "year",
  occurrence: (year) => {
    const date = dayOf(year)
    if (date === undefined) return undefined
    const [month, day] = date
    const feast = rangeOfDays(clock, [year, month, day], [year, month, day + 1])
    if (unit === undefined) return feast
    const week = unitAt(clock, feast.from, "week")
    if (/^week$/i.test(unit)) return week
    // The nearest Saturday and Sunday, and the days between them and the feast.
    const [, , , weekday] = dateFieldsOf(clock.local(feast.from))
    const weekend = unitAt(clock, feast.from, "weekend", weekday >= 1 && weekday <= 3 ? -1 : 0)
    return { from: Math.min(feast.from, weekend.from), to: Math.max(feast.to, weekend.to) }
  }
})

/** A range of months, each year. */
export const monthsOfYear = (clock: Clock, first: number, count: number): Cycle => ({
  period: "year",
  occurrence: (year) => rangeOfDays(clock, [year, first], [year, first + count])
})

/** Weeks of each year. ISO 8601: the first week of a year contains 4 January, and only some years have a week 53. */
export const weeksOfYear = (clock: Clock, first: number, last = first): Cycle => {
  const weekOf = (year: number, number: number) => {
    const week = unitAt(clock, clock.instantAt(year, 1, 4), "week", number - 1)
    // A week belongs to the year of its Thursday.
    const [yearOfWeek] = dateFieldsOf(clock.local(shift(clock, week.from, "day", 3)))
    return yearOfWeek === year && number > 0 ? week : undefined
  }
  return {
    period: "year",
    occurrence: (year) => {
      const [from, to] = [weekOf(year, first), weekOf(year, last)]
      return from && to && { from: from.from, to: to.to }
    }
  }
}

/** A day of each month that has such a day. */
const dayOfMonth = (clock: Clock, day: number): Cycle => ({
  period: "month",
  occurrence: (months) => {
    const [year, month] = dateFieldsOf(Date.UTC(clock.year, clock.month - 1 + months))
    return isDay(year, month, day) ? rangeOfDays(clock, [year, month, day], [year, month, day + 1]) : undefined
  }
})

/** A day of each week, from Monday (0). */
export const dayOfWeek = (clock: Clock, weekday: number): Cycle => {
  const { year, month, day } = clock
  const monday = day - ((new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7)
  const dateIn = (week: number): readonly [number, number, number] => [year, month, monday + 7 * week + weekday]
  return {
    period: "week",
    occurrence: (week): TimeRange => rangeOfDays(clock, dateIn(week), [year, month, dateIn(week)[2] + 1])
  }
}

/** A plural is a recurring time only in "two Fridays ago". */
const plural = "(?:e?s(?=\\s+ago\\b))?"
const feastPattern = new RegExp(
  `\\b(?:${feasts.map(([name]) => `(${name})`).join("|")})${plural}(?:\\s+(weekend|week))?(?!\\w)`,
  "gi"
)
const seasonPattern = new RegExp(
  `\\b(?:the\\s+)?(spring|summer|autumn|fall|winter)${plural}\\b(?:\\s+of(?=\\s+(?:1[5-9]|20)\\d\\d\\b))?`,
  "gi"
)
const quarterPattern = /\bq([1-4])\b(?:\s+of(?=\s+20\d\d\b))?/gi
const namedQuarterPattern = /\bthe\s+(?:(first|1st)|(second|2nd)|(third|3rd)|(?:fourth|4th))\s+quarter\b/gi
const weekNumberPattern = /\b(?:(?:(?:iso|calendar)\s+)?weeks?|wk|cw|kw)\s?(\d\d?)(?:\s*(?:to|and|-|–)\s*(\d\d?))?\b/gi
const weekdayPattern =
  /\b(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)(?:(?<=day)s(?=\s+ago\b))?\b/gi
/** In "on the 25th", the month is open. A smaller number in words usually counts something else. */
const monthDayPattern = new RegExp(`\\b(?:the\\s+|(?<=day\\s+))(${ordinalPattern})(?!\\w)`, "gi")

/** Whether a day of a month stands alone. "the 5th of each month" recurs, and other modifiers read "the 5th of May". */
const isOpenDay = (after: string): boolean => endsPhrase(after) && !/^\s+of\b/i.test(after)

/** The recurring times in a text, unordered; expressions may overlap. */
export const recurringExpressions = (text: string, clock: Clock): ReadonlyArray<TimeExpression> => {
  const expressions: Array<TimeExpression> = []
  const add = (pattern: RegExp, kind: TimeExpression["kind"], read: (match: RegExpMatchArray) => Cycle) => {
    for (const match of text.matchAll(pattern)) {
      // "Q2", "calendar week 3" and "Easter weekend" have only one meaning. All other names have other meanings too.
      const weak = !/^(?:Q|iso|calendar|CW|KW)|\sweek(?:end)?$/.test(match[0])
      expressions.push({ index: match.index, end: match.index + match[0].length, kind, weak, cycle: read(match) })
    }
  }
  add(feastPattern, "feast", (match) =>
    holidayCycle(clock, feasts[match.slice(1).findIndex((name) => name !== undefined)]![1], match[feasts.length + 1])
  )
  add(seasonPattern, "season", ([, name]) => monthsOfYear(clock, seasons[name!.toLowerCase()]!, 3))
  add(quarterPattern, "season", ([, number]) => monthsOfYear(clock, Number(number) * 3 - 2, 3))
  add(namedQuarterPattern, "season", (match) => {
    const quarter = match.slice(1).findIndex((name) => name !== undefined)
    return monthsOfYear(clock, quarter < 0 ? 10 : quarter * 3 + 1, 3)
  })
  add(weekNumberPattern, "season", ([, first, last]) => weeksOfYear(clock, Number(first), Number(last ?? first)))
  add(weekdayPattern, "weekday", ([name]) => dayOfWeek(clock, weekdays.indexOf(name.slice(0, 3).toLowerCase())))
  for (const { 0: phrase, 1: number, index } of text.matchAll(monthDayPattern)) {
    const [monthDay, end] = [ordinalOf(number!) ?? 0, index + phrase.length]
    const isDayOfMonth = monthDay > (/^\d/.test(number!) ? 0 : 3) && monthDay <= 31 && isOpenDay(text.slice(end))
    if (isDayOfMonth)
      expressions.push({ index, end, kind: "day", weak: true, cycle: dayOfMonth(clock, monthDay), monthDay })
  }
  return expressions
}
