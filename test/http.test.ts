import { describe, expect, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import { openApi } from "../layers/http/api/openApi.js"
import { type Answer, type Call, callerOf, serve, tokenFor } from "./support/apiServer.js"
import { fresh } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: object }
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >
}

const document = openApi() as Document

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation }))
)

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: "daybook", components: document.components })

/** The problems of an answer by the schema of its operation. */
const mismatch = (schema: object, answer: unknown): string | null => {
  const local = JSON.parse(JSON.stringify(schema).replaceAll("#/components", "daybook#/components"))
  const validate = ajv.compile(local)
  return validate(answer) ? null : ajv.errorsText(validate.errors)
}

/** What a request needs to know of what was stored before. */
interface Stored {
  readonly memory: string
  readonly other: string
  readonly note: string
  readonly schedule: string
  readonly run: string
}

/** One request for each operation: an operation without a row fails the test below. Rows run in order. */
const requests: Readonly<Record<string, (stored: Stored) => Call>> = {
  "memories.remember": () => ["POST", "/memories", { content: "The ferry leaves at noon\nfrom the old pier" }],
  "memories.rememberAll": () => ["POST", "/memories/batch", [{ title: "The pier is closed" }, { title: "" }]],
  "memories.list": () => ["GET", "/memories?layer=long&limit=2"],
  "memories.search": () => ["GET", "/search?text=ferry&stores=private"],
  "memories.explainByBody": () => ["POST", "/search/explain", { text: "ferry", stores: ["private"] }],
  "memories.searchByBody": () => ["POST", "/search", { text: "ferry", stores: ["private"] }],
  "memories.explain": () => ["GET", "/search/explain?text=ferry"],
  "memories.getAll": ({ memory, other }) => ["GET", `/memories/batch?id=${memory}&id=${other}`],
  "memories.get": ({ memory }) => ["GET", `/memories/${memory}`],
  "memories.update": ({ memory }) => [
    "PATCH",
    `/memories/${memory}`,
    { content: "The ferry leaves at one", tags: ["sea"] }
  ],
  "memories.why": ({ memory }) => ["GET", `/memories/${memory}/why?limit=1`],
  "memories.history": ({ memory }) => ["GET", `/memories/${memory}/history`],
  "memories.timeline": ({ memory }) => ["GET", `/memories/${memory}/timeline?before=1`],
  "memories.decide": ({ memory }) => ["POST", `/memories/${memory}/decide`, { choice: "both" }],
  "memories.vouch": ({ memory }) => ["POST", "/memories/vouch", { ids: [memory] }],
  "memories.decisions": () => ["GET", "/decisions?open=true"],
  "memories.people": () => ["GET", "/people?name=a"],
  "memories.updatePerson": () => ["PATCH", "/people/Ada%20Lovelace?store=shared", { birthday: "1990-12-10" }],
  "memories.profile": () => ["GET", "/profile?tokens=100"],
  "memories.context": () => ["GET", "/context?session_id=s1&k=20"],
  "memories.contextByBody": () => ["POST", "/context", { session_id: "s1", k: 20 }],
  "memories.observeTool": () => ["POST", "/tool-runs", { tool: "ls", output: "pier.txt", exit: 0 }],
  "memories.archive": ({ other }) => ["POST", `/memories/${other}/archive`],
  "memories.archived": () => ["GET", "/archive?text=pier"],
  "memories.restore": ({ other }) => ["POST", `/memories/${other}/restore`],
  "memories.undo": () => ["POST", "/undo?dryRun=true", { event: 1 }],
  "memories.forget": ({ other }) => ["DELETE", `/memories/${other}`],
  "conversation.append": () => [
    "POST",
    "/turns",
    { session_id: "s1", role: "user", text: "I like tea.", auto_extract: true }
  ],
  "conversation.appendAll": () => [
    "POST",
    "/turns/batch",
    [
      { session: "s1", text: "When?" },
      { session: "", text: "" }
    ]
  ],
  "conversation.turns": () => ["GET", "/turns?session_id=s1&last=1"],
  "conversation.search": () => ["GET", "/turns/search?text=tea"],
  "conversation.explainByBody": () => ["POST", "/turns/search/explain", { text: "tea" }],
  "conversation.searchByBody": () => ["POST", "/turns/search", { text: "tea" }],
  "conversation.explain": () => ["GET", "/turns/search/explain?text=tea"],
  "conversation.sessions": () => ["GET", "/sessions"],
  "conversation.restoreSession": () => ["GET", "/sessions/messages?session=s1"],
  "conversation.extract": () => ["POST", "/sessions/extract?session=s1"],
  "conversation.summarize": () => ["POST", "/sessions/summarize?session=s1"],
  "conversation.refresh": () => ["POST", "/sessions/refresh?session=s1"],
  "conversation.end": () => ["POST", "/sessions/end?session=s1"],
  "conversation.summaries": () => ["GET", "/sessions/summaries?session=s1"],
  "conversation.writeRolling": () => [
    "PUT",
    "/sessions/rolling?session=s1",
    { text: "- tea", upperSequence: 1, epoch: 0 }
  ],
  "conversation.readRolling": () => ["GET", "/sessions/rolling?session=s1"],
  "conversation.roll": () => ["POST", "/sessions/rolling/roll?session=s1"],
  "conversation.addFile": () => ["POST", "/files", { path: "/notes/ferry.md", text: "The ferry leaves at noon." }],
  "conversation.files": () => ["GET", "/files"],
  "conversation.file": () => ["GET", "/files/by-path?path=/notes/ferry.md"],
  "conversation.forgetFile": () => ["DELETE", "/files?path=/notes/ferry.md"],
  "conversation.forgetSession": () => ["DELETE", "/sessions?session=s1"],
  "notes.save": () => ["POST", "/notes", { content: "Ask for the timetable", tags: ["sea"] }],
  "notes.list": () => ["GET", "/notes?tags=sea"],
  "notes.search": () => ["GET", "/notes/search?text=timetable"],
  "notes.get": ({ note }) => ["GET", `/notes/${note}`],
  "notes.update": ({ note }) => ["PATCH", `/notes/${note}`, { content: "Buy the ticket" }],
  "notes.delete": ({ note }) => ["DELETE", `/notes/${note}`],
  "notes.writeScratchpad": () => ["PUT", "/scratchpad?session=s1", { items: ["buy the ticket"] }],
  "notes.readScratchpad": () => ["GET", "/scratchpad?session=s1"],
  "notes.scratchpadHistory": () => ["GET", "/scratchpad/history?session=s1"],
  "notes.clearScratchpad": () => ["DELETE", "/scratchpad?session=s1"],
  "schedules.add": () => ["POST", "/schedules", { goal: "Read the timetable", every: 3_600_000 }],
  "schedules.list": () => ["GET", "/schedules?statuses=active"],
  "schedules.count": () => ["GET", "/schedules/count"],
  "schedules.get": ({ schedule }) => ["GET", `/schedules/${schedule}`],
  "schedules.runs": ({ schedule }) => ["GET", `/schedules/${schedule}/runs`],
  "schedules.run": ({ run }) => ["GET", `/schedules/runs/${run}`],
  "schedules.update": ({ schedule }) => ["PATCH", `/schedules/${schedule}`, { status: "paused" }],
  "schedules.delete": ({ schedule }) => ["DELETE", `/schedules/${schedule}`],
  "recalls.flush": () => ["POST", "/recalls/flush"],
  "recalls.list": () => ["GET", "/recalls?limit=1"],
  "recalls.get": () => ["GET", "/recalls/1"],
  "recalls.rerun": () => ["GET", "/recalls/1/rerun"],
  "maintenance.run": () => ["POST", "/maintenance?stages=gc&dryRun=true"],
  "maintenance.gc": () => ["POST", "/gc"],
  "maintenance.list": () => ["GET", "/maintenance"],
  "maintenance.tiers": () => ["GET", "/maintenance/tiers?limit=1"],
  "maintenance.get": ({ run }) => ["GET", `/maintenance/${run}`],
  "operations.agents": () => ["GET", "/agents"],
  "operations.stats": () => ["GET", "/stats"],
  "operations.log": () => ["GET", "/log?limit=3"],
  "operations.verify": () => ["GET", "/verify?all=true"],
  "operations.accept": () => ["POST", "/accept", { digest: "none" }],
  "operations.erase": ({ memory }) => ["POST", "/erasures", { ids: [memory], revive: true, dryRun: true }],
  "operations.erasures": () => ["GET", "/erasures?limit=1"],
  "operations.rebuild": () => ["POST", "/views/rebuild?projections=people"],
  "operations.compareView": () => ["GET", "/views/compare"],
  "operations.digests": () => ["GET", "/views/digests"],
  "operations.whatIf": () => ["POST", "/what-if", { policy: { reconcile: { threshold: 0.5 } } }],
  "operations.backfill": () => ["POST", "/embedders/backfill"],
  "operations.embedder": () => ["GET", "/embedders"],
  "operations.switchEmbedder": () => ["POST", "/embedders/switch", { name: "words" }],
  "operations.compareEmbedders": () => ["POST", "/embedders/compare", {}],
  "operations.calibrate": () => ["POST", "/embedders/calibrate", {}],
  "operations.switchBack": () => ["POST", "/embedders/back", {}],
  "operations.dropEmbedder": () => ["POST", "/embedders/drop", {}]
}

/** Operations whose row asks for what does not exist. */
const refused: Readonly<Record<string, string>> = {
  "memories.decide": "InvalidInput",
  "schedules.run": "RunNotFound",
  "maintenance.get": "RunNotFound",
  "operations.accept": "NotAccepted"
}

const seeded = { policy: { recall: { log: true } }, extractor: tinyLayer }

describe("the HTTP interface", () => {
  it.scopedLive("answers every operation as its document says", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh(seeded)
      const call = callerOf(yield* serve(daybook))
      const [first, second] = (yield* call("POST", "/memories/batch", [{ title: "one pier" }, { title: "two" }])).json
      const stored = {
        memory: first.answer.id,
        other: second.answer.id,
        note: (yield* call("POST", "/notes", { content: "a note" })).json.id,
        schedule: (yield* call("POST", "/schedules", { goal: "tea", every: 3_600_000 })).json.id,
        run: "0000000000"
      }
      const followed = "operations.logEvents"
      expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
        [...Object.keys(requests), followed].sort()
      )
      for (const [operationId, request] of Object.entries(requests)) {
        const operation = operations.find((operation) => operation.operationId === operationId)!
        const answer = yield* call(...request(stored))
        const problem = refused[operationId]
        if (problem !== undefined) {
          expect([operationId, answer.json.title]).toEqual([operationId, problem])
          expect(answer.headers.get("content-type")).toBe("application/problem+json")
        } else
          expect([operationId, answer.status, answer.text.slice(0, 500)]).toEqual([operationId, 200, expect.anything()])
        const responses = problem === undefined ? operation.responses["200"] : operation.responses["4XX"]
        const [{ schema }] = Object.values(responses?.content ?? {}) as [{ readonly schema: object }]
        expect([operationId, mismatch(schema, answer.json)]).toEqual([operationId, null])
      }
    })
  )

  it("has a valid OpenAPI document", async () => {
    const validator = new Validator()
    const result = await validator.validate(JSON.parse(JSON.stringify(document)))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    expect(validator.version).toBe("3.1")
    for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(document.components.schemas).toHaveProperty([name!])
  })

  it.scopedLive("takes and answers turns, memories and reasons with the names that other memory servers use", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh(seeded)
      const call = callerOf(yield* serve(daybook))
      const turn = yield* call("POST", "/turns", {
        session_id: "s1",
        role: "user",
        text: "I like tea.",
        auto_extract: true
      })
      expect(turn.json).toMatchObject({
        turn_id: expect.stringMatching(/^\w{10}$/),
        extracted_memories: [
          { id: expect.any(String), content: expect.stringContaining("tea"), action: expect.any(String) }
        ]
      })
      const quiet = yield* call("POST", "/turns", {
        session_id: "s1",
        role: "user",
        text: "I like soup.",
        auto_extract: false
      })
      expect(quiet.json.extracted_memories).toEqual([])
      const [id] = turn.json.extracted_memories.map((memory: { id: string }) => memory.id)
      const found = yield* call("GET", "/memories?layer=mid&q=tea&limit=50")
      expect(found.json.items).toEqual([expect.objectContaining({ id, content: expect.stringContaining("tea") })])
      expect((yield* call("GET", `/memories/${id}/why`)).json.memory.id).toBe(id)
      const context = (yield* call("GET", "/context?session_id=s1&k=20")).json
      expect(context.short_term.map(({ text }: { text: string }) => text)).toEqual(["I like tea.", "I like soup."])
      expect(context.mid_term).toEqual(expect.any(Array))
      for (const [status, outcome] of [
        ["archived", "archived"],
        ["active", "restored"],
        ["deleted", "forgotten"]
      ])
        expect((yield* call("PATCH", `/memories/${id}`, { status })).json.outcome).toBe(outcome)
      const both = yield* call("PATCH", `/memories/${id}`, { status: "active", tags: ["a"] })
      expect(both.json.error).toMatchObject({ _tag: "InvalidInput", field: "status" })
    })
  )

  it.scopedLive("lists a tier by score, at the level of the caller", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const url = yield* serve(daybook)
      const call = callerOf(url)
      for (const [title, importance, store] of [
        ["low", 0, "shared"],
        ["high", 1, "shared"],
        ["secret", 0.9, "private"],
        ["middle", 0.5, "shared"]
      ])
        yield* call("POST", "/memories", { title, importance, store })
      const titles = (answer: Answer) => answer.json.items.map((row: { title: string }) => row.title)
      expect(titles(yield* call("GET", "/memories?layer=long&limit=3"))).toEqual(["high", "secret", "middle"])
      expect(titles(yield* call("GET", "/memories?sort=score&limit=2&offset=1"))).toEqual(["secret", "middle"])
      expect(titles(yield* call("GET", "/memories?layer=mid"))).toEqual([])
      const inner = callerOf(url, tokenFor("inner"))
      expect(titles(yield* inner("GET", "/memories?layer=long"))).toEqual(["high", "middle", "low"])
      const filtered = yield* call("GET", "/memories?sort=score&types=decision")
      expect(filtered.json.error).toMatchObject({ _tag: "InvalidInput", field: "sort" })
    })
  )

  it.scopedLive("gives text of a model at most the level inner, unless the client names another one", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const url = yield* serve(daybook)
      const said = { text: "The ferry leaves at noon" }
      for (const [trust, role, level, expected] of [
        ["full", "user", undefined, "full"],
        ["full", "assistant", undefined, "inner"],
        ["full", "system", undefined, "inner"],
        ["full", "assistant", "full", "full"],
        ["full", "tool", undefined, "familiar"],
        ["familiar", "assistant", undefined, "familiar"]
      ] as const) {
        const call = callerOf(url, tokenFor(trust))
        const session = `${trust}-${role}-${level}`
        const turn = { ...said, session, role, level }
        expect((yield* call("POST", "/turns", turn)).status).toBe(200)
        const answers = (yield* call("POST", "/turns/batch", [turn, [turn, {}]])).json
        expect(answers).toEqual([{ answer: expect.anything() }, { answer: expect.anything() }])
        const turns = (yield* callerOf(url)("GET", `/turns?session=${session}`)).json
        const levels = turns.map((turn: { level: string }) => turn.level)
        expect([trust, role, ...levels]).toEqual([trust, role, expected, expected, expected])
      }
      expect((yield* callerOf(url)("POST", "/turns/batch", [null, "assistant"])).json).toMatchObject([
        { problem: { title: "InvalidInput" } },
        { problem: { title: "InvalidInput" } }
      ])
    })
  )

  it.scopedLive("names the token in the history, also for a client that names itself", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const call = callerOf(yield* serve(daybook))
      for (const query of ["", "?actor=cli", "?actor=maintenance", "?actor=token:other"])
        expect((yield* call("POST", `/memories${query}`, { title: `pier ${query}` })).status).toBe(200)
      const log = (yield* call("GET", "/log")).json
      const actors = log.items
        .filter(({ type }: { type: string }) => type === "ADD")
        .map(({ actor }: { actor: string }) => actor)
      expect(actors).toEqual(["token:test", "token:test/cli", "token:test/maintenance", "token:test/token:other"])
      for (const query of ["?actor=", "?actor=a&actor=b"])
        expect((yield* call("POST", `/memories${query}`, { title: "x" })).json.error).toMatchObject({ field: "actor" })
    })
  )

  it.scopedLive("answers problem details where no operation has the path", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const call = callerOf(yield* serve(daybook))
      for (const [method, path] of [
        ["GET", "/nothing"],
        ["PUT", "/memories"],
        ["GET", "/memories/a/b"]
      ] as const) {
        const { headers, json, status } = yield* call(method, path)
        expect([status, json.status, json.title, json.type]).toEqual([404, 404, "NotFound", "urn:daybook:NotFound"])
        expect(headers.get("content-type")).toBe("application/problem+json")
      }
    })
  )

  it.scopedLive("pages by a cursor that belongs to its query", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const call = callerOf(yield* serve(daybook))
      yield* call(
        "POST",
        "/memories/batch",
        ["a", "b", "c", "d", "e"].map((title) => ({ title: `pier ${title}` }))
      )
      // Vectors that arrive between two pages would change the order.
      for (const { name } of yield* daybook.agents) yield* daybook.backfill(name)
      for (const query of ["?sort=oldest&limit=2", "?q=pier&limit=2"]) {
        const titles: Array<string> = []
        let cursor: string | null = null
        do {
          const { json }: Answer = yield* call("GET", `/memories${query}${cursor === null ? "" : `&cursor=${cursor}`}`)
          titles.push(...json.items.map((row: { title: string }) => row.title))
          cursor = json.next
        } while (cursor !== null)
        expect([...titles].sort()).toEqual(["pier a", "pier b", "pier c", "pier d", "pier e"])
      }
      const { next } = (yield* call("GET", "/memories?sort=oldest&limit=2")).json
      for (const wrong of [`sort=newest&cursor=${next}`, "sort=oldest&cursor=abc", "cursor="])
        expect((yield* call("GET", `/memories?${wrong}`)).json.error).toMatchObject({
          _tag: "InvalidInput",
          field: "cursor"
        })
      const page = (yield* call("GET", "/log?limit=3")).json
      const rest = (yield* call("GET", `/log?limit=3&cursor=${page.next}`)).json
      expect([...page.items, ...rest.items].map(({ version }) => version).slice(0, 5)).toEqual([1, 2, 3, 4, 5])
    })
  )

  it.scopedLive("ends a search at the rows that it may have, and records it as one recall", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh(seeded)
      const call = callerOf(yield* serve(daybook))
      const titles = Array.from({ length: 1_001 }, (_, index) => ({ title: `pier ${index}` }))
      for (const part of [titles.slice(0, 1_000), titles.slice(1_000)]) yield* call("POST", "/memories/batch", part)
      const sizes: Array<number> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const page: Answer = yield* call("GET", `/memories?q=pier&limit=400${cursor && `&cursor=${cursor}`}`)
        expect([page.status, page.json.title]).toEqual([200, undefined])
        sizes.push(page.json.items.length)
        cursor = page.json.next
      }
      expect(sizes).toEqual([400, 400, 200])
      expect((yield* call("GET", "/memories?q=pier&limit=1000")).json.next).toBe(null)
      expect((yield* call("GET", "/memories?q=pier&offset=1000")).json.error).toMatchObject({ field: "offset" })
      expect((yield* call("GET", "/memories?q=pier&limit=1001")).json.error).toMatchObject({ field: "limit" })
      yield* call("POST", "/recalls/flush")
      const recalls = (yield* call("GET", "/recalls")).json.items
      expect(recalls.map(({ shown }: { shown: number }) => shown)).toEqual([1_000, 400])
    })
  )

  it.scopedLive("answers a repeated write as the first time, by its Idempotency-Key", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const call = callerOf(yield* serve(daybook))
      const write = (content: string) => call("POST", "/memories", { content }, { "idempotency-key": "chat-17" })
      const [first, again, other] = [yield* write("tea"), yield* write("tea"), yield* write("soup")]
      expect(again.json).toEqual({ ...first.json, repeated: true })
      expect([other.status, other.json.title]).toEqual([409, "CommandConflict"])
      expect((yield* call("GET", "/stats")).json.memories.created).toBe(1)
    })
  )

  it.scopedLive("names an answer by what it shows, and does not send it again", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const url = yield* serve(daybook)
      const [call, familiar] = [callerOf(url), callerOf(url, tokenFor("familiar"))]
      yield* call("POST", "/memories", { content: "open pier", store: "social" })
      const etag = (yield* familiar("GET", "/memories")).headers.get("etag")!
      const same = yield* familiar("GET", "/memories", undefined, { "if-none-match": `"x", W/${etag}` })
      expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", etag])
      yield* call("POST", "/memories", { content: "a private matter" })
      expect((yield* familiar("GET", "/memories")).headers.get("etag")).toBe(etag)
      yield* call("POST", "/memories", { content: "another pier", store: "social" })
      expect((yield* familiar("GET", "/memories", undefined, { "if-none-match": etag })).status).toBe(200)
    })
  )

  it.scopedLive("reads the past by version and by time", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const url = yield* serve(daybook)
      const [call, inner] = [callerOf(url), callerOf(url, tokenFor("inner"))]
      const { id } = (yield* call("POST", "/memories", { content: "Tuesdays", store: "shared" })).json
      yield* call("PATCH", `/memories/${id}`, { content: "Thursdays" })
      const titles = (path: string) =>
        Effect.map(call("GET", path), ({ json }) => json.items.map((row: { title: string }) => row.title))
      expect(yield* titles("/memories")).toEqual(["Thursdays"])
      expect(yield* titles("/memories?asOf=1")).toEqual(["Tuesdays"])
      expect(yield* titles("/memories?asOf=2000-01-01")).toEqual([])
      expect((yield* inner("GET", "/memories?asOf=1")).json.title).toBe("TrustRequired")
      expect((yield* call("DELETE", `/memories/${id}?asOf=1`)).json.error).toMatchObject({ field: "asOf" })
    })
  )
})
