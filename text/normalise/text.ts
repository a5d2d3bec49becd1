import { endingsOf, pairsOfHangul } from "./endings.js"
import { isEveryday } from "./everyday.js"
import { formsOf, formsOfWord, isHash, isSignedName, telephone } from "./forms.js"
import { folded } from "./letters.js"

/**
 * Counts the ways in which text was made ready for its index so far. Raised
 * when `indexed` or the tokenizer changes: the indexes are then made again.
 */
export const indexing = 3

/**
 * Text as it is indexed and searched, never as it is stored. Letters are
 * folded; runs of a script that writes no spaces are cut into words by
 * `Intl.Segmenter` and into overlapping pairs of characters, so that 東京 is
 * found inside 東京都に; emoji become words. Behind the text stand other forms of
 * its identifiers, numbers and names, so that phrases are found as they were.
 * Case, Latin accents and English word endings are left to FTS5's tokenizer.
 */
export const indexed = (text: string): string => {
  if (isEveryday(text)) return text
  if (plain.test(text)) return withForms(text, formsOf(text))
  const letters = folded(text)
  const spaced = letters.replace(unspacedOrEmoji, " ")
  return withForms(letters.replace(emoji, (match) => ` ${emojiWord(match)} `).replace(unspaced, inParts), [
    ...formsOf(spaced),
    ...pairsOfHangul(spaced)
  ])
}

const inParts = (run: string): string => {
  const short = shortened(run)
  const parts = new Set([...words(run), ...pairs(run), ...(short === run ? [] : pairs(short))])
  return ` ${[...parts].join(" ")} `
}

const withForms = (text: string, forms: ReadonlyArray<string>): string =>
  forms.length === 0 ? text : `${text}\n${forms.join(" ")}`

/** The FTS5 expression for one word or phrase of a query; null where nothing in it is indexed. */
export const expression = (phrase: string): string | null => {
  if (isEveryday(phrase) && !phrase.includes("://")) return tokenLike.test(phrase) ? quoted(phrase) : null
  const parts = folded(phrase)
    .split(unspacedOrEmoji)
    .flatMap((piece) => {
      if (emojiAlone.test(piece)) return [`"${emojiWord(piece)}"`]
      if (unspacedAlone.test(piece)) return unspacedParts(piece)
      return tokenLike.test(piece) ? [spacedPart(piece.trim())] : []
    })
  return parts.length === 0 ? null : both(parts)
}

/** What must be there of a run of a script without spaces. */
const unspacedParts = (run: string): ReadonlyArray<string> => {
  const asked = shortened(run)
  const found = pairs(asked)
  // One character alone is the beginning of some pair or the end of its run.
  if (found.length === 1) return tokenLike.test(asked) ? [`"${asked}" *`] : []
  return found
    .slice(0, -1)
    .filter((pair) => tokenLike.test(pair))
    .map(quoted)
}

/** Katakana without the sign of length at the end of a word, which may be left out: サーバー is サーバ. */
const shortened = (run: string): string => run.replace(/(?<=[ァ-ヶー]{3})ー(?![ァ-ヶー])/gu, "")

/** A word with its alternatives, or several words as a phrase. */
const spacedPart = (phrase: string): string => {
  const words = phrase.replace(edges, "")
  if (/\s/u.test(phrase) && tokenLike.test(phrase.replace(telephone, ""))) return quoted(phrase)
  const forms = formsOfWord(phrase).map(quoted)
  if (forms.length > 0 && isSignedName(phrase)) return either(forms)
  return either([quoted(phrase), ...forms, ...hashes(words), ...addresses(phrase), ...endingsOf(words).map(matching)])
}

/** A hash may be meant by its beginning, and a shorter one may have been written. */
const hashes = (word: string): ReadonlyArray<string> => {
  if (!isHash(word)) return []
  const shorter = [7, 8, 10, 12].filter((length) => length < word.length)
  return [`${quoted(word)} *`, ...shorter.map((length) => quoted(word.slice(0, length)))]
}

/** An address without its scheme, and without what stands behind its path. */
const addresses = (word: string): ReadonlyArray<string> => {
  const [, address] = /^\W*[a-z][a-z\d+.-]*:\/\/(?:www\.)?(.+)$/iu.exec(word) ?? []
  if (address === undefined) return []
  return [address, address.replace(/[?#].*$/u, "")].filter((one) => tokenLike.test(one)).map(quoted)
}

const matching = ({ all, prefix }: { readonly all: ReadonlyArray<string>; readonly prefix: boolean }): string =>
  both(all.map((word) => (prefix ? `${quoted(word)} *` : quoted(word))))

const quoted = (phrase: string): string => `"${phrase.trim().replaceAll('"', " ")}"`
const both = (parts: ReadonlyArray<string>): string => (parts.length === 1 ? parts[0]! : `(${parts.join(" AND ")})`)
const either = (parts: ReadonlyArray<string>): string => {
  const different = [...new Set(parts)]
  return different.length === 1 ? different[0]! : `(${different.join(" OR ")})`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const plain = /^[\x00-\x7f]*$/
const scripts =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々"
const unspaced = new RegExp(`[${scripts}][${scripts}\\p{M}]*`, "gu")
const unspacedAlone = new RegExp(`^[${scripts}][${scripts}\\p{M}]*$`, "u")
const flag = "\\p{Regional_Indicator}{2}"
const emoji = new RegExp(
  `${flag}|\\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]*(?:\\u200d\\p{Extended_Pictographic})*`,
  "gu"
)
const emojiAlone = new RegExp(`^(?:${flag}|\\p{Extended_Pictographic})`, "u")
const unspacedOrEmoji = new RegExp(`([${scripts}][${scripts}\\p{M}]*|${emoji.source})`, "gu")
const tokenLike = /[\p{L}\p{N}\p{M}]/u
const edges = /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}\p{M}])[^\p{L}\p{N}\p{M}]+$/gu

/** The word for an emoji, whatever its colour and company; for a flag the word for its country. */
const emojiWord = (match: string): string => {
  const [first, second] = [...match].map((character) => character.codePointAt(0)!)
  const country = first! >= 0x1f1e6 && first! <= 0x1f1ff
  return country ? `flag${first!.toString(16)}${second!.toString(16)}` : `emoji${first!.toString(16)}`
}

/** Made when it is first needed: what it knows of words takes a while to load. */
let segmenter: Intl.Segmenter | undefined

/** Each segment that `Intl` gives holds a copy of all that is cut: a long run comes in portions. */
const words = (run: string): ReadonlyArray<string> => {
  segmenter ??= new Intl.Segmenter("ja", { granularity: "word" })
  const cut = segmenter
  return (run.match(/.{1,128}/gsu) ?? []).flatMap((portion) =>
    [...cut.segment(portion)].filter((part) => part.isWordLike).map((part) => part.segment)
  )
}

/** Overlapping pairs, and the last character alone. */
const pairs = (run: string): ReadonlyArray<string> => {
  const characters = [...run]
  return characters.map((character, index) => character + (characters[index + 1] ?? ""))
}
