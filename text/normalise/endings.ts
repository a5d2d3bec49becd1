/** Words that must all be there, each whole or as the beginning of one. */
export interface Alternative {
  readonly all: ReadonlyArray<string>
  readonly prefix: boolean
}

/**
 * What else to look for where a word of a query may have another ending in the
 * text, or something attached to it: Russian and Greek ones (by the stem as a
 * prefix), Korean particles (by the pairs of syllables that are left). English
 * is FTS5's business.
 */
export const endingsOf = (word: string): ReadonlyArray<Alternative> => {
  if (cyrillic.test(word)) return [{ all: [word.replace(russian, "")], prefix: true }]
  if (greek.test(word)) return [{ all: [word.replace(greekEnding, "")], prefix: true }]
  if (hangul.test(word)) {
    const stem = word.replace(longParticle, "").replace(/(?<=..)[은는이가을를의에와과도로만]$/u, "")
    return stem === word ? [inPairs(word)] : [inPairs(word), inPairs(stem)]
  }
  const [, name] = withParticle.exec(word) ?? []
  return name === undefined ? [] : [{ all: [name], prefix: false }]
}

/** Overlapping pairs of syllables of the Korean words in a text that are longer than a pair. */
export const pairsOfHangul = (text: string): ReadonlyArray<string> => [
  ...new Set((text.match(/[가-힣]{3,}/gu) ?? []).flatMap(pairs))
]

/** By pairs a word is found inside of others; one syllable alone at the beginning of them. */
const inPairs = (word: string): Alternative =>
  word.length === 1 ? { all: [word], prefix: true } : { all: pairs(word), prefix: false }

const pairs = (word: string): ReadonlyArray<string> =>
  Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))

const hangul = /^[가-힣]+$/u
const longParticle = /(?<=.)(?:에서는|에서도|에게서|으로부터|로부터|에서|에게|한테|까지|부터|으로|처럼|보다|마다)$/u
const withParticle = /^([\p{Script=Latin}\p{N}]+)[가-힣]{1,3}$/u

const cyrillic = /^\p{Script=Cyrillic}{4,}$/u
/** Endings of nouns, adjectives and some verbs, after three letters at least. */
const russian =
  /(?<=^...+)(?:иями|[ая]ми|[ео]го|[ео]му|[ыи]ми|[аяие]ть|[аяеи]ет|[аяу]ют|[аияе]ла|[аияе]ли|[аияе]л|[аоыиеу]й|[ая]я|[ое]е|[ыи]е|[ую]ю|[ыиоеая]м|[ыиая]х|[ое]в|ью|и[яию]|[аяоеыиуюьй])$/u

const greek = /^\p{Script=Greek}{4,}$/u
/** Endings of nouns and adjectives, without accents. */
const greekEnding = /(?<=^...+)(?:[οαηιυε]ς|ου[ςσ]?|ο[ιν]|ε[ις]ς?|ω[νς]|[αηοιυωες])$/iu
