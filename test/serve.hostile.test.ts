import { chmodSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
// The server loads it at the first request to /mcp, and a refusal must be fast.
import "../layers/mcp/http.js"
import type { Daybook } from "../src/Daybook.js"
import { rows } from "./support/hostileRequests.js"
import { requestBytes, sendRaw, startServer } from "./support/httpServer.js"
import { expectDuration } from "./support/size.js"

const canary = "Vorplenax"

type System = Context.Tag.Service<Daybook>

/** An engine that records each of its operations that is used, but for the probe of `/health`. */
const counting = () => {
  const calls: Array<string> = []
  const wrap = (daybook: System): System =>
    new Proxy(daybook, {
      get: (target, name: keyof System) => {
        if (name !== "health") calls.push(name)
        return target[name]
      }
    })
  return { calls, wrap }
}

describe("hostile requests", () => {
  it("are at least 60", () => expect(rows.length).toBeGreaterThanOrEqual(60))

  it.scopedLive("read no row and write no event", () =>
    Effect.gen(function* () {
      const { calls, wrap } = counting()
      // All come from one address, so the limit of failures would answer most of them.
      const { daybook, port, tokenFor } = yield* startServer({
        wrap,
        limits: { failureRate: 1_000, failureBurst: 1_000 }
      })
      for (const agent of ["coop", "other"]) {
        const memory = yield* daybook.agent(agent, { trust: "full" })
        yield* memory.remember({ title: canary, type: "note" })
        // Otherwise its vector would be stored meanwhile.
        yield* daybook.backfill(agent)
      }
      const token = yield* tokenFor("coop", "full")
      const before = yield* daybook.agents
      for (const [name, parts, ...statuses] of rows) {
        const bytes = typeof parts === "function" ? parts(port, token.text) : requestBytes(port, token.text, parts)
        const startedAt = performance.now()
        const usageBefore = process.cpuUsage()
        const answer = yield* Effect.promise(() => sendRaw(port, bytes))
        expectDuration(`a refusal of ${name}`, performance.now() - startedAt, 100)
        // No turn of the event loop takes longer than all of them, the client's among them. Other processes add no CPU time.
        const { system, user } = process.cpuUsage(usageBefore)
        expectDuration(`the CPU time of ${name}`, (system + user) / 1_000, 50)
        expect(statuses, `${name}: ${answer.headers} ${answer.body}`).toContain(answer.status)
        expect(answer.headers + answer.body, name).not.toContain(canary)
        expect(answer.headers, name).not.toMatch(/access-control-allow/i)
      }
      // The last two bodies are JSON: an operation takes its memory, and refuses them before it reads.
      expect(calls).toEqual(["agent", "agent"])
      expect(yield* daybook.agents).toEqual(before)
      // The same request without anything hostile is answered.
      const served = yield* Effect.promise(() =>
        sendRaw(port, requestBytes(port, token.text, { path: "/stats?agent=coop" }))
      )
      expect(served).toMatchObject({ status: 200 })
      expect(calls).toEqual(["agent", "agent", "stats"])
    })
  )

  it.scopedLive("get no answer while tokens cannot be checked", () =>
    Effect.gen(function* () {
      const { folder, port, tokenFor } = yield* startServer()
      const token = yield* tokenFor("coop", "full")
      const ask = Effect.promise(() => sendRaw(port, requestBytes(port, token.text, { path: "/stats?agent=coop" })))
      const file = join(folder, "tokens.jsonl")
      expect((yield* ask).status).toBe(200)
      chmodSync(file, 0o640)
      const refused = yield* ask
      expect(refused.status).toBe(503)
      expect(refused.headers).toMatch(/retry-after: \d+/i)
      chmodSync(file, 0o600)
      expect((yield* ask).status).toBe(200)
    })
  )
})
