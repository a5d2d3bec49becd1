import { earliestInstant, latestInstant } from "./dates.js"

/** A range of time: `from` is included, `to` is not. Milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

export type Unit =
  | "second"
  | "minute"
  | "hour"
  | "day"
  | "week"
  | "weekend"
  | "month"
  | "quarter"
  | "year"
  | "decade"
  | "century"

/** The time at which the user asks, and the calendar of the user's zone. */
export interface Clock {
  readonly askedAt: number
  /** The date of `askedAt` in the zone. Months count from 1. */
  readonly year: number
  readonly month: number
  readonly day: number
  /** The zone's local time at an instant, encoded as the instant at which UTC shows the same local time. */
  readonly local: (instant: number) => number
  /**
   * The instant at which the zone's local time is `milliseconds` after midnight of a date. Months and days may
   * overflow. If the local time occurs twice, returns the first instant. If a clock change skips the local time,
   * returns the instant of the change. NaN outside the years 100 to 9999.
   */
  readonly instantAt: (year: number, month: number, day?: number, milliseconds?: number) => number
}

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/**
 * A clock for a zone. An invalid zone throws a RangeError at the first use, not here: checking a zone takes 13 ms, and
 * few texts need a zone.
 */
export const makeClock = (askedAt: number, zone: string): Clock => {
  let format: Intl.DateTimeFormat | undefined
  // The zone's offset at this instant. It may differ from the offset at the time of the question.
  const offset = (instant: number): number => {
    if (!(instant >= earliestInstant && instant <= latestInstant)) return Number.NaN
    if (zone === "UTC") return 0
    format ??= formatOf(zone)
    const [month, day, year, hour, minute, second] = format.format(instant).match(/\d+/g)!.map(Number) as DateTimeFields
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000
  }
  const local = (instant: number) => instant + offset(instant)
  const instantOf = (localTime: number): number => {
    const earlier = localTime - offset(localTime - margin)
    const later = localTime - offset(localTime + margin)
    if (earlier === later) return earlier
    const candidates = [earlier, later].filter((instant) => local(instant) === localTime)
    return candidates.length === 0 ? earlier : Math.min(...candidates)
  }
  let today: Date | undefined
  const askingDate = () => {
    today ??= new Date(local(askedAt))
    return today
  }
  return {
    askedAt,
    get year() {
      return askingDate().getUTCFullYear()
    },
    get month() {
      return askingDate().getUTCMonth() + 1
    },
    get day() {
      return askingDate().getUTCDate()
    },
    local,
    instantAt: (year, month, day = 1, milliseconds = 0) => {
      const localTime = Date.UTC(year, month - 1, day) + milliseconds
      const shownYear = new Date(localTime).getUTCFullYear()
      // Date.UTC maps the years 0 to 99 to 1900 to 1999.
      return year >= 100 && shownYear >= 100 && shownYear <= 9999 ? instantOf(localTime) : Number.NaN
    }
  }
}

/** Whether the date exists in the calendar. */
export const isDay = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** The range from the start of one day to the start of another. Months and days may overflow. */
export const rangeOfDays = ({ instantAt }: Clock, from: Day, to: Day): TimeRange => ({
  from: instantAt(...from),
  to: instantAt(...to)
})

/** The unit that is `count` units after the one that contains an instant. Weeks begin on Monday. */
export const unitAt = (clock: Clock, instant: number, unit: Unit, count = 0): TimeRange => {
  const length = lengths[unit]
  if (length !== undefined) {
    const shifted = instant + count * length
    const from = shifted - modulo(clock.local(shifted), length)
    return { from, to: from + length }
  }
  const [year, month, date, weekday] = dateFieldsOf(clock.local(instant))
  const monday = date - ((weekday + 6) % 7) + 7 * count
  switch (unit) {
    case "day":
      return rangeOfDays(clock, [year, month, date + count], [year, month, date + count + 1])
    case "week":
      return rangeOfDays(clock, [year, month, monday], [year, month, monday + 7])
    case "weekend":
      return rangeOfDays(clock, [year, month, monday + 5], [year, month, monday + 7])
    case "month":
      return rangeOfDays(clock, [year, month + count], [year, month + count + 1])
    case "quarter": {
      const first = month - ((month - 1) % 3) + 3 * count
      return rangeOfDays(clock, [year, first], [year, first + 3])
    }
    case "decade":
    case "century": {
      const years = unit === "decade" ? 10 : 100
      const first = year - modulo(year, years) + years * count
      return rangeOfDays(clock, [first, 1], [first + years, 1])
    }
    default:
      return rangeOfDays(clock, [year + count, 1], [year + count + 1, 1])
  }
}

/**
 * Shifts an instant by a number of units. Hours and shorter units are elapsed time. Days and longer units follow the
 * calendar and keep the time of day (31 March minus a month is the last day of February).
 */
export const shift = (clock: Clock, instant: number, unit: Unit, count: number): number => {
  const length = lengths[unit]
  if (length !== undefined) return instant + count * length
  const localTime = clock.local(instant)
  const [year, month, date] = dateFieldsOf(localTime)
  const time = modulo(localTime, day)
  if (unit === "day") return clock.instantAt(year, month, date + count, time)
  if (unit === "week" || unit === "weekend") return clock.instantAt(year, month, date + 7 * count, time)
  const months = count * monthsIn[unit]!
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return clock.instantAt(year, month + months, Math.min(date, last), time)
}

/** Year, month (from 1), day of the month and day of the week (from Sunday, 0) of a local time. */
export const dateFieldsOf = (localTime: number): readonly [number, number, number, number] => {
  const date = new Date(localTime)
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCDay()]
}

type Day = readonly [year: number, month: number, day?: number]
type DateTimeFields = [number, number, number, number, number, number]

const monthsIn: { readonly [unit in Unit]?: number } = { month: 1, quarter: 3, year: 12, decade: 120, century: 1_200 }
const lengths: { readonly [unit in Unit]?: number } = { second, minute, hour }

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor

/** More than any zone's offset from UTC, so that a clock change lies between the two probes. */
const margin = 26 * hour

/**
 * A cache, because creating a format takes 50 times as long as using it. A program uses few zones; the limit protects
 * against many.
 */
const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const cached = formats.get(zone)
  if (cached !== undefined) return cached
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  if (formats.size >= 100) formats.clear()
  formats.set(zone, format)
  return format
}
