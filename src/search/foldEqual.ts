import { isArticle } from "../../text/normalise/questionWords.js"
import type { Draft } from "./rank.js"

/**
 * Collects drafts in order and folds those that say the same: the newest takes the place of the best. Two texts say the
 * same if they have the same words in the same order, apart from case, accents, surrounding punctuation and articles.
 * Any further word, number or negation makes them different.
 */
export const foldEqual = <D extends Draft<unknown, object>>(enabled: boolean) => {
  const distinct: Array<D> = []
  const places = new Map<string, number>()
  return {
    take: (draft: D): void => {
      const key = enabled ? keyOf(draft.text) : undefined
      const index = key === undefined ? undefined : places.get(key)
      if (index === undefined) {
        if (key !== undefined) places.set(key, distinct.length)
        distinct.push(draft)
        return
      }
      const previous = distinct[index]!
      const newer = draft.time > previous.time || (draft.time === previous.time && draft.born > previous.born)
      distinct[index] = { ...(newer ? draft : previous), alike: previous.alike + 1 }
    },
    kept: (): ReadonlyArray<D> => distinct
  }
}

/** The key of a text; undefined for texts that are never folded: too short to be the same thing, or too long. */
const keyOf = (text: string): string | undefined => {
  if (text.length > maxCharacters) return undefined
  const folded = ascii.test(text) ? text : text.normalize("NFKD").replace(accents, "")
  const words: Array<string> = []
  for (const token of folded.toLowerCase().split(blanks)) {
    const word = edges.test(token) ? token.replace(punctuation, "") : token
    if (word !== "" && !isArticle(word)) words.push(word)
  }
  const key = words.join(" ")
  // A "word" of a script without spaces may be a sentence.
  return words.length < minWords && (key.length < minCharacters || !unspaced.test(key)) ? undefined : key
}

/** Longer texts are not folded. */
const maxCharacters = 2_000
const minWords = 4
/** For scripts without spaces. */
const minCharacters = 8
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const blanks = /\s+/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/
const edges = /^[^\p{L}\p{N}]|[^\p{L}\p{N}]$/u
const accents = /[\u0300-\u036f]+/gu
/** Only at the edges of words: 1.5 is not 15. Signs such as the + of C++ stay. */
const punctuation = /^["'“”„‘’«»([{¡¿]+|["'“”„‘’«»)\]}.,;:!?…。、，！？；：」』》]+$/gu
