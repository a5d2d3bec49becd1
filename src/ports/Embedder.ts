import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Store } from "../../events/Trust.js"

/** Why no vectors came. Names the kind of failure, never a text or a key. */
export class EmbedderError extends Schema.TaggedError<EmbedderError>()("EmbedderError", {
  model: Schema.String,
  reason: Schema.Literal("failed", "timeout", "count", "dimensions", "values"),
  detail: Schema.optional(Schema.String),
  /**
   * What it is that fails, where it is none of the texts: `settings` (the key, the model or the address is not accepted,
   * and it takes somebody to mend that), `connection` (nobody answers), `busy` (so much is not answered now).
   */
  kind: Schema.optional(Schema.Literal("settings", "connection", "busy")),
  /** Milliseconds that whoever was asked asks to wait. */
  after: Schema.optional(Schema.Number)
}) {
  override get message() {
    return `embedder ${this.model}: ${this.reason}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

/** What turns texts into vectors. */
export interface EmbedderService {
  /** Name and version of the model: vectors of different models are never compared. */
  readonly model: string
  /** 1…8,192. */
  readonly dimensions: number
  /** How far ranking may trust its vectors: the share of similarity in the fused score, 0…1 (0.2 weak, 0.7 strong). */
  readonly weight: number
  /** Cosine similarity below which two texts have nothing to do with each other. */
  readonly floor: number
  /** Whether it answers without a network: memories that come in bulk are then embedded as they are written. */
  readonly local?: boolean
  /**
   * Whether a vector costs no more than to look it up: it is made anew rather than taken from the cache, and asked for
   * in vain rather than late.
   */
  readonly cheap?: boolean
  /** Texts of one request. */
  readonly batch: number
  /** One vector for each text, in order; any length other than 0 (they are normalised on arrival). */
  readonly embed: (
    texts: ReadonlyArray<string>,
    purpose: "document" | "query"
  ) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>
  /** Stores whose texts it is not to see, and the local one that embeds them in its place, into an index of their own. */
  readonly apart?: { readonly stores: ReadonlyArray<Store>; readonly embedder: EmbedderService }
  /** Whether it takes the place of one that is not to see a store, and no part in which one made its first vectors. */
  readonly standsIn?: boolean
  /** Stores that it was allowed to see once, and is not any more: a query that asks for these alone is not shown to it. */
  readonly withheld?: ReadonlyArray<Store>
  /** What it asked of its provider in this process so far. */
  readonly usage?: () => { readonly requests: number; readonly tokens: number }
}

/**
 * Turns texts into vectors. A layer of it is all that it takes to change the
 * model: see `layers/HashEmbedder.ts`. It may fail, hang or answer nonsense;
 * writes and searches go on without it.
 */
export class Embedder extends Context.Tag("daybook/Embedder")<Embedder, EmbedderService>() {}
