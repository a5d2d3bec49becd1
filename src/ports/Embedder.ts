import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Store } from "../../events/Trust.js"

/** An embedder failed. Names the kind of failure, never a text or a key. */
export class EmbedderError extends Schema.TaggedError<EmbedderError>()("EmbedderError", {
  model: Schema.String,
  reason: Schema.Literal("failed", "timeout", "count", "dimensions", "values"),
  detail: Schema.optional(Schema.String),
  /**
   * The cause of the failure; absent if the texts caused it. `settings`: the provider rejects the key, the model or the
   * address, and a person must fix it. `connection`: no answer. `busy`: overloaded or rate-limited.
   */
  kind: Schema.optional(Schema.Literal("settings", "connection", "busy")),
  /** Milliseconds to wait before a retry, as the provider requested. */
  retryAfterMillis: Schema.optional(Schema.Number)
}) {
  override get message() {
    return `embedder ${this.model}: ${reasons[this.reason]}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

const reasons = {
  failed: "failed",
  timeout: "timeout",
  count: "returned a wrong number of vectors",
  dimensions: "returned vectors with wrong dimensions",
  values: "returned vectors with invalid values"
} as const

/** An embedding model: converts texts to vectors. */
export interface EmbedderService {
  /** Name and version of the model. Vectors of different models are never compared. */
  readonly model: string
  /** 1…8,192. */
  readonly dimensions: number
  /** The weight of the embedder's similarity in the fused score, 0…1 (0.2 for a weak model, 0.7 for a strong one). */
  readonly weight: number
  /** Cosine similarity below which two texts count as unrelated. */
  readonly floor: number
  /** True if the embedder needs no network. A bulk write then embeds its memories while it writes them. */
  readonly local?: boolean
  /**
   * True if computing a vector is as cheap as a cache lookup. The engine then recomputes vectors instead of caching
   * them, and embeds texts early, even if their vectors may not be needed.
   */
  readonly skipsCache?: boolean
  /** Maximum texts in one request. */
  readonly batch: number
  /** Returns one vector per text, in order. A vector may have any length except 0: the engine normalises it. */
  readonly embed: (
    texts: ReadonlyArray<string>,
    purpose: "document" | "query"
  ) => Effect.Effect<ReadonlyArray<Float32Array>, EmbedderError>
  /** The stores withheld from this embedder, and the local embedder that embeds their texts into a separate index. */
  readonly substitute?: { readonly stores: ReadonlyArray<Store>; readonly embedder: EmbedderService }
  /**
   * True if this embedder replaces another one for withheld stores. False if a store uses this embedder only because
   * its first vectors came from it.
   */
  readonly isLocalSubstitute?: boolean
  /**
   * Stores whose texts this embedder received in the past and must no longer receive. A query that searches only these
   * stores is not sent to it.
   */
  readonly withheld?: ReadonlyArray<Store>
  /** The embedder's requests and tokens so far, in this process. */
  readonly usage?: () => { readonly requests: number; readonly tokens: number }
}

/**
 * Converts texts to vectors. To change the model, provide another layer: see `layers/HashEmbedder.ts`. If the embedder
 * fails, hangs or returns invalid vectors, writes and searches continue without it.
 */
export class Embedder extends Context.Tag("daybook/Embedder")<Embedder, EmbedderService>() {}
