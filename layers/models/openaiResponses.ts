import type * as AiError from "@effect/ai/AiError"
import type * as Generated from "@effect/ai-openai/Generated"
import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connection } from "./connection.js"
import type { ModelAnswer, ModelRequest } from "./messages.js"

/** OpenAI's newer protocol: `POST /responses`. It requests that the server does not store the answers. */
export const make = ({
  apiKey,
  baseUrl = "https://api.openai.com/v1",
  model,
  transformClient
}: Connection): Effect.Effect<
  (request: ModelRequest) => Effect.Effect<ModelAnswer, AiError.AiError>,
  never,
  HttpClient.HttpClient | Scope.Scope
> =>
  Effect.map(
    OpenAiClient.make({ apiKey, apiUrl: baseUrl, transformClient }),
    (client) =>
      ({ messages, answerSchema }) =>
        Effect.map(
          client.createResponse({
            model,
            store: false,
            input: messages,
            ...(answerSchema === undefined
              ? {}
              : { text: { format: { type: "json_schema", strict: true, ...answerSchema } } })
          }),
          answerOf
        )
  )

const answerOf = (response: Generated.Response): ModelAnswer => {
  const texts: Array<string> = []
  for (const item of response.output) {
    if (item.type !== "message") continue
    for (const part of item.content) {
      if (part.type === "refusal") return { text: "", end: "refused" }
      if (part.type === "output_text") texts.push(part.text)
    }
  }
  const cause = response.incomplete_details?.reason
  return { text: texts.join(""), end: cause === "content_filter" ? "refused" : cause === undefined ? "stop" : "length" }
}
