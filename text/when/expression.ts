import type { Clock, TimeRange } from "./clock.js"

/** A recurring time: a month or a feast each year, a weekday each week. An occurrence may be missing (29 February). */
export interface Cycle {
  readonly period: "year" | "week"
  /** The occurrence in one period. `number` is the calendar year or, for weeks, the offset from the current week. */
  readonly occurrence: (number: number) => TimeRange | undefined
}

/** A time expression in a text. Its context is not read yet. */
export interface TimeExpression {
  readonly index: number
  readonly end: number
  readonly kind: "day" | "month" | "year" | "weekday" | "feast" | "season" | "clock" | "time" | "span"
  /** True for a phrase that is a time only with support from its context: a preposition, a year, another date. */
  readonly weak: boolean
  /** Each expression has `range`, `cycle` or `hours`. It has `cycle` until the occurrence is known. */
  readonly range?: TimeRange | undefined
  readonly cycle?: Cycle | undefined
  /** Milliseconds after midnight; `to` may be on the next day. */
  readonly hours?: TimeRange | undefined
  /** Set if the range is a whole year or week. A cycle next to it then takes its occurrence from that year or week. */
  readonly occurrence?: { readonly period: Cycle["period"]; readonly number: number } | undefined
  /** True for a clock time, false for a part of the day. */
  readonly isClockTime?: boolean
  /** The month and year of a date. In "3 and 10 May", the 3 takes them from "10 May". */
  readonly date?: { readonly year: number | undefined; readonly month: number } | undefined
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
 * most recent one that has ended. `this`: the current one, otherwise the one of this year or week. `next`: the first
 * that begins later.
 */
export const occurrenceOf = (cycle: Cycle, reference: CycleReference, clock: Clock): TimeRange | undefined => {
  const current = cycle.period === "year" ? clock.year : 0
  const { askedAt } = clock
  if (reference === "begun") return latest(cycle, current + 1, ({ from }) => from <= askedAt)
  if (reference === "last") return latest(cycle, current + 1, ({ to }) => to <= askedAt)
  if (reference === "next") return earliest(cycle, current - 1, ({ from }) => from > askedAt)
  return latest(cycle, current + 1, ({ from, to }) => from <= askedAt && askedAt < to) ?? cycle.occurrence(current)
}

/** The first occurrence at or after an instant. */
export const occurrenceFrom = (cycle: Cycle, instant: number, clock: Clock): TimeRange | undefined =>
  earliest(cycle, approximateNumber(cycle, instant, clock) - 1, ({ from }) => from >= instant)

/** The last occurrence at or before an instant. */
export const occurrenceUntil = (cycle: Cycle, instant: number, clock: Clock): TimeRange | undefined =>
  latest(cycle, approximateNumber(cycle, instant, clock) + 1, ({ from }) => from <= instant)

/** The year of an instant, or its distance in weeks from the current week; at most one off. */
const approximateNumber = (cycle: Cycle, instant: number, clock: Clock): number =>
  cycle.period === "year"
    ? new Date(clock.local(instant)).getUTCFullYear()
    : Math.round((instant - clock.askedAt) / 604_800_000)

/** Number of occurrences to try. 29 February recurs after at most eight years. */
const maxTries = 10

const latest = (cycle: Cycle, from: number, matches: (range: TimeRange) => boolean): TimeRange | undefined => {
  for (let number = from; number > from - maxTries; number--) {
    const occurrence = cycle.occurrence(number)
    if (occurrence !== undefined && matches(occurrence)) return occurrence
  }
  return undefined
}

const earliest = (cycle: Cycle, from: number, matches: (range: TimeRange) => boolean): TimeRange | undefined => {
  for (let number = from; number < from + maxTries; number++) {
    const occurrence = cycle.occurrence(number)
    if (occurrence !== undefined && matches(occurrence)) return occurrence
  }
  return undefined
}
