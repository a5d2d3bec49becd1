import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/**
 * The summary of a conversation in one store. `turns` counts its turns, and `until` is the version of the last turn.
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
  /** The lowest trust level of its source turns. Absent in events of earlier releases: see `levelOf`. */
  level: Schema.optional(TrustLevel),
  turns: Schema.Number,
  until: Schema.Number,
  /**
   * The versions of the source turns, in order. When a turn is erased, this list finds the summaries that may quote it.
   */
  sources: Schema.Array(Schema.Number),
  startedAt: Schema.Number,
  lastAt: Schema.Number
})
export type SessionSummary = typeof SessionSummary.Type

/**
 * From this event on, the session has this summary in the store; null removes the summary. `was` is the replaced
 * summary, with its own sources. `replaces` is the version that added the replaced summary. When an undo restores an
 * earlier summary, `restores` is the version that first added it.
 */
export const summarizeFields = {
  session: Schema.String,
  store: Store,
  summary: Schema.NullOr(SessionSummary),
  was: Schema.optional(SessionSummary),
  replaces: Schema.optional(Schema.Number),
  restores: Schema.optional(Schema.Number)
}
