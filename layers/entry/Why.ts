/** The types of `memory.why` and `memory.history`. */
export type { Decision } from "../../events/catalogue.js"
export type { HistoryEntry } from "../../src/Memory.js"
export type { Why, WhyOptions, WhyVersion } from "../../src/why.js"
