import { minOpennessOf, type ReadingLevel, stores } from "../events/Trust.js"
import { editCost, letterBits, maxEditsOf, maxLetters, mayBeWithin, minLetters } from "../text/normalise/spelling.js"
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
  const opennesses = opennessesOf(db, minOpennessOf(level))
  const half = Math.floor(letters.length / 2)
  const middle = [...letters.slice(0, half - 1), letters[half], letters[half - 1], ...letters.slice(half + 1)].join("")
  // At the end the longer half, so that each edit spares one of the ends. Only the exchange in the middle changes both.
  const oneEdit = similarWords(db, opennesses, letters, {
    maxEdits: 1,
    start: letters.slice(0, half),
    end: letters.slice(half),
    alsoWord: middle
  })
  if (oneEdit.length > 0 || maxEdits === 1) return oneEdit
  const third = Math.max(3, Math.floor(letters.length / 3))
  return similarWords(db, opennesses, letters, {
    maxEdits: 2,
    start: letters.slice(0, third),
    end: letters.slice(-third)
  })
}

/** The recent words of an openness, as lists by their letters. */
interface Openness {
  readonly openness: number
  readonly recent: ReadonlyMap<number, string>
}

const opennessesOf = (db: Db, minOpenness: number): ReadonlyArray<Openness> => {
  const rows = recentWords(db, minOpenness)
  return stores.slice(minOpenness).map((_, index) => {
    const openness = minOpenness + index
    const words = rows.flatMap((row) => (row.openness === openness ? wordsOf(row.words) : []))
    const byLetters = [...Map.groupBy(words, lettersOf)]
    return { openness, recent: new Map(byLetters.map(([letters, words]) => [letters, listOf(words)])) }
  })
}

interface Near {
  readonly maxEdits: number
  /** Only words that begin or end like the typed word are compared. */
  readonly start: ReadonlyArray<string>
  readonly end: ReadonlyArray<string>
  /** A word that is found although neither of its ends is like that. */
  readonly alsoWord?: string
}

const similarWords = (
  db: Db,
  opennesses: ReadonlyArray<Openness>,
  typedLetters: ReadonlyArray<string>,
  near: Near
): ReadonlyArray<SimilarWord> => {
  const { maxEdits } = near
  const typed = typedLetters.join("")
  const bits = letterBits(typed)
  const exchanged = exchangedWords(typedLetters)
  const min = Math.max(minLetters, typedLetters.length - maxEdits)
  const max = typedLetters.length + maxEdits
  const similar = new Set<string>()
  for (const { openness, recent } of opennesses) {
    const lists = Map.groupBy(wordLists(db, openness, min, max), ({ letters }) => letters)
    for (let letters = min; letters <= max; letters++) {
      const ofLetters = [...(lists.get(letters) ?? []).map(({ words }) => words), recent.get(letters) ?? ""]
      for (const word of wordsNear(ofLetters, near, exchanged)) {
        if (mayBeWithin(bits, letterBits(word), maxEdits)) similar.add(word)
      }
    }
  }
  return [...similar]
    .map((word) => ({ word, cost: editCost(typed, word, maxEdits) }))
    .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost || (a.word < b.word ? -1 : 1))
}

interface WordList {
  readonly letters: number
  readonly words: string
}

const wordLists = (db: Db, openness: number, min: number, max: number): ReadonlyArray<WordList> =>
  sql(db, "SELECT letters, words FROM vocabulary WHERE openness = ? AND letters BETWEEN ? AND ?").all(
    openness,
    min,
    max
  )

/** Words of some lists, all of one openness and length, that begin or end in a certain way. */
const wordsNear = (lists: ReadonlyArray<string>, near: Near, exchanged: ReadonlySet<string>): ReadonlyArray<string> => {
  const starting = lists.flatMap((list) => wordsStartingWith(list, near.start.join("")))
  const ending = lists.flatMap((list) => wordsEndingWith(list, near.end.join("")))
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
  const pattern = `\n${start}`
  for (let at = list.indexOf(pattern); at >= 0; ) {
    const to = list.indexOf("\n", at + 1)
    // A list that was edited by hand may have no end.
    if (to < 0) break
    words.push(list.slice(at + 1, to))
    at = list.indexOf(pattern, to)
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
