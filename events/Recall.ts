import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/** One hit of an answer: the id of the shown item, and its ranking score (null if nothing was ranked). */
export const RecallHit = Schema.Struct({ id: Schema.String, score: Schema.NullOr(Schema.Number) })
/** An embedder, and the weight and the floor that ranking uses for its vectors. */
export const EmbedderFigures = {
  model: Schema.String,
  dimensions: Schema.Number,
  weight: Schema.Number,
  floor: Schema.Number
}

export type RecallHit = typeof RecallHit.Type

/**
 * One read that showed memories, with everything needed to repeat it: a search of memories, a search of conversations
 * (ids are turn ids), or a read of memories by id. It records ids and scores, never the shown text.
 */
export const Recall = Schema.Struct({
  kind: Schema.Literal("memories", "conversation", "get"),
  level: TrustLevel,
  /** The query, cut to the length that the search uses. */
  text: Schema.String,
  /** The filters of the read, including the limit, as the search applied them. */
  filters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** The search mode; null for a read by id. */
  mode: Schema.NullOr(Schema.Literal("enhanced", "classic")),
  /** True if the gate ran. For a query that needs no memory, the gate returns no hits. */
  gated: Schema.Boolean,
  /** The reranker that reordered the first hits; null if no reranker ran. */
  reranker: Schema.NullOr(Schema.String),
  /** The time of the question, milliseconds since the epoch. Recency and expiry are counted from it. */
  askedAt: Schema.Number,
  /** The version of the last event in the view that answered. */
  position: Schema.Number,
  /** The key of the query's vector in the embeddings cache; null if no vector was used. */
  vector: Schema.NullOr(Schema.String),
  /** The second embedder and the key of its query vector; present if some stores use a second embedder. */
  apart: Schema.optional(Schema.Struct({ ...EmbedderFigures, stores: Schema.Array(Store), vector: Schema.String })),
  hits: Schema.Array(RecallHit),
  /** The session whose prompt received the results; absent if the reader named no session. */
  session: Schema.optional(Schema.String),
  /** Present if the query was erased. The entry stays, so that the numbers of the other recalls do not change. */
  erased: Schema.optional(Schema.Literal(true))
})
export type Recall = typeof Recall.Type

/** The recalls of one process since its previous RECALL event, oldest first, and the configuration of the ranking. */
export const RecallBatch = Schema.Struct({
  /** The number of the first recall. The following recalls have consecutive numbers. */
  first: Schema.Number,
  recalls: Schema.Array(Recall),
  /** The version of the ranking algorithm: see `src/search/ranker.ts`. */
  ranker: Schema.Number,
  embedder: Schema.Struct(EmbedderFigures),
  /** The active search policy. */
  policy: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** Recalls dropped since the previous event, because the queue was full. */
  dropped: Schema.Number
})
