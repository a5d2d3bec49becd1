import * as Schema from "effect/Schema"
import { Decision } from "./Decision.js"
import { Store } from "./Trust.js"

/** The result for one statement that was extracted from turns. */
export const Captured = Schema.Struct({
  /** The memory that now contains the statement, or the memory that was archived. */
  id: Schema.String,
  action: Decision.fields.action,
  /** The rule that extracted it, or `model`. */
  rule: Schema.String,
  /** The versions of the turns that contain the statement. */
  turns: Schema.Array(Schema.Number)
})
export type Captured = typeof Captured.Type

/**
 * The waiting turns of a session in a store, up to version `until`, were extracted. The same append stores the events
 * of the memories extracted from them.
 */
export const Extract = Schema.Struct({
  session: Schema.String,
  store: Store,
  until: Schema.Number,
  /** The number of extracted turns and the number of their tokens. */
  turns: Schema.Number,
  tokens: Schema.Number,
  /** The extractor that was called. After a `fallback`, `by` names the extractor that answered in its place. */
  extractor: Schema.String,
  by: Decision.fields.by,
  fallback: Schema.optional(Schema.String),
  /** Milliseconds that a model took to answer; absent if no model was called. */
  latency: Schema.optional(Schema.Number),
  captured: Schema.Array(Captured),
  /** The number of statements that were not stored, for each reason. */
  skipped: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number })),
  summary: Schema.optional(Schema.String)
})
