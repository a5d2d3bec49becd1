import { type Tier, Tier as TierSchema } from "../../events/Memory.js"
import type { Db } from "../../projections/Projection.js"
import { type IndexRow, indexRows } from "../../projections/search.js"
import { type Formula, findByScore, type Standing, standings } from "../../projections/standing.js"
import type { LifePolicy } from "../policy/life.js"
import { decayOf } from "./score.js"

/** What the tiers hold, by score. */
export interface Tiers {
  readonly all: Standing
  readonly byTier: Readonly<Record<string, Standing>>
  readonly byType: Readonly<Record<string, Standing>>
  /** How many have a score of at least one bound and below the next; the first ones are in reach of removal. */
  readonly byScore: ReadonlyArray<{ readonly from: number; readonly memories: number }>
  /** The memories with the highest scores. */
  readonly best: ReadonlyArray<Pick<IndexRow, "id" | "type" | "title"> & { readonly score: number }>
  /** λ, a day, by type, as far as it has one of its own. */
  readonly decays: Readonly<Record<string, number>>
  readonly decay: number
}

export const formulaOf = (policy: LifePolicy["tiers"]): Formula => ({
  frequencyWeight: policy.frequencyWeight,
  recencyWeight: policy.recencyWeight,
  importanceWeight: policy.importanceWeight,
  decayOf: (type) => decayOf(type, policy)
})

/** Everything is scored once, in SQL. For full trust. */
export const tiersOf = (db: Db, { gc, tiers }: Pick<LifePolicy, "gc" | "tiers">, now: number, limit = 10): Tiers => {
  const formula = formulaOf(tiers)
  const bounds = [...new Set([gc.removeBelow, 1, 2, 3])].sort((a, b) => a - b)
  const { all, below, byTier, byType } = standings(db, formula, now, bounds)
  const ranked = limit === 0 ? [] : findByScore(db, "full", formula, now, limit)
  const rows = new Map(
    indexRows(
      db,
      ranked.map(({ born }) => born)
    ).map((row) => [row.born, row])
  )
  return {
    all,
    byTier: Object.fromEntries(
      TierSchema.literals.map((tier: Tier) => [tier, byTier[tier] ?? { memories: 0, score: 0, days: 0 }])
    ),
    byType,
    byScore: [0, ...bounds].map((from, at) => ({
      from,
      memories: (below[at] ?? all.memories) - (below[at - 1] ?? 0)
    })),
    best: ranked.flatMap(({ born, score }) => {
      const row = rows.get(born)
      return row === undefined ? [] : [{ id: row.id, type: row.type, title: row.title, score }]
    }),
    decays: tiers.decays,
    decay: tiers.decay
  }
}
