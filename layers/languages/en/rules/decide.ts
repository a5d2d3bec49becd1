import type { Verdict } from "../../../../src/ports/Reconciler.js"
import type { Features } from "./clauseFeatures.js"
import type { Compared } from "./compare.js"

/** How likely each action is; they add up to 1. */
export type Likelihoods = readonly [add: number, update: number, remove: number, none: number]

/** Of a candidate that says the same, word for word. */
export const alike: Likelihoods = [0, 0, 0, 1]
/** Of a candidate that has next to nothing in common with the statement. */
export const unlike: Likelihoods = [1, 0, 0, 0]

/**
 * How likely an action must be to be taken, so that nine of ten are right on
 * stories of writers that the weights were not made from: a memory that is
 * wrongly retired or rewritten does the most harm.
 */
export const least = { UPDATE: 0.4, DELETE: 0.65 }

/**
 * The likeliest action; ADD where UPDATE or DELETE is unsure. What is asked or
 * hearsay makes nothing untrue, nor does what was said before it.
 */
export const decide = (likely: Likelihoods, { features, older, same }: Compared, floors = least): Verdict["action"] => {
  const [, update, remove, none] = likely
  const most = Math.max(...likely)
  const stated = features["says said"] !== 1 && features["says once"] !== 1
  if (same) return "NONE"
  if (features.asked === 1 || features.foreign === 1) return "ADD"
  // Ticket 12 and ticket 13 are two.
  if (features["label other"]! > 0 && features["label same"] === 0 && features["hint moved"] === 0) return "ADD"
  if (stated && !older && isTurned(features, remove)) return "DELETE"
  // Not disabled is enabled.
  const agrees =
    features.sided === 1 && features.turned === 0 && features["s differs"] === 0 && features["names swapped"] === 0
  if (most === none || (most === remove && agrees && none >= plain))
    return none < surely && isParted(features) ? "ADD" : "NONE"
  if (!stated) return "ADD"
  if (most === remove && remove >= (isClean(features) ? floors.DELETE * plainer : floors.DELETE) && !older)
    return "DELETE"
  // What is remembered, all of it, and more.
  const longer = features.kept! > 0.99 && features["w nots differ"] === 0 && features["subject extra"] === 0
  if (most === update && update >= (longer ? floors.UPDATE * plainer : floors.UPDATE)) return "UPDATE"
  return "ADD"
}

/** The same thing, of which there is one value at a time, and another value; or the same words and another number. */
const isClean = (features: Features): boolean =>
  (features["one of one differs"] === 1 && features["w both"]! > 0) ||
  (features["one value differs"] === 1 &&
    features["s differs"]! > 0 &&
    features.extra === 0 &&
    features.missing === 0 &&
    features["past b"] === 0 &&
    features["event b"] === 0)

/** What is plain whatever the weights say, as long as they do not say that it is nothing of the kind. */
const isTurned = (features: Features, remove: number): boolean => {
  // The same words, what was preferred and what was not in each other's place.
  if (features["roles swapped"] === 1 && features.covered! > 0.8) return true
  // The same thing has one owner, and another is named.
  if (features["another owner"] === 1 && features["says also"] === 0) return remove >= plain / 2
  // What was still to be done is done.
  const sameSubject =
    features["subject both"] === 0 && features["subject extra"] === 0 && features["w first kept"] === 1
  return (
    features["said due"] === 1 &&
    features["says due"] === 0 &&
    features["past b"] === 1 &&
    sameSubject &&
    remove >= plain
  )
}
const plain = 0.2
/** What is plain needs no more than this share of the likelihood. */
const plainer = 0.75

/** Two single clauses that have another word between the same two, and of another sense: born in Lisbon, works in Lisbon. */
const isParted = (features: Features): boolean =>
  features["r parted"] === 1 && features["units a"] === 1 && features["units b"] === 1
/** What has another sense says nothing new only where the weights hardly doubt it. */
const surely = 0.95

/** The first candidate that is the least likely to have nothing to do with the statement; −1 where there are none. */
export const targetOf = (all: ReadonlyArray<Likelihoods>): number => {
  let target = -1
  for (const [at, [add]] of all.entries()) if (target === -1 || add < all[target]![0]) target = at
  return target
}
