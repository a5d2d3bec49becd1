import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/**
 * The rolling summary of a session in one store. It condenses the older turns into a list, so that a prompt needs only
 * the last turns in full.
 */
export const RollingSummary = Schema.Struct({
  text: Schema.String,
  /** Counts the writes. A write names the epoch that it read, and is refused if another write came first. */
  epoch: Schema.Number,
  /** The sequence number of the newest turn that it covers. */
  upperSequence: Schema.Number,
  /** The lowest trust level of its sources and its writer. */
  level: TrustLevel,
  /**
   * The versions of the turns that this write condensed, in order. The versions for earlier writes are in the replaced
   * events (`replaces`). When a turn is erased, these lists find the summaries that may quote it.
   */
  sources: Schema.Array(Schema.Number)
})
export type RollingSummary = typeof RollingSummary.Type

/**
 * From this event on, the session has this rolling summary in the store; null removes it. `was` is the replaced
 * summary, and `replaces` is the version that wrote it. When an undo restores an earlier summary, `restores` is the
 * version that first wrote it, and `undoes` lists the versions that the undo reverses.
 */
export const rollFields = {
  session: Schema.String,
  store: Store,
  state: Schema.NullOr(RollingSummary),
  was: Schema.optional(RollingSummary),
  replaces: Schema.optional(Schema.Number),
  restores: Schema.optional(Schema.Number),
  undoes: Schema.optional(Schema.Array(Schema.Number))
}
