import type { Decision } from "../events/catalogue.js"
import type { Memory } from "../events/Memory.js"

/**
 * A decision as a reader may know it. Where it raised a dispute and the reader may read none of the other sides, it
 * appears as a plain ADD.
 */
export const visibleDecision = <D extends Pick<Decision, "action" | "reason" | "candidates" | "confidence">>(
  decision: D,
  { disputes = [] }: Pick<Memory, "disputes">,
  isReadable: (id: string) => boolean
): D => {
  if (decision.action !== "DISPUTE" || disputes.some(({ id }) => isReadable(id))) return decision
  const { confidence: _, ...others } = decision
  return { ...others, action: "ADD", reason: "stored as a memory of its own", candidates: [] } as unknown as D
}
