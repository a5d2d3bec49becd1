import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import { answerOf, build, bundle, newFolder, removeFolders, spawnDaybook } from "./support/cli.js"
import { attributesOf, collector } from "./support/collector.js"
import { call, connect } from "./support/mcp.js"
import { eventually } from "./support/quiet.js"
import { serving } from "./support/serving.js"
import { linesOf } from "./support/traceFile.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

/** Words that occur nowhere else. Whatever is written, asked or named holds one of them. */
const words = { title: "Zyxquill", person: "Mirandolf", tag: "wexlonby", query: "Quebnarth", session: "Drovanik" }

/** Gives the end of a command twenty times its time, because a test must not depend on how busy the machine is. */
const patience = `const start = setTimeout
globalThis.setTimeout = (work, millis, ...args) => start(work, millis >= 500 ? 20 * millis : millis, ...args)`

const patient = (): Record<string, string> => {
  const file = join(newFolder(), "preload.cjs")
  writeFileSync(file, patience)
  return { NODE_OPTIONS: `--require ${file}` }
}

/** The built command on a data folder, in a process of its own. */
const daybookIn =
  (data: string, env: Record<string, string>) =>
  (args: ReadonlyArray<string>, input = "") =>
    Effect.promise(() =>
      spawnDaybook(["--data", data, "--agent", "coop", ...args], { env: { ...patient(), ...env }, input })
    )

const endpoint = (url: string, more: Record<string, string> = {}) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more })

describe("OTLP of the command line", () => {
  it.scopedLive("sends the spans and metrics of a command, with the headers and the name, and no text", () =>
    Effect.gen(function* () {
      const { bodies, metricNames, spans, url } = yield* collector()
      const more = { OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20key, x-other = b=c", OTEL_SERVICE_NAME: "harbour" }
      const daybook = daybookIn(join(newFolder(), "data"), endpoint(`${url}/`, more))
      const { person, query, session, tag, title } = words
      const written = yield* daybook(["remember", `${title} met ${person}`, "--tag", tag, "--session", session])
      expect(written).toMatchObject({ code: 0, stderr: "" })
      expect((yield* daybook(["search", `${query} ${title}`])).stdout).toContain(title)
      expect((yield* daybook(["get", query])).code).toBe(1)
      const hook = { session_id: session, cwd: `/home/ida/${query}`, prompt: title }
      expect(yield* daybook(["hook", "session-start"], JSON.stringify(hook))).toMatchObject({ code: 0, stderr: "" })
      const names = spans().map(({ name }) => name)
      for (const name of ["daybook remember", "upsert_memory", "daybook search", "daybook get", "daybook hook"])
        expect(names).toContain(name)
      const command = spans().find(({ name }) => name === "daybook search")!
      const search = spans().find(({ name }) => name === "search_memory")!
      expect(search).toMatchObject({ traceId: command.traceId, parentSpanId: command.spanId })
      expect(attributesOf(search)).toMatchObject({ "daybook.method": "Memory.search", agent: "coop" })
      expect(metricNames()).toContain("daybook_operation_millis")
      for (const { headers, text } of bodies) {
        expect(JSON.parse(headers)).toMatchObject({ "x-key": "a key", "x-other": "b=c" })
        expect(text).toContain('"harbour"')
        for (const word of Object.values(words))
          expect(`${headers}${text}`.toLowerCase()).not.toContain(word.toLowerCase())
      }
    })
  )

  it.scopedLive("sends those of serve and mcp, which wait for the collector at their end", () =>
    Effect.gen(function* () {
      const { bodies, spans, url } = yield* collector({ delay: 600 })
      const data = join(newFolder(), "data")
      const served = yield* Effect.promise(() => serving(data, [], { ...patient(), ...endpoint(url) }))
      const token = yield* daybookIn(data, {})(["--json", "token", "add", "--trust", "full"])
      const headers = { authorization: `Bearer ${answerOf(token).token}` }
      yield* Effect.promise(() => fetch(`${served.url}/search?text=${words.query}`, { headers }))
      served.child.kill("SIGTERM")
      expect(yield* Effect.promise(() => served.ended)).toBe(0)
      expect(spans().map(({ name }) => name)).toContain("HTTP GET")
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [bundle, "--data", data, "mcp"],
        env: { ...(process.env as Record<string, string>), ...patient(), ...endpoint(url) }
      })
      const client = yield* Effect.promise(() => connect(transport, "2026-07-28"))
      yield* Effect.promise(() => call(client, "memory_search", { query: words.query }))
      yield* Effect.promise(() => client.close())
      expect(spans().map(({ name }) => name)).toContain("tools/call memory_search")
      expect(bodies.map(({ text }) => text).join("\n")).not.toContain(words.query)
    })
  )

  it.scopedLive("is named by the policy too; the variable comes first, and OTEL_SDK_DISABLED ends both", () =>
    Effect.gen(function* () {
      const [own, other] = [yield* collector(), yield* collector()]
      const data = join(newFolder(), "data")
      mkdirSync(data, { mode: 0o700 })
      writeFileSync(join(data, "policy.toml"), `[trace]\notlp = "${own.url}"\n`)
      yield* daybookIn(data, {})(["remember", "The ferry leaves at noon"])
      expect(own.spans().map(({ name }) => name)).toContain("daybook remember")
      const sent = own.bodies.length
      yield* daybookIn(data, endpoint(other.url))(["list"])
      expect(other.spans().map(({ name }) => name)).toContain("daybook list")
      for (const env of [{}, endpoint(other.url)]) {
        const before = other.bodies.length
        yield* daybookIn(data, { ...env, OTEL_SDK_DISABLED: "True" })(["list"])
        expect([own.bodies.length, other.bodies.length]).toEqual([sent, before])
      }
      writeFileSync(join(data, "policy.toml"), '[trace]\notlp = "localhost:4318"\n')
      const { code, stdout, stderr } = yield* daybookIn(data, {})(["check"])
      expect(code).not.toBe(0)
      expect(`${stdout}${stderr}`).toContain("trace.otlp: must be an http or https address")
    })
  )

  it.scopedLive("goes to a collector and a trace file at once, with the same ids", () =>
    Effect.gen(function* () {
      const { spans, url } = yield* collector()
      const folder = newFolder()
      const file = join(folder, "trace.jsonl")
      const daybook = daybookIn(join(folder, "data"), endpoint(url, { DAYBOOK_TRACE_FILE: file }))
      expect((yield* daybook(["remember", "The ferry leaves at noon"])).code).toBe(0)
      const ids = linesOf(file).flatMap(({ span, type }) => (type === "span" ? [span] : []))
      expect(ids.length).toBeGreaterThan(2)
      expect(new Set(spans().map(({ spanId }) => spanId))).toEqual(new Set(ids))
      expect(linesOf(file).filter(({ type }) => type === "event")).toHaveLength(
        spans().flatMap(({ events }) => events).length
      )
    })
  )

  it.scopedLive("warns of a collector that does not take it, and the command ends as without one", () =>
    Effect.gen(function* () {
      const data = join(newFolder(), "data")
      const silent = yield* collector({ delay: 60_000 })
      // Its port accepts no HTTP: each connection is closed at once.
      const closing = createServer((socket) => socket.destroy())
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void closing.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => closing.close())
      )
      yield* daybookIn(data, {})(["remember", "The ferry leaves at noon"])
      const took = (env: Record<string, string>) =>
        Effect.gen(function* () {
          const startedAt = performance.now()
          const { code, stderr, stdout } = yield* daybookIn(data, { ...env, NODE_OPTIONS: "" })(["search", "ferry"])
          expect(code).toBe(0)
          expect(stdout).toContain("The ferry leaves at noon")
          return { stderr, millis: performance.now() - startedAt }
        })
      const without = yield* took({})
      const warning = "daybook: warning: the collector did not accept the last telemetry, requests 2, reason"
      for (const [url, reason] of [
        ["http://127.0.0.1:9", "no connection"],
        [`http://127.0.0.1:${(closing.address() as { port: number }).port}`, "no connection"],
        [silent.url, "no answer in time"]
      ] as const) {
        const expected = `${warning} ${reason}\n`
        // On a busy machine, the 500 ms may end before a refused connection is noticed.
        const { millis, stderr } = yield* eventually(took(endpoint(url)), (answer) => answer.stderr === expected)
        expect(stderr).toBe(expected)
        // 500 ms are documented. A retry of the exporter would take a second more; the rest is for a busy machine.
        expect(millis).toBeLessThan(without.millis + 5_000)
      }
    })
  )

  it.scopedLive("says which variable is wrong in one line that does not quote it, and goes on without", () =>
    Effect.gen(function* () {
      const { bodies, url } = yield* collector()
      const data = join(newFolder(), "data")
      const wrong: ReadonlyArray<readonly [string, Record<string, string>]> = [
        ["OTEL_EXPORTER_OTLP_ENDPOINT", endpoint("localhost:4318")],
        ["OTEL_EXPORTER_OTLP_ENDPOINT", endpoint(url.replace("//", `//ida:${words.query}@`))],
        ["OTEL_EXPORTER_OTLP_PROTOCOL", endpoint(url, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })],
        ["OTEL_EXPORTER_OTLP_HEADERS", endpoint(url, { OTEL_EXPORTER_OTLP_HEADERS: words.query })],
        ["OTEL_EXPORTER_OTLP_HEADERS", endpoint(url, { OTEL_EXPORTER_OTLP_HEADERS: `x-key=${words.query}%0d%0aa: b` })]
      ]
      for (const [name, env] of wrong) {
        const { code, stderr } = yield* daybookIn(data, env)(["remember", "The ferry leaves at noon"])
        expect(code).toBe(0)
        expect(stderr).toMatch(
          new RegExp(`^daybook: warning: telemetry: ${name} must be .*; nothing is sent to a collector\n$`)
        )
        expect(stderr).not.toContain(words.query)
      }
      expect(bodies).toEqual([])
    })
  )
})
