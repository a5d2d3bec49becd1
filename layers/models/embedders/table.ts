/** What is known of a model that a provider serves. */
export interface ModelFacts {
  /** Numbers of its vectors. */
  readonly dimensions: number
  /** The shorter vectors that it can be asked for: these, or any length up to its own. */
  readonly sizes?: ReadonlyArray<number> | "any"
  /** Tokens of one text; what is longer is cut. */
  readonly input?: number
  /** Tokens of one request, all texts together. */
  readonly tokens?: number
  /** Cosine similarity of texts that have nothing to do with each other, where it is far from the provider's usual one. */
  readonly floor?: number
  /** What the model wants to stand before a document and before a query, where the server does not put it there. */
  readonly prefixes?: { readonly document: string; readonly query: string }
  /** What is otherwise under a tag (`MODEL:TAG`), where tags are of different sizes: by the tag's first part. */
  readonly tags?: Readonly<Record<string, Pick<ModelFacts, "dimensions" | "input">>>
}

/** What is known of a model under its tag: how long its vectors are is not, where its tags differ and this one is new. */
export type KnownModel = Omit<ModelFacts, "dimensions" | "tags"> & { readonly dimensions?: number }

/** What a provider's documentation says. */
export interface ProviderFacts {
  /** Its address, up to its version; absent where only the user knows it. */
  readonly baseUrl?: string
  /** The variable that holds its key by custom; absent where it needs none, or where only the user knows it. */
  readonly keyVariable?: string
  readonly keyless?: boolean
  /** The model that is meant where none is named; absent where there is no such thing. */
  readonly model?: string
  /** Texts of one request: what is sent, and what it takes at most. */
  readonly batch: number
  readonly mostTexts: number
  /** Tokens of one request and of one text, where the model says nothing else. */
  readonly tokens: number
  readonly input: number
  /** Whether it cuts what is too long itself. */
  readonly cuts: boolean
  readonly floor: number
  readonly models: Readonly<Record<string, ModelFacts>>
}

const retrieving = "Represent this sentence for searching relevant passages: "

const ofOpenai = {
  "text-embedding-3-small": { dimensions: 1_536, sizes: "any" },
  "text-embedding-3-large": { dimensions: 3_072, sizes: "any" },
  "text-embedding-ada-002": { dimensions: 1_536, floor: 0.7 }
} as const

/**
 * Defaults, limits and dimensions, from each provider's reference of its API:
 * openai: `POST /v1/embeddings`, 2,048 texts, 300,000 tokens a request, 8,192 a text;
 * voyage: `POST /v1/embeddings`, 1,000 texts, 120,000 to 1,000,000 tokens by model;
 * cohere: `POST /v2/embed`, 96 texts; ollama: `POST /api/embed`.
 * Batches are smaller than what is allowed: an answer of 2,048 texts is 60 MB of JSON.
 */
export const providers = {
  openai: {
    baseUrl: "https://api.openai.com/v1",
    keyVariable: "OPENAI_API_KEY",
    model: "text-embedding-3-small",
    batch: 128,
    mostTexts: 2_048,
    tokens: 300_000,
    input: 8_192,
    cuts: false,
    floor: 0.1,
    models: ofOpenai
  },
  voyage: {
    baseUrl: "https://api.voyageai.com/v1",
    keyVariable: "VOYAGE_API_KEY",
    model: "voyage-4",
    batch: 128,
    mostTexts: 1_000,
    tokens: 120_000,
    input: 32_000,
    cuts: true,
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
    mostTexts: 96,
    tokens: 1_000_000,
    input: 512,
    cuts: true,
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
    mostTexts: 2_048,
    tokens: 100_000,
    input: 8_192,
    cuts: false,
    floor: 0.1,
    models: ofOpenai
  },
  ollama: {
    baseUrl: "http://localhost:11434",
    keyless: true,
    model: "nomic-embed-text",
    batch: 16,
    mostTexts: 2_048,
    tokens: 100_000,
    input: 2_048,
    cuts: true,
    floor: 0.2,
    models: {
      "nomic-embed-text": {
        dimensions: 768,
        prefixes: { document: "search_document: ", query: "search_query: " }
      },
      "mxbai-embed-large": { dimensions: 1_024, input: 512, prefixes: { document: "", query: retrieving } },
      "snowflake-arctic-embed": {
        dimensions: 1_024,
        input: 512,
        prefixes: { document: "", query: retrieving },
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

/** What is known of a provider, whichever it is. */
export const factsOf = (provider: ProviderName): ProviderFacts => providers[provider]

/** What is known of a model, by its name with or without a tag. */
export const modelFactsOf = (facts: ProviderFacts, model: string): KnownModel | undefined => {
  const [name = model, tag = "latest"] = model.split(":", 2)
  const known = facts.models[model] ?? facts.models[name]
  if (known?.tags === undefined) return known
  const { dimensions, tags, ...all } = known
  if (tag === "latest") return { ...all, dimensions }
  return { ...all, ...(tags[tag] ?? tags[tag.replace(/-.*$/, "")]) }
}
