import { type Clock, dateFieldsOf, type TimeRange } from "./clock.js"

/** A recurring time: a month or a feast each year, a day each month or week. An occurrence may be missing (29 February). */
export interface Cycle {
  readonly period: "year" | "month" | "week"
  /** The occurrence in one period. `number` is the calendar year, or the offset from the current month or week. */
  readonly occurrence: (number: number) => TimeRange | undefined
}

/** A time expression in a text, before its context is read. */
export interface TimeExpression {
  readonly index: number
  readonly end: number
  readonly kind: "day" | "month" | "year" | "weekday" | "feast" | "season" | "clock" | "time" | "part" | "span"
  /** True for a phrase that is a time only with support from its context: a preposition, a year, another date. */
  readonly weak: boolean
  /** Each expression has `range`, `cycle` or `hours`. It has `cycle` until the occurrence is known. */
  readonly range?: TimeRange | undefined
  readonly cycle?: Cycle | undefined
  /** Milliseconds after midnight; `to` may be on the next day. */
  readonly hours?: TimeRange | undefined
  /**
   * Set if the range is a year, month or week. A cycle next to this expression then takes its occurrence from that
   * period.
   */
  readonly occurrence?: { readonly period: Cycle["period"]; readonly number: number } | undefined
  /** True for a clock time, false for a part of the day. */
  readonly isClockTime?: boolean
  /** True for a clock time that may also be 12 hours later or earlier. */
  readonly isTwelveHour?: boolean | undefined
  /** The month and year of a date. In "3 and 10 May", the 3 takes them from "10 May". */
  readonly date?: { readonly year: number | undefined; readonly month: number } | undefined
  /** The day of a month that the expression does not name: "the 25th". */
  readonly monthDay?: number | undefined
}

/** The expression with a changed range, or with every occurrence of its cycle changed. */
export const mapRange = (
  expression: TimeExpression,
  change: (range: TimeRange) => TimeRange | undefined
): TimeExpression => {
  const { cycle, range } = expression
  return {
    ...expression,
    range: range === undefined ? undefined : change(range),
    cycle: cycle && {
      period: cycle.period,
      occurrence: (number) => {
        const occurrence = cycle.occurrence(number)
        return occurrence && change(occurrence)
      }
    },
    occurrence: undefined,
    date: undefined
  }
}

export type CycleReference = "begun" | "last" | "this" | "next"

/**
 * Selects the occurrence. `begun`: the most recent one that has begun, because memory is about the past. `last`: the
 * most recent one that has ended. `this`: the current one, otherwise the one of this year, month or week. `next`: the
 * first that begins later. `count`: 2 is the last but one, or the next but one.
 */
export const occurrenceOf = (
  cycle: Cycle,
  reference: CycleReference,
  clock: Clock,
  count = 1
): TimeRange | undefined => {
  const current = cycle.period === "year" ? clock.year : 0
  const { askedAt } = clock
  if (reference === "begun") return latest(cycle, current + 1, ({ from }) => from <= askedAt)
  if (reference === "last") return latest(cycle, current + 1, ({ to }) => to <= askedAt, count)
  if (reference === "next") return earliest(cycle, current - 1, ({ from }) => from > askedAt, count)
  return latest(cycle, current + 1, ({ from, to }) => from <= askedAt && askedAt < to) ?? cycle.occurrence(current)
}

/** The first occurrence at or after an instant. */
export const occurrenceFrom = (cycle: Cycle, instant: number, clock: Clock): TimeRange | undefined =>
  earliest(cycle, approximateNumber(cycle, instant, clock) - 1, ({ from }) => from >= instant)

/** The last occurrence at or before an instant. */
export const occurrenceUntil = (cycle: Cycle, instant: number, clock: Clock): TimeRange | undefined =>
  latest(cycle, approximateNumber(cycle, instant, clock) + 1, ({ from }) => from <= instant)

/** The year of an instant, or the distance of its month or week from the current one; at most one off. */
const approximateNumber = ({ period }: Cycle, instant: number, clock: Clock): number => {
  if (period === "week") return Math.round((instant - clock.askedAt) / 604_800_000)
  const [year, month] = dateFieldsOf(clock.local(instant))
  return period === "year" ? year : 12 * (year - clock.year) + month - clock.month
}

/**
 * Number of occurrences to try. 29 February recurs after at most eight years; a day of a month that is a certain weekday
 * recurs after at most 28 months, or 42 for the 31st.
 */
const maxTries = { year: 10, month: 48, week: 10 }

type Matches = (range: TimeRange) => boolean

const latest = (cycle: Cycle, from: number, matches: Matches, count = 1): TimeRange | undefined =>
  search(cycle, (step) => from - step, matches, count)

const earliest = (cycle: Cycle, from: number, matches: Matches, count = 1): TimeRange | undefined =>
  search(cycle, (step) => from + step, matches, count)

const search = (
  cycle: Cycle,
  numberAt: (step: number) => number,
  matches: Matches,
  count: number
): TimeRange | undefined => {
  let left = count
  for (let step = 0; step < maxTries[cycle.period] + count; step++) {
    const occurrence = cycle.occurrence(numberAt(step))
    if (occurrence !== undefined && matches(occurrence) && --left === 0) return occurrence
  }
  return undefined
}
