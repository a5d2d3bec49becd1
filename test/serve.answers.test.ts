import http from "node:http"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { StorageError } from "../events/errors.js"
import { requestBytes, sendRaw, startServer } from "./support/httpServer.js"

describe("an answer of the server", () => {
  it.scopedLive("to HEAD is that to GET, without the body", () =>
    Effect.gen(function* () {
      const { tokenFor, url } = yield* startServer()
      const { text } = yield* tokenFor("coop", "full")
      const ask = (method: string) =>
        Effect.promise(() =>
          fetch(`${url}/memories?agent=coop`, { method, headers: { authorization: `Bearer ${text}` } })
        )
      const [get, head] = yield* Effect.all([ask("GET"), ask("HEAD")])
      const headersOf = ({ headers }: Response) =>
        [...headers].filter(([name]) => !["connection", "date", "keep-alive"].includes(name))
      expect(head.status).toBe(200)
      expect(headersOf(head)).toEqual(headersOf(get))
      expect(yield* Effect.promise(() => head.text())).toBe("")
      expect(yield* Effect.promise(() => get.text())).not.toBe("")
    })
  )

  it.scopedLive("says how long its connection stays open for the next request", () =>
    Effect.gen(function* () {
      const { url } = yield* startServer({ limits: { keepAliveTime: 7_000 } })
      const { headers } = yield* Effect.promise(() => fetch(`${url}/health`))
      expect(headers.get("keep-alive")).toBe("timeout=7")
    })
  )

  it.scopedLive("says when to retry if the engine cannot take a request now", () =>
    Effect.gen(function* () {
      const busy = new StorageError({ kind: "busy", where: "log.db", code: "SQLITE_BUSY" })
      const { port, tokenFor } = yield* startServer({
        wrap: (daybook) => ({ ...daybook, stats: () => Effect.fail(busy) })
      })
      const { text } = yield* tokenFor("coop", "full")
      const answer = yield* Effect.promise(() => sendRaw(port, requestBytes(port, text, { path: "/stats?agent=coop" })))
      expect(answer.status).toBe(503)
      expect(answer.headers).toMatch(/retry-after: 1/i)
      expect(answer.body).toContain("try again")
    })
  )

  it.scopedLive("that a defect cuts is logged by its kind; one that the client leaves is not", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ annotations, message }) => {
        lines.push(JSON.stringify([message, [...annotations]]))
      })
      const { daybook, tokenFor, url } = yield* startServer({
        wrap: (system) => ({
          ...system,
          log: (agent, ...rest) =>
            agent === "broken" ? Stream.die(new RangeError("kestrel-7781")) : system.log(agent, ...rest)
        })
      }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      yield* Effect.flatMap(daybook.agent("coop", { trust: "full" }), (memory) => memory.remember({ title: "pier" }))
      const { text } = yield* tokenFor("*", "full")
      const open = (agent: string) =>
        fetch(`${url}/log/events?agent=${agent}`, { headers: { authorization: `Bearer ${text}` } })
      const left = yield* Effect.promise(async () => {
        const reader = (await open("coop")).body!.getReader()
        const { done } = await reader.read()
        await reader.cancel()
        return done
      })
      expect(left).toBe(false)
      yield* Effect.sleep("700 millis")
      expect(lines.filter((line) => line.includes("failed"))).toEqual([])
      // `fetch` of Node 22 takes a cut answer for a complete one if the connection was to be closed after it.
      const isComplete = yield* Effect.promise(
        () =>
          new Promise<boolean>((resolve) => {
            const headers = { authorization: `Bearer ${text}` }
            http.get(`${url}/log/events?agent=broken`, { headers }, (answer) => {
              answer.on("error", () => undefined).on("close", () => resolve(answer.complete))
              answer.resume()
            })
          })
      )
      expect(isComplete).toBe(false)
      yield* Effect.sleep("100 millis")
      expect(lines.join()).toMatch(/a request failed.*RangeError/)
      expect(lines.join()).not.toContain("kestrel-7781")
    })
  )
})
