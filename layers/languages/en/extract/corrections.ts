import type { ExtractedFact } from "../../../../src/ports/Extractor.js"
import { statementOf } from "../statements.js"
import { valuesIn } from "../values/readValues.js"
import { keyOf, type PlacedValue } from "../values/Value.js"
import { formatDay } from "./dates.js"
import type { Reading } from "./reading.js"
import { isTimeOfDay } from "./rescheduling.js"
import { readWordCorrection, replaceWrongWords } from "./wordCorrections.js"

/** Minimum shared words of two statements about the same thing, and minimum shares of the shorter statement's words. */
const same = { words: 2, share: 0.5, plainShare: 0.6, takenShare: 0.6 }
type Kind = PlacedValue["value"]["kind"]

/** The words of a statement without its numbers and dates. */
const contentOf = (title: string, values: ReadonlyArray<PlacedValue>): Set<string> => {
  let rest = title
  for (const { end, index } of [...values].reverse()) rest = `${rest.slice(0, index)} ${rest.slice(end)}`
  return new Set(
    [...statementOf(rest).words].filter(
      (word) =>
        !/^\d|^(?:not|no|decid|mean|meant|sorr|sorri|said|say|sinc|since|mak|make|made|now|actual|misread|mistak|wait)$/u.test(
          word
        )
    )
  )
}

/** How a statement relates to earlier ones: its words say that it is a correction, or news, or neither. */
export type CorrectionKind = "corrects" | "updates" | "states"

const updating =
  /\b(?:actually|instead|now|moved|pushed|postponed|brought forward|rescheduled|extended|shortened|changed|raised|lowered|cut to|after all|turns? out|update|i checked|called|texted|cancel\w*|from now on|make (?:that|it)|always get it wrong|mix(?:ed)? (?:it|them|that) up|new (?:date|time|plan|deadline))\b|\bnot\b/iu

/** Determines the force of a statement from its words. */
export const correctionKindOf = (text: string, isCorrection: boolean): CorrectionKind =>
  isCorrection ? "corrects" : updating.test(text) ? "updates" : "states"

/** True if a statement may replace one of an earlier turn. Otherwise, the earlier turns need not be read again. */
export const mayReplace = (title: string, force: CorrectionKind): boolean =>
  force !== "states" ||
  single.test(title) ||
  /\d|days?\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/iu.test(title)

const keysOf = (values: ReadonlyArray<PlacedValue>): ReadonlySet<string> =>
  new Set(values.map(({ value }) => `${value.kind} ${keyOf(value)}`))

/**
 * True if a later statement contradicts an earlier one about the same thing: it gives another number, day, time or
 * name, or denies the earlier statement. Without words for a correction or for news, the two must share most of their
 * words.
 */
export const contradictsEarlier = (
  later: ExtractedFact,
  earlier: ExtractedFact,
  { at, force, speaker }: { readonly at: number; readonly force: CorrectionKind; readonly speaker: string }
): boolean => {
  const [newValues, oldValues] = [valuesIn(later.title, at), valuesIn(earlier.title, at)]
  const [newWords, oldWords] = [contentOf(later.title, newValues), contentOf(earlier.title, oldValues)]
  let shared = 0
  // The speaker's name is in many titles, so it does not count as a shared word.
  for (const word of statementOf(speaker).words) for (const words of [newWords, oldWords]) words.delete(word)
  for (const word of newWords) if (oldWords.has(word)) shared++
  const part = shared / Math.max(1, Math.min(newWords.size, oldWords.size))
  const isNamed = sharesName(later.title.replaceAll(speaker, ""), earlier.title)
  if (deniesName(later.title, earlier.title)) return shared > 0 || isNamed
  const oldKeys = keysOf(oldValues)
  const denied = newValues.filter(({ index }) => denying.test(later.title.slice(0, index)))
  if (denied.length > 0 && keysOf(denied).size > 0 && [...keysOf(denied)].some((key) => oldKeys.has(key)))
    return force === "corrects" || shared > 0 || isNamed
  if (force !== "states" && takesBack(later.title, earlier.title))
    return part >= same.takenShare && shared >= same.words
  if (samePlace(later.title, earlier.title)) return true
  const isHour = (given: PlacedValue) => force !== "states" && isTimeOfDay(given, later.title)
  const differing = newValues.filter(
    (given) =>
      oldValues.some((old) => isComparable(given.value, old.value) || (old.value.kind === "clock" && isHour(given))) &&
      !oldKeys.has(`${given.value.kind} ${keyOf(given.value)}`)
  )
  if (differing.length === 0) return force === "corrects" && shared >= same.words && part >= same.share
  if (force === "states") return shared >= same.words && part >= same.plainShare
  return (shared > 0 && part >= same.share) || isNamed
}

const isComparable = (one: PlacedValue["value"], other: PlacedValue["value"]): boolean =>
  one.kind === other.kind &&
  (one.kind !== "quantity" || one.unit === other.unit || one.unit === "" || other.unit === "")

/** True if a later title denies a name in an earlier title: "he lives in Lille, not Lyon". */
const deniesName = (later: string, earlier: string): boolean => {
  const name = /\b(?:not|instead of|rather than)\s+(?:in |at |with |on |from |the )?(\p{Lu}[\p{L}'-]{2,})/u.exec(
    later
  )?.[1]
  return name !== undefined && !calendarName.test(name) && earlier.includes(name)
}

const negation = /\b(?:not|no longer|never|cancel\w*|called off|won't)\b|n't\b/iu
/** True if a later title denies something and the earlier title denies nothing. */
const takesBack = (later: string, earlier: string): boolean => negation.test(later) && !negation.test(earlier)

/** Attributes with one value at a time: "the interview is with Hanne", "my boss is called Greta". */
const single =
  /^(.*?\b(?:is called|are called|name is|lives in|works at|works for|is with|is at|is in|is based in)) (\p{Lu}[\p{L}'-]+)/u
/** Somebody's age: "The user is 41". */
const aged = /^(.* is) (\d{1,3})(?: years old)?$/u
/** True if two titles give different ages or names for the same attribute. */
const samePlace = (later: string, earlier: string): boolean => {
  const [age, oldAge] = [aged.exec(later), aged.exec(earlier)]
  if (age !== null && oldAge !== null) return age[1] === oldAge[1] && age[2] !== oldAge[2]
  const [one, other] = [single.exec(later), single.exec(earlier)]
  return one !== null && other !== null && one[1]!.toLowerCase() === other[1]!.toLowerCase() && one[2] !== other[2]
}

/** Matches the words before a wrong value: "the 19th, not the 17th". */
const denying = /\b(?:not|instead of|rather than)\s+(?:on\s+|at\s+|the\s+)*$/iu
const nameWord = /(?<=\S\s)\p{Lu}\p{Ll}{2,}|^\p{Lu}\p{Ll}{2,}(?=\s+\p{Ll}+s\s)/gu

/** True if two titles share a name that is not a month or weekday. */
const sharesName = (one: string, other: string): boolean =>
  (one.match(nameWord) ?? []).some((name) => other.includes(name) && !calendarName.test(name))
const calendarName =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$|^(?:January|February|March|April|May|June|July|August|September|October|November|December)$/u

/**
 * Writes the values of a correction into an earlier text: "no, the 25th", "Saturday at 9.15", "not eleven, twelve".
 * Undefined if the correction says more than its values, or if the earlier text has no such value, or several.
 */
export const applyCorrection = (
  { text, values }: Pick<Reading, "text" | "values">,
  earlier: string,
  at: number
): string | undefined => {
  const said = restating.exec(text)
  if (said !== null) return replaceWords(earlier, said[1]!, said[2]!)
  const named = renaming.exec(text) ?? denyingFirst.exec(text)
  if (named !== null) return replaceWords(earlier, named[1]!, named[2]!)
  const meant = denyingLast.exec(text)
  if (meant !== null && !calendarName.test(meant[1]!)) return replaceWords(earlier, meant[2]!, meant[1]!)
  const words = values.length === 0 ? readWordCorrection(text) : undefined
  const rewritten = words && replaceWrongWords(earlier, words)
  if (rewritten !== undefined) return rewritten
  const known = contentOf(earlier, [])
  if ([...contentOf(text, values)].some((word) => !known.has(word))) return undefined
  const isDenied = ({ index }: PlacedValue) => denying.test(text.slice(0, index))
  const [denied, given] = [values.filter(isDenied), values.filter((value) => !isDenied(value))]
  const [first, second] = given
  if (first === undefined || given.length > 2 || first.value.isRelative === true) return undefined
  if (second !== undefined && (kindOf(second) === kindOf(first) || kindOf(first) === "quantity")) return undefined
  const olds = valuesIn(earlier, at)
  const old = oldValueOf(first, denied, olds)
  if (old === undefined) return undefined
  const other = second && olds.find(({ value }) => value.kind === second.value.kind)
  const changes = [
    {
      old,
      text:
        formatLikeOldValue(first, old) + (second !== undefined && other === undefined ? ` at ${second.value.form}` : "")
    }
  ]
  if (second !== undefined && other !== undefined) changes.push({ old: other, text: second.value.form })
  changes.sort((one, two) => two.old.index - one.old.index)
  return changes.reduce(
    (result, change) => result.slice(0, change.old.index) + change.text + result.slice(change.old.end),
    earlier
  )
}

/** "I said 11 and 14 May, it's 12 and 14". */
const restating =
  /\bi (?:said|wrote|told you|typed) (?:the |on |at )?([^,.;]{1,40}?),? (?:but )?(?:it's|it is|it should be|that should be|i meant|i mean|but it's) (?:the |on |at )?([^,.;]{1,40}?)(?: of course| obviously| now| actually)?[.!]*$/iu

/** "It's not at Mario's, it's at Luigi's". */
const renaming =
  /^(?:it|that|he|she|they)(?:'s| is|'re| are)? not (?:in |at |with |on |the )*(\p{Lu}[\p{L}'-]+)[^,]{0,20}, (?:but )?(?:(?:it|that|he|she|they)(?:'s| is|'re| are) )?(?:in |at |with |on |the )*(\p{Lu}[\p{L}'-]+)[^,]{0,12}$/u

const nameGroup = "(?:in |at |to |with |on |the )*(\\p{Lu}[\\p{L}'-]+(?: \\p{Lu}[\\p{L}'-]+)?)"
/** "Not Madrid, Malaga", "I meant Porto, not Lisbon". */
const denyingFirst = new RegExp(`^[Nn]ot ${nameGroup}, (?:but )?${nameGroup}[.!]*$`, "u")
const denyingLast = new RegExp(
  `^(?:(?:[Ii] )?(?:meant?|said) |[Ii]t's |[Tt]hat's |[Mm]ake (?:it|that) )?${nameGroup},? (?:and )?not ${nameGroup}[.!]*$`,
  "u"
)

/** Replaces words in a text. If the new words end with a digit, a month at the end of the former words is kept. */
const replaceWords = (text: string, former: string, words: string): string | undefined => {
  const index = text.toLowerCase().indexOf(former.toLowerCase())
  if (index < 0 || former.toLowerCase() === words.toLowerCase()) return undefined
  const month = /\s\p{Lu}\p{L}+$/u.exec(former)?.[0] ?? ""
  const end = /\d$/u.test(words) ? month : ""
  return text.slice(0, index) + words + end + text.slice(index + former.length)
}

/** "25th" without an article is read as an ordinal number, but also means the day of a month. */
const kindOf = ({ value: { kind, unit } }: PlacedValue): Kind => (unit === "th" ? "day" : kind)
const dayOf = ({ value: { amount, day, unit } }: PlacedValue): number | undefined => (unit === "th" ? amount : day)

/**
 * Finds the value that a correction replaces: the value that the correction denies, otherwise the only value of the
 * same kind.
 */
const oldValueOf = (
  given: PlacedValue,
  denied: ReadonlyArray<PlacedValue>,
  olds: ReadonlyArray<PlacedValue>
): PlacedValue | undefined => {
  const ofKind = olds.filter(({ value }) => value.kind === kindOf(given))
  const isSame = (old: PlacedValue, other: PlacedValue) => {
    const { value } = old
    if (keyOf(value) === keyOf(other.value)) return true
    if (kindOf(other) !== "day") return false
    return dayOf(other) === undefined
      ? value.weekday === other.value.weekday && value.weekday !== undefined
      : value.day === dayOf(other)
  }
  if (denied.length > 0) return ofKind.find((old) => denied.some((other) => isSame(old, other)))
  return ofKind.length === 1 && !isSame(ofKind[0]!, given) ? ofKind[0] : undefined
}

/** Writes the new value in the format of the old one: a day without a month gets the month of the old value. */
export const formatLikeOldValue = (given: PlacedValue, old: PlacedValue, said = given.value.form): string => {
  const { month, year } = given.value
  const form = said.replaceAll(monthName, (name) => name.charAt(0).toUpperCase() + name.slice(1))
  const day = dayOf(given)
  const isDayOfMonth = kindOf(given) === "day" && day !== undefined && month === undefined
  const { weekday } = given.value
  if (kindOf(given) === "day" && weekday !== undefined && given.value.day === undefined) {
    const name = form.charAt(0).toUpperCase() + form.slice(1)
    const { days, weekday: oldWeekday } = old.value
    if (days === undefined || oldWeekday === undefined || !/\d/u.test(old.value.form)) return name
    // "Tuesday, not Monday" means the Tuesday that is nearest to that Monday.
    return `${name} ${formatDay(days[0] + ((weekday - oldWeekday + 10) % 7) - 3)}`
  }
  if (!isDayOfMonth || old.value.month === undefined) return form
  const written = `${day} ${monthNames[old.value.month - 1]!}`
  const newYear = year ?? old.value.year
  return newYear === undefined ? written : `${written} ${newYear}`
}

const monthName = /\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b/gu
const monthNames = "January February March April May June July August September October November December".split(" ")
