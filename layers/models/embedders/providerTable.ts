/** Properties of a provider's model. */
export interface ModelFacts {
  /** The dimensions of its vectors. */
  readonly dimensions: number
  /** The shorter dimensions that a request may select; "any" allows every length up to `dimensions`. */
  readonly sizes?: ReadonlyArray<number> | "any"
  /** Maximum tokens of one text; longer texts are cut. */
  readonly input?: number
  /** Maximum tokens of one request, all texts together. */
  readonly tokens?: number
  /** Cosine similarity of unrelated texts, if it differs much from the provider's usual value. */
  readonly floor?: number
  /** The model's prefixes for documents and queries, if the server does not add them. */
  readonly prefixes?: { readonly document: string; readonly query: string }
  /** Properties that differ by tag (`MODEL:TAG`), by the first part of the tag. */
  readonly tags?: Readonly<Record<string, Pick<ModelFacts, "dimensions" | "input">>>
}

/** Properties of a model with a tag. `dimensions` is absent for an unknown tag of a model whose tags differ. */
export type KnownModel = Omit<ModelFacts, "dimensions" | "tags"> & { readonly dimensions?: number }

/** A provider's properties, from its documentation. */
export interface ProviderFacts {
  /** The provider's URL up to the version; absent if the user must configure it. */
  readonly baseUrl?: string
  /** The usual environment variable of its key; absent if it needs no key, or the user must configure it. */
  readonly keyVariable?: string
  readonly keyless?: boolean
  /** The default model, if there is one. */
  readonly model?: string
  /** Texts per request: the default, and the provider's maximum. */
  readonly batch: number
  readonly maxTexts: number
  /** Maximum tokens of one request and of one text, unless the model has its own limits. */
  readonly tokens: number
  readonly input: number
  /** True if the provider cuts long texts itself. */
  readonly truncatesTexts: boolean
  readonly floor: number
  readonly models: Readonly<Record<string, ModelFacts>>
}

const queryPrefix = "Represent this sentence for searching relevant passages: "

const openaiModels = {
  "text-embedding-3-small": { dimensions: 1_536, sizes: "any" },
  "text-embedding-3-large": { dimensions: 3_072, sizes: "any" },
  "text-embedding-ada-002": { dimensions: 1_536, floor: 0.7 }
} as const

/**
 * Defaults, limits and dimensions, from each provider's API reference:
 * openai: `POST /v1/embeddings`, 2,048 texts, 300,000 tokens a request, 8,192 a text;
 * voyage: `POST /v1/embeddings`, 1,000 texts, 120,000 to 1,000,000 tokens by model;
 * cohere: `POST /v2/embed`, 96 texts; ollama: `POST /api/embed`.
 * Batches are smaller than the providers' maximum: an answer for 2,048 texts is 60 MB of JSON.
 */
export const providers = {
  openai: {
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    model: "text-embedding-3-small",
    batch: 128,
    maxTexts: 2_048,
    tokens: 300_000,
    input: 8_192,
    truncatesTexts: false,
    floor: 0.1,
    models: openaiModels
  },
  voyage: {
    baseUrl: "https://api.voyageai.com/v1",
    keyVariable: "VOYAGE_API_KEY",
    model: "voyage-4",
    batch: 128,
    maxTexts: 1_000,
    tokens: 120_000,
    input: 32_000,
    truncatesTexts: true,
    floor: 0.2,
    models: {
      "voyage-4-large": { dimensions: 1_024, sizes: [256, 512, 1_024, 2_048] },
      "voyage-4": { dimensions: 1_024, sizes: [256, 512, 1_024, 2_048], tokens: 320_000 },
      "voyage-4-lite": { dimensions: 1_024, sizes: [256, 512, 1_024, 2_048], tokens: 1_000_000 },
      "voyage-3-large": { dimensions: 1_024, sizes: [256, 512, 1_024, 2_048] },
      "voyage-3.5": { dimensions: 1_024, sizes: [256, 512, 1_024, 2_048], tokens: 320_000 },
      "voyage-3.5-lite": { dimensions: 1_024, sizes: [256, 512, 1_024, 2_048], tokens: 1_000_000 },
      "voyage-code-3": { dimensions: 1_024, sizes: [256, 512, 1_024, 2_048] },
      "voyage-finance-2": { dimensions: 1_024 },
      "voyage-law-2": { dimensions: 1_024, input: 16_000 }
    }
  },
  cohere: {
    baseUrl: "https://api.cohere.com/v2",
    keyVariable: "COHERE_API_KEY",
    model: "embed-v4.0",
    batch: 96,
    maxTexts: 96,
    tokens: 1_000_000,
    input: 512,
    truncatesTexts: true,
    floor: 0.2,
    models: {
      "embed-v4.0": { dimensions: 1_536, sizes: [256, 512, 1_024, 1_536], input: 128_000 },
      "embed-multilingual-v3.0": { dimensions: 1_024 },
      "embed-english-v3.0": { dimensions: 1_024 },
      "embed-multilingual-light-v3.0": { dimensions: 384 },
      "embed-english-light-v3.0": { dimensions: 384 }
    }
  },
  "openai-compatible": {
    batch: 64,
    maxTexts: 2_048,
    tokens: 100_000,
    input: 8_192,
    truncatesTexts: false,
    floor: 0.1,
    models: openaiModels
  },
  ollama: {
    baseUrl: "http://localhost:11434",
    keyless: true,
    model: "nomic-embed-text",
    batch: 16,
    maxTexts: 2_048,
    tokens: 100_000,
    input: 2_048,
    truncatesTexts: true,
    floor: 0.2,
    models: {
      "nomic-embed-text": {
        dimensions: 768,
        prefixes: { document: "search_document: ", query: "search_query: " }
      },
      "mxbai-embed-large": { dimensions: 1_024, input: 512, prefixes: { document: "", query: queryPrefix } },
      "snowflake-arctic-embed": {
        dimensions: 1_024,
        input: 512,
        prefixes: { document: "", query: queryPrefix },
        tags: {
          "22m": { dimensions: 384 },
          xs: { dimensions: 384 },
          "33m": { dimensions: 384 },
          s: { dimensions: 384 },
          "110m": { dimensions: 768 },
          m: { dimensions: 768 },
          "137m": { dimensions: 768, input: 2_048 },
          "335m": { dimensions: 1_024 },
          l: { dimensions: 1_024 }
        }
      },
      "snowflake-arctic-embed2": { dimensions: 1_024, input: 8_192, prefixes: { document: "", query: "query: " } },
      "all-minilm": { dimensions: 384, input: 256 },
      "bge-m3": { dimensions: 1_024, input: 8_192 },
      embeddinggemma: {
        dimensions: 768,
        prefixes: { document: "title: none | text: ", query: "task: search result | query: " }
      }
    }
  }
} as const satisfies Readonly<Record<string, ProviderFacts>>

export type ProviderName = keyof typeof providers

/** The properties of a provider, by its name. */
export const factsOf = (provider: ProviderName): ProviderFacts => providers[provider]

/** A model's properties, by its name with or without a tag; undefined for an unknown model. */
export const modelFactsOf = (facts: ProviderFacts, model: string): KnownModel | undefined => {
  const [name = model, tag = "latest"] = model.split(":", 2)
  const modelFacts = facts.models[model] ?? facts.models[name]
  if (modelFacts?.tags === undefined) return modelFacts
  const { dimensions, tags, ...all } = modelFacts
  if (tag === "latest") return { ...all, dimensions }
  return { ...all, ...(tags[tag] ?? tags[tag.replace(/-.*$/, "")]) }
}
