import * as Schema from "effect/Schema"
import { stores } from "../../../events/Trust.js"
import { address, count, exactly, section, variable, withDefault } from "./fields.js"

/** The most dimensions that a vector may have. */
export const mostDimensions = 8_192

/** Where a provider is asked, as whom, and how long. */
const connection = {
  /** Another address than the provider's own, up to its version: https://gateway.example.com/v1 say. */
  baseUrl: exactly(address),
  /** The environment variable that holds the key: the provider's usual one; none at another address unless it is named. */
  keyVariable: exactly(variable),
  /** Milliseconds before the second request; twice as long before each further one; a random part of up to a half less. */
  backoff: withDefault(count, 500),
  /** Requests under way at once. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 4)
}

const EmbeddingProvider = Schema.Struct({
  ...connection,
  /** Milliseconds for one request. */
  timeout: withDefault(count, 30_000),
  /** Milliseconds for one batch with all its requests and the pauses between them; no more than embedding.timeout. */
  patience: withDefault(count, 100_000),
  /** Requests after the first one, where the provider is busy, broken or cannot be reached. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 10)), 4),
  /** Texts of one request; never more than the provider takes. */
  batch: exactly(Schema.Int.pipe(Schema.between(1, 2_048))),
  /** Whether the server is asked for shorter vectors where its model is not known here; known ones are where they can. */
  shorten: withDefault(Schema.Boolean, false)
})
/** How a provider of vectors is asked. */
export type EmbeddingProviderSettings = typeof EmbeddingProvider.Type
/** The settings of a provider of which the policy says nothing. */
export const embeddingProvider: EmbeddingProviderSettings = Schema.decodeSync(EmbeddingProvider)({})

export const Embedding = Schema.Struct({
  /**
   * What makes vectors: "words" or "hash", which need no network; a provider, or one with its model
   * ("voyage/voyage-4"); "local/…" for a model in a folder.
   */
  embedder: withDefault(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(300)), "words"),
  /** Numbers of a vector; the model's own where absent. */
  dimensions: exactly(Schema.Int.pipe(Schema.between(1, mostDimensions))),
  /** Stores whose texts no provider may see: they are embedded by words, into an index of their own. */
  local: withDefault(Schema.Array(Schema.Literal(...stores)), ["private" as const]),
  /** How each provider is asked. */
  providers: section(
    Schema.Struct({
      openai: exactly(EmbeddingProvider),
      voyage: exactly(EmbeddingProvider),
      cohere: exactly(EmbeddingProvider),
      "openai-compatible": exactly(EmbeddingProvider),
      ollama: exactly(EmbeddingProvider)
    })
  ),
  /** Milliseconds for one batch. */
  timeout: withDefault(count, 120_000),
  /** Milliseconds that a bulk write waits for a local embedder, all batches together; what is not done by then is done after it. */
  beside: withDefault(Schema.Int.pipe(Schema.nonNegative()), 2_000),
  /** Milliseconds to let texts gather before a batch is sent. */
  gather: withDefault(Schema.Int.pipe(Schema.nonNegative()), 100)
})
export type EmbeddingPolicy = typeof Embedding.Type

const RerankProvider = Schema.Struct({
  ...connection,
  /** Milliseconds that a search waits for it, a second request included; search.queryTimeout where absent. */
  timeout: exactly(count),
  /** Requests after the first one, where the provider is busy, broken or cannot be reached. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 10)), 1)
})
/** How a reranker is asked. */
export type RerankProviderSettings = typeof RerankProvider.Type
/** The settings of a reranker of which the policy says nothing. */
export const rerankProvider: RerankProviderSettings = Schema.decodeSync(RerankProvider)({})

export const Rerank = Schema.Struct({
  /**
   * Who looks at the first hits once more: "lexical", which needs no network, "none", a provider, or one with its model
   * ("cohere/rerank-v3.5"). It sees no text of the stores in embedding.local, unless it is "lexical".
   */
  reranker: withDefault(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(300)), "lexical"),
  /** Hits that a provider is shown, no more than search.drafts. */
  topN: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 8),
  /** How each provider is asked; "endpoint" is any server of POST /rerank. */
  providers: section(
    Schema.Struct({
      cohere: exactly(RerankProvider),
      voyage: exactly(RerankProvider),
      jina: exactly(RerankProvider),
      endpoint: exactly(RerankProvider)
    })
  )
})
export type RerankPolicy = typeof Rerank.Type
