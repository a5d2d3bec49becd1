import * as Effect from "effect/Effect"
import { defineMethod } from "../model/operation.js"
import type { Writer } from "../remember/remember.js"
import type { Undoable } from "./choose.js"
import type { UndoError, Undone, UndoOptions, UndoServices } from "./undo.js"

export type { Undoable } from "./choose.js"
export type { UndoError, Undone, UndoneEvent, UndoOptions } from "./undo.js"

/** Undoes changes: `memory.undo`. */
export interface UndoWriter {
  /**
   * Undoes the changes of an event, a run or a source. Fields that later events changed deliberately stay. The undo is
   * a separate run, which can be undone too. Requires full trust.
   */
  readonly undo: (selection: Undoable, options?: UndoOptions) => Effect.Effect<Undone, UndoError>
}

/** @internal */
export const makeUndoWriter = (undoer: UndoServices, writer: Writer): UndoWriter => ({
  undo: defineMethod("Memory.undo")((selection, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./undo.js")),
      ({ undo }) => undo(undoer, writer, selection, options)
    )
  )
})
