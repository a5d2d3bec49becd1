/** Embedders convert texts to vectors. `Embedder` is the port; the `layer…` exports are the package's own embedders. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidPolicy } from "../../src/model/errors.js"
import { Embedder } from "../../src/ports/Embedder.js"
import type { EmbedderLookupError } from "../../src/ports/Embedders.js"
import { decode } from "../../src/ports/Policy.js"
import type { EmbeddingProviderSettings } from "../../src/ports/policy/models.js"
import { embedderNamed } from "../embedders.js"
import type { ProviderName } from "../models/embedders/providerTable.js"

export type { Calibrated, CalibrateOptions } from "../../src/embedding/admin/calibrate.js"
export type * from "../../src/embedding/admin/EmbedderOperations.js"
export { type LabelledQuestion, readLabelled } from "../../src/embedding/admin/labelledQuestions.js"
export type { Backfilled, Preparation } from "../../src/embedding/Embedding.js"
export { Embedder, EmbedderError, type EmbedderService } from "../../src/ports/Embedder.js"
export {
  type EmbedderLookupError,
  Embedders,
  type EmbeddersService,
  EmbedderUnavailable,
  UnknownEmbedder
} from "../../src/ports/Embedders.js"
export { embedderNamed as named } from "../embedders.js"
export * from "../staticEmbedders.js"

/** The model and the settings of a provider. Each has a default: see `embedding.providers` in the policy. */
export interface ProviderOptions extends Partial<EmbeddingProviderSettings> {
  readonly model?: string
  readonly dimensions?: number
}

type ProviderLayer = Layer.Layer<Embedder, EmbedderLookupError | InvalidPolicy>

const layerOf = (provider: ProviderName, options: ProviderOptions): ProviderLayer => {
  const { dimensions, model, ...settings } = options
  const name = model === undefined ? provider : `${provider}/${model}`
  return Layer.effect(
    Embedder,
    Effect.flatMap(decode({ embedding: { providers: { [provider]: settings } } }), ({ embedding }) =>
      embedderNamed(name, dimensions, embedding)
    )
  )
}

/** OpenAI's embedding API. The key is the setting `OPENAI_API_KEY`, unless `keyVariable` names another. */
export const layerOpenAi = (options: ProviderOptions = {}): ProviderLayer => layerOf("openai", options)

/** Voyage AI's embedding API. The key is the setting `VOYAGE_API_KEY`, unless `keyVariable` names another. */
export const layerVoyage = (options: ProviderOptions = {}): ProviderLayer => layerOf("voyage", options)

/** Cohere's embedding API. The key is the setting `COHERE_API_KEY`, unless `keyVariable` names another. */
export const layerCohere = (options: ProviderOptions = {}): ProviderLayer => layerOf("cohere", options)

/** A server with OpenAI's embedding API. `baseUrl` and `model` are required. */
export const layerOpenAiCompatible = (options: ProviderOptions): ProviderLayer => layerOf("openai-compatible", options)

/** An Ollama server, by default on this machine. */
export const layerOllama = (options: ProviderOptions = {}): ProviderLayer => layerOf("ollama", options)

/** An encoder in this process: a folder of ONNX files, or a hub's model. Needs `@huggingface/transformers`. */
export const layerLocal = (name: string, dimensions?: number): Layer.Layer<Embedder, EmbedderLookupError> =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("../LocalEmbedder.js")),
      ({ layer }) => layer(name, dimensions)
    )
  )
