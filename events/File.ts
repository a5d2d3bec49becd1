import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/** The kind of text in a file. */
export const Media = Schema.Literal("text", "markdown", "code", "data")
export type Media = typeof Media.Type

/**
 * The exact text of a file when it was indexed. A path is unique within a store. `digest` is the text's SHA-256,
 * hexadecimal; `tokens` is the number of tokens in the text; times are milliseconds since the Unix epoch.
 */
export const File = Schema.Struct({
  id: Schema.String,
  path: Schema.String,
  media: Media,
  digest: Schema.String,
  store: Store,
  /** The trust level of the writer. Absent in events of earlier releases: see `levelOf`. */
  level: Schema.optional(TrustLevel),
  session: Schema.optional(Schema.String),
  text: Schema.String,
  tokens: Schema.Number,
  occurredAt: Schema.Number
})
export type File = typeof File.Type
