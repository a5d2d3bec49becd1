import { lazy } from "./lazy.js"
/** Words that must all match, each as a complete word or as a prefix. */
export interface Alternative {
  readonly words: ReadonlyArray<string>
  readonly prefix: boolean
}

/**
 * Alternatives for a query word that may have other endings in the text. Russian and Greek: the stem, as a prefix.
 * Korean: pairs of the syllables without the particle. FTS5 handles English.
 */
export const endingsOf = (word: string): ReadonlyArray<Alternative> => {
  if (cyrillic().test(word)) return [{ words: [word.replace(russianEnding, "")], prefix: true }]
  if (greek().test(word)) return [{ words: [word.replace(greekEnding, "")], prefix: true }]
  if (hangul.test(word)) {
    const stem = word.replace(longParticle, "").replace(/(?<=..)[은는이가을를의에와과도로만]$/u, "")
    return stem === word ? [pairAlternative(word)] : [pairAlternative(word), pairAlternative(stem)]
  }
  const [, name] = withParticle().exec(word) ?? []
  return name === undefined ? [] : [{ words: [name], prefix: false }]
}

/** Overlapping pairs of syllables of all Korean words with more than two syllables in a text. */
export const hangulPairs = (text: string): ReadonlyArray<string> => [
  ...new Set((text.match(/[가-힣]{3,}/gu) ?? []).flatMap(pairs))
]

/** Pairs of syllables find a word inside other words. A single syllable matches as a prefix. */
const pairAlternative = (word: string): Alternative =>
  word.length === 1 ? { words: [word], prefix: true } : { words: pairs(word), prefix: false }

const pairs = (word: string): ReadonlyArray<string> =>
  Array.from({ length: word.length - 1 }, (_, index) => word.slice(index, index + 2))

const hangul = /^[가-힣]+$/u
const longParticle = /(?<=.)(?:에서는|에서도|에게서|으로부터|로부터|에서|에게|한테|까지|부터|으로|처럼|보다|마다)$/u
const withParticle = lazy(() => /^([\p{Script=Latin}\p{N}]+)[가-힣]{1,3}$/u)

const cyrillic = lazy(() => /^\p{Script=Cyrillic}{4,}$/u)
/** Endings of nouns, adjectives and some verbs, after at least three letters. */
const russianEnding =
  /(?<=^...+)(?:иями|[ая]ми|[ео]го|[ео]му|[ыи]ми|[аяие]ть|[аяеи]ет|[аяу]ют|[аияе]ла|[аияе]ли|[аияе]л|[аоыиеу]й|[ая]я|[ое]е|[ыи]е|[ую]ю|[ыиоеая]м|[ыиая]х|[ое]в|ью|и[яию]|[аяоеыиуюьй])$/u

const greek = lazy(() => /^\p{Script=Greek}{4,}$/u)
/** Endings of nouns and adjectives, without accents. */
const greekEnding = /(?<=^...+)(?:[οαηιυε]ς|ου[ςσ]?|ο[ιν]|ε[ις]ς?|ω[νς]|[αηοιυωες])$/iu
