import type { Memory as Image } from "../../events/Memory.js"
import type { Disputed } from "../../projections/observationSearch.js"
import type { Accesses } from "../../projections/recalls.js"

/**
 * A memory as `get` returns it. Times are milliseconds since the epoch. At full trust it includes how often and when
 * it was last shown, if reads were recorded.
 */
export type WholeMemory = Omit<Image, "born" | "revision" | "status" | "disputes"> & Partial<Accesses> & Disputed

/** A memory without the engine's own counters. Disputes are left out: `withDisputes` adds those that the reader may know. */
export const toWholeMemory = ({ born, revision, status, disputes, ...memory }: Image): WholeMemory => memory
