import { type Claim, isPlain } from "./claim.js"
import type { Features } from "./clauseFeatures.js"
import type { Likelihoods } from "./decide.js"

/**
 * The share of right contradictions for each minimum likelihood, highest first: of plain claims, and of others. Measured
 * on writers who were left out of the training: docs/decisions.md has the table.
 */
const shares: ReadonlyArray<readonly [likelihood: number, plain: number, other: number]> = [
  [0.95, 0.99, 0.95],
  [0.9, 0.98, 0.9],
  [0.85, 0.94, 0.9],
  [0.75, 0.9, 0.8],
  [0, 0.61, 0.61]
]

/** A memory with this many facts that the statement does not touch is not untrue as a whole. */
const manyUntouched = 3
/** Maximum likelihood that another memory is contradicted instead. */
const maxRival = 0.3

/**
 * How likely it is that a statement makes a memory untrue, 0…1. `target`: the memory's index. Only a plain claim is
 * certain, and only of all that the memory says: a plan, a guess, a quote, a confirmation, a bounded time, the past, another
 * scope or a relative ends nothing.
 */
export const contradictionConfidence = (
  likelihoods: ReadonlyArray<Likelihoods>,
  target: number,
  statement: Claim,
  features: Features
): number => {
  const [, plain, other] = shares.find(([least]) => likelihoods[target]![2] >= least)!
  const hasRival = likelihoods.some(([, , remove], index) => index !== target && remove >= maxRival)
  const isElsewhere = features["kin unknown"] === 1 || (features["scope differs"]! > 0 && features["scope same"] === 0)
  const isWhole = features["parts untouched"]! < manyUntouched
  return isPlain(statement) && isWhole && !isElsewhere && !hasRival ? plain : other
}
