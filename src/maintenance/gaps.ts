import { type Reading, readingOf, stemOf, stemsOf, tells } from "./clauses.js"

/** Words of a gap. */
export const widest = 4
/** Whoever speaks is somebody too. */
export const speakers = new Set(["i", "user", "my", "we", "our", "me"])
const holders = new Set([
  "is",
  "are",
  "was",
  "were",
  "be",
  "been",
  "has",
  "have",
  "had",
  "will",
  "should",
  "must",
  "'s",
  "and",
  "or",
  "but",
  "he",
  "she",
  "it",
  "they",
  "her",
  "his",
  "their",
  "its"
])
export const prepositions = new Set([
  "in",
  "at",
  "on",
  "to",
  "with",
  "for",
  "from",
  "by",
  "as",
  "of",
  "after",
  "before",
  "through",
  "under",
  "until",
  "into",
  "via"
])
/** What is said of so many things that it tells nothing of what it is said of. */
const loose = new Set(
  "like love prefer want need use get keep know see go make take do enjoy hate think say find give put try plan bring buy own said note noted told wrong".split(
    " "
  )
)
const times =
  /^(?:\d{1,2}:\d{2}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\p{L}{3}-\d{1,2}|mornings?|noon|lunch|afternoons?|evenings?|nights?|midnight|weekends?|dinner|breakfast)$/u

/** Words that tell nothing of what is said to be so or over. */
export const isLoose = (stem: string): boolean => loose.has(stem)

/** Whether what stands around a gap tells what it is that has a value. */
export const tellsOf = (stems: Iterable<string>): boolean => [...stems].some((stem) => !loose.has(stem))

/** Whether a word may begin what fills a gap. Behind a name stands what is done, and behind its "'s" of what it is said. */
export const mayBegin = (words: ReadonlyArray<string>, start: number, isName: (word: string) => boolean): boolean => {
  const word = words[start]!
  if (holders.has(word)) return false
  if (start === 0) return !prepositions.has(word)
  const before = words[start - 1]!
  // Behind the first word stands what is done too.
  if (start === 1 && !prepositions.has(before)) return false
  return before !== "'s" && !speakers.has(before) && !isName(before)
}

/** Whether what stands between two places may fill a gap: one thing, of which nothing is said within it. */
export const mayFill = (words: ReadonlyArray<string>, start: number, end: number): boolean => {
  if (words[end] === "'s") return false
  for (let at = start; at < end; at++) {
    const word = words[at]!
    if (holders.has(word) || (at > start && word !== "of" && prepositions.has(word))) return false
  }
  const last = words[end - 1]!
  if (prepositions.has(last)) return false
  return end === words.length || tells(last)
}

/** Whether two may fill the same gap: they begin and end otherwise, and what stands in one place stands in it in both. */
export const areRivals = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  if (a[0] === b[0] || stemOf(a.at(-1)!) === stemOf(b.at(-1)!)) return false
  return (!prepositions.has(a[0]!) && !prepositions.has(b[0]!)) || (times.test(a.at(-1)!) && times.test(b.at(-1)!))
}

/**
 * Whether one text says in the words of another what that one says otherwise: a sentence of both is the same but for
 * what one thing is, or the one names what the other does and then says of whom that was that it is something else.
 */
export const saysOtherwise = (text: string, other: string): boolean => {
  const [mine, its] = [readingOf(text), readingOf(other)]
  const names = new Set([mine, its].flatMap(({ initial, names }) => [...names, ...initial]))
  const isName = (word: string): boolean => names.has(word)
  if (isCorrection(readingOf(text.split("\n", 1)[0]!), its, isName)) return true
  return mine.clauses.some((a) =>
    its.clauses.some((b) => isOtherwise(a, b, isName) && !its.clauses.some((c) => same(a, c)))
  )
}

const isCorrection = (mine: Reading, its: Reading, isName: (word: string) => boolean): boolean => {
  const tellingIn = (words: Iterable<string>): ReadonlyArray<string> =>
    [...new Set(words)].filter((word) => isName(word) || /\p{N}/u.test(word))
  // The first is all of it.
  const parts = mine.clauses.slice(1)
  const [known] = its.clauses
  if (parts.length === 0 || its.clauses.length !== 1) return false
  const named = tellingIn(known!)
  return named.some((subject) => {
    const about = parts.filter((words) => words.includes(subject))
    if (about.length === 0 || about.length === parts.length) return false
    const said = new Set(about.flat())
    return (
      named.some((word) => word !== subject && mine.all.has(stemOf(word)) && !said.has(word)) &&
      tellingIn(said).some((word) => !its.all.has(stemOf(word)))
    )
  })
}

const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => a.join(" ") === b.join(" ")

const isOtherwise = (
  a: ReadonlyArray<string>,
  b: ReadonlyArray<string>,
  isName: (word: string) => boolean
): boolean => {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [mine, its] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (mine.length === 0 || its.length === 0 || mine.length > widest || its.length > widest) return false
  if (!mayBegin(a, start, isName) || !mayBegin(b, start, isName)) return false
  if (!mayFill(a, start, a.length - end) || !mayFill(b, start, b.length - end) || !areRivals(mine, its)) return false
  const outside = [...a.slice(0, start), ...a.slice(a.length - end)]
  const named = outside.filter((word) => isName(word) || speakers.has(word))
  if (named.length === 0 || [...stemsOf(outside)].every((stem) => named.some((name) => stemOf(name) === stem)))
    return false
  const [own, others] = [stemsOf(mine), stemsOf(its)]
  return (
    (![...own].every((stem) => others.has(stem)) && ![...others].every((stem) => own.has(stem))) ||
    own.size === 0 ||
    others.size === 0
  )
}
