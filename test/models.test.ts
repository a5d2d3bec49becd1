import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { LanguageModels, ModelReconciler } from "../layers/models/index.js"
import { answerSchema, instructions, promptDigest } from "../layers/models/reconcilePrompt.js"
import { asking, environment, key, overheard, protocols, question, settingsOf, texts } from "./support/modelCases.js"
import type { Behaviour } from "./support/modelServer.js"
import { withSettings } from "./support/settings.js"
import { expectDuration } from "./support/size.js"

const full = { reason: "the port changed", action: "DELETE", target: 0, certain: true, merged: null }
const verdict = { action: "DELETE", target: 0, reason: "the port changed" }
const prose = `Certainly! ${"The memories are much alike, and yet they are not. ".repeat(2_000)}`

describe.each(protocols)("a model that speaks %s", (protocol) => {
  it.scopedLive("sends requests as its documentation says, and reads the answers", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking(protocol)
      const merged = { title: "The staging database is on 5433", narrative: null, facts: ["a", "b"], tags: null }
      server.next(
        { answer: full },
        { answer: { reason: "new", action: "ADD", target: null, merged: null } },
        { answer: { reason: "more", action: "UPDATE", target: 1, merged } },
        { answer: { reason: "same", action: "NONE", target: 1, merged: null } }
      )
      const judgements = yield* Effect.all([ask(question), ask(question), ask(question), ask(question)])
      expect(judgements.map((judgement) => judgement.verdict)).toEqual([
        verdict,
        { action: "ADD", reason: "new" },
        { action: "UPDATE", target: 1, reason: "more", merged: { title: merged.title, facts: ["a", "b"] } },
        { action: "NONE", target: 1, reason: "same" }
      ])
      const name = protocol === "messages" ? "anthropic/small-1" : "openai/small-1"
      expect(judgements[0]).toMatchObject({ by: { kind: "model", name, promptDigest }, sure: true })

      expect(server.problems).toEqual([])
      const { body, data, headers } = server.requests[0]!
      expect(protocol === "messages" ? headers["x-api-key"] : headers.authorization).toContain(key)
      expect(body.model).toBe("small-1")
      const at = "2026-03-01T00:00:00.000Z"
      const type = "technical"
      expect(data).toEqual({
        statement: {
          type,
          title: question.statement.title,
          facts: ["the port is 5433"],
          people: ["Zyxwina"],
          claim: ["lasting"],
          at
        },
        memories: [
          {
            index: 0,
            type,
            title: question.candidates[0]!.title,
            narrative: "Since the zyxwmove.",
            tags: ["database"],
            claim: ["lasting"],
            at
          },
          { index: 1, type, title: question.candidates[1]!.title, at }
        ]
      })
      const schema = {
        responses: body.text?.format.schema,
        chat: body.response_format?.json_schema.schema,
        messages: body.tools?.[0].input_schema
      }[protocol]
      expect(schema).toEqual(answerSchema)
      const told = { responses: body.input?.[0].content, chat: body.messages?.[0].content, messages: body.system }[
        protocol
      ]
      expect(told).toBe(instructions)
    })
  )

  it.scopedLive("is retried if it is busy or broken", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking(protocol)
      server.next({ status: 429, headers: { "retry-after-ms": "300" } }, { answer: full })
      const started = Date.now()
      expect((yield* ask(question)).verdict).toEqual(verdict)
      expect(Date.now() - started).toBeGreaterThanOrEqual(295)

      // Whatever the body is: a proxy in between speaks no protocol.
      server.next({ status: 502, body: "<html>Bad gateway</html>" }, { status: 429, body: "" }, { answer: full })
      expect((yield* ask(question)).verdict).toEqual(verdict)
      server.next({ reset: true }, { answer: full })
      expect((yield* ask(question)).verdict).toEqual(verdict)
      expect(server.requests).toHaveLength(7)
    })
  )

  const failures: ReadonlyArray<readonly [string, ReadonlyArray<Behaviour>, string, number]> = [
    ["500 each time", [{ status: 500 }, { status: 503 }, { status: 500 }], "failed (status 500)", 3],
    ["no key", [{ status: 401 }], "failed (status 401)", 1],
    ["busy for an hour", [{ status: 429, headers: { "retry-after": "3600" } }], "failed (status 429)", 1],
    ["hangs up each time", [{ reset: true }, { reset: true }, { reset: true }], "failed (no connection)", 3],
    ["an elsewhere", [{ status: 302, headers: { location: "/v1/elsewhere" } }], "failed (no connection)", 3],
    ["broken JSON", [{ text: '{"action": "ADD",' }], "unreadable", 1],
    ["a truncated body", [{ truncated: '{"id": "1", "choices": [{"mess' }], "unreadable", 1],
    ["a bound reached", [{ cutOff: '{"action": "ADD", "reason": "x' }], "unreadable answer (cut off)", 1],
    ["prose of 100 kB", [{ text: prose }], "unreadable", 1],
    ["an empty body", [{ raw: "" }], "unreadable", 1],
    ["JSON of something else", [{ raw: '{"error": null, "ok": true}' }], "unreadable", 1],
    ["a refusal", [{ refusal: "I cannot say why port 5433" }], "refused", 1],
    ["an index that is none", [{ answer: { ...full, target: 2 } }], "named an unknown target", 1],
    ["a negative index", [{ answer: { ...full, target: -1 } }], "unreadable", 1],
    ["an index in words", [{ answer: { ...full, target: "0" } }], "unreadable", 1],
    ["no index", [{ answer: { ...full, target: null } }], "unreadable", 1],
    ["no reason", [{ answer: { action: "ADD" } }], "unreadable", 1],
    ["an unknown action", [{ answer: { ...full, action: "MERGE" } }], "answered with an unknown action", 1],
    ["no verdict at all", [{ answer: {} }], "answered with an unknown action", 1]
  ]
  it.scopedLive.each(failures)("fails with a reason: %s", ([_, behaviours, reason, requests]) =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking(protocol)
      server.next(...behaviours)
      if (behaviours[0] !== undefined && "status" in behaviours[0] && behaviours[0].status === 302)
        server.otherwise(behaviours[0])
      const { exit, spans, text } = yield* overheard(ask(question))
      expect(text).toContain(`reconciler ${protocol === "messages" ? "anthropic" : "openai"}/small-1: ${reason}`)
      expect(Exit.isFailure(exit) && exit.cause._tag).toBe("Fail")
      expect(server.requests).toHaveLength(requests)
      for (const secret of [key, ...texts, server.url.slice(7)]) expect(text).not.toContain(secret)
      expect(spans).toEqual(["ModelReconciler.ask", "LanguageModel.ask"])
    })
  )

  it.scopedLive("reveals nothing that a server echoes", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking(protocol, { retries: 0 })
      const echo = JSON.stringify({
        error: { type: "invalid_request_error", message: `${key} ${JSON.stringify(question)}` },
        type: "error"
      })
      const bodies: ReadonlyArray<Behaviour> = [
        { status: 403, body: echo, headers: { "x-echo": key } },
        { status: 500, body: echo },
        { raw: echo },
        { text: echo },
        { answer: { ...full, action: echo } },
        { answer: { ...full, action: "UPDATE", merged: { title: 7, narrative: echo } } }
      ]
      for (const behaviour of bodies) {
        server.next(behaviour)
        const { exit, text } = yield* overheard(ask(question))
        expect(Exit.isFailure(exit)).toBe(true)
        for (const secret of [key, ...texts]) expect(text).not.toContain(secret)
      }
    })
  )

  it.scopedLive("is aborted after its time-out", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking(protocol, { timeout: 500 })
      server.next({ hang: true })
      const started = Date.now()
      expect(yield* Effect.flip(ask(question))).toMatchObject({ reason: "timeout" })
      expectDuration(`time-out of ${protocol} after 500 ms`, Date.now() - started, 600, 1_500)
      expect(server.requests).toHaveLength(1)
    })
  )
})

describe("a model", () => {
  it.scopedLive("limits concurrent questions, and the time in the queue does not count", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking("chat", { concurrency: 3, timeout: 1_000, patience: 1_000 })
      server.otherwise({ answer: full, delay: 150 })
      const answers = yield* Effect.all(
        Array.from({ length: 30 }, () => ask(question)),
        { concurrency: "unbounded" }
      )
      expect(answers).toHaveLength(30)
      expect(server.most()).toBe(3)
    })
  )

  it.scopedLive("aborts a question whose caller is gone", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking("chat", { concurrency: 1 })
      server.next({ hang: true }, { answer: full })
      const fiber = yield* Effect.fork(ask(question))
      while (server.requests.length === 0) yield* Effect.sleep(5)
      yield* Fiber.interrupt(fiber)
      expect((yield* ask(question)).verdict).toEqual(verdict)
    })
  )

  it.scopedLive("respects a retry delay in seconds or as a date", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* asking("messages")
      const started = Date.now()
      server.next({ status: 529, headers: { "retry-after": "1" } }, { answer: full })
      yield* ask(question)
      expect(Date.now() - started).toBeGreaterThanOrEqual(990)
      server.next({ status: 503, headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() } })
      expect(yield* Effect.flip(ask(question))).toMatchObject({ detail: "status 503" })
    })
  )

  it.scopedLive("without schemas is asked in words from then on, and may add its thoughts", () =>
    Effect.gen(function* () {
      for (const [refuses, formats] of [
        [["json_schema"], ["json_schema", "json_object", "json_object"]],
        [
          ["json_schema", "json_object"],
          ["json_schema", "json_object", undefined, undefined]
        ]
      ] as const) {
        const { ask, server } = yield* asking("chat", {}, refuses)
        const json = JSON.stringify(full)
        server.next({ text: `<think>Hm, {"action": 7}…</think>\n\`\`\`json\n${json}\n\`\`\`` }, { text: `\n${json}\n` })
        expect((yield* ask(question)).verdict).toEqual(verdict)
        expect((yield* ask(question)).verdict).toEqual(verdict)
        expect(server.requests.map(({ body }) => body.response_format?.type)).toEqual(formats)
      }
    })
  )

  it.scopedLive("at another address gets only the key configured for that address", () =>
    Effect.gen(function* () {
      const { server } = yield* asking("chat")
      const { keyVariable: _, ...settings } = settingsOf("chat", server.url)
      const model = yield* LanguageModels.make(settings).pipe(withSettings({ OPENAI_API_KEY: key }))
      yield* Effect.flip(ModelReconciler.ask(model, "x")(question))
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
      expect(
        yield* Effect.flip(LanguageModels.make(settingsOf("chat", server.url)).pipe(withSettings({})))
      ).toMatchObject({
        message: "model openai/small-1: TEST_MODEL_KEY is not set"
      })
      expect(environment.TEST_MODEL_KEY).toBe(key)
    })
  )

  it.scopedLive("shared by callers reveals no answers or keys in errors", () =>
    Effect.gen(function* () {
      const { server } = yield* asking("messages")
      const model = yield* LanguageModels.make(settingsOf("messages", server.url)).pipe(withSettings(environment))
      server.next({ status: 400, body: JSON.stringify({ error: { message: `${key} port 5433` } }) })
      const { exit, text } = yield* overheard(model.generateText({ prompt: "port 5433" }))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(text).toContain("status 400")
      for (const secret of [key, ...texts]) expect(text).not.toContain(secret)
      server.next({ text: "yes" })
      expect((yield* model.generateText({ prompt: "port 5433" })).text).toBe("yes")
    })
  )

  it.live("without a server fails", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(Effect.map(asking("chat"), ({ server }) => server.url))
      const model = yield* Effect.scoped(LanguageModels.make(settingsOf("chat", url)).pipe(withSettings(environment)))
      const error = yield* Effect.flip(ModelReconciler.ask(model, "x")(question))
      expect(error).toMatchObject({ reason: "failed", detail: "no connection" })
    })
  )
})
