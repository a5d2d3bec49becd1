import type { ReadingLevel } from "../../events/Trust.js"
import { type Corpus, countRows } from "../../projections/hybridSearch.js"
import type { Db } from "../../projections/Projection.js"
import {
  canSplit,
  maxRowsAsOneWord,
  maxRowsOfRareWord,
  neighbourCompounds,
  withSplits
} from "../../text/normalise/compounds.js"
import { isStopWord, requestPhrasesOf } from "../../text/normalise/stopWords.js"
import type { LeftOut } from "./explain.js"
import type { ParsedQuery, Word } from "./query.js"

/** The searched words of a query, its joined neighbours, and the words left out. */
export interface DistinguishingWords {
  readonly words: ReadonlyArray<Word>
  readonly joined: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<LeftOut>
}

/**
 * Chooses the words that distinguish rows. Stop words, and words that occur in too many rows, are left out while others
 * remain. Neighbouring words that occur as one word ("rate limit", "ratelimit") become further alternatives.
 */
export const distinguishingWords = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  { must, plain, should }: Pick<ParsedQuery, "must" | "plain" | "should">,
  commonShare: number
): DistinguishingWords => {
  const indexed = corpus.text.count(db, level)
  const maxRows = Math.floor(indexed * commonShare)
  const leftOut: Array<LeftOut> = []
  const without = <A extends Word>(words: ReadonlyArray<A>, reason: LeftOut["reason"], drop: (word: A) => boolean) => {
    const kept = words.filter((word) => !word.droppable || !drop(word))
    if (kept.length === 0 && must.length === 0) return words
    leftOut.push(...words.filter((word) => !kept.includes(word)).map(({ text }) => ({ word: text, reason })))
    return kept
  }
  const frames = requestPhrasesOf(plain)
  const framed = ({ at }: Word) => frames.some(([from, to]) => at >= from && at < to)
  const words = without(should, "stop word", (word) => isStopWord(word.text) || framed(word))
  const count = (expression: string, limit: number) => countRows(db, corpus, level, expression, limit)
  const compounds = neighbourCompounds(words).flatMap(({ apart, together }) => {
    const rows = count(together, maxRowsAsOneWord)
    if (rows === 0) return []
    return count(apart, maxRowsOfRareWord) <= maxRowsOfRareWord
      ? [together, together]
      : rows <= maxRowsAsOneWord
        ? [together]
        : []
  })
  if (indexed < minRowsForCommon) {
    const split = words.map((word) =>
      canSplit(word) ? withSplits(word, count(word.expression, maxRowsOfRareWord)) : word
    )
    return { words: split, joined: compounds, leftOut }
  }
  const counted = words.map((word) => ({ ...word, rows: word.droppable ? count(word.expression, maxRows) : 0 }))
  const kept = without(counted, "in too many rows", ({ rows }) => rows > maxRows)
  return { words: kept.map((word) => withSplits(word, word.rows)), joined: compounds, leftOut }
}

/** Below this many rows common words cost nothing, and leaving them out would only lose hits. */
const minRowsForCommon = 1_000
