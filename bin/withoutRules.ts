import type { DefaultOptions } from "../layers/Default.js"

/**
 * Options that switch off the reconciler, the extractor and the other rules, for commands that only read. Loading the
 * rules takes longer than a search. Files from the policy's `import.from` are stored without a comparison anyway.
 */
export const noRuleOptions = {
  extractor: null,
  reconciler: null,
  settler: null,
  statementReader: null,
  summarizer: null
} satisfies DefaultOptions
