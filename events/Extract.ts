import * as Schema from "effect/Schema"
import { Decision } from "./Decision.js"
import { Store } from "./Trust.js"

/** The result for one statement that was extracted from turns. */
export const Captured = Schema.Struct({
  /** The memory that states it now, or that was archived. */
  id: Schema.String,
  action: Decision.fields.action,
  /** The rule that extracted it, or `model`. */
  rule: Schema.String,
  /** The versions of its source turns. */
  turns: Schema.Array(Schema.Number)
})
export type Captured = typeof Captured.Type

/**
 * The waiting turns of a session in a store up to version `until` are extracted. The same append stores the events of
 * the memories that they gave.
 */
export const Extract = Schema.Struct({
  session: Schema.String,
  store: Store,
  until: Schema.Number,
  /** How many turns were extracted, and their tokens. */
  turns: Schema.Number,
  tokens: Schema.Number,
  /** The extractor that was asked. After a `fallback`, `by` is the one that answered in its place. */
  extractor: Schema.String,
  by: Decision.fields.by,
  fallback: Schema.optional(Schema.String),
  /** Milliseconds that a model took to answer; absent if none was asked. */
  latency: Schema.optional(Schema.Number),
  captured: Schema.Array(Captured),
  /** How many statements were not stored, by reason. */
  skipped: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number })),
  summary: Schema.optional(Schema.String)
})
