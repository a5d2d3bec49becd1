import { isStopWord } from "./functionWords.js"
import { lazy } from "./lazy.js"

// People write a compound in three ways: with a hyphen, as one word or as two. The index stores all three forms of a
// hyphenated compound. If the text has another form, the query must also search for the forms that the user did not
// type.

/** A word of a query: its text, its FTS5 expression, and whether the search may drop it. */
interface Term {
  readonly text: string
  readonly expression: string
  readonly isDroppable: boolean
}

/**
 * Pairs of neighbouring words as FTS5 expressions: as two words or as one word, because "rate limit" may be written
 * "ratelimit".
 */
export const neighbourCompounds = (
  words: ReadonlyArray<Term>
): ReadonlyArray<{ readonly spaced: string; readonly joined: string }> =>
  words.flatMap((word, index) => {
    const previous = words[index - 1]
    if (previous === undefined || !isPart(previous) || !isPart(word)) return []
    const compound = `"${previous.text}${word.text}"`
    return compound.length - 2 > maxLength ? [] : [{ spaced: `"${previous.text} ${word.text}"`, joined: compound }]
  })

/** Whether a query word is long enough to be two words. */
export const canSplit = (word: Term): boolean =>
  word.text.length >= 2 * minHalf && word.text.length <= maxLength && isPart(word)

/** A rare word with its possible splits into two words: "ratelimit" may be written "rate limit". */
export const withSplits = <A extends Term>(word: A, rows: number): A => {
  const { expression, text } = word
  if (rows > maxRowsOfRareWord || !canSplit(word)) return word
  const halves: Array<string> = []
  for (let splitIndex = minHalf; splitIndex <= text.length - minHalf; splitIndex++) {
    const parts = [text.slice(0, splitIndex), text.slice(splitIndex)]
    if (!parts.some(isStopWord)) halves.push(`"${parts.join(" ")}"`)
  }
  return { ...word, expression: `(${[expression, ...halves].join(" OR ")})` }
}

/** Maximum rows with a rare word. More frequent words are not split. */
export const maxRowsOfRareWord = 2

/**
 * Maximum rows in which a pair of words occurs as one word. A pair with more rows is usually hyphenated, and a search
 * for its two words finds it.
 */
export const maxRowsAsOneWord = 8

const isPart = ({ isDroppable, text }: Term): boolean => isDroppable && letters().test(text) && !isStopWord(text)
const letters = lazy(() => /^\p{Script=Latin}{2,}$/u)
/** Maximum characters of a compound, and minimum characters of each half. */
const maxLength = 24
const minHalf = 3
