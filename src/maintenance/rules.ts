import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import { type LifeScore, lastSeenAt, lifeScoreOf, scoreFactsOf } from "../search/score.js"
import { ageInDays, hideAccessesFromRules, isProtected, lastTouchedAt, type Row } from "./stageRow.js"

/** The rules' verdict on a memory, with its reason. */
export interface Verdict {
  readonly action: "keep" | "promote" | "demote" | "remove"
  readonly reason: string
  /** The rule that decided: the reason without the memory's own numbers. */
  readonly rule: string
  /** The score with all access counts. The rules use access counts of private memories only. */
  readonly score: LifeScore
}

/**
 * Decides on a memory by its score and age; the capacity of its store does not matter here. Only mid and daily memories
 * are removed. A low score removes such a memory only if it was neither seen nor changed for a day. Only promoted
 * memories are demoted.
 */
export const verdictOf = (row: Row, { gc, tiers }: Pick<MaintenancePolicy, "gc" | "tiers">, now: number): Verdict => {
  const visible = hideAccessesFromRules(row)
  const { memory } = visible
  const { hits, score } = lifeScoreOf(scoreFactsOf(visible), tiers, now)
  const fullScore = lifeScoreOf(scoreFactsOf(row), tiers, now)
  const verdict = (action: Verdict["action"], reason: string, rule = reason): Verdict => ({
    action,
    reason,
    rule,
    score: fullScore
  })
  if (memory.tier === "core") return verdict("keep", "core is kept")
  if (memory.type === "person") return verdict("keep", "people are kept")
  if (isProtected(memory, tiers.pin)) return verdict("keep", "it is pinned")
  const [unseenDays, untouchedDays] = [ageInDays(lastSeenAt(visible), now), ageInDays(lastTouchedAt(visible), now)]
  const isInUse = hits >= gc.promoteHits && unseenDays <= gc.promoteWithin
  const untouchedReason = `left alone for ${Math.floor(untouchedDays)} days`
  if (memory.tier === "long") {
    if (memory.promotedAt === undefined) return verdict("keep", "it was remembered on purpose")
    if (isInUse || untouchedDays < gc.demoteAfter) return verdict("keep", "it was promoted")
    return verdict("demote", untouchedReason, `left alone for ${gc.demoteAfter} days`)
  }
  if (isInUse && memory.tier === "mid") {
    const rule = `${gc.promoteHits} hits or more, the last within ${gc.promoteWithin} days`
    return verdict("promote", `${hits} hits, the last ${Math.floor(unseenDays)} days ago`, rule)
  }
  if (untouchedDays > gc.removeAfter) {
    return verdict("remove", untouchedReason, `left alone for more than ${gc.removeAfter} days`)
  }
  if (score < gc.removeBelow && untouchedDays >= 1) {
    return verdict("remove", `its score is ${score.toFixed(3)}`, `its score is below ${gc.removeBelow}`)
  }
  return verdict("keep", "its score is high enough")
}
