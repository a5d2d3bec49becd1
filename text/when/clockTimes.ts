import { lazy } from "../normalise/lazy.js"
import { day, hour, minute, second, type TimeRange } from "./clock.js"
import type { TimeExpression } from "./expression.js"
import { cardinalOf } from "./numberWords.js"
import { endsPhrase } from "./plausible.js"

// Times of day: "at 5 pm", "14:30", "half past three", "between 3 and 5 pm", "three to four in the afternoon".

const hourWords = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
const time = `(?:(?:\\d\\d?(?:[:.]\\d\\d(?::\\d\\d)?)?|${hourWords})(?:ish\\b)?(?:\\s*[ap]\\.?m\\b\\.?|\\s+o['’]?clock\\b)?|noon|midday|midnight)`
const dayPart = "(?:\\s+(?:in\\s+the\\s+(morning|afternoon|evening)|at\\s+(night)))?"
const ofDay = "(?<![\\p{L}\\p{N}_:.,/$€£#+-])"
const endOfTime = "(?![\\p{L}\\p{N}_]|[:.,/]\\d|\\s*[%°€$£])"

const rangePattern = lazy(
  () =>
    new RegExp(
      `${ofDay}(?:(between)\\s+(${time})\\s+and|(?:(from)\\s+)?(${time})\\s*(?:to|until|till|through|-|–|—))\\s*(${time})${dayPart}${endOfTime}`,
      "giu"
    )
)
const singlePattern = lazy(() => new RegExp(`${ofDay}((?:at|around|about)\\s+)?(${time})${dayPart}${endOfTime}`, "giu"))
const minutesPattern = lazy(
  () =>
    new RegExp(
      `${ofDay}(?:(half|(?:a\\s+)?quarter)|(?<=\\b(?:at|around|about|by|before|after|until|since)\\s+)(five|ten|twenty|twenty[\\s-]five|5|10|20|25)(?:\\s+minutes)?)\\s+(past|to)\\s+(\\d\\d?|${hourWords})(?:\\s*([ap])\\.?m\\b)?${dayPart}${endOfTime}`,
      "giu"
    )
)
const boundPattern = /\b(?:(before|until|till|by)|after)\s+(?:(midnight)|noon|midday)\b/gi

const mayContainTime = new RegExp(`(?<!\\d)\\d\\d?(?!\\d)|noon|midday|midnight|\\b(?:${hourWords})`, "i")

/** The times of day in a text, unordered; expressions may overlap. */
export const clockExpressions = (text: string): ReadonlyArray<TimeExpression> =>
  mayContainTime.test(text)
    ? [
        ...readAll(text, rangePattern(), rangeOf),
        ...readAll(text, singlePattern(), singleOf),
        ...readAll(text, minutesPattern(), minutesOf),
        ...readAll(text, boundPattern, ([, before, midnight]) => ({
          hours: {
            from: (before ?? midnight) === undefined ? 12 * hour : 0,
            to: before === undefined || midnight !== undefined ? day : 12 * hour
          }
        }))
      ]
    : []

interface HoursRead {
  readonly hours: TimeRange
  /** Words at the start of the match that do not belong to the expression. */
  readonly skipped?: string | undefined
  readonly isTwelveHour?: boolean
}

const readAll = (
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => HoursRead | undefined
): ReadonlyArray<TimeExpression> =>
  [...text.matchAll(pattern)].flatMap((match): ReadonlyArray<TimeExpression> => {
    const result = read(match as RegExpExecArray)
    if (result === undefined) return []
    const { hours, isTwelveHour, skipped = "" } = result
    const [index, end] = [match.index + skipped.length, match.index + match[0].length]
    return [{ index, end, kind: "clock", weak: true, hours, isClockTime: true, isTwelveHour }]
  })

/** A time of day as written. */
interface WrittenTime {
  /**
   * Milliseconds after midnight. A time of the 12-hour clock is before noon unless "am", "pm" or a part of the day
   * decides otherwise.
   */
  readonly at: number
  /** True for an hour of the 12-hour clock with its half of the day. */
  readonly hasHalf: boolean
  /** True if the time may also be 12 hours later: "5", "five o'clock". */
  readonly isTwelveHour: boolean
  /** True if it is certainly a time: with minutes, "am" or "o'clock". */
  readonly isMarked: boolean
  readonly grain: number
}

const timeFields = /^(\w+?)(?:([:.])(\d\d)(?::(\d\d))?)?(?:ish)?(?:\s*([ap])\.?m\.?|(\s+o.*))?$/i

const readTime = (phrase: string, part: string | undefined): WrittenTime | undefined => {
  if (/^(?:noon|mid)/i.test(phrase)) {
    const at = /^midn/i.test(phrase) ? 0 : 12 * hour
    return { at, hasHalf: true, isTwelveHour: false, isMarked: true, grain: hour }
  }
  const [, digits, separator, minutes, seconds, letter, oclock] = timeFields.exec(phrase)!
  const number = cardinalOf(digits!)!
  const half = letter?.toLowerCase() ?? halfOfDay(number, part)
  if (
    number > (letter !== undefined ? 12 : Number(minutes) === 0 ? 24 : 23) ||
    Number(minutes ?? 0) > 59 ||
    Number(seconds ?? 0) > 59
  )
    return undefined
  const hours = half === undefined ? number : (number % 12) + (half === "p" ? 12 : 0)
  return {
    at: hours * hour + Number(minutes ?? 0) * minute + Number(seconds ?? 0) * second,
    hasHalf: half !== undefined,
    isTwelveHour: half === undefined && minutes === undefined && number > 0 && number <= 12,
    // "at 11.15" is a time; "11.15" alone may be a number.
    isMarked: separator === ":" || (half ?? oclock) !== undefined,
    grain: seconds !== undefined ? second : minutes !== undefined ? minute : hour
  }
}

/** The half of the day of an hour that is named with a part of the day. "3 at night" is in the small hours. */
const halfOfDay = (number: number, part: string | undefined): "a" | "p" | undefined => {
  if (part === undefined || number > 12) return undefined
  return /^morning/i.test(part) || (/^night/i.test(part) && (number < 6 || number === 12)) ? "a" : "p"
}

/** "at 5" is in the afternoon, "at 9" in the morning. */
const probable = ({ at, isTwelveHour }: WrittenTime): number => (isTwelveHour && at < 7 * hour ? at + 12 * hour : at)

const rangeOf = (match: RegExpExecArray): HoursRead | undefined => {
  const [, between, betweenTime, from, otherTime, endTime, part] = match
  const left = readTime((betweenTime ?? otherTime)!, part)
  const right = readTime(endTime!, part)
  if (left === undefined || right === undefined) return undefined
  if (!left.isMarked && !right.isMarked && !((between ?? from) !== undefined && mayEnd(match))) return undefined
  const start = startOf(left, right)
  // The end is the first such time after the start.
  const steps = right.isTwelveHour ? [0, 12, 24, 36] : [0, 24]
  const end = steps.map((step) => right.at + step * hour).find((end) => end > start)!
  return { hours: { from: start, to: end }, isTwelveHour: left.isTwelveHour && right.isTwelveHour }
}

/** The start of a range. In "3 to 5 pm", the 3 is in the afternoon too; in "11 to 1 pm", the 11 is in the morning. */
const startOf = (left: WrittenTime, right: WrittenTime): number => {
  if (left.hasHalf || !right.hasHalf || left.at > 12 * hour) return probable(left)
  const halfDay = right.at >= 12 * hour ? 12 * hour : 0
  const start = (left.at % (12 * hour)) + halfDay
  return start < right.at ? start : (start + 12 * hour) % day
}

const singleOf = (match: RegExpExecArray): HoursRead | undefined => {
  const [, preposition, phrase, part] = match
  const read = /^(?:noon|mid)/i.test(phrase!) ? undefined : readTime(phrase!, part)
  if (read === undefined || !(read.isMarked || (preposition !== undefined && mayEnd(match)))) return undefined
  const at = probable(read)
  return { hours: { from: at, to: at + read.grain }, skipped: preposition, isTwelveHour: read.isTwelveHour }
}

const minutesOf = ([, fraction, count, direction, hourPhrase, letter, part]: RegExpExecArray):
  | HoursRead
  | undefined => {
  const base = readTime(letter === undefined ? hourPhrase! : `${hourPhrase}${letter}m`, part)
  const isHalf = fraction !== undefined && /^half/i.test(fraction)
  if (base === undefined || (isHalf && /to/i.test(direction!))) return undefined
  const minutes = fraction === undefined ? cardinalOf(count!)! : isHalf ? 30 : 15
  const at = probable(base) + (/to/i.test(direction!) ? -minutes : minutes) * minute
  return at < 0 ? undefined : { hours: { from: at, to: at + minute }, isTwelveHour: base.isTwelveHour }
}

/** Whether the phrase may end after the match. In "at 3 sites", the number counts things. */
const mayEnd = ({ 0: match, index, input }: RegExpExecArray): boolean => {
  const after = input.slice(index + match.length)
  return endsPhrase(after) || /^\s+\p{Lu}/u.test(after)
}
