/** The types of `memory.undo`. */
export type * from "../../src/undo/UndoWriter.js"
