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
 * Neighbouring words, for FTS5: apart as they were asked for, and as one, since
 * "rate limit" may have been written "ratelimit".
 */
export const joined = (
  words: ReadonlyArray<Term>
): ReadonlyArray<{ readonly apart: string; readonly together: string }> =>
  words.flatMap((word, at) => {
    const before = words[at - 1]
    if (before === undefined || !isPart(before) || !isPart(word)) return []
    const both = `"${before.text}${word.text}"`
    return both.length - 2 > longest ? [] : [{ apart: `"${before.text} ${word.text}"`, together: both }]
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

/** Words that more rows contain are taken as they are. */
export const rare = 2

/** Two words that more rows have as one are mostly written with a hyphen, and found by their parts. */
export const fewTogether = 8

const isPart = ({ droppable, text }: Term): boolean => droppable && letters.test(text) && !isStopWord(text)
const letters = /^\p{Script=Latin}{2,}$/u
/** Characters of a compound, and of its halves. */
const longest = 24
const shortestHalf = 3
