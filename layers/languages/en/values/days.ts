import type { DayRange, PlacedValue, Value } from "./Value.js"

/** The day of an instant, in days since 1970. */
export const dayOfInstant = (instant: number): number => Math.floor(instant / 86_400_000)
export const dayOf = (year: number, month: number, day: number): number => dayOfInstant(Date.UTC(year, month - 1, day))
/** The weekday of a day. Monday is 0. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

interface Fields {
  readonly year?: number
  readonly month?: number
  readonly day?: number
  readonly weekday?: number
}

/** The days that the fields mean. Without a year, the occurrence nearest to 45 days (half a season) after `today`. */
const daysOf = ({ day, month, weekday, year }: Fields, today: number): DayRange | undefined => {
  if (month === undefined) return year === undefined ? undefined : [dayOf(year, 1, 1), dayOf(year + 1, 1, 1)]
  const inYear = (year: number): DayRange =>
    day === undefined
      ? [dayOf(year, month, 1), dayOf(year, month + 1, 1)]
      : [dayOf(year, month, day), dayOf(year, month, day) + 1]
  if (year !== undefined) return inYear(year)
  if (!Number.isFinite(today)) return undefined
  const thisYear = new Date(today * 86_400_000).getUTCFullYear()
  const center = today + 45
  return [thisYear - 1, thisYear, thisYear + 1]
    .map(inYear)
    .sort((a, b) => Math.abs(a[0] - center) - Math.abs(b[0] - center))
    .find(([from]) => weekday === undefined || day === undefined || weekdayOf(from) === weekday)
}

export const dayValue = (form: string, fields: Fields, today: number): Value => {
  const days = daysOf(fields, today)
  return { kind: "day", form, ...fields, ...(days === undefined ? {} : { days }) }
}

/** A day or a period that was named relative to the time of the statement. A single day has all date fields. */
export const relativeDay = (form: string, from: number, length = 1): Value | undefined => {
  if (!Number.isFinite(from) || Math.abs(from) > 8e6) return undefined
  const date = new Date(from * 86_400_000)
  return {
    kind: "day",
    form,
    ...(length === 1 ? { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() } : {}),
    days: [from, from + length],
    isRelative: true
  }
}

/** A text to read: in lower case and as written, and the day of the statement (NaN if unknown). */
export interface Source {
  readonly lower: string
  readonly raw: string
  readonly today: number
}

/** Reads a value that begins at `index`. */
export type ValueReader = (source: Source, index: number) => PlacedValue | undefined
