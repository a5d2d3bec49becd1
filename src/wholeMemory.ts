import type { Memory as Image } from "../events/Memory.js"
import type { WholeMemory } from "./Memory.js"

/** A memory without what only the engine counts. */
export const wholeOf = ({ born, revision, status, ...memory }: Image): WholeMemory => memory
