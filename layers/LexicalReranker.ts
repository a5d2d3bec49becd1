import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Reranker, type RerankerService } from "../src/ports/Reranker.js"
import { isStopWord } from "../text/normalise/functionWords.js"
import { stemOf } from "../text/normalise/stem.js"

/**
 * Scores how well a text matches the words of a query: how many words occur, how close together, in which order, and
 * whether they form the exact phrase. Needs no model. Reads the first 600 characters of each text.
 *
 * score = (share of the words)² × (closeness / 2 + order / 4 + phrase / 4), each 0…1
 */
export const lexicalReranker: RerankerService = {
  name: "lexical-1",
  topN: 50,
  local: true,
  weight: 0.05,
  rerank: (query, texts) =>
    Effect.sync(() => {
      const terms = [...new Set(wordsOf(query).filter((word) => !isStopWord(word)))].map(stemOf).slice(0, maxTerms)
      return texts.map((text) => score(terms, wordsOf(text.slice(0, maxCharacters)).map(stemOf)))
    })
}

/** The lexical reranker as a layer. */
export const layer: Layer.Layer<Reranker> = Layer.succeed(Reranker, lexicalReranker)

const maxCharacters = 600
const maxTerms = 16

/** The score of a text's words for the query's terms, 0…1. */
const score = (terms: ReadonlyArray<string>, words: ReadonlyArray<string>): number => {
  if (terms.length < 2) return 0
  const numbers = new Map(terms.map((term, number) => [term, number]))
  const occurrences: Array<Occurrence> = []
  for (let position = 0; position < words.length; position++) {
    const term = numbers.get(words[position]!)
    if (term !== undefined) occurrences.push([position, term])
  }
  const distinct = new Set(occurrences.map(([, term]) => term)).size
  if (distinct < 2) return 0
  const { inOrder, adjacent } = pairs(occurrences)
  const maxPairs = distinct - 1
  const proximity = maxPairs / (span(occurrences, distinct) - 1)
  const order = Math.min(1, inOrder / maxPairs)
  const phrase = Math.min(1, adjacent / maxPairs)
  return (distinct / terms.length) ** 2 * (proximity / 2 + order / 4 + phrase / 4)
}

/** The position of a word in the text, and the index of the query's term that it equals. */
type Occurrence = readonly [position: number, term: number]

/** The length in words of the shortest passage that contains every occurring term. */
const span = (occurrences: ReadonlyArray<Occurrence>, distinct: number): number => {
  const inside = new Map<number, number>()
  let best = Number.POSITIVE_INFINITY
  let from = 0
  for (const [position, term] of occurrences) {
    inside.set(term, (inside.get(term) ?? 0) + 1)
    while (inside.size === distinct) {
      const [start, first] = occurrences[from++]!
      best = Math.min(best, position - start + 1)
      const left = inside.get(first)! - 1
      if (left === 0) inside.delete(first)
      else inside.set(first, left)
    }
  }
  return best
}

/**
 * Counts two kinds of consecutive occurrences: `inOrder` are in the query's order, `adjacent` are neighbours in both
 * the query and the text.
 */
const pairs = (occurrences: ReadonlyArray<Occurrence>) => {
  const inOrder = new Set<number>()
  const adjacent = new Set<number>()
  for (let index = 1; index < occurrences.length; index++) {
    const [[position, term], [next, follower]] = [occurrences[index - 1]!, occurrences[index]!]
    if (follower <= term) continue
    inOrder.add(term)
    if (follower === term + 1 && next === position + 1) adjacent.add(term)
  }
  return { inOrder: inOrder.size, adjacent: adjacent.size }
}

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
