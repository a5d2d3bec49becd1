import * as Schema from "effect/Schema"
import { EmbedderFigures } from "./Recall.js"
import { Store } from "./Trust.js"

/**
 * From this event on, these memories and chunks have vectors of this model. The embeddings cache stores the vectors.
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
   * Row numbers of chunks of turns and files, and the version of the algorithm that cut them: see
   * `text/normalise/chunks.ts`.
   */
  chunks: Schema.optional(
    Schema.Array(Schema.Struct({ turn: Schema.String, born: Schema.Number, store: Store, digest: Schema.String }))
  ),
  cutting: Schema.optional(Schema.Number),
  /** Whether this model is used only for stores withheld from the active embedder. */
  apart: Schema.optional(Schema.Boolean)
})

/**
 * Changes an agent's embedder. `preparing`: its vectors are built while another embedder stays active. `inForce`: all
 * reads switch to it at once, and ranking uses its figures. `dropped`: its index is removed.
 */
export const EmbedderChanged = Schema.Struct({
  state: Schema.Literal("preparing", "inForce", "dropped"),
  model: Schema.String,
  dimensions: Schema.Number,
  weight: Schema.Number,
  floor: Schema.Number,
  /** While preparing: whether it becomes active as soon as every text has a vector. */
  adopt: Schema.optional(Schema.Boolean),
  /** The embedder for stores that are withheld from this one; absent if this one sees all stores. */
  apart: Schema.optional(Schema.Struct({ ...EmbedderFigures, stores: Schema.Array(Store) }))
})
