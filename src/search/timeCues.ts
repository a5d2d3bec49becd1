import { isStopWord } from "../../text/normalise/functionWords.js"
import {
  daysNamedIn,
  isAmbiguousTime,
  isFillerWord,
  isRelativeTime,
  isRelativeWord,
  mentionsMonthMay,
  type TimeReading,
  timeReadingOf,
  typesNamedBy
} from "../../text/normalise/questionWords.js"
import { earliestInstant, latestInstant } from "../../text/when/dates.js"
import { dateWords, months } from "../../text/when/dateWords.js"
import { type ResolvedTime, resolveTimes } from "../../text/when/resolveTimes.js"
import { lowerCaseWords } from "./cues.js"
import type { LeftOut } from "./explain.js"
import type { TimeReference } from "./fields.js"
import type { ParsedQuery, Word } from "./querySyntax.js"

/** The times that a query names, and its words without those that only name a time. */
export interface QueryTimes {
  readonly ranges: ReadonlyArray<ResolvedTime>
  readonly words: ReadonlyArray<Word>
  readonly leftOut: ReadonlyArray<LeftOut>
  /** True if the query names only times. It then asks for everything in these times. */
  readonly hasOnlyTimes: boolean
  /** Which times of a memory count: when it happened, was written or is due. */
  readonly reading: TimeReading
  /** The types of memories that the question names, if it names a time too: "decisions of last week". */
  readonly types: ReadonlySet<string>
  /** For each time, its words that may occur in the text of a memory ("March", "2026-03-14"). */
  readonly timeWords: ReadonlyArray<ReadonlyArray<Word>>
  readonly hints: ReadonlyArray<string>
}

/** Maximum named times of a query. Each costs an SQL query. */
const maxTimes = 8

/**
 * Finds the times of a query. Words like "last week" do not occur in the text of a memory, so they are not searched.
 * Months, days, feasts, years and dates may occur, so they are searched.
 */
export const findQueryTimes = ({ must, plainText, should }: ParsedQuery, { now, zone }: TimeReference): QueryTimes => {
  const reading = timeReadingOf(plainText)
  const times = resolveTimes(plainText, now, zone).map((time) =>
    reading === "due" && time.to <= now ? (nextOccurrence(time, { now, zone }) ?? time) : time
  )
  const ranges = times.slice(0, maxTimes)
  const hints = times.length > maxTimes ? [`only the first ${maxTimes} times are used`] : []
  const none = { leftOut: [], hasOnlyTimes: false, timeWords: [], types: new Set<string>() }
  if (ranges.length === 0) return { ranges, reading, words: should, hints, ...none }
  const isWithin = ({ offset }: Word, { index, text }: ResolvedTime) => offset >= index && offset < index + text.length
  const isRelative = (word: Word) =>
    word.isDroppable &&
    ranges.some((range) => {
      const [ago, counted] = [isRelativeTime(range.text), /^\d{1,3}$/.test(word.text)]
      return isWithin(word, range) && (isRelativeWord(word.text) || (ago && counted))
    })
  const searchedWords = should.filter((word) => !isRelative(word))
  const inTimes = (word: Word) => ranges.some((range) => isWithin(word, range))
  const types = new Set(searchedWords.flatMap((word) => (inTimes(word) ? [] : typesNamedBy(word.text))))
  const saysNothing = ({ text }: Word) => isStopWord(text) || isFillerWord(text) || typesNamedBy(text).length > 0
  const hasOnlyTimes = must.length === 0 && searchedWords.every((word) => inTimes(word) || saysNothing(word))
  const timeWords = ranges.flatMap((range) => {
    const words = searchedWords.filter((word) => isWithin(word, range))
    // An open range such as "before May" names no time, and "may" and "march" alone may be other words.
    const names =
      range.from !== earliestInstant && range.to !== latestInstant && words.some(({ text }) => !isAmbiguousTime(text))
    return names ? [words] : []
  })
  const leftOut = should
    .filter((word) => !searchedWords.includes(word))
    .map(({ text }) => ({ word: text, reason: "time" as const }))
  return { ranges, reading, types, words: searchedWords, leftOut, hasOnlyTimes, timeWords, hints }
}

/** In a question about what is due, "July" means the next July. Undefined for a time that does not recur. */
const nextOccurrence = ({ index, text }: ResolvedTime, { now, zone }: TimeReference): ResolvedTime | undefined => {
  if (/\d|\P{ASCII}/u.test(text) || isRelativeTime(text)) return undefined
  const [next, ...others] = resolveTimes(`next ${text}`, now, zone)
  return next === undefined || others.length > 0 ? undefined : { ...next, text, index }
}

/** The times of a memory that decide whether it lies in a named time, in milliseconds. */
export interface MemoryTimes {
  readonly createdAt: number
  readonly occurredAt: number | null
  readonly expiresAt: number | null
}

/** Matches memories that lie in one of the times of a question. The SQL in `observationSearch.ts` selects the same rows. */
export const timeMatcher = ({
  ranges,
  reading
}: Pick<QueryTimes, "ranges" | "reading">): ((times: MemoryTimes) => boolean) => {
  const inRanges = (instant: number | null) =>
    instant !== null && ranges.some(({ from, to }) => instant >= from && instant < to)
  switch (reading) {
    case "happened":
      return ({ createdAt, occurredAt }) => inRanges(occurredAt ?? createdAt)
    case "written":
      return ({ createdAt }) => inRanges(createdAt)
    case "due":
      return ({ expiresAt, occurredAt }) => inRanges(occurredAt) || inRanges(expiresAt)
    case "any":
      return ({ createdAt, occurredAt }) =>
        inRanges(occurredAt ?? createdAt) || (occurredAt !== null && occurredAt > createdAt && inRanges(createdAt))
  }
}

/**
 * Matches instants in a time that a question names: in one of `ranges`, or on a named day, in a named month or year. A
 * month without a year matches in every year. UTC.
 */
export const dateMatcher = (text: string, ranges: ReadonlyArray<ResolvedTime>): ((instant: number) => boolean) => {
  const matchesCue = calendarCue(text)
  return (instant) => matchesCue(instant) || ranges.some(({ from, to }) => instant >= from && instant < to)
}

const calendarCue = (text: string): ((instant: number) => boolean) => {
  const words = lowerCaseWords(text)
  const years = words.filter((word) => /^(19|20)\d\d$/.test(word))
  const days = [...text.matchAll(iso)].map(([day]) => day)
  const monthWords = words.filter((word) => word !== "may" && months.some((month) => month.toLowerCase() === word))
  if (mentionsMonthMay(text)) monthWords.push("may")
  const numbers = daysNamedIn(text)
  if (years.length + monthWords.length + days.length === 0) return () => false
  return (instant) => {
    const [day, month, year, , isoDay] = dateWords(instant).split(" ") as [string, string, string, string, string]
    if (days.length > 0) return days.includes(isoDay)
    if (years.length > 0 && !years.includes(year)) return false
    if (monthWords.length === 0) return true
    if (!monthWords.includes(month.toLowerCase())) return false
    return numbers.length === 0 || numbers.includes(Number(day))
  }
}

const iso = /\b\d{4}-\d{2}-\d{2}\b/gu
