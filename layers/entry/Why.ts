/** The types of `memory.why` and `memory.history`. */
export type { Decision } from "../../events/catalogue.js"
export type * from "../../src/history.js"
export type { Why, WhyOptions, WhyVersion } from "../../src/why.js"
