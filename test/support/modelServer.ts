import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { envelope, type ModelRequest, type ModelServerOptions, type Protocol, problemOf } from "./modelProtocols.js"
import { type Incoming, type Misbehaviour, parsed, send, sendPart, type ToldServer, toldServer } from "./toldServer.js"

/** What the server does with one request. */
export type Behaviour =
  | Misbehaviour
  /** Answers with this value as the model's JSON, or with what it makes of the request; after so many milliseconds. */
  | { readonly answer: unknown | ((request: ModelRequest) => unknown); readonly delay?: number }
  /** Answers with this text as the model's. */
  | { readonly text: string }
  /** Answers that the model would not. */
  | { readonly refusal: string }
  /** Answers with what the model said before it reached its bound. */
  | { readonly cutOff: string }
  /** Says that more is to come, sends this and hangs up. */
  | { readonly truncated: string }

/** It fails with a 500 unless told otherwise. */
export interface ModelServer extends ToldServer<ModelRequest, Behaviour> {
  /** To be given as `baseUrl`; Anthropic's protocol is spoken below it too. */
  readonly url: string
}

/**
 * A server that speaks the protocols of language models as their documentation
 * tells (OpenAI's responses and chat completions, Anthropic's messages).
 */
export const modelServer = (options: ModelServerOptions): Effect.Effect<ModelServer, never, Scope.Scope> =>
  Effect.map(
    toldServer<ModelRequest, Behaviour>({
      requestOf,
      problemOf: (request) => problemOf(request, options),
      refusal: (message) => ({ error: { type: "invalid_request_error", message } }),
      failure: () => ({ error: { message: "told to fail" } }),
      behave,
      otherwise: { status: 500 }
    }),
    (server) => ({ ...server, url: `http://127.0.0.1:${server.port}/v1` })
  )

const requestOf = ({ body, headers, method, path: whole }: Incoming): ModelRequest => {
  const path = whole.replace(/\?.*/, "")
  const protocol: Protocol = path.endsWith("/messages")
    ? "messages"
    : path.endsWith("/responses")
      ? "responses"
      : "chat"
  const said = (protocol === "responses" ? body?.input : body?.messages)?.at?.(-1)?.content
  const question = typeof said === "string" ? said : (said?.[0]?.text ?? "")
  const data = /BEGIN DATA\n([\s\S]*)\nEND DATA/.exec(question)?.[1]
  return { protocol, method, path, headers, body, question, data: data === undefined ? undefined : parsed(data) }
}

const behave = (request: ModelRequest, response: ServerResponse, behaviour: Exclude<Behaviour, Misbehaviour>): void => {
  const say = (text: string, end: "stop" | "length" | "refusal" = "stop") =>
    send(response, 200, envelope(request.protocol, request.body, text, end))
  if ("truncated" in behaviour) sendPart(response, behaviour.truncated, behaviour.truncated.length + 100)
  else if ("refusal" in behaviour) say(behaviour.refusal, "refusal")
  else if ("cutOff" in behaviour) say(behaviour.cutOff, "length")
  else if ("text" in behaviour) say(behaviour.text)
  else {
    const { answer, delay = 0 } = behaviour
    setTimeout(() => say(JSON.stringify(typeof answer === "function" ? answer(request) : answer)), delay)
  }
}
