import { bounds, cutBytes } from "./bounds.js"
import { endingsOf, hangulPairs } from "./endings.js"
import { formsOf, formsOfWord, isHash, isSignedName, telephonePattern } from "./forms.js"
import { lazy } from "./lazy.js"
import { foldLetters, isCutByComposing } from "./letters.js"
import { isPlainAscii } from "./plainAscii.js"

/** Version of the index text. Increase it when `toIndexText` or the tokenizer changes; the indexes are then rebuilt. */
export const indexVersion = 4

/**
 * Converts text for indexing and searching; stored text stays unchanged. Letters are normalised. Runs of scripts
 * without spaces are cut into words by `Intl.Segmenter` and into overlapping pairs of characters, so that 東京 is found
 * inside 東京都に. Emoji become words. Other forms of identifiers, numbers and names are appended after the text, so that
 * phrases still match the original. FTS5's tokenizer handles case, Latin accents and English endings.
 */
export const toIndexText = (text: string): string =>
  text.length < longText ? indexTextOf(text) : longIndexTextOf(text).text

/** Returns true if `toIndexText` leaves out words of a text. */
export const isPartlyIndexed = (text: string): boolean =>
  text.length < longText ? !ascii.test(text) && isCutByComposing(text) : longIndexTextOf(text).isCut

/** A text that is shorter than this exceeds no limit in `bounds`, unless normalisation makes it longer. */
const longText = bounds.occurrences

interface LongIndexText {
  readonly text: string
  readonly isCut: boolean
}

/** Cache of the last long texts: the narrative and the facts of a memory are read again soon after they are indexed. */
const longTexts = new Map<string, LongIndexText>()

const longIndexTextOf = (text: string): LongIndexText => {
  const known = longTexts.get(text)
  if (known !== undefined) return known
  const read = cutBytes(text, bounds.indexedBytes)
  const letters = ascii.test(read) ? read : foldLetters(read)
  const indexText = withinBounds(indexTextOf(read))
  const isCutByFolding =
    letters !== read && (isCutByComposing(read) || cutBytes(letters, bounds.indexedBytes) !== letters)
  if (longTexts.size >= 2) longTexts.clear()
  const answer = { text: indexText.text, isCut: read !== text || isCutByFolding || indexText.isCut }
  longTexts.set(text, answer)
  return answer
}

const indexTextOf = (text: string): string => {
  if (isPlainAscii(text)) return text
  if (ascii.test(text)) return withForms(text, formsOf(text))
  const letters = cutBytes(foldLetters(text), bounds.indexedBytes)
  const spaced = letters.replace(unspacedOrEmoji(), " ")
  const withEmojiWords = letters.replace(emoji, (match) => ` ${emojiWord(match)} `)
  const words = wordsOfRuns(withEmojiWords.match(unspaced()) ?? [])
  let run = 0
  return withForms(
    withEmojiWords.replace(unspaced(), (text) => toParts(text, words[run++]!)),
    [...formsOf(spaced), ...hangulPairs(spaced)]
  )
}

/** Removes a word after it occurred `bounds.occurrences` times, and new words after `bounds.words` different ones. */
const withinBounds = (text: string): LongIndexText => {
  const occurrences = new Map<string, number>()
  let repeats = 0
  let left = 0
  const cut = text.replace(wordRuns(), (word) => {
    const key = withoutAccents(word)
    const count = (occurrences.get(key) ?? 0) + 1
    const isNew = count === 1 && occurrences.size >= bounds.words
    if (!isNew) occurrences.set(key, count)
    if (!isNew && count <= bounds.occurrences) return word
    if (isNew) left++
    else repeats++
    return ""
  })
  return { text: left + repeats === 0 ? text : cut, isCut: left > 0 }
}

/** A word in lower case without accents, as FTS5's tokenizer compares it, but with its ending kept. */
const withoutAccents = (word: string): string => {
  const lower = word.toLowerCase()
  return ascii.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "")
}

const toParts = (run: string, words: ReadonlyArray<string>): string => {
  const shortForm = withoutFinalMark(run)
  const parts = new Set([...words, ...pairs(run), ...(shortForm === run ? [] : pairs(shortForm))])
  return ` ${[...parts].join(" ")} `
}

const withForms = (text: string, forms: ReadonlyArray<string>): string =>
  forms.length === 0 ? text : `${text}\n${forms.join(" ")}`

/** The FTS5 expression for one word or phrase of a query; null if the index cannot contain it. */
export const ftsExpression = (phrase: string): string | null => {
  if (isPlainAscii(phrase) && !phrase.includes("://")) return /[a-z\d]/i.test(phrase) ? quoted(phrase) : null
  const parts = foldLetters(phrase)
    .split(unspacedOrEmoji())
    .flatMap((piece) => {
      if (emojiAlone().test(piece)) return [`"${emojiWord(piece)}"`]
      if (unspacedAlone().test(piece)) return unspacedParts(piece)
      return tokenLike().test(piece) ? [spacedPart(piece.trim())] : []
    })
  return parts.length === 0 ? null : allOf(parts)
}

/** An FTS5 expression for a prefix: `harb*` matches words with this prefix, and the stemmed word itself. */
export const prefixExpression = (body: string): string | null => {
  const [, start] = /^([\p{L}\p{N}]{3,})\*$/u.exec(body) ?? []
  const expression = start === undefined ? null : ftsExpression(start)
  return expression === null ? null : `(${expression} OR "${start}" *)`
}

/** The expressions that must match for a run of a script without spaces. */
const unspacedParts = (run: string): ReadonlyArray<string> => {
  const shortForm = withoutFinalMark(run)
  const pairsOfRun = pairs(shortForm)
  // A single character matches as the first of a pair, or as the last of its run.
  if (pairsOfRun.length === 1) return tokenLike().test(shortForm) ? [`"${shortForm}" *`] : []
  return pairsOfRun
    .slice(0, -1)
    .filter((pair) => tokenLike().test(pair))
    .map(quoted)
}

/** Removes the optional long mark at the end of a Katakana word: サーバー becomes サーバ. */
const withoutFinalMark = (run: string): string => run.replace(/(?<=[ァ-ヶー]{3})ー(?![ァ-ヶー])/gu, "")

/** A word with its alternatives, or several words as a phrase. */
const spacedPart = (phrase: string): string => {
  const words = phrase.replace(edges(), "")
  if (/\s/u.test(phrase) && tokenLike().test(phrase.replace(telephonePattern(), ""))) return quoted(phrase)
  const forms = formsOfWord(phrase).map(quoted)
  if (forms.length > 0 && isSignedName(phrase)) return anyOf(forms)
  return anyOf([
    quoted(phrase),
    ...forms,
    ...hashForms(words),
    ...urlForms(phrase),
    ...endingsOf(words).map(alternativeExpression)
  ])
}

/** Forms of a hash: users may type only its start, and the text may contain only its start. */
const hashForms = (word: string): ReadonlyArray<string> => {
  if (!isHash(word)) return []
  const shorter = [7, 8, 10, 12].filter((length) => length < word.length)
  return [`${quoted(word)} *`, ...shorter.map((length) => quoted(word.slice(0, length)))]
}

/** A URL without its scheme, and the same URL without query and fragment. */
const urlForms = (word: string): ReadonlyArray<string> => {
  const [, address] = /^\W*[a-z][a-z\d+.-]*:\/\/(?:www\.)?(.+)$/iu.exec(word) ?? []
  if (address === undefined) return []
  return [address, address.replace(/[?#].*$/u, "")].filter((text) => tokenLike().test(text)).map(quoted)
}

const alternativeExpression = ({
  words,
  prefix
}: {
  readonly words: ReadonlyArray<string>
  readonly prefix: boolean
}): string => allOf(words.map((word) => (prefix ? `${quoted(word)} *` : quoted(word))))

const quoted = (phrase: string): string => `"${firstWords(phrase).trim().replaceAll('"', " ")}"`
const allOf = (parts: ReadonlyArray<string>): string => {
  const different = [...new Set(parts)].slice(0, bounds.alternatives)
  return different.length === 1 ? different[0]! : `(${different.join(" AND ")})`
}
const anyOf = (parts: ReadonlyArray<string>): string => {
  const different = [...new Set(parts)].slice(0, bounds.alternatives)
  return different.length === 1 ? different[0]! : `(${different.join(" OR ")})`
}

/** The number of words that the tokenizer finds in a text. */
export const countWords = (text: string): number => text.match(wordRuns())?.length ?? 0

/** Whether `ftsExpression` compares only the start of a phrase, or of a run of a script without spaces. */
export const isLongPhrase = (phrase: string): boolean =>
  longRun().test(phrase) ||
  (phrase.length >= bounds.phraseWords && countWords(foldLetters(phrase)) > bounds.phraseWords)

const firstWords = (phrase: string): string => {
  if (phrase.length < 2 * bounds.phraseWords) return phrase
  let words = 0
  for (const match of phrase.matchAll(wordRuns()))
    if (++words === bounds.phraseWords) return phrase.slice(0, match.index + match[0].length)
  return phrase
}

const wordRuns = lazy(() => /[\p{L}\p{N}\p{M}\p{Co}]+/gu)

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const ascii = /^[\x00-\x7f]*$/
const scripts =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々"
const unspaced = lazy(() => new RegExp(`[${scripts}][${scripts}\\p{M}]*`, "gu"))
const japanese = lazy(() => /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]+$/u)
const unspacedAlone = lazy(() => new RegExp(`^[${scripts}][${scripts}\\p{M}]*$`, "u"))
const longRun = lazy(() => new RegExp(`[${scripts}]{${bounds.alternatives + 2}}`, "u"))
const flag = "\\p{Regional_Indicator}{2}"
const emoji = new RegExp(
  `${flag}|\\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]*(?:\\u200d\\p{Extended_Pictographic})*`,
  "gu"
)
const emojiAlone = lazy(() => new RegExp(`^(?:${flag}|\\p{Extended_Pictographic})`, "u"))
const unspacedOrEmoji = lazy(() => new RegExp(`([${scripts}][${scripts}\\p{M}]*|${emoji.source})`, "gu"))
const tokenLike = lazy(() => /[\p{L}\p{N}\p{M}]/u)
const edges = lazy(() => /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}\p{M}])[^\p{L}\p{N}\p{M}]+$/gu)

/** The index word for an emoji, ignoring skin tone and joined emoji; for a flag, the word for its country. */
const emojiWord = (match: string): string => {
  const [first, second] = [...match].map((character) => character.codePointAt(0)!)
  const country = first! >= 0x1f1e6 && first! <= 0x1f1ff
  return country ? `flag${first!.toString(16)}${second!.toString(16)}` : `emoji${first!.toString(16)}`
}

/** Created on first use, because loading its dictionary takes time. */
const segmenter = lazy(() => new Intl.Segmenter("ja", { granularity: "word" }))

/**
 * The words of each run. A call of `Intl.Segmenter` takes as long as segmenting some 30 characters, so short runs share
 * one call. Each segment that it returns copies the whole input, so long runs are cut into portions. Runs that are not
 * Chinese or Japanese use other dictionaries. They are segmented one by one, because neighbouring runs would change the
 * result. After `maxAlone` such runs, further ones are indexed only by their pairs.
 */
const wordsOfRuns = (runs: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const words = runs.map((): Array<string> => [])
  let joined = ""
  let owners: Array<number> = []
  const segment = () => {
    if (joined === "") return
    let portion = 0
    for (const part of segmenter().segment(joined)) {
      if (part.segment === "\n") portion++
      else if (part.isWordLike === true) words[owners[portion]!]!.push(part.segment)
    }
    joined = ""
    owners = []
  }
  let alone = 0
  for (const [index, run] of runs.entries()) {
    const isJoined = japanese().test(run)
    if (!isJoined && ++alone > maxAlone) continue
    for (const portion of run.match(portions) ?? []) {
      if (!isJoined || joined.length + portion.length > joinedLength) segment()
      joined += joined === "" ? portion : `\n${portion}`
      owners.push(index)
      if (!isJoined) segment()
    }
  }
  segment()
  return words
}
const portions = /.{1,128}/gsu
/** Maximum characters of runs that are segmented in one call. */
const joinedLength = 1_024
/** Maximum runs that are segmented one by one. The longest text has about 2,000. */
const maxAlone = 8_192

/** Overlapping pairs of characters, and the last character alone. */
const pairs = (run: string): ReadonlyArray<string> => {
  const characters = [...run]
  return characters.map((character, index) => character + (characters[index + 1] ?? ""))
}
