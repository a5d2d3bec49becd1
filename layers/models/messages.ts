import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Response from "@effect/ai/Response"
import * as Tool from "@effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { cutOffError, refusedError, unsupportedError } from "./failures.js"

/** A message in the form that all protocols share. */
export interface Message {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
}

/** A request: messages, and the JSON schema of the answer if it must be JSON. */
export interface ModelRequest {
  readonly messages: ReadonlyArray<Message>
  readonly answerSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> }
}

/** The model's answer. */
export interface ModelAnswer {
  readonly text: string
  readonly end: "stop" | "length" | "refused"
}

/**
 * Builds a language model from one function. It supports text and JSON answers, which is all that Daybook needs; it
 * refuses tools, files and streams.
 *
 * The packages' own models are not used: each loads a tokenizer (44 MB of `gpt-tokenizer` for OpenAI's) before the
 * first request.
 */
export const makeModel = (
  ask: (request: ModelRequest) => Effect.Effect<ModelAnswer, AiError.AiError>
): Effect.Effect<LanguageModel.Service> =>
  LanguageModel.make({
    generateText: (options) => Effect.flatMap(Effect.flatMap(requestOf(options), ask), partsOf),
    streamText: () => Stream.fail(unsupportedError)
  })

const requestOf = ({
  prompt,
  responseFormat,
  tools
}: LanguageModel.ProviderOptions): Effect.Effect<ModelRequest, AiError.AiError> => {
  if (tools.length > 0) return Effect.fail(unsupportedError)
  const messages: Array<Message> = []
  for (const { content, role } of prompt.content) {
    if (role === "tool") return Effect.fail(unsupportedError)
    const texts: Array<string> = []
    for (const part of typeof content === "string" ? [{ type: "text", text: content } as const] : content) {
      if (part.type !== "text") return Effect.fail(unsupportedError)
      texts.push(part.text)
    }
    messages.push({ role, content: texts.join("\n") })
  }
  if (responseFormat.type === "text") return Effect.succeed({ messages })
  const schema = Tool.getJsonSchemaFromSchemaAst(responseFormat.schema.ast) as object as Record<string, unknown>
  return Effect.succeed({ messages, answerSchema: { name: responseFormat.objectName, schema } })
}

const partsOf = ({ end, text }: ModelAnswer): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError> => {
  if (end === "refused") return Effect.fail(refusedError)
  if (end === "length") return Effect.fail(cutOffError)
  const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined }
  return Effect.succeed([
    { type: "text", text },
    { type: "finish", reason: "stop", usage }
  ])
}
