import type { DefaultOptions } from "../layers/Default.js"

/**
 * Options without reconciler, extractor and the like, for commands that only read: loading the rules takes longer than a
 * search. The files of `[import] from` are stored without a comparison anyway.
 */
export const withoutRules = {
  extractor: null,
  reconciler: null,
  settler: null,
  statementReader: null,
  summarizer: null
} satisfies DefaultOptions
