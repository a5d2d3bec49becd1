/** Rerankers rescore the first hits of a search. `Reranker` is the port; the `layer…` exports are the package's own. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidPolicy, RerankerLookupError } from "../../src/model/errors.js"
import { decode } from "../../src/ports/Policy.js"
import type { RerankProviderSettings } from "../../src/ports/policy/models.js"
import { Reranker } from "../../src/ports/Reranker.js"
import type { RerankProviderName } from "../models/rerankers/named.js"
import { rerankerNamed } from "../rerankers.js"

export { type RerankerLookupError, RerankerUnavailable, UnknownReranker } from "../../src/model/errors.js"
export { Reranker, RerankerError, type RerankerService } from "../../src/ports/Reranker.js"
export { layer as layerLexical } from "../LexicalReranker.js"
export { rerankerNamed as named } from "../rerankers.js"

/** No reranker: hits keep the order of their scores. */
export const layerNone: Layer.Layer<Reranker> = Reranker.layerNone

/** The model and the settings of a provider. Each has a default: see `rerank.providers` in the policy. */
export interface ProviderOptions extends Partial<RerankProviderSettings> {
  readonly model?: string
}

type ProviderLayer = Layer.Layer<Reranker, RerankerLookupError | InvalidPolicy>

const layerOf = (provider: RerankProviderName, { model, ...settings }: ProviderOptions): ProviderLayer =>
  Layer.effect(
    Reranker,
    Effect.flatMap(decode({ rerank: { providers: { [provider]: settings } } }), (policy) =>
      rerankerNamed(model === undefined ? provider : `${provider}/${model}`, policy)
    )
  )

/** Cohere's rerank API. The key is the setting `COHERE_API_KEY`, unless `keyVariable` names another. */
export const layerCohere = (options: ProviderOptions = {}): ProviderLayer => layerOf("cohere", options)

/** Voyage AI's rerank API. The key is the setting `VOYAGE_API_KEY`, unless `keyVariable` names another. */
export const layerVoyage = (options: ProviderOptions = {}): ProviderLayer => layerOf("voyage", options)

/** Jina's rerank API. The key is the setting `JINA_API_KEY`, unless `keyVariable` names another. */
export const layerJina = (options: ProviderOptions = {}): ProviderLayer => layerOf("jina", options)

/** A server with the rerank protocol of Cohere and Jina. `baseUrl` is required. */
export const layerEndpoint = (options: ProviderOptions): ProviderLayer => layerOf("endpoint", options)
