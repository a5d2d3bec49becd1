/**
 * Text as it is indexed and searched, never as it is stored. NFKC; runs of a
 * script that writes no spaces are cut into words by `Intl.Segmenter` and into
 * overlapping pairs of characters, so that 東京 is found inside 東京都に; emoji
 * become words. Case, accents and word endings are left to FTS5's tokenizer.
 */
export const indexed = (text: string): string => {
  if (plain.test(text)) return text
  return text
    .normalize("NFKC")
    .replace(emoji, (match) => ` emoji${match.codePointAt(0)!.toString(16)} `)
    .replace(unspaced, (run) => ` ${[...new Set([...words(run), ...pairs(run)])].join(" ")} `)
}

/** The FTS5 expression for one word or phrase of a query; null where nothing in it is indexed. */
export const expression = (phrase: string): string | null => {
  const parts: Array<string> = []
  let rest = ""
  const flush = () => {
    if (tokenLike.test(rest)) parts.push(`"${rest.trim().replaceAll('"', " ")}"`)
    rest = ""
  }
  for (const piece of (plain.test(phrase) ? phrase : phrase.normalize("NFKC")).split(unspacedOrEmoji)) {
    if (emojiAlone.test(piece)) {
      flush()
      parts.push(`"emoji${piece.codePointAt(0)!.toString(16)}"`)
    } else if (unspacedAlone.test(piece)) {
      flush()
      const characters = [...piece]
      // One character alone is the beginning of some pair or the end of its run.
      if (characters.length === 1) parts.push(`"${piece}" *`)
      else
        parts.push(
          ...pairs(piece)
            .slice(0, -1)
            .map((pair) => `"${pair}"`)
        )
    } else rest += piece
  }
  flush()
  return parts.length === 0 ? null : parts.length === 1 ? parts[0]! : `(${parts.join(" AND ")})`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant.
const plain = /^[\x00-\x7f]*$/
const scripts =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々"
const unspaced = new RegExp(`[${scripts}][${scripts}\\p{M}]*`, "gu")
const unspacedAlone = new RegExp(`^[${scripts}][${scripts}\\p{M}]*$`, "u")
const emoji = /\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]*(?:\u200d\p{Extended_Pictographic}\ufe0f?)*/gu
const emojiAlone = /^\p{Extended_Pictographic}/u
const unspacedOrEmoji = new RegExp(`([${scripts}][${scripts}\\p{M}]*|${emoji.source})`, "gu")
const tokenLike = /[\p{L}\p{N}]/u

const segmenter = new Intl.Segmenter("ja", { granularity: "word" })

const words = (run: string): ReadonlyArray<string> =>
  [...segmenter.segment(run)].filter((part) => part.isWordLike).map((part) => part.segment)

/** Overlapping pairs, and the last character alone. */
const pairs = (run: string): ReadonlyArray<string> => {
  const characters = [...run]
  return characters.map((character, index) => character + (characters[index + 1] ?? ""))
}
