import { functionWords, setOf } from "../../../../text/normalise/functionWords.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { isContentWord, type Reading, readingOf, stemsOf } from "./readings.js"

// A gap is the place of a value in a clause: "Ada's office is in ___".

/** The maximum number of words in a value. */
export const maxGapWords = 4
/** Words for the speaker. They count as names. */
export const speakers = new Set(["i", "user", "my", "we", "our", "me"])
/** Words that cannot be part of a value. */
const verbsAndPronouns = setOf(
  functionWords.presentBe,
  functionWords.pastBe,
  functionWords.persons,
  functionWords.things,
  "been has have had will should must 's and or but"
)
export const prepositions = setOf(functionWords.prepositions, "as via")
/** Words that are said about so many things that they do not identify any of them. */
const looseStems = new Set(
  `like love prefer want need use get keep know see go make take do enjoy hate think say find give put try plan bring buy
  own said note noted told wrong`
    .split(/\s+/u)
    .map(stemOf)
)
const times =
  /^(?:\d{1,2}:\d{2}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\p{L}{3}-\d{1,2}|mornings?|noon|lunch|afternoons?|evenings?|nights?|midnight|weekends?|dinner|breakfast)$/u

/** True if a stem identifies nothing, because it is said about many things. */
export const isUnspecificStem = (stem: string): boolean => looseStems.has(stem)

/** True if one of the stems around a gap identifies the attribute. */
export const identifiesAttribute = (stems: Iterable<string>): boolean =>
  [...stems].some((stem) => !looseStems.has(stem))

/**
 * True if a gap may begin at a word. A gap may not begin after a name (the verb follows) or "'s" (the attribute
 * follows).
 */
export const mayBeginGap = (
  words: ReadonlyArray<string>,
  start: number,
  isName: (word: string) => boolean
): boolean => {
  const word = words[start]!
  if (verbsAndPronouns.has(word)) return false
  if (start === 0) return !prepositions.has(word)
  const before = words[start - 1]!
  // A verb may also be the second word.
  if (start === 1 && !prepositions.has(before)) return false
  return before !== "'s" && !speakers.has(before) && !isName(before)
}

/** True if the words from `start` to `end` may be a value: one phrase without a verb or another preposition. */
export const mayFillGap = (words: ReadonlyArray<string>, start: number, end: number): boolean => {
  if (words[end] === "'s") return false
  for (let index = start; index < end; index++) {
    const word = words[index]!
    if (verbsAndPronouns.has(word) || (index > start && word !== "of" && prepositions.has(word))) return false
  }
  const last = words[end - 1]!
  if (prepositions.has(last)) return false
  return end === words.length || isContentWord(last)
}

/**
 * True if two values exclude each other in a gap: their first and last words differ. If one of the values begins with a
 * preposition, both must be times.
 */
export const areExclusiveValues = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  if (a[0] === b[0] || stemOf(a.at(-1)!) === stemOf(b.at(-1)!)) return false
  return (!prepositions.has(a[0]!) && !prepositions.has(b[0]!)) || (times.test(a.at(-1)!) && times.test(b.at(-1)!))
}

/**
 * True if the first text gives another value than the other text: two clauses differ only in one value, or the first
 * text corrects the other (`isCorrection`).
 */
export const statesOtherValue = (text: string, other: string): boolean => {
  const [reading, otherReading] = [readingOf(text), readingOf(other)]
  const names = new Set([reading, otherReading].flatMap(({ initial, names }) => [...names, ...initial]))
  const isName = (word: string): boolean => names.has(word)
  if (isCorrection(readingOf(text.split("\n", 1)[0]!), otherReading, isName)) return true
  return reading.clauses.some((a) =>
    otherReading.clauses.some((b) => hasRivalValue(a, b, isName) && !otherReading.clauses.some((c) => areEqual(a, c)))
  )
}

/**
 * True if a text with several clauses corrects another clause. The text repeats a name of that clause that is not the
 * subject, and another of the text's clauses says something new about the subject ("Jenkins was a slip: the builds run
 * on Forgejo").
 */
const isCorrection = (reading: Reading, otherReading: Reading, isName: (word: string) => boolean): boolean => {
  const namesAndNumbers = (words: Iterable<string>): ReadonlyArray<string> =>
    [...new Set(words)].filter((word) => isName(word) || /\p{N}/u.test(word))
  // The first entry is the complete line.
  const parts = reading.clauses.slice(1)
  const [clause] = otherReading.clauses
  if (parts.length === 0 || otherReading.clauses.length !== 1) return false
  const names = namesAndNumbers(clause!)
  return names.some((subject) => {
    const mentions = parts.filter((words) => words.includes(subject))
    if (mentions.length === 0 || mentions.length === parts.length) return false
    const words = new Set(mentions.flat())
    return (
      names.some((name) => name !== subject && reading.allStems.has(stemOf(name)) && !words.has(name)) &&
      namesAndNumbers(words).some((word) => !otherReading.allStems.has(stemOf(word)))
    )
  })
}

const areEqual = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => a.join(" ") === b.join(" ")

/** True if two clauses differ only in one gap, and the two values of the gap exclude each other. */
const hasRivalValue = (
  a: ReadonlyArray<string>,
  b: ReadonlyArray<string>,
  isName: (word: string) => boolean
): boolean => {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [reading, otherReading] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (
    reading.length === 0 ||
    otherReading.length === 0 ||
    reading.length > maxGapWords ||
    otherReading.length > maxGapWords
  )
    return false
  if (!mayBeginGap(a, start, isName) || !mayBeginGap(b, start, isName)) return false
  if (
    !mayFillGap(a, start, a.length - end) ||
    !mayFillGap(b, start, b.length - end) ||
    !areExclusiveValues(reading, otherReading)
  )
    return false
  const sharedWords = [...a.slice(0, start), ...a.slice(a.length - end)]
  const names = sharedWords.filter((word) => isName(word) || speakers.has(word))
  if (names.length === 0 || [...stemsOf(sharedWords)].every((stem) => names.some((name) => stemOf(name) === stem)))
    return false
  const [own, others] = [stemsOf(reading), stemsOf(otherReading)]
  return (
    (![...own].every((stem) => others.has(stem)) && ![...others].every((stem) => own.has(stem))) ||
    own.size === 0 ||
    others.size === 0
  )
}
