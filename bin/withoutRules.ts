import type { DefaultOptions } from "../layers/Default.js"

/**
 * Options of a memory system that decides nothing. Loading the rules takes longer than a search, which needs none. The
 * caller must not write memories with it, because no statement would be compared.
 */
export const withoutRules = {
  extractor: null,
  reconciler: null,
  settler: null,
  statementReader: null,
  summarizer: null
} satisfies DefaultOptions
