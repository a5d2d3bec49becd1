import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TokenFile from "../layers/access/TokenFile.js"
import { makeGuard } from "../layers/http/guard.js"
import { checkJson } from "../layers/http/guardBody.js"
import { defaultLimits } from "../layers/http/guardLimits.js"
import { makeRateLimiter } from "../layers/http/guardRate.js"
import { CannotListen } from "../layers/http/serve.js"
import type { Daybook } from "../src/Daybook.js"
import { temporaryFolder } from "./support/engine.js"
import { requestBytes, type StartOptions, sendRaw, startServer } from "./support/httpServer.js"

type System = Context.Tag.Service<Daybook>

const path = "/stats?agent=coop"

/** A server whose requests for statistics wait until `gate` opens. */
const gated = (options: StartOptions = {}) =>
  Effect.gen(function* () {
    const gate = yield* Effect.makeLatch(false)
    let waiting = 0
    const wrap = (daybook: System): System => ({
      ...daybook,
      stats: (agent) =>
        Effect.suspend(() => {
          waiting++
          return Effect.zipRight(gate.await, daybook.stats(agent))
        })
    })
    const server = yield* startServer({ ...options, wrap })
    const token = yield* server.tokenFor("coop", "full")
    const get = (from = token.text) =>
      Effect.promise(() => sendRaw(server.port, requestBytes(server.port, from, { path })))
    const reached = (count: number): Effect.Effect<void> =>
      Effect.suspend(() => (waiting >= count ? Effect.void : Effect.zipRight(Effect.sleep(5), reached(count))))
    return { ...server, gate, get, reached, token }
  })

const statuses = (answers: ReadonlyArray<{ readonly status: number }>) =>
  answers.map(({ status }) => status).sort((a, b) => a - b)

describe("a server", () => {
  it.scopedLive("answers health and its definition without a token, and nothing else", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer()
      const ask = (path: string) =>
        Effect.promise(() => sendRaw(port, requestBytes(port, "", { path, headers: { authorization: null } })))
      const health = yield* ask("/health")
      expect(health.status).toBe(200)
      expect(health.body).toContain('"status":"ok"')
      for (const path of ["/stats", "/memories", "/search", "/log", "/mcp", "/", "/health/x", "/Health", "/health%2f"])
        expect((yield* ask(path)).status, path).toBe(401)
    })
  )

  it.scopedLive("serves no agent beyond its own pattern, and nobody above its own level", () =>
    Effect.gen(function* () {
      const { port, tokenFor } = yield* startServer({ agents: "team-*", trust: "inner" })
      const all = yield* tokenFor("*", "full")
      const status = (agent: string) =>
        Effect.map(
          Effect.promise(() => sendRaw(port, requestBytes(port, all.text, { path: `/search?agent=${agent}&text=x` }))),
          ({ status }) => status
        )
      expect(yield* status("coop")).toBe(403)
      expect(yield* status("team-a")).toBe(200)
      const operator = yield* Effect.promise(() =>
        sendRaw(port, requestBytes(port, all.text, { path: "/stats?agent=team-a" }))
      )
      expect(operator.status).toBe(403)
    })
  )

  it.scopedLive("refuses a revoked token from the next request on", () =>
    Effect.gen(function* () {
      const { gate, get, token, tokens } = yield* gated()
      yield* gate.open
      expect((yield* get()).status).toBe(200)
      yield* tokens.revoke(token.id)
      expect((yield* get()).status).toBe(401)
    })
  )

  it.scopedLive("says that its port is in use", () =>
    Effect.gen(function* () {
      const { daybook, folder, port } = yield* startServer()
      const { serve } = yield* Effect.promise(() => import("../layers/http/serve.js"))
      const { Daybook } = yield* Effect.promise(() => import("../src/Daybook.js"))
      const failure = yield* Effect.flip(Effect.provideService(serve({ folder, port }), Daybook, daybook))
      expect(failure).toBeInstanceOf(CannotListen)
      expect(failure.message).toBe(`cannot listen on 127.0.0.1:${port}: the port is in use: pass another --port`)
    })
  )
})

describe("a busy server", () => {
  it.scopedLive("answers 429 above the share of a token and 503 above its own, with Retry-After, and recovers", () =>
    Effect.gen(function* () {
      const { gate, get, reached, tokenFor } = yield* gated({ limits: { inProgress: 4, inProgressOfToken: 3 } })
      const other = yield* tokenFor("coop", "full")
      const held = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 3 }, () => get()),
          { concurrency: 3 }
        )
      )
      yield* reached(3)
      const mine = yield* get()
      expect(mine.status).toBe(429)
      expect(mine.headers).toMatch(/retry-after: \d+/i)
      const heldOfOther = yield* Effect.fork(get(other.text))
      yield* reached(4)
      const full = yield* get(other.text)
      expect(full.status).toBe(503)
      expect(full.headers).toMatch(/retry-after: \d+/i)
      yield* gate.open
      expect(statuses([...(yield* Fiber.join(held)), yield* Fiber.join(heldOfOther)])).toEqual([200, 200, 200, 200])
      expect((yield* get()).status).toBe(200)
    })
  )

  it.scoped("refuses requests that arrive together and wait too long, until a turn of the event loop finds none", () =>
    Effect.gen(function* () {
      const tokens = TokenFile.open(yield* temporaryFolder)
      const { text } = yield* tokens.add({ agents: "coop", trust: "inner" })
      const guard = makeGuard({
        tokens,
        limits: { ...defaultLimits, queueTime: 10, burstTime: 10 },
        rules: { names: new Set(["localhost"]) },
        agents: "*",
        trust: "full",
        isPublic: () => false,
        onUnavailable: () => {}
      })
      const headers = { host: "localhost", authorization: `Bearer ${text}` }
      const headersDistinct = { host: ["localhost"], authorization: [headers.authorization] }
      const given = { headers, headersDistinct, rawHeaders: Object.entries(headers).flat() }
      const request = { method: "GET", url: path, httpVersion: "1.1", ...given, socket: {} } as never
      const admitted = () => !("status" in guard.admit(request, "/stats"))
      expect([admitted(), admitted()]).toEqual([true, true])
      const until = performance.now() + 20
      while (performance.now() < until);
      // The first one that waited too long is still admitted, so that some always are.
      expect(admitted()).toBe(true)
      const answered = performance.now() + 200
      while (performance.now() < answered);
      expect(admitted()).toBe(false)
      const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.zipRight(turn, turn)
      expect(admitted()).toBe(true)
    })
  )

  it.scopedLive("answers 429 above the rate of a token, and to attempts without a valid one", () =>
    Effect.gen(function* () {
      const { gate, get, tokenFor } = yield* gated({
        limits: { rate: 0.001, burst: 3, failureRate: 0.001, failureBurst: 2 }
      })
      yield* gate.open
      const other = yield* tokenFor("coop", "full")
      const wrong = yield* Effect.all(Array.from({ length: 4 }, () => get("x")))
      expect(statuses(wrong)).toEqual([401, 401, 429, 429])
      // Wrong attempts from the same address do not lock out a valid token.
      expect(statuses(yield* Effect.all(Array.from({ length: 5 }, () => get())))).toEqual([200, 200, 200, 429, 429])
      expect((yield* get(other.text)).status).toBe(200)
    })
  )

  it.scopedLive("ends an answer that takes too long with 503", () =>
    Effect.gen(function* () {
      const { get } = yield* gated({ limits: { answerTime: 50 } })
      const answer = yield* get()
      expect(answer.status).toBe(503)
      expect(answer.body).toContain("Idempotency-Key")
    })
  )

  it.scopedLive("closes connections that send slowly, and serves others meanwhile", () =>
    Effect.gen(function* () {
      const { gate, get, port, token } = yield* gated({ limits: { headersTime: 300, requestTime: 600 } })
      yield* gate.open
      const starts = [
        "",
        "GET /stats HT",
        `GET /stats HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-a: `,
        requestBytes(port, token.text, {
          method: "POST",
          path: "/memories",
          body: "{",
          headers: { "content-length": "50" }
        })
      ]
      const slow = yield* Effect.fork(
        Effect.forEach(starts, (start) => Effect.promise(() => trickle(port, start)), { concurrency: "unbounded" })
      )
      expect((yield* get()).status).toBe(200)
      for (const answer of yield* Fiber.join(slow)) expect(answer).toMatch(/^$|^HTTP\/1\.1 40[08]/)
    })
  )

  it.scopedLive("takes only so many connections, and new ones when others end", () =>
    Effect.gen(function* () {
      const { gate, get, port } = yield* gated({ limits: { connections: 5 } })
      yield* gate.open
      const sockets = yield* Effect.promise(() => Promise.all(Array.from({ length: 5 }, () => connected(port))))
      expect((yield* get()).status).toBe(0)
      for (const socket of sockets) socket.destroy()
      yield* Effect.sleep(50)
      expect((yield* get()).status).toBe(200)
    })
  )
})

const connected = (port: number) =>
  new Promise<ReturnType<typeof connect>>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket))
    socket.on("error", () => {})
  })

/** Sends a first part, then a byte at a time until the server closes the connection. Returns what it answered. */
const trickle = async (port: number, start: string | Buffer): Promise<string> => {
  const socket = await connected(port)
  let received = ""
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text
  })
  socket.write(start)
  const timer = setInterval(() => socket.write("a"), 50)
  await new Promise((resolve) => socket.on("close", resolve))
  clearInterval(timer)
  return received
}

describe("an event stream", () => {
  /** Opens the stream of the log's events. Resolves when the first part of it is here. */
  const opened = (port: number, token: string) =>
    Effect.promise(async () => {
      const socket = await connected(port)
      let received = ""
      const ended = new Promise<string>((resolve) => socket.on("close", () => resolve(received)))
      socket.write(requestBytes(port, token, { path: "/log/events?agent=coop" }))
      await new Promise<void>((resolve) =>
        socket.setEncoding("utf8").on("data", (text: string) => {
          received += text
          if (/event: ADD/.test(received) || !received.startsWith("HTTP/1.1 200")) resolve()
        })
      )
      return { ended, status: Number(received.slice(9, 12)) }
    })

  const following = (options: StartOptions = {}) =>
    Effect.gen(function* () {
      const server = yield* startServer(options)
      const memory = yield* server.daybook.agent("coop", { trust: "full" })
      yield* memory.remember({ title: "apple" })
      return { ...server, token: yield* server.tokenFor("coop", "full") }
    })

  it.scopedLive("ends when its token is revoked", () =>
    Effect.gen(function* () {
      const { port, token, tokens } = yield* following()
      const { ended, status } = yield* opened(port, token.text)
      expect(status).toBe(200)
      yield* tokens.revoke(token.id)
      yield* Effect.promise(() => ended)
    })
  )

  it.scopedLive("ends with the server, which does not wait for it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { port, token } = yield* Scope.extend(following({ limits: { drainTime: 60_000 } }), scope)
      const { ended } = yield* opened(port, token.text)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => ended)
    })
  )

  it.scopedLive("takes no place among the requests in progress, and is refused above its own limit", () =>
    Effect.gen(function* () {
      const { port, token } = yield* following({ limits: { inProgress: 1, streams: 2 } })
      for (let number = 0; number < 2; number++) expect((yield* opened(port, token.text)).status).toBe(200)
      expect((yield* opened(port, token.text)).status).toBe(503)
    })
  )

  it.scopedLive("of another token has room while one token has its share", () =>
    Effect.gen(function* () {
      const { port, token, tokenFor } = yield* following({ limits: { streams: 3, streamsOfToken: 2 } })
      for (let number = 0; number < 2; number++) expect((yield* opened(port, token.text)).status).toBe(200)
      expect((yield* opened(port, token.text)).status).toBe(429)
      expect((yield* opened(port, (yield* tokenFor("coop", "full")).text)).status).toBe(200)
    })
  )
})

describe("the end of a server", () => {
  it.scopedLive("waits for requests in progress and takes no further ones", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { gate, get, reached } = yield* Scope.extend(gated(), scope)
      const held = yield* Effect.fork(get())
      yield* reached(1)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* Effect.sleep(20)
      expect((yield* get()).status).toBe(0)
      expect(yield* Fiber.poll(closing)).toMatchObject({ _tag: "None" })
      yield* gate.open
      expect((yield* Fiber.join(held)).status).toBe(200)
      yield* Fiber.join(closing)
    })
  )

  it.scopedLive("does not wait for a request that never ends", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { get, reached } = yield* Scope.extend(gated({ limits: { drainTime: 50 } }), scope)
      const held = yield* Effect.fork(get())
      yield* reached(1)
      yield* Scope.close(scope, Exit.void)
      expect((yield* Fiber.join(held)).status).toBe(0)
    })
  )
})

describe("a rate limiter", () => {
  it("gives its burst at once, then its rate", () => {
    const limiter = makeRateLimiter({ burst: 3, rate: 2 })
    expect([0, 0, 0, 0].map((at) => limiter.take("a", at))).toEqual([undefined, undefined, undefined, 1])
    expect(limiter.take("b", 0)).toBeUndefined()
    expect([500, 500, 1_000, 60_000, 60_000, 60_000, 60_000].map((at) => limiter.take("a", at) ?? 0)).toEqual([
      0, 1, 0, 0, 0, 0, 1
    ])
  })
})

describe("the check of a body", () => {
  const check = (text: string, limits = {}) => checkJson(Buffer.from(text), { ...defaultLimits, ...limits })?.detail
  it.each([
    ['{"a":[1,2,{"b":"}]"}]}', undefined],
    ['"[[[[[[[[["', undefined],
    ['"\\"[[[[[[[["', undefined],
    ["[[[[]]]]", "the body is nested deeper than 3 levels"],
    ["[1,2,3,4,5,6,7,8,9,10]", "the body has more than 10 values"],
    ["{", "the body is not JSON in UTF-8"],
    ["]", "the body is not JSON in UTF-8"],
    ['"\\', "the body is not JSON in UTF-8"]
  ])("of %s: %s", (text, detail) => expect(check(text, { jsonDepth: 3, jsonValues: 10 })).toBe(detail))
})
