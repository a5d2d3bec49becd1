import { type Claim, isPlain, mayEnd } from "./claim.js"
import type { Features } from "./clauseFeatures.js"
import type { Likelihoods } from "./decide.js"

/**
 * The share of right contradictions for each minimum likelihood, highest first: of plain claims that repeat the memory in
 * part, of other claims that may end another one, and of all others. Measured on writers who were left out of the
 * training: docs/decisions.md has the table.
 */
const shares: ReadonlyArray<readonly [likelihood: number, repeating: number, stated: number, other: number]> = [
  [0.97, 0.99, 0.99, 0.95],
  [0.95, 0.98, 0.91, 0.82],
  [0.9, 0.95, 0.91, 0.82],
  [0.85, 0.88, 0.8, 0.82],
  [0.75, 0.82, 0.76, 0.79],
  [0, 0.56, 0.57, 0.6]
]

/** Maximum likelihood that another memory is contradicted instead. */
const maxRival = 0.3
/** Minimum likelihood that any other candidate is about something else, for a statement that repeats its target. */
const minOtherAdd = 0.8
/** Minimum share of the words of a statement that the memory has too, for a statement that repeats it. */
const minRepeated = 0.45

/**
 * How likely it is that a statement makes a memory untrue, 0…1. `target`: the memory's index. A question, a plan, a guess,
 * a joke or a bounded time is never certain, nor is a statement that may contradict another memory instead. A plain claim
 * is more certain if this memory alone has nearly half of its words, or a number that the claim does not repeat.
 */
export const contradictionConfidence = (
  likelihoods: ReadonlyArray<Likelihoods>,
  target: number,
  statement: Claim,
  features: Features
): number => {
  const [, repeating, stated, other] = shares.find(([least]) => likelihoods[target]![2] >= least)!
  const hasRival = likelihoods.some(([, , remove], index) => index !== target && remove >= maxRival)
  if (hasRival || !mayEnd(statement)) return other
  const isAlone = likelihoods.every(([add], index) => index === target || add > minOtherAdd)
  const repeats = features.covered! >= minRepeated || features["numbers gone"]! > 0
  return isPlain(statement) && isAlone && repeats ? repeating : stated
}
