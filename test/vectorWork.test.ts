import { describe, expect, it } from "@effect/vitest"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type { Daybook } from "../src/Daybook.js"
import { retryDelayMillis } from "../src/embedding/background.js"
import { EmbedderError, type EmbedderService } from "../src/ports/Embedder.js"
import { known, scripted } from "./support/embedders.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { quiet } from "./support/quiet.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const policy = { embedding: { gather: 0, timeout: 5_000 } }
const titles = Array.from({ length: 40 }, (_, at) => `the pilot of harbour ${at} keeps tea`)

const written = (daybook: System, some = titles) =>
  Effect.flatMap(daybook.agent(agent, { trust: "full" }), (memory) =>
    memory.rememberAll(some.map((title) => ({ title, store: "social" as const })))
  )

const pair = () => {
  const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
  old.before = next.before = Effect.sleep(30)
  return { old, next, options: { ...known(old, next), policy } }
}

const twice = (texts: ReadonlyArray<string>) => texts.length - new Set(texts).size

describe("two processes of one folder", () => {
  it.scopedLive("make no vector twice: one embeds, the other waits", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [one, other] = [pair(), pair()]
      const a = yield* open(folder, one.options)
      const b = yield* open(folder, other.options)
      yield* written(a)
      // Either process may be the one that embeds.
      while (one.old.asked.length + other.old.asked.length === 0) yield* Effect.sleep(2)
      yield* written(b, ["a word from the server"])
      yield* b.backfill(agent)
      expect((yield* b.embedders.status(agent)).inForce.lacking).toBe(0)
      expect(twice([...one.old.asked, ...other.old.asked].flat())).toBe(0)

      const shown: Array<number> = []
      const switching = yield* Effect.fork(a.embedders.switchTo(agent, "next"))
      while (one.next.asked.length + other.next.asked.length === 0) yield* Effect.sleep(2)
      yield* written(b, ["another word from the server"])
      // Whoever asks for the same there sees how far it has come, and that it is done.
      const same = b.embedders.switchTo(agent, "next", { onProgress: ({ left }) => void shown.push(left) })
      expect(yield* same).toMatchObject({ model: "next", state: "inForce" })
      yield* Fiber.join(switching)
      yield* b.backfill(agent)
      const sent = [...one.next.asked, ...other.next.asked].flat()
      expect(twice(sent)).toBe(0)
      expect(sent).toHaveLength(42)
      expect(shown.length).toBeGreaterThan(0)
    })
  )

  it.scopedLive("continue where the other one stopped", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [one, other] = [pair(), pair()]
      const b = yield* open(folder, other.options)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const a = yield* open(folder, one.options)
          yield* written(a)
          yield* a.backfill(agent)
          yield* Effect.fork(a.embedders.switchTo(agent, "next"))
          while (one.next.asked.length + other.next.asked.length < 2) yield* Effect.sleep(2)
        })
      )
      expect(yield* b.embedders.switchTo(agent, "next")).toMatchObject({ state: "inForce" })
      expect((yield* b.embedders.status(agent)).inForce).toMatchObject({ model: "next", embedded: 40, lacking: 0 })
    })
  )
})

describe("an index dropped while it is filled", () => {
  it.scopedLive("is not filled further and does not return, and another index need not wait", () =>
    Effect.gen(function* () {
      const [old, next, third] = [scripted("old", 1, 48), scripted("next", 2, 96), scripted("third", 3, 64)]
      const { daybook } = yield* fresh({ ...known(old, next, third), policy })
      yield* written(daybook)
      yield* daybook.backfill(agent)
      const gate = yield* Deferred.make<void>()
      next.before = Deferred.await(gate)
      const switching = yield* Effect.fork(Effect.flip(daybook.embedders.switchTo(agent, "next")))
      while (next.asked.length === 0) yield* Effect.sleep(2)
      yield* daybook.embedders.drop(agent, "next")
      const other = yield* Effect.fork(daybook.embedders.switchTo(agent, "third"))
      yield* Effect.sleep(20)
      yield* Deferred.succeed(gate, undefined)
      expect((yield* Fiber.join(switching)).message).toContain("is no longer being prepared")
      expect(yield* Fiber.join(other)).toMatchObject({ model: "third", state: "inForce" })
      expect(next.asked).toHaveLength(1)
      expect((yield* daybook.embedders.status(agent)).kept).toEqual([
        { model: "old", dimensions: 48, embedded: 40, lacking: 0 }
      ])
    })
  )
})

describe("embedding after a failure", () => {
  const failing = (kind: "connection" | "settings", after?: number) =>
    Effect.gen(function* () {
      const one = scripted("old", 1, 48)
      const sound = one.embed
      one.embed = () =>
        Effect.fail(
          new EmbedderError({ model: "old", reason: "failed", kind, ...(after && { retryAfterMillis: after }) })
        )
      const { daybook } = yield* fresh({ ...known(one), policy })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "the last word before the provider was back" })
      // The work may begin to wait only after the clock moved.
      for (let tries = 0; tries < 20 && one.asked.length === 0; tries++) yield* passing(1)
      expect(one.asked).toHaveLength(1)
      one.embed = sound
      const embedded = Effect.map(daybook.stats(agent), ({ vectors }) => vectors.embedded)
      return { one, embedded }
    })

  /** Seconds go by, and whatever is done on files in them. */
  const passing = (seconds: number) =>
    Effect.forEach(
      Array.from({ length: seconds }),
      () =>
        // Work that is about to sleep does so before the clock moves.
        Effect.zipRight(
          Effect.zipRight(quiet, TestClock.adjust("1 seconds")),
          Effect.zipRight(
            Effect.promise(() => new Promise((go) => setTimeout(go, 20))),
            quiet
          )
        ),
      { discard: true }
    )

  it.scoped("makes the newest vectors without a request", () =>
    Effect.gen(function* () {
      const { embedded } = yield* failing("connection")
      expect(yield* embedded).toBe(0)
      yield* passing(5)
      expect(yield* embedded).toBe(1)
    })
  )

  it.scoped("waits as long as the provider requested, and does not retry errors that a person must fix", () =>
    Effect.gen(function* () {
      const busy = yield* failing("connection", 60_000)
      yield* passing(30)
      expect(busy.one.asked).toHaveLength(1)
      yield* passing(40)
      expect(yield* busy.embedded).toBe(1)
      const wrong = yield* failing("settings")
      yield* passing(30)
      yield* TestClock.adjust("1 hours")
      yield* passing(1)
      expect(wrong.one.asked).toHaveLength(1)
    })
  )

  it("retries with growing pauses of up to five minutes", () => {
    const of = (more: object) => new EmbedderError({ model: "one", reason: "failed", ...more })
    expect([0, 1, 2, 7, 8, 99].map((failures) => retryDelayMillis(of({}), failures))).toEqual([
      2_000, 4_000, 8_000, 256_000, 300_000, 300_000
    ])
    expect(retryDelayMillis(of({ retryAfterMillis: 3_600_000 }), 0)).toBe(3_600_000)
    expect(retryDelayMillis(of({ kind: "settings" }), 0)).toBeUndefined()
  })

  it.scopedLive("of a switch reports the reason and waits if a caller listens, otherwise ends", () =>
    Effect.gen(function* () {
      const [old, next] = [scripted("old", 1, 48), scripted("next", 2, 96)]
      const { daybook } = yield* fresh({ ...known(old, next), policy })
      yield* written(daybook)
      yield* daybook.backfill(agent)
      const sound = next.embed
      const error = new EmbedderError({ model: "next", reason: "failed", kind: "busy", retryAfterMillis: 2_500 })
      const failed: EmbedderService["embed"] = () => Effect.fail(error)
      next.embed = failed
      expect(yield* Effect.flip(daybook.embedders.switchTo(agent, "next"))).toMatchObject({ retryAfterMillis: 2_500 })
      const told: Array<number> = []
      let at = 0
      const onFailure = (_: EmbedderError, pause: number) => {
        told.push(pause)
        at = Date.now()
        next.embed = sound
      }
      next.embed = failed
      expect(yield* daybook.embedders.switchTo(agent, "next", { onFailure })).toMatchObject({ state: "inForce" })
      expect(told).toEqual([2_500])
      // Nobody was asked sooner, not by the background either.
      expect(Date.now() - at).toBeGreaterThan(2_400)
      const wrong = new EmbedderError({ model: "old", reason: "failed", kind: "settings" })
      old.embed = () => Effect.fail(wrong)
      yield* written(daybook, ["one more"])
      const back = yield* Effect.flip(daybook.embedders.back(agent, { onFailure }))
      expect(back).toMatchObject({ kind: "settings" })
      expect(told).toHaveLength(1)
    })
  )

  it.scopedLive("of a switch that writes outrun reports so, and blames no text", () =>
    Effect.gen(function* () {
      const [old, next] = [scripted("old", 1, 48, { local: true }), scripted("next", 2, 96)]
      const { daybook } = yield* fresh({ ...known(old, next), policy })
      yield* written(daybook)
      yield* daybook.backfill(agent)
      let at = 0
      const sound = next.embed
      next.embed = (texts, purpose) =>
        Effect.gen(function* () {
          // The last batch of a round: more comes than may be lacking.
          if (texts.length < 8) {
            const more = Array.from({ length: 43 }, () => `nothing outruns boat ${at++}`)
            yield* Effect.ignore(written(daybook, more))
          }
          return yield* sound(texts, purpose)
        })
      yield* written(daybook, ["one more"])
      const outrun = yield* Effect.flip(daybook.embedders.switchTo(agent, "next"))
      expect(outrun.message).toContain("writes outrun embedding: 43 texts have no vector")
      next.embed = (texts) => Effect.succeed(texts.map(() => new Float32Array(96)))
      const without = yield* Effect.flip(daybook.embedders.switchTo(agent, "next"))
      expect(without.message).toContain("cannot embed 43 texts")
    })
  )
})

describe("a slow local embedder", () => {
  it.scopedLive("never computes a vector twice, nor a query's vector without need", () =>
    Effect.gen(function* () {
      const [old, next] = [scripted("old", 1, 48, { local: true }), scripted("next", 2, 96, { local: true })]
      const folder = yield* temporaryFolder
      const options = { ...known(old, next), policy }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder, options)
          yield* written(daybook)
          yield* daybook.backfill(agent)
          yield* daybook.embedders.switchTo(agent, "next")
          yield* daybook.embedders.drop(agent, "old")
          old.asked.length = 0
          yield* daybook.embedders.switchTo(agent, "old")
          expect(old.asked).toEqual([])
          yield* daybook.embedders.switchTo(agent, "next")
        })
      )
      let asked = 0
      const sound = old.embed
      old.embed = (texts, purpose) => {
        asked++
        return sound(texts, purpose)
      }
      const daybook = yield* open(folder, options)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      expect((yield* memory.search({ text: "harbour 7" })).length).toBeGreaterThan(0)
      expect(asked).toBe(0)
    })
  )
})
