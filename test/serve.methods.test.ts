import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startServer } from "./support/httpServer.js"

const server = Effect.gen(function* () {
  const { tokenFor, url } = yield* startServer()
  const { text } = yield* tokenFor("coop", "full")
  return (method: string, path: string) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${text}` } })
      const body = await response.text()
      return {
        status: response.status,
        allow: response.headers.get("allow"),
        json: body === "" ? undefined : JSON.parse(body)
      }
    })
})

describe("a path that has other methods", () => {
  it.scopedLive("answers 405 and names them; a path that no operation has is not found", () =>
    Effect.gen(function* () {
      const ask = yield* server
      for (const [method, path, allow] of [
        ["DELETE", "/search", "GET, HEAD, POST"],
        ["PUT", "/memories", "GET, HEAD, POST"],
        ["POST", "/memories/7vv404rqgd", "DELETE, GET, HEAD, PATCH"],
        ["DELETE", "/log/events", "GET, HEAD"],
        ["POST", "/openapi.json", "GET, HEAD"]
      ] as const) {
        const answer = yield* ask(method, path)
        expect(answer, `${method} ${path}`).toMatchObject({ status: 405, allow })
        expect(answer.json).toMatchObject({
          type: "urn:daybook:MethodNotAllowed",
          title: "MethodNotAllowed",
          status: 405
        })
      }
      expect((yield* ask("GET", "/stats?agent=coop")).status).toBe(200)
      expect((yield* ask("GET", "/nothing")).status).toBe(404)
    })
  )
})

describe("a list with a query", () => {
  it.scopedLive("has the order of hits, and refuses another one", () =>
    Effect.gen(function* () {
      const ask = yield* server
      expect((yield* ask("GET", "/memories?agent=coop&q=ferry&sort=score")).status).toBe(200)
      const refused = yield* ask("GET", "/memories?agent=coop&q=ferry&sort=created")
      expect(refused).toMatchObject({ status: 400, json: { title: "InvalidInput", error: { field: "sort" } } })
    })
  )
})
