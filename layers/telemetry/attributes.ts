import type { TraceAttributes } from "../../events/traceAttributes.js"
import { spanNames } from "../../src/model/operations.js"

/** A name without blanks: the name of a model, an agent or a protocol. */
const name = /^[^\s\p{C}]{1,120}$/u
/** One word from the engine's own lists. */
const word = /^[A-Za-z][A-Za-z_]{0,39}$/
/** Tags of errors, joined by `failureNames`: `StorageError (busy), interrupted`. `_OTHER` replaces any other text. */
const failures = /^(?:_OTHER|[A-Za-z]\w{0,39}( \([a-z]{1,20}\))?(, [A-Za-z]\w{0,39}( \([a-z]{1,20}\))?){0,7})$/
/** An id that the engine made. */
const id = /^[0-9a-hjkmnp-tv-z]{10}$/
const oneOf = (values: Iterable<string>) => {
  const known = new Set(values)
  return { test: (text: string) => known.has(text) }
}

/** The texts that each attribute may have. Every other attribute must be a number or a truth value. */
const texts: Partial<Record<keyof TraceAttributes, { readonly test: (text: string) => boolean }>> = {
  agent: name,
  level: oneOf(["full", "inner", "familiar", "public"]),
  "error.type": failures,
  "daybook.method": oneOf(Object.keys(spanNames)),
  "gen_ai.operation.name": oneOf(Object.values(spanNames)),
  "gen_ai.memory.record.id": id,
  "gen_ai.tool.name": word,
  "http.request.method": oneOf(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]),
  "http.route": /^(?:\/[\w:.*-]*){1,8}$/,
  "mcp.method.name": /^[a-z]{1,20}(\/[a-z_]{1,20}){0,2}$/,
  model: name,
  purpose: oneOf(["document", "query"]),
  outcome: word,
  reason: failures,
  by: word,
  action: word,
  stage: word,
  loop: word,
  part: word,
  task: word
}

const numbers: ReadonlySet<string> = new Set<keyof TraceAttributes>([
  "agents",
  "attempts",
  "candidates",
  "characters",
  "commands",
  "dimensions",
  "events",
  "extracted_count",
  "fallback",
  "gen_ai.memory.record.count",
  "http.response.status_code",
  "left",
  "local",
  "memories",
  "millis",
  "parts",
  "stages",
  "statements",
  "texts",
  "tokens",
  "turns",
  "version",
  "written_count"
])

/**
 * True if an attribute may leave the process. A text passes only under a known name and in the form of that name, so
 * that no sentence, query or key passes.
 */
export const isSafeAttribute = (key: string, value: unknown): boolean =>
  typeof value === "string"
    ? Object.hasOwn(texts, key) && texts[key as keyof TraceAttributes]?.test(value) === true
    : (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) && numbers.has(key)

/** The attributes that may leave the process. */
export const safeAttributes = (attributes: Iterable<readonly [string, unknown]>): Record<string, unknown> => {
  const safe: Record<string, unknown> = {}
  for (const [key, value] of attributes) if (isSafeAttribute(key, value)) safe[key] = value
  return safe
}

/** Names of spans and events: `search_memory`, `Views.catchUp`, `daybook import`, `HTTP POST`, `start.initializing`. */
const safeName =
  /^(?:[a-z]{1,20}[._][a-z_.]{1,40}|[A-Z][A-Za-z]{1,30}(?:\.[A-Za-z]{1,40}){1,3}|daybook [a-z-]{1,30}|HTTP [A-Z]{3,7}|MCP [a-z]{1,20}(?:\/[a-z_]{1,20}){0,2}|[a-z]{1,20}\/[a-z]{1,20} [a-z]{1,20}_[a-z_]{1,30}|http\.(?:client|server) [A-Z]{3,7})$/

/** A safe name of a span. A program may put texts into its span names, so a name of another form becomes `span`. */
export const safeNameOf = (spanName: string): string =>
  spanName in operationNames || safeName.test(spanName) ? spanName : "span"

/** The most frequent names, which need no regular expression. */
const operationNames = Object.fromEntries(Object.values(spanNames).map((known) => [known, true]))
