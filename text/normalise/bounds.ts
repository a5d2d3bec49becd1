/** Limits of what is derived from a text. The stored text stays whole; each limit bounds the work of one stage. */
export const bounds = {
  /**
   * Characters (UTF-16 units) of one text that are indexed: as many as the longest narrative has. Only the facts of one
   * memory can have more. Indexing 65,536 characters takes some 40 ms.
   */
  indexedCharacters: 65_536,
  /** Characters after normalisation, per character and in addition: NFKC makes 18 of each "ﷺ". */
  growth: 2,
  added: 64,
  /**
   * Occurrences of one word that are indexed in a text. A phrase is compared at each of them. "the" occurs some 700
   * times in the longest narrative.
   */
  occurrences: 4_096,
  /** Words of a phrase that a query compares, because each is compared at every place where the first one occurs. */
  phraseWords: 16,
  /** Alternatives of one word of a query, and pairs of characters of a run of a script without spaces. */
  alternatives: 32,
  /**
   * Characters of one turn or file that are cut into chunks and indexed. All its chunks are written in one transaction:
   * 131,072 characters take some 80 ms.
   */
  chunkedCharacters: 131_072
} as const

/** The beginning of a text, at most `length` characters, cut between two characters. */
export const cutText = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/u, "")
