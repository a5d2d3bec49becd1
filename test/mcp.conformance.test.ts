import { execFileSync } from "node:child_process"
import { createServer, request as forward, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import { newFolder, removeFolders, run } from "./support/cli.js"
import { startServer } from "./support/httpServer.js"
import { rounds } from "./support/size.js"

afterAll(removeFolders)

const conformance = join(import.meta.dirname, "..", "node_modules", "@modelcontextprotocol/conformance/dist/index.js")

/** Scenarios that pass. `warns`: the package reports only that an optional feature is absent. */
const passing = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection"
]
const warning = ["server-sse-polling", "server-sse-multiple-streams"]

const noTool = "there is no such tool"
const noPrompt = "there is no such prompt"
const noResource = "Resource not found: test:"
const notOffered = "Method not found"

/**
 * Scenarios that fail, each with its reason. They call tools, prompts and resources of the package's own test server, or
 * features that Daybook does not offer: logging, completion, subscriptions, sampling and elicitation.
 */
const failing: Readonly<Record<string, string>> = {
  "logging-set-level": notOffered,
  "completion-complete": notOffered,
  "tools-call-simple-text": noTool,
  "tools-call-image": noTool,
  "tools-call-audio": noTool,
  "tools-call-embedded-resource": noTool,
  "tools-call-mixed-content": noTool,
  "tools-call-with-logging": notOffered,
  "tools-call-error": noTool,
  "tools-call-with-progress": noTool,
  "tools-call-sampling": noTool,
  "tools-call-elicitation": noTool,
  "json-schema-2020-12": "Tool 'json_schema_2020_12_tool' not found",
  "elicitation-sep1034-defaults": noTool,
  "elicitation-sep1330-enums": noTool,
  "resources-read-text": noResource,
  "resources-read-binary": noResource,
  "resources-templates-read": noResource,
  "resources-subscribe": notOffered,
  "resources-unsubscribe": notOffered,
  "prompts-get-simple": noPrompt,
  "prompts-get-with-args": noPrompt,
  "prompts-get-embedded-resource": noPrompt,
  "prompts-get-with-image": noPrompt
}

/** The package cannot send a token, so this proxy adds it. A foreign Host and Origin go through as they are. */
const proxyTo = (url: string, token: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { port } = new URL(url)
      const ownName = /^(https?:\/\/)?(localhost|127\.0\.0\.1):\d+$/
      const renamed = (text = "") => (ownName.test(text) ? text.replace(/\d+$/, port) : text)
      const headersOf = ({ host, origin, ...headers }: IncomingHttpHeaders) => ({
        ...headers,
        authorization: `Bearer ${token}`,
        host: renamed(host),
        ...(origin === undefined ? {} : { origin: renamed(origin) })
      })
      const server = createServer((request, response) => {
        const { headers, method, url: path } = request
        const sent = forward({ host: "127.0.0.1", port, path, method, headers: headersOf(headers) }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
        })
        sent.on("error", () => response.destroy())
        response.on("close", () => sent.destroy())
        request.pipe(sent)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
  ).pipe(Effect.map((server) => `http://localhost:${(server.address() as AddressInfo).port}/mcp`))

describe("daybook serve and the official conformance tests", () => {
  it("know each scenario", () => {
    const listed = execFileSync(process.execPath, [conformance, "list", "--server"], { encoding: "utf8" })
    const names = [...listed.matchAll(/- ([\w-]+) \[/g)].map(([, name]) => name!)
    expect(names.sort()).toEqual([...passing, ...warning, ...Object.keys(failing)].sort())
  })

  const all = [...passing, ...warning, ...Object.keys(failing)]
  const scenarios = rounds({ quick: ["server-initialize", "dns-rebinding-protection", "tools-call-error"], full: all })
  it.scopedLive("agree on what passes, and on why the others do not", () =>
    Effect.gen(function* () {
      const { tokenFor, url } = yield* startServer()
      const { text } = yield* tokenFor("coop", "full")
      const target = yield* proxyTo(url, text)
      for (const scenario of scenarios) {
        const args = [conformance, "server", "--url", target, "--scenario", scenario, "-o", newFolder()]
        const { code, stderr, stdout } = yield* Effect.promise(() => run(process.execPath, args))
        const output = stdout + stderr
        const reason = failing[scenario]
        console.log(`${scenario}: ${reason ?? (warning.includes(scenario) ? "warned" : "passed")}`)
        if (reason !== undefined) {
          expect(code, scenario).not.toBe(0)
          expect(output, scenario).toContain(reason)
        } else {
          expect(code, output).toBe(0)
          expect(output, scenario).toMatch(
            warning.includes(scenario) ? /Passed: 0\/0, 0 failed, [1-9]/ : /Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/
          )
        }
      }
    })
  )
})
