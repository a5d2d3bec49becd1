import { calendarExpressions } from "./calendar.js"
import { chineseExpressions } from "./chinese.js"
import { makeClock } from "./clock.js"
import { clockExpressions } from "./clockTimes.js"
import { combineExpressions } from "./compose.js"
import { earliestInstant, latestInstant } from "./dates.js"
import { occurrenceOf, type TimeExpression } from "./expression.js"
import { plausibleExpressions } from "./plausible.js"
import { recurringExpressions } from "./recurring.js"
import { relativeExpressions } from "./relative.js"

/** Characters that are searched for time expressions: the maximum length of a query. */
const maxLength = 1_024

/** A time expression in a text, and its range. Milliseconds since the epoch. */
export interface ResolvedTime {
  /** Inclusive; `earliestInstant` of dates.ts (the year 1) if the start is open: "before 2024". */
  readonly from: number
  /** Exclusive; `latestInstant` (the end of 9999) if the end is open: "since May". */
  readonly to: number
  /** The exact words of the expression, which are in the text at `index`. */
  readonly text: string
  readonly index: number
}

/**
 * Finds the time expressions in a text (in a query: its first 1,024 characters) and resolves them against the asking
 * time and an IANA zone. The results are in text order, without overlaps. Pure. Throws a RangeError if it needs the
 * zone and the zone is invalid.
 *
 * - An expression covers the whole unit of its grain in the zone. "yesterday" is that local day, with 23 or 25 hours if
 * the clocks change. "last week" is Monday to Monday. "3 hours ago", "three weeks ago" and "two months ago" are that
 * hour, that day, that month. "The last 3 days", "past two weeks" and "the last week" are durations that end now. "A
 * couple" is 2, "a few" is 2 to 5, "several" is 3 to 7. A fortnight is two weeks.
 * - A recurring time is the most recent one that has begun, because memory is about the past: "in May", "on Monday",
 * "at Easter". "Last May" is the most recent one that has ended, "next" the first that begins later. "This" is the
 * current one, or the one of this year, month or week. A neighbouring year, month or week decides: "Christmas 2024",
 * "Monday of last week". "Two Fridays ago" and "the Friday before last" count back, "the 25th" is the most recent one.
 * - "Since" and "until" include the time that they name; "after" and "before" exclude it. Ranges include both ends. A
 * year at one end applies to both.
 * - Parts of the day: small hours 0–5, dawn 4–8, morning 5–12, noon 11–14, afternoon 12–18, evening 17–24, dusk 17–21,
 * night and tonight 18–5, midnight 23–1. Times of day need a day: "between 3 and 5 pm yesterday". An hour from 1 to 6
 * without "am" or "pm" is in the afternoon, any other hour in the morning. Early, mid and late are thirds. Seasons are
 * whole months of the northern hemisphere. Winter belongs to the year in which it begins. Feasts last one day: see
 * recurring.ts.
 * - "The nineties" are 1990 to 1999, "the 19th century" is 1800 to 1899, "'08" is the most recent such year.
 * - 03/05/2025 is the fifth of March, unless that date is impossible. 3.5.2025 is the third of May. "On 28/11" is a day
 * each year, because 28 is no month, and so is the German "am 3.5."; "on 3/4" is no time.
 * - Not times: words that may be names, verbs or numbers ("May", "march", "Sun", "June", "2024"), unless a preposition
 * of time, a qualifier, a day or a year supports them; recurrence ("every Monday", "the 1st of each month"); ordinals
 * that count things ("on the 3rd floor"); "now"; anything inside an identifier, a path, an address or an amount.
 */
export const resolveTimes = (text: string, askedAt: number, zone: string): ReadonlyArray<ResolvedTime> => {
  if (!(askedAt >= earliestInstant && askedAt <= latestInstant)) return []
  const input = text.slice(0, maxLength)
  const clock = makeClock(askedAt, zone)
  const words = [
    ...clockExpressions(input),
    ...relativeExpressions(input, clock),
    ...recurringExpressions(input, clock),
    ...chineseExpressions(input, clock)
  ]
  const expressions = withoutOverlaps([...words, ...calendarExpressions(input, clock)])
  if (expressions.length === 0) return []
  return withoutOverlaps(plausibleExpressions(input, combineExpressions(input, expressions, clock))).flatMap(
    ({ cycle, end, index, range }) => {
      const { from, to } = range ?? (cycle && occurrenceOf(cycle, "begun", clock)) ?? { from: 0, to: 0 }
      return from < to && from >= earliestInstant && to <= latestInstant
        ? [{ from, to, text: input.slice(index, end), index }]
        : []
    }
  )
}

/**
 * The expressions in text order without overlaps. Dates win over times of day, then longer expressions, then earlier
 * ones.
 */
const withoutOverlaps = (expressions: ReadonlyArray<TimeExpression>): ReadonlyArray<TimeExpression> => {
  const rank = ({ hours }: TimeExpression) => (hours === undefined ? 0 : 1)
  const results: Array<TimeExpression> = []
  for (const expression of [...expressions].sort((a, b) => rank(a) - rank(b) || b.end - b.index - (a.end - a.index))) {
    if (results.every(({ end, index }) => expression.index >= end || expression.end <= index)) results.push(expression)
  }
  return results.sort((a, b) => a.index - b.index)
}
