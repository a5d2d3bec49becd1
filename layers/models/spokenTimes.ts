import { earliestInstant, latestInstant } from "../../text/when/dates.js"
import { type ResolvedTime, resolveTimes } from "../../text/when/resolveTimes.js"

/** Milliseconds since the epoch; `to` is exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The time expressions of a text. `at` is when the text was said. */
export const timesOf = (text: string, at: number): ReadonlyArray<ResolvedTime> => resolveTimes(text, at, "UTC")

/**
 * The times that an expression may mean. Resolved times are in the past, but in a conversation "on Thursday" and "the
 * 17th" may also be in the future.
 */
export const rangesOf = ({ from, text, to }: ResolvedTime): ReadonlyArray<Range> => {
  const shift = /\d{4}/.test(text)
    ? undefined
    : month.test(text)
      ? byYear
      : weekday.test(text)
        ? byWeek
        : /\d/.test(text)
          ? byMonth
          : undefined
  if (shift === undefined) return [{ from, to }]
  return [-1, 0, 1].map((by) => ({ from: moved(from, by, shift), to: moved(to, by, shift) }))
}

/** True if an expression may mean a known time: both begin or end at the same time, or the known time contains it. */
export const matchesRange = (known: ReadonlyArray<Range>, time: ResolvedTime): boolean =>
  rangesOf(time).some(({ from, to }) =>
    known.some(
      (range) =>
        (from === range.from && from !== earliestInstant) ||
        (to === range.to && to !== latestInstant) ||
        (from >= range.from && to <= range.to && range.from !== earliestInstant && range.to !== latestInstant)
    )
  )

/**
 * Years and months that a turn may leave out, as in "Monday the 15th": the years of this month and the next, and both
 * months unless the turn names a month.
 */
export const impliedDate = ({ at, text }: { readonly at: number; readonly text: string }): string => {
  const next = moved(at, 1, byMonth)
  const years = `${new Date(at).getUTCFullYear()} ${new Date(next).getUTCFullYear()}`
  return month.test(text) ? years : `${years} ${monthName.format(at)} ${monthName.format(next)}`
}

const monthName = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" })

type Shift = (date: Date, by: number) => void

const byYear: Shift = (date, by) => date.setUTCFullYear(date.getUTCFullYear() + by)
const byMonth: Shift = (date, by) => date.setUTCMonth(date.getUTCMonth() + by)
const byWeek: Shift = (date, by) => date.setUTCDate(date.getUTCDate() + 7 * by)

/** A shifted time. The ends of an open range are not shifted. */
const moved = (instant: number, by: number, shift: Shift): number => {
  if (instant === earliestInstant || instant === latestInstant) return instant
  const date = new Date(instant)
  shift(date, by)
  return date.getTime()
}

const month =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|spring|summer|autumn|winter|easter|christmas|月|\d[./]\d/iu
const weekday = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)(?:day)?\b|week|星期|周|礼拜/iu
