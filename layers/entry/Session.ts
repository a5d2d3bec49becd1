/** The types of `memory.sessions` and `memory.files`. */
export type * from "../../src/conversation/Files.js"
export type * from "../../src/conversation/Sessions.js"
export type * from "../../src/maintenance/SessionSummaries.js"
