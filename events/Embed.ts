import * as Schema from "effect/Schema"
import { EmbedderFigures } from "./Recall.js"
import { Store } from "./Trust.js"

/**
 * From this event on these memories and chunks have a vector of this model. The vectors are in the embeddings cache.
 */
export const Embed = Schema.Struct({
  model: Schema.String,
  dimensions: Schema.Number,
  entries: Schema.Array(
    Schema.Struct({
      memory: Schema.String,
      born: Schema.Number,
      store: Store,
      /** SHA-256 of the embedded text, hexadecimal: the key in the embeddings cache. */
      digest: Schema.String
    })
  ),
  /**
   * Chunks of turns and files by their row numbers, and the version of the chunking that cut them: see
   * `projections/chunks.ts`.
   */
  chunks: Schema.optional(
    Schema.Array(Schema.Struct({ turn: Schema.String, born: Schema.Number, store: Store, digest: Schema.String }))
  ),
  cutting: Schema.optional(Schema.Number),
  /** True for stores withheld from the active embedder: this model replaces it there. */
  apart: Schema.optional(Schema.Boolean)
})

/**
 * A change of an agent's embedder. `preparing` builds its vectors beside the active ones, `inForce` switches all reads
 * to it at once, `dropped` removes its index. Its figures are used for ranking from then on.
 */
export const EmbedderChanged = Schema.Struct({
  state: Schema.Literal("preparing", "inForce", "dropped"),
  model: Schema.String,
  dimensions: Schema.Number,
  weight: Schema.Number,
  floor: Schema.Number,
  /** While preparing: whether it becomes active as soon as every text has a vector. */
  adopt: Schema.optional(Schema.Boolean),
  /** The embedder used for stores that are withheld from this one; absent where it sees all stores. */
  apart: Schema.optional(Schema.Struct({ ...EmbedderFigures, stores: Schema.Array(Store) }))
})
