import { dayOf, dayOfInstant, weekdayOf } from "../values/days.js"
import type { DayRange, PlacedValue, Value } from "../values/Value.js"

// Days within a period that the same clause names: "next week the sync is on Thursday", "in June the review is on the 3rd".

/** A day, a week, a month or a year in a text, with the days that it means. */
export interface NamedDays {
  readonly index: number
  readonly end: number
  readonly days: DayRange
  /** Undefined for "this week" and the like, which are no values. */
  readonly value?: Value
}

export interface NamedValue extends NamedDays {
  readonly value: Value
}

/** The days of a text that lie within a period of the same clause, and these periods. */
export interface NestedDays {
  /** The days that an inner date means. Undefined if several days of the period fit. */
  readonly inner: ReadonlyMap<NamedDays, DayRange | undefined>
  readonly outer: ReadonlySet<NamedDays>
}

const current = /\bthis (week|weekend|month|year)\b(?!'s)/giu

/** The current week, weekend, month or year, where a text names it. `at`: when the text was said. */
export const currentPeriods = (text: string, at: number): ReadonlyArray<NamedDays> =>
  [...text.matchAll(current)].map(({ 0: words, 1: unit = "", index }) => ({
    index,
    end: index + words.length,
    days: currentDays(unit.toLowerCase(), dayOfInstant(at))
  }))

const currentDays = (unit: string, today: number): DayRange => {
  const monday = today - weekdayOf(today)
  if (unit === "week") return [monday, monday + 7]
  if (unit === "weekend") return [monday + 5, monday + 7]
  const date = new Date(today * 86_400_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  return unit === "month"
    ? [dayOf(year, month, 1), dayOf(year, month + 1, 1)]
    : [dayOf(year, 1, 1), dayOf(year + 1, 1, 1)]
}

/** Finds the days that lie within a period. `named`: the days of a text, in text order. */
export const nestDays = (text: string, named: ReadonlyArray<NamedDays>): NestedDays => {
  const inner = new Map<NamedDays, DayRange | undefined>()
  const outer = new Set<NamedDays>()
  // The longest first, so that the 12th of "next year in June on the 12th" is a day of that June.
  const periods = named
    .filter((period) => isContaining(text, period))
    .sort((one, other) => lengthOf(other) - lengthOf(one))
  for (const period of periods) {
    let last: NamedDays | undefined
    for (const one of named) {
      if (one === period || !isIncomplete(one) || lengthOf(one) >= lengthOf(period)) continue
      const isNear = isBefore(text, one, period)
      const isNext = last !== undefined && joint.test(text.slice(last.end, one.index))
      if (!isNear && !isNext && !isAfter(text, period, one)) continue
      const [days, ...others] = fittingDays(one.value!, inner.get(period) ?? period.days)
      const isAmbiguous = others.length > 0
      const isCertainlyInside = isNear || opening.test(text.slice(0, period.index))
      if (days === undefined || (isAmbiguous && (period.value === undefined || !isCertainlyInside))) continue
      if (!isAmbiguous) outer.add(period)
      if (!isAmbiguous || !inner.has(one)) inner.set(one, isAmbiguous ? undefined : days)
      last = one
    }
  }
  return { inner, outer }
}

const lengthOf = ({ days }: NamedDays): number => days[1] - days[0]
const notContaining = /\b(?:before|after|until|till|since|by|from|within|than)\s+(?:the\s+)?$/iu
const containing = /\b(?:in|during|throughout)\s+(?:the\s+)?(?:early |late |mid-? ?)?$/iu
/** Maximum days of a period: a leap year. */
const maxPeriod = 366

/**
 * True for a week, a weekend, a month or a year in which something happens. "The March report" and "next month's
 * report" only name what the report is about.
 */
const isContaining = (text: string, { days, end, index, value }: NamedDays): boolean => {
  const before = text.slice(Math.max(0, index - 24), index)
  const length = days[1] - days[0]
  if (length < 2 || length > maxPeriod || notContaining.test(before) || text.startsWith("'s", end)) return false
  return value === undefined || value.isRelative === true || containing.test(before)
}

/** True for a date that depends on the period that it is in: "Thursday", "the 3rd", "in March". */
const isIncomplete = ({ value }: NamedDays): boolean =>
  value !== undefined &&
  value.isRelative !== true &&
  value.year === undefined &&
  (value.weekday ?? value.day ?? value.month) !== undefined

const joint = /^,? ?(?:and|or|to|until|till|-|–)? ?(?:on )?(?:the )?$/iu
/** Words that begin another clause or another time. */
const boundary =
  /.[,.;:!?]|\b(?:and|but|or|so|then|because|if|while|until|till|before|after|since|by|than|which|who|that)\b/iu
/** Only an opening word, or none, before a period. */
const opening = /^(?:(?:and|but|so|ok|well)[,\s]+)*(?:(?:in|on|during|at)\s)?$/iu
const maxGap = 80
const isAfter = (text: string, period: NamedDays, { index }: NamedDays): boolean =>
  index >= period.end && index - period.end <= maxGap && !boundary.test(text.slice(period.end, index))

/** "On Thursday at 10 next week", "in March next year". */
const time =
  /^(?: (?:at )?(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m| o'clock)?|noon|midnight))?,?(?: (?:of|in|during))?(?: the)? $/iu
const isBefore = (text: string, { end }: NamedDays, period: NamedDays): boolean =>
  period.index >= end && time.test(text.slice(end, period.index))

/** The days of a period that fit the fields of a date. */
const fittingDays = (value: Value, [from, until]: DayRange): ReadonlyArray<DayRange> => {
  const fitting: Array<DayRange> = []
  for (let day = from; day < until; day++) {
    const date = new Date(day * 86_400_000)
    const [month, dayOfMonth] = [date.getUTCMonth() + 1, date.getUTCDate()]
    const isFitting =
      (value.weekday ?? weekdayOf(day)) === weekdayOf(day) &&
      (value.month ?? month) === month &&
      (value.day ?? (value.weekday === undefined ? 1 : dayOfMonth)) === dayOfMonth
    if (isFitting)
      fitting.push(
        value.day === undefined && value.weekday === undefined
          ? [day, dayOf(date.getUTCFullYear(), month + 1, 1)]
          : [day, day + 1]
      )
  }
  return fitting
}

const ordinalBefore =
  /(?:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?(?:\bthe )?\b(\d{1,2})(?:st|nd|rd|th),? (?:of )?(?:the )?$/iu

/** Reads "the 3rd of next month" and "the 10th next week" as one value. */
export const joinOrdinals = (text: string, values: ReadonlyArray<PlacedValue>): ReadonlyArray<PlacedValue> => {
  const joined: Array<PlacedValue> = []
  for (const placed of values) {
    const { days, form, isRelative, kind } = placed.value
    const match = kind === "day" && isRelative === true ? ordinalBefore.exec(text.slice(0, placed.index)) : null
    const fitting =
      match === null || days === undefined || days[1] - days[0] > maxPeriod
        ? []
        : fittingDays({ kind: "day", form, day: Number(match[1]) }, days)
    if (fitting.length !== 1) joined.push(placed)
    else {
      while ((joined.at(-1)?.end ?? 0) > match!.index) joined.pop()
      joined.push({
        index: match!.index,
        end: placed.end,
        value: { kind: "day", form: text.slice(match!.index, placed.end), days: fitting[0]!, isRelative: true }
      })
    }
  }
  return joined
}

/** Gives a day of a month the month of the date that follows it: "from the 12th to the 15th of July". */
export const withMonthAfter = (text: string, named: ReadonlyArray<NamedValue>): ReadonlyArray<NamedValue> =>
  named.map((one, index) => {
    const { day, month, weekday } = one.value
    const next = named[index + 1]
    if (day === undefined || (month ?? weekday) !== undefined || next?.value.month === undefined) return one
    const back = (next.value.day ?? day) - day
    if (back <= 0 || !joint.test(text.slice(one.end, next.index))) return one
    return { ...one, days: [next.days[0] - back, next.days[0] - back + 1] }
  })

const rangeStart = /(?<![\d.:/#])(\d{1,2})(?:st|nd|rd|th)? ?(?:to|and|until|till|through|-|–|—) ?(?:the )?$/iu

/** The first day of a range that ends with a date: 3 June for "from 3 to 9 June". */
export const firstDayOf = (text: string, { days, index, value }: NamedDays): number => {
  const first = Number(rangeStart.exec(text.slice(Math.max(0, index - 24), index))?.[1] ?? 0)
  const day = days[1] - days[0] === 1 ? value?.day : undefined
  return day !== undefined && first > 0 && first < day ? days[0] - (day - first) : days[0]
}
