import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/** What was shown at one place of an answer: whose it is, and the score that it was ranked by (null where nothing was ranked). */
export const RecallHit = Schema.Struct({ id: Schema.String, score: Schema.NullOr(Schema.Number) })
/** An embedder with the figures that ranked by its vectors. */
export const Figures = {
  model: Schema.String,
  dimensions: Schema.Number,
  weight: Schema.Number,
  floor: Schema.Number
}

export type RecallHit = typeof RecallHit.Type

/**
 * One read that showed memories, with what it takes to run it again: a search
 * of memories, a search of conversations (ids are those of turns), or whole
 * memories by id. Ids and scores only: never a text of what was shown.
 */
export const Recall = Schema.Struct({
  kind: Schema.Literal("memories", "conversation", "get"),
  level: TrustLevel,
  /** The query, as far as it was looked at. */
  text: Schema.String,
  /** What narrowed the read, the limit included, as the search took it. */
  filters: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** How it was looked for; null for a read by id. */
  mode: Schema.NullOr(Schema.Literal("enhanced", "classic")),
  /** Whether the gate was asked, which finds nothing for what needs no memory. */
  gated: Schema.Boolean,
  /** Who looked at the first hits once more; null where nobody did. */
  reranker: Schema.NullOr(Schema.String),
  /** The asking time that recency and expiry were counted from, milliseconds since the epoch. */
  askedAt: Schema.Number,
  /** The version of the stream that the view had which answered. */
  position: Schema.Number,
  /** The key of the query's vector in the embeddings cache; null where none took part. */
  vector: Schema.NullOr(Schema.String),
  /** Where some stores have another embedder: which, and the key of the query's vector by it. */
  apart: Schema.optional(Schema.Struct({ ...Figures, stores: Schema.Array(Store), vector: Schema.String })),
  hits: Schema.Array(RecallHit)
})
export type Recall = typeof Recall.Type

/** Recalls of one process since its last such event, oldest first, and what ranked them. */
export const Recalled = Schema.Struct({
  /** The number of the first; the others count on from it. */
  first: Schema.Number,
  recalls: Schema.Array(Recall),
  /** The version of the ranking: see `src/retrieval/ranker.ts`. */
  ranker: Schema.Number,
  embedder: Schema.Struct(Figures),
  /** The policy of searches that was in force. */
  policy: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** Recalls that were lost since the event before, because too many waited. */
  dropped: Schema.Number
})
