import type { Statement } from "../../../../src/ports/Reconciler.js"
import type { WordTable } from "../../../wordTable.js"
import { keyOf } from "../values/Value.js"
import { cosineSimilarity, type Token, tokensOf, wordTableIfPresent } from "./align.js"
import type { Bag } from "./bag.js"
import type { Clause } from "./Clause.js"
import type { TitleWords } from "./differences.js"
import { clausesOf } from "./splitClauses.js"

/** A clause of the title, of a fact or of the narrative, prepared for comparison. */
export interface StatementClause {
  readonly clause: Clause
  readonly tokens: ReadonlyArray<Token>
  readonly weight: number
  readonly canons: ReadonlySet<string>
  readonly context: TitleWords
  readonly from: "title" | "fact" | "narrative"
}

/** A statement, split into clauses. */
export interface Reading {
  readonly units: ReadonlyArray<StatementClause>
  readonly words: ReadonlyMap<string, Token>
  readonly numbers: ReadonlySet<string>
  readonly saidAt: number
  readonly type: string
}

/** Maximum clauses and words that are read. */
const limits = { units: 24, words: 80 }
const clausesIn = { title: 4, fact: 2, narrative: 8 }
const noContext: TitleWords = new Set()

export const readStatement = ({ at: saidAt, type }: Statement, { texts }: Bag): Reading => {
  const table = wordTableIfPresent()
  const context = new Set<string>()
  const units: Array<StatementClause> = []
  for (const { items, part } of texts)
    for (const clause of clausesOf(items, clausesIn[part])) {
      if (units.length === limits.units) break
      if (part === "title")
        for (const [canon, { item, place }] of clause.words)
          if (place !== "reason" && place !== "former" && item.entry?.generic !== true) context.add(canon)
      const tokens = tokensOf(clause, table)
      const canons = new Set(tokens.map(({ canon }) => canon))
      units.push({
        clause,
        from: part,
        tokens,
        weight: totalWeight(tokens),
        canons,
        context: units.length === 0 ? noContext : context
      })
    }
  const words = new Map<string, Token>()
  for (const { tokens } of units)
    for (const token of tokens) if (words.size < limits.words && !words.has(token.canon)) words.set(token.canon, token)
  const numbers = new Set<string>()
  for (const { clause } of units)
    for (const scalars of [clause.scalars, clause.naming]) for (const scalar of scalars) numbers.add(keyOf(scalar))
  return { units, words, numbers, saidAt, type }
}

export const totalWeight = (tokens: ReadonlyArray<{ readonly weight: number }>): number =>
  tokens.reduce((sum, { weight }) => sum + weight, 0)

/** The two most similar clauses: of the memory (`a`) and of the statement (`b`). */
export interface ClausePair {
  readonly a: StatementClause
  readonly b: StatementClause
  readonly score: number
}

const overlapOf = (a: StatementClause, b: StatementClause): number => {
  let shared = 0
  for (const { canon, weight } of b.tokens)
    shared += a.canons.has(canon) ? weight : a.context.has(canon) ? weight / 2 : 0
  const related = a.clause.relation !== "" && a.clause.relation === b.clause.relation
  return shared / Math.sqrt((b.weight + 1e-4) * (a.weight + 1e-4)) + 0.02 * Math.min(shared, 3) + (related ? 0.05 : 0)
}

/**
 * Finds the two most similar clauses. Clauses under a heading have priority over the heading itself if it has no new
 * words.
 */
export const findBestClausePair = (memory: Reading, statement: Reading): ClausePair | undefined => {
  let best: ClausePair | undefined
  for (const [place, b] of statement.units.entries()) {
    const knownWeight = totalWeight(b.tokens.filter(({ canon }) => memory.words.has(canon)))
    const heading = b.clause.verbless && statement.units.length > 1 && knownWeight > 0.99 * b.weight
    for (const [index, a] of memory.units.entries()) {
      const pairScore = overlapOf(a, b) + (place === 0 ? 0.05 : 0) + (index === 0 ? 0.02 : 0) - (heading ? 0.8 : 0)
      const score = b.from === "narrative" ? pairScore * 0.85 : pairScore
      if (best === undefined || score > best.score) best = { a, b, score }
    }
  }
  return best
}

/** Typical words for each kind of news. Words of similar meaning express it too. */
const seeds = {
  ended: "stopped cancelled ended quit abandoned removed sold closed died left dropped gone lost retired",
  changed: "moved switched changed replaced upgraded became renamed raised lowered postponed shifted",
  more: "another second additional extra further other",
  maybe: "might considering planning proposed wants possible suggested hopes idea"
}
export type ChangeKind = keyof typeof seeds
const newsKinds = Object.entries(seeds) as ReadonlyArray<readonly [ChangeKind, string]>

/** For each kind of news, the highest cosine of each word with its typical words. */
export type ChangeSimilarity = Readonly<Record<ChangeKind, ReadonlyMap<string, number>>>

/** Cache by row: the cosines with all kinds of news. */
const numbersByRow = new Map<number, ReadonlyArray<number>>()
const maxCachedRows = 4_000

const similarityToNews = (row: number, table: WordTable): ReadonlyArray<number> => {
  const cached = numbersByRow.get(row)
  if (cached !== undefined) return cached
  const cosines = newsKinds.map(([, words]) => {
    let limits = 0
    for (const word of words.split(" "))
      limits = Math.max(limits, cosineSimilarity(table, row, table.rowOf(word) ?? -1))
    return limits
  })
  if (numbersByRow.size >= maxCachedRows) numbersByRow.clear()
  numbersByRow.set(row, cosines)
  return cosines
}

/** Measures how similar each word of a statement is to each kind of news. */
export const measureChangeSimilarity = (tokens: Iterable<Token>): ChangeSimilarity => {
  const table = wordTableIfPresent()
  const cosines = newsKinds.map(([name]) => [name, new Map<string, number>()] as const)
  for (const { canon, name, row } of tokens)
    if (!name && row >= 0 && table !== undefined)
      for (const [kind, near] of similarityToNews(row, table).entries()) cosines[kind]![1].set(canon, near)
  return Object.fromEntries(cosines) as unknown as ChangeSimilarity
}
