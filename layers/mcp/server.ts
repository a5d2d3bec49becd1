import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext
} from "@modelcontextprotocol/server"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { InvalidInput } from "../../src/model/errors.js"
import type { Connection } from "./connection.js"
import { instructions } from "./instructions.js"
import { getPrompt, prompts } from "./prompts.js"
import { listResources, readResource, resourceTemplates } from "./resources.js"
import { failureOf, type Run } from "./run.js"
import type { Tool, ToolFailure } from "./Tool.js"
import { type ToolSet, toolSets } from "./tools/all.js"

declare const DAYBOOK_VERSION: string

/**
 * The key of a request's `_meta` that makes a write safe to repeat: a second call with the same value writes nothing
 * and gets the first answer.
 */
export const idempotencyKey = "daybook/idempotency-key"

export interface ServerOptions {
  readonly connection: Connection
  readonly run: Run
  readonly tools: ToolSet
}

/** Makes a server of the protocol for one connection. It supports every revision that the SDK supports. */
export const makeServer = ({ connection, run, tools: set }: ServerOptions): Server => {
  const { reader } = connection
  const tools = toolSets[set]
  const server = new Server(
    { name: "daybook", title: "Daybook", version: DAYBOOK_VERSION },
    { instructions, capabilities: { tools: {}, resources: {}, prompts: {} } }
  )
  const answered = async <A>(
    effect: Effect.Effect<A, ToolFailure | ProtocolError>,
    context: ServerContext
  ): Promise<A> => {
    const exit = await run(effect, context)
    if (Exit.isSuccess(exit)) return exit.value
    const failure = failureOf(exit.cause)
    if (failure instanceof ProtocolError) throw failure
    const isInvalid = failure instanceof InvalidInput
    const code = isInvalid ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, failure.message)
  }

  server.setRequestHandler("tools/list", () => ({ tools: tools.map(listed) }))
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool === undefined) {
      const names = tools.map(({ name }) => name).join(", ")
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `name: there is no such tool; use ${names}`)
    }
    const commandId = context.mcpReq._meta?.[idempotencyKey]
    if (commandId !== undefined && typeof commandId !== "string")
      return refused(`_meta.${idempotencyKey}: must be text`)
    const exit = await run(tool.call(params.arguments ?? {}, connection, { commandId }), context, tool.name)
    return Exit.isSuccess(exit)
      ? { content: [{ type: "text", text: exit.value.text }], structuredContent: exit.value.data }
      : refused(failureOf(exit.cause).message)
  })
  server.setRequestHandler("resources/list", ({ params }, context) =>
    answered(listResources(reader, params?.cursor), context)
  )
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }))
  server.setRequestHandler("resources/read", ({ params }, context) =>
    answered(readResource(reader, params.uri), context)
  )
  server.setRequestHandler("prompts/list", () => ({ prompts }))
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    answered(getPrompt(reader, params.name, params.arguments), context)
  )
  return server
}

const listed = ({ call: _, ...tool }: Tool) => ({ ...tool, annotations: { ...tool.annotations } })

/** The answer of a call that failed. A model reads it and can act on it. */
const refused = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] })
