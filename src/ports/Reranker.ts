import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Store } from "../../events/Trust.js"

/** A reranker failed. Names the kind of failure, never a text or a key. */
export class RerankerError extends Schema.TaggedError<RerankerError>()("RerankerError", {
  name: Schema.String,
  reason: Schema.Literal("failed", "timeout", "count", "values"),
  detail: Schema.optional(Schema.String)
}) {
  override get message() {
    return `reranker ${this.name}: ${reasons[this.reason]}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

const reasons = {
  failed: "failed",
  timeout: "timeout",
  count: "returned a wrong number of scores",
  values: "returned invalid scores"
} as const

/** The functions of a `Reranker`. */
export interface RerankerService {
  /** Name and version, as a recall records it. */
  readonly name: string
  /** Maximum hits that the reranker rescores, at most the policy's `search.drafts`. */
  readonly topN: number
  /** True if the reranker answers synchronously and without a network. It then has no time-out. */
  readonly local?: boolean
  /**
   * Stores whose hits the reranker must not see. Their hits, and all credentials, get the mean score. Absent: the
   * reranker sees all hits.
   */
  readonly withheldStores?: ReadonlyArray<Store>
  /** Milliseconds that a search waits for the reranker; default: the policy's `search.queryTimeout`. */
  readonly timeout?: number
  /** The maximum gain that the reranker adds to a hit's score. */
  readonly weight: number
  /** Returns a score for each text, in order, 0…1. */
  readonly rerank: (query: string, texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, RerankerError>
}

/**
 * Rescores the first hits of a search, text by text. A search without a reranker, or with one that fails, hangs or
 * returns invalid scores, keeps its order.
 */
export class Reranker extends Context.Tag("daybook/Reranker")<Reranker, RerankerService | null>() {
  /** No reranker: hits keep the order of their scores. */
  static readonly layerNone: Layer.Layer<Reranker> = Layer.succeed(this, null)
}
