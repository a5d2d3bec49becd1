import * as Schema from "effect/Schema"

/**
 * A memory that was considered for a decision: its id, its revision at that time, its score and the score's parts. The
 * text is not included.
 */
export const Candidate = Schema.Struct({
  id: Schema.String,
  revision: Schema.Number,
  score: Schema.Number,
  parts: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number }))
})

/** How a statement was found in a conversation. */
export const Extracted = Schema.Struct({
  /**
   * The id of the rule, `model`, `daily` for a line of the daily log, or `archive` for a statement that a fact is no
   * longer true.
   */
  rule: Schema.String,
  statedBy: Schema.optional(Schema.Literal("user", "assistant", "tool", "other")),
  /** Why each turn is a source. Empty in events of schema 5, which kept the reasons of all turns in `reason`. */
  sources: Schema.Array(Schema.Struct({ turn: Schema.String, reason: Schema.String }))
})
export type Extracted = typeof Extracted.Type

/** The decision behind an event: the action, who decided, and why. */
export const Decision = Schema.Struct({
  action: Schema.Literal("ADD", "UPDATE", "DELETE", "NONE", "DISPUTE", "COMPRESS", "ARCHIVE", "FORGET", "SUMMARIZE"),
  by: Schema.Struct({
    kind: Schema.Literal("caller", "rule", "model"),
    name: Schema.String,
    promptDigest: Schema.optional(Schema.String)
  }),
  reason: Schema.String,
  candidates: Schema.Array(Candidate),
  /** The probability that the decision is right, 0…1; absent if it was not estimated. */
  confidence: Schema.optional(Schema.Number),
  threshold: Schema.optional(Schema.Number),
  fallback: Schema.optional(Schema.String),
  /** Milliseconds that a model took to answer; absent if no model was called. */
  latency: Schema.optional(Schema.Number),
  /** Present if capture stored or archived the memory. */
  extracted: Schema.optional(Extracted)
})
export type Decision = typeof Decision.Type
