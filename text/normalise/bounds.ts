/** Limits of text processing. The stored text stays complete; each limit bounds the work of one stage. */
export const bounds = {
  /**
   * Maximum bytes (UTF-8) indexed from one narrative, turn or file, or from all facts of a memory, before and after
   * normalisation. The longest narrative has this many characters. One transaction indexes all these bytes.
   */
  indexedBytes: 65_536,
  /** Maximum characters (UTF-16 units) of one text that a local embedder reads, before and after normalisation. */
  embeddedCharacters: 32_768,
  /**
   * Maximum characters after normalisation: `growth` × the characters of the text + `added`. NFKC turns one "ﷺ" into 18
   * characters.
   */
  growth: 2,
  added: 64,
  /**
   * Maximum indexed occurrences of one word in a text, because a phrase is compared at each of them. "the" occurs
   * about 700 times in the longest narrative.
   */
  occurrences: 4_096,
  /** Maximum different words of one text that are indexed. The longest narrative in English has about 3,000. */
  words: 6_144,
  /**
   * Maximum words of a phrase that a query compares. Each word is compared at every place where the first word occurs.
   */
  phraseWords: 16,
  /** Maximum alternatives of one query word, and maximum pairs of characters in one run of a script without spaces. */
  alternatives: 32
} as const

/** The start of a text, at most `bytes` long in UTF-8, never cut inside a character. */
export const cutBytes = (text: string, bytes: number): string => {
  // A unit of UTF-16 takes at most three bytes.
  if (3 * text.length <= bytes) return text
  const { read } = encoder.encodeInto(text.slice(0, bytes), new Uint8Array(bytes))
  return read === text.length ? text : text.slice(0, read)
}

const encoder = new TextEncoder()
