import * as Schema from "effect/Schema"
import { Store } from "./Trust.js"

/**
 * What a conversation came to, as far as one store has it. `turns` counts those that there were, and `until` is the version of
 * the last one. Times are milliseconds since the Unix epoch.
 */
export const SessionSummary = Schema.Struct({
  /** What was asked for. */
  request: Schema.optional(Schema.String),
  /** What came of it. */
  outcome: Schema.optional(Schema.String),
  decisions: Schema.Array(Schema.String),
  /** What is still to be done or answered. */
  open: Schema.Array(Schema.String),
  turns: Schema.Number,
  until: Schema.Number,
  /** The versions of the turns whose words it may have, in order: what erases one of them finds here what quotes it. */
  sources: Schema.Array(Schema.Number),
  startedAt: Schema.Number,
  lastAt: Schema.Number
})
export type SessionSummary = typeof SessionSummary.Type

/**
 * From here on this is the summary of a session in a store; none where it is null. `was` is what it takes the place of
 * (it has words of its own sources), and `replaces` the version that said so; `restores` is the version that said the same first, where it says it again.
 */
export const summarizeFields = {
  session: Schema.String,
  store: Store,
  summary: Schema.NullOr(SessionSummary),
  was: Schema.optional(SessionSummary),
  replaces: Schema.optional(Schema.Number),
  restores: Schema.optional(Schema.Number)
}
