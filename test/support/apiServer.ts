import { createServer } from "node:http"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { TrustLevel } from "../../events/Trust.js"
import { Caller } from "../../layers/access/Caller.js"
import { routes } from "../../layers/http/handlers/index.js"
import { Daybook } from "../../src/Daybook.js"

/** A token of a test names its level and its agents: `full:*`. */
export const tokenFor = (trust: TrustLevel, agents = "*") => `${trust}:${agents}`

const callers = HttpLayerRouter.middleware(
  (app) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const [, trust, agents] = /^Bearer (\w+):(.+)$/u.exec(decodeURIComponent(headers.authorization ?? "")) ?? []
      return trust === undefined || agents === undefined
        ? app
        : Effect.provideService(app, Caller, { trust: trust as TrustLevel, agents, token: "test" })
    }),
  { global: true }
)

/** Serves a memory system on a port of its own until the scope closes. Returns its URL. */
export const serve = (daybook: Context.Tag.Service<Daybook>): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = HttpLayerRouter.serve(Layer.mergeAll(routes, callers), {
      disableLogger: true,
      disableListenLog: true
    }).pipe(
      Layer.provide(Layer.succeed(Daybook, daybook)),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
    )
    const { address } = Context.get(yield* Layer.build(Layer.orDie(server)), HttpServer.HttpServer)
    return address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""
  })

/** A request: its method, its path with its query, its body and its headers. */
export type Call = readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>]

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
  readonly json: any
}

/** Sends requests with a token. A body that is a text is sent as it is. */
export const callerOf =
  (url: string, token = tokenFor("full")) =>
  (...[method, path, body, headers]: Call): Effect.Effect<Answer> =>
    Effect.promise(async (signal) => {
      const response = await fetch(url + path, {
        method,
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      const text = await response.text()
      const isJson = response.headers.get("content-type")?.includes("json") === true
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined }
    })
