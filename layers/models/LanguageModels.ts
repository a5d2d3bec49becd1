import * as LanguageModel from "@effect/ai/LanguageModel"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ModelSettings } from "../../src/ports/Policy.js"
import { readSecret } from "../settings.js"
import type { Connection } from "./connection.js"
import { modelErrors } from "./failures.js"
import { limitRequests } from "./limitRequests.js"
import { makeModel } from "./messages.js"
import { missingPackage } from "./packages.js"
import { guardClient, withoutTrailingSlashes } from "./transport.js"

/** The policy's model cannot be used. `problem` says in one line what is wrong and what to do. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `model ${this.model}: ${this.problem}`
  }
}

/** A model's name in decisions and errors: `openai/gpt-5-mini`. */
export const nameOf = ({ model, provider }: Pick<ModelSettings, "model" | "provider">): string => `${provider}/${model}`

/**
 * The language model of the policy's section `model`, within its limits: see `limitRequests`. Opens no connection
 * before the first question.
 */
export const make = Effect.fnUntraced(function* (
  settings: ModelSettings
): Effect.fn.Return<LanguageModel.Service, ModelUnavailable, Scope.Scope> {
  const apiKey = yield* keyOf(settings)
  const baseUrl = settings.baseUrl === undefined ? undefined : withoutTrailingSlashes(settings.baseUrl)
  const connection: Connection = { model: settings.model, baseUrl, apiKey, transformClient: guardClient }
  const api =
    settings.provider === "anthropic" ? "messages" : (settings.api ?? (baseUrl === undefined ? "responses" : "chat"))
  const protocol = yield* Effect.tryPromise({
    try: protocols[api],
    catch: (error) =>
      new ModelUnavailable({
        model: nameOf(settings),
        problem: missingPackage(error) ?? "the packages for this model cannot be loaded: install the packages again"
      })
  })
  const ask = yield* Effect.provide(protocol.make(connection), FetchHttpClient.layer)
  const bounded = yield* limitRequests(settings, modelErrors)
  return yield* makeModel((request) => bounded(ask(request)))
})

export const layer = (settings: ModelSettings): Layer.Layer<LanguageModel.LanguageModel, ModelUnavailable> =>
  Layer.scoped(LanguageModel.LanguageModel, make(settings))

/** Loaded on demand, because loading the packages takes half a second. */
const protocols = {
  responses: () => import("./openaiResponses.js"),
  chat: () => import("./openaiChat.js"),
  messages: () => import("./anthropicMessages.js")
}

const variables = { openai: "OPENAI_API_KEY", anthropic: "ANTHROPIC_API_KEY" }

/** The key. It is sent to a URL other than the provider's own only if `keyVariable` is set. */
const keyOf = (settings: ModelSettings): Effect.Effect<Redacted.Redacted | undefined, ModelUnavailable> => {
  const variable = settings.keyVariable ?? (settings.baseUrl === undefined ? variables[settings.provider] : undefined)
  if (variable === undefined) return Effect.succeed(undefined)
  return Effect.filterOrFail(
    readSecret(variable),
    (key) => key !== undefined,
    () => new ModelUnavailable({ model: nameOf(settings), problem: `${variable} is not set` })
  )
}
