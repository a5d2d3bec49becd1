import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../model/errors.js"
import { checkInteger, invalid } from "../model/filters.js"
import { limits } from "../model/limits.js"
import type { EmbedderService } from "../ports/Embedder.js"
import type { PolicyValues } from "../ports/Policy.js"
import { maxDimensions } from "../ports/policy/models.js"
import { unitVector } from "../ports/unitVector.js"

/** A vector of a query, by the caller's own embedder. Its length does not matter, only its direction. */
export type Embedding = Float32Array | ReadonlyArray<number>

/** How one search compares and weighs full text and vectors, instead of the policy. */
export interface FusionOptions {
  /** The query's vector, made by the caller with the model of the active index. The text is then not embedded. */
  readonly embedding?: Embedding | undefined
  /** How many of the best rows of full text, and of the nearest vectors, are fused, 1…4,095. */
  readonly topK?: number | undefined
  /**
   * The weights of vectors and of full text, ≥ 0, not both 0. Only their ratio counts. A weight of 0 leaves its side
   * out. A weight that is absent is the share that this side has by policy or embedder.
   */
  readonly vectorWeight?: number | undefined
  readonly textWeight?: number | undefined
}

/** The fields of these options. */
export const fusionFields = {
  embedding: Schema.Array(Schema.Number) as Schema.Schema.AnyNoContext as Schema.Schema<Embedding>,
  topK: Schema.Int.pipe(Schema.between(1, limits.topK)),
  vectorWeight: Schema.Number.pipe(Schema.finite(), Schema.nonNegative()),
  textWeight: Schema.Number.pipe(Schema.finite(), Schema.nonNegative())
}

/** The call's settings for the fusion, as explanations and recalls show them. */
export interface Fusion {
  /** Whether the call brought the query's vector. Absent: no. */
  readonly embedding?: true
  readonly topK?: number
  readonly vectorWeight?: number
  readonly textWeight?: number
}

/** The checked options. Both fields are absent if the call asks nothing of the fusion. */
export interface CheckedFusion {
  readonly fusion?: Fusion
  /** The vector of the call, with length 1. */
  readonly embedding?: Float32Array
}

/** Checks the options. Classic mode compares no vectors, so that it refuses a vector and weights. */
export const decodeFusion = (
  { embedding, textWeight, topK, vectorWeight }: FusionOptions,
  mode: "enhanced" | "classic"
): Either.Either<CheckedFusion, InvalidInput> =>
  Either.gen(function* () {
    const vector = embedding === undefined ? undefined : yield* decodeEmbedding(embedding)
    const fusion = {
      ...(vector === undefined ? {} : { embedding: true as const }),
      ...(topK === undefined ? {} : { topK: yield* checkInteger("topK", topK, 1, limits.topK) }),
      ...(vectorWeight === undefined ? {} : { vectorWeight: yield* decodeWeight("vectorWeight", vectorWeight) }),
      ...(textWeight === undefined ? {} : { textWeight: yield* decodeWeight("textWeight", textWeight) })
    }
    if (vectorWeight === 0 && textWeight === 0) yield* invalid("vectorWeight", "is 0, as textWeight: one must be more")
    if (vectorWeight === 0 && vector !== undefined)
      yield* invalid("embedding", "cannot be compared with a vectorWeight of 0")
    const needsVectors = (["embedding", "vectorWeight", "textWeight"] as const).find((name) => name in fusion)
    if (mode === "classic" && needsVectors !== undefined)
      yield* invalid(needsVectors, "cannot be used in classic mode, which compares no vectors")
    if (Object.keys(fusion).length === 0) return {}
    return { fusion, ...(vector === undefined ? {} : { embedding: vector }) }
  })

const decodeWeight = (field: string, weight: number) =>
  Number.isFinite(weight) && weight >= 0 ? Either.right(weight) : invalid(field, "must be a finite number from 0 on")

const decodeEmbedding = (embedding: Embedding): Either.Either<Float32Array, InvalidInput> => {
  const isNumbers =
    embedding instanceof Float32Array ||
    (Array.isArray(embedding) && embedding.every((value: unknown) => typeof value === "number"))
  if (!isNumbers) return invalid("embedding", "must be a Float32Array or a list of numbers")
  if (embedding.length > maxDimensions) return invalid("embedding", `has more than ${maxDimensions} numbers`)
  const vector = unitVector(Float32Array.from(embedding))
  if (vector === null) return invalid("embedding", "must contain only finite numbers")
  return vector === undefined ? invalid("embedding", "must contain a number other than 0") : Either.right(vector)
}

/** Why an embedder's index cannot compare the vector of a call; undefined if it can, or if the call brings none. */
export const embeddingProblem = (
  { embedding, fusion }: CheckedFusion,
  { dimensions, model, weight }: Pick<EmbedderService, "dimensions" | "model" | "weight">,
  policy: PolicyValues["search"]
): InvalidInput | undefined => {
  if (embedding === undefined) return undefined
  const fail = (problem: string) => new InvalidInput({ field: "embedding", problem })
  if (embedding.length !== dimensions)
    return fail(`has ${embedding.length} dimensions, but the active index (${model}) has ${dimensions}`)
  return vectorShare(fusion, policy.vectorWeight ?? weight) > 0
    ? undefined
    : fail("has no effect, because vectors have a weight of 0 here: pass vectorWeight")
}

/** The share of vectors in the fused score, 0…1. `usual` is the share by policy or embedder. */
export const vectorShare = (fusion: Fusion | undefined, usual: number): number => {
  if (fusion?.vectorWeight === undefined && fusion?.textWeight === undefined) return usual
  const { textWeight = 1 - usual, vectorWeight = usual } = fusion
  if (fusion.vectorWeight === 0) return 0
  if (fusion.textWeight === 0) return 1
  // Divided first, because the sum of two large numbers may be infinite.
  const largest = Math.max(textWeight, vectorWeight)
  return vectorWeight / largest / (textWeight / largest + vectorWeight / largest)
}

/** The request for people: "a vector of the call, topK 20, vectorWeight 2". */
export const fusionText = ({ embedding, ...numbers }: Fusion): string =>
  [
    ...(embedding === true ? ["a vector of the call"] : []),
    ...Object.entries(numbers).map(([name, value]) => `${name} ${value}`)
  ].join(", ")
