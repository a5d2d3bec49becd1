import type { Memory } from "../../events/Memory.js"
import type { AccessCounts } from "../../projections/recalls.js"

/** A memory and how often it was shown; `accesses` is undefined if that is unknown. */
export interface Row {
  readonly memory: Memory
  readonly accesses: AccessCounts | undefined
}
