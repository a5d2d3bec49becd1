import { isStopWord } from "./functionWords.js"
import { lazy } from "./lazy.js"
import { foldLetters } from "./letters.js"
import { ownText } from "./ownText.js"
import { stemOf } from "./stem.js"

/** Maximum characters of a text that are compared. */
const maxCompared = 4_000

/**
 * The words of a text for similarity: normalised, without endings and stop words. For scripts without spaces, pairs of
 * characters.
 */
export const wordSet = (text: string): ReadonlySet<string> => {
  if (text.length > cacheLimits.characters) return wordsIn(text)
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  if (cache.size >= cacheLimits.texts) cache.clear()
  const key = ownText(text)
  const words = wordsIn(key)
  cache.set(key, words)
  return words
}

/**
 * Limits of the cache of word sets: number of texts, and characters of one text. The same texts are compared
 * repeatedly.
 */
const cacheLimits = { texts: 10_000, characters: 400 }
const cache = new Map<string, ReadonlySet<string>>()

const wordsIn = (text: string): ReadonlySet<string> => {
  const words = new Set<string>()
  for (const [word] of foldLetters(text.slice(0, maxCompared)).toLowerCase().matchAll(wordOrRun())) {
    if (unspacedRun().test(word))
      for (let index = 0; index + 1 < word.length; index++) words.add(word.slice(index, index + 2))
    else if (!isStopWord(word)) words.add(stemOf(word))
  }
  return words
}

/** Similarity of two texts: shared words over the geometric mean of both word counts (Ochiai's coefficient), 0…1. */
export const wordSetSimilarity = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  if (a.size === 0 || b.size === 0) return 0
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / Math.sqrt(a.size * b.size)
}

const scripts = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}"
const unspacedRun = lazy(() => new RegExp(`^[${scripts}ー]{2,}$`, "u"))
const wordOrRun = lazy(() => new RegExp(`[${scripts}ー]+|[\\p{L}\\p{M}]+|\\p{N}+(?:[.:]\\p{N}+)*`, "gu"))
