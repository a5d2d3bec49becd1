import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DaybookEvent } from "../events/catalogue.js"
import { summaryInstructions, summaryPromptDigest, summarySchema } from "../layers/models/summarizePrompt.js"
import { policySummarizerLayer } from "../layers/summarizers.js"
import { mergeContents, missingContent } from "../src/maintenance/mergeContents.js"
import { decode } from "../src/ports/Policy.js"
import { estimateTokens as estimate } from "../text/normalise/countTokens.js"
import { open, temporaryFolder } from "./support/engine.js"
import { environment, key, overheard, protocols } from "./support/modelCases.js"
import type { ModelRequest, Protocol } from "./support/modelProtocols.js"
import { type Behaviour, modelServer } from "./support/modelServer.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { layerWithSettings } from "./support/settings.js"
import { expectDuration, firstOrAll } from "./support/size.js"

const agent = "ada"
const person = "Quvexira Holt"
const prose = `Certainly! ${"These three are much alike, and yet they are not. ".repeat(2_000)}`

/** A whole answer about the reports of `reportsOf`, and what it may be changed into. */
const wholeOf = ({ data }: ModelRequest) => {
  const { title } = data.sources[2]
  return [
    { part: "title", text: title, sources: [2] },
    { part: "fact", text: `${person} owns the pump in hall 7`, sources: [0, 1] },
    { part: "fact", text: "It was repaired on 2026-03-14", sources: [1] },
    { part: "fact", text: "The valve does not close below 4.5 bar", sources: [2] }
  ]
}
const but = (request: ModelRequest, at: number, ...lines: ReadonlyArray<object>) => ({
  answer: { lines: [...wholeOf(request).slice(0, at), ...lines, ...wholeOf(request).slice(at + 1)] }
})
const fact = (text: string, ...sources: ReadonlyArray<unknown>) => ({ part: "fact", text, sources })

/** How the model sums up a cluster, whose title names it; and what the event says of it where the rule's text is used. */
const cases: Readonly<
  Record<string, { readonly takes: (request: ModelRequest) => Behaviour; readonly told?: string }>
> = {
  whole: { takes: (request) => ({ answer: { lines: wholeOf(request) } }) },
  broken: { takes: () => ({ status: 500 }), told: "failed (status 500)" },
  forbidden: { takes: () => ({ status: 401 }), told: "failed (status 401)" },
  silent: { takes: () => ({ hang: true }), told: "timeout" },
  gone: { takes: () => ({ reset: true }), told: "failed (no connection)" },
  refused: { takes: () => ({ refusal: `I will not speak of ${person}` }), told: "refused" },
  cut: { takes: () => ({ cutOff: '{"lines": [{"part": "ti' }), told: "unreadable answer (cut off)" },
  mumbled: { takes: () => ({ text: '{"lines": [' }), told: "unreadable answer" },
  talked: { takes: () => ({ text: prose }), told: "unreadable answer" },
  shapeless: { takes: () => ({ answer: { lines: "all of it" } }), told: "unreadable answer" },
  adorned: { takes: (request) => ({ answer: { lines: wholeOf(request), note: "done" } }), told: "unreadable answer" },
  negative: {
    takes: (request) => but(request, 3, fact("The valve does not close below 4.5 bar", -1)),
    told: "unreadable answer"
  },
  untitled: { takes: (request) => but(request, 0), told: "put a line in the wrong part" },
  misplaced: {
    takes: (request) => but(request, 3, { part: "decision", text: "none", sources: [0] }),
    told: "put a line in the wrong part"
  },
  pointless: {
    takes: (request) => but(request, 3, fact("The valve does not close below 4.5 bar", 9)),
    told: "named an unknown source"
  },
  unfounded: {
    takes: (request) => but(request, 3, fact("The valve does not close below 4.5 bar")),
    told: "named an unknown source"
  },
  long: {
    takes: (request) => but(request, 0, { part: "title", text: "pump ".repeat(200), sources: [0] }),
    told: "wrote a line that is too long"
  },
  dear: {
    takes: (request) => ({
      answer: { lines: [...wholeOf(request), ...wholeOf(request).slice(1), ...wholeOf(request).slice(1)] }
    }),
    told: "wrote too many tokens"
  },
  invented: {
    takes: (request) => but(request, 3, fact("The valve does not close below 4.5 bar, says Zed", 2)),
    told: "made a statement that no source supports (in 1 of 4 lines)"
  },
  misread: {
    takes: (request) => but(request, 3, fact("The valve does not close below 5.4 bar", 2)),
    told: "made a statement that no source supports (in 1 of 4 lines)"
  },
  reversed: {
    takes: (request) => but(request, 3, fact("The valve does close below 4.5 bar", 2)),
    told: "made a statement that no source supports (in 1 of 4 lines)"
  },
  misled: {
    takes: (request) => but(request, 1, fact(`${person} was repaired in hall 7`, 0, 1)),
    told: "made a statement that no source supports (in 1 of 4 lines)"
  },
  dropped: { takes: (request) => but(request, 3), told: "omitted statements of the sources (1 statements)" },
  shortened: {
    takes: (request) => but(request, 1, fact(`${person} owns the pump`, 0)),
    told: "omitted statements of the sources (3 statements)"
  }
}
const names = Object.keys(cases)

/** Three memories that say the same over again in other words, the oldest first. */
const reportsOf = (name: string) => [
  { title: `Report, ${name}`, facts: [`${person} owns the pump in hall 7`] },
  { title: `report ${name}`, facts: [`The pump in hall 7, ${person} owns it`, "It was repaired on 2026-03-14"] },
  { title: `Report: ${name}!`, facts: [`${person} owns the pump in hall 7`, "The valve does not close below 4.5 bar"] }
]

const withModel = (protocol: Protocol, folder: string, baseUrl: string, more: object = {}) =>
  Effect.gen(function* () {
    const policy = {
      compress: { after: 1e-9, likeness: 1, rows: 1_000 },
      summarize: { summarizer: "model", concurrency: 8 },
      model: {
        ...(protocol === "messages" ? { provider: "anthropic" } : { provider: "openai", api: protocol }),
        model: "small-1",
        baseUrl,
        keyVariable: "TEST_MODEL_KEY",
        timeout: 5_000,
        patience: 8_000,
        retries: 1,
        backoff: 5,
        concurrency: 8,
        ...more
      }
    }
    const summarizer = policySummarizerLayer(yield* decode(policy)).pipe(layerWithSettings(environment)) as never
    const daybook = yield* open(folder, { policy, summarizer, vectorExtension: null })
    return { daybook, memory: yield* daybook.agent(agent, { trust: "full" }) }
  })

type Opened = Effect.Effect.Success<ReturnType<typeof withModel>>

const remembered = ({ memory }: Opened, clusters = names) =>
  Effect.gen(function* () {
    for (const at of [0, 1, 2])
      for (const name of clusters) yield* memory.remember(reportsOf(name)[at]!, { reconcile: false })
    yield* Effect.sleep("5 millis")
  })

const compressions = ({ daybook }: Opened) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) =>
    ([...events] as ReadonlyArray<DaybookEvent>).flatMap((event) => (event.type === "COMPRESS" ? [event.payload] : []))
  )

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe.each(firstOrAll(protocols))("a summarizer that speaks %s", (protocol) => {
  it.scopedLive("writes texts that its sources support; otherwise the rule does, and the event says why", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const server = yield* modelServer({ key })
      server.otherwise((request) => cases[/\w+$/.exec(request.data.subject.replace("!", ""))![0]]!.takes(request))
      const opened = yield* withModel(protocol, folder, server.url)
      yield* remembered(opened)
      const { exit, text } = yield* overheard(opened.memory.maintenance.run({ stages: ["compress"] }))
      if (exit._tag === "Failure") throw new Error(text.slice(0, 4_000))
      expect(exit.value[0]!.counts).toEqual({ compressed: 3 * names.length, made: names.length })
      const made = yield* compressions(opened)
      expect(made).toHaveLength(names.length)
      const byModel = {
        kind: "model",
        name: protocol === "messages" ? "anthropic/small-1" : "openai/small-1",
        promptDigest: summaryPromptDigest
      }
      for (const { decision, memory, sources } of made) {
        const name = /\w+$/.exec(memory.title.replace("!", ""))![0]
        const { told } = cases[name]!
        expect([name, decision.fallback]).toEqual([
          name,
          told === undefined ? undefined : expect.stringContaining(`summarizer ${byModel.name}: ${told}`)
        ])
        expect(decision).toMatchObject({ action: "COMPRESS", reason: "3 or more say the same under one title" })
        expect(decision.latency).toBeGreaterThanOrEqual(0)
        const ruled = mergeContents(sources, estimate)!
        if (told === undefined) {
          expect(decision.by).toEqual(byModel)
          expect(memory.facts).toHaveLength(3)
          expect(memory.tokens).toBeLessThan(ruled.tokens)
        } else {
          expect(decision.by).toEqual({ kind: "rule", name: "compress" })
          expect(memory).toMatchObject(ruled)
          expect(missingContent(sources, memory)).toEqual([])
        }
      }
      expect(server.problems).toEqual([])
      // Neither what was remembered nor the key is in a log line, a span or an error; the key is in no file.
      for (const secret of [person, "valve", key, server.url.slice(7)]) expect(text).not.toContain(secret)
      for (const file of filesOf(folder)) expect(readFileSync(file).includes(key)).toBe(false)

      // What was decided is replayed without anybody being asked.
      const asked = server.requests.length
      yield* expectSameAfterRebuild(opened.daybook, agent)
      expect(server.requests).toHaveLength(asked)
      // And taken back like anything else.
      yield* opened.memory.undo({ run: exit.value[0]!.run! })
      expect(yield* opened.memory.list({ limit: 1_000 })).toHaveLength(3 * names.length)
    })
  )

  it.scopedLive("gets consecutively numbered texts and instructions for the answer", () =>
    Effect.gen(function* () {
      const server = yield* modelServer({ key })
      server.otherwise((request) => cases.whole!.takes(request))
      const opened = yield* withModel(protocol, yield* temporaryFolder, server.url)
      yield* remembered(opened, ["whole"])
      const [dry] = yield* opened.memory.maintenance.run({ stages: ["compress"], dryRun: true })
      yield* opened.memory.maintenance.run({ stages: ["compress"] })
      const [made] = yield* compressions(opened)
      const { memory } = dry!.events![0]!.payload as typeof made & object
      expect({ ...memory, id: "", born: 0 }).toEqual({ ...made!.memory, id: "", born: 0 })
      const { body, data } = server.requests[0]!
      expect(Object.keys(data)).toEqual(["kind", "subject", "budget", "sources"])
      expect(data.sources).toEqual(
        reportsOf("whole").map(({ facts, title }, index) => ({
          index,
          type: "discovery",
          title,
          facts,
          at: expect.any(String)
        }))
      )
      for (const { id } of made!.sources) expect(JSON.stringify(body)).not.toContain(id)
      const told = { responses: body.input?.[0].content, chat: body.messages?.[0].content, messages: body.system }
      expect(told[protocol]).toBe(summaryInstructions("cluster"))
      const schema = {
        responses: body.text?.format.schema,
        chat: body.response_format?.json_schema.schema,
        messages: body.tools?.[0].input_schema
      }
      expect(schema[protocol]).toEqual(summarySchema("cluster"))
    })
  )
})

describe("a summarizer", () => {
  it.scopedLive("never gets credentials, nor more text than the limit", () =>
    Effect.gen(function* () {
      const server = yield* modelServer({ key })
      const opened = yield* withModel("chat", yield* temporaryFolder, server.url)
      for (const at of [0, 1, 2]) {
        yield* opened.memory.remember(
          { title: "The door", type: "credential", facts: ["the code is 4711", `said ${at}`] },
          { reconcile: false }
        )
        const narrative = `${"It goes on and on. ".repeat(1_200)} Number ${at}.`
        yield* opened.memory.remember({ title: "The story", narrative, facts: [`part ${at}`] }, { reconcile: false })
      }
      yield* Effect.sleep("5 millis")
      yield* opened.memory.maintenance.run({ stages: ["compress"] })
      const made = yield* compressions(opened)
      expect(made.map(({ decision, memory }) => [memory.title, decision.fallback]).sort()).toEqual([
        ["The story", "summarizer openai/small-1: failed (the sources are too long)"]
      ])
      expect(server.requests).toEqual([])
    })
  )

  it.scopedLive("respects the policy's concurrency and time-out", () =>
    Effect.gen(function* () {
      const answering = yield* modelServer({ key })
      answering.otherwise({ answer: {}, delay: 200 })
      const answered = yield* withModel("chat", yield* temporaryFolder, answering.url, { concurrency: 3 })
      yield* remembered(answered, names.slice(0, 6))
      yield* answered.memory.maintenance.run({ stages: ["compress"] })
      // A server learns late of a request that was given up, so only answered ones are counted.
      expect(answering.most()).toBe(3)

      const server = yield* modelServer({ key })
      server.otherwise({ hang: true })
      const opened = yield* withModel("chat", yield* temporaryFolder, server.url, {
        concurrency: 3,
        timeout: 300,
        patience: 300
      })
      yield* remembered(opened, names.slice(0, 6))
      const began = Date.now()
      yield* opened.memory.maintenance.run({ stages: ["compress"] })
      expectDuration("six summaries with time-outs of 300 ms, three at once", Date.now() - began, 800)
      for (const { decision } of yield* compressions(opened)) expect(decision.fallback).toMatch(/timeout/)
    })
  )

  it("requires a model if the policy selects one", () => {
    const built = Effect.runSyncExit(
      Effect.flatMap(decode({ summarize: { summarizer: "model" } }), (policy) =>
        Effect.scoped(Effect.void.pipe(Effect.provide(policySummarizerLayer(policy))))
      )
    )
    expect(JSON.stringify(built)).toContain("model: is required, because `summarize.summarizer` is `model`")
  })
})
