import type * as Effect from "effect/Effect"
import type { RecallHit, Recall as Recorded } from "../../events/Recall.js"
import type { ConversationHit } from "../conversation/searchConversation.js"
import type { RecallNotFound, TrustRequired } from "../model/errors.js"
import type { PageQuery, ReadError } from "../model/filters.js"
import type { WholeMemory } from "../model/wholeMemory.js"
import type { Hit } from "../search/search.js"

/** A recall: a read that showed memories, in short. */
export interface RecallRow extends Pick<Recorded, "kind" | "level" | "text" | "askedAt"> {
  /** The number of the recall, from 1 for each agent. */
  readonly number: number
  /** Hits shown. */
  readonly shown: number
}

/** A recall with everything its answer depended on. Times are milliseconds since the epoch. */
export interface Recall extends Omit<Recorded, "vector" | "apart"> {
  readonly number: number
  readonly recordedAt: number
  /** The version of the ranking. */
  readonly ranker: number
  /** The embedder of the query's vector; null without a vector. */
  readonly embedder: { readonly model: string; readonly dimensions: number } | null
  /** The search policy at that time. */
  readonly policy: Readonly<Record<string, unknown>>
}

/** A difference to the recorded recall: the ranker, the embedder, the reranker, the query's vector, or the hit at a place, from 1. */
export type RecallDifference =
  | { readonly what: "ranker" | "embedder" | "reranker" | "vector"; readonly was: string; readonly is: string }
  | { readonly what: "hit"; readonly place: number; readonly was: RecallHit | null; readonly is: RecallHit | null }

/** A repeated recall. */
export interface Rerun {
  readonly recall: Recall
  readonly hits: ReadonlyArray<Hit> | ReadonlyArray<ConversationHit> | ReadonlyArray<WholeMemory>
  /** Whether it shows the same ids with the same scores in the same order. */
  readonly same: boolean
  readonly differences: ReadonlyArray<RecallDifference>
}

/** Reads of the recall log: `memory.recalls`. Full trust only. */
export interface RecallReader {
  /** The recalls of searches and `get`, with their level and query, the newest first. */
  readonly list: (query?: PageQuery) => Effect.Effect<ReadonlyArray<RecallRow>, ReadError | TrustRequired>
  /** One recall by its number, with everything its answer depended on. */
  readonly get: (number: number) => Effect.Effect<Recall, ReadError | TrustRequired | RecallNotFound>
  /** Repeats a recall on the view and at the time of the original, and compares. */
  readonly rerun: (number: number) => Effect.Effect<Rerun, ReadError | TrustRequired | RecallNotFound>
}
