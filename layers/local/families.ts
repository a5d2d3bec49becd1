import { miniLmWeight, encoderWeight as strong } from "../encoderWeight.js"

/** The settings that a family of encoders needs, from its model cards, and its weight in ranking. */
export interface EncoderSettings {
  /** The vector of a text: the mean of its tokens, its first token, or its last token. */
  readonly pooling: "mean" | "first" | "last"
  /** The prefixes of queries and documents that the model was trained with. */
  readonly query: string
  readonly document: string
  /** Maximum tokens of a text; the rest is cut off. */
  readonly maxTokens: number
  /** Shorter dimensions that the model was trained for; absent if there are none. */
  readonly shorterDimensions?: ReadonlyArray<number>
  readonly weight: number
  readonly floor: number
}

interface Family extends EncoderSettings {
  /** Matches the models' names, without organisation and in lower case. */
  readonly name: RegExp
  /** The dimensions, by the size in a model's name. */
  readonly dimensions: Readonly<Record<string, number>>
}

const bert = { small: 384, base: 768, large: 1_024 }
const passages = "Represent this sentence for searching relevant passages: "

const pairs = {
  dimensions: { "": 384 },
  pooling: "mean",
  query: "",
  document: "",
  weight: miniLmWeight,
  floor: 0.15
} as const

/**
 * Settings from the model cards (sentence-transformers, BAAI, thenlper and Alibaba-NLP, intfloat, Snowflake).
 *
 * The weight is 0.7 for models that are trained for passage retrieval and beat full text on most sets of BEIR (NDCG@10
 * of 0.49 to 0.56, by MTEB). It is 0.5 for MiniLM, which is about as good as full text (0.42). The floor is just below
 * the cosine similarity of unrelated texts, which is 0.7 for families trained at a low temperature.
 */
const families: ReadonlyArray<Family> = [
  // MiniLM: sentence pairs of all kinds, no prefixes.
  { ...pairs, name: /^all-minilm-l6-v2$/, maxTokens: 256 },
  { ...pairs, name: /^(all-minilm-l12-v[12]|paraphrase-multilingual-minilm-l12-v2)$/, maxTokens: 128 },
  { ...pairs, name: /^multi-qa-minilm-l6-cos-v1$/, maxTokens: 512 },
  // bge: a prefix for queries, none for documents.
  {
    name: /^bge-(small|base|large)-en(-v1\.5)?$/,
    dimensions: bert,
    pooling: "first",
    query: passages,
    document: "",
    maxTokens: 512,
    weight: strong,
    floor: 0.35
  },
  {
    name: /^bge-(small|base|large)-zh(-v1\.5)?$/,
    dimensions: { small: 512, base: 768, large: 1_024 },
    pooling: "first",
    query: "为这个句子生成表示以用于检索相关文章：",
    document: "",
    maxTokens: 512,
    weight: strong,
    floor: 0.25
  },
  {
    name: /^bge-m3$/,
    dimensions: { "": 1_024 },
    pooling: "first",
    query: "",
    document: "",
    maxTokens: 8_192,
    weight: strong,
    floor: 0.3
  },
  // gte: no prefixes; the later models use the first token.
  {
    name: /^gte-(small|base|large)$/,
    dimensions: bert,
    pooling: "mean",
    query: "",
    document: "",
    maxTokens: 512,
    weight: strong,
    floor: 0.68
  },
  {
    name: /^gte-((base|large)-en-v1\.5|multilingual-base|modernbert-base)$/,
    dimensions: bert,
    pooling: "first",
    query: "",
    document: "",
    maxTokens: 8_192,
    weight: strong,
    floor: 0.3
  },
  // e5: prefixes for queries and documents. Its cosine similarities are between 0.7 and 1.
  {
    name: /^(multilingual-)?e5-(small|base|large)(-v2)?$/,
    dimensions: bert,
    pooling: "mean",
    query: "query: ",
    document: "passage: ",
    maxTokens: 512,
    weight: strong,
    floor: 0.68
  },
  // arctic: from version 1.5 on, its vectors may be shortened.
  {
    name: /^snowflake-arctic-embed-(xs|s|m|l)$/,
    dimensions: { xs: 384, s: 384, m: 768, l: 1_024 },
    pooling: "first",
    query: passages,
    document: "",
    maxTokens: 512,
    weight: strong,
    floor: 0.15
  },
  {
    name: /^snowflake-arctic-embed-m-long$/,
    dimensions: { m: 768 },
    pooling: "first",
    query: passages,
    document: "",
    maxTokens: 2_048,
    weight: strong,
    floor: 0.15
  },
  {
    name: /^snowflake-arctic-embed-m-v1\.5$/,
    dimensions: { m: 768 },
    pooling: "first",
    query: passages,
    document: "",
    maxTokens: 512,
    shorterDimensions: [256],
    weight: strong,
    floor: 0.15
  },
  {
    name: /^snowflake-arctic-embed-(m|l)-v2\.0$/,
    dimensions: { m: 768, l: 1_024 },
    pooling: "first",
    query: "query: ",
    document: "",
    maxTokens: 8_192,
    shorterDimensions: [256],
    weight: strong,
    floor: 0.15
  }
]

/** The recipe and dimensions of a model by its name (`Xenova/bge-small-en-v1.5`); undefined for an unknown family. */
export const familyOf = (model: string): (EncoderSettings & { readonly dimensions: number }) | undefined => {
  const name = model.replaceAll("\\", "/").replace(/^.*\//, "").toLowerCase()
  const family = families.find((candidate) => candidate.name.test(name))
  if (family === undefined) return undefined
  const { name: _, dimensions, ...recipe } = family
  const size = name.split("-").find((part) => Object.hasOwn(dimensions, part)) ?? ""
  const length = dimensions[size]
  return length === undefined ? undefined : { ...recipe, dimensions: length }
}

/** Defaults for models of unknown families whose own files do not contain these settings. */
export const defaultEncoderSettings = { query: "", document: "", weight: strong, floor: 0 } as const
