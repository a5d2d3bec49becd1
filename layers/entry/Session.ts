/** The types of `memory.sessions`, `memory.files`, `memory.notes` and `memory.scratchpad`. */
export type * from "../../src/capture/CaptureWriter.js"
export type * from "../../src/conversation/Files.js"
export type * from "../../src/conversation/Sessions.js"
export type * from "../../src/maintenance/rolling/Rolling.js"
export type * from "../../src/maintenance/SessionSummaries.js"
export type * from "../../src/notes/Notes.js"
export type * from "../../src/notes/Scratchpads.js"
