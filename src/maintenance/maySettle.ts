import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findOpenDisputes } from "../../projections/disputeGroups.js"
import { findDisputeBetween } from "../../projections/disputePairs.js"
import type { Db } from "../../projections/Projection.js"
import { requireUnparked } from "../actor/Command.js"
import { maySettleGroup } from "../remember/levels.js"

/**
 * Returns true if maintenance may retire a memory because of a newer memory. Returns false if a person decided that
 * both are true, or if disputes cannot be read. If the memory is in an open dispute, the newer memory must be allowed
 * to settle this dispute: see `maySettleGroup`.
 */
export const maySettle = (db: Db, memory: Memory, newer: Memory, now: number): boolean => {
  if (Either.isLeft(requireUnparked(db, "disputes"))) return false
  if (findDisputeBetween(db, memory, newer) === "settled") return false
  const dispute = findOpenDisputes(db, "full", [memory.id], now).get(memory.id)
  return dispute === undefined || maySettleGroup(newer, dispute)
}
