import type { Decision } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"

/**
 * A decision without the memories that the reader may not read. A dispute with only hidden memories appears as an ADD
 * or UPDATE without a contradiction.
 */
export const visibleDecision = <D extends Pick<Decision, "action" | "by" | "reason" | "candidates" | "confidence">>(
  decision: D,
  { disputes = [], id, revision }: Pick<Memory, "disputes" | "id" | "revision">,
  isReadable: (id: string) => boolean
): D => {
  const { confidence: _, ...others } = decision
  if (decision.action === "DISPUTE" && !disputes.some((dispute) => isReadable(dispute.id))) {
    return {
      ...others,
      action: revision === 1 ? "ADD" : "UPDATE",
      reason: "nothing in common",
      candidates: []
    } as unknown as D
  }
  if (decision.by.name !== "decide") return decision
  const candidates = decision.candidates.filter((candidate) => candidate.id === id || isReadable(candidate.id))
  return candidates.length === decision.candidates.length
    ? decision
    : { ...decision, reason: "changed by a caller", candidates }
}
