import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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
})
