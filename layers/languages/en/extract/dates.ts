import type { DayRange, PlacedValue, Value } from "../values/Value.js"
import {
  currentPeriods,
  firstDayOf,
  joinOrdinals,
  type NamedDays,
  type NamedValue,
  nestDays,
  withMonthAfter
} from "./periods.js"
import type { Tense } from "./tense.js"

const dayLength = 86_400_000
const weekLength = 7

/** The times of a statement, in milliseconds since the epoch. */
export interface DatedText {
  /** The text, with dates in place of relative days. */
  readonly text: string
  /** The first day that the statement names. */
  readonly occurredAt?: number
  /** The end of its last day, if the statement is only valid until then. */
  readonly expiresAt?: number
}

/**
 * Replaces the relative days of a text with dates: "tomorrow" with "on 5 May 2026", "Friday" with "Friday 8 May 2026".
 * `values`: the values in the text. `at`: the time of its turn, in milliseconds since the epoch.
 */
export const resolveDates = (text: string, values: ReadonlyArray<PlacedValue>, tense: Tense, at: number): DatedText => {
  const named = withMonthAfter(
    text,
    joinOrdinals(text, values).flatMap((placed) => namedDays(text, placed, tense, at))
  )
  const { inner, outer } = nestDays(
    text,
    [...named, ...currentPeriods(text, at)].sort((one, other) => one.index - other.index)
  )
  let result = text
  let occurredAt: number | undefined
  let until: number | undefined
  for (const one of [...named].reverse()) {
    const { end, index, value } = one
    const before = text.slice(Math.max(0, index - maxBefore), index)
    const isNested = inner.has(one)
    const days = isNested ? inner.get(one) : one.days
    if (days === undefined || (!isNested && isRecurring(text, one))) continue
    const written = writtenDay(text.slice(index, end), days, value.isRelative === true || isWeekday(value))
    if (written !== undefined) {
      const isDistance = /^in\s/iu.test(text.slice(index, end))
      const needsOn = !isWeekday(value) && (isDistance || !preposition.test(before)) && value.isRelative === true
      result = `${result.slice(0, index)}${needsOn ? (/^\d{1,2} /u.test(written) ? "on " : "in ") : ""}${written}${result.slice(end)}`
    }
    // The period around a day says less than the day.
    if (!outer.has(one)) occurredAt = firstDayOf(text, { ...one, days }) * dayLength
    until ??= /\b(?:until|till|'til)\s+(?:the\s+)?$/iu.test(before) ? days[1] * dayLength : undefined
  }
  return {
    text: result,
    ...(occurredAt === undefined ? {} : { occurredAt }),
    ...(until === undefined ? {} : { expiresAt: until })
  }
}

/** Maximum characters that are read before a date. */
const maxBefore = 24
const isWeekday = ({ day, month, weekday }: Value): boolean =>
  weekday !== undefined && month === undefined && day === undefined

/** The days that a value in a text means; empty if it means none. */
const namedDays = (
  text: string,
  { end, index, value }: PlacedValue,
  tense: Tense,
  at: number
): ReadonlyArray<NamedValue> => {
  if (value.kind !== "day" || value.days === undefined) return []
  const words = text.slice(index, end)
  const before = text.slice(Math.max(0, index - maxBefore), index)
  // "In 90 days" may be a duration: "who opened a mail in 90 days".
  if (/^(?:in|within)\s/iu.test(words) && tense !== "future" && !isAhead(text, index, end, tense)) return []
  const isPast = tense === "past" || tense === "perfect" || /\bsince\s+$/iu.test(before)
  const said = {
    ...{ isPast, at, isWeekday: isWeekday(value), isFuture: tense === "future" },
    isPlanned: planned.test(text.slice(0, index))
  }
  return [{ index, end, value, days: daysMeant({ ...value, days: value.days }, said) }]
}

/** Words before a distance in time that is a date: "the exam is in two weeks", "I'm flying to Porto in ten days". */
const ahead =
  /(?:^|\b(?:is|starts|begins|ends|leaves|opens|closes|launches|arrives|moves|flies|retires)(?: (?:already|only|due|just|still|again|out|up))*|\b(?:I|we) (?:start|begin|leave|move|fly|open|close|launch|retire)|['’]s|(?:\b(?:am|is|are)|['’](?:m|s|re)) (?:\p{L}+ )?(?:flying|leaving|moving|going|travell?ing|driving|coming|arriving|visiting)\b[^,.;]{0,40})\s*$/iu
/** Rules for many things name no date: "each invoice is due in 30 days". */
const general = /^(?:each|every|any|all|an?|most|no)\b/iu
const isAhead = (text: string, index: number, end: number, tense: Tense): boolean =>
  (tense === "present" || tense === "none") &&
  /^in\s/iu.test(text.slice(index, end)) &&
  !general.test(text) &&
  ahead.test(text.slice(Math.max(0, index - maxAhead), index)) &&
  !/^ (?:on average|or (?:less|more)|at (?:most|least)|max)\b/iu.test(text.slice(end, end + maxBefore))
const maxAhead = 80

/** True if a weekday comes again: "every Friday", "Mondays", "our weekly sync is on Wednesday". */
const isRecurring = (text: string, { end, index, value }: NamedDays): boolean => {
  if (value === undefined || !isWeekday(value)) return false
  if (recurring.test(text.slice(Math.max(0, index - maxBefore), index)) || /s$/iu.test(text.slice(index, end)))
    return true
  const [before, after] = [text.slice(0, index), text.slice(end)]
  if (value.isRelative === true || cancelled.test(text)) return false
  return repeatedAfter.test(after) || repeated.test(before) || (habitual.test(before) && !single.test(text))
}
const repeated =
  /\b(?:every (?:other |second )?(?:day|week|fortnight|month|year)|each (?:day|week|month|year)|(?:once|twice|\w+ times) (?:a|per) (?:week|month|year))\b/iu
const habitual = /\b(?:weekly|fortnightly|biweekly|always|usually|normally)\b/iu
const repeatedAfter =
  /^(?: (?:at|from) [\d:.]+(?: ?[ap]m)?)? (?:every|each|once a|twice a) (?:(?:other|second) )?(?:week|fortnight|month|year)\b/iu
const cancelled = /\b(?:cancel\w*|called off|skip\w*)\b/iu
/** One occasion of something that happens again: "the first weekly sync is on Wednesday". */
const single = /\b(?:first|last|next|starts?|begins?|because|since)\b/iu

interface Said {
  readonly isPast: boolean
  readonly isFuture: boolean
  /** True if a statement in the past tense is about a plan: "we booked a cottage for August". */
  readonly isPlanned: boolean
  readonly isWeekday: boolean
  readonly at: number
}

/**
 * Chooses the year of a date without one. In the past tense, the date is before the time of the statement; in the
 * future tense, after it.
 */
const daysMeant = (
  { days, isRelative, month, quarter, year }: Value & { readonly days: DayRange },
  { at, isFuture, isPast, isPlanned, isWeekday }: Said
): DayRange => {
  const [from, until] = days
  if (isRelative === true) return days
  if (isWeekday) return isPast ? [from - weekLength, until - weekLength] : days
  if (year !== undefined || (month ?? quarter) === undefined) return days
  if (isPast && !isPlanned && from * dayLength > at) return [inYear(from, -1), inYear(until, -1)]
  return isFuture && until * dayLength <= at ? [inYear(from, 1), inYear(until, 1)] : days
}

/**
 * Words before a planned date: a verb of planning, an infinitive, or a preposition that points to the future ("by",
 * "until").
 */
const planned =
  /\b(?:[Pp]lan|[Bb]ook|[Ss]chedul|[Rr]eserv|[Rr]egister|[Aa]rrang|[Aa]gree|[Pp]romis|[Dd]ecid|[Oo]rder|[Bb]ought|[Ss]ign|[Ii]nvit|[Pp]ostpon|[Pp]ush|[Dd]elay|[Ee]xtend|[Ss]et)\w*\b|\bto (?!(?:the|a|an|my|our|his|her|their|this|that|another|new|school|work)\b)[a-z]|\b(?:for|by|before|until|till|to)\s+(?:the\s+)?$/u

/** The same day of another year. */
const inYear = (day: number, offset: number): number => {
  const date = new Date(day * dayLength)
  return Date.UTC(date.getUTCFullYear() + offset, date.getUTCMonth(), date.getUTCDate()) / dayLength
}

const recurring = /\b(?:every|each|other|second|most|on all|any)\s+$/iu
const preposition = /\b(?:on|in|by|until|till|since|from|after|before|for|of|to|around|at|the|is|and|between)\s+$/iu

const monthNames = "January February March April May June July August September October November December".split(" ")
/** Formats a day, counted from 1970: "8 May 2026". */
export const formatDay = (day: number): string => {
  const date = new Date(day * dayLength)
  return `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]!} ${date.getUTCFullYear()}`
}
const longestNamed = 1

/**
 * Writes a day as an absolute date. Undefined if its words already are one, or if they do not name a single day, week,
 * month or year.
 */
const writtenDay = (
  words: string,
  [from, until]: readonly [number, number],
  isRelative: boolean
): string | undefined => {
  const length = until - from
  if (!isRelative) return /^(?:the\s+)?\d{1,2}(?:st|nd|rd|th)$/iu.test(words) ? formatDay(from) : undefined
  if (
    /^(?:this |next |last |on |the |coming )*(?:mon|tue|wed|thu|fri|sat|sun)[^\d]*$/iu.test(words) &&
    length === longestNamed
  )
    return `${words.replace(/^(?:this|next|last|coming)\s+|\s(?:of )?(?:this|next) week$/giu, "")} ${formatDay(from)}`
  if (length === longestNamed) return formatDay(from)
  const date = new Date(from * dayLength)
  const month = monthNames[date.getUTCMonth()]!
  if (length === weekLength) return `the week of ${formatDay(from)}`
  if (length >= 28 && length <= 31 && date.getUTCDate() === 1) return `${month} ${date.getUTCFullYear()}`
  if (length >= 365 && date.getUTCDate() === 1) return String(date.getUTCFullYear())
  return undefined
}

const span =
  /\b(?:this|the rest of (?:the|this)) (week|weekend|month)\b|\bfor (?:the )?(?:next|coming) (?:(\w+) )?(day|week|month)s?\b/iu
const counts: Readonly<Record<string, number>> = { a: 1, two: 2, three: 3, four: 4, five: 5, six: 6, few: 4, ten: 10 }
const monthLength = 31
const thursdayBased = 3

/**
 * The end of a period that a text names, in milliseconds since the epoch. After it, a statement about "this week" or
 * "the next three days" is no longer valid. A month counts as 31 days from now, except "this month". `at`: when the
 * text was said.
 */
export const endOfSpan = (text: string, at: number): number | undefined => {
  const match = span.exec(text)
  if (match === null) return undefined
  const [, current, count = "a", unit] = match
  const today = Math.floor(at / dayLength)
  if (unit !== undefined) {
    const number = counts[count.toLowerCase()] ?? Number(count)
    if (!Number.isInteger(number) || number < 1) return undefined
    return (
      (today + 1 + number * { day: 1, week: weekLength, month: monthLength }[unit.toLowerCase() as "day"]) * dayLength
    )
  }
  const date = new Date(at)
  if (current!.toLowerCase() === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  // Day 0 of the epoch was a Thursday; a week ends after its Sunday.
  return (today + weekLength - ((today + thursdayBased) % weekLength)) * dayLength
}
