import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A request as it came, its body parsed; undefined where it is no JSON. */
export interface Incoming {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  readonly body: any
}

/** What any server of these may be told to do with a request. */
export type Misbehaviour =
  /** A status with headers and a body. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** A status of success and this body. */
  | { readonly raw: string }
  /** Never answers. */
  | { readonly hang: true }
  /** Hangs up. */
  | { readonly reset: true }

export interface ToldServer<Request, Behaviour> {
  readonly port: number
  readonly requests: ReadonlyArray<Request>
  /** Why requests were refused that the real service would refuse. */
  readonly problems: ReadonlyArray<string>
  /** Requests that were under way at once, at most. */
  readonly most: () => number
  /** What it does next, request by request. */
  readonly next: (...behaviours: ReadonlyArray<Behaviour>) => void
  /** What it does when nothing is next. Requests are counted from 0. */
  readonly otherwise: (behaviour: Behaviour | ((request: Request, number: number) => Behaviour)) => void
}

interface Service<Request, Behaviour extends object> {
  readonly requestOf: (incoming: Incoming) => Request
  /** What the real service would refuse in a request, and how. */
  readonly problemOf: (request: Request) => { readonly status: number; readonly text: string } | undefined
  readonly refusal: (text: string, request: Request) => object
  /** The body of a status that names none. */
  readonly failure: (request: Request) => object
  readonly behave: (request: Request, response: ServerResponse, behaviour: Exclude<Behaviour, Misbehaviour>) => void
  /** Until it is told otherwise. */
  readonly otherwise: Behaviour
}

/** A server that refuses what a real service refuses, and behaves as it is told. */
export const toldServer = <Request, Behaviour extends object>(
  service: Service<Request, Behaviour>
): Effect.Effect<ToldServer<Request, Behaviour>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly server: ToldServer<Request, Behaviour>; readonly close: () => void }>((resume) => {
        const queue: Array<Behaviour> = []
        const requests: Array<Request> = []
        const problems: Array<string> = []
        let fallback: Behaviour | ((request: Request, number: number) => Behaviour) = service.otherwise
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
            const body = parsed(Buffer.concat(chunks).toString("utf8"))
            const request = service.requestOf({ method, path, headers, body })
            requests.push(request)
            const problem = service.problemOf(request)
            if (problem !== undefined) {
              problems.push(problem.text)
              send(response, problem.status, service.refusal(problem.text, request))
              return
            }
            const behaviour =
              queue.shift() ?? (typeof fallback === "function" ? fallback(request, requests.length - 1) : fallback)
            if ("hang" in behaviour) return
            if ("reset" in behaviour) response.destroy()
            else if ("raw" in behaviour) send(response, 200, String(behaviour.raw))
            else if ("status" in behaviour) {
              const { body, headers, status } = behaviour as Extract<Misbehaviour, { readonly status: number }>
              send(response, status, body ?? service.failure(request), headers)
            } else service.behave(request, response, behaviour as Exclude<Behaviour, Misbehaviour>)
          })
        })
        http.listen(0, "127.0.0.1", () => {
          const server: ToldServer<Request, Behaviour> = {
            port: (http.address() as AddressInfo).port,
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
export const parsed = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Answers with JSON: a value, or a body as it is. */
export const send = (
  response: ServerResponse,
  status: number,
  body: object | string,
  headers: Readonly<Record<string, string>> = {}
): void => {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(typeof body === "string" ? body : JSON.stringify(body))
}

/** Sends so much of an answer that is said to be longer, and hangs up. */
export const sendPart = (response: ServerResponse, part: string, length: number): void => {
  response.writeHead(200, { "content-type": "application/json", "content-length": String(length) })
  response.write(part, () => response.destroy())
}
