import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  answerOf,
  baseOf,
  type Changes,
  type ProviderRequest,
  problemOf,
  type Service,
  serviceAt,
  textsIn
} from "./providerProtocols.js"
import { type Misbehaviour, send, sendPart, type ToldServer, toldServer } from "./toldServer.js"

/** What the server does with one request. */
export type Behaviour =
  | Misbehaviour
  /** Answers as it should, but for these changes; after so many milliseconds. */
  | ({ readonly answer: true; readonly delay?: number } & Changes)
  /** Sends the first half of its answer and hangs up. */
  | { readonly truncated: true }
  /** Never ends its answer. */
  | { readonly endless: true }

/** It answers unless told otherwise. */
export interface ProviderServer extends ToldServer<ProviderRequest, Behaviour> {
  /** The address of a service, as a policy names it. */
  readonly base: (service: Service) => string
}

/** A server that speaks the protocols of embedders and rerankers. */
export const providerServer = (key: string): Effect.Effect<ProviderServer, never, Scope.Scope> =>
  Effect.map(
    toldServer<ProviderRequest, Behaviour>({
      requestOf: (incoming) => {
        const service = serviceAt(incoming.path)
        return { ...incoming, service, texts: service === undefined ? [] : textsIn(service, incoming.body) }
      },
      problemOf: (request) => problemOf(request, key),
      // As they do: with what they were given.
      refusal: (text, { headers, texts }) => {
        const message = `${text}: ${headers.authorization} ${texts.join(" ")}`
        return { error: { message }, detail: message }
      },
      failure: ({ body, headers }) => ({ error: { message: JSON.stringify([headers, body]) } }),
      behave,
      otherwise: { answer: true }
    }),
    (server) => ({ ...server, base: (service) => `http://127.0.0.1:${server.port}${baseOf(service)}` })
  )

const behave = (
  request: ProviderRequest,
  response: ServerResponse,
  behaviour: Exclude<Behaviour, Misbehaviour>
): void => {
  if ("endless" in behaviour) {
    response.writeHead(200, { "content-type": "application/json" })
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(1 << 20)));
    }
    response.on("drain", more)
    more()
  } else if ("truncated" in behaviour) {
    const body = JSON.stringify(answerOf(request, {}))
    sendPart(response, body.slice(0, body.length >> 1), body.length)
  } else setTimeout(() => send(response, 200, answerOf(request, behaviour)), behaviour.delay ?? 0)
}
