import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { envelope, type ModelRequest, type ModelServerOptions, type Protocol, problemOf } from "./modelProtocols.js"

/** What the server does with one request. */
export type Behaviour =
  /** Answers with this value as the model's JSON, or with what it makes of the request; after so many milliseconds. */
  | { readonly answer: unknown | ((request: ModelRequest) => unknown); readonly delay?: number }
  /** Answers with this text as the model's. */
  | { readonly text: string }
  /** Answers that the model would not. */
  | { readonly refusal: string }
  /** Answers with what the model said before it reached its bound. */
  | { readonly cutOff: string }
  /** A status with headers and a body. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** A status of success and this body. */
  | { readonly raw: string }
  /** Says that more is to come, sends this and hangs up. */
  | { readonly truncated: string }
  /** Never answers. */
  | { readonly hang: true }
  /** Hangs up. */
  | { readonly reset: true }

export interface ModelServer {
  /** To be given as `baseUrl`; Anthropic's protocol is spoken below it too. */
  readonly url: string
  readonly requests: ReadonlyArray<ModelRequest>
  /** Why requests were refused that the real service would refuse. */
  readonly problems: ReadonlyArray<string>
  /** Requests that were under way at once, at most. */
  readonly most: () => number
  /** What it does next, request by request. */
  readonly next: (...behaviours: ReadonlyArray<Behaviour>) => void
  /** What it does when nothing is next; a 500 unless told otherwise. Requests are counted from 0. */
  readonly otherwise: (behaviour: Behaviour | ((request: ModelRequest, number: number) => Behaviour)) => void
}

/**
 * A server that speaks the protocols of language models as their documentation
 * tells (OpenAI's responses and chat completions, Anthropic's messages), refuses
 * what the real ones refuse, and behaves as it is told.
 */
export const modelServer = (options: ModelServerOptions): Effect.Effect<ModelServer, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly server: ModelServer; readonly close: () => void }>((resume) => {
        const queue: Array<Behaviour> = []
        const requests: Array<ModelRequest> = []
        const problems: Array<string> = []
        let fallback: Behaviour | ((request: ModelRequest, number: number) => Behaviour) = { status: 500 }
        let under = 0
        let most = 0
        const http = createServer((incoming, response) => {
          under++
          most = Math.max(most, under)
          response.on("close", () => under--)
          const chunks: Array<Buffer> = []
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
          incoming.on("end", () => {
            const request = requestOf(
              incoming.method ?? "",
              (incoming.url ?? "").replace(/\?.*/, ""),
              incoming.headers,
              chunks
            )
            requests.push(request)
            const problem = problemOf(request, options)
            if (problem !== undefined) {
              problems.push(problem.text)
              send(
                response,
                problem.status,
                JSON.stringify({ error: { type: "invalid_request_error", message: problem.text } })
              )
              return
            }
            const behaviour =
              queue.shift() ?? (typeof fallback === "function" ? fallback(request, requests.length - 1) : fallback)
            behave(request, response, behaviour)
          })
        })
        http.listen(0, "127.0.0.1", () => {
          const server: ModelServer = {
            url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
            requests,
            problems,
            most: () => most,
            next: (...behaviours) => queue.push(...behaviours),
            otherwise: (behaviour) => {
              fallback = behaviour
            }
          }
          const close = () => {
            http.close()
            http.closeAllConnections()
          }
          resume(Effect.succeed({ server, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ server }) => server
  )

const requestOf = (
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  chunks: ReadonlyArray<Buffer>
): ModelRequest => {
  const protocol: Protocol = path.endsWith("/messages")
    ? "messages"
    : path.endsWith("/responses")
      ? "responses"
      : "chat"
  const body = parsed(Buffer.concat(chunks).toString("utf8"))
  const said = (protocol === "responses" ? body?.input : body?.messages)?.at?.(-1)?.content
  const question = typeof said === "string" ? said : (said?.[0]?.text ?? "")
  const data = /BEGIN DATA\n([\s\S]*)\nEND DATA/.exec(question)?.[1]
  return { protocol, method, path, headers, body, question, data: data === undefined ? undefined : parsed(data) }
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
const parsed = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const send = (response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)

const behave = (request: ModelRequest, response: ServerResponse, behaviour: Behaviour): void => {
  const say = (text: string, end: "stop" | "length" | "refusal" = "stop") =>
    send(response, 200, JSON.stringify(envelope(request.protocol, request.body, text, end)))
  if ("hang" in behaviour) return
  if ("reset" in behaviour) {
    response.destroy()
    return
  }
  if ("truncated" in behaviour) {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": String(behaviour.truncated.length + 100)
    })
    response.write(behaviour.truncated, () => response.destroy())
    return
  }
  if ("status" in behaviour) {
    send(
      response,
      behaviour.status,
      behaviour.body ?? JSON.stringify({ error: { message: "told to fail" } }),
      behaviour.headers
    )
  } else if ("raw" in behaviour) send(response, 200, behaviour.raw)
  else if ("refusal" in behaviour) say(behaviour.refusal, "refusal")
  else if ("cutOff" in behaviour) say(behaviour.cutOff, "length")
  else if ("text" in behaviour) say(behaviour.text)
  else {
    const { answer, delay = 0 } = behaviour
    setTimeout(() => say(JSON.stringify(typeof answer === "function" ? answer(request) : answer)), delay)
  }
}
