import * as Schema from "effect/Schema"
import { EmbedderFigures } from "./Recall.js"
import { Store } from "./Trust.js"

/**
 * From this event on, these memories and chunks have vectors made by this model. The embeddings cache stores the
 * vectors.
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
   * The embedded chunks of turns and files. `turn` is the id of the chunk's turn or file, and `born` is the chunk's row
   * number. `cutting` is the version of the algorithm that cuts texts into chunks: see `text/normalise/chunks.ts`.
   */
  chunks: Schema.optional(
    Schema.Array(Schema.Struct({ turn: Schema.String, born: Schema.Number, store: Store, digest: Schema.String }))
  ),
  cutting: Schema.optional(Schema.Number),
  /** True if this model is used only for stores that are withheld from the active embedder. */
  apart: Schema.optional(Schema.Boolean)
})

/**
 * Changes an agent's embedder. `preparing`: the vectors of the new embedder are built while another embedder stays
 * active. `inForce`: all reads switch to the new embedder at once, and ranking uses its weight and floor. `dropped`:
 * the index of the embedder is removed.
 */
export const EmbedderChanged = Schema.Struct({
  state: Schema.Literal("preparing", "inForce", "dropped"),
  model: Schema.String,
  dimensions: Schema.Number,
  weight: Schema.Number,
  floor: Schema.Number,
  /** Set while preparing. True if the embedder becomes active as soon as every text has a vector. */
  adopt: Schema.optional(Schema.Boolean),
  /** The second embedder, for stores that are withheld from this embedder; absent if no store is withheld. */
  apart: Schema.optional(Schema.Struct({ ...EmbedderFigures, stores: Schema.Array(Store) }))
})
