import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type DigestedTexts, make } from "../src/embedding/batchEmbedder.js"
import { EmbedderError } from "../src/ports/Embedder.js"
import { known, scripted } from "./support/embedders.js"
import { fresh } from "./support/engine.js"

const agent = "ada"
const policy = { embedding: { gather: 0, timeout: 1_000 } }
const failed = (more: object = {}) =>
  Effect.fail(new EmbedderError({ model: "one", reason: "failed", detail: "status 500", ...more }))

const titles = Array.from({ length: 40 }, (_, at) => `the pilot of harbour ${at} keeps tea`)

describe("a text that always fails", () => {
  it.scopedLive("does not block other texts, is counted, and is retried only by a backfill", () =>
    Effect.gen(function* () {
      const [old, one] = [scripted("old", 1, 48), scripted("one", 2, 96)]
      const sound = one.embed
      const bad = ["harbour 0 ", "harbour 17 "]
      one.embed = (texts, purpose) =>
        texts.some((text) => bad.some((part) => text.includes(part))) ? failed() : sound(texts, purpose)
      const { daybook } = yield* fresh({ ...known(old, one), policy })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.rememberAll(titles.map((title) => ({ title, store: "social" as const })))
      yield* daybook.backfill(agent)
      expect(yield* daybook.embedders.switchTo(agent, "one")).toMatchObject({ state: "inForce" })
      const status = yield* daybook.embedders.status(agent)
      expect(status).toMatchObject({ inForce: { model: "one", embedded: 38, lacking: 2 }, aside: 2 })
      expect(status.failure).toContain("status 500")
      // None of the others was sent again.
      const sent = one.asked.filter((texts) => texts.every((text) => !bad.some((part) => text.includes(part)))).flat()
      expect(sent.filter((text) => text !== "text")).toHaveLength(38)
      expect(yield* daybook.backfill(agent)).toMatchObject({
        embedded: 0,
        remaining: 2,
        error: { detail: "status 500" }
      })
      one.embed = sound
      expect(yield* daybook.backfill(agent)).toEqual({ embedded: 2, remaining: 0 })
      const after = yield* daybook.embedders.status(agent)
      expect(after.aside).toBeUndefined()
      expect(after.failure).toBeUndefined()
    })
  )
})

describe("a batch that fails", () => {
  const page: DigestedTexts = titles.map((text, at) => [String(at), text])
  const numbers = Array.from({ length: 40 }, (_, at) => String(at))

  it.effect("is not blamed on its texts if the embedder answers nothing", () =>
    Effect.gen(function* () {
      for (const [error, requests] of [
        [{}, 2],
        [{ kind: "settings" }, 1],
        [{ kind: "connection" }, 1],
        [{ kind: "busy" }, 1]
      ] as const) {
        const one = scripted("one", 1, 48)
        one.embed = () => failed(error)
        const { embed, skipped } = make(one.service, 1_000)
        yield* Effect.flip(embed(page))
        expect(one.asked).toHaveLength(requests)
        expect(skipped().count).toBe(0)
      }
    })
  )

  it.effect("because it was too large is sent in halves on the second attempt, without sending a text twice", () =>
    Effect.gen(function* () {
      const one = scripted("one", 1, 48)
      const sound = one.embed
      one.embed = (texts, purpose) => (texts.length > 12 ? failed({ kind: "busy" }) : sound(texts, purpose))
      const { embed, skipped } = make(one.service, 1_000)
      yield* Effect.flip(embed(page))
      expect((yield* embed(page)).map(([digest]) => digest)).toEqual(numbers)
      expect(skipped().count).toBe(0)
      expect(one.asked.map(({ length }) => length)).toEqual([40, 40, 20, 10, 10, 20, 10, 10])
    })
  )

  it.effect("keeps the vectors of its halves if one of them fails", () =>
    Effect.gen(function* () {
      const one = scripted("one", 1, 48)
      const sound = one.embed
      one.embed = (texts, purpose) => {
        if (texts.length === 1 && texts[0] === "text") return sound(texts, purpose)
        return texts.includes(titles[0]!)
          ? failed(texts.length === 10 ? { kind: "connection" } : {})
          : sound(texts, purpose)
      }
      const { embed } = make(one.service, 1_000)
      yield* Effect.flip(embed(page))
      one.embed = sound
      one.asked.length = 0
      expect((yield* embed(page)).map(([digest]) => digest)).toEqual(numbers)
      expect(one.asked).toEqual([titles.slice(0, 20)])
    })
  )
})
