import { minOpennessOf, type ReadingLevel, stores } from "../events/Trust.js"
import {
  editCost,
  letterBits,
  maxEditsOf,
  maxLetters,
  mayBeWithinEdits,
  minLetters
} from "../text/normalise/spelling.js"
import type { SimilarWord } from "./hybridSearch.js"
import { type Db, sql } from "./Projection.js"
import { type RecentWords, recentWords, reverseWord } from "./vocabulary.js"

/**
 * The words of readable memories that resemble a misspelt word, the most similar first. Up to 7 letters it may differ by
 * one edit, above by two; two edits in the first and in the last third of a word are not found.
 */
export const findSimilarWords = (db: Db, level: ReadingLevel, typed: string): ReadonlyArray<SimilarWord> => {
  const maxEdits = maxEditsOf(typed.length)
  if (maxEdits === 0 || typed.length > maxLetters) return []
  const words = { db, minOpenness: minOpennessOf(level), recent: recentWords(db, minOpennessOf(level)) }
  // SQLite counts a letter outside the Basic Multilingual Plane as one letter, not two.
  const letters = [...typed]
  const oneEdit = similarWords(words, letters, 1, Math.floor(letters.length / 2))
  return oneEdit.length > 0 || maxEdits === 1
    ? oneEdit
    : similarWords(words, letters, 2, Math.max(3, Math.floor(letters.length / 3)))
}

/** The indexed and the recent words that a reader may read. */
interface Words {
  readonly db: Db
  readonly minOpenness: number
  readonly recent: ReadonlyArray<RecentWords>
}

/** The words within some edits that share this many letters at one end, or differ only by exchanged neighbours. */
const similarWords = (
  words: Words,
  typedLetters: ReadonlyArray<string>,
  maxEdits: number,
  sharedLetters: number
): ReadonlyArray<SimilarWord> => {
  const typed = typedLetters.join("")
  const bits = letterBits(typed)
  const start = typedLetters.slice(0, sharedLetters).join("")
  // At the end the longer half, so that each edit spares one of the ends.
  const end = typedLetters.slice(maxEdits === 1 ? sharedLetters : -sharedLetters).join("")
  const found = new Set(exchangedWords(words, typedLetters))
  const longest = typedLetters.length + maxEdits
  for (let openness = words.minOpenness; openness < stores.length; openness++) {
    for (let letters = Math.max(minLetters, typedLetters.length - maxEdits); letters <= longest; letters++) {
      const near = [
        ...wordsWith(words, starts, openness, letters, start),
        ...wordsWith(words, ends, openness, letters, end)
      ]
      for (const word of near) if (mayBeWithinEdits(bits, letterBits(word), maxEdits)) found.add(word)
    }
  }
  return [...found]
    .map((word) => ({ word, cost: editCost(typed, word, maxEdits) }))
    .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost || (a.word < b.word ? -1 : 1))
}

/** Maximum words of one openness and length with the same start or end that are compared. */
const maxRows = 150

/** The index of an end of words: its table and column, and a word as it stands there. */
interface EndIndex {
  readonly table: string
  readonly column: string
  readonly toIndexed: (word: string) => string
  readonly has: (word: string, letters: string) => boolean
}

const starts: EndIndex = {
  table: "vocabulary",
  column: "word",
  toIndexed: (word) => word,
  has: (word, letters) => word.startsWith(letters)
}
const ends: EndIndex = {
  table: "vocabulary_reversed",
  column: "reversed",
  toIndexed: reverseWord,
  has: (word, letters) => word.endsWith(letters)
}

/** Words of one openness and length that have these letters at an end. */
const wordsWith = (
  { db, recent }: Words,
  { column, has, table, toIndexed }: EndIndex,
  openness: number,
  letters: number,
  shared: string
): ReadonlyArray<string> => {
  const start = toIndexed(shared)
  const indexed: ReadonlyArray<string> = sql(
    db,
    `SELECT ${column} FROM ${table} WHERE openness = ? AND letters = ? AND ${column} >= ? AND ${column} < ?
      ORDER BY ${column} LIMIT ${maxRows}`
  )
    .pluck()
    .all(openness, letters, start, `${start}\u{10ffff}`)
  const also = recent.flatMap((row) =>
    row.openness === openness ? row.words.filter((word) => has(word, shared) && [...word].length === letters) : []
  )
  return firstOf([...indexed, ...also.map(toIndexed)]).map(toIndexed)
}

/** The first of these words. A move of words must make no difference, because hidden words can cause a move. */
const firstOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.length <= maxRows ? words : [...new Set(words)].sort().slice(0, maxRows)

/** The words that differ from a word by two exchanged neighbours. */
const exchangedWords = ({ db, minOpenness, recent }: Words, letters: ReadonlyArray<string>): ReadonlyArray<string> => {
  const exchanged = letters
    .slice(1)
    .map((letter, index) => [...letters.slice(0, index), letter, letters[index], ...letters.slice(index + 2)].join(""))
  const indexed: ReadonlyArray<string> = sql(
    db,
    `SELECT word FROM vocabulary WHERE openness >= ? AND openness IN (0, 1, 2) AND letters = ?
      AND word IN (SELECT value FROM json_each(?))`
  )
    .pluck()
    .all(minOpenness, letters.length, JSON.stringify(exchanged))
  const also = recent.flatMap(({ words }) => words.filter((word) => exchanged.includes(word)))
  return [...indexed, ...also]
}
