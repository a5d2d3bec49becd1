import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Reranker } from "../src/ports/Reranker.js"
import { isStopWord } from "../text/normalise/stopWords.js"

/**
 * Looks at how the words of a query stand in a text: how many of them, how close
 * together, in what order, and whether as the very phrase. Needs no model; looks
 * at the first 600 characters of each text.
 *
 * score = share of the words² × (closeness / 2 + order / 4 + phrase / 4), each 0…1
 */
export const layer: Layer.Layer<Reranker> = Layer.succeed(Reranker, {
  name: "lexical-1",
  topN: 50,
  local: true,
  weight: 0.05,
  rerank: (query, texts) =>
    Effect.sync(() => {
      const terms = [...new Set(wordsOf(query).filter((word) => !isStopWord(word)))].map(stem).slice(0, mostTerms)
      return texts.map((text) => score(terms, wordsOf(text.slice(0, looked)).map(stem)))
    })
})

const looked = 600
const mostTerms = 16

/** How the terms stand among the words of a text. */
const score = (terms: ReadonlyArray<string>, words: ReadonlyArray<string>): number => {
  if (terms.length < 2) return 0
  const numbers = new Map(terms.map((term, number) => [term, number]))
  const found: Array<readonly [at: number, term: number]> = []
  for (let at = 0; at < words.length; at++) {
    const term = numbers.get(words[at]!)
    if (term !== undefined) found.push([at, term])
  }
  const distinct = new Set(found.map(([, term]) => term)).size
  if (distinct < 2) return 0
  const { inOrder, adjacent } = pairs(found)
  const most = distinct - 1
  return (
    (distinct / terms.length) ** 2 *
    (most / (span(found, distinct) - 1) / 2 + Math.min(1, inOrder / most) / 4 + Math.min(1, adjacent / most) / 4)
  )
}

/** The fewest words in a row that hold every term that occurs. */
const span = (found: ReadonlyArray<readonly [at: number, term: number]>, distinct: number): number => {
  const inside = new Map<number, number>()
  let best = Number.POSITIVE_INFINITY
  let from = 0
  for (const [at, term] of found) {
    inside.set(term, (inside.get(term) ?? 0) + 1)
    while (inside.size === distinct) {
      const [start, first] = found[from++]!
      best = Math.min(best, at - start + 1)
      const left = inside.get(first)! - 1
      if (left === 0) inside.delete(first)
      else inside.set(first, left)
    }
  }
  return best
}

/** Terms that follow one another as they do in the query: anywhere near, and as neighbours. */
const pairs = (found: ReadonlyArray<readonly [at: number, term: number]>) => {
  const inOrder = new Set<number>()
  const adjacent = new Set<number>()
  for (let index = 1; index < found.length; index++) {
    const [[at, term], [next, follower]] = [found[index - 1]!, found[index]!]
    if (follower <= term) continue
    inOrder.add(term)
    if (follower === term + 1 && next === at + 1) adjacent.add(term)
  }
  return { inOrder: inOrder.size, adjacent: adjacent.size }
}

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** English endings that change with number and tense; other languages keep their words. */
const stem = (word: string): string => {
  if (word.length < 5) return word.endsWith("s") && word.length > 3 ? word.slice(0, -1) : word
  return word.replace(/(?:ing|ies|ied|ed|es|s|e)$/u, "").replace(/y$/u, "")
}
