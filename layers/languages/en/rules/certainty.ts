import { type Claim, isPlain, mayEnd } from "./claim.js"
import type { Features } from "./clauseFeatures.js"
import type { Likelihoods } from "./decide.js"

/**
 * The share of right contradictions for each minimum likelihood, highest first: of plain claims that are a single clause or
 * state a change, of other claims that may end another one, and of all others. Measured on writers who were left out of the
 * training: docs/decisions.md has the table.
 */
const shares: ReadonlyArray<readonly [likelihood: number, explicit: number, stated: number, other: number]> = [
  [0.95, 0.99, 0.99, 0.95],
  [0.9, 0.98, 0.9, 0.9],
  [0.85, 0.94, 0.88, 0.88],
  [0.75, 0.9, 0.82, 0.8],
  [0, 0.6, 0.6, 0.6]
]

/** A memory with this many facts that the statement does not touch is not untrue as a whole. */
const manyUntouched = 3
/** Maximum likelihood that another memory is contradicted instead. */
const maxRival = 0.3

/**
 * How likely it is that a statement makes a memory untrue, 0…1. `target`: the memory's index. A question, a plan, a guess,
 * a joke or a bounded time is never certain. A quote, a confirmation, the past, another scope, a relative or a memory with
 * further facts needs a higher likelihood.
 */
export const contradictionConfidence = (
  likelihoods: ReadonlyArray<Likelihoods>,
  target: number,
  statement: Claim,
  features: Features
): number => {
  const [, explicit, stated, other] = shares.find(([least]) => likelihoods[target]![2] >= least)!
  const hasRival = likelihoods.some(([, , remove], index) => index !== target && remove >= maxRival)
  if (hasRival || !mayEnd(statement)) return other
  const isElsewhere = features["kin unknown"] === 1 || (features["scope differs"]! > 0 && features["scope same"] === 0)
  const isExplicit = features["units b"] === 1 || statement.validity === "lasting" || statement.has("moved")
  const isWhole = features["parts untouched"]! < manyUntouched
  return isPlain(statement) && isExplicit && isWhole && !isElsewhere ? explicit : stated
}
