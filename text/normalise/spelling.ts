import { lazy } from "./lazy.js"
// Corrections of misspelt words: edit distances, and the letters of a word as the vocabulary stores them.

/** A word of letters: lower case, without accents. Undefined for a word with digits or signs, or in an unspaced script. */
export const spelledWord = (text: string): string | undefined => {
  const word = text.replace(edges(), "").replace(possessive, "")
  return letters().test(word) ? foldWord(word) : undefined
}

/** The words of a text that a misspelt word can be corrected to: in lower case, without accents, with repeats. */
export const spelledWordsOf = (text: string): ReadonlyArray<string> => {
  if (ascii.test(text)) return text.toLowerCase().match(asciiWords) ?? []
  return (foldWord(text).match(lowerWords()) ?? []).filter((word) => letters().test(word))
}

/** Maximum edits between a misspelt word of this length and the intended word. */
export const maxEditsOf = (length: number): number => (length < minLetters ? 0 : length < 8 ? 1 : 2)

/** Minimum and maximum letters of words that are corrected. */
export const minLetters = 4
export const maxLetters = 24

/** Maximum edits between a mistyped name and the intended one. */
const maxNameEdits = 2

/** The name that a mistyped one most probably means; undefined if none is similar. Case does not count. */
export const nearestName = (typed: string, names: ReadonlyArray<string>): string | undefined =>
  names
    .map((name) => ({ name, cost: editCost(typed.toLowerCase(), name.toLowerCase(), maxNameEdits) }))
    .filter(({ cost }) => cost <= maxNameEdits)
    .sort((a, b) => a.cost - b.cost)[0]?.name

/**
 * The cost of the difference between the typed word and the intended one, in units of one edit. Exchanged neighbours
 * and doubled letters cost less, because they are the most frequent errors. Infinity if more than `maxEdits` edits are
 * needed.
 */
export const editCost = (typed: string, meant: string, maxEdits: number): number => {
  const edits = editDistance(typed, meant, maxEdits)
  if (edits > maxEdits) return Number.POSITIVE_INFINITY
  const isUsual = edits === 1 && isUsualTypo(typed, meant)
  return edits - (isUsual ? 0.5 : 0) + (typed[0] === meant[0] ? 0 : 0.25)
}

/** Whether two words differ by exchanged neighbouring letters, or by a letter that one of them doubles. */
export const isUsualTypo = (typed: string, meant: string): boolean => {
  let index = 0
  while (index < typed.length && typed[index] === meant[index]) index++
  if (typed.length === meant.length) {
    const isExchanged = typed[index] === meant[index + 1] && typed[index + 1] === meant[index]
    return isExchanged && typed.slice(index + 2) === meant.slice(index + 2)
  }
  const [short, long] = typed.length < meant.length ? [typed, meant] : [meant, typed]
  return long[index] === long[index - 1] && long.slice(index + 1) === short.slice(index)
}

/**
 * The number of edits from one word to another: insertions, deletions, substitutions and exchanged neighbours, each
 * letter edited at most once (optimal string alignment). A result above `max` means only that more than `max` edits are
 * needed.
 */
const editDistance = (typed: string, meant: string, max: number): number => {
  if (Math.abs(typed.length - meant.length) > max) return max + 1
  let start = 0
  while (start < typed.length && typed[start] === meant[start]) start++
  let [typedEnd, meantEnd] = [typed.length, meant.length]
  while (typedEnd > start && meantEnd > start && typed[typedEnd - 1] === meant[meantEnd - 1]) {
    typedEnd--
    meantEnd--
  }
  return alignmentOf(typed.slice(start, typedEnd), meant.slice(start, meantEnd), max)
}

const alignmentOf = (a: string, b: string, max: number): number => {
  if (a === "" || b === "") return a.length + b.length
  let beforePrevious: Array<number> = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let edits = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (isSame ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        edits = Math.min(edits, beforePrevious[column - 2]! + 1)
      }
      current.push(edits)
      least = Math.min(least, edits)
    }
    if (least > max) return max + 1
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]!
}

/** The different letters of a word as bits. Each edit changes at most two of them. */
export const letterBits = (word: string): number => {
  let bits = 0
  for (let index = 0; index < word.length; index++) bits |= 1 << (word.charCodeAt(index) & 31)
  return bits
}

/** Returns true if two words with these letters may be at most `maxEdits` edits apart. */
export const mayBeWithinEdits = (bits: number, otherBits: number, maxEdits: number): boolean => {
  let different = bits ^ otherBits
  for (let left = 2 * maxEdits; left > 0 && different !== 0; left--) different &= different - 1
  return different === 0
}

const foldWord = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKD")
        .replace(/\p{M}+/gu, "")
        .normalize("NFC")
        .toLowerCase()

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/
const asciiWords = new RegExp(`\\b[a-z]{${minLetters},${maxLetters}}\\b`, "g")
const lowerWords = lazy(
  () => new RegExp(`(?<![\\p{L}\\p{N}_])\\p{L}{${minLetters},${maxLetters}}(?![\\p{L}\\p{N}_])`, "gu")
)
/** Matches words of letters in scripts with spaces between words. */
const letters = lazy(
  () => /^(?:\p{Script=Latin}|\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Georgian}|\p{M})+$/u
)
const edges = lazy(() => /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu)
const possessive = /['’]s$/iu
