import { textOf } from "../../../../src/maintenance/pairs.js"
import type { Row } from "../../../../src/model/MemoryRow.js"
import { wordSetSimilarity } from "../../../../text/normalise/similarity.js"
import { statesOtherValue } from "./gaps.js"
import { type Reading, readingOf } from "./readings.js"
import { createNameTest, indexUtterances, utterancesOf } from "./utterances.js"

/** Minimum overlap of the words of two nearly equal texts, 0…1. */
const minOverlap = 0.65

/**
 * Returns a test for two of these rows. The test is true if the title of `row` repeats `other` in other words. `other`
 * must contain all names and numbers of the title. In addition, either the words are nearly the same, or the title has
 * a name or number that only occurs together with the subject that both share.
 */
export const createRepeatTest = (rows: ReadonlyArray<Row>): ((row: Row, other: Row) => boolean) => {
  const utterances = rows.flatMap((row) => utterancesOf(row, []))
  const [isName, index] = [createNameTest(utterances), indexUtterances(utterances)]
  const namesAndNumbers = ({ allStems: utterances }: Reading): ReadonlyArray<string> =>
    [...utterances].filter((stem) => isName(stem) || /\p{N}/u.test(stem))
  return ({ memory: { title } }, other) => {
    const text = textOf(other)
    const [mine, its] = [readingOf(title), readingOf(text)]
    const names = namesAndNumbers(mine)
    if (!names.every((word) => its.allStems.has(word)) || statesOtherValue(title, text)) return false
    if (wordSetSimilarity(mine.allStems, its.allStems) >= minOverlap) return true
    const mainName = names.reduce(
      (mostFrequent, word) => (index.countOf(word) > index.countOf(mostFrequent) ? word : mostFrequent),
      names[0] ?? ""
    )
    return names.some(
      (word) => word !== mainName && index.countOf(word) === index.containing(mainName, new Set([word])).length
    )
  }
}
