/** The types of `memory.undo`. */
export type { Undoable } from "../../src/undo/choose.js"
export type { UndoError, Undone, UndoneEvent, UndoOptions } from "../../src/undo/undo.js"
