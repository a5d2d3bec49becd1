import { fieldsOf } from "../postJson.js"
import type { ProviderName } from "./table.js"

/** What is asked of a provider. */
export interface Asked {
  readonly model: string
  readonly texts: ReadonlyArray<string>
  readonly purpose: "document" | "query"
  /** Numbers of a vector, where the model is to be asked for other than its own. */
  readonly dimensions: number | undefined
}

/** What came back, as far as it could be read: whatever was in the place of each vector. */
export interface Given {
  readonly vectors: ReadonlyArray<unknown>
  /** Tokens that the provider counted; undefined where it tells none. */
  readonly tokens: number | undefined
}

/** How a provider is spoken to. */
export interface Protocol {
  readonly path: string
  readonly body: (asked: Asked) => object
  /** Undefined where the answer has no list of vectors. */
  readonly read: (answer: unknown) => Given | undefined
}

/** OpenAI's: `data` in any order, each with its `index`. */
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

/** Others that speak like OpenAI refuse fields that they do not need. */
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

/** By their indexes, where they have any; a hole where one is missing or there twice. */
const listed = (data: unknown, tokens: number | undefined): Given | undefined => {
  if (!Array.isArray(data)) return undefined
  const vectors: Array<unknown> = new Array(data.length).fill(undefined)
  data.forEach((item, at) => {
    const { embedding, index = at } = fieldsOf(item)
    if (typeof index === "number" && index in vectors && vectors[index] === undefined) vectors[index] = embedding
  })
  return { vectors, tokens }
}

const tokensIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
