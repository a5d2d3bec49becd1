import * as Schema from "effect/Schema"
import { stores } from "../../../events/Trust.js"
import {
  defaultsOf,
  exactOptional,
  httpAddress,
  positiveInteger,
  section,
  variableName,
  withDefault
} from "./fields.js"

/** Maximum dimensions of a vector. */
export const maxDimensions = 8_192

/** Connection settings shared by all providers. */
const connection = {
  /**
   * The base URL including the API version, for example https://gateway.example.com/v1; default: the provider's own
   * URL.
   */
  baseUrl: exactOptional(httpAddress),
  /**
   * The environment variable with the key. Default: the provider's usual variable; to other addresses no key is sent
   * unless this is set.
   */
  keyVariable: exactOptional(variableName),
  /** Milliseconds before the first retry, doubled for each further one. A random part of up to a half is subtracted. */
  backoff: withDefault(positiveInteger, 500),
  /** Maximum concurrent requests. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 4)
}

const EmbeddingProvider = Schema.Struct({
  ...connection,
  /** Milliseconds for one request. */
  timeout: withDefault(positiveInteger, 30_000),
  /** Milliseconds for one batch with all its requests and the pauses between them; at most embedding.timeout. */
  patience: withDefault(positiveInteger, 100_000),
  /** Maximum retries if the provider is busy, broken or unreachable. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 10)), 4),
  /** Maximum texts in one request, capped at the provider's own limit. */
  batch: exactOptional(Schema.Int.pipe(Schema.between(1, 2_048))),
  /**
   * Whether to request shorter vectors from models that Daybook does not know. Known models get
   * this request if they support it.
   */
  shorten: withDefault(Schema.Boolean, false)
})
/** Settings of an embedding provider. */
export type EmbeddingProviderSettings = typeof EmbeddingProvider.Type
/** The default settings of a provider. */
export const embeddingProvider: EmbeddingProviderSettings = defaultsOf(EmbeddingProvider)

export const Embedding = Schema.Struct({
  /**
   * The embedder: "words" or "hash", which need no network; a provider, optionally with its model ("voyage/voyage-4");
   * "local/…" for a model in a folder.
   */
  embedder: withDefault(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(300)), "words"),
  /** Dimensions of a vector; default: the model's own. */
  dimensions: exactOptional(Schema.Int.pipe(Schema.between(1, maxDimensions))),
  /** Stores withheld from providers. The "words" embedder embeds them, into a separate index. */
  local: withDefault(Schema.Array(Schema.Literal(...stores)), ["private" as const]),
  /** Settings by provider. */
  providers: section(
    Schema.Struct({
      openai: exactOptional(EmbeddingProvider),
      voyage: exactOptional(EmbeddingProvider),
      cohere: exactOptional(EmbeddingProvider),
      "openai-compatible": exactOptional(EmbeddingProvider),
      ollama: exactOptional(EmbeddingProvider)
    })
  ),
  /** Milliseconds for one batch. */
  timeout: withDefault(positiveInteger, 120_000),
  /**
   * Maximum milliseconds that a bulk write waits for a local embedder, over all batches. The remaining memories are
   * embedded after the write.
   */
  beside: withDefault(Schema.Int.pipe(Schema.nonNegative()), 2_000),
  /** Milliseconds to collect texts before a batch is sent. */
  gather: withDefault(Schema.Int.pipe(Schema.nonNegative()), 100)
})
export type EmbeddingPolicy = typeof Embedding.Type

const RerankProvider = Schema.Struct({
  ...connection,
  /** Milliseconds that a search waits for the reranker, including a retry; default: search.queryTimeout. */
  timeout: exactOptional(positiveInteger),
  /** Maximum retries if the provider is busy, broken or unreachable. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 10)), 1)
})
/** Settings of a reranker's provider. */
export type RerankProviderSettings = typeof RerankProvider.Type
/** The default settings of a reranker's provider. */
export const rerankProvider: RerankProviderSettings = defaultsOf(RerankProvider)

export const Rerank = Schema.Struct({
  /**
   * The reranker of the first hits: "lexical", which needs no network, "none", or a provider, optionally with its model
   * ("cohere/rerank-v3.5"). Only "lexical" sees texts of the stores in embedding.local.
   */
  reranker: withDefault(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(300)), "lexical"),
  /** Maximum hits sent to a provider, at most search.drafts. */
  topN: withDefault(Schema.Int.pipe(Schema.between(1, 100)), 8),
  /** Settings by provider; "endpoint" is any server with POST /rerank. */
  providers: section(
    Schema.Struct({
      cohere: exactOptional(RerankProvider),
      voyage: exactOptional(RerankProvider),
      jina: exactOptional(RerankProvider),
      endpoint: exactOptional(RerankProvider)
    })
  )
})
