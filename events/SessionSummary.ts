import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/**
 * The summary of a conversation in one store. `turns` counts its turns, and `until` is the version of the last one.
 * Times are milliseconds since the Unix epoch.
 */
export const SessionSummary = Schema.Struct({
  /** The user's request. */
  request: Schema.optional(Schema.String),
  /** The result. */
  outcome: Schema.optional(Schema.String),
  decisions: Schema.Array(Schema.String),
  /** Open tasks and questions. */
  open: Schema.Array(Schema.String),
  /** The lowest level of the turns that it may quote. Absent in events of earlier releases: see `levelOf`. */
  level: Schema.optional(TrustLevel),
  turns: Schema.Number,
  until: Schema.Number,
  /**
   * The versions of the turns that the summary may quote, in order. Erasing one of them finds the summary through this
   * list.
   */
  sources: Schema.Array(Schema.Number),
  startedAt: Schema.Number,
  lastAt: Schema.Number
})
export type SessionSummary = typeof SessionSummary.Type

/**
 * From this event on, the session has this summary in the store; null means none. `was` is the summary that it replaces
 * (with its own sources), and `replaces` the version that added that one. `restores` is the version that first added
 * the same summary, where an undo brings it back.
 */
export const summarizeFields = {
  session: Schema.String,
  store: Store,
  summary: Schema.NullOr(SessionSummary),
  was: Schema.optional(SessionSummary),
  replaces: Schema.optional(Schema.Number),
  restores: Schema.optional(Schema.Number)
}
