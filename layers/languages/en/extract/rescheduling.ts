import type { ExtractedFact } from "../../../../src/ports/Extractor.js"
import { valuesIn } from "../values/readValues.js"
import type { PlacedValue } from "../values/Value.js"

/**
 * Adds the day of an earlier statement to the statement that replaces it, if both name a time and only the earlier one
 * names a day: "the flight moved to 9am" becomes "the flight moved to 9am on 3 May".
 */
export const keepDay = (later: ExtractedFact, earlier: ExtractedFact, at: number): ExtractedFact => {
  const [given, known] = [valuesIn(later.title, at), valuesIn(earlier.title, at)]
  const time = given.findLast((value) => isTimeOfDay(value, later.title))
  if (time === undefined || given.some(isDay) || !known.some((value) => isTimeOfDay(value, earlier.title))) return later
  const day = dayPhraseIn(earlier.title, known)
  if (day === undefined) return later
  const { expiresAt = earlier.expiresAt, occurredAt = earlier.occurredAt } = later
  return {
    ...later,
    title: `${later.title.slice(0, time.end)} ${day}${later.title.slice(time.end)}`,
    ...(occurredAt === undefined ? {} : { occurredAt }),
    ...(expiresAt === undefined ? {} : { expiresAt })
  }
}

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
  for (const { end: next, index } of days) if (joint.test(title.slice(end, index))) end = next
  const lead = leadWord.exec(title.slice(0, first.index))?.[1]?.toLowerCase() ?? "on "
  return `${lead}${title.slice(first.index, end)}`
}
const joint = /^(?:,? (?:and|or|to) |, ?| ?[-–] ?)$/u
const leadWord = /\b((?:on|every|each|in|from)(?: the)? )$/iu
