import * as Schema from "effect/Schema"
import { fraction, positiveInteger, withDefault } from "./fields.js"

/** The last turns of a session. */
export const ShortTerm = Schema.Struct({
  /** Default number of turns that a read of a session returns. */
  size: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 100)
})

/** The rolling summary of a session: its oldest turns are condensed when its turns fill the budget. */
export const Summary = Schema.Struct({
  /** Whether sessions get rolling summaries. */
  enabled: withDefault(Schema.Boolean, true),
  /** Token budget of a session's rolling summary and its later turns together. */
  tokens: withDefault(Schema.Int.pipe(Schema.greaterThanOrEqualTo(200)), 4_000),
  /** Minimum number of unsummarised turns before any turn is condensed. */
  min_turns: withDefault(positiveInteger, 4),
  /** Above the share `trigger_ratio` of the budget, turns are condensed until at most `target_ratio` is used. */
  trigger_ratio: withDefault(fraction, 0.8),
  target_ratio: withDefault(fraction, 0.5),
  /** Maximum share of the budget for the summary itself. The oldest lines of a longer summary are left out. */
  text_ratio: withDefault(fraction, 0.25)
}).pipe(
  Schema.filter(({ target_ratio, text_ratio, trigger_ratio }) =>
    target_ratio > trigger_ratio
      ? { path: ["target_ratio"], message: "must be at most `summary.trigger_ratio`" }
      : text_ratio > target_ratio
        ? { path: ["text_ratio"], message: "must be at most `summary.target_ratio`" }
        : undefined
  )
)
export type SummaryPolicy = typeof Summary.Type
