import { type Claim, canEndAnother, isPlainFact } from "./claim.js"
import type { Features } from "./clauseFeatures.js"
import type { Likelihoods } from "./decide.js"

/**
 * The share of correct contradictions for each minimum likelihood, highest first. `repeating`: plain claims that repeat
 * part of the memory. `stated`: other claims that may end another claim. `other`: all other claims. Measured on writers
 * who were left out of the training: docs/decisions.md has the table.
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
/** For a statement that repeats its target: minimum likelihood that every other candidate is about something else. */
const minOtherAdd = 0.8
/** Minimum share of a statement's words that the memory also contains, so that the statement counts as a repetition. */
const minRepeated = 0.45

/**
 * True if the statement may end only a part of the memory: it ends something, and has words or times besides that the
 * memory does not have. "The API is no longer stable on ARM" leaves the API stable elsewhere.
 */
const mayEndPart = (features: Features): boolean =>
  features["says ended"]! > features["said ended"]! && features.covered! < minEnded
/** Minimum share of a statement's words that the memory contains, so that the statement ends all of it. */
const minEnded = 0.95

/**
 * The probability that a statement makes a memory untrue, 0…1. `target`: the memory's index. A question, a plan, a
 * guess, a joke or a statement about a limited time is never certain. The same is true of a statement that may
 * contradict another memory instead. A plain claim is more certain if all other candidates are about something else,
 * and the memory contains nearly half of the claim's words, or a number that the claim does not repeat.
 */
export const contradictionConfidence = (
  likelihoods: ReadonlyArray<Likelihoods>,
  target: number,
  statement: Claim,
  features: Features
): number => {
  const [, repeating, stated, other] = shares.find(([least]) => likelihoods[target]![2] >= least)!
  const hasRival = likelihoods.some(([, , remove], index) => index !== target && remove >= maxRival)
  if (hasRival || !canEndAnother(statement) || mayEndPart(features)) return other
  const isAlone = likelihoods.every(([add], index) => index === target || add > minOtherAdd)
  const repeats = features.covered! >= minRepeated || features["numbers gone"]! > 0
  return isPlainFact(statement) && isAlone && repeats ? repeating : stated
}
