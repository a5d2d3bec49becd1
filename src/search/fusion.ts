import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../model/errors.js"
import { checkInteger, failWithInvalidInput } from "../model/filters.js"
import { limits } from "../model/limits.js"
import type { EmbedderService } from "../ports/Embedder.js"
import type { PolicyValues } from "../ports/Policy.js"
import { maxDimensions } from "../ports/policy/models.js"
import { normalizeVector } from "../ports/unitVector.js"

/** A vector of a query, made by the caller's own embedder. Only its direction counts, not its length. */
export type QueryEmbedding = Float32Array | ReadonlyArray<number>

/** Settings for comparing and weighting full text and vectors in one search. They override the policy. */
export interface FusionOptions {
  /** The query's vector, made by the caller with the model of the active index. The text is then not embedded. */
  readonly embedding?: QueryEmbedding | undefined
  /** How many of the best full-text rows, and of the nearest vectors, are fused, 1…4,095. */
  readonly topK?: number | undefined
  /**
   * The weights of vectors and of full text, ≥ 0, not both 0. Only their ratio counts. Full text or vectors with a
   * weight of 0 are left out. An absent weight is the share by policy or embedder.
   */
  readonly vectorWeight?: number | undefined
  readonly textWeight?: number | undefined
}

/** The schema fields of `FusionOptions`. */
export const fusionFields = {
  embedding: Schema.Array(Schema.Number) as Schema.Schema.AnyNoContext as Schema.Schema<QueryEmbedding>,
  topK: Schema.Int.pipe(Schema.between(1, limits.topK)),
  vectorWeight: Schema.Number.pipe(Schema.finite(), Schema.nonNegative()),
  textWeight: Schema.Number.pipe(Schema.finite(), Schema.nonNegative())
}

/** The call's settings for the fusion, as explanations and recalls show them. */
export interface Fusion {
  /** True if the call contained the query's vector; otherwise absent. */
  readonly embedding?: true
  readonly topK?: number
  readonly vectorWeight?: number
  readonly textWeight?: number
}

/** The checked options. Both fields are absent if the call sets no fusion option. */
export interface CheckedFusion {
  readonly fusion?: Fusion
  /** The vector from the call, normalised to length 1. */
  readonly embedding?: Float32Array
}

/** Checks the options. Refuses a vector and weights in classic mode, which compares no vectors. */
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
    if (vectorWeight === 0 && textWeight === 0)
      yield* failWithInvalidInput(
        "vectorWeight",
        "cannot be 0 if `textWeight` is 0: at least one of the two must be greater than 0"
      )
    if (vectorWeight === 0 && vector !== undefined)
      yield* failWithInvalidInput("embedding", "cannot be used if `vectorWeight` is 0")
    const needsVectors = (["embedding", "vectorWeight", "textWeight"] as const).find((name) => name in fusion)
    if (mode === "classic" && needsVectors !== undefined)
      yield* failWithInvalidInput(needsVectors, "cannot be used in classic mode, which compares no vectors")
    if (Object.keys(fusion).length === 0) return {}
    return { fusion, ...(vector === undefined ? {} : { embedding: vector }) }
  })

const decodeWeight = (field: string, weight: number) =>
  Number.isFinite(weight) && weight >= 0
    ? Either.right(weight)
    : failWithInvalidInput(field, "must be a finite number, 0 or greater")

const decodeEmbedding = (embedding: QueryEmbedding): Either.Either<Float32Array, InvalidInput> => {
  const isNumbers =
    embedding instanceof Float32Array ||
    (Array.isArray(embedding) && embedding.every((value: unknown) => typeof value === "number"))
  if (!isNumbers) return failWithInvalidInput("embedding", "must be a Float32Array or a list of numbers")
  if (embedding.length > maxDimensions)
    return failWithInvalidInput("embedding", `has more than ${maxDimensions} numbers`)
  const vector = normalizeVector(Float32Array.from(embedding))
  if (vector === null) return failWithInvalidInput("embedding", "must contain only finite numbers")
  return vector === undefined
    ? failWithInvalidInput("embedding", "must contain a number other than 0")
    : Either.right(vector)
}

/**
 * Returns the reason why an embedder's index cannot compare the vector from the call. Undefined if it can, or if the
 * call contains no vector.
 */
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
    : fail("has no effect, because vectors have a weight of 0 here: pass a `vectorWeight` above 0")
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

/** Describes the settings for people: "a vector of the call, topK 20, vectorWeight 2". */
export const describeFusion = ({ embedding, ...numbers }: Fusion): string =>
  [
    ...(embedding === true ? ["a vector of the call"] : []),
    ...Object.entries(numbers).map(([name, value]) => `${name} ${value}`)
  ].join(", ")
