import { setOf } from "../../../../text/normalise/functionWords.js"
import { ownText } from "../../../../text/normalise/ownText.js"
import { type WordTable, wordTable, wordVectorDimensions } from "../../../wordTable.js"
import type { Clause, Word } from "./Clause.js"
import type { TitleWords } from "./differences.js"

/** The role of a word, simplified: subject, attribute, value, occasion, remark, former value. */
export type WordRole = "subject" | "attribute" | "value" | "scope" | "aside" | "former"

/** A word of a clause, prepared for comparison. */
export interface Token {
  readonly canon: string
  readonly form: string
  readonly side: WordRole
  readonly name: boolean
  /** The weight of the word, 0…1. Rare words have a higher weight. */
  readonly weight: number
  /** The row of the word in the word table; −1 if the table does not contain the word. */
  readonly row: number
}

/** The simplified role of each place. Places that are missing here are values. */
const sides: Readonly<Partial<Record<Word["place"], WordRole>>> = {
  subject: "subject",
  attribute: "attribute",
  scope: "scope",
  reason: "aside",
  from: "former",
  former: "former",
  over: "former"
}

/** The word table; undefined if it cannot be read. Without the table, only equal words match. */
export const wordTableIfPresent = (): WordTable | undefined => {
  try {
    return wordTable()
  } catch {
    return undefined
  }
}

/** Logarithmic rarity of a row, 0…1. */
const rarity = (row: number): number => (row === -1 ? 1 : Math.log1p(row / 50) / rarest)
const rarest = Math.log1p(60_000 / 50)

/** The weight of a word by its row, 0.3…1. */
export const weightOfRow = (row: number): number => 0.3 + 0.7 * rarity(row)

/** Cache of rows by word: the whole table is too large for the processor's cache. */
const rowCache = new Map<string, number>()
const maxCachedRows = 4_000

export const rowOf = (table: WordTable, form: string, canon: string): number => {
  const cached = rowCache.get(form)
  if (cached !== undefined) return cached
  const row = table.rowOf(mainWord(form)) ?? table.rowOf(canon) ?? -1
  if (rowCache.size >= maxCachedRows) rowCache.clear()
  rowCache.set(ownText(form), row)
  return row
}

/** The last word of a phrase without particles: "take" of "take over", "located" of "is located". */
const mainWord = (form: string): string => {
  const words = form.split(" ")
  while (words.length > 1 && particles.has(words[words.length - 1]!)) words.pop()
  return words[words.length - 1]!
}
const particles = setOf("in on at to for of as with by from up off out over into back down away")

/** The first `maxTokens` words of a clause. */
export const tokensOf = ({ words }: Clause, table: WordTable | undefined): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  for (const [word, { item, place: slot, relational, side }] of words) {
    // The two sides of a pair of opposites count as two words.
    const canon = side === undefined ? word : `${word}${side ? "+" : "-"}`
    if (tokens.length === maxTokens) break
    const row = table === undefined ? -1 : rowOf(table, item.form, item.canon)
    const light = relational || item.entry?.generic === true ? 0.35 : 1
    const name = item.capital === true || item.name === true
    tokens.push({
      canon,
      form: item.form,
      side: sides[slot] ?? "value",
      name,
      weight: light * (0.3 + 0.7 * rarity(row)),
      row
    })
  }
  return tokens
}
const maxTokens = 40

/** Cache of vectors by row, and their lengths. */
const vectors: Array<Int8Array | undefined> = []
const norms = new Float64Array(65_536)

const vectorOf = (table: WordTable, row: number): Int8Array => {
  const cached = vectors[row]
  if (cached !== undefined) return cached
  const vector = table.bytesOf(row)
  vectors[row] = vector
  norms[row] = Math.sqrt(dot(vector, vector)) || 1
  return vector
}

const dot = (a: Int8Array, b: Int8Array): number => {
  let sum = 0
  for (let index = 0; index < wordVectorDimensions; index++) sum += a[index]! * b[index]!
  return sum
}

/** The cosine of two word vectors, −1…1; 0 if a word is unknown. */
export const cosineSimilarity = (table: WordTable | undefined, a: number, b: number): number => {
  if (table === undefined || a === -1 || b === -1) return 0
  if (a === b) return 1
  const pair = a < b ? a * 65_536 + b : b * 65_536 + a
  const slot = (pair ^ (pair >>> 13)) & (maxCachedPairs - 1)
  if (pairs[slot] !== pair) {
    pairs[slot] = pair
    likenesses[slot] = dot(vectorOf(table, a), vectorOf(table, b)) / (norms[a]! * norms[b]!)
  }
  return likenesses[slot]!
}
/** Cache of cosines by pair of rows: one judgement compares most pairs several times. */
const maxCachedPairs = 8_192
const pairs = new Float64Array(maxCachedPairs)
const likenesses = new Float64Array(maxCachedPairs)

/** True if two words have the same root: deploy and deployment, publish and publication. */
export const areRelatedForms = (a: string, b: string): boolean => {
  const shorter = Math.min(a.length, b.length)
  let same = 0
  while (same < shorter && a[same] === b[same]) same++
  return same >= 4 && same >= 0.6 * Math.max(a.length, b.length) && same >= shorter - 2
}

/** A word of the memory (`a`) and its counterpart in the statement (`b`). */
export interface Pair {
  readonly a: Token
  readonly b: Token
  readonly match: "exact" | "kindred" | "near"
  readonly likeness: number
}

export interface Alignment {
  readonly pairs: ReadonlyArray<Pair>
  /** Words without a counterpart: of the memory (`left`), of the statement (`right`). */
  readonly left: ReadonlyArray<Token>
  readonly right: ReadonlyArray<Token>
}

/** The words of a clause and the title above it. */
interface TokensInContext {
  readonly tokens: ReadonlyArray<Token>
  readonly context: TitleWords
}

/** Minimum cosine of similar words. */
const minCosine = 0.55

/**
 * Pairs the words of two clauses: first equal words, then words with the same root, then words of similar meaning. A
 * word that is in the other side's title needs no counterpart.
 */
export const align = (
  { context: contextA, tokens: a }: TokensInContext,
  { context: contextB, tokens: b }: TokensInContext,
  table: WordTable | undefined
): Alignment => {
  const pairs: Array<Pair> = []
  const left = new Map(a.map((token) => [token.canon, token]))
  const right = new Map(b.map((token) => [token.canon, token]))
  const addPair = (pair: Pair) => {
    pairs.push(pair)
    left.delete(pair.a.canon)
    right.delete(pair.b.canon)
  }
  for (const token of b) {
    const match = left.get(token.canon)
    if (match !== undefined) addPair({ a: match, b: token, match: "exact", likeness: 1 })
  }
  for (const token of [...right.values()]) {
    const match = [...left.values()].find(({ form, name }) => !name && !token.name && areRelatedForms(token.form, form))
    if (match !== undefined) addPair({ a: match, b: token, match: "kindred", likeness: 0.9 })
  }
  for (const canon of [...right.keys()]) if (contextA.has(canon)) right.delete(canon)
  for (const canon of [...left.keys()]) if (contextB.has(canon)) left.delete(canon)
  const similarPairs: Array<Pair> = []
  for (const token of right.values())
    for (const match of left.values()) {
      const cosine = cosineSimilarity(table, match.row, token.row)
      if (cosine >= minCosine) similarPairs.push({ a: match, b: token, match: "near", likeness: cosine })
    }
  similarPairs.sort((x, y) => y.likeness - x.likeness)
  for (const pair of similarPairs) if (left.has(pair.a.canon) && right.has(pair.b.canon)) addPair(pair)
  return { pairs, left: [...left.values()], right: [...right.values()] }
}
