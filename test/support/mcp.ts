import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { expect } from "vitest"
import type { TrustLevel } from "../../events/Trust.js"
import type { Caller } from "../../layers/access/Caller.js"
import { type HttpHandler, type HttpOptions, makeHttpHandler } from "../../layers/mcp/http.js"
import { toolSets } from "../../layers/mcp/tools/all.js"
import type { Daybook } from "../../src/Daybook.js"

/** A revision of the protocol that a client speaks. */
export type Revision = "2026-07-28" | "2025-11-25" | "2025-06-18" | "2025-03-26" | "2024-11-05"

/** Connects the official client. A revision before 2026-07-28 begins with the handshake of that time. */
export const connect = async (transport: Transport, revision: Revision): Promise<Client> => {
  const info = { name: "test", version: "1.0.0" }
  const client =
    revision === "2026-07-28"
      ? new Client(info, { versionNegotiation: { mode: { pin: revision } } })
      : new Client(info, { supportedProtocolVersions: [revision] })
  await client.connect(transport)
  return client
}

export const callerAt = (trust: TrustLevel, agents = "coop"): Context.Tag.Service<Caller> => ({
  agents,
  trust,
  token: "t1"
})

/** A transport that passes requests to a handler in this process. */
export const transportTo = (
  { handle }: HttpHandler,
  caller: Context.Tag.Service<Caller>,
  url = "http://127.0.0.1/mcp"
): Transport =>
  new StreamableHTTPClientTransport(new URL(url), { fetch: (url, init) => handle(new Request(url, init), caller) })

/** Connects a client to the memory of agent `coop`, in this process. */
export const clientAt = (
  trust: TrustLevel,
  { revision = "2026-07-28", ...options }: HttpOptions & { readonly revision?: Revision } = {}
): Effect.Effect<Client, never, Daybook | Scope.Scope> =>
  Effect.flatMap(Effect.orDie(makeHttpHandler(options)), (handler) =>
    Effect.acquireRelease(
      Effect.promise(() => connect(transportTo(handler, callerAt(trust)), revision)),
      (client) => Effect.promise(() => client.close())
    )
  )

/** The answer of a tool, as a client gets it. */
export interface Answer {
  readonly isError: boolean
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly data: any
}

/** Calls a tool. The client checks the answer against the tool's output schema. */
export const call = async (
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options: { readonly key?: string; readonly signal?: AbortSignal } = {}
): Promise<Answer> => {
  const { key, ...rest } = options
  const _meta = key === undefined ? {} : { _meta: { "daybook/idempotency-key": key } }
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args, ..._meta }, rest)
  const [block] = content
  return { isError: isError === true, text: block?.type === "text" ? block.text : "", data: structuredContent }
}

/** Calls every tool once, in an order in which each finds something. Answers by tool. */
export const callAll = async (client: Client): Promise<ReadonlyMap<string, Answer>> => {
  const answers = new Map<string, Answer>()
  const use = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const answer = await call(client, name, args)
    expect(answer.isError, `${name}: ${answer.text}`).toBe(false)
    answers.set(name, answer)
    return answer.data
  }
  const { id } = await use("memory_write", {
    title: "Deploys happen on Tuesdays",
    type: "decision",
    facts: ["deploy day: Tuesday"],
    people: ["Alice Moreau"]
  })
  await use("memory_search", { query: "when do we deploy", types: ["decision"], store: "shared", limit: 3 })
  await use("memory_timeline", { anchor: id, before: 2, after: 2 })
  await use("memory_get", { ids: [id] })
  await use("memory_update", { id, title: "Deploys happen on Thursdays" })
  await use("memory_history", { id })
  await use("memory_why", { id })
  await use("memory_people", { name: "alice" })
  await use("memory_sessions", {})
  await use("memory_context", { message: "When do we deploy?", tokens: 500 })
  const note = await use("note_save", { content: "Fenders hang in shed four", tags: ["gear"] })
  await use("note_search", { query: "fenders", tags: ["gear"] })
  await use("note_update", { id: note.id, content: "Fenders hang in shed five" })
  await use("note_delete", { id: note.id })
  await use("scratchpad_write", { session: "monday", items: ["goal: deploy"] })
  await use("scratchpad_read", { session: "monday" })
  await use("scratchpad_clear", { session: "monday" })
  await use("memory_forget", { id })
  expect([...answers.keys()].sort()).toEqual(toolSets.all.map(({ name }) => name).sort())
  return answers
}
