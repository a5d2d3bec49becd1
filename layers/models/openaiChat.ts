import * as AiError from "@effect/ai/AiError"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import type { Connection } from "./connection.js"
import type { Answer, Asked } from "./messages.js"

const module = "openaiChat"
const method = "ask"

/**
 * OpenAI's older protocol, `POST /chat/completions`, which most other servers
 * speak. They differ in how far they let the answer's shape be told: a server
 * that refuses a JSON schema is asked for some JSON, and one that refuses that
 * is just asked, from then on; the instructions tell the shape in words too.
 * Of its answers no more is read than is needed, since few send all the fields.
 */
export const make = ({
  apiKey,
  baseUrl = "https://api.openai.com/v1",
  model,
  transformClient
}: Connection): Effect.Effect<(asked: Asked) => Effect.Effect<Answer, AiError.AiError>, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (plain) => {
    const client = transformClient(plain)
    let known = 0

    const send = ({ messages, shape }: Asked, format: number): Effect.Effect<Answer, AiError.AiError> =>
      HttpClientRequest.post(`${baseUrl}/chat/completions`).pipe(
        apiKey === undefined ? identity : HttpClientRequest.bearerToken(apiKey),
        HttpClientRequest.acceptJson,
        HttpClientRequest.bodyUnsafeJson({
          model,
          messages,
          ...(shape === undefined ? {} : formats[format]?.(shape))
        }),
        client.execute,
        Effect.flatMap(HttpClientResponse.schemaBodyJson(Completion)),
        Effect.catchTags({
          RequestError: (error) => AiError.HttpRequestError.fromRequestError({ module, method, error }),
          ResponseError: (error) => AiError.HttpResponseError.fromResponseError({ module, method, error }),
          ParseError: (error) => AiError.MalformedOutput.fromParseError({ module, method, error })
        }),
        Effect.map((completion) => answerOf(completion, shape !== undefined))
      )

    const trying = (asked: Asked, format: number): Effect.Effect<Answer, AiError.AiError> =>
      Effect.catchIf(
        send(asked, format),
        (error) => asked.shape !== undefined && format < formats.length - 1 && isRefusedFormat(error),
        () =>
          Effect.tap(trying(asked, format + 1), () => {
            known = Math.max(known, format + 1)
          })
      )

    return (asked) => Effect.suspend(() => trying(asked, known))
  })

/** How the shape of the answer is told, the strictest first. */
const formats: ReadonlyArray<(shape: NonNullable<Asked["shape"]>) => object> = [
  (shape) => ({ response_format: { type: "json_schema", json_schema: { strict: true, ...shape } } }),
  () => ({ response_format: { type: "json_object" } }),
  () => ({})
]

/** Bad request, unprocessable, not implemented: what servers answer to a field that they do not know. */
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

const answerOf = ({ choices: [{ finish_reason, message }] }: typeof Completion.Type, json: boolean): Answer => {
  const { content } = message
  const text =
    typeof content === "string"
      ? content
      : (content ?? [])
          .flatMap((part) => (part.type === "text" && typeof part.text === "string" ? [part.text] : []))
          .join("")
  const end =
    message.refusal || finish_reason === "content_filter" ? "refused" : finish_reason === "length" ? "length" : "stop"
  return { text: json ? bare(text) : text, end }
}

/** Small models think aloud before their answer, and fence it. */
const bare = (text: string): string =>
  text
    .replace(/^\s*<think>[\s\S]*?<\/think>/, "")
    .trim()
    .replace(/^```\w*\s*\n([\s\S]*)\n```$/, "$1")
