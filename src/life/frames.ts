import { isStopWord } from "../retrieval/stopWords.js"

/** Two texts that differ in one place: what the later one says there, and what the earlier one did. */
export interface Slot {
  readonly now: string
  readonly before: string
  /** Words around it that say something, and how many words stand before it. */
  readonly around: number
  readonly start: number
}

/** What stands before what is no longer so, at most two words away from it. */
const former =
  "(?:no longer|not|from|instead of|in place of|rather than|replac\\w+|left|leav\\w+|gave up|giv\\w+ up|stopp\\w+|quit|sold|dropp\\w+|clos\\w+|cancel\\w+|abandon\\w+)"
/** Words that only say that something changed. */
const changing =
  /(?<![\p{L}\p{N}])(?:now|these days|from now on|as of \S+(?: \S+)?|from (?:today|this \S+) on|since (?:today|this \S+)|currently|any ?more)(?![\p{L}\p{N}])/giu
/** Of the words of a value there are few, or it is no value. */
const mostWords = 4

/** Whether a text says of itself that something changed. */
export const marksChange = (text: string): boolean => text.search(changing) >= 0

/** A text without the words that only say that something changed. */
export const withoutChange = (text: string): string => text.replace(changing, " ")

/** Texts that were taken apart: most come up again and again. */
const taken = new Map<string, ReadonlyArray<string>>()
const mostTaken = 20_000

const tokensOf = (text: string): ReadonlyArray<string> => {
  const before = taken.get(text)
  if (before !== undefined) return before
  if (taken.size >= mostTaken) taken.clear()
  const tokens = tokensIn(text)
  taken.set(text, tokens)
  return tokens
}

const tokensIn = (text: string): ReadonlyArray<string> =>
  withoutChange(text)
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+(?:[.:,'’-][\p{L}\p{M}\p{N}]+)*/gu) ?? []

/** Where two texts say the same but for one value, with two words or more around it: what that is in each. */
export const slotOf = (newer: string, older: string): Slot | undefined => {
  const [a, b] = [tokensOf(newer), tokensOf(older)]
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [now, before] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (now.length === 0 || before.length === 0) return undefined
  // Of two words, who it is about may be one: then it is a word for a word, or nothing.
  if (start + end < (now.length === 1 && before.length === 1 ? 2 : 3)) return undefined
  if (now.length > mostWords || before.length > mostWords) return undefined
  const around = [...a.slice(0, start), ...a.slice(a.length - end)].filter((word) => !isStopWord(word)).length
  return { now: now.join(" "), before: before.join(" "), around, start }
}

/** Whether a text says that what was before is so no longer, and what is so now. */
export const tellsChange = (text: string, { before, now }: Pick<Slot, "before" | "now">): boolean => {
  const said = tokensOf(text).join(" ")
  if (!` ${said} `.includes(` ${now} `)) return false
  const value = before.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${former} ((?:\\S+ ){0,3})${value}(?![\\p{L}\\p{N}])`, "u").exec(said)
  // Who goes from what is so now to what was comes back: that is another change.
  return found !== null && !` ${found[1]}`.includes(` ${now} `)
}

/** Whether a text tells of what was, which no change makes untrue. */
export const tellsPast = (text: string): boolean =>
  /(?<![\p{L}\p{N}])(?:was|were|born|grew up|studied|met|used to|once)(?![\p{L}\p{N}])/iu.test(text)

/** Whether a text tells of a change to what it names. */
export const tellsMove = (text: string): boolean =>
  /(?<![\p{L}\p{N}])(?:mov|switch|chang|transferr|convert|migrat|return)\w*(?: \S+){0,4} to(?![\p{L}\p{N}])/iu.test(
    text
  )
