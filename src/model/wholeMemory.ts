import type { Memory as Image } from "../../events/Memory.js"
import type { Accesses } from "../../projections/recalls.js"

/**
 * A memory as `get` answers it. Times are milliseconds since the epoch. At full
 * trust with how often it was shown and when last, as far as that was recorded.
 */
export type WholeMemory = Omit<Image, "born" | "revision" | "status"> & Partial<Accesses>

/** A memory without what only the engine counts. */
export const wholeOf = ({ born, revision, status, ...memory }: Image): WholeMemory => memory
