import type { LifePolicy } from "../policy/life.js"
import { ageOf, factsOf, isCaptured, isKept, type Row, seenAt, touchedAt } from "./facts.js"
import { type LifeScore, scoreOf } from "./score.js"

/** What the rules make of a memory now, and why. */
export interface Verdict {
  readonly action: "keep" | "promote" | "demote" | "remove"
  readonly reason: string
  readonly score: LifeScore
}

/**
 * What is to become of a memory by its score and age, capacity apart. Only mid and daily memories are removed, and none
 * on the day on which it was seen or changed; only what was captured and promoted is demoted.
 */
export const verdictOf = (row: Row, { gc, tiers }: Pick<LifePolicy, "gc" | "tiers">, now: number): Verdict => {
  const { memory } = row
  const score = scoreOf(factsOf(row), tiers, now)
  const verdict = (action: Verdict["action"], reason: string): Verdict => ({ action, reason, score })
  if (memory.tier === "core") return verdict("keep", "core is kept")
  if (memory.type === "person") return verdict("keep", "people are kept")
  if (isKept(memory, tiers.pin)) return verdict("keep", "it is pinned")
  const [unseen, untouched] = [ageOf(seenAt(row), now), ageOf(touchedAt(row), now)]
  const wanted = score.hits >= gc.promoteHits && unseen <= gc.promoteWithin
  if (memory.tier === "long") {
    if (!isCaptured(memory)) return verdict("keep", "it was remembered on purpose")
    if (wanted || untouched < gc.demoteAfter) return verdict("keep", "it was promoted")
    return verdict("demote", `left alone for ${whole(untouched)} days, ${gc.demoteAfter} are enough`)
  }
  if (wanted && memory.tier === "mid") {
    return verdict("promote", `${score.hits} hits, the last ${whole(unseen)} days ago`)
  }
  if (untouched > gc.removeAfter) {
    return verdict("remove", `left alone for ${whole(untouched)} days, more than ${gc.removeAfter}`)
  }
  if (score.score < gc.removeBelow && untouched >= 1) {
    return verdict("remove", `its score is ${score.score.toFixed(3)}, below ${gc.removeBelow}`)
  }
  return verdict("keep", "its score is high enough")
}

const whole = (days: number): number => Math.floor(days)
