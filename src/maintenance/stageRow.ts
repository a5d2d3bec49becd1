import { isKeptAsWritten, type Memory } from "../../events/Memory.js"
import type { Row } from "../model/MemoryRow.js"
import { lastSeenAt } from "../search/score.js"

export type { Row } from "../model/MemoryRow.js"

/**
 * Removes the access counts of memories that are not private. Only full trust may read access counts. If a rule used
 * them for memories that lower levels read, those levels could infer the searches of higher levels.
 */
export const hideAccessesFromRules = ({ accesses, memory }: Row): Row => ({
  memory,
  accesses: memory.store === "private" ? accesses : undefined
})

/** The time when a memory was last seen, changed, or moved by the rules. The time without use starts here. */
export const lastTouchedAt = (row: Row): number =>
  Math.max(lastSeenAt(row), row.memory.updatedAt, row.memory.movedAt ?? 0)

/** Milliseconds of a day. */
export const dayMillis = 86_400_000

/** Days since an instant, with fractions. */
export const ageInDays = (since: number, now: number): number => Math.max(0, now - since) / dayMillis

/**
 * Returns true if no stage may remove, merge or shorten a memory: core, pinned and person memories, notes and cards.
 */
export const isProtected = ({ id, tags, tier, type }: Memory, pin: string): boolean =>
  isKeptAsWritten(id) || tier === "core" || type === "person" || tags.includes(pin)
