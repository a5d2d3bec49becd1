import type { ExtractedFact } from "../../../../src/ports/Extractor.js"
import { valuesIn } from "../values/readValues.js"
import type { PlacedValue } from "../values/Value.js"

/**
 * Adds the day of an earlier statement to the statement that replaces it, if both name a time and only the earlier one
 * names a day: "the flight moved to 9am" becomes "the flight moved to 9am on 3 May". Undefined if the day would be lost:
 * "the book club moved to 8" does not say that it meets every second Tuesday.
 */
export const keepDay = (later: ExtractedFact, earlier: ExtractedFact, at: number): ExtractedFact | undefined => {
  const [given, known] = [valuesIn(later.title, at), valuesIn(earlier.title, at)]
  const time = given.findLast((value) => isTimeOfDay(value, later.title))
  if (time === undefined || given.some(isDay) || !known.some(isDay)) return later
  if (!known.some((value) => isTimeOfDay(value, earlier.title))) return later
  const day = moved.test(later.title) && !several.test(earlier.title) ? dayPhraseIn(earlier.title, known) : undefined
  if (day === undefined) return undefined
  const { expiresAt = earlier.expiresAt, occurredAt = earlier.occurredAt } = later
  return {
    ...later,
    title: `${later.title.slice(0, time.end)} ${day}${later.title.slice(time.end)}`,
    ...(occurredAt === undefined ? {} : { occurredAt }),
    ...(expiresAt === undefined ? {} : { expiresAt })
  }
}

const moved =
  /\b(?:moved?|moves|push(?:ed)?|shift(?:ed)?|reschedul\w+|postponed|delayed|brought forward|now|instead)\b/iu
/** Words that say which of several days is meant: "every second Tuesday", "the first Monday of each month". */
const several = /\b(?:second|third|fourth|other|first|last|month|fortnight|week)\b/iu

const isDay = ({ value }: PlacedValue): boolean => value.kind === "day"

/** A time of day: "9:15", "7am", or a bare hour after "at" or "to". */
export const isTimeOfDay = ({ index, value: { amount, kind, unit } }: PlacedValue, title: string): boolean =>
  kind === "clock" ||
  (kind === "quantity" && unit === "" && (amount ?? maxHour + 1) <= maxHour && beforeHour.test(title.slice(0, index)))
const maxHour = 24
const beforeHour = /\b(?:at|to|till|until|from) $/iu

/** The words for the day in a title, or for several days: "on Thursday 7 May 2026", "every Monday and Friday". */
const dayPhraseIn = (title: string, values: ReadonlyArray<PlacedValue>): string | undefined => {
  const days = values.filter(isDay)
  const [first] = days
  if (first === undefined) return undefined
  let { end } = first
  for (const { end: next, index } of days.slice(1)) {
    // "Monday at 8 and Tuesday at 9": nothing says which of the two has another time.
    if (!joint.test(title.slice(end, index))) return undefined
    end = next
  }
  const lead = leadWord.exec(title.slice(0, first.index))?.[1]?.toLowerCase() ?? "on "
  return `${lead}${title.slice(first.index, end)}`
}
const joint = /^(?:,? (?:and|or|to) |, ?| ?[-–] ?)$/u
const leadWord = /\b((?:on|every|each|in|from)(?: the)? )$/iu
