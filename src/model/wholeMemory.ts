import type { Memory as Image } from "../../events/Memory.js"
import type { Accesses } from "../../projections/recalls.js"

/**
 * A memory as `get` returns it. Times are milliseconds since the epoch. At full trust it includes how often it was
 * shown and when last, as far as reads were recorded.
 */
export type WholeMemory = Omit<Image, "born" | "revision" | "status"> & Partial<Accesses>

/** A memory without the engine's own counters. */
export const toWholeMemory = ({ born, revision, status, ...memory }: Image): WholeMemory => memory
