import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import type { Payload } from "../../events/catalogue.js"
import type { CachedVector, ReadAt } from "../../events/EventLog.js"
import type { Recall } from "../../events/Recall.js"
import type { QueryVector } from "../../projections/hybridSearch.js"
import { lastRecallNumber } from "../../projections/recalls.js"
import type { Command } from "../actor/Command.js"
import type { EmbedderParameters, UnrecordedRecall } from "../actor/ReaderSource.js"
import { rankerVersion } from "../search/ranker.js"

/** The fields that the recalls of one event share. */
type CommonFields = Pick<Payload<"RECALL">, "embedder" | "policy" | "dropped">

/**
 * Makes a function that returns the payload of a RECALL event for the number of the first recall, and the query vectors
 * for the embeddings cache. With cached vectors, a rerun calls no embedder.
 */
export const makeRecallEvent = (
  recalls: ReadonlyArray<UnrecordedRecall>,
  { dropped, embedder, policy }: CommonFields
): {
  readonly payload: (first: number) => Payload<"RECALL">
  readonly vectors: ReadonlyArray<CachedVector>
} => {
  const vectors = new Map<string, CachedVector>()
  const keyOf = (vector: QueryVector): string => {
    const digest = vectorDigest(vector)
    vectors.set(digest, { model: vector.model, dimensions: vector.values.length, digest, vector: vector.values })
    return digest
  }
  const recorded = recalls.map(({ substitute, embedder: _, readAt: __, filters, vector, ...rest }): Recall => {
    const recall = { ...rest, filters: { ...filters } }
    if (vector === null) return { ...recall, vector }
    const vectorApart = vector.substitute
    return {
      ...recall,
      vector: vector.values.length === 0 ? null : keyOf(vector),
      ...(substitute === undefined || vectorApart === undefined
        ? {}
        : { apart: { ...figuresOf(substitute), stores: substitute.stores, vector: keyOf(vectorApart) } })
    }
  })
  return {
    payload: (first) => ({
      first,
      recalls: recorded,
      ranker: rankerVersion,
      embedder: figuresOf(embedder),
      policy,
      dropped
    }),
    vectors: [...vectors.values()]
  }
}

/** Makes the command that records recalls. */
export const recordRecalls = (
  recalls: ReadonlyArray<UnrecordedRecall>,
  common: CommonFields
): Command<number, never> => {
  const { payload, vectors } = makeRecallEvent(recalls, common)
  return {
    actor: "recall",
    request: () => "",
    vectors,
    readAt: oldestReadAt(recalls),
    decide: ({ db }) => Either.right({ events: [{ type: "RECALL", payload: payload(lastRecallNumber(db) + 1) }] }),
    answer: () => recalls.length
  }
}

/** Returns the newest event that was visible to all of these recalls. */
export const oldestReadAt = (recalls: ReadonlyArray<UnrecordedRecall>): ReadAt | undefined =>
  recalls.reduce<ReadAt | undefined>(
    (oldest, { readAt }) => (oldest === undefined || readAt.version < oldest.version ? readAt : oldest),
    undefined
  )

/**
 * The key of a query vector in the embeddings cache. It is computed from the vector, not from the text, because a model
 * may later embed the same text differently, or embed it differently as a document.
 */
const vectorDigest = ({ model, values }: QueryVector): string =>
  createHash("sha256")
    .update(JSON.stringify(["vector of a query", model]))
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest("hex")

const figuresOf = ({ dimensions, floor, model, weight }: EmbedderParameters): EmbedderParameters => ({
  model,
  dimensions,
  weight: finite(weight),
  floor: finite(floor)
})

/**
 * Limits a number to −2…2, because JSON has no infinity; NaN becomes 0. All weights and similarities are in this
 * range.
 */
const finite = (value: number): number => Math.max(-2, Math.min(2, value)) || 0
