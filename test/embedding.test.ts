import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { sleepRealTime } from "../events/turns.js"
import { hashDimensions, hashVector } from "../layers/HashEmbedder.js"
import * as WordEmbedder from "../layers/WordEmbedder.js"
import { openTable, type WordTable } from "../layers/wordTable.js"
import { textDigest } from "../projections/vectors.js"
import type { Daybook } from "../src/Daybook.js"
import type { Memory } from "../src/Memory.js"
import { Embedder, EmbedderError } from "../src/ports/Embedder.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { yieldToTimers } from "./support/size.js"

type System = Context.Tag.Service<Daybook>
type Embed = Context.Tag.Service<Embedder>["embed"]

const agent = "ada"
const model = "meaning-4"
const meanings: Readonly<Record<string, number>> = { dog: 0, puppy: 0, canine: 0, cat: 1, feline: 1 }

/** Directions for a few words, the fourth for all others. */
const meaningOf = (text: string): Float32Array => {
  const vector = new Float32Array(4)
  for (const word of text.toLowerCase().split(/\W+/))
    vector[meanings[word] ?? 3]! += meanings[word] === undefined ? 0.1 : 2
  return vector
}
const sound: Embed = (texts) => Effect.sync(() => texts.map(meaningOf))

/** An embedder whose behaviour can be changed, with the documents that it was asked for. */
const scripted = (options: Partial<Context.Tag.Service<Embedder>> = {}) => {
  const asked: Array<ReadonlyArray<string>> = []
  const script = { embed: options.embed ?? sound, asked }
  const layer = Layer.succeed(Embedder, {
    model,
    dimensions: 4,
    weight: 0.5,
    floor: 0.5,
    batch: 3,
    ...options,
    embed: (texts, purpose) => {
      if (purpose === "document") asked.push(texts)
      return script.embed(texts, purpose)
    }
  })
  return { script, layer }
}

const titlesOf = (memory: Memory, text: string) =>
  Effect.map(memory.search({ text, limit: 100 }), (hits) => hits.map(({ title }) => title))

/** Hits that vectors alone brought up. */
const nearTo = (memory: Memory, text: string) =>
  Effect.map(memory.search({ text, limit: 100 }), (hits) =>
    hits.filter(({ parts }) => parts.vector > 0).map(({ title }) => title)
  )

const eventsOf = (daybook: System) => Effect.map(Stream.runCollect(daybook.log(agent)), (events) => [...events])

const quick = { embedding: { timeout: 1_000, gather: 0 }, search: { queryTimeout: 500 } }

/** Carries out what waits for a time-out that long. */
const waited = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    for (let second = 0; second < 4; second++) yield* TestClock.adjust("1 seconds")
    return yield* Fiber.join(fiber)
  })

const wrong: Readonly<Record<string, readonly [Embed, string | null]>> = {
  fails: [() => Effect.fail(new EmbedderError({ model, reason: "failed", detail: "HTTP 500" })), "failed (HTTP 500)"],
  "dies with a defect": [() => Effect.die(new Error("a text of the user")), "failed"],
  "throws before it is an effect": [
    () => {
      throw new TypeError("a text of the user")
    },
    "failed"
  ],
  hangs: [() => Effect.never, "timeout"],
  "answers too few": [(texts) => Effect.succeed(texts.slice(1).map(meaningOf)), "returned a wrong number of vectors"],
  "answers too many": [
    (texts) => Effect.succeed([...texts, "dog"].map(meaningOf)),
    "returned a wrong number of vectors"
  ],
  "answers no list": [() => Effect.succeed("vectors" as never), "returned a wrong number of vectors"],
  "answers holes": [(texts) => Effect.succeed(texts.map(() => undefined as never)), ""],
  "answers other dimensions": [
    (texts) => Effect.succeed(texts.map(() => new Float32Array(3))),
    "returned vectors with wrong dimensions"
  ],
  "answers NaN": [
    (texts) => Effect.succeed(texts.map(() => Float32Array.of(1, Number.NaN, 0, 0))),
    "returned vectors with invalid values"
  ],
  "answers infinity": [
    (texts) => Effect.succeed(texts.map(() => Float32Array.of(1, 0, Number.POSITIVE_INFINITY, 0))),
    "returned vectors with invalid values"
  ],
  "answers vectors without a direction": [(texts) => Effect.succeed(texts.map(() => new Float32Array(4))), null]
}

describe("a failing embedder", () => {
  for (const [name, [embed, reason]] of Object.entries(wrong)) {
    it.scoped(`${name}: writes and searches continue, and backfill repairs it later`, () =>
      Effect.gen(function* () {
        const { layer, script } = scripted({ embed })
        const { daybook } = yield* fresh({ embedder: layer, policy: quick })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const titles = ["my dog", "a cat", "one bread", "two breads", "three breads", "a puppy", "bread"]
        for (const title of titles) yield* memory.remember({ title })
        expect(yield* memory.list()).toHaveLength(titles.length)
        expect(yield* waited(titlesOf(memory, "puppy"))).toEqual(["a puppy"])
        const failed = yield* waited(daybook.backfill(agent))
        const during = yield* daybook.stats(agent)
        expect(during.vectors).toMatchObject({ available: true, embedded: 0 })
        if (reason === null) expect(during.vectors.failure).toBeUndefined()
        else {
          expect(failed.error).toBeInstanceOf(EmbedderError)
          expect(during.vectors.failure).toContain(reason)
          expect(during.vectors.failure).not.toContain("text of the user")
        }
        expect(failed.remaining).toBe(titles.length)
        expect((yield* eventsOf(daybook)).map(({ type }) => type)).toEqual(titles.map(() => "ADD"))

        script.embed = sound
        script.asked.length = 0
        const mended = yield* daybook.backfill(agent)
        expect(mended).toEqual({ embedded: titles.length, remaining: 0 })
        // Oldest first, no more at once than the embedder takes.
        expect(script.asked).toEqual([titles.slice(0, 3), titles.slice(3, 6), titles.slice(6)])
        expect((yield* daybook.stats(agent)).vectors).toEqual({ available: true, model, dimensions: 4, embedded: 7 })
        expect(yield* titlesOf(memory, "canine")).toEqual(expect.arrayContaining(["my dog", "a puppy"]))

        const before = (yield* eventsOf(daybook)).length
        expect(yield* daybook.backfill(agent)).toEqual({ embedded: 0, remaining: 0 })
        expect((yield* eventsOf(daybook)).length).toBe(before)
        expect(script.asked).toHaveLength(3)
      })
    )
  }

  it.scoped("that hangs and cannot be interrupted blocks nobody", () =>
    Effect.gen(function* () {
      const stuck = yield* Deferred.make<void>()
      yield* Effect.addFinalizer(() => Deferred.succeed(stuck, undefined))
      const { layer } = scripted({
        embed: (texts) => Effect.uninterruptible(Effect.zipRight(Deferred.await(stuck), sound(texts, "document")))
      })
      const { daybook } = yield* fresh({ embedder: layer, policy: quick })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "a puppy" })
      const searching = yield* Effect.fork(titlesOf(memory, "puppy"))
      yield* TestClock.adjust("2 seconds")
      const found = yield* Fiber.poll(searching)
      yield* Deferred.succeed(stuck, undefined)
      expect(found._tag).toBe("Some")
      expect(yield* Fiber.join(searching)).toEqual(["a puppy"])
    })
  )

  it.scoped("that fails in a third of all calls loses no vector", () =>
    Effect.gen(function* () {
      const random = fc.sample(fc.nat({ max: 2 }), { numRuns: 5_000, seed: 3 })
      const ways = Object.values(wrong).map(([embed]) => embed)
      let call = 0
      const { layer, script } = scripted({
        embed: (texts, purpose) => {
          const index = call++
          return random[index] === 0 ? ways[index % ways.length]!(texts, purpose) : sound(texts, purpose)
        }
      })
      const { daybook } = yield* fresh({ embedder: layer, policy: quick })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (let index = 0; index < 200; index++) {
        yield* memory.remember({ title: `bread ${index}` })
        if (index % 10 === 0) {
          expect(yield* waited(titlesOf(memory, `+${index}`))).toEqual([`bread ${index}`])
          yield* waited(daybook.backfill(agent))
        }
      }
      script.embed = sound
      yield* waited(daybook.backfill(agent))
      expect((yield* daybook.stats(agent)).vectors).toEqual({ available: true, model, dimensions: 4, embedded: 200 })
      expect(yield* memory.list({ limit: 1_000 })).toHaveLength(200)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )
})

describe("background embedding", () => {
  it.scoped("embeds turns while memories are refused, and memories while turns are refused", () =>
    Effect.gen(function* () {
      const refusing =
        (word: string): Embed =>
        (texts) =>
          texts.some((text) => text.includes(word))
            ? Effect.fail(new EmbedderError({ model, reason: "failed" }))
            : sound(texts, "document")
      const { layer, script } = scripted({ embed: refusing("cat") })
      const { daybook } = yield* fresh({ embedder: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "a cat" })
      yield* memory.sessions.append({ session: "s", text: "my dog" })
      expect(yield* daybook.backfill(agent)).toMatchObject({ embedded: 1, remaining: 1, error: { reason: "failed" } })
      expect((yield* daybook.stats(agent)).conversation.embedded).toBe(1)
      script.embed = refusing("dog")
      yield* memory.sessions.append({ session: "s", text: "two dogs" })
      expect(yield* daybook.backfill(agent)).toMatchObject({ embedded: 1, remaining: 1, error: { reason: "failed" } })
      expect((yield* daybook.stats(agent)).vectors.embedded).toBe(1)
      script.embed = sound
      expect(yield* daybook.backfill(agent)).toEqual({ embedded: 1, remaining: 0 })
    })
  )

  it.scoped("starts after the write, and embeds the same text once", () =>
    Effect.gen(function* () {
      const made = yield* Deferred.make<void>()
      const { layer, script } = scripted({
        batch: 10,
        embed: (texts, purpose) =>
          Effect.zipRight(
            purpose === "document" ? Deferred.succeed(made, undefined) : Effect.void,
            sound(texts, purpose)
          )
      })
      const { daybook } = yield* fresh({ embedder: layer, policy: { embedding: { gather: 50 } } })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "my dog" })
      yield* memory.remember({ title: "a cat" })
      expect(script.asked).toEqual([])
      yield* TestClock.adjust(50)
      yield* Deferred.await(made)
      // What runs by itself is waited for, and has left nothing to do.
      expect(yield* daybook.backfill(agent)).toEqual({ embedded: 0, remaining: 0 })
      expect(script.asked).toEqual([["my dog", "a cat"]])
      expect(yield* nearTo(memory, "canine")).toEqual(["my dog"])
      // Another agent, another store, the same text: the vector is known.
      const other = yield* daybook.agent("bob", { trust: "full" })
      yield* other.rememberAll([{ title: "my dog" }, { title: "my dog", store: "social" }])
      expect(yield* daybook.backfill("bob")).toEqual({ embedded: 2, remaining: 0 })
      expect(script.asked).toHaveLength(1)
      // Mentioned again, relabelled, moved: the text is the same.
      yield* memory.remember({ title: "my dog" })
      const id = (yield* memory.list())[0]!.id
      yield* memory.update(id, { importance: 1, tags: ["pet"], store: "social" })
      yield* daybook.backfill(agent)
      expect(script.asked).toHaveLength(1)
    })
  )

  /** One adjustment of the clock may come before the sleep that it should end. */
  const whileTimePasses = (work: Effect.Effect<void>) =>
    Effect.raceFirst(work, Effect.forever(Effect.zipRight(TestClock.adjust(1), yieldToTimers)))

  const gated = Effect.gen(function* () {
    const [gate, reached] = [yield* Effect.makeLatch(false), yield* Effect.makeLatch(false)]
    const { layer, script } = scripted({
      batch: 10,
      embed: (texts, purpose) =>
        purpose === "query"
          ? sound(texts, purpose)
          : Effect.zipRight(reached.open, Effect.zipRight(gate.await, sound(texts, purpose)))
    })
    const { daybook } = yield* fresh({ embedder: layer, policy: quick })
    const memory = yield* daybook.agent(agent, { trust: "full" })
    return { daybook, gate, reached, memory, script }
  })

  it.scoped("collects texts written during a batch for the next one", () =>
    Effect.gen(function* () {
      const [gate, reached] = [yield* Effect.makeLatch(false), yield* Effect.makeLatch(false)]
      const { layer, script } = scripted({
        batch: 10,
        embed: (texts, purpose) =>
          purpose === "query"
            ? sound(texts, purpose)
            : Effect.zipRight(reached.open, Effect.zipRight(gate.await, sound(texts, purpose)))
      })
      const { daybook } = yield* fresh({ embedder: layer, policy: { embedding: { gather: 50 } } })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const embeds = Effect.map(eventsOf(daybook), (events) => events.filter(({ type }) => type === "EMBED").length)
      const until = (count: number) => Effect.repeat(embeds, { until: (found) => found >= count })
      yield* memory.remember({ title: "my dog" })
      yield* TestClock.adjust(50)
      yield* reached.await
      yield* memory.remember({ title: "a cat" })
      yield* gate.open
      yield* until(1)
      yield* memory.remember({ title: "a puppy" })
      // Time enough for whoever would not wait.
      for (let times = 0; times < 100; times++) yield* Effect.zipRight(Effect.yieldNow(), embeds)
      expect(script.asked).toEqual([["my dog"]])
      yield* TestClock.adjust(50)
      yield* until(2)
      expect(script.asked).toEqual([["my dog"], ["a cat", "a puppy"]])
      expect(yield* daybook.backfill(agent)).toEqual({ embedded: 0, remaining: 0 })
    })
  )

  it.scoped("gives a text that changes during its request a vector of the new text", () =>
    Effect.gen(function* () {
      const { daybook, gate, memory, reached } = yield* gated
      const [one, two, three, four] = yield* Effect.all([
        memory.remember({ title: "my dog" }),
        memory.remember({ title: "her dog" }),
        memory.remember({ title: "his dog" }),
        memory.remember({ title: "a dog" })
      ])
      const embedding = yield* Effect.fork(daybook.backfill(agent))
      yield* reached.await
      yield* memory.update(one.id, { title: "my cat" })
      yield* memory.forget(two.id)
      yield* memory.update(three.id, { store: "social" })
      yield* memory.update(four.id, { facts: ["now a cat cat"], title: "a feline" })
      yield* memory.remember({ title: "the puppy" })
      yield* gate.open
      yield* Fiber.join(embedding)
      expect(yield* nearTo(memory, "canine")).not.toContain("my cat")
      yield* daybook.backfill(agent)
      expect([...(yield* nearTo(memory, "canine"))].sort()).toEqual(["his dog", "the puppy"])
      expect([...(yield* nearTo(memory, "feline"))].sort()).toEqual(["a feline", "my cat"])
      const familiar = yield* daybook.agent(agent, { trust: "familiar" })
      expect(yield* nearTo(familiar, "canine")).toEqual(["his dog"])
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("retries changes made meanwhile, without a request", () =>
    Effect.gen(function* () {
      const { gate, memory, reached, script } = yield* gated
      const { id } = yield* memory.remember({ title: "my dog" })
      yield* whileTimePasses(reached.await)
      yield* memory.update(id, { title: "my cat" })
      const again = yield* Deferred.make<void>()
      const { embed } = script
      script.embed = (texts, purpose) =>
        Effect.zipRight(
          texts.includes("my cat") ? Deferred.succeed(again, undefined) : Effect.void,
          embed(texts, purpose)
        )
      yield* gate.open
      yield* whileTimePasses(Deferred.await(again))
      expect(script.asked).toEqual([["my dog"], ["my cat"]])
    })
  )

  it.scoped("never delays a write, and searches use words meanwhile", () =>
    Effect.gen(function* () {
      const { daybook, gate, memory, reached } = yield* gated
      yield* memory.remember({ title: "my dog" })
      const embedding = yield* Effect.fork(daybook.backfill(agent))
      yield* reached.await
      for (let index = 0; index < 20; index++) yield* memory.remember({ title: `bread ${index}` })
      expect(yield* memory.list({ limit: 100 })).toHaveLength(21)
      expect(yield* titlesOf(memory, "dog")).toEqual(["my dog"])
      expect(yield* nearTo(memory, "canine")).toEqual([])
      yield* gate.open
      yield* Fiber.join(embedding)
      expect(yield* nearTo(memory, "canine")).toEqual(["my dog"])
    })
  )

  it.scoped("does not keep other agents from waking if an embedder hangs", () =>
    Effect.gen(function* () {
      const { layer } = scripted({
        embed: (texts, purpose) => (purpose === "query" ? sound(texts, purpose) : Effect.never)
      })
      const { daybook } = yield* fresh({
        embedder: layer,
        policy: { actors: { open: 2 }, embedding: { timeout: 60_000, gather: 0 } }
      })
      const remember = (name: string) =>
        Effect.flatMap(daybook.agent(name, { trust: "full" }), (memory) => memory.remember({ title: "bread" }))
      for (const name of ["a", "b"]) yield* remember(name)
      yield* TestClock.adjust(10)
      const third = yield* Effect.fork(remember("c"))
      yield* TestClock.adjust("1 seconds")
      let done = yield* Fiber.poll(third)
      // In real time only: it opens a view.
      for (let tries = 0; tries < 500 && done._tag === "None"; tries++) {
        yield* sleepRealTime(10)
        done = yield* Fiber.poll(third)
      }
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(third)
      expect(done._tag).toBe("Some")
    })
  )
})

describe("without sqlite-vec", () => {
  const missing: ReadonlyArray<readonly [string, string | null]> = [
    ["none", null],
    ["a path where nothing is", "/nowhere/vec0"]
  ]

  const using = <A, E>(
    folder: string,
    vectorExtension: string | null | undefined,
    f: (daybook: System, memory: Memory) => Effect.Effect<A, E>
  ) =>
    Effect.scoped(
      Effect.gen(function* () {
        const daybook = yield* open(folder, {
          embedder: scripted().layer,
          ...(vectorExtension === undefined ? {} : { vectorExtension })
        })
        return yield* f(daybook, yield* daybook.agent(agent, { trust: "full" }))
      })
    )

  for (const [name, vectorExtension] of missing) {
    it.scopedLive(`${name}: full text works from the start, and vectors work once it is installed`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        yield* using(folder, vectorExtension, (daybook, memory) =>
          Effect.gen(function* () {
            yield* memory.rememberAll([{ title: "my dog" }, { title: "a cat" }])
            expect(yield* titlesOf(memory, "canine dog")).toEqual(["my dog"])
            expect(yield* daybook.backfill(agent)).toMatchObject({ embedded: 0, remaining: 2 })
            const { vectors, view } = yield* daybook.stats(agent)
            expect(vectors).toMatchObject({ available: false, embedded: 0 })
            expect(view.parked.map(({ projection }) => projection)).toEqual(["chunkVectors", "vectors"])
            const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 1 } })
            expect((yield* past.search({ text: "dog" })).length).toBe(1)
          })
        )
        yield* using(folder, undefined, (daybook, memory) =>
          Effect.gen(function* () {
            expect(yield* daybook.backfill(agent)).toEqual({ embedded: 2, remaining: 0 })
            const { vectors, view } = yield* daybook.stats(agent)
            expect(vectors).toMatchObject({ available: true, embedded: 2 })
            expect(view.parked).toEqual([])
            expect(yield* nearTo(memory, "canine")).toEqual(["my dog"])
          })
        )
      })
    )

    it.scopedLive(`${name}: a view with vectors works without them, and has them again later`, () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const id = yield* using(folder, undefined, (daybook, memory) =>
          Effect.gen(function* () {
            const { id } = yield* memory.remember({ title: "my dog" })
            yield* memory.remember({ title: "her puppy" })
            yield* daybook.backfill(agent)
            return id
          })
        )
        yield* using(folder, vectorExtension, (daybook, memory) =>
          Effect.gen(function* () {
            expect(yield* titlesOf(memory, "puppy")).toEqual(["her puppy"])
            expect(yield* memory.search({ text: "canine" })).toEqual([])
            yield* memory.update(id, { title: "my cat" })
            yield* memory.remember({ title: "a feline" })
            expect(yield* titlesOf(memory, "cat")).toEqual(["my cat"])
            expect((yield* daybook.stats(agent)).vectors.available).toBe(false)
            yield* daybook.digests(agent)
            yield* daybook.backfill(agent)
          })
        )
        yield* using(folder, undefined, (daybook, memory) =>
          Effect.gen(function* () {
            yield* daybook.backfill(agent)
            const { vectors, view } = yield* daybook.stats(agent)
            expect(view.parked).toEqual([])
            expect(vectors).toMatchObject({ available: true, embedded: 3 })
            expect(yield* nearTo(memory, "canine")).toEqual(["her puppy"])
            expect([...(yield* nearTo(memory, "feline"))].sort()).toEqual(["a feline", "my cat"])
            yield* expectSameAfterRebuild(daybook, agent)
          })
        )
      })
    )
  }
})

describe("the index of another model", () => {
  it.scopedLive("is separate from the first one, which is used again when its model returns", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      /** The other way round: what is near in one model is far in the other. */
      const turned: Embed = (texts) =>
        Effect.sync(() => texts.map((text) => Float32Array.from(meaningOf(text)).reverse()))
      const first = scripted()
      const variants = [
        { model: "turned-4", embed: turned },
        {
          model,
          dimensions: 5,
          embed: ((texts) => Effect.sync(() => texts.map((text) => Float32Array.of(...meaningOf(text), 0)))) as Embed
        }
      ]
      const using = <A, E>(layer: Layer.Layer<Embedder>, f: (daybook: System, memory: Memory) => Effect.Effect<A, E>) =>
        Effect.scoped(
          Effect.flatMap(open(folder, { embedder: layer }), (daybook) =>
            Effect.flatMap(daybook.agent(agent, { trust: "full" }), (memory) => f(daybook, memory))
          )
        )
      yield* using(first.layer, (daybook, memory) =>
        Effect.zipRight(memory.rememberAll([{ title: "my dog" }, { title: "a cat" }]), daybook.backfill(agent))
      )
      for (const variant of variants) {
        const other = scripted(variant)
        yield* using(other.layer, (daybook, memory) =>
          Effect.gen(function* () {
            expect((yield* daybook.stats(agent)).vectors).toMatchObject({ model: variant.model, embedded: 0 })
            expect(yield* nearTo(memory, "canine")).toEqual([])
            expect(yield* titlesOf(memory, "dog")).toEqual(["my dog"])
            expect(yield* daybook.backfill(agent)).toEqual({ embedded: 2, remaining: 0 })
            expect(other.script.asked).toEqual([["my dog", "a cat"]])
            expect(yield* nearTo(memory, "canine")).toEqual(["my dog"])
          })
        )
      }
      first.script.asked.length = 0
      yield* using(first.layer, (daybook, memory) =>
        Effect.gen(function* () {
          expect(yield* nearTo(memory, "canine")).toEqual(["my dog"])
          expect(yield* daybook.backfill(agent)).toEqual({ embedded: 0, remaining: 0 })
          expect(first.script.asked).toEqual([])
          // As of a moment before the others had any vectors, the first one's are there.
          const past = yield* daybook.agent(agent, { trust: "full", asOf: { version: 3 } })
          expect((yield* past.search({ text: "canine" })).map(({ title }) => title)).toEqual(["my dog"])
        })
      )
    })
  )
})

describe("feature hashing", () => {
  it("gives the same vector for the same text on every machine", () => {
    const vector = hashVector("Green tea, green TEA for Ada: 東京 café 🚀")
    expect(createHash("sha256").update(new Uint8Array(vector.buffer)).digest("hex")).toBe(golden)
    expect(hashVector("Green tea, green TEA for Ada: 東京 café 🚀")).toEqual(vector)
  })

  it.prop("is never zero, always finite, and always has the same size", [fc.string({ unit: "binary" })], ([text]) => {
    const vector = hashVector(text)
    expect(vector).toHaveLength(hashDimensions)
    expect(vector.every(Number.isFinite)).toBe(true)
    expect(Math.hypot(...vector)).toBeGreaterThan(0)
  })

  it("gives similar texts more similar vectors", () => {
    const cosine = (a: string, b: string) => {
      const [left, right] = [hashVector(a), hashVector(b)]
      return (
        left.reduce((sum, value, index) => sum + value * right[index]!, 0) / Math.hypot(...left) / Math.hypot(...right)
      )
    }
    const text = "the deploy pipeline broke on friday"
    for (const similar of [
      "deploy pipelines break on fridays",
      "Friday: the pipeline for deploying broke",
      text.toUpperCase()
    ]) {
      for (const unrelated of ["grandmother likes green tea", "東京都に住んでいます", "C++ templates", "!!!"]) {
        expect(cosine(text, similar)).toBeGreaterThan(cosine(text, unrelated) + 0.2)
      }
    }
    expect(cosine("Café", "CAFE\u0301")).toBeCloseTo(1, 6)
  })

  it.scopedLive("has length 1 once the engine stores it", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const titles = ["green tea", "!!!", "東京", "tea ".repeat(100).trim()]
      yield* memory.rememberAll(titles.map((title) => ({ title })))
      yield* daybook.backfill(agent)
      const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
      const kept = yield* log.vectors("hash-256-v1", hashDimensions, titles.map(textDigest))
      for (const title of titles) {
        const vector = kept.get(textDigest(title))!
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
        const raw = hashVector(title)
        expect(vector[0]! * Math.hypot(...raw)).toBeCloseTo(raw[0]!, 5)
      }
    })
  )
})

const golden = "750b9a9cb61c40672509469d0f45c65137c8c48af4873a876f4bd5d2e3ad3b5c"

describe("word vectors", () => {
  const near = (a: string, b: string) =>
    Effect.gen(function* () {
      const [left, right] = yield* (yield* Embedder).embed([a, b], "document")
      const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
      return dot(left!, right!) / Math.sqrt(dot(left!, left!) * dot(right!, right!))
    })

  it.effect("give texts of the same meaning more similar vectors", () =>
    Effect.gen(function* () {
      for (const [one, like, unlike] of [
        ["dog", "puppy", "contract"],
        ["We moved to Berlin in spring", "They live in Germany now", "The compiler rejects this type"],
        ["She plays the violin", "a concert of chamber music", "an invoice for the plumber"],
        ["getUserName fails", "the user name", "a bowl of soup"],
        ["Zwirbelkraut arrived", "zwirbelkraut", "the harbour"]
      ] as const) {
        expect(yield* near(one, like), one).toBeGreaterThan((yield* near(one, unlike)) + 0.1)
      }
    }).pipe(Effect.provide(WordEmbedder.layer))
  )

  it.effect("are never all zero and always finite, for any text", () =>
    Effect.gen(function* () {
      const { dimensions, embed } = yield* Embedder
      const texts = ["", " ", "!!!", "🚀", "東京都", "x".repeat(100_000), "the", "\u0000", "a'b's", "don’t"]
      for (const vector of yield* embed(texts, "document")) {
        expect(vector).toHaveLength(dimensions)
        expect(vector.every(Number.isFinite)).toBe(true)
        expect(vector.some((value) => value !== 0)).toBe(true)
      }
      expect(yield* embed(texts, "query")).toEqual(yield* embed(texts, "document"))
    }).pipe(Effect.provide(WordEmbedder.layer))
  )
})

describe("the table of words", () => {
  const file = new URL("../assets/words.bin", import.meta.url)
  const words = ["the", "house", "river", "harbour", "zwirbelkraut", "café", "东京", "x", "", "tuesday"]
  const told = (table: WordTable) =>
    words.map((word) => {
      const row = table.rowOf(word)
      return row === undefined ? word : [row, table.scaleOf(row), ...table.bytesOf(row)]
    })

  it("gives the same vectors read by row or as a whole", () => {
    const table = openTable(file)
    const few = told(table)
    expect(few.filter((one) => typeof one !== "string").length).toBeGreaterThan(3)
    expect(few).toContain("zwirbelkraut")
    for (let at = 0; at < 300; at++) table.rowOf(`nothing${at}`)
    expect(told(table)).toEqual(few)
    const whole = openTable(file)
    for (let at = 0; at < 300; at++) whole.rowOf(`nothing${at}`)
    expect(told(whole)).toEqual(few)
  })

  it.scoped("refuses another file, or an incomplete one", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const bytes = readFileSync(file)
      const cut = pathToFileURL(join(folder, "words.bin"))
      const refused = (content: Uint8Array) => {
        writeFileSync(cut, content)
        expect(() => openTable(cut)).toThrow()
      }
      for (const length of [0, 7, 23, 24, 1_000, 2_500_000, bytes.length - 1]) refused(bytes.subarray(0, length))
      refused(Buffer.concat([bytes, Buffer.alloc(1)]))
      const other = Buffer.from(bytes)
      other.write("DBWORDS1")
      refused(other)
      // An index without a free slot.
      const full = Buffer.from(bytes)
      full.writeInt32LE(65_536, 16)
      refused(full)
    })
  )
})

describe("memories of a bulk write", () => {
  const bulk = Array.from({ length: 40 }, (_, index) => ({ title: `${index % 2 === 0 ? "dog" : "cat"} ${index}` }))
  const embeddings = (daybook: System) =>
    Effect.map(eventsOf(daybook), (events) => events.filter(({ type }) => type === "EMBED"))

  it.scoped("are found by meaning at once with a local embedder, without duplicates", () =>
    Effect.gen(function* () {
      const { layer, script } = scripted({ local: true })
      const { daybook } = yield* fresh({ embedder: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "dog 0" })
      yield* memory.rememberAll(bulk)
      // The clock stands still: nothing came of the background.
      expect(yield* nearTo(memory, "puppy")).toHaveLength(19)
      const [embedded, ...others] = yield* embeddings(daybook)
      expect(others).toEqual([])
      expect(embedded?.version).toBe(42)
      expect(embedded?.type === "EMBED" && embedded.payload?.entries).toHaveLength(39)
      expect(script.asked.every((texts) => texts.length <= 3)).toBe(true)
      expect((yield* daybook.backfill(agent)).embedded).toBe(1)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("are stored without vectors if it fails, and backfill adds them", () =>
    Effect.gen(function* () {
      const { layer, script } = scripted({ local: true, embed: wrong.fails![0] })
      const { daybook } = yield* fresh({ embedder: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const outcomes = yield* memory.rememberAll(bulk)
      expect(outcomes.every(({ _tag }) => _tag === "Right")).toBe(true)
      expect(yield* embeddings(daybook)).toEqual([])
      script.embed = sound
      expect(yield* daybook.backfill(agent)).toEqual({ embedded: 40, remaining: 0 })
    })
  )

  it.scoped("wait for a local embedder at most as long as the policy says, over all batches", () =>
    Effect.gen(function* () {
      const slow: Embed = (texts) => Effect.delay(sound(texts, "document"), "300 millis")
      for (const [embed, soon] of [
        [slow, 9],
        [() => Effect.never, 0]
      ] as const) {
        const { layer, script } = scripted({ local: true, embed })
        const policy = { embedding: { beside: 1_000, gather: 3_600_000 } }
        const { daybook } = yield* fresh({ embedder: layer, policy })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        // Awake, so that the clock is moved while the write waits and not before.
        yield* daybook.stats(agent)
        const written = yield* Effect.fork(memory.rememberAll(bulk))
        for (let tenth = 0; tenth < 11; tenth++) yield* TestClock.adjust("100 millis")
        expect((yield* Fiber.join(written)).every(({ _tag }) => _tag === "Right")).toBe(true)
        expect((yield* daybook.stats(agent)).vectors.embedded).toBe(soon)
        script.embed = sound
        expect(yield* daybook.backfill(agent)).toEqual({ embedded: 40 - soon, remaining: 0 })
      }
    })
  )

  it.scoped("do not wait for a remote embedder", () =>
    Effect.gen(function* () {
      const { layer, script } = scripted({ embed: () => Effect.never })
      const { daybook } = yield* fresh({ embedder: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.rememberAll(bulk)
      expect(yield* memory.list()).toHaveLength(40)
      expect(script.asked).toEqual([])
    })
  )
})
