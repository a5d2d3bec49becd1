import * as AiError from "@effect/ai/AiError"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import type { Connection } from "./connection.js"
import type { ModelAnswer, ModelRequest } from "./messages.js"

const module = "openaiChat"
const method = "ask"

/**
 * OpenAI's older protocol, `POST /chat/completions`, which most other servers support. If a server rejects a JSON
 * schema, later requests ask for any JSON; if it rejects that too, they ask for plain text. The instructions therefore
 * also describe the schema in words. Reads only the needed fields of an answer, because few servers send all fields.
 */
export const make = ({
  apiKey,
  baseUrl = "https://api.openai.com/v1",
  model,
  transformClient
}: Connection): Effect.Effect<
  (request: ModelRequest) => Effect.Effect<ModelAnswer, AiError.AiError>,
  never,
  HttpClient.HttpClient
> =>
  Effect.map(HttpClient.HttpClient, (httpClient) => {
    const client = transformClient(httpClient)
    /** Index into `formats`: the strictest format that the server has not rejected. */
    let acceptedFormat = 0

    const send = (
      { messages, answerSchema }: ModelRequest,
      format: number
    ): Effect.Effect<ModelAnswer, AiError.AiError> =>
      HttpClientRequest.post(`${baseUrl}/chat/completions`).pipe(
        apiKey === undefined ? identity : HttpClientRequest.bearerToken(apiKey),
        HttpClientRequest.acceptJson,
        HttpClientRequest.bodyUnsafeJson({
          model,
          messages,
          ...(answerSchema === undefined ? {} : formats[format]?.(answerSchema))
        }),
        client.execute,
        Effect.flatMap(HttpClientResponse.schemaBodyJson(Completion)),
        Effect.catchTags({
          RequestError: (error) => AiError.HttpRequestError.fromRequestError({ module, method, error }),
          ResponseError: (error) => AiError.HttpResponseError.fromResponseError({ module, method, error }),
          ParseError: (error) => AiError.MalformedOutput.fromParseError({ module, method, error })
        }),
        Effect.map((completion) => answerOf(completion, answerSchema !== undefined))
      )

    const sendWithFallback = (request: ModelRequest, format: number): Effect.Effect<ModelAnswer, AiError.AiError> =>
      Effect.catchIf(
        send(request, format),
        (error) => request.answerSchema !== undefined && format < formats.length - 1 && isRefusedFormat(error),
        () =>
          Effect.tap(sendWithFallback(request, format + 1), () => {
            acceptedFormat = Math.max(acceptedFormat, format + 1)
          })
      )

    return (request) => Effect.suspend(() => sendWithFallback(request, acceptedFormat))
  })

/** The request fields for the answer's schema, the strictest first. */
const formats: ReadonlyArray<(shape: NonNullable<ModelRequest["answerSchema"]>) => object> = [
  (shape) => ({ response_format: { type: "json_schema", json_schema: { strict: true, ...shape } } }),
  () => ({ response_format: { type: "json_object" } }),
  () => ({})
]

/** Servers reject an unknown field with status 400 (bad request), 422 (unprocessable) or 501 (not implemented). */
const isRefusedFormat = (error: AiError.AiError): boolean =>
  error._tag === "HttpResponseError" && [400, 422, 501].includes(error.response.status)

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      message: Schema.Struct({
        content: optional(
          Schema.Union(
            Schema.String,
            Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optional(Schema.Unknown) }))
          )
        ),
        refusal: optional(Schema.String)
      }),
      finish_reason: optional(Schema.String)
    })
  )
})

const answerOf = ({ choices: [{ finish_reason, message }] }: typeof Completion.Type, json: boolean): ModelAnswer => {
  const { content } = message
  const text =
    typeof content === "string"
      ? content
      : (content ?? [])
          .flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : []))
          .join("")
  const end =
    message.refusal || finish_reason === "content_filter" ? "refused" : finish_reason === "length" ? "length" : "stop"
  return { text: json ? withoutWrapping(text) : text, end }
}

/** Removes the `<think>` block and the code fence that small models add around their JSON. */
const withoutWrapping = (text: string): string =>
  text
    .replace(/^\s*<think>[\s\S]*?<\/think>/, "")
    .trim()
    .replace(/^```\w*\s*\n([\s\S]*)\n```$/, "$1")
