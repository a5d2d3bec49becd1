import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { openApi } from "../layers/http/api/openApi.js"
import { type Answer, type Call, callerOf, serve, tokenFor } from "./support/apiServer.js"
import { fresh } from "./support/engine.js"
import { type Asked, histories, perform } from "./support/histories.js"
import { lawRuns, rounds } from "./support/size.js"

const document = openApi() as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters: ReadonlyArray<Parameter> }>>>>
}

interface Parameter {
  readonly name: string
  readonly in: string
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters }]) => ({
    path: path.replaceAll(/\{\w+\}/g, "none"),
    method: method.toUpperCase(),
    parameters: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name)
  }))
)

const canary = "kestrel-7781"

/** Bodies that no operation takes as they are. */
const bodies: ReadonlyArray<unknown> = [
  null,
  5,
  canary,
  [],
  [canary, null, 5],
  {},
  { title: 5, content: 5, text: 5, session: [canary], goal: {}, items: canary, ids: canary, name: 5, path: 5 },
  { ids: [canary, 5], choice: canary, status: canary, digest: canary, tool: 5, policy: canary, from: canary },
  { event: canary, run: 5, source: canary },
  { questions: canary, dimensions: canary, reconcile: canary, policy: { reconcile: canary } },
  "{",
  `{"title": "${canary}`
]

/** Names that echo what the caller sent to find something: an id, a session, a path. */
const found = /not found|no such|unknown embedder|nothing to undo|there is no/i

describe("a request that an operation cannot take", () => {
  it.scopedLive("is told what the operation takes, in the words of HTTP", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const call = callerOf(yield* serve(daybook))
      const detail = (...request: Call) => Effect.map(call(...request), ({ json }) => json.detail as string)
      const misspelt = yield* detail("GET", "/memories?limt=3")
      expect(misspelt).toMatch(/^limt: is not a known option: use /)
      for (const name of ["agent", "asOf", "record", "q", "layer", "cursor", "types"]) expect(misspelt).toContain(name)
      expect(yield* detail("GET", "/memories?q=ferry&type=decision")).not.toMatch(/\btext\b/)
      expect(yield* detail("GET", "/search?q=ferry")).toMatch(/^q: is not a known option: use .*\btext\b/)
      expect(yield* detail("GET", "/memories?layer=lng")).toBe("layer: must be one of core, long, mid, daily")
      expect(yield* detail("GET", "/memories?after=1795546226824")).toBe(
        "after: is not a date: use an ISO 8601 time, such as 2026-03-14T09:30:00Z"
      )
      expect(yield* detail("POST", "/memories", {})).toMatch(/^content: is missing/)
      expect(yield* detail("POST", "/memories", { contnt: "x" })).toMatch(/^contnt: /)
      expect(yield* detail("POST", "/memories", { content: "The ferry", tag: "sea" })).toMatch(
        /^tag: is not a known field: use title, .*tags/
      )
      expect(yield* detail("POST", "/turns", { session: "a", text: "b", speeker: "c" })).toMatch(
        /^speeker: is not a known field: use session, .*speaker/
      )
    })
  )

  it.scopedLive("is a problem of the request, names no text, and writes nothing", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const call = callerOf(yield* serve(daybook))
      const faults: Array<readonly [method: string, path: string, input: unknown, answer: string]> = []
      const check = (method: string, path: string, input: unknown, { json, status, text }: Answer) => {
        const isEcho = status !== 404 && text.includes(canary) && !found.test(json?.detail)
        if (status >= 500 || (status >= 400 && isEcho)) faults.push([method, path, input, text])
      }
      // A short run sends a part of the requests, another one for each operation.
      const share = rounds({ quick: 10, full: 1, ci: 4 })
      let sent = 0
      const isChosen = () => sent++ % share === 0
      for (const { method, parameters, path } of operations) {
        for (const body of method === "GET" ? [] : bodies)
          if (isChosen()) check(method, path, body, yield* call(method, path, body))
        const unknown = `${parameters.at(-1)}x`
        const refused = yield* call(method, `${path}?${unknown}=1`, method === "GET" ? undefined : {})
        if (refused.json?.title !== "InvalidInput") faults.push([method, path, unknown, refused.text])
        for (const name of path === "/log/events" ? ["after"] : parameters) {
          for (const query of [`${name}=${canary}`, `${name}=1&${name}=2`, `${name}=`, name]) {
            if (!isChosen() || (path === "/log/events" && !query.includes(canary))) continue
            const body = method === "GET" ? undefined : {}
            check(method, path, query, yield* call(method, `${path}?${query}`, body))
          }
        }
      }
      expect(faults).toEqual([])
      expect((yield* call("GET", "/memories?agent=kestrel-7781")).json.items).toEqual([])
    })
  )

  it.scopedLive("is refused without a caller, for another agent, and below full trust", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const url = yield* serve(daybook)
      const [nobody, team, inner] = [
        callerOf(url, "none"),
        callerOf(url, tokenFor("full", "team-*")),
        callerOf(url, tokenFor("inner", "coop"))
      ]
      for (const { method, path } of operations) {
        const body = method === "GET" || method === "DELETE" ? undefined : {}
        const query = path === "/verify" ? "?all=true" : ""
        expect([path, (yield* nobody(method, path, body)).json.title]).toEqual([path, "NoCaller"])
        if (path !== "/agents")
          expect([path, (yield* team(method, `${path}${query}`, body)).json.title]).toEqual([path, "AgentForbidden"])
      }
      expect((yield* team("GET", "/memories?agent=team-1")).status).toBe(200)
      // A token for one agent needs no parameter.
      expect((yield* inner("POST", "/memories", { content: "The ferry leaves at noon" })).status).toBe(200)
      expect((yield* daybook.agents).map(({ name }) => name)).toEqual(["coop"])
      // The list of agents needs no agent, and names those of the token.
      yield* callerOf(url)("POST", "/memories?agent=team-1", { content: "The pier is closed" })
      const listed = (yield* team("GET", "/agents")).json.items.map(({ name }: { name: string }) => name)
      expect(listed).toEqual(["team-1"])
      for (const [query, field] of [
        ["limit=-1", "limit"],
        ["limit=many", "limit"],
        ["offset=-1", "offset"]
      ] as const)
        expect((yield* callerOf(url)("GET", `/agents?${query}`)).json.error).toMatchObject({
          _tag: "InvalidInput",
          field
        })
      for (const [method, path, body] of [
        ["GET", "/stats"],
        ["GET", "/log"],
        ["GET", "/log/events"],
        ["GET", "/verify"],
        ["GET", "/agents"],
        ["POST", "/erasures", { person: "Anna" }],
        ["POST", "/erasures?all=true", { person: "Anna", dryRun: true }],
        ["GET", "/erasures"],
        ["GET", "/views/digests"],
        ["POST", "/views/rebuild"],
        ["POST", "/what-if", {}],
        ["POST", "/undo", { event: 1 }],
        ["POST", "/gc"],
        ["POST", "/sessions/refresh?session=s1"],
        ["POST", "/recalls/flush"],
        ["POST", "/embedders/backfill"]
      ] as ReadonlyArray<Call>)
        expect([path, (yield* inner(method, path, body)).json.title]).toEqual([path, "TrustRequired"])
      // The whole installation is for tokens for every agent.
      const one = callerOf(url, tokenFor("full", "coop"))
      for (const [method, path, body] of [
        ["GET", "/verify?all=true"],
        ["POST", "/erasures?all=true", { person: "Anna" }],
        ["GET", "/erasures?all=true"]
      ] as ReadonlyArray<Call>)
        expect([path, (yield* one(method, path, body)).json.title]).toEqual([path, "AgentForbidden"])
    })
  )
})

describe("an erasure over HTTP", () => {
  it.scopedLive("that selects nothing, or twice, is refused with the names of its parameters", () =>
    Effect.gen(function* () {
      const call = callerOf(yield* serve((yield* fresh()).daybook))
      for (const body of [{ dryRun: true }, { person: "Anna", session: "monday" }]) {
        const { json } = yield* call("POST", "/erasures?agent=coop", body)
        expect(json.detail).toBe("erase: must have exactly one of ids, person, persons, session, source, everything")
      }
    })
  )
})

const start = Date.parse("2026-03-14T06:00:00Z")

/** What a lower level asks. */
const questions = [
  "/memories",
  "/memories?q=tea",
  "/memories?layer=mid&limit=3",
  "/search?text=green%20tea",
  "/search/explain?text=green%20tea",
  "/people",
  "/decisions",
  "/profile",
  "/context?session=monday&at=2026-03-14T06:00:00Z",
  "/sessions",
  "/turns?session=monday",
  "/turns/search?text=tea",
  "/sessions/summaries",
  "/sessions/messages?session=monday",
  "/files",
  "/notes",
  "/notes/search?text=tea",
  "/scratchpad?session=monday",
  "/archive",
  "/stats",
  "/log",
  "/memories/0000000000/why"
]

/** The same with a query in the body. */
const questionBodies: ReadonlyArray<readonly [string, object]> = [
  ["/search", { text: "green tea" }],
  ["/search/explain", { text: "green tea" }],
  ["/context", { session: "monday", message: "green tea", at: "2026-03-14T06:00:00Z" }],
  ["/turns/search", { text: "tea" }],
  ["/turns/search/explain", { text: "tea" }]
]

describe("a token of a lower level", () => {
  it.scoped.prop(
    "gets the same bytes and the same ETag, whatever is written above it",
    [
      histories({ agents: ["ada"], minLength: 12, maxLength: 20 }),
      histories({ agents: ["ada"], minLength: 8, maxLength: 16 })
    ],
    ([below, above]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { daybook, folder } = yield* fresh({ policy: { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } } })
        const asked: Asked = new Map()
        for (const step of below) {
          if (step.kind !== "wait") yield* perform({ daybook, folder, asked, wait: () => Effect.void }, step)
        }
        const call = callerOf(yield* serve(daybook), tokenFor("familiar"))
        const requests: ReadonlyArray<Call> = [
          ...questions.map((path): Call => ["GET", `${path}${path.includes("?") ? "&" : "?"}agent=ada`]),
          ...questionBodies.map(([path, body]): Call => ["POST", `${path}?agent=ada`, body])
        ]
        const answers = Effect.forEach(requests, ([method, path, body]) =>
          Effect.map(call(method, path, body), ({ headers, status, text }) => [path, status, headers.get("etag"), text])
        )
        yield* daybook.backfill("ada")
        const before = yield* answers
        expect(before.filter(([, status]) => status === 200).length).toBeGreaterThan(10)
        const memory = yield* daybook.agent("ada", { trust: "full" })
        for (const step of above) {
          // Only what a store above the level takes: a change of what the level reads would be no secret.
          if (step.kind === "remember")
            yield* memory.remember({ ...step.observation, store: "private" }, { reconcile: false })
          if (step.kind === "turns")
            yield* memory.sessions.appendAll(step.turns.map((turn) => ({ ...turn, store: "private" as const })))
          if (step.kind === "note" && step.change === "save")
            yield* memory.notes.save({ ...step.note, store: "private" })
        }
        yield* memory.remember({ title: "green tea", people: ["Ada Lovelace"], store: "private" })
        yield* daybook.backfill("ada")
        expect(yield* answers).toEqual(before)
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 2, full: 20 }) }, timeout: 600_000 }
  )
})

/** Reads events from a stream until a number of them came, or it ends. */
const readEvents = async (url: string, headers: Readonly<Record<string, string>>, count: number, method = "GET") => {
  const stop = new AbortController()
  const response = await fetch(url, {
    method,
    signal: stop.signal,
    headers: { authorization: `Bearer ${tokenFor("full")}`, accept: "text/event-stream", ...headers }
  })
  expect(response.headers.get("content-type")).toBe("text/event-stream")
  const events: Array<{ readonly id: string | undefined; readonly event: string; readonly data: unknown }> = []
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    const parts = text.split("\n\n")
    text = parts.pop() ?? ""
    for (const part of parts) {
      const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: (.*)/s, 2)))
      if (fields.event !== undefined) events.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) })
    }
    if (events.length >= count) break
  }
  stop.abort()
  return events
}

describe("events", () => {
  it.scopedLive("follow the log, resume after the last one, and end with the server", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("default", { trust: "full" })
      const served = yield* Scope.make()
      const url = yield* Scope.extend(serve(daybook), served)
      yield* memory.remember({ title: "one" })
      yield* daybook.backfill("default")
      const following = Effect.promise(() => readEvents(`${url}/log/events`, {}, 3))
      const [events] = yield* Effect.all([following, Effect.delay(memory.remember({ title: "two" }), "300 millis")], {
        concurrency: 2
      })
      expect(events.slice(0, 3).map(({ event, id }) => [id, event])).toEqual([
        ["1", "ADD"],
        ["2", "EMBED"],
        ["3", "ADD"]
      ])
      const resumed = yield* Effect.promise(() => readEvents(`${url}/log/events`, { "last-event-id": "2" }, 1))
      expect(resumed[0]?.id).toBe("3")
      const call = callerOf(url)
      const wrong = yield* call("GET", "/log/events", undefined, { "last-event-id": "x" })
      expect(wrong.json.error).toMatchObject({ _tag: "InvalidInput", field: "Last-Event-ID" })
      const ended = Effect.promise(() => readEvents(`${url}/log/events`, {}, 1_000).catch(() => "ended"))
      yield* Effect.all([ended, Effect.delay(Scope.close(served, Exit.void), "300 millis")], { concurrency: 2 })
    })
  )

  it.scopedLive("tell the progress of a rebuild, and its end", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent("default", { trust: "full" })
      yield* memory.rememberAll(Array.from({ length: 50 }, (_, index) => ({ title: `pier ${index}` })))
      const url = yield* serve(daybook)
      const events = yield* Effect.promise(() => readEvents(`${url}/views/rebuild`, {}, 1_000, "POST"))
      expect(events.at(-1)).toMatchObject({ event: "answer", data: { done: true } })
      expect(events.slice(0, -1).every(({ event }) => event === "progress")).toBe(true)
      const refused = yield* Effect.promise(() => readEvents(`${url}/views/rebuild?projections=none`, {}, 1, "POST"))
      expect(refused).toMatchObject([{ event: "problem", data: { title: "InvalidInput" } }])
    })
  )

  it.scopedLive("log the kind of a defect, as other answers do", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const lines: Array<string> = []
      const logger = Logger.make(({ annotations, message }) => {
        lines.push(JSON.stringify([message, [...annotations]]))
      })
      const broken = { ...daybook, rebuild: () => Effect.die(new RangeError(canary)) }
      const url = yield* serve(broken).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      const failed = yield* Effect.promise(() => readEvents(`${url}/views/rebuild`, {}, 1, "POST"))
      expect(failed).toMatchObject([{ event: "problem", data: { title: "InternalError" } }])
      expect(lines.join()).toMatch(/a request failed.*RangeError/)
      expect(lines.join()).not.toContain(canary)
    })
  )
})
