import type { Draft } from "./rank.js"

/**
 * Gathers drafts in their order, where of those that say the same the newest
 * stands for all, in the place of the best. The same: the same words in the same
 * order, whatever their case and accents, the punctuation around them and the
 * articles. A word, a number or a negation more is something else.
 */
export const folding = <D extends Draft<unknown, object>>(on: boolean) => {
  const kept: Array<D> = []
  const places = new Map<string, number>()
  return {
    take: (draft: D): void => {
      const key = on ? keyOf(draft.text) : undefined
      const place = key === undefined ? undefined : places.get(key)
      if (place === undefined) {
        if (key !== undefined) places.set(key, kept.length)
        kept.push(draft)
        return
      }
      const other = kept[place]!
      const newer = draft.time > other.time || (draft.time === other.time && draft.born > other.born)
      kept[place] = { ...(newer ? draft : other), alike: other.alike + 1 }
    },
    kept: (): ReadonlyArray<D> => kept
  }
}

/** What a text says; undefined for one that says so little that saying it twice means nothing, or is not here whole. */
const keyOf = (text: string): string | undefined => {
  if (text.length > looked) return undefined
  const folded = ascii.test(text) ? text : text.normalize("NFKD").replace(accents, "")
  const words: Array<string> = []
  for (const written of folded.toLowerCase().split(blanks)) {
    const word = edges.test(written) ? written.replace(punctuation, "") : written
    if (word !== "" && word !== "a" && word !== "an" && word !== "the") words.push(word)
  }
  const key = words.join(" ")
  // Scripts without spaces say as much in a word as others in a sentence.
  return words.length < fewWords && (key.length < fewCharacters || !unspaced.test(key)) ? undefined : key
}

/** Texts are looked at up to so many characters. */
const looked = 2_000
const fewWords = 4
const fewCharacters = 8
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const blanks = /\s+/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/
const edges = /^[^\p{L}\p{N}]|[^\p{L}\p{N}]$/u
const accents = /[\u0300-\u036f]+/gu
/** At the edges of words only: 1.5 is not 15, and C++ not C. */
const punctuation = /^["'“”„‘’«»([{¡¿]+|["'“”„‘’«»)\]}.,;:!?…。、，！？；：」』》]+$/gu
