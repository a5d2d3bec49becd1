import { createMcpHandler } from "@modelcontextprotocol/server"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Runtime from "effect/Runtime"
import type { AnySpan } from "effect/Tracer"
import { Daybook } from "../../src/Daybook.js"
import type { InvalidInput } from "../../src/model/errors.js"
import { refuseUnknownOptions } from "../../src/model/filters.js"
import { type Caller, canUse, defaultAgentOf } from "../access/Caller.js"
import { problemMembers, problemType } from "../http/problemDetails.js"
import { type Connection, openConnection } from "./connection.js"
import { makeRun } from "./run.js"
import { makeServer } from "./server.js"
import { checkToolSet, type ToolSet } from "./tools/all.js"

export interface HttpOptions {
  /** Default: `all`. */
  readonly tools?: ToolSet | undefined
}

/** Answers requests of the streamable HTTP transport. */
export interface HttpHandler {
  /**
   * Answers one request. The parameter `agent` of its URL names the agent. Default: the caller's only agent, or
   * `default` if the caller may use several. The program must already have checked the token, Host, Origin and size.
   */
  readonly handle: (
    request: Request,
    caller: Context.Tag.Service<Caller>,
    /** The span of the request. */
    parent?: AnySpan
  ) => Promise<Response>
  /** Ends requests in progress. */
  readonly close: () => Promise<void>
}

/**
 * Makes the handler of `/mcp`. It keeps no sessions: each request is served separately, at the level of its caller and
 * in its own revision of the protocol. Fails with `InvalidInput` for an unknown option or set of tools.
 */
export const makeHttpHandler = Effect.fnUntraced(function* (
  options: HttpOptions = {}
): Effect.fn.Return<HttpHandler, InvalidInput, Daybook> {
  yield* refuseUnknownOptions(options, ["tools"])
  const tools = yield* checkToolSet(options.tools ?? "all")
  const daybook = yield* Daybook
  const runtime = yield* Effect.runtime<never>()
  const handler = createMcpHandler(({ authInfo }) => {
    const { connection, parent } = authInfo!.extra as { readonly connection: Connection; readonly parent?: AnySpan }
    return makeServer({ connection, run: makeRun(runtime, parent), tools })
  })
  return {
    handle: async (request, caller, parent) => {
      const unknown = [...new URL(request.url).searchParams.keys()].find((name) => name !== "agent")
      // If the parameter `agent` is misspelt, the model would otherwise write to another agent.
      if (unknown !== undefined)
        return problem(400, "InvalidInput", `${unknown}: is not a parameter of /mcp: use \`agent\``)
      const agent = agentOf(request, caller)
      if (!canUse(caller, agent)) {
        return problem(
          403,
          "AgentForbidden",
          `agent: the token does not permit this agent; add \`?agent=NAME\` to the URL, with a name that matches ${caller.agents}`
        )
      }
      const { token, trust } = caller
      const opened = await Runtime.runPromise(runtime)(
        Effect.either(openConnection(daybook, { agent, trust, actor: `token:${token}/mcp` }))
      )
      if (Either.isLeft(opened)) return problem(400, opened.left._tag, opened.left.message)
      return handler.fetch(request, {
        authInfo: { token, clientId: token, scopes: [], extra: { connection: opened.right, parent } }
      })
    },
    close: () => handler.close()
  }
})

const agentOf = (request: Request, caller: Context.Tag.Service<Caller>): string =>
  new URL(request.url).searchParams.get("agent") || defaultAgentOf(caller)

/** A refusal outside the protocol, as problem details. */
const problem = (status: 400 | 403, title: string, detail: string): Response =>
  Response.json(problemMembers(status, title, detail), { status, headers: { "content-type": problemType } })
