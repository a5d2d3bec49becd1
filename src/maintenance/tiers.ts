import * as Effect from "effect/Effect"
import { type Tier, Tier as TierSchema } from "../../events/Memory.js"
import { yieldToEventLoop } from "../../events/turns.js"
import { type IndexRow, readIndexRows } from "../../projections/observationSearch.js"
import type { Db } from "../../projections/Projection.js"
import { countScores, findMemoriesByScore, type ScoreFormula, type ScoreSummary } from "../../projections/scoreReads.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import { toScoreFormula } from "../search/score.js"

/** Memory counts and scores, by tier, type and score. */
export interface Tiers {
  readonly all: ScoreSummary
  readonly byTier: Readonly<Record<string, ScoreSummary>>
  readonly byType: Readonly<Record<string, ScoreSummary>>
  /**
   * Number of memories with a score from `from` up to the next bound. The rules may remove memories of the first
   * range.
   */
  readonly byScore: ReadonlyArray<{ readonly from: number; readonly memories: number }>
  /** The memories with the highest scores. */
  readonly best: ReadonlyArray<Pick<IndexRow, "id" | "type" | "title"> & { readonly score: number }>
  /** Decay rate λ per day, for types that have their own rate. */
  readonly decays: Readonly<Record<string, number>>
  /** Decay rate λ per day, for all other types. */
  readonly decay: number
}

/**
 * Computes all scores in SQL, in portions with pauses between them. A concurrent write may be counted in a later
 * portion but not in an earlier one. For full trust only.
 */
export const readTiers = Effect.fnUntraced(function* (
  read: ReaderSource["read"],
  { gc, tiers }: Pick<MaintenancePolicy, "gc" | "tiers">,
  limit = 10
): Effect.fn.Return<Tiers, ViewError> {
  const formula = toScoreFormula(tiers)
  const bounds = [...new Set([gc.removeBelow, 1, 2, 3])].sort((a, b) => a - b)
  const now = yield* read((snapshot) => snapshot.now)
  const counting = countScores(formula, now, bounds)
  while (yield* read(({ db }) => counting.next(db))) yield* yieldToEventLoop
  const { all, below, byTier, byType } = counting.result()
  const best = limit === 0 ? [] : yield* read(({ db }) => bestOf(db, formula, now, limit))
  return {
    all,
    byTier: Object.fromEntries(
      TierSchema.literals.map((tier: Tier) => [tier, byTier[tier] ?? { memories: 0, score: 0, days: 0 }])
    ),
    byType,
    byScore: [0, ...bounds].map((from, index) => ({
      from,
      memories: Math.max(0, (below[index] ?? all.memories) - (below[index - 1] ?? 0))
    })),
    best,
    decays: tiers.decays,
    decay: tiers.decay
  }
})

const bestOf = (db: Db, formula: ScoreFormula, now: number, limit: number): Tiers["best"] => {
  const ranked = findMemoriesByScore(db, "full", formula, { now, limit })
  const rows = new Map(
    readIndexRows(
      db,
      ranked.map(({ born }) => born)
    ).map((row) => [row.born, row])
  )
  return ranked.flatMap(({ born, score }) => {
    const row = rows.get(born)
    return row === undefined ? [] : [{ id: row.id, type: row.type, title: row.title, score }]
  })
}
