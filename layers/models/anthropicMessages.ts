import type * as AiError from "@effect/ai/AiError"
import * as AnthropicClient from "@effect/ai-anthropic/AnthropicClient"
import type * as Generated from "@effect/ai-anthropic/Generated"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connection } from "./connection.js"
import type { ModelAnswer, ModelRequest } from "./messages.js"

/** Maximum tokens of an answer. The protocol requires a limit; no verdict needs that many tokens. */
const maxTokens = 4_096

/**
 * Anthropic's protocol: `POST /v1/messages`. For JSON answers, the model must call a tool. The arguments of the tool
 * call are the answer.
 */
export const make = ({
  apiKey,
  baseUrl = "https://api.anthropic.com",
  model,
  transformClient
}: Connection): Effect.Effect<
  (request: ModelRequest) => Effect.Effect<ModelAnswer, AiError.AiError>,
  never,
  HttpClient.HttpClient | Scope.Scope
> =>
  Effect.map(
    AnthropicClient.make({ apiKey, apiUrl: baseUrl.replace(/\/v1$/, ""), transformClient }),
    (client) =>
      ({ messages, answerSchema }) => {
        const system = messages.filter(({ role }) => role === "system").map(({ content }) => content)
        return Effect.map(
          client.createMessage({
            payload: {
              model,
              max_tokens: maxTokens,
              system: system.join("\n"),
              messages: messages.flatMap(({ content, role }) => (role === "system" ? [] : [{ role, content }])),
              ...(answerSchema === undefined ? {} : forced(answerSchema))
            }
          }),
          (message) => answerOf(message, answerSchema !== undefined)
        )
      }
  )

const forced = ({ name, schema }: NonNullable<ModelRequest["answerSchema"]>) => ({
  tools: [{ name, description: "Gives the answer.", input_schema: schema as { readonly type: "object" } }],
  tool_choice: { type: "tool" as const, name, disable_parallel_tool_use: true }
})

const answerOf = ({ content, stop_reason }: Generated.BetaMessage, json: boolean): ModelAnswer => {
  const texts = content.flatMap((part) =>
    part.type === "tool_use" && json ? [JSON.stringify(part.input)] : part.type === "text" && !json ? [part.text] : []
  )
  const isCutOff = stop_reason === "max_tokens" || stop_reason === "model_context_window_exceeded"
  return { text: texts.join(""), end: stop_reason === "refusal" ? "refused" : isCutOff ? "length" : "stop" }
}
