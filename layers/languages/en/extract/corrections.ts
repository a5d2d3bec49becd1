import type { ExtractedFact } from "../../../../src/ports/Extractor.js"
import { statementOf } from "../statements.js"
import { valuesIn } from "../values/readValues.js"
import { keyOf, type PlacedValue } from "../values/Value.js"
import type { Reading } from "./reading.js"

/** Fewest shared words of two statements about the same thing, and the share of the shorter one's words. */
const same = { words: 2, share: 0.5 }
type Kind = PlacedValue["value"]["kind"]

const kindsIn = (values: ReadonlyArray<PlacedValue>): ReadonlySet<Kind> =>
  new Set(values.map(({ value }) => value.kind))

/** The words of a statement without its numbers and dates. */
const contentOf = (title: string, values: ReadonlyArray<PlacedValue>): ReadonlySet<string> => {
  let rest = title
  for (const { end, index } of [...values].reverse()) rest = `${rest.slice(0, index)} ${rest.slice(end)}`
  return new Set([...statementOf(rest).words].filter((word) => !/^\d|^(?:not|no|decid)$/u.test(word)))
}

/**
 * Whether a later statement gives another number, day or time to what an earlier one says. `isSaid`: the speaker says
 * that it is a correction; otherwise most of their words must be shared, and days must differ.
 */
export const replaces = (later: ExtractedFact, earlier: ExtractedFact, at: number, isSaid: boolean): boolean => {
  const [newValues, oldValues] = [valuesIn(later.title, at), valuesIn(earlier.title, at)]
  const kinds = kindsIn(oldValues)
  const oldKeys = new Set(oldValues.map(({ value }) => `${value.kind} ${keyOf(value)}`))
  const denied = newValues.filter(({ index }) => denying.test(later.title.slice(0, index)))
  if (denied.length > 0) return denied.some(({ value }) => oldKeys.has(`${value.kind} ${keyOf(value)}`))
  const differs = newValues.some(({ value }) => kinds.has(value.kind) && !oldKeys.has(`${value.kind} ${keyOf(value)}`))
  if (!isSaid && !(differs && kinds.has("day"))) return false
  const [newWords, oldWords] = [contentOf(later.title, newValues), contentOf(earlier.title, oldValues)]
  let shared = 0
  for (const word of newWords) if (oldWords.has(word)) shared++
  const isShared =
    shared >= (isSaid && differs ? 1 : same.words) && shared >= same.share * Math.min(newWords.size, oldWords.size)
  return isShared ? differs || isSaid : isSaid && differs && sharesName(later.title, earlier.title)
}

/** Stands before a value that was wrong: "the 19th, not the 17th". */
const denying = /\b(?:not|instead of|rather than)\s+(?:on\s+|at\s+|the\s+)*$/iu
const nameWord = /(?<=\S\s)\p{Lu}\p{Ll}{2,}|^\p{Lu}\p{Ll}{2,}(?=\s+\p{Ll}+s\s)/gu

/** Whether two titles share a name that is no month or weekday. */
const sharesName = (one: string, other: string): boolean =>
  (one.match(nameWord) ?? []).some((name) => other.includes(name) && !calendarName.test(name))
const calendarName =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$|^(?:January|February|March|April|May|June|July|August|September|October|November|December)$/u

/**
 * The earlier title with the value of a correction that names nothing else: "the launch is on 18 July", "no, the 25th".
 * Undefined if the correction says more, or if the title has no value of that kind.
 */
export const withValue = (
  { text, values }: Pick<Reading, "text" | "values">,
  title: string,
  at: number
): string | undefined => {
  const [found] = values
  if (values.length !== 1 || found === undefined || found.value.isRelative === true) return undefined
  if (contentOf(text, values).size > 0) return undefined
  const { amount, form, month, unit, year } = found.value
  // "25th" without an article is an ordinal number.
  const day = unit === "th" ? amount : found.value.day
  const kind = unit === "th" ? "day" : found.value.kind
  const olds = valuesIn(title, at).filter(({ value }) => value.kind === kind)
  const old = olds.at(-1)
  if (old === undefined || olds.length > 1) return undefined
  const isDayOfMonth = kind === "day" && day !== undefined && month === undefined
  const withMonth = isDayOfMonth && old.value.month !== undefined
  const { month: oldMonth = 1 } = old.value
  const written = withMonth ? `${day} ${monthNames[oldMonth - 1]!}${year ?? old.value.year ?? ""}` : form
  return `${title.slice(0, old.index)}${written.replace(/(\p{L})(\d{4})$/u, "$1 $2")}${title.slice(old.end)}`
}

const monthNames = "January February March April May June July August September October November December".split(" ")
