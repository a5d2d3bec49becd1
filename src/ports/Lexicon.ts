import * as Context from "effect/Context"

/** Knowledge about words in general, apart from any memory. */
export interface LexiconService {
  /** Whether a lower-case word is a known word. Known words are not taken for misspelt ones. */
  readonly has: (word: string) => boolean
}

/** A lexicon; without one, every word may be misspelt. */
export class Lexicon extends Context.Reference<Lexicon>()("daybook/Lexicon", {
  defaultValue: (): LexiconService => ({ has: () => false })
}) {}
