import { lazy } from "./lazy.js"
import {
  emptyKey,
  extendKey,
  hasToken,
  loadVocabulary,
  type TokenVocabulary,
  tokensOfCharacter
} from "./tokenVocabulary.js"

/**
 * Estimates the tokens of a text in OpenAI's encoding o200k, usually within 5 %. It splits the text into parts like the
 * encoding, and each part from left to right into the longest possible tokens. (The encoding merges pairs by rank,
 * which is slower and needs the exact vocabulary.) Texts above `maxCounted` characters are estimated from samples.
 */
export const estimateTokens = (text: string): number => {
  if (text.length <= maxCounted) return Math.ceil(countPart(text))
  const step = (text.length - sampleLength) / (samples - 1)
  let tokens = 0
  for (let sample = 0; sample < samples; sample++) {
    const from = Math.floor(sample * step)
    tokens += countPart(text.slice(from, from + sampleLength))
  }
  return Math.ceil((tokens * text.length) / (samples * sampleLength))
}

/** Maximum characters of a text that is counted completely. This takes a few milliseconds. */
const maxCounted = 65_536
const samples = 32
const sampleLength = maxCounted / samples

/**
 * CJK characters × 1.5 + other words × 0.75, rounded up. It counts a long word or a URL as one word, so it is accurate
 * for short English words only.
 */
export const countMixedTokens = (text: string): number => {
  let ideographs = 0
  let words = 0
  let inWord = false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x3040 && unit <= 0x9fff) {
      ideographs++
      inWord = false
    } else if (unit > 0x20 && unit !== 0x3000) {
      if (!inWord) words++
      inWord = true
    } else inWord = false
  }
  return Math.ceil(ideographs * 1.5 + words * 0.75)
}

const ending = "(?:'(?:[stmd]|[STMD]|[rv]e|[RV]E|[rv]E|[RV]e|[lL][lL]))?"
interface Signs {
  readonly upper: string
  readonly lower: string
  readonly letter: string
  readonly digit: string
}

/** The encoding's own pattern: words with one character before them, numbers of three digits, punctuation, spaces. */
const partsOf = ({ digit, letter, lower, upper }: Signs): RegExp =>
  new RegExp(
    [
      String.raw`[^\r\n${letter}${digit}]?[${upper}]*[${lower}]+${ending}`,
      String.raw`[^\r\n${letter}${digit}]?[${upper}]+[${lower}]*${ending}`,
      `[${digit}]{1,3}`,
      String.raw` ?[^\s${letter}${digit}]+[\r\n/]*`,
      String.raw`\s*[\r\n]+`,
      String.raw`\s+(?!\S)`,
      String.raw`\s+`
    ].join("|"),
    "gu"
  )

const anyParts = lazy(() =>
  partsOf({
    upper: String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`,
    lower: String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`,
    letter: String.raw`\p{L}`,
    digit: String.raw`\p{N}`
  })
)
/** The same pattern for ASCII texts, because V8 takes 10 ms to compile the other pattern. */
const asciiParts = lazy(() => partsOf({ upper: "A-Z", lower: "a-z", letter: "A-Za-z", digit: String.raw`\d` }))
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/

/**
 * Limits on look-ups. The filter wrongly accepts one text in 256 as a token, so few texts are looked up. This is
 * enough: a longer token nearly always begins with shorter ones, and a token of a script without spaces has few
 * characters.
 */
const maxMisses = 4
const maxTokenLength = { spaced: 24, unspaced: 6 }
const firstUnspaced = 0x2e80

/** In a run of one sign, such as a line of "=", about every `maxRun` characters are one token. */
const minRun = 8
const maxRun = 64

let vocabulary: TokenVocabulary | undefined | null = null

const countPart = (text: string): number => {
  if (vocabulary === null) vocabulary = loadVocabulary()
  const known = vocabulary
  let tokens = 0
  const parts = ascii.test(text) ? asciiParts() : anyParts()
  parts.lastIndex = 0
  for (let from = 0; from < text.length; ) {
    parts.test(text)
    const to = parts.lastIndex
    tokens += known === undefined ? withoutVocabulary(text, from, to) : countWord(known, text, from, to)
    from = to
  }
  return tokens
}

/**
 * The tokens of one part of the pattern. Line breaks at its end are counted separately, or belong to its last token. An
 * error of the filter therefore does not change the count of a sign before a line break.
 */
const countWord = (known: TokenVocabulary, text: string, from: number, to: number): number => {
  let bodyEnd = to
  while (bodyEnd > from && isLineBreak(text.charCodeAt(bodyEnd - 1))) bodyEnd--
  if (bodyEnd === from) return countBody(known, text, from, to).tokens
  const { lastStart, tokens } = countBody(known, text, from, bodyEnd)
  if (bodyEnd === to || isToken(known, text, lastStart, to)) return tokens
  return tokens + countBody(known, text, bodyEnd, to).tokens
}

/** The tokens of a text within a part, and where the last one begins. */
const countBody = (known: TokenVocabulary, text: string, from: number, to: number) => {
  if (isToken(known, text, from, to)) return { tokens: 1, lastStart: from }
  let [tokens, lastStart] = [0, from]
  for (let start = from; start < to; ) {
    const end = endOfToken(known, text, start, to)
    tokens += end === start ? tokensOfCharacter(known, text.codePointAt(start)!) : 1
    lastStart = start
    start = end === start ? start + (isHighSurrogate(text.charCodeAt(start)) ? 2 : 1) : end
  }
  return { tokens, lastStart }
}

const isToken = (known: TokenVocabulary, text: string, from: number, to: number): boolean => {
  if (to - from > maxTokenLengthAt(text, to - 1)) return false
  let key = emptyKey
  for (let index = from; index < to; index++) {
    if (isRare(known, text, index)) return false
    key = extendKey(key, text.charCodeAt(index))
  }
  return hasToken(known, key)
}

const isLineBreak = (unit: number): boolean => unit === 10 || unit === 13

/** The end of the longest token that begins at `start`; `start` if none does. */
const endOfToken = (known: TokenVocabulary, text: string, start: number, to: number): number => {
  const first = text.charCodeAt(start)
  if (isPunctuation(first)) {
    let same = start + 1
    while (same < to && text.charCodeAt(same) === first) same++
    if (same - start >= minRun) return Math.min(same, start + maxRun)
  }
  const last = Math.min(to, start + maxTokenLengthAt(text, start))
  let end = start
  let key = emptyKey
  for (let index = start, misses = 0; index < last && misses < maxMisses; index++) {
    if (isRare(known, text, index)) break
    key = extendKey(key, text.charCodeAt(index))
    if (hasToken(known, key)) {
      end = index + 1
      misses = 0
    } else misses++
  }
  return end
}

const maxTokenLengthAt = (text: string, index: number): number =>
  text.charCodeAt(index) >= firstUnspaced ? maxTokenLength.unspaced : maxTokenLength.spaced

/** Whether a unit is ASCII punctuation or a space. */
const isPunctuation = (unit: number): boolean =>
  unit === 0x20 || (unit > 0x20 && unit < 0x30) || (unit > 0x39 && unit < 0x41) || (unit > 0x5a && unit < 0x61)

/**
 * Returns true if the character at `index` takes more than one token by itself. Apart from some hundred characters,
 * such a character occurs in no longer token. The filter, which can err, is therefore not asked about it.
 */
const isRare = (known: TokenVocabulary, text: string, index: number): boolean => {
  const unit = text.charCodeAt(index)
  return unit >= 0x80 && !isLowSurrogate(unit) && tokensOfCharacter(known, text.codePointAt(index)!) > 1
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** The average number of characters per token, used if the vocabulary is missing. */
const averageToken = 4
const withoutVocabulary = (text: string, from: number, to: number): number =>
  text.charCodeAt(from + 1) >= firstUnspaced ? to - from : Math.ceil((to - from) / averageToken)
