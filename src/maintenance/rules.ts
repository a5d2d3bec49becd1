import type { LifePolicy } from "../ports/policy/life.js"
import { type LifeScore, scoreOf } from "../search/score.js"
import { ageOf, factsOf, isKept, type Row, ruled, seenAt, touchedAt } from "./facts.js"

/** What the rules make of a memory now, and why. */
export interface Verdict {
  readonly action: "keep" | "promote" | "demote" | "remove"
  readonly reason: string
  /** The rule that decided, without what it found. */
  readonly rule: string
  /** With the times that it was shown, whatever the rules may know of them. */
  readonly score: LifeScore
}

/**
 * What is to become of a memory by its score and age, capacity apart. Only mid and daily memories are removed, and none
 * on the day on which it was seen or changed; only what was promoted is demoted.
 */
export const verdictOf = (whole: Row, { gc, tiers }: Pick<LifePolicy, "gc" | "tiers">, now: number): Verdict => {
  const row = ruled(whole)
  const { memory } = row
  const score = scoreOf(factsOf(row), tiers, now)
  const told = scoreOf(factsOf(whole), tiers, now)
  const verdict = (action: Verdict["action"], reason: string, rule = reason): Verdict => ({
    action,
    reason,
    rule,
    score: told
  })
  if (memory.tier === "core") return verdict("keep", "core is kept")
  if (memory.type === "person") return verdict("keep", "people are kept")
  if (isKept(memory, tiers.pin)) return verdict("keep", "it is pinned")
  const [unseen, untouched] = [ageOf(seenAt(row), now), ageOf(touchedAt(row), now)]
  const wanted = score.hits >= gc.promoteHits && unseen <= gc.promoteWithin
  if (memory.tier === "long") {
    if (memory.promotedAt === undefined) return verdict("keep", "it was remembered on purpose")
    if (wanted || untouched < gc.demoteAfter) return verdict("keep", "it was promoted")
    return verdict("demote", `left alone for ${Math.floor(untouched)} days`, `left alone for ${gc.demoteAfter} days`)
  }
  if (wanted && memory.tier === "mid") {
    const rule = `${gc.promoteHits} hits or more, the last within ${gc.promoteWithin} days`
    return verdict("promote", `${score.hits} hits, the last ${Math.floor(unseen)} days ago`, rule)
  }
  if (untouched > gc.removeAfter) {
    const rule = `left alone for more than ${gc.removeAfter} days`
    return verdict("remove", `left alone for ${Math.floor(untouched)} days`, rule)
  }
  if (score.score < gc.removeBelow && untouched >= 1) {
    return verdict("remove", `its score is ${score.score.toFixed(3)}`, `its score is below ${gc.removeBelow}`)
  }
  return verdict("keep", "its score is high enough")
}
