import { isStopWord } from "./stopWords.js"

// People write a compound with a hyphen, as one word or as two. The index has a hyphenated one in all three ways;
// between the other two the query has to look for what was not asked.

/** A word of a query: as it was written, what it is for FTS5, whether it stands for itself alone. */
interface Term {
  readonly text: string
  readonly expression: string
  readonly droppable: boolean
}

/**
 * Neighbouring words as one, as FTS5 expressions: "rate limit" may have been
 * written "ratelimit". Each is there twice, since it counts for two words.
 */
export const joined = (words: ReadonlyArray<Term>): ReadonlyArray<string> =>
  words.flatMap((word, at) => {
    const before = words[at - 1]
    if (before === undefined || !isPart(before) || !isPart(word)) return []
    const both = `"${before.text}${word.text}"`
    return both.length - 2 <= longest ? [both, both] : []
  })

/** Whether a word of a query is long enough to be two. */
export const hasHalves = (word: Term): boolean =>
  word.text.length >= 2 * shortestHalf && word.text.length <= longest && isPart(word)

/** A word with the ways to write it as two where hardly any row contains it: "ratelimit" may have been written "rate limit". */
export const withHalves = <A extends Term>(word: A, rows: number): A => {
  const { expression, text } = word
  if (rows > rare || !hasHalves(word)) return word
  const halves: Array<string> = []
  for (let at = shortestHalf; at <= text.length - shortestHalf; at++) {
    const both = [text.slice(0, at), text.slice(at)]
    if (!both.some(isStopWord)) halves.push(`"${both.join(" ")}"`)
  }
  return { ...word, expression: `(${[expression, ...halves].join(" OR ")})` }
}

/** A word that more rows contain is taken as it is. */
export const rare = 2

const isPart = ({ droppable, text }: Term): boolean => droppable && letters.test(text) && !isStopWord(text)
const letters = /^\p{Script=Latin}{2,}$/u
/** Characters of a compound, and of its halves. */
const longest = 24
const shortestHalf = 3
