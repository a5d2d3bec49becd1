import { join } from "node:path"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { describe, expect, it } from "@effect/vitest"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import { Client } from "../layers/client/index.js"
import * as Telemetry from "../layers/telemetry/index.js"
import { parseTraceparent } from "../layers/telemetry/traceContext.js"
import { Daybook } from "../src/Daybook.js"
import { open, temporaryFolder } from "./support/engine.js"
import { startServer } from "./support/httpServer.js"
import { clientAt, connect } from "./support/mcp.js"
import { linesOf } from "./support/traceFile.js"

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
const span = "00f067aa0ba902b7"
const traceparent = `00-${trace}-${span}-01`

/** The lines that work leaves, by name. */
const traceOf = <E>(work: Effect.Effect<unknown, E, never>) =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "trace.jsonl")
    yield* Effect.provide(work, Telemetry.layerFile({ file }))
    const lines = linesOf(file).filter(({ type }) => type === "span")
    return (name: string) => lines.filter((line) => line.name === name)
  })

describe("the trace context of W3C", () => {
  it("is read where it is whole, and ignored otherwise", () => {
    expect(parseTraceparent(traceparent)).toMatchObject({ traceId: trace, spanId: span, sampled: true })
    expect(parseTraceparent(`00-${trace}-${span}-00`)).toMatchObject({ sampled: false })
    expect(parseTraceparent(`cc-${trace}-${span}-01-what-comes-later`)).toMatchObject({ traceId: trace })
    for (const wrong of [
      "",
      `ff-${trace}-${span}-01`,
      `00-${"0".repeat(32)}-${span}-01`,
      `00-${trace}-${"0".repeat(16)}-01`,
      `00-${trace.toUpperCase()}-${span}-01`,
      `00-${trace}-${span}`,
      [traceparent],
      null
    ])
      expect(parseTraceparent(wrong)).toBeUndefined()
  })

  it.scopedLive("makes a client's span the parent of a request over HTTP, and of what it does", () =>
    Effect.gen(function* () {
      const find = yield* traceOf(
        Effect.scoped(
          Effect.gen(function* () {
            const { tokenFor, url } = yield* startServer()
            const { text: token } = yield* tokenFor("*", "full")
            const headers = { authorization: `Bearer ${token}`, traceparent }
            yield* Effect.promise(async () => (await fetch(`${url}/search?text=tea&agent=coop`, { headers })).text())
          })
        )
      )
      const [exchange] = find("HTTP GET")
      expect(exchange).toMatchObject({
        trace,
        parent: span,
        kind: "server",
        attributes: { "http.request.method": "GET", "http.response.status_code": 200, "http.route": "/search" }
      })
      expect(find("search_memory")[0]).toMatchObject({ trace, parent: exchange!.span })
    })
  )

  it.scopedLive("goes from the typed client to the server", () =>
    Effect.gen(function* () {
      const find = yield* traceOf(
        Effect.scoped(
          Effect.gen(function* () {
            const { tokenFor, url } = yield* startServer()
            const { text: token } = yield* tokenFor("*", "full")
            const remote = yield* Effect.provide(Client.make({ url, token }), FetchHttpClient.layer)
            yield* Effect.withSpan(remote.agent("coop").list(), "Program.ask")
          })
        )
      )
      const [asked] = find("Program.ask")
      expect(find("HTTP GET")[0]).toMatchObject({ trace: asked!.trace, parent: asked!.span })
    })
  )

  it.scopedLive("is read from the _meta of MCP, and otherwise from its HTTP request", () =>
    Effect.gen(function* () {
      const find = yield* traceOf(
        Effect.scoped(
          Effect.gen(function* () {
            const daybook = yield* open(yield* temporaryFolder)
            const client = yield* Effect.provideService(clientAt("full"), Daybook, daybook)
            yield* Effect.promise(() =>
              client.callTool({ name: "memory_people", arguments: {}, _meta: { traceparent } })
            )
            const { tokenFor, url } = yield* startServer({ wrap: () => daybook })
            const { text: token } = yield* tokenFor("coop", "full")
            const requestInit = { headers: { authorization: `Bearer ${token}` } }
            const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit })
            yield* Effect.promise(async () => {
              const overHttp = await connect(transport, "2026-07-28")
              await overHttp.callTool({ name: "memory_sessions", arguments: {} })
              await overHttp.close()
            })
          })
        )
      )
      const [people] = find("tools/call memory_people")
      expect(people).toMatchObject({
        trace,
        parent: span,
        attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": "memory_people" }
      })
      expect(find("read_memory")[0]).toMatchObject({ trace, parent: people!.span })
      const [sessions] = find("tools/call memory_sessions")
      expect(find("HTTP POST").map((line) => line.span)).toContain(sessions!.parent)
    })
  )
})
