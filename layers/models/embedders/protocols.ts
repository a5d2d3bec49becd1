import { fieldsOf } from "../postJson.js"
import type { ProviderName } from "./providerTable.js"

/** A request for embeddings. */
export interface EmbeddingRequest {
  readonly model: string
  readonly texts: ReadonlyArray<string>
  readonly purpose: "document" | "query"
  /** The dimensions to request; undefined requests the model's own dimensions. */
  readonly dimensions: number | undefined
}

/** A provider's answer. The vectors are not validated yet. */
export interface EmbeddingAnswer {
  readonly vectors: ReadonlyArray<unknown>
  /** Tokens that the provider counted; undefined if the answer has no count. */
  readonly tokens: number | undefined
}

/** The wire format of a provider. */
export interface Protocol {
  readonly path: string
  readonly body: (request: EmbeddingRequest) => object
  /** Reads an answer; undefined if it has no list of vectors. */
  readonly read: (answer: unknown) => EmbeddingAnswer | undefined
}

/** OpenAI's format: the entries of `data` are in any order; each has an `index`. */
const openai: Protocol = {
  path: "/embeddings",
  body: ({ dimensions, model, texts }) => ({
    model,
    input: texts,
    encoding_format: "float",
    ...(dimensions === undefined ? {} : { dimensions })
  }),
  read: (answer) => {
    const { data, usage } = fieldsOf(answer)
    return listed(data, tokensIn(fieldsOf(usage).total_tokens))
  }
}

/** Omits optional fields, because some compatible servers reject unknown fields. */
const compatible: Protocol = {
  ...openai,
  body: ({ dimensions, model, texts }) => ({ model, input: texts, ...(dimensions === undefined ? {} : { dimensions }) })
}

const voyage: Protocol = {
  ...openai,
  body: ({ dimensions, model, purpose, texts }) => ({
    model,
    input: texts,
    input_type: purpose,
    ...(dimensions === undefined ? {} : { output_dimension: dimensions })
  })
}

const cohere: Protocol = {
  path: "/embed",
  body: ({ dimensions, model, purpose, texts }) => ({
    model,
    texts,
    input_type: `search_${purpose}`,
    embedding_types: ["float"],
    truncate: "END",
    ...(dimensions === undefined ? {} : { output_dimension: dimensions })
  }),
  read: (answer) => {
    const { embeddings, meta } = fieldsOf(answer)
    const { float } = fieldsOf(embeddings)
    const { billed_units } = fieldsOf(meta)
    return Array.isArray(float) ? { vectors: float, tokens: tokensIn(fieldsOf(billed_units).input_tokens) } : undefined
  }
}

const ollama: Protocol = {
  path: "/api/embed",
  body: ({ dimensions, model, texts }) => ({
    model,
    input: texts,
    truncate: true,
    ...(dimensions === undefined ? {} : { dimensions })
  }),
  read: (answer) => {
    const { embeddings, prompt_eval_count } = fieldsOf(answer)
    return Array.isArray(embeddings) ? { vectors: embeddings, tokens: tokensIn(prompt_eval_count) } : undefined
  }
}

export const protocols: Readonly<Record<ProviderName, Protocol>> = {
  openai,
  voyage,
  cohere,
  "openai-compatible": compatible,
  ollama
}

/** The vectors ordered by their indexes, if they have any. A missing vector is undefined. */
const listed = (data: unknown, tokens: number | undefined): EmbeddingAnswer | undefined => {
  if (!Array.isArray(data)) return undefined
  const vectors: Array<unknown> = new Array(data.length).fill(undefined)
  data.forEach((item, position) => {
    const { embedding, index = position } = fieldsOf(item)
    if (typeof index === "number" && index in vectors && vectors[index] === undefined) vectors[index] = embedding
  })
  return { vectors, tokens }
}

const tokensIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
