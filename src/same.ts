import type { Draft } from "./rank.js"

/**
 * The first `limit` drafts in their order, where of those that say the same the
 * newest stands for all. The same: the same words in the same order, whatever
 * their case and accents, the punctuation between them and the articles. A word,
 * a number or a negation more is something else. What says the same scores about
 * the same, so it is looked for among twice the limit.
 */
export const folded = <D extends Pick<Draft<unknown, object>, "text" | "time" | "born">>(
  drafts: ReadonlyArray<D>,
  limit: number
): ReadonlyArray<{ readonly draft: D; readonly alike: number }> => {
  const kept: Array<{ draft: D; alike: number }> = []
  const places = new Map<string, number>()
  for (const draft of drafts.slice(0, Math.max(fewDrafts, 2 * limit))) {
    const key = keyOf(draft.text)
    const place = key === undefined ? undefined : places.get(key)
    if (place !== undefined) {
      const { alike, draft: other } = kept[place]!
      const newer = draft.time > other.time || (draft.time === other.time && draft.born > other.born)
      kept[place] = { draft: newer ? draft : other, alike: alike + 1 }
      continue
    }
    // The rest of the drafts may still be the same as one that is kept, but no new one is.
    if (kept.length === limit) continue
    if (key !== undefined) places.set(key, kept.length)
    kept.push({ draft, alike: 0 })
  }
  return kept
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
export const looked = 2_000
const fewWords = 4
const fewCharacters = 8
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const fewDrafts = 20
const blanks = /\s+/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/
const edges = /^[^\p{L}\p{N}]|[^\p{L}\p{N}]$/u
const accents = /[\u0300-\u036f]+/gu
/** At the edges of words only: 1.5 is not 15, and C++ not C. */
const punctuation = /^["'“”„‘’«»([{¡¿]+|["'“”„‘’«»)\]}.,;:!?…。、，！？；：」』》]+$/gu
