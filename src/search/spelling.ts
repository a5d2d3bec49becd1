import type { ReadingLevel } from "../../events/Trust.js"
import { type Corpus, countRows } from "../../projections/hybridSearch.js"
import type { Db } from "../../projections/Projection.js"
import { withSplits } from "../../text/normalise/compounds.js"
import { ftsExpression } from "../../text/normalise/indexText.js"
import { isUsualTypo, maxEditsOf, spelledWord } from "../../text/normalise/spelling.js"
import type { LexiconService } from "../ports/Lexicon.js"
import type { Word } from "./querySyntax.js"

/** A word of the query that occurs in no readable row, and the words that were searched instead. */
export interface Correction {
  readonly word: string
  readonly readAs: ReadonlyArray<string>
}

/** Maximum words of a query that are corrected, and maximum words that replace one of them. */
const maxCorrections = 4
const maxReadAs = 3

/**
 * Replaces words that occur in no readable row by similar words that do. If the lexicon contains the typed word, it is
 * replaced only if the difference is a usual typing error, because the user may well mean the typed word.
 */
export const correctSpelling = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  words: ReadonlyArray<Word>,
  lexicon: LexiconService | undefined
): { readonly words: ReadonlyArray<Word>; readonly corrections: ReadonlyArray<Correction> } => {
  const corrections: Array<Correction> = []
  const { similarWords } = corpus
  if (similarWords === undefined) return { words, corrections }
  const occurs = (expression: string) => countRows(db, corpus, level, expression, 0) > 0
  const corrected = words.map((word) => {
    const typed = word.isDroppable && corrections.length < maxCorrections ? spelledWord(word.text) : undefined
    if (typed === undefined || maxEditsOf(typed.length) === 0 || occurs(withSplits(word, 0).expression)) return word
    const isKnown = lexicon?.has(typed) === true
    const readAs: Array<{ readonly word: string; readonly expression: string; readonly cost: number }> = []
    for (const similar of similarWords(db, level, typed)) {
      if (readAs.length === maxReadAs || similar.cost > (readAs[0]?.cost ?? similar.cost)) break
      const expression = isKnown && !isUsualTypo(typed, similar.word) ? null : ftsExpression(similar.word)
      if (expression !== null && occurs(expression)) readAs.push({ ...similar, expression })
    }
    if (readAs.length === 0) return word
    corrections.push({ word: word.text, readAs: readAs.map(({ word }) => word) })
    return { ...word, expression: `(${readAs.map(({ expression }) => expression).join(" OR ")})` }
  })
  return { words: corrected, corrections }
}
