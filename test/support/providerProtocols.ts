import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/** Who serves vectors, and who looks at texts once more; "endpoint" is any server of POST /rerank. */
export const embedding = ["openai", "voyage", "cohere", "openai-compatible", "ollama"] as const
export const reranking = ["cohere", "voyage", "jina", "endpoint"] as const
export type EmbeddingProvider = (typeof embedding)[number]
export type RerankingProvider = (typeof reranking)[number]
export type Service = `embed ${EmbeddingProvider}` | `rerank ${RerankingProvider}`

/** A request as it came, the body parsed. */
export interface ProviderRequest {
  readonly service: Service | undefined
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every protocol
  readonly body: any
  /** The texts to be embedded, or the documents to be looked at. */
  readonly texts: ReadonlyArray<string>
}

interface Rules {
  /** Where it is served, below the address of the server. */
  readonly path: string
  /** Fields that must be there, and those that may. */
  readonly needs: ReadonlyArray<string>
  readonly takes: ReadonlyArray<string>
  readonly texts: "input" | "texts" | "documents"
  readonly mostTexts: number
  /** Letters of one text and of all texts, where longer ones are refused. */
  readonly longest?: number
  readonly most?: number
  readonly keyless?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a request may hold anything
  readonly more?: (body: any) => string | undefined
}

const among = (name: string, values: ReadonlyArray<unknown>) => (body: Readonly<Record<string, unknown>>) =>
  name in body && !values.includes(body[name]) ? `${name} must be one of ${values.join(", ")}` : undefined

/** What each service takes, written from its documentation. */
const rules: Readonly<Record<Service, Rules>> = {
  "embed openai": {
    path: "/openai/v1/embeddings",
    needs: ["model", "input"],
    takes: ["dimensions", "encoding_format", "user"],
    texts: "input",
    mostTexts: 2_048,
    // 8,192 and 300,000 tokens, of which none is shorter than a letter and few are longer than four.
    longest: 4 * 8_192,
    most: 4 * 300_000,
    more: (body) =>
      among("encoding_format", ["float", "base64"])(body) ??
      (body.model === "text-embedding-ada-002" && "dimensions" in body
        ? "This model does not support specifying dimensions."
        : undefined)
  },
  "embed openai-compatible": {
    path: "/compatible/v1/embeddings",
    needs: ["model", "input"],
    takes: ["dimensions"],
    texts: "input",
    mostTexts: 2_048,
    longest: 4 * 8_192
  },
  "embed voyage": {
    path: "/voyage/v1/embeddings",
    needs: ["model", "input"],
    takes: ["input_type", "truncation", "output_dimension", "output_dtype", "encoding_format"],
    texts: "input",
    mostTexts: 1_000,
    most: 4 * 120_000,
    more: (body) =>
      among("input_type", [null, "query", "document"])(body) ??
      among("output_dimension", [256, 512, 1_024, 2_048])(body)
  },
  "embed cohere": {
    path: "/cohere/v2/embed",
    needs: ["model", "input_type", "embedding_types", "texts"],
    takes: ["output_dimension", "truncate", "max_tokens"],
    texts: "texts",
    mostTexts: 96,
    more: (body) =>
      among("input_type", ["search_document", "search_query", "classification", "clustering"])(body) ??
      among("truncate", ["NONE", "START", "END"])(body) ??
      among("output_dimension", [256, 512, 1_024, 1_536])(body) ??
      (Array.isArray(body.embedding_types) ? undefined : "embedding_types must be a list")
  },
  "embed ollama": {
    path: "/ollama/api/embed",
    needs: ["model", "input"],
    takes: ["truncate", "options", "keep_alive", "dimensions"],
    texts: "input",
    mostTexts: Number.POSITIVE_INFINITY,
    keyless: true
  },
  "rerank cohere": {
    path: "/cohere/v2/rerank",
    needs: ["model", "query", "documents"],
    takes: ["top_n", "max_tokens_per_doc"],
    texts: "documents",
    mostTexts: 1_000
  },
  "rerank voyage": {
    path: "/voyage/v1/rerank",
    needs: ["model", "query", "documents"],
    takes: ["top_k", "return_documents", "truncation"],
    texts: "documents",
    mostTexts: 1_000
  },
  "rerank jina": {
    path: "/jina/v1/rerank",
    needs: ["model", "query", "documents"],
    takes: ["top_n", "return_documents"],
    texts: "documents",
    mostTexts: 2_048
  },
  "rerank endpoint": {
    path: "/endpoint/rerank",
    needs: ["query", "documents"],
    takes: ["model", "top_n"],
    texts: "documents",
    mostTexts: 1_000,
    keyless: true
  }
}

const services = Object.keys(rules) as ReadonlyArray<Service>

/** The part of a service's address that a policy names. */
export const baseOf = (service: Service): string =>
  rules[service].path.replace(/\/(?:embeddings|embed|rerank|api\/embed)$/, "")

export const serviceAt = (path: string): Service | undefined => services.find((one) => rules[one].path === path)

// biome-ignore lint/suspicious/noExplicitAny: a request may hold anything
export const textsIn = (service: Service, body: any): ReadonlyArray<string> => {
  const texts = body?.[rules[service].texts]
  return Array.isArray(texts) ? texts : []
}

/** What the real service would refuse in a request, and how. */
export const problemOf = (
  { body, headers, method, path, service, texts }: ProviderRequest,
  key: string
): { readonly status: number; readonly text: string } | undefined => {
  const bad = (text: string) => ({ status: 400, text })
  if (service === undefined) return { status: 404, text: `nothing at ${path}` }
  if (method !== "POST") return { status: 405, text: `${method} is not allowed` }
  const { keyless, longest, more, most, mostTexts, needs, takes } = rules[service]
  if (keyless ? headers.authorization !== undefined : headers.authorization !== `Bearer ${key}`) {
    return { status: 401, text: "wrong key" }
  }
  if (!headers["content-type"]?.startsWith("application/json")) return { status: 415, text: "no JSON" }
  if (headers.traceparent !== undefined || headers.b3 !== undefined) return bad("traces are nobody's business here")
  if (typeof body !== "object" || body === null) return bad("the body is no JSON")
  const missing = needs.filter((name) => !(name in body))
  if (missing.length > 0) return bad(`missing ${missing.join(", ")}`)
  const unknown = Object.keys(body).filter((name) => ![...needs, ...takes].includes(name))
  if (unknown.length > 0) return bad(`unknown fields ${unknown.join(", ")}`)
  for (const name of ["dimensions", "output_dimension", "top_n", "top_k"]) {
    if (name in body && !(Number.isInteger(body[name]) && body[name] > 0)) return bad(`${name} is no whole number`)
  }
  if (texts.length === 0) return bad("no texts")
  if (texts.length > mostTexts) return bad("too many texts")
  if (texts.some((text) => typeof text !== "string" || text === "")) return bad("a text is empty or none")
  if (texts.some((text) => !text.isWellFormed())) return bad("a text is no UTF-8")
  if (longest !== undefined && texts.some((text) => text.length > longest)) return bad("a text is too long")
  if (most !== undefined && texts.join("").length > most) return bad("the texts are too long")
  const problem = more?.(body)
  return problem === undefined ? undefined : bad(problem)
}

/** The native dimensions of the models that tests ask for; 8 for any other. */
const native: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1_536,
  "text-embedding-ada-002": 1_536,
  "voyage-4": 1_024,
  "embed-v4.0": 1_536,
  "nomic-embed-text": 768
}

/** The vector of a text: the same for the same text, and others for documents than for queries where the service knows which. */
export const vectorFor = (text: string, dimensions: number): Array<number> => {
  const hash = createHash("sha256").update(text).digest()
  return Array.from({ length: dimensions }, (_, at) => ((hash[at % 32]! + 37 * at) % 251) / 125 - 1)
}

/** How much of a query's words a document has: what a reranker of tests thinks of it. */
export const relevance = (query: string, document: string): number => {
  const words = query.toLowerCase().match(/\p{L}+/gu) ?? []
  const has = document.toLowerCase()
  return words.filter((word) => has.includes(word)).length / Math.max(1, words.length)
}

/** What is changed in an answer before it is sent. */
export interface Changes {
  // biome-ignore lint/suspicious/noExplicitAny: vectors or scores, of whatever kind a broken server makes them
  readonly list?: (list: ReadonlyArray<any>) => ReadonlyArray<any>
}

/** A success of the service. */
// biome-ignore lint/suspicious/noExplicitAny: an answer of any of them
export const answerOf = ({ body, service, texts }: ProviderRequest, { list = (one) => one }: Changes): any => {
  const dimensions = body.dimensions ?? body.output_dimension ?? native[body.model] ?? 8
  const tokens = texts.reduce((all, text) => all + Math.ceil(text.length / 4), 0)
  const vectors = texts.map((text) => vectorFor(`${body.input_type ?? ""} ${text}`, dimensions))
  const [kind, provider] = service!.split(" ")
  if (kind === "rerank") {
    const scored = texts.map((text, index) => ({ index, relevance_score: relevance(body.query, text) }))
    // As they come: the best first.
    const results = list(scored.sort((a, b) => b.relevance_score - a.relevance_score))
    if (provider === "voyage") {
      return { object: "list", data: results, model: body.model, usage: { total_tokens: tokens } }
    }
    if (provider === "jina") return { model: body.model, usage: { total_tokens: tokens }, results }
    return { id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf", results, meta: { billed_units: { search_units: 1 } } }
  }
  const given = list(vectors)
  switch (provider) {
    case "cohere":
      return {
        id: "da6e531f-54c5-4a73-bf92-f60566d8d753",
        response_type: "embeddings_by_type",
        texts,
        embeddings: { float: given },
        meta: { api_version: { version: "2" }, billed_units: { input_tokens: tokens } }
      }
    case "ollama":
      return {
        model: body.model,
        embeddings: given,
        total_duration: 14_143_917,
        load_duration: 1,
        prompt_eval_count: tokens
      }
    default: {
      const data = given.map((one, index) => ({ object: "embedding", index, embedding: one }))
      const usage = provider === "voyage" ? { total_tokens: tokens } : { prompt_tokens: tokens, total_tokens: tokens }
      // In another order: each names its place.
      return { object: "list", data: data.reverse(), model: body.model, usage }
    }
  }
}
