import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
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

/** What the server does with one request. */
export type Behaviour =
  /** Answers as it should, but for these changes; after so many milliseconds. */
  | ({ readonly answer: true; readonly delay?: number } & Changes)
  /** A status with headers and a body. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** A status of success and this body. */
  | { readonly raw: string }
  /** Sends the first half of its answer and hangs up. */
  | { readonly truncated: true }
  /** Never ends its answer. */
  | { readonly endless: true }
  | { readonly hang: true }
  /** Hangs up. */
  | { readonly reset: true }

export interface ProviderServer {
  /** The address of a service, as a policy names it. */
  readonly base: (service: Service) => string
  readonly requests: ReadonlyArray<ProviderRequest>
  /** Why requests were refused that the real service would refuse. */
  readonly problems: ReadonlyArray<string>
  /** Requests that were under way at once, at most. */
  readonly most: () => number
  /** What it does next, request by request. */
  readonly next: (...behaviours: ReadonlyArray<Behaviour>) => void
  /** What it does when nothing is next; it answers unless told otherwise. Requests are counted from 0. */
  readonly otherwise: (behaviour: (request: ProviderRequest, number: number) => Behaviour) => void
}

/** A server that speaks the protocols of embedders and rerankers, refuses what the real ones refuse, and behaves as it is told. */
export const providerServer = (key: string): Effect.Effect<ProviderServer, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly server: ProviderServer; readonly close: () => void }>((resume) => {
        const queue: Array<Behaviour> = []
        const requests: Array<ProviderRequest> = []
        const problems: Array<string> = []
        let fallback: (request: ProviderRequest, number: number) => Behaviour = () => ({ answer: true })
        let under = 0
        let most = 0
        const http = createServer((incoming, response) => {
          under++
          most = Math.max(most, under)
          response.on("close", () => under--)
          const chunks: Array<Buffer> = []
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
          incoming.on("end", () => {
            const { headers, method = "", url: path = "" } = incoming
            const service = serviceAt(path)
            const body = parsed(Buffer.concat(chunks).toString("utf8"))
            const texts = service === undefined ? [] : textsIn(service, body)
            const request = { service, method, path, headers, body, texts }
            requests.push(request)
            const problem = problemOf(request, key)
            if (problem !== undefined) {
              problems.push(problem.text)
              // As they do: with what they were given.
              const message = `${problem.text}: ${headers.authorization} ${texts.join(" ")}`
              send(response, problem.status, JSON.stringify({ error: { message }, detail: message }))
              return
            }
            behave(request, response, queue.shift() ?? fallback(request, requests.length - 1))
          })
        })
        http.listen(0, "127.0.0.1", () => {
          const server: ProviderServer = {
            base: (service) => `http://127.0.0.1:${(http.address() as AddressInfo).port}${baseOf(service)}`,
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

const behave = (request: ProviderRequest, response: ServerResponse, behaviour: Behaviour): void => {
  if ("hang" in behaviour) return
  if ("reset" in behaviour) {
    response.destroy()
    return
  }
  if ("status" in behaviour) {
    const echo = JSON.stringify({ error: { message: JSON.stringify([request.headers, request.body]) } })
    send(response, behaviour.status, behaviour.body ?? echo, { "x-echo": "1", ...behaviour.headers })
    return
  }
  if ("raw" in behaviour) {
    send(response, 200, behaviour.raw)
    return
  }
  if ("endless" in behaviour) {
    response.writeHead(200, { "content-type": "application/json" })
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(1 << 20)));
    }
    response.on("drain", more)
    more()
    return
  }
  if ("truncated" in behaviour) {
    const body = JSON.stringify(answerOf(request, {}))
    response.writeHead(200, { "content-type": "application/json", "content-length": String(body.length) })
    response.write(body.slice(0, body.length >> 1), () => response.destroy())
    return
  }
  setTimeout(() => send(response, 200, JSON.stringify(answerOf(request, behaviour))), behaviour.delay ?? 0)
}
