import { isProtected } from "../../src/maintenance/stageRow.js"
import type { WholeMemory } from "../../src/model/wholeMemory.js"
import type { PolicyValues } from "../../src/ports/Policy.js"

/** Counts of the active memories, and of those that break a limit of the policy. */
export interface ActiveSet {
  readonly memories: number
  readonly byTier: Readonly<Record<string, number>>
  /** Number of mid memories in the store that has the most of them. */
  readonly fullest: number
  /** Number of memories that break a limit, by name of the limit. */
  readonly above: Readonly<Record<string, number>>
}

const day = 86_400_000
/** Milliseconds. Stages run once a day, so a memory may break a limit for up to a day. */
const slack = day

/** Checks the active memories against the policy, right after maintenance. */
export const activeSetOf = (
  memories: ReadonlyArray<WholeMemory>,
  { archive, gc, maintenance, retention, tiers }: PolicyValues,
  now: number
): ActiveSet => {
  const above: Record<string, number> = {}
  const byTier: Record<string, number> = {}
  const mid: Record<string, number> = {}
  const note = (bound: string, times = 1) => {
    if (times > 0) above[bound] = (above[bound] ?? 0) + times
  }
  for (const memory of memories) {
    byTier[memory.tier] = (byTier[memory.tier] ?? 0) + 1
    if (memory.tier === "mid") mid[memory.store] = (mid[memory.store] ?? 0) + 1
    if (isProtected(memory as never, tiers.pin)) continue
    if (memory.expiresAt !== undefined && memory.expiresAt + slack < now) note("active though it expired")
    const changed = Math.max(memory.createdAt, memory.updatedAt)
    const seen = Math.max(changed, memory.lastMentionedAt, memory.lastAccessedAt ?? 0)
    // A move by the rules resets the age.
    const touched = Math.max(seen, memory.movedAt ?? 0)
    const oldest = Math.min(gc.removeAfter, archive.after) * day + slack
    if (memory.tier === "mid" || memory.tier === "daily") {
      if (now - touched > oldest) note(`${memory.tier} and left alone for more than ${gc.removeAfter} days`)
    }
    const passes = (maintenance.decayedTiers as ReadonlyArray<string>).includes(memory.tier)
    if (passes && (memory.type === "temp" || memory.type === "debug")) {
      const decay = tiers.decays[memory.type] ?? tiers.decay
      const days = -Math.log(maintenance.decayed) / decay
      // The weekly run archives the memory. Its time counts from its move into this tier.
      const since = Math.max(seen + days * day, memory.movedAt ?? 0)
      if (now - since > 7 * slack) note(`${memory.type} and decayed to ${maintenance.decayed}`)
    }
    const narrative = memory.narrative?.length ?? 0
    if (narrative > 0 && now - changed > retention.dropAfter * day + slack) {
      note(`with a narrative after ${retention.dropAfter} days`)
    } else if (narrative > retention.narrative && now - changed > retention.shortenAfter * day + slack) {
      note(`with a long narrative after ${retention.shortenAfter} days`)
    }
  }
  const fullest = Math.max(0, ...Object.values(mid))
  for (const [store, count] of Object.entries(mid)) {
    note(`above the ${gc.capacity} mid memories of store ${store}`, count - gc.capacity)
  }
  return { memories: memories.length, byTier, fullest, above }
}
