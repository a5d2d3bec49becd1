import type { Verdict } from "../../../../src/ports/Reconciler.js"
import type { Features } from "./clauseFeatures.js"
import type { ComparedMemory } from "./compare.js"

/** The likelihood of each action. Their sum is 1. */
export type Likelihoods = readonly [add: number, update: number, remove: number, none: number]

/** The likelihoods for a candidate that is equal word for word. */
export const likelihoodsIfEqual: Likelihoods = [0, 0, 0, 1]
/** The likelihoods for a candidate that shares almost nothing. */
export const likelihoodsIfUnrelated: Likelihoods = [1, 0, 0, 0]

const actions = ["ADD", "UPDATE", "DELETE", "NONE"] as const
/**
 * Minimum likelihood of each action. If the best action is less likely, the statement is stored as a memory of its own.
 * A wrong NONE loses the statement; a wrong UPDATE hides the statement in a memory about something else; a wrong DELETE
 * that is not certain only opens a dispute.
 */
const minLikelihood = { UPDATE: 0.6, DELETE: 0.4, NONE: 0.45 }

/**
 * Chooses the most likely action. A question, a text in another language and a statement about another numbered thing
 * are always added. Hearsay and statements about the past are never clear reasons for DELETE, and a statement that is
 * older than the memory never deletes it.
 */
export const decide = (likelihoods: Likelihoods, { features, older, same }: ComparedMemory): Verdict["action"] => {
  if (same) return "NONE"
  if (features.asked === 1 || features.foreign === 1) return "ADD"
  // Ticket 12 and ticket 13 are different things.
  if (features["label other"]! > 0 && features["label same"] === 0 && features["hint moved"] === 0) return "ADD"
  const [add, update, remove, none] = likelihoods
  const isStated = features["says said"] !== 1 && features["says once"] !== 1
  if (isStated && !older && isClearReversal(features, remove)) return "DELETE"
  const clearRemove = isStated && isClearReplacement(features) ? remove * clearlyHigher : remove
  const highest = Math.max(add, update, clearRemove, none)
  const action = actions[[add, update, clearRemove, none].indexOf(highest)]!
  // "Not disabled" means enabled.
  const agrees =
    features.sided === 1 && features.turned === 0 && features["s differs"] === 0 && features["names swapped"] === 0
  if (agrees && none >= unlikely && (action === "DELETE" || action === "ADD"))
    return losesContent(features, none) ? "ADD" : "NONE"
  // Details that were merged before must not attract statements about something else.
  if (action === "UPDATE" || action === "NONE") {
    const isAbout = features["title told"]! > 0 && highest >= minLikelihood[action]
    return isAbout && !(action === "NONE" && losesContent(features, none)) ? action : "ADD"
  }
  const isHearsay = features["says said"] === 1 || features["says maybe"] === 1
  return older || clearRemove < (isHearsay ? probable : minLikelihood.DELETE) ? "ADD" : action
}

/**
 * True if the statement clearly replaces the memory: an attribute that can have only one value has a new one, or only a
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

/**
 * True if the statement clearly reverses the memory: two things exchange their roles, another person is in charge, or a
 * task is done.
 */
const isClearReversal = (features: Features, remove: number): boolean =>
  (features["roles swapped"] === 1 && features.covered! > 0.8) ||
  (features["another owner"] === 1 && features["says also"] === 0 && remove >= unlikely / 2) ||
  (features["said due"] === 1 &&
    features["says due"] === 0 &&
    features["past b"] === 1 &&
    features["subject both"] === 0 &&
    features["subject extra"] === 0 &&
    features["w first kept"] === 1 &&
    remove >= unlikely)
const unlikely = 0.2
/** In a clear case, the likelihood of DELETE is multiplied by this factor. */
const clearlyHigher = 1.5

/** True if NONE would lose what the statement says. */
const losesContent = (features: Features, none: number): boolean =>
  saysOther(features, none) || (sharesLittle(features) && none < almostCertain)

/**
 * True if the two share under 75 % of the statement's words and under 30 % of the memory's words. "Alice likes jazz" shares a name with a long memory about Alice and others.
 */
const sharesLittle = (features: Features): boolean => features["w covered"]! < 0.75 && features["w kept"]! < 0.3
/** Minimum likelihood of NONE if statement and memory share few words. */
const almostCertain = 0.9

/**
 * True if the statement says more than the memory, reports an event, is about a relative, or differs in one word with
 * another sense.
 */
const saysOther = (features: Features, none: number): boolean =>
  features.stronger === 1 ||
  (none < probable && (features["past b"] === 1 || features["hint done"]! > 0)) ||
  (none < certainty &&
    (features["kin unknown"] === 1 ||
      // Two single clauses: born in Lisbon, works in Lisbon.
      (features["r parted"] === 1 && features["units a"] === 1 && features["units b"] === 1)))
/** Minimum likelihood of NONE if the statement is about a relative, or if a word has another sense. */
const certainty = 0.85
/** Minimum likelihood of NONE for a reported event, and of DELETE for hearsay and guesses. */
const probable = 0.7

/** The index of the candidate with the lowest likelihood of ADD, the first one if equal; −1 without candidates. */
export const indexOfTarget = (likelihoods: ReadonlyArray<Likelihoods>): number => {
  let target = -1
  for (const [at, [add]] of likelihoods.entries()) if (target === -1 || add < likelihoods[target]![0]) target = at
  return target
}
