import type { IncomingHttpHeaders } from "node:http"

export type Protocol = "responses" | "chat" | "messages"

/** A request as it came, the body parsed. */
export interface ModelRequest {
  readonly protocol: Protocol
  readonly method: string
  /** Without its query: Anthropic's client adds `?beta=true`. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every protocol
  readonly body: any
  /** What the model is asked: the text of the last message. */
  readonly question: string
  /** The document between BEGIN DATA and END DATA, where there is one. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly data: any
}

export interface ModelServerOptions {
  /** The key that requests must bear; null for none at all. */
  readonly key: string | null
  /** Which `response_format` of chat completions it refuses with status 400. */
  readonly refuses?: ReadonlyArray<string>
}

/** What the real service would refuse in a request, and how; written from the documentation of each. */
export const problemOf = (
  { body, headers, method, path, protocol }: ModelRequest,
  { key, refuses = [] }: ModelServerOptions
): { readonly status: number; readonly text: string } | undefined => {
  const bad = (text: string) => ({ status: 400, text })
  if (method !== "POST") return { status: 405, text: `${method} is not allowed` }
  if (!paths[protocol].includes(path)) return { status: 404, text: `nothing at ${path}` }
  const given = protocol === "messages" ? headers["x-api-key"] : headers.authorization
  const wanted = key === null ? undefined : protocol === "messages" ? key : `Bearer ${key}`
  if (given !== wanted) return { status: 401, text: "wrong key" }
  if (!headers["content-type"]?.startsWith("application/json")) return { status: 415, text: "no JSON" }
  if (headers.traceparent !== undefined || headers.b3 !== undefined) return bad("traces are nobody's business here")
  if (body === undefined) return bad("the body is no JSON")
  const unknown = Object.keys(body).filter((name) => !fields[protocol].includes(name))
  if (unknown.length > 0) return bad(`unknown fields ${unknown.join(", ")}`)
  if (typeof body.model !== "string") return bad("no model")
  if (body.stream) return bad("streams are not spoken")
  if (protocol === "chat") {
    const type = body.response_format?.type ?? "text"
    if (refuses.includes(type)) return bad(`response_format ${type} is unavailable`)
    if (type === "json_object") return undefined
    if (type === "json_schema") return schemaProblem(body.response_format.json_schema)
    return undefined
  }
  if (protocol === "responses") {
    if (body.store !== false) return bad("answers would be kept")
    return body.text === undefined ? undefined : schemaProblem(body.text.format, "json_schema")
  }
  if (headers["anthropic-version"] !== "2023-06-01") return bad("no version")
  if (!Number.isInteger(body.max_tokens)) return bad("no max_tokens")
  if (body.messages.some(({ role }: { role: string }) => role === "system"))
    return bad("system is no role of a message")
  if (body.tool_choice === undefined) return undefined
  const [tool] = body.tools
  if (body.tool_choice.type !== "tool" || body.tool_choice.name !== tool?.name) return bad("tool_choice names no tool")
  return tool.input_schema.type === "object" ? undefined : bad("input_schema is no object")
}

const paths: Readonly<Record<Protocol, ReadonlyArray<string>>> = {
  responses: ["/v1/responses"],
  chat: ["/v1/chat/completions"],
  messages: ["/v1/messages"]
}

const fields: Readonly<Record<Protocol, ReadonlyArray<string>>> = {
  responses: ["model", "input", "text", "store", "instructions", "max_output_tokens", "reasoning", "stream"],
  chat: ["model", "messages", "response_format", "stream", "store"],
  messages: ["model", "messages", "system", "max_tokens", "tools", "tool_choice", "stream"]
}

// biome-ignore lint/suspicious/noExplicitAny: a request may hold anything
const schemaProblem = (format: any, type?: string) => {
  const bad = (text: string) => ({ status: 400, text })
  if (type !== undefined && format?.type !== type) return bad("no json_schema")
  if (!/^[\w-]{1,64}$/.test(format?.name ?? "")) return bad("the schema has no name")
  if (format.strict !== true) return bad("the schema is not strict")
  if (format.schema?.type !== "object") return bad("the schema's root is no object")
  const loose = looseObject(format.schema)
  return loose === undefined ? undefined : bad(loose)
}

/** Strict mode: every property is required, and there are no others. */
// biome-ignore lint/suspicious/noExplicitAny: a schema of any shape
const looseObject = (schema: any): string | undefined => {
  if (schema === null || typeof schema !== "object") return undefined
  if (schema.type === "object") {
    const names = Object.keys(schema.properties ?? {})
    if (schema.additionalProperties !== false) return "additionalProperties is to be false"
    if (names.some((name) => !schema.required?.includes(name))) return "every property is to be required"
  }
  for (const part of Object.values(schema)) {
    const found = looseObject(part)
    if (found !== undefined) return found
  }
  return undefined
}

type End = "stop" | "length" | "refusal"

/** A success of the service with this text, or JSON, as what the model said. */
// biome-ignore lint/suspicious/noExplicitAny: a request may hold anything
export const envelope = (protocol: Protocol, request: any, text: string, end: End): object =>
  ({ responses: responsesOf, chat: chatOf, messages: messageOf })[protocol](request, text, end)

// biome-ignore lint/suspicious/noExplicitAny: as above
const responsesOf = (request: any, text: string, end: End) => ({
  id: "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
  object: "response",
  created_at: 1_741_476_542,
  status: end === "length" ? "incomplete" : "completed",
  error: null,
  incomplete_details: end === "length" ? { reason: "max_output_tokens" } : null,
  instructions: null,
  max_output_tokens: null,
  model: request.model,
  output: [
    { type: "reasoning", id: "rs_67ccd2bf17f0819081ff3bb2cf6508e6", summary: [] },
    {
      type: "message",
      id: "msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b",
      status: end === "length" ? "incomplete" : "completed",
      role: "assistant",
      content: [end === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] }]
    }
  ],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: "medium", summary: null },
  store: false,
  temperature: 1,
  text: request.text ?? { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  usage: {
    input_tokens: 36,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 87,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 123
  },
  user: null,
  metadata: {}
})

/** As a small server sends it: no more than every client needs. */
// biome-ignore lint/suspicious/noExplicitAny: as above
const chatOf = (request: any, text: string, end: End) => ({
  id: "chatcmpl-7",
  object: "chat.completion",
  created: 1_741_476_542,
  model: request.model,
  choices: [
    {
      index: 0,
      message:
        end === "refusal" ? { role: "assistant", content: null, refusal: text } : { role: "assistant", content: text },
      finish_reason: end === "length" ? "length" : "stop"
    }
  ]
})

// biome-ignore lint/suspicious/noExplicitAny: as above
const messageOf = (request: any, text: string, end: End) => {
  const tool = request.tools?.[0]?.name
  const input = tool === undefined ? undefined : objectOf(text)
  const stop = { stop: input === undefined ? "end_turn" : "tool_use", length: "max_tokens", refusal: "refusal" }[end]
  return {
    id: "msg_013Zva2CMHLNnXjNJJKqJ2EF",
    type: "message",
    role: "assistant",
    model: request.model,
    content:
      input === undefined || end !== "stop"
        ? [{ type: "text", text }]
        : [{ type: "tool_use", id: "toolu_01D7FLrfh4GYq7yT1ULFeyMV", name: tool, input }],
    stop_reason: stop,
    stop_sequence: null,
    usage: { input_tokens: 36, output_tokens: 87 }
  }
}

/** The arguments of a tool are an object; a model that writes anything else just talks. */
const objectOf = (text: string): object | undefined => {
  try {
    const value = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
