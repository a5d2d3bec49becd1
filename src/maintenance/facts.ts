import type { Memory } from "../../events/Memory.js"
import type { Row } from "../model/MemoryRow.js"
import type { ScoreFacts } from "../search/score.js"

export type { Row } from "../model/MemoryRow.js"

/**
 * A row as rules may look at it. Only full trust reads what is private, and only full trust may know what it was shown:
 * were that to decide about what lower levels read too, they could tell by it what is asked above them.
 */
export const ruled = ({ accesses, memory }: Row): Row => ({
  memory,
  accesses: memory.store === "private" ? accesses : undefined
})

/** When a memory was last added, mentioned or shown. */
export const seenAt = ({ accesses, memory }: Row): number =>
  Math.max(memory.createdAt, memory.lastMentionedAt, accesses?.lastAccessedAt ?? 0)

/** When it was last seen, changed or moved by the rules: what is left alone is so from then on. */
export const touchedAt = (row: Row): number => Math.max(seenAt(row), row.memory.updatedAt, row.memory.movedAt ?? 0)

export const factsOf = (row: Row): ScoreFacts => ({
  type: row.memory.type,
  importance: row.memory.importance,
  mentions: row.memory.mentions,
  accesses: row.accesses?.accesses ?? 0,
  seenAt: seenAt(row)
})

export const day = 86_400_000

/** Days, whole or not, that something was left alone. */
export const ageOf = (since: number, now: number): number => Math.max(0, now - since) / day

/** Whether a run of a stage may never take a memory away, fold it into another or shorten it. */
export const isKept = ({ tags, tier, type }: Memory, pin: string): boolean =>
  tier === "core" || type === "person" || tags.includes(pin)
