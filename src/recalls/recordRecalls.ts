import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import type { Payload } from "../../events/catalogue.js"
import type { CachedVector } from "../../events/EventLog.js"
import type { Recall } from "../../events/Recall.js"
import type { QueryVector } from "../../projections/hits.js"
import { lastRecall } from "../../projections/recalls.js"
import type { Command } from "../actor/Command.js"
import type { Figures, UnrecordedRecall } from "../actor/ReaderSource.js"
import { rankerVersion } from "../search/ranker.js"

/** What recalls of one process have in common. */
type Common = Pick<Payload<"RECALL">, "embedder" | "policy" | "dropped">

/**
 * Recalls as their event has them, once it is known which number is the first;
 * and the vectors of queries, which go into the embeddings cache along with it,
 * so that running a recall again asks no model.
 */
export const recalled = (
  recalls: ReadonlyArray<UnrecordedRecall>,
  { dropped, embedder, policy }: Common
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
  const recorded = recalls.map(({ apart, embedder: _, filters, vector, ...rest }): Recall => {
    const recall = { ...rest, filters: { ...filters } }
    if (vector === null) return { ...recall, vector }
    const other = vector.apart
    return {
      ...recall,
      vector: vector.values.length === 0 ? null : keyOf(vector),
      ...(apart === undefined || other === undefined
        ? {}
        : { apart: { ...figuresOf(apart), stores: apart.stores, vector: keyOf(other) } })
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

/** Makes the command that puts recalls on record. */
export const recordRecalls = (recalls: ReadonlyArray<UnrecordedRecall>, common: Common): Command<number, never> => {
  const { payload, vectors } = recalled(recalls, common)
  return {
    actor: "recall",
    request: () => "",
    vectors,
    decide: ({ db }) => Either.right({ events: [{ type: "RECALL", payload: payload(lastRecall(db) + 1) }] }),
    answer: () => recalls.length
  }
}

/**
 * The key of a query's vector in the embeddings cache. Made from the vector and
 * not from the text: a model may answer the same text otherwise tomorrow, or
 * otherwise where it is a document, and each has its place.
 */
const vectorDigest = ({ model, values }: QueryVector): string =>
  createHash("sha256")
    .update(JSON.stringify(["vector of a query", model]))
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest("hex")

const figuresOf = ({ dimensions, floor, model, weight }: Figures): Figures => ({
  model,
  dimensions,
  weight: finite(weight),
  floor: finite(floor)
})

/** JSON has no infinity, and no weight or similarity is further from 0 than this. */
const finite = (value: number): number => Math.max(-2, Math.min(2, value)) || 0
