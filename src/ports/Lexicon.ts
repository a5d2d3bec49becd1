import * as Context from "effect/Context"

/** Knowledge about words in general, independent of any memory. */
export interface LexiconService {
  /** Returns true for a known lower-case word. A known word does not count as misspelt. */
  readonly has: (word: string) => boolean
}

/** A lexicon. The default knows no words, so every word may count as misspelt. */
export class Lexicon extends Context.Reference<Lexicon>()("daybook/Lexicon", {
  defaultValue: (): LexiconService => ({ has: () => false })
}) {}
