import type { Decision } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"

/**
 * Removes the memories that the reader may not read from a decision. If all disputed memories are hidden, the decision
 * appears as an ADD or UPDATE without a contradiction.
 */
export const hideUnreadableMemories = <
  D extends Pick<Decision, "action" | "by" | "reason" | "candidates" | "confidence">
>(
  decision: D,
  { disputes = [], id, revision }: Pick<Memory, "disputes" | "id" | "revision">,
  isReadable: (id: string) => boolean
): D => {
  const candidates = decision.candidates.filter((candidate) => candidate.id === id || isReadable(candidate.id))
  const isWhole = candidates.length === decision.candidates.length
  if (decision.by.name === "decide")
    return isWhole ? decision : { ...decision, reason: "changed by a caller", candidates }
  const visible = isWhole ? decision : { ...decision, candidates }
  const readable = disputes.filter((dispute) => isReadable(dispute.id))
  if (decision.action !== "DISPUTE" || readable.length === disputes.length) return visible
  // The reason and confidence may describe a hidden contradiction.
  const { confidence: _, ...others } = visible
  return readable.length > 0
    ? ({ ...others, reason: "contradicts another memory" } as unknown as D)
    : ({
        ...others,
        action: revision === 1 ? "ADD" : "UPDATE",
        reason: "nothing in common",
        candidates: []
      } as unknown as D)
}
