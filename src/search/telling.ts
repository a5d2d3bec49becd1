import type { ReadingLevel } from "../../events/Trust.js"
import { type Corpus, countRows } from "../../projections/hits.js"
import type { Db } from "../../projections/Projection.js"
import { fewTogether, hasHalves, joined, rare, withHalves } from "../../text/normalise/compounds.js"
import { framesOf, isStopWord } from "../../text/normalise/stopWords.js"
import type { LeftOut } from "./explain.js"
import type { ParsedQuery, Word } from "./query.js"

/** The words of a query that are looked for, neighbours as one where they are not found apart, and what is left out. */
export interface Telling {
  readonly words: ReadonlyArray<Word>
  readonly joined: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/**
 * The words that tell rows apart: stop words and words of too many rows are
 * left out, while others remain.
 */
export const telling = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  { must, plain, should }: Pick<ParsedQuery, "must" | "plain" | "should">,
  commonShare: number
): Telling => {
  const indexed = corpus.text.count(db, level)
  const most = Math.floor(indexed * commonShare)
  const leftOut: Array<LeftOut> = []
  const without = <A extends Word>(words: ReadonlyArray<A>, reason: LeftOut["reason"], out: (word: A) => boolean) => {
    const kept = words.filter((word) => !word.droppable || !out(word))
    if (kept.length === 0 && must.length === 0) return words
    leftOut.push(...words.filter((word) => !kept.includes(word)).map(({ text }) => ({ word: text, reason })))
    return kept
  }
  const frames = framesOf(plain)
  const framed = ({ at }: Word) => frames.some(([from, to]) => at >= from && at < to)
  const words = without(should, "stop word", (word) => isStopWord(word.text) || framed(word))
  const rows = ({ expression }: Word, most: number) => countRows(db, corpus, level, expression, most)
  const few = (expression: string, most: number) => countRows(db, corpus, level, expression, most) <= most
  const compounds = joined(words).flatMap(({ apart, together }) => {
    const found = countRows(db, corpus, level, together, fewTogether)
    if (found === 0) return []
    return few(apart, rare) ? [together, together] : found <= fewTogether ? [together] : []
  })
  if (indexed < commonFrom) {
    const whole = words.map((word) => (hasHalves(word) ? withHalves(word, rows(word, rare)) : word))
    return { words: whole, joined: compounds, leftOut }
  }
  const counted = words.map((word) => ({ ...word, rows: word.droppable ? rows(word, most) : 0 }))
  const kept = without(counted, "in too many rows", ({ rows }) => rows > most)
  return { words: kept.map((word) => withHalves(word, word.rows)), joined: compounds, leftOut }
}

/** Below this many rows common words cost nothing, and leaving them out would only lose hits. */
const commonFrom = 1_000
