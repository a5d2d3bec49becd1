import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findDisputeBetween, findOpenDisputes } from "../../projections/disputeGroups.js"
import type { Db } from "../../projections/Projection.js"
import { requireUnparked } from "../actor/Command.js"
import { maySettleGroup } from "../remember/levels.js"

/**
 * Whether maintenance may retire a memory because of a newer one. False if a person decided that both hold, or if
 * disputes cannot be read. If the memory is in an open dispute, the newer one must be allowed to settle it: see
 * `maySettleGroup`.
 */
export const maySettle = (db: Db, memory: Memory, newer: Memory, now: number): boolean => {
  if (Either.isLeft(requireUnparked(db, "disputes"))) return false
  if (findDisputeBetween(db, memory, newer) === "settled") return false
  const dispute = findOpenDisputes(db, "full", [memory.id], now).get(memory.id)
  return dispute === undefined || maySettleGroup(newer, dispute)
}
