/** The trimmed sentences of a text. Line breaks end sentences. */
export const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(sentenceEnd)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")

/** The position after the last sentence that ends inside a text, including spaces after it; 0 if none ends. */
export const lastSentenceEnd = (text: string): number => {
  let last = 0
  for (const { 0: blanks, index } of text.matchAll(sentenceEnd)) last = index + blanks.length
  return last
}

/**
 * Matches the space after a sentence. The look-ahead comes first, because the look-behind alone would take quadratic
 * time in a row of brackets. Chunks depend on this pattern, so increase `chunkingVersion` when it changes.
 */
const sentenceEnd = /(?=\s)(?<=[.!?][)"'”’\]]*)\s+|\n+|(?<=[。！？])(?!\n)/gu

/** The specific words of a text: numbers, dates, and words written like names. */
export const specificWords = (text: string): ReadonlySet<string> => {
  const words = new Set<string>()
  for (const [word] of text.matchAll(/\p{N}[\p{N}.,:/-]*|[\p{L}\p{M}][\p{L}\p{M}\p{N}_'’-]*/gu)) {
    const trimmed = word.replace(/[.,:/'’-]+$/u, "")
    if (/\p{N}/u.test(trimmed) || /^\p{Lu}/u.test(trimmed) || /\p{Ll}\p{Lu}/u.test(trimmed)) words.add(trimmed)
  }
  return words
}

/**
 * Shortens a text to a maximum length in characters. Keeps the first sentence, then the sentences with the most
 * numbers, dates and names per character, in text order. A text within the limit stays unchanged.
 */
export const shortenText = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text
  const sentences = sentencesOf(text)
  const scores = sentences.map((sentence, index) =>
    index === 0 ? Number.POSITIVE_INFINITY : specificWords(sentence).size / sentence.length
  )
  const order = sentences.map((_, index) => index).sort((a, b) => scores[b]! - scores[a]! || a - b)
  const selected = new Set<number>()
  let length = 0
  for (const index of order) {
    const added = sentences[index]!.length + (selected.size === 0 ? 0 : 1)
    if (length + added > maxLength) continue
    selected.add(index)
    length += added
  }
  if (selected.size === 0) return truncate(sentences[0] ?? text, maxLength)
  return sentences.filter((_, index) => selected.has(index)).join(" ")
}

/** Cuts a sentence that is too long at the end of a word. */
const truncate = (sentence: string, maxLength: number): string => {
  const start = sentence.slice(0, maxLength - 1).replace(/\p{Surrogate}$/u, "")
  return `${start.replace(/\s+\S*$/u, "") || start}…`
}
