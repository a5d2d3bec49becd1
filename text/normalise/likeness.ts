import { folded } from "./letters.js"
import { isStopWord } from "./stopWords.js"

/** Of a text no more than this is compared. */
const looked = 4_000

/** The words of a text that likeness goes by: folded, without endings and stop words; pairs of characters where a script writes no spaces. */
export const wordSet = (text: string): ReadonlySet<string> => {
  if (text.length > kept.characters) return wordsIn(text)
  const known = taken.get(text)
  if (known !== undefined) return known
  if (taken.size >= kept.texts) taken.clear()
  const words = wordsIn(text)
  taken.set(text, words)
  return words
}

/** What is remembered is compared again and again: texts that are kept taken apart, and the longest that are. */
const kept = { texts: 10_000, characters: 400 }
const taken = new Map<string, ReadonlySet<string>>()

const wordsIn = (text: string): ReadonlySet<string> => {
  const words = new Set<string>()
  for (const [word] of folded(text.slice(0, looked)).toLowerCase().matchAll(wordOrRun)) {
    if (unspaced.test(word)) for (let at = 0; at + 1 < word.length; at++) words.add(word.slice(at, at + 2))
    else if (!isStopWord(word)) words.add(withoutEnding(word))
  }
  return words
}

/** How much two texts share: the words of both over the geometric mean of the words of each (Ochiai's coefficient), 0…1. */
export const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  if (a.size === 0 || b.size === 0) return 0
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / Math.sqrt(a.size * b.size)
}

const scripts = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}"
const unspaced = new RegExp(`^[${scripts}ー]{2,}$`, "u")
const wordOrRun = new RegExp(`[${scripts}ー]+|[\\p{L}\\p{M}]+|\\p{N}+(?:[.:]\\p{N}+)*`, "gu")

/** English endings of number and tense, roughly: what is compared is compared with the same roughness. */
export const withoutEnding = (word: string): string =>
  word.length < 5 ? word.replace(/(?<=\p{L}{3})s$/u, "") : word.replace(/(?:ing|ied|ies|ed|es|s|e)$/u, "")
