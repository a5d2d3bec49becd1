import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Store } from "../../events/Trust.js"

/** Why a second opinion did not come. Names the kind of failure, never a text or a key. */
export class RerankerError extends Schema.TaggedError<RerankerError>()("RerankerError", {
  name: Schema.String,
  reason: Schema.Literal("failed", "timeout", "count", "values"),
  detail: Schema.optional(Schema.String)
}) {
  override get message() {
    return `reranker ${this.name}: ${this.reason}${this.detail === undefined ? "" : ` (${this.detail})`}`
  }
}

/**
 * Looks at the first hits of a search once more, text by text. A search without
 * one, or with one that fails, hangs or answers nonsense, keeps its order.
 */
export class Reranker extends Context.Tag("daybook/Reranker")<
  Reranker,
  {
    /** Name and version, as a recall names it. */
    readonly name: string
    /** Hits that it looks at; no more than the policy's `search.drafts` are given. */
    readonly topN: number
    /** Whether it answers at once and without a network: it is not timed then. */
    readonly local?: boolean
    /** Stores whose texts it is not to see, nor any credential: their hits count as middling. All are shown where absent. */
    readonly apart?: ReadonlyArray<Store>
    /** Milliseconds that a search waits for it; the policy's `search.queryTimeout` where absent. */
    readonly timeout?: number
    /** What its best score adds to a hit's. */
    readonly weight: number
    /** A score for each text, in order, 0…1. */
    readonly rerank: (
      query: string,
      texts: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<number>, RerankerError>
  }
>() {}
