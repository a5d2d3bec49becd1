import { lazy } from "../../text/normalise/lazy.js"
import { isArticle } from "../../text/normalise/questionWords.js"
import { type Draft, foundBy } from "./rank.js"

/**
 * Collects drafts in rank order and folds equal texts into one hit: the newest draft takes the rank of the best draft.
 * Texts are equal if they have the same words in the same order. Case, accents, articles and surrounding punctuation do
 * not count. Any further word, number or negation makes two texts different.
 *
 * Memories that contradict each other are folded too: the hit shows the first memory of their group, with the rank and
 * the score of the best one.
 */
export const makeDuplicateCollector = <D extends Draft<unknown, object>>(enabled: boolean) => {
  const distinct: Array<D> = []
  const places = new Map<string, number>()
  return {
    take: (draft: D): void => {
      const key = enabled ? (draft.side?.group ?? keyOf(draft.text)) : undefined
      const index = key === undefined ? undefined : places.get(key)
      if (index === undefined) {
        if (key !== undefined) places.set(key, distinct.length)
        distinct.push(draft)
        return
      }
      const previous = distinct[index]!
      if (draft.side !== undefined) {
        if (draft.side.place < previous.side!.place)
          distinct[index] = { ...draft, parts: previous.parts, found: foundBy(previous) }
        return
      }
      const newer = draft.time > previous.time || (draft.time === previous.time && draft.born > previous.born)
      distinct[index] = { ...(newer ? draft : previous), alike: previous.alike + 1 }
    },
    kept: (): ReadonlyArray<D> => distinct
  }
}

/** The key of a text. Undefined for texts that are never folded because they are too short or too long. */
const keyOf = (text: string): string | undefined => {
  if (text.length > maxCharacters) return undefined
  const folded = ascii.test(text) ? text : text.normalize("NFKD").replace(accents, "")
  if (folded.length > maxFolded) return undefined
  const words: Array<string> = []
  for (const token of folded.toLowerCase().split(blanks)) {
    const word = edges().test(token) ? withoutPunctuation(token) : token
    if (word !== "" && !isArticle(word)) words.push(word)
  }
  const key = words.join(" ")
  // In a script without spaces, one "word" may be a whole sentence.
  return words.length < minWords && (key.length < minCharacters || !unspaced.test(key)) ? undefined : key
}

/** Maximum characters of a text that is folded. */
const maxCharacters = 2_000
/** Maximum characters after folding the letters: "ﷺ" becomes 18 characters. */
const maxFolded = 2 * maxCharacters
const minWords = 4
/** Minimum length of a text in a script without spaces. */
const minCharacters = 8
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const blanks = /\s+/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches all of ASCII.
const ascii = /^[\x00-\x7f]*$/
const edges = lazy(() => /^[^\p{L}\p{N}]|[^\p{L}\p{N}]$/u)
const accents = /[\u0300-\u036f]+/gu
/** Removes punctuation only at the edges of words: 1.5 is not 15. Signs such as the + of C++ stay. */
const withoutPunctuation = (token: string): string => {
  const from = opening.exec(token)?.[0].length ?? 0
  let to = token.length
  while (to > from && closing.includes(token[to - 1]!)) to--
  return token.slice(from, to)
}
const opening = /^["'“”„‘’«»([{¡¿]+/u
const closing = `"'“”„‘’«»)]}.,;:!?…。、，！？；：」』》`
