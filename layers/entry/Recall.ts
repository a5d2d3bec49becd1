/** The types of `memory.recalls`. */
export type * from "../../src/recalls/RecallReader.js"
