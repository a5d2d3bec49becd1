import type { ReadingLevel } from "../../events/Trust.js"
import { type Corpus, countAndMatchRows, type HitScores } from "../../projections/hybridSearch.js"
import type { Db } from "../../projections/Projection.js"
import type { PolicyValues } from "../ports/Policy.js"
import type { Word } from "./querySyntax.js"

/** The inputs for the evidence of hits. */
export interface EvidenceInput {
  readonly db: Db
  readonly level: ReadingLevel
  readonly corpus: Corpus
  readonly policy: PolicyValues["search"]
  /** The words that distinguish rows, and the required expressions. */
  readonly words: ReadonlyArray<Pick<Word, "expression">>
  /** The rows in the times that the query names; absent if the query names no time. */
  readonly inTimes?: ReadonlySet<number> | undefined
  /** The embedder's model; null without vectors. */
  readonly model: string | null
}

/**
 * Computes the evidence of each hit, 0…1, independently of the other hits. Evidence combines two values. One is the
 * share of the query's distinguishing words that the hit contains, weighted by rarity; a word that no row contains is
 * the rarest. The other is the absolute similarity of the hit's vector. A named time counts as much as all words
 * together.
 */
export const evidenceByRow = (
  { corpus, db, inTimes, level, model, policy, words }: EvidenceInput,
  hits: ReadonlyArray<HitScores>
): ReadonlyMap<number, number> => {
  const indexed = Math.max(corpus.text.count(db, level), minIndexed)
  const borns = hits.map(({ born }) => born)
  const features = words.map(({ expression }) => {
    const { among, rows } = countAndMatchRows(db, corpus, level, expression, borns)
    return { among, weight: Math.log(1 + indexed / Math.max(rows, 0.5)) }
  })
  const total = features.reduce((sum, { weight }) => sum + weight, 0)
  const [unrelated, same] = policy.similarities[model ?? ""] ?? policy.similarities.other ?? otherSimilarities
  return new Map(
    hits.map(({ born, similarity }) => {
      const held = features.reduce((sum, { among, weight }) => sum + (among.has(born) ? weight : 0), 0)
      const share = total === 0 ? 0 : held / total
      const coverage = inTimes === undefined ? share : (share + (inTimes.has(born) ? 1 : 0)) / 2
      const meaning = similarity === null ? 0 : (similarity - unrelated) / (same - unrelated)
      return [born, combined(coverage, Math.min(1, Math.max(0, meaning)))] as const
    })
  )
}

/**
 * Rarity is computed for at least this many rows. With only a few rows, every word that occurs would count as frequent.
 */
const minIndexed = 100

/** The default of the policy's `similarities.other`. */
const otherSimilarities = [0.3, 0.9] as const

/** Combines two independent values. Both together count more than the larger one alone. */
const combined = (coverage: number, meaning: number): number => 1 - (1 - coverage) * (1 - meaning)
