import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { UnknownReranker } from "../../../src/model/errors.js"
import type { PolicyValues } from "../../../src/ports/Policy.js"
import { rerankProvider } from "../../../src/ports/policy/models.js"
import { type Reranker, RerankerError } from "../../../src/ports/Reranker.js"
import { connectionOf } from "../connect.js"
import { guarded } from "../transport.js"
import { make, type ProviderModel } from "./ProviderReranker.js"

interface Facts extends Pick<ProviderModel, "fields" | "list"> {
  readonly baseUrl?: string
  readonly keyVariable?: string
  readonly keyless?: boolean
  /** The model that is meant where none is named. */
  readonly model?: string
}

/**
 * From each provider's reference of its API: cohere `POST /v2/rerank`, voyage and jina `POST /v1/rerank`. All of them
 * are asked for every score. "endpoint" is what vLLM, llama.cpp, LocalAI, LiteLLM and others serve: fields of jina's.
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

/** What the best score of a cross-encoder adds to a hit's: as much as half of all that it can have else. */
const weight = 0.5

/** A reranker that asks a provider; `missing` says why it cannot now: each look fails with it. */
export const providerReranker = (
  provider: RerankProviderName,
  model: string | undefined,
  { embedding, rerank, search }: Pick<PolicyValues, "embedding" | "rerank" | "search">,
  environment: NodeJS.ProcessEnv
): Effect.Effect<{ readonly reranker: Context.Tag.Service<Reranker>; readonly missing?: string }, UnknownReranker> =>
  Effect.gen(function* () {
    const facts: Facts = providers[provider]
    const served = model ?? facts.model
    const name = served === undefined ? provider : `${provider}/${served}`
    const settings = rerank.providers[provider] ?? rerankProvider
    const { apiKey, baseUrl, missing } = yield* Effect.mapError(
      connectionOf(facts, settings, `rerank.providers.${provider}`, environment),
      (problem) => new UnknownReranker({ name, problem })
    )
    const timeout = settings.timeout ?? search.queryTimeout
    const client = guarded(yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer))
    const made = yield* make(
      {
        name,
        model: served,
        topN: rerank.topN,
        weight,
        timeout: settings.timeout,
        fields: facts.fields,
        list: facts.list
      },
      { client, url: `${baseUrl}/rerank`, apiKey },
      { ...settings, timeout, patience: timeout }
    )
    const reranker = { ...made, apart: embedding.local }
    if (missing === undefined) return { reranker }
    const error = new RerankerError({ name, reason: "failed", detail: missing })
    return { reranker: { ...reranker, rerank: () => Effect.fail(error) }, missing }
  })
