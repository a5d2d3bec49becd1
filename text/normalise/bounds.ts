/** Limits of text processing. The stored text stays complete; each limit bounds the work of one stage. */
export const bounds = {
  /**
   * Characters (UTF-16 units) of one text that are indexed: the maximum length of a narrative. Only the facts of a
   * memory can be longer. Indexing 65,536 characters takes about 40 ms.
   */
  indexedCharacters: 65_536,
  /**
   * Maximum length after normalisation: `growth` × the length before, plus `added`. NFKC makes 18 characters of one
   * "ﷺ".
   */
  growth: 2,
  added: 64,
  /**
   * Occurrences of one word that are indexed in a text, because a phrase is compared at each of them. "the" occurs
   * about 700 times in the longest narrative.
   */
  occurrences: 4_096,
  /**
   * Maximum words of a phrase that a query compares. Each word is compared at every place where the first word occurs.
   */
  phraseWords: 16,
  /** Maximum alternatives of one query word, and maximum pairs of characters in one run of a script without spaces. */
  alternatives: 32,
  /**
   * Characters of one turn or file that are cut into chunks and indexed. All its chunks are written in one transaction:
   * 131,072 characters take about 80 ms.
   */
  chunkedCharacters: 131_072
} as const

/** The start of a text, at most `length` characters, never cut inside a character. */
export const cutText = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/u, "")
