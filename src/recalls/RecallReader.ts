import type * as Effect from "effect/Effect"
import type { RecallHit, Recall as Recorded } from "../../events/Recall.js"
import type { ConversationHit } from "../conversation/searchConversation.js"
import type { RecallNotFound, TrustRequired } from "../model/errors.js"
import type { PageQuery, ReadError } from "../model/filters.js"
import type { WholeMemory } from "../model/wholeMemory.js"
import type { Hit } from "../search/search.js"

/** A read that showed memories, in short. */
export interface RecallRow extends Pick<Recorded, "kind" | "level" | "text" | "askedAt"> {
  /** Counts the recalls of an agent from 1. */
  readonly number: number
  /** How many were shown. */
  readonly shown: number
}

/** A read that showed memories, with all that its answer depended on. Times are milliseconds since the epoch. */
export interface Recall extends Omit<Recorded, "vector" | "apart"> {
  readonly number: number
  readonly recordedAt: number
  /** The version of the ranking. */
  readonly ranker: number
  /** What made the query's vector; null where none took part. */
  readonly embedder: { readonly model: string; readonly dimensions: number } | null
  /** The policy of searches that was in force. */
  readonly policy: Readonly<Record<string, unknown>>
}

/** Something that is not as it was: what ranks, what embeds, the query's vector, or what stands at a place, from 1, of the answer. */
export type RecallDifference =
  | { readonly what: "ranker" | "embedder" | "reranker" | "vector"; readonly was: string; readonly is: string }
  | { readonly what: "hit"; readonly place: number; readonly was: RecallHit | null; readonly is: RecallHit | null }

/** A recall that was run again. */
export interface Rerun {
  readonly recall: Recall
  readonly hits: ReadonlyArray<Hit> | ReadonlyArray<ConversationHit> | ReadonlyArray<WholeMemory>
  /** Whether the same ids with the same scores were shown, in the same order. */
  readonly same: boolean
  readonly differences: ReadonlyArray<RecallDifference>
}

/** Reads the log of recalls. */
export interface RecallReader {
  /** What searches and `get` showed, to whom, for which question: the newest first. Full trust only. */
  readonly recalls: (query?: PageQuery) => Effect.Effect<ReadonlyArray<RecallRow>, ReadError | TrustRequired>
  /** One of them, by its number, with all that its answer depended on. Full trust only. */
  readonly recall: (number: number) => Effect.Effect<Recall, ReadError | TrustRequired | RecallNotFound>
  /** Asks once more, of the view and at the time of then, and compares. Full trust only. */
  readonly rerun: (number: number) => Effect.Effect<Rerun, ReadError | TrustRequired | RecallNotFound>
}
