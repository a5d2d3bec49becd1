import type { ExtractedFact } from "../../../../src/ports/Extractor.js"
import { valuesIn } from "../values/readValues.js"
import type { PlacedValue } from "../values/Value.js"
import { phrasePatterns } from "./frames.js"
import type { Reading } from "./reading.js"

// Statements that hold for a limited time: "this week the meeting is on Tuesday". They correct no statement without a
// limit, because that statement holds again later.

const period = "(?:day|week|weekend|month|quarter|term|semester|season|spring|summer|autumn|winter|year)"
const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
const count = "(?:an?|one|two|three|four|five|six|ten|a few|a couple of|\\d{1,3})"
/** An open end: "from next week", "as of Monday". */
const notAfterStart =
  "(?<!\\b(?:from|since|starting|beginning|effective|as of|as from)(?: on| in| with)?(?: the)? (?:the )?)"

/** Limits that lie ahead, whatever the tense: "until June", "for once", "tomorrow". */
const limit = new RegExp(
  [
    `\\b${notAfterStart}(?:(?:next|this coming|the coming) (?:${period}|${weekday})|tomorrow)\\b`,
    // A time of day is a value: "open until 20:00".
    "\\b(?:until|till|'til)\\b(?! (?:about |around )?(?:\\d|noon|midnight|late))",
    "\\b(?:for once|(?:just|only) (?:this )?once|this (?:one )?time(?: only| round| around)?|on this occasion|as an exception|exceptionally|temporarily|for now|for today|for tonight|for the (?:time being|moment|day))\\b",
    "\\bwhile \\S+(?: \\S+){0,4}? (?:away|abroad|off|out|ill|sick|gone|recovering|travell?ing|on (?:\\w+ )?(?:leave|holiday|vacation|honeymoon)|in hospital)\\b|\\bin (?:my|our|his|her|their|\\S+'s) absence\\b",
    `\\bfor (?:the )?(?:next|coming) (?:${count} )?${period}s?\\b`
  ].join("|"),
  "iu"
)
/** Limits that are also the time of a past event with a lasting result: "the rent was raised this month". */
const present = new RegExp(
  `\\b${notAfterStart}(?:(?:this|the rest of (?:the|this)) (?:${period}|${weekday})|this (?:morning|afternoon|evening)|today|tonight)\\b`,
  "iu"
)
const endless = /\b(?:for good|for ever|forever|permanently|from now on|from then on|in future|until now|till now)\b/iu

/** True if a statement holds for a limited time only. */
export const isLimitedInTime = ({ piece, subject, tense, words }: Reading): boolean => {
  const { text } = piece
  if (endless.test(text)) return false
  if (limit.test(text)) return true
  const isPast = tense === "past" || tense === "perfect"
  const isShifted = subject !== "speaker" && subject !== "group" && phrasePatterns.shifted.test(` ${words.join(" ")} `)
  return (!isPast || isShifted) && present.test(text)
}

/** True if a change for good meets an exception: "the meeting is at 9 for good" leaves "at 10 this Friday". */
export const isUnaffected = (
  change: string,
  { expiresAt, title }: Pick<ExtractedFact, "expiresAt" | "title">,
  at: number
): boolean => {
  if (!endless.test(change) || endless.test(title)) return false
  const isDated = ({ value: { day, kind, year } }: PlacedValue) =>
    kind === "day" && day !== undefined && year !== undefined
  return expiresAt !== undefined || limit.test(title) || present.test(title) || valuesIn(title, at).some(isDated)
}

/** True if an earlier statement holds for a limited time: it has an end, or it names a day, a week or a month. */
export const isBoundInTime = ({ expiresAt, title }: Pick<ExtractedFact, "expiresAt" | "title">, at: number): boolean =>
  expiresAt !== undefined ||
  valuesIn(title, at).some(
    ({ index, value: { days, kind } }) =>
      kind === "day" && days !== undefined && days[1] - days[0] <= maxDays && !start.test(title.slice(0, index))
  )

const leadingDays =
  /^(?:(?:but|and|only) )*(?:on|at|in|over) (?:the )?((?:(?:public|bank|school|national) )?holidays|(?:mon|tues|wednes|thurs|fri|satur|sun)days|week(?:end|day)s?|spring|summer|autumn|winter|mornings|afternoons|evenings)\b/iu

/** True if a statement begins with days that an earlier one does not name: "on Sundays the gym closes at 18:00". */
export const isForOtherDays = (text: string, earlier: string): boolean => {
  const named = leadingDays.exec(text)?.[1]?.toLowerCase()
  return named !== undefined && !earlier.toLowerCase().includes(named.replace(/s$/u, ""))
}

/**
 * True if a statement that holds for a limited time may correct an earlier one: the earlier one is limited too, and it
 * does not end before the later one begins.
 */
export const mayCorrect = (
  { occurredAt }: Pick<ExtractedFact, "occurredAt">,
  earlier: Pick<ExtractedFact, "expiresAt" | "title">,
  at: number
): boolean =>
  isBoundInTime(earlier, at) &&
  !(occurredAt !== undefined && earlier.expiresAt !== undefined && earlier.expiresAt <= occurredAt)

/** The longest time that bounds a statement. "The budget for 2026 is 12k" has exceptions. */
const maxDays = 31
const start = /\b(?:since|from|starting|as of)\s+(?:on |the )?$/iu
