import * as http from "node:http"
import { type AddressInfo, isIP } from "node:net"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpLayerRouter from "@effect/platform/HttpLayerRouter"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type AnySpan, ParentSpan } from "effect/Tracer"
import { errorCodeOf } from "../../events/errors.js"
import type { TrustLevel } from "../../events/Trust.js"
import { Daybook } from "../../src/Daybook.js"
import { failureName } from "../../src/model/failureNames.js"
import { Caller } from "../access/Caller.js"
import * as TokenFile from "../access/TokenFile.js"
import type { Background } from "../background.js"
import type { HttpHandler } from "../mcp/http.js"
import { methodsOf } from "./api/methods.js"
import { makeConnections } from "./connections.js"
import { makeGuard } from "./guard.js"
import { defaultLimits, type ServerLimits } from "./guardLimits.js"
import { documentPaths, routes } from "./handlers/index.js"
import { makeHealth } from "./health.js"
import { problemMembers, problemType } from "./problemDetails.js"
import { traceExchange } from "./traceExchange.js"

export interface ServeOptions {
  /** The data folder, for its token file. */
  readonly folder: string
  /** Default: 127.0.0.1, which other machines cannot reach. */
  readonly host?: string | undefined
  /** Default: 8787. 0 takes any free port. */
  readonly port?: number | undefined
  /** The agents that the server serves, as a pattern; default: every agent that a token permits. */
  readonly agents?: string | undefined
  /** The highest trust level of a request; default: full. */
  readonly trust?: TrustLevel | undefined
  /** Host names by which clients may reach the server, in addition to `localhost` and the connection's address. */
  readonly hostNames?: ReadonlyArray<string> | undefined
  readonly limits?: Partial<ServerLimits> | undefined
  /** The background work that `/health` reports on. */
  readonly background?: Context.Tag.Service<Background> | undefined
}

/** A running server. */
export interface Server {
  readonly url: string
  readonly port: number
}

/** The server cannot listen: for example, the port is in use, or the address does not belong to this machine. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Number,
  /** The system's error code. */
  code: Schema.String
}) {
  override get message() {
    const problem =
      this.code === "EADDRINUSE"
        ? "the port is in use: pass another --port"
        : this.code === "EACCES"
          ? "this user may not open the port: pass a --port above 1023"
          : `${this.code}: check --host`
    return `cannot listen on ${this.host}:${this.port}: ${problem}`
  }
}

export const defaultPort = 8_787

/**
 * Serves the HTTP interface while the scope is open. At the end, the server refuses further requests, ends event
 * streams, and waits for the requests in progress.
 */
export const serve = Effect.fnUntraced(function* (
  options: ServeOptions
): Effect.fn.Return<Server, CannotListen, Daybook | Scope.Scope> {
  const limits = { ...defaultLimits, ...options.limits }
  const runtime = yield* Effect.runtime<Daybook>()
  const tokens = TokenFile.open(options.folder)
  const health = yield* makeHealth({ background: options.background })
  const api = yield* makeApi
  const mcp = yield* makeMcp
  let lastWarning = ""
  const onError = (error: Error) =>
    void Runtime.runFork(runtime)(Effect.logError("the server failed", { code: errorCodeOf(error) }))
  const guard = makeGuard({
    tokens,
    limits,
    rules: { names: hostNamesOf(options) },
    agents: options.agents ?? "*",
    trust: options.trust ?? "full",
    isPublic: (path) => publicPaths.has(path),
    onUnavailable: ({ message }) => {
      if (message !== lastWarning) Runtime.runFork(runtime)(Effect.logWarning(message))
      lastWarning = message
    }
  })
  const connections = makeConnections({
    guard,
    limits,
    isValid: tokens.isValid,
    onFailure: (error) =>
      void Runtime.runFork(runtime)(Effect.logError("a request failed", { failure: failureName(error) })),
    answer: (path, request, caller, isClosing) =>
      path === "/health"
        ? Runtime.runPromise(runtime)(Effect.map(health(isClosing), healthResponse))
        : Runtime.runPromise(runtime)(
            traceExchange(request, (parent) =>
              path === "/mcp" && caller !== undefined
                ? mcp(request, caller, Context.getOption(parent as Context.Context<ParentSpan>, ParentSpan))
                : api(request, caller === undefined ? parent : Context.add(parent, Caller, caller))
            )
          )
  })
  return yield* listen({ ...options, connected: guard.queue.connected, connections, limits, onError })
})

/** The host name of the option `host` is permitted. An IP address is permitted only for connections to that address. */
const hostNamesOf = ({ host = "localhost", hostNames = [] }: ServeOptions): ReadonlySet<string> =>
  new Set([...(isIP(host) === 0 ? [host] : []), ...hostNames].map((name) => name.toLowerCase()))

/** Paths that need no token: their answers contain no content of any memory. */
const publicPaths = new Set(["/health", ...documentPaths])

const healthResponse = (health: { readonly ready: boolean }): Response =>
  Response.json(health, { status: health.ready ? 200 : 503 })

/** Makes a function that answers web requests with the operations. */
const makeApi = Effect.gen(function* () {
  const services = Layer.merge(HttpServer.layerContext, Layer.succeed(Daybook, yield* Daybook))
  // The router's own spans are disabled: they contain URLs and headers, and so texts of searches. See `traceExchange`.
  const runtime = yield* Effect.locally(Layer.toRuntime(services), HttpMiddleware.currentTracerDisabledWhen, () => true)
  const app = yield* Effect.provide(HttpLayerRouter.toHttpEffect(routes), runtime)
  const answer = HttpApp.toWebHandlerRuntime(runtime)(app)
  // The handler accepts additional services for each request, although its type does not name them.
  return async (request: Request, context: Context.Context<Caller> | Context.Context<never>): Promise<Response> => {
    const methods = methodsOf(new URL(request.url).pathname)
    return methods.length === 0 || methods.includes(request.method)
      ? answer(request, context as Context.Context<never>)
      : wrongMethod(methods.join(", "))
  }
})

/** Needed because the router itself would answer a wrong method like a path that does not exist. */
const wrongMethod = (allow: string): Response =>
  Response.json(problemMembers(405, "MethodNotAllowed", `the method is not allowed: use one of ${allow}`), {
    status: 405,
    headers: { "content-type": problemType, allow }
  })

/** The streamable HTTP transport of MCP. Its packages are loaded at its first request. */
const makeMcp = Effect.gen(function* () {
  const runtime = yield* Effect.runtime<Daybook>()
  let handler: Promise<HttpHandler> | undefined
  yield* Effect.addFinalizer(() => Effect.promise(async () => (await handler)?.close()))
  return async (
    request: Request,
    caller: Context.Tag.Service<Caller>,
    parent: Option.Option<AnySpan>
  ): Promise<Response> => {
    handler ??= import("../mcp/http.js").then(({ makeHttpHandler }) => Runtime.runPromise(runtime)(makeHttpHandler()))
    return (await handler).handle(request, caller, Option.getOrUndefined(parent))
  }
})

interface ListenOptions extends Pick<ServeOptions, "host" | "port"> {
  readonly connections: ReturnType<typeof makeConnections>
  readonly limits: ServerLimits
  readonly connected: () => void
  /** Receives an error after the start, such as too many open files. Without a listener, it would end the process. */
  readonly onError: (error: Error) => void
}

const listen = ({
  connected,
  connections,
  host = "127.0.0.1",
  limits,
  onError,
  port = defaultPort
}: ListenOptions): Effect.Effect<Server, CannotListen, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<http.Server, CannotListen>((resume) => {
      const server = http.createServer({
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.headersTime,
        requestTimeout: limits.requestTime,
        connectionsCheckingInterval: Math.min(1_000, limits.headersTime / 2),
        requireHostHeader: true
      })
      server.maxConnections = limits.connections
      server.maxHeadersCount = limits.headers
      server.timeout = limits.idleTime
      server.keepAliveTimeout = limits.keepAliveTime
      server.on("connection", connected)
      server.on("request", (request, response) => connections.handle(request, response))
      server.on("checkContinue", (request, response) => connections.handle(request, response))
      server.once("error", (error) => resume(Effect.fail(new CannotListen({ host, port, code: errorCodeOf(error) }))))
      server.listen(port, host, () => {
        server.removeAllListeners("error").on("error", onError)
        resume(Effect.succeed(server))
      })
    }),
    (server) => Effect.promise(() => connections.close(server))
  ).pipe(
    Effect.map((server) => {
      const { address, family, port } = server.address() as AddressInfo
      return { port, url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}` }
    })
  )
