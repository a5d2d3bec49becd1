import * as Effect from "effect/Effect"
import { runInSpan } from "../../../events/tracing.js"
import { RerankerError, type RerankerService } from "../../../src/ports/Reranker.js"
import { cutToBytes } from "../embedders/pack.js"
import { limitRequests, type RequestLimits } from "../limitRequests.js"
import { fieldsOf, postJson, requestErrors, type Target } from "../postJson.js"

/** A reranking model of a provider. */
export interface RerankingModel {
  /** The model's name in recalls and errors: `cohere/rerank-v3.5`. */
  readonly name: string
  /** The provider's name for the model; undefined if the server has only one model. */
  readonly model: string | undefined
  readonly topN: number
  readonly weight: number
  /** Time-out of a search's request in milliseconds. */
  readonly timeout: number | undefined
  /** Request fields in addition to model, query and documents, for this number of documents. */
  readonly fields: (documents: number) => object
  /** The field of the answer that contains the scores. Each score has an `index`. */
  readonly list: "results" | "data"
}

/**
 * A reranker that calls a provider, with one request per search. Plain cross-encoders return scores outside 0…1; the
 * logistic function maps them into that range.
 */
export const make = (model: RerankingModel, target: Target, limits: RequestLimits): Effect.Effect<RerankerService> =>
  Effect.map(limitRequests(limits, requestErrors), (bounded) => {
    const { name, timeout, topN, weight } = model
    const fail = (reason: RerankerError["reason"], detail?: string) =>
      new RerankerError({ name, reason, ...(detail === undefined ? {} : { detail }) })
    return {
      name,
      topN,
      weight,
      ...(timeout === undefined ? {} : { timeout }),
      rerank: (query, texts) =>
        bounded(
          Effect.suspend(() =>
            postJson(
              target,
              {
                ...(model.model === undefined ? {} : { model: model.model }),
                query,
                documents: texts.map((text) => cutToBytes(text, documentBytes)),
                ...model.fields(texts.length)
              },
              maxAnswerBytes
            )
          )
        ).pipe(
          Effect.mapError(({ detail, reason }) => fail(reason, detail)),
          Effect.flatMap((answer) => {
            const list = fieldsOf(answer)[model.list]
            if (!Array.isArray(list)) return fail("failed", "unreadable answer")
            const scores = scoresIn(list, texts.length)
            return scores === undefined
              ? fail("count")
              : scores.every(Number.isFinite)
                ? Effect.succeed(normalised(scores))
                : fail("values")
          }),
          (scores) => runInSpan("Reranker.rerank", scores, { model: name, texts: texts.length }, { kind: "client" })
        )
    }
  })

/** Maximum bytes of one document: cross-encoders read a few hundred to a few thousand tokens. */
const documentBytes = 8_192
const maxAnswerBytes = 1 << 22

/** The scores in the order of the texts; undefined if a score is missing or occurs twice. */
const scoresIn = (list: ReadonlyArray<unknown>, texts: number): ReadonlyArray<number> | undefined => {
  const scores: Array<number | undefined> = new Array(texts).fill(undefined)
  for (const item of list) {
    const { index, relevance_score, score = relevance_score } = fieldsOf(item)
    if (typeof index !== "number" || !(index in scores) || scores[index] !== undefined) return undefined
    scores[index] = typeof score === "number" ? score : Number.NaN
  }
  return scores.includes(undefined) ? undefined : (scores as ReadonlyArray<number>)
}

const normalised = (scores: ReadonlyArray<number>): ReadonlyArray<number> =>
  scores.every((score) => score >= 0 && score <= 1) ? scores : scores.map((score) => 1 / (1 + Math.exp(-score)))
