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
import { isStopWord } from "../../text/normalise/functionWords.js"
import { requestPhraseRanges } from "../../text/normalise/questionWords.js"
import type { Ranking } from "../actor/ReaderSource.js"
import type { LeftOut } from "./explain.js"
import type { ParsedQuery, Word } from "./querySyntax.js"
import { type Correction, correctSpelling } from "./spelling.js"

/** The words of a query: the words to search, its neighbouring words joined, and the words left out. */
export interface DistinguishingWords {
  readonly words: ReadonlyArray<Word>
  readonly joined: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<LeftOut>
  readonly corrections: ReadonlyArray<Correction>
}

/**
 * Chooses the words that distinguish rows. Leaves out stop words and words that occur in too many rows, as long as
 * other words remain. Neighbouring words that texts also write as one word ("rate limit", "ratelimit") become further
 * alternatives.
 */
export const chooseDistinguishingWords = (
  db: Db,
  corpus: Corpus,
  level: ReadingLevel,
  { must, plainText, should }: Pick<ParsedQuery, "must" | "plainText" | "should">,
  { lexicon, policy: { commonShare } }: Pick<Ranking, "lexicon" | "policy">
): DistinguishingWords => {
  const indexed = corpus.text.count(db, level)
  const maxRows = Math.floor(indexed * commonShare)
  const leftOut: Array<LeftOut> = []
  const leaveOut = <A extends Word>(words: ReadonlyArray<A>, reason: LeftOut["reason"], drop: (word: A) => boolean) => {
    const remaining = words.filter((word) => !word.isDroppable || !drop(word))
    if (remaining.length === 0 && must.length === 0) return words
    leftOut.push(...words.filter((word) => !remaining.includes(word)).map(({ text }) => ({ word: text, reason })))
    return remaining
  }
  const frames = requestPhraseRanges(plainText)
  const isInFrame = ({ offset }: Word) => frames.some(([from, to]) => offset >= from && offset < to)
  const searched = leaveOut(should, "stop word", (word) => isStopWord(word.text) || isInFrame(word))
  const { corrections, words } = correctSpelling(db, corpus, level, searched, lexicon)
  const count = (expression: string, limit: number) => countRows(db, corpus, level, expression, limit)
  const compounds = neighbourCompounds(words).flatMap(({ spaced, joined }) => {
    const rows = count(joined, maxRowsAsOneWord)
    if (rows === 0) return []
    return count(spaced, maxRowsOfRareWord) <= maxRowsOfRareWord
      ? [joined, joined]
      : rows <= maxRowsAsOneWord
        ? [joined]
        : []
  })
  if (indexed < minRowsForCommon) {
    const split = words.map((word) =>
      canSplit(word) ? withSplits(word, count(word.expression, maxRowsOfRareWord)) : word
    )
    return { words: split, joined: compounds, leftOut, corrections }
  }
  const counted = words.map((word) => ({ ...word, rows: word.isDroppable ? count(word.expression, maxRows) : 0 }))
  const distinguishing = leaveOut(counted, "in too many rows", ({ rows }) => rows > maxRows)
  return { words: distinguishing.map((word) => withSplits(word, word.rows)), joined: compounds, leftOut, corrections }
}

/**
 * Minimum rows before common words are left out. With fewer rows, common words cost nothing, and leaving them out would
 * only lose hits.
 */
const minRowsForCommon = 1_000
