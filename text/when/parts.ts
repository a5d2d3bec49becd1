import { type Clock, dateFieldsOf, hour, rangeOfDays, type TimeRange, type Unit, unitAt } from "./clock.js"

// Parts of ranges: "early May", "the second half of 2024", "the first Monday in June", the evening of a day.

/**
 * The local date on which a range begins, its length in days, and its length in months (0 if it does not consist of
 * whole months).
 */
const shape = (clock: Clock, { from, to }: TimeRange) => {
  const [year, month, day] = dateFieldsOf(clock.local(from))
  const [endYear, endMonth, endDay] = dateFieldsOf(clock.local(to))
  const months = day === 1 && endDay === 1 ? 12 * (endYear - year) + endMonth - month : 0
  const length = Math.round((to - from) / 86_400_000)
  return { year, month, day, months, length }
}

/**
 * The first, middle or last third of a range. A year or a quarter is divided by months, a month at the 10th and the
 * 20th, a week into Monday and Tuesday, Wednesday and Thursday, and Friday to Sunday. Undefined for shorter ranges.
 */
export const thirdOf = (clock: Clock, range: TimeRange, third: number): TimeRange | undefined => {
  const { year, month, day, months, length } = shape(clock, range)
  if (months >= 3) {
    const monthOffset = (part: number) => Math.round((months * part) / 3)
    return rangeOfDays(clock, [year, month + monthOffset(third)], [year, month + monthOffset(third + 1)])
  }
  const boundaries = months === 1 ? [0, 10, 20, length] : length === 7 ? [0, 2, 4, 7] : undefined
  return (
    boundaries &&
    rangeOfDays(clock, [year, month, day + boundaries[third]!], [year, month, day + boundaries[third + 1]!])
  )
}

/**
 * The nth day, week, month and so on of a range (from 0; -1 is the last). Weeks have seven days each, counted from the
 * first day of the range, or backwards from its last day. The nth weekend begins on the nth Saturday.
 */
export const nthUnitOf = (clock: Clock, range: TimeRange, unit: string, index: number): TimeRange | undefined => {
  const { year, month, day, months, length } = shape(clock, range)
  const dayRun = (first: number, count: number) => {
    const from = first + index * count
    return rangeOfDays(clock, [year, month, day + from], [year, month, day + from + count])
  }
  const ifInside = (part: TimeRange | undefined) =>
    part !== undefined && part.from >= range.from && part.from < range.to ? part : undefined
  if (unit === "day" || unit === "week") return ifInside(dayRun(index < 0 ? length : 0, unit === "day" ? 1 : 7))
  if (unit === "half") {
    const half = index < 0 ? 2 + index : index
    if (half < 0 || half > 1) return undefined
    if (months > 1 && months % 2 === 0)
      return rangeOfDays(clock, [year, month + (half * months) / 2], [year, month + ((half + 1) * months) / 2])
    const middleDay = Math.floor(length / 2)
    return half === 0
      ? rangeOfDays(clock, [year, month, day], [year, month, day + middleDay])
      : rangeOfDays(clock, [year, month, day + middleDay], [year, month, day + length])
  }
  if (unit === "month" || unit === "quarter") {
    const size = unit === "month" ? 1 : 3
    const from = (index < 0 ? months : 0) + index * size
    return months > size && from >= 0 && from < months
      ? unitAt(clock, clock.instantAt(year, month + from), unit as Unit)
      : undefined
  }
  const weekday = unit === "weekend" ? 6 : weekdays.indexOf(unit.slice(0, 3))
  const [, , , firstWeekday] = dateFieldsOf(clock.local(range.from))
  const first = (weekday - firstWeekday + 7) % 7
  const position = first + 7 * (index < 0 ? Math.floor((length - 1 - first) / 7) + 1 + index : index)
  return position < 0 || position >= length
    ? undefined
    : rangeOfDays(clock, [year, month, day + position], [year, month, day + position + (unit === "weekend" ? 2 : 1)])
}

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

/** The parts of a day in hours after midnight. The night ends on the next day. */
const parts: { readonly [part: string]: readonly [from: number, to: number] } = {
  "small hours": [0, 5],
  dawn: [4, 8],
  morning: [5, 12],
  noon: [11, 14],
  midday: [11, 14],
  lunchtime: [11, 14],
  afternoon: [12, 18],
  dusk: [17, 21],
  evening: [17, 24],
  night: [18, 29],
  midnight: [23, 25]
}

export const hoursOfPart = (part: string): TimeRange => {
  const [from, to] = parts[part.toLowerCase().replace(/\s+/g, " ")]!
  return { from: from * hour, to: to * hour }
}

/** The range of these hours on one day. */
export const hoursOn = (clock: Clock, day: TimeRange, { from, to }: TimeRange): TimeRange => {
  const date = new Date(clock.local(day.from))
  const offset = (time: number) =>
    clock.instantAt(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), time)
  return { from: offset(from), to: offset(to) }
}
