import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { RerankerUnavailable } from "../../../src/model/errors.js"
import type { PolicyValues } from "../../../src/ports/Policy.js"
import { rerankProvider } from "../../../src/ports/policy/models.js"
import { RerankerError, type RerankerService } from "../../../src/ports/Reranker.js"
import { providerConnection } from "../providerConnection.js"
import { guardClient } from "../transport.js"
import { make, type RerankingModel } from "./ProviderReranker.js"

interface Facts extends Pick<RerankingModel, "fields" | "list"> {
  readonly baseUrl?: string
  readonly keyVariable?: string
  readonly keyless?: boolean
  /** The default model. */
  readonly model?: string
}

/**
 * Settings from each provider's API reference: cohere `POST /v2/rerank`, voyage and jina `POST /v1/rerank`. Each
 * request asks for all scores. "endpoint" is the API of vLLM, llama.cpp, LocalAI, LiteLLM and others, with jina's
 * fields.
 */
const providers = {
  cohere: {
    baseUrl: "https://api.cohere.com/v2",
    keyVariable: "COHERE_API_KEY",
    model: "rerank-v3.5",
    fields: (top_n) => ({ top_n }),
    list: "results"
  },
  voyage: {
    baseUrl: "https://api.voyageai.com/v1",
    keyVariable: "VOYAGE_API_KEY",
    model: "rerank-2.5",
    fields: (top_k) => ({ top_k, return_documents: false, truncation: true }),
    list: "data"
  },
  jina: {
    baseUrl: "https://api.jina.ai/v1",
    keyVariable: "JINA_API_KEY",
    model: "jina-reranker-v2-base-multilingual",
    fields: (top_n) => ({ top_n, return_documents: false }),
    list: "results"
  },
  endpoint: { keyless: true, fields: (top_n) => ({ top_n }), list: "results" }
} as const satisfies Readonly<Record<string, Facts>>

export type RerankProviderName = keyof typeof providers

/** The weight of a cross-encoder's score: it adds at most half of the maximum of all other scores of a hit. */
const weight = 0.5

/**
 * A reranker that calls a provider. If its key is missing, `missing` states the problem and every request fails.
 */
export const providerReranker = Effect.fnUntraced(function* (
  provider: RerankProviderName,
  model: string | undefined,
  { embedding, rerank, search }: Pick<PolicyValues, "embedding" | "rerank" | "search">
): Effect.fn.Return<{ readonly reranker: RerankerService; readonly missing?: string }, RerankerUnavailable> {
  const facts: Facts = providers[provider]
  const modelName = model ?? facts.model
  const name = modelName === undefined ? provider : `${provider}/${modelName}`
  const settings = rerank.providers[provider] ?? rerankProvider
  const { apiKey, baseUrl, missing } = yield* Effect.mapError(
    providerConnection(facts, settings, `rerank.providers.${provider}`),
    (problem) => new RerankerUnavailable({ name, problem })
  )
  const timeout = settings.timeout ?? search.queryTimeout
  const client = guardClient(yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer))
  const connected = yield* make(
    {
      name,
      model: modelName,
      topN: rerank.topN,
      weight,
      timeout: settings.timeout,
      fields: facts.fields,
      list: facts.list
    },
    { client, url: `${baseUrl}/rerank`, apiKey },
    { ...settings, timeout, patience: timeout }
  )
  const reranker = { ...connected, withheldStores: embedding.local }
  if (missing === undefined) return { reranker }
  const error = new RerankerError({ name, reason: "failed", detail: missing })
  return { reranker: { ...reranker, rerank: () => Effect.fail(error) }, missing }
})
