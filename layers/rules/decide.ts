import type { Verdict } from "../../src/Reconciler.js"
import type { Compared } from "./compared.js"

/** How likely each action is; they add up to 1. */
export type Likelihoods = readonly [add: number, update: number, remove: number, none: number]

/** Of a candidate that has next to nothing in common with the statement. */
export const unlike: Likelihoods = [1, 0, 0, 0]

/**
 * How likely an action must be to be taken, so that nine of ten are right on
 * stories of writers that the weights were not made from: a memory that is
 * wrongly retired or rewritten does the most harm.
 */
export const least = { UPDATE: 0.4, DELETE: 0.5 }

/**
 * The likeliest action; ADD where UPDATE or DELETE is unsure. What is asked or
 * hearsay makes nothing untrue, nor does what was said before it.
 */
export const decide = (likely: Likelihoods, { features, older }: Compared, floors = least): Verdict["action"] => {
  const [, update, remove, none] = likely
  const most = Math.max(...likely)
  const stated = features.asked !== 1 && features["says said"] !== 1 && features["says once"] !== 1
  // The same words, what was preferred and what was not in each other's place.
  const reversed = features["roles swapped"] === 1 && features.covered! > 0.8
  if (reversed && stated && !older) return "DELETE"
  if (features.asked === 1) return "ADD"
  if (most === none) return "NONE"
  if (!stated) return "ADD"
  if (most === remove && remove >= floors.DELETE && !older) return "DELETE"
  if (most === update && update >= floors.UPDATE) return "UPDATE"
  return "ADD"
}

/** The first candidate that is the least likely to have nothing to do with the statement; −1 where there are none. */
export const targetOf = (all: ReadonlyArray<Likelihoods>): number => {
  let target = -1
  for (const [at, [add]] of all.entries()) if (target === -1 || add < all[target]![0]) target = at
  return target
}
