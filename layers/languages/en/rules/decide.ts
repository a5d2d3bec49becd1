import type { Verdict } from "../../../../src/ports/Reconciler.js"
import type { Features } from "./clauseFeatures.js"
import type { ComparedMemory } from "./compare.js"

/** The likelihood of each action. Their sum is 1. */
export type Likelihoods = readonly [add: number, update: number, remove: number, none: number]

/** The likelihoods for a candidate that is equal word for word. */
export const alikeLikelihoods: Likelihoods = [0, 0, 0, 1]
/** The likelihoods for a candidate that shares almost nothing. */
export const unlikeLikelihoods: Likelihoods = [1, 0, 0, 0]

/**
 * Minimum likelihood of an action. At these values, nine of ten such actions were right on stories of writers outside
 * the training set. A wrong retirement or rewrite of a memory does the most harm.
 */
export const minProbabilities = { UPDATE: 0.4, DELETE: 0.65 }

/**
 * The most likely action; ADD if the confidence in an UPDATE or DELETE is low. A question, hearsay, or a statement older than the memory
 * never retires the memory.
 */
export const decide = (
  likelihoods: Likelihoods,
  { features, older, same }: ComparedMemory,
  minimums = minProbabilities
): Verdict["action"] => {
  const [, update, remove, none] = likelihoods
  const highest = Math.max(...likelihoods)
  const isStated = features["says said"] !== 1 && features["says once"] !== 1
  if (same) return "NONE"
  if (features.asked === 1 || features.foreign === 1) return "ADD"
  // Ticket 12 and ticket 13 are different things.
  if (features["label other"]! > 0 && features["label same"] === 0 && features["hint moved"] === 0) return "ADD"
  if (isStated && !older && isClearReversal(features, remove)) return "DELETE"
  // "Not disabled" means enabled.
  const agrees =
    features.sided === 1 && features.turned === 0 && features["s differs"] === 0 && features["names swapped"] === 0
  if (highest === none || (highest === remove && agrees && none >= unlikely))
    return features.stronger === 1 || (none < certainty && differsInSense(features)) ? "ADD" : "NONE"
  if (!isStated) return "ADD"
  if (
    highest === remove &&
    remove >= (isClearReplacement(features) ? minimums.DELETE * clearlyHigher : minimums.DELETE) &&
    !older
  )
    return "DELETE"
  // The statement contains all of the memory and more.
  const longer = features.kept! > 0.99 && features["w nots differ"] === 0 && features["subject extra"] === 0
  if (highest === update && update >= (longer ? minimums.UPDATE * clearlyHigher : minimums.UPDATE)) return "UPDATE"
  return "ADD"
}

/**
 * Whether the statement clearly replaces the memory: an attribute that can have only one value has a new one, or only a
 * number differs.
 */
const isClearReplacement = (features: Features): boolean =>
  (features["one of one differs"] === 1 && features["w both"]! > 0) ||
  (features["one value differs"] === 1 &&
    features["s differs"]! > 0 &&
    features.extra === 0 &&
    features.missing === 0 &&
    features["past b"] === 0 &&
    features["event b"] === 0)

/** Whether the statement clearly reverses the memory. Some cases need a low likelihood of DELETE; others need none. */
const isClearReversal = (features: Features, remove: number): boolean => {
  // The statement swaps the preferred and the rejected thing.
  if (features["roles swapped"] === 1 && features.covered! > 0.8) return true
  // A thing with one owner has another owner now.
  if (features["another owner"] === 1 && features["says also"] === 0) return remove >= unlikely / 2
  // The task is done now.
  const sameSubject =
    features["subject both"] === 0 && features["subject extra"] === 0 && features["w first kept"] === 1
  return (
    features["said due"] === 1 &&
    features["says due"] === 0 &&
    features["past b"] === 1 &&
    sameSubject &&
    remove >= unlikely
  )
}
const unlikely = 0.2
/** A clear case needs only this share of the minimum likelihood. */
const clearlyHigher = 0.75

/** Two single clauses that differ in one word with another sense: born in Lisbon, works in Lisbon. */
const differsInSense = (features: Features): boolean =>
  features["r parted"] === 1 && features["units a"] === 1 && features["units b"] === 1
/** Minimum likelihood of NONE if the sense differs. */
const certainty = 0.95

/** The index of the candidate with the lowest likelihood of ADD, the first one if equal; −1 without candidates. */
export const targetOf = (likelihoods: ReadonlyArray<Likelihoods>): number => {
  let target = -1
  for (const [at, [add]] of likelihoods.entries()) if (target === -1 || add < likelihoods[target]![0]) target = at
  return target
}
