import type { Memory as Image } from "../../events/Memory.js"
import type { DisputedFields } from "../../projections/observationSearch.js"
import type { AccessCounts } from "../../projections/recalls.js"

/**
 * A memory as `get` returns it. Times are milliseconds since the epoch. At full trust it includes how often the memory
 * was shown and when it was last shown, if reads were recorded.
 */
export type WholeMemory = Omit<Image, "born" | "revision" | "status" | "disputes"> &
  Partial<AccessCounts> &
  DisputedFields

/**
 * Removes the engine's own fields and the disputes from a memory. `withDisputes` adds the disputes that the reader may
 * see.
 */
export const toWholeMemory = ({ born, revision, status, disputes, ...memory }: Image): WholeMemory => memory
