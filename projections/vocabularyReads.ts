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
import { lettersOf, listOf, recentWords, wordsOf } from "./vocabulary.js"

/**
 * The words of readable memories that resemble a misspelt word, the most similar first. Up to 7 letters it may differ by
 * one edit, above by two; two edits in the first and in the last third of a word are not found.
 */
export const findSimilarWords = (db: Db, level: ReadingLevel, typed: string): ReadonlyArray<SimilarWord> => {
  const maxEdits = maxEditsOf(typed.length)
  if (maxEdits === 0 || typed.length > maxLetters) return []
  const letters = [...typed]
  const lists = readableLists(db, minOpennessOf(level), letters.length, maxEdits)
  const half = Math.floor(letters.length / 2)
  const middle = [...letters.slice(0, half - 1), letters[half], letters[half - 1], ...letters.slice(half + 1)].join("")
  // At the end the longer half, so that each edit spares one of the ends. Only the exchange in the middle changes both.
  const oneEdit = similarWords(lists, letters, {
    maxEdits: 1,
    start: letters.slice(0, half).join(""),
    end: letters.slice(half).join(""),
    alsoWord: middle
  })
  if (oneEdit.length > 0 || maxEdits === 1) return oneEdit
  const third = Math.max(3, Math.floor(letters.length / 3))
  return similarWords(lists, letters, {
    maxEdits: 2,
    start: letters.slice(0, third).join(""),
    end: letters.slice(-third).join("")
  })
}

/** The words of an openness and length. */
interface WordLists {
  readonly letters: number
  readonly lists: ReadonlyArray<string>
}

const readableLists = (
  db: Db,
  minOpenness: number,
  typedLetters: number,
  maxEdits: number
): ReadonlyArray<WordLists> => {
  const recent = recentWords(db, minOpenness)
  const [min, max] = [Math.max(minLetters, typedLetters - maxEdits), typedLetters + maxEdits]
  const all: Array<WordLists> = []
  for (let openness = minOpenness; openness < stores.length; openness++) {
    const words = recent.flatMap((row) => (row.openness === openness ? wordsOf(row.words) : []))
    const recentByLetters = Map.groupBy(words, lettersOf)
    for (let letters = min; letters <= max; letters++) {
      const lists = sql(db, "SELECT words FROM vocabulary WHERE openness = ? AND letters = ?").pluck()
      all.push({ letters, lists: [...lists.all(openness, letters), listOf(recentByLetters.get(letters) ?? [])] })
    }
  }
  return all
}

interface Near {
  readonly maxEdits: number
  /** Only words that begin or end like the typed word are compared. */
  readonly start: string
  readonly end: string
  /** A word that is found although neither of its ends is like that. */
  readonly alsoWord?: string
}

const similarWords = (
  all: ReadonlyArray<WordLists>,
  typedLetters: ReadonlyArray<string>,
  near: Near
): ReadonlyArray<SimilarWord> => {
  const { maxEdits } = near
  const typed = typedLetters.join("")
  const bits = letterBits(typed)
  const exchanged = exchangedWords(typedLetters)
  const similar = new Set<string>()
  for (const { letters, lists } of all) {
    if (Math.abs(letters - typedLetters.length) > maxEdits) continue
    for (const word of wordsNear(lists, near, exchanged)) {
      if (mayBeWithinEdits(bits, letterBits(word), maxEdits)) similar.add(word)
    }
  }
  return [...similar]
    .map((word) => ({ word, cost: editCost(typed, word, maxEdits) }))
    .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost || (a.word < b.word ? -1 : 1))
}

/** Words of some lists, all of one openness and length, that begin or end in a certain way. */
const wordsNear = (lists: ReadonlyArray<string>, near: Near, exchanged: ReadonlySet<string>): ReadonlyArray<string> => {
  const starting = lists.flatMap((list) => wordsStartingWith(list, near.start))
  const ending = lists.flatMap((list) => wordsEndingWith(list, near.end))
  const also = near.alsoWord
  return [
    ...firstOf(starting),
    ...firstOf(ending.map(reversed)).map(reversed),
    ...[...starting, ...ending].filter((word) => exchanged.has(word)),
    ...(also !== undefined && lists.some((list) => list.includes(listOf([also]))) ? [also] : [])
  ]
}

const wordsStartingWith = (list: string, start: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (let at = list.indexOf(start); at >= 0; at = list.indexOf(start, at + 1)) {
    // A list that was edited by hand may have no line break at its end.
    if (list[at - 1] === "\n") words.push(list.slice(at, list.indexOf("\n", at) >>> 0))
  }
  return words
}

const wordsEndingWith = (list: string, end: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  const pattern = `${end}\n`
  for (let at = list.indexOf(pattern); at >= 0; ) {
    const to = at + end.length
    words.push(list.slice(list.lastIndexOf("\n", at) + 1, to))
    at = list.indexOf(pattern, to)
  }
  return words
}

/** Maximum words of one openness and length with the same start or end that are compared. */
const maxWords = 150

/** The first of these words. Where a word is stored must make no difference, because hidden words can cause a move. */
const firstOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.length <= maxWords ? words : [...new Set(words)].sort().slice(0, maxWords)

const reversed = (word: string): string => [...word].reverse().join("")

/** The words that differ from a word by two exchanged neighbours. */
const exchangedWords = (letters: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    letters
      .slice(1)
      .map((letter, index) =>
        [...letters.slice(0, index), letter, letters[index], ...letters.slice(index + 2)].join("")
      )
  )
