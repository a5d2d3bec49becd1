import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import { EmbedderError, type EmbedderService } from "../../../src/ports/Embedder.js"
import type { EmbedderLookupError } from "../../../src/ports/Embedders.js"
import { EmbedderUnavailable, UnknownEmbedder } from "../../../src/ports/Embedders.js"
import { type EmbeddingPolicy, embeddingProvider, maxDimensions } from "../../../src/ports/policy/models.js"
import { encoderWeightOf } from "../../encoderWeight.js"
import { isLocalAddress, providerConnection } from "../providerConnection.js"
import { guardClient } from "../transport.js"
import { make } from "./ProviderEmbedder.js"
import { protocols } from "./protocols.js"
import { factsOf, type KnownModel, modelFactsOf, type ProviderName } from "./providerTable.js"

/** Assumed UTF-8 bytes per token: few if the provider rejects long texts, many if it cuts them itself. */
const bytesRefused = 2
const bytesCut = 8

/** An embedder that sends texts to a provider. */
export interface ProviderEmbedder {
  readonly embedder: EmbedderService
  /** True if texts leave this machine. */
  readonly isRemote: boolean
  /** The problem if the provider's key is missing. Every request then fails with this problem. */
  readonly missing?: string
}

/** The embedder of a provider's model. Opens no connection. Fails if a setting is missing in the policy. */
export const providerEmbedder = Effect.fnUntraced(function* (
  provider: ProviderName,
  requested: { readonly model: string | undefined; readonly dimensions: number | undefined },
  policy: EmbeddingPolicy
): Effect.fn.Return<ProviderEmbedder, EmbedderLookupError> {
  const facts = factsOf(provider)
  const model = requested.model ?? facts.model
  const name = model === undefined ? provider : `${provider}/${model}`
  const unknownEmbedder = (problem: string) => new UnknownEmbedder({ name, problem })
  if (model === undefined || model === "")
    return yield* unknownEmbedder(`the name of a model is required: write ${provider}/MODEL`)
  const settings = policy.providers[provider] ?? embeddingProvider
  const { apiKey, baseUrl, missing } = yield* Effect.mapError(
    providerConnection(facts, settings, `embedding.providers.${provider}`),
    (problem) => new EmbedderUnavailable({ name, problem })
  )
  const modelFacts = modelFactsOf(facts, model)
  const dimensions = requested.dimensions ?? modelFacts?.dimensions
  if (dimensions === undefined)
    return yield* unknownEmbedder(
      "the dimensions of this model are unknown: set `embedding.dimensions`, or pass `--dimensions`"
    )
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > maxDimensions) {
    return yield* unknownEmbedder(`the dimensions must be a whole number from 1 to ${maxDimensions}`)
  }
  if (modelFacts !== undefined && !settings.shorten && !isSize(modelFacts, dimensions)) {
    return yield* unknownEmbedder(`supports ${sizesOf(modelFacts)} dimensions, not ${dimensions}`)
  }
  const bytes = facts.truncatesTexts ? bytesCut : bytesRefused
  const { path } = protocols[provider]
  const target = {
    client: guardClient(yield* Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)),
    url: `${baseUrl}${path}`,
    apiKey
  }
  const embedder = yield* make(
    {
      name,
      model,
      dimensions,
      sendsDimensions: modelFacts?.dimensions === undefined ? settings.shorten : dimensions !== modelFacts.dimensions,
      weight: encoderWeightOf(model),
      floor: modelFacts?.floor ?? facts.floor,
      batch: Math.min(settings.batch ?? facts.batch, facts.maxTexts),
      pageBytes: (modelFacts?.tokens ?? facts.tokens) * bytesRefused,
      textBytes: (modelFacts?.input ?? facts.input) * bytes,
      prefixes: modelFacts?.prefixes ?? { document: "", query: "" },
      protocol: protocols[provider]
    },
    target,
    settings
  )
  const isRemote = provider !== "ollama" || !isLocalAddress(baseUrl)
  if (missing === undefined) return { embedder, isRemote }
  const error = new EmbedderError({ model: embedder.model, reason: "failed", detail: missing, kind: "settings" })
  return { embedder: { ...embedder, embed: () => Effect.fail(error) }, isRemote, missing }
})

const isSize = ({ dimensions = 0, sizes = [] }: KnownModel, requested: number): boolean =>
  dimensions === 0 || requested === dimensions || (sizes === "any" ? requested < dimensions : sizes.includes(requested))

const sizesOf = ({ dimensions = 0, sizes = [] }: KnownModel): string =>
  sizes === "any" ? `up to ${dimensions}` : sizes.length === 0 ? String(dimensions) : sizes.join(", ")
