import { cpSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import * as Agents from "../src/actor/Agents.js"
import * as InUse from "../src/actor/activeEmbedders.js"
import type { Command } from "../src/actor/Command.js"
import type { Daybook } from "../src/Daybook.js"
import * as Embedding from "../src/embedding/Embedding.js"
import type { Memory } from "../src/Memory.js"
import { InvalidInput } from "../src/model/errors.js"
import type { Changes, Observation } from "../src/model/input.js"
import { Embedder } from "../src/ports/Embedder.js"
import { defaults as defaultPolicy } from "../src/ports/Policy.js"
import { remember } from "../src/remember/remember.js"
import { type EngineOptions, foundation, fresh, open, temporaryFolder } from "./support/engine.js"
import { gatedLog } from "./support/gatedLog.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"
import { lawRuns, rounds } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const writer = {
  level: "full",
  actor: "test",
  countTokens: () => 1,
  marks: { pii: false, credentials: false },
  pin: "pinned",
  schedules: defaultPolicy.schedules,
  tools: defaultPolicy.tools
} as const

const ada = (options: EngineOptions = {}) =>
  Effect.gen(function* () {
    const { daybook, folder } = yield* fresh(options)
    return { daybook, folder, memory: yield* daybook.agent(agent, { trust: "full" }) }
  })

/** A system whose log is held up as soon as `hold` has been called. */
const held = (options: EngineOptions = {}) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const { gate, layer, reached } = yield* gatedLog(folder)
    // Closed last, whatever a test leaves behind.
    const daybook = yield* open(folder, { ...options, log: layer })
    yield* Effect.addFinalizer(() => gate.open)
    return { daybook, gate, reached, memory: yield* daybook.agent(agent, { trust: "full" }) }
  })

const countOf = (memory: Memory) => Effect.map(memory.list({ limit: 1_000 }), (rows) => rows.length)

/** Every version once, the chain whole, the view as the log says. */
const sound = (daybook: System) =>
  Effect.gen(function* () {
    const verified = yield* daybook.verify(agent)
    expect(verified.problems).toEqual([])
    const stats = yield* daybook.stats(agent)
    expect(stats.version).toBe(verified.events)
    yield* expectSameAfterRebuild(daybook, agent)
    return stats
  })

describe("commands of one agent", () => {
  it.scopedLive("merge 200 concurrent repeats into one memory with 200 mentions", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* ada()
      const said = { title: "lives in Oslo", facts: ["since 2020"] }
      const kept = yield* Effect.all(
        Array.from({ length: 200 }, () => memory.remember(said)),
        { concurrency: "unbounded" }
      )
      expect(new Set(kept.map(({ id }) => id)).size).toBe(1)
      expect(kept.filter(({ outcome }) => outcome === "added")).toHaveLength(1)
      expect(kept.map(({ mentions }) => mentions).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 200 }, (_, index) => index + 1)
      )
      expect(yield* memory.list()).toMatchObject([{ mentions: 200 }])
      yield* daybook.backfill(agent)
      expect((yield* sound(daybook)).memories.active).toBe(1)
    })
  )

  it.scopedLive("run in the given order, and are readable at once", () =>
    Effect.gen(function* () {
      const { memory } = yield* ada()
      const { id } = yield* memory.remember({ title: "0" })
      const titles = Array.from({ length: 300 }, (_, index) => String(index + 1))
      yield* Effect.forEach(titles, (title) => memory.update(id, { title }), { concurrency: "unbounded" })
      expect((yield* memory.history(id)).map(({ memory }) => memory.title)).toEqual(["0", ...titles])
      for (const title of ["a", "b", "c"]) {
        yield* memory.update(id, { title })
        expect((yield* memory.get([id]))[0]?.title).toBe(title)
      }
    })
  )

  it.scopedLive("of many agents run in parallel, each in its own stream", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const names = Array.from({ length: 12 }, (_, index) => `agent-${index}`)
      yield* Effect.forEach(
        names,
        (name) =>
          Effect.gen(function* () {
            const memory = yield* daybook.agent(name, { trust: "full" })
            yield* Effect.all(
              Array.from({ length: 20 }, (_, index) => memory.remember({ title: `${name} ${index}` })),
              { concurrency: "unbounded" }
            )
            expect((yield* memory.list()).every(({ title }) => title.startsWith(`${name} `))).toBe(true)
          }),
        { concurrency: "unbounded" }
      )
      expect((yield* daybook.agents).map(({ name }) => name)).toEqual([...names].sort())
      expect((yield* daybook.verify()).problems).toEqual([])
    })
  )

  it.scopedLive("do not suffer from a command whose decider throws", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const agents = yield* Effect.flatMap(Embedder, (one) =>
        Agents.make({
          embedding: Embedding.make(InUse.make(one, undefined), defaultPolicy.embedding),
          redecideMillis: 0
        })
      ).pipe(Effect.provide(yield* Layer.build(foundation(folder))))
      const poisoned: Command<string, never> = {
        actor: writer.actor,
        request: () => "",
        decide: () => {
          throw new TypeError("broken decider")
        },
        answer: () => "never"
      }
      const commands = Array.from({ length: 100 }, (_, index) =>
        index % 10 === 3 ? poisoned : Either.getOrThrow(remember(writer, { title: `fact ${index}` }))
      )
      const exits = yield* Effect.forEach(
        commands,
        (command) => Effect.exit(agents.use(agent, ({ actor }) => actor.run<unknown, unknown>(command))),
        { concurrency: "unbounded" }
      )
      for (const [index, exit] of exits.entries()) {
        expect([index, Exit.isFailure(exit) && Cause.isDie(exit.cause)]).toEqual([index, index % 10 === 3])
      }
      const log = Context.get(yield* Layer.build(EventLogSqlite.layer(folder)), EventLog)
      const events = yield* log.read(agent, { after: 0, limit: 1_000 })
      expect(events.filter(({ type }) => type === "ADD")).toHaveLength(90)
      expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1))
    })
  )

  it.scopedLive("wait until a view whose commit was lost has caught up", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const using = <A, E>(f: (memory: Memory, daybook: System) => Effect.Effect<A, E>) =>
        Effect.scoped(
          Effect.flatMap(open(folder, { policy: { embedding: { gather: 60_000 } } }), (daybook) =>
            Effect.flatMap(daybook.agent(agent, { trust: "full" }), (memory) => f(memory, daybook))
          )
        )
      yield* using((memory) => memory.remember({ title: "first" }))
      cpSync(join(folder, "views"), join(folder, "earlier"), { recursive: true })
      const ids = yield* using((memory) =>
        Effect.all([1, 2, 3].map((index) => Effect.map(memory.remember({ title: `later ${index}` }), ({ id }) => id)))
      )
      const commands: ReadonlyArray<(memory: Memory) => Effect.Effect<{ readonly outcome: string }, unknown>> = [
        (memory) => memory.forget(ids[0]!),
        (memory) => memory.update(ids[1]!, { title: "changed" }),
        (memory) => memory.update(ids[2]!, { title: "later 3" }),
        (memory) => memory.remember({ title: "later 3" })
      ]
      const outcomes: Array<string> = []
      for (const command of commands) {
        rmSync(join(folder, "views"), { recursive: true })
        cpSync(join(folder, "earlier"), join(folder, "views"), { recursive: true })
        outcomes.push((yield* using(command)).outcome)
      }
      expect(outcomes).toEqual(["forgotten", "updated", "unchanged", "duplicate"])
      // What has no vector is found by a process that has read nothing yet.
      rmSync(join(folder, "views"), { recursive: true })
      cpSync(join(folder, "earlier"), join(folder, "views"), { recursive: true })
      expect(yield* using((_, daybook) => daybook.backfill(agent))).toEqual({ embedded: 3, remaining: 0 })
    })
  )
})

describe("the mailbox of an agent", () => {
  it.scopedLive("refuses commands at once if it is full, carries out accepted ones and writes no refused one", () =>
    Effect.gen(function* () {
      const waiting = 20
      const { daybook, gate, memory, reached } = yield* held({ policy: { actors: { waiting } } })
      yield* memory.remember({ title: "before" })
      yield* gate.close
      yield* reached.close
      const first = yield* Effect.fork(memory.remember({ title: "under way" }))
      yield* reached.await
      const fibers = yield* Effect.forEach(Array.from({ length: 100 }), (_, index) =>
        Effect.fork(Effect.either(memory.remember({ title: `waiting ${index}` })))
      )
      // The last one is refused while all that were taken still wait.
      const last = yield* Fiber.join(fibers.at(-1)!)
      expect(Either.isLeft(last) && last.left._tag).toBe("Overloaded")
      expect(yield* countOf(memory)).toBe(1)
      yield* gate.open
      yield* Fiber.join(first)
      const outcomes = yield* Effect.forEach(fibers, Fiber.join)
      const taken = outcomes.filter(Either.isRight).length
      expect(taken).toBe(waiting)
      for (const one of outcomes) if (Either.isLeft(one)) expect(one.left._tag).toBe("Overloaded")
      expect(yield* countOf(memory)).toBe(2 + taken)
      yield* memory.remember({ title: "afterwards" })
      yield* daybook.backfill(agent)
      expect((yield* sound(daybook)).memories.active).toBe(3 + taken)
    })
  )

  it.scopedLive("answers each of many concurrent commands", () =>
    Effect.gen(function* () {
      const commands = rounds({ quick: 1_000, full: 10_000 })
      const { daybook, memory } = yield* ada({ policy: { actors: { waiting: commands / 2 } } })
      const outcomes = yield* Effect.forEach(
        Array.from({ length: commands }),
        (_, index) => Effect.either(memory.remember({ title: `fact ${index % (commands / 10)}` })),
        { concurrency: "unbounded" }
      )
      const done = outcomes.filter(Either.isRight).length
      for (const one of outcomes) if (Either.isLeft(one)) expect(one.left._tag).toBe("Overloaded")
      const rows = yield* memory.list({ limit: 1_000 })
      expect(rows.reduce((sum, { mentions }) => sum + mentions, 0)).toBe(done)
      expect((yield* daybook.verify(agent)).problems).toEqual([])
    })
  )

  it.scopedLive("survives interrupted callers", () =>
    Effect.gen(function* () {
      const { daybook, gate, memory, reached } = yield* held()
      yield* memory.remember({ title: "before" })
      yield* gate.close
      yield* reached.close
      const under = yield* Effect.fork(memory.remember({ title: "under way" }))
      yield* reached.await
      const behind = yield* Effect.forEach(["a", "b", "c"], (title) => Effect.fork(memory.remember({ title })))
      // Asked at once, not waited for: whoever is under way may finish first.
      yield* Effect.forEach([under, behind[1]!], (fiber) => Fiber.interruptFork(fiber))
      yield* gate.open
      yield* Effect.forEach([behind[0]!, behind[2]!], Fiber.join)
      yield* Effect.forEach([under, behind[1]!], Fiber.await)
      yield* memory.remember({ title: "after" })
      const titles = (yield* memory.list()).map(({ title }) => title)
      expect(titles).toEqual(expect.arrayContaining(["before", "a", "c", "after"]))
      expect(new Set(titles).size).toBe(titles.length)
      yield* daybook.backfill(agent)
      yield* sound(daybook)
    })
  )

  it.scopedLive("loses and duplicates nothing if callers are interrupted at any moment", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* ada()
      const turns = fc.sample(fc.nat({ max: 12 }), { numRuns: 150, seed: 9 })
      const done: Array<string> = []
      yield* Effect.forEach(
        turns,
        (turn, index) =>
          Effect.gen(function* () {
            const title = `fact ${index}`
            const fiber = yield* Effect.fork(memory.remember({ title }))
            for (let at = 0; at < turn; at++) yield* Effect.yieldNow()
            const exit = yield* Fiber.interrupt(fiber)
            if (Exit.isSuccess(exit)) done.push(title)
          }),
        { concurrency: 10, discard: true }
      )
      const titles = (yield* memory.list({ limit: 1_000 })).map(({ title }) => title)
      expect(new Set(titles).size).toBe(titles.length)
      expect(titles).toEqual(expect.arrayContaining(done))
      yield* memory.remember({ title: "after" })
      yield* daybook.backfill(agent)
      yield* sound(daybook)
    })
  )
})

describe("closing the system", () => {
  it.scopedLive("with waiting commands: answered writes are stored, and every caller gets an exit", () =>
    Effect.gen(function* () {
      for (const turns of [0, 1, 2, 4, 100]) {
        const folder = yield* temporaryFolder
        const scope = yield* Scope.make()
        const daybook = yield* Scope.extend(open(folder), scope)
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const fibers = yield* Effect.forEach(Array.from({ length: 300 }), (_, index) =>
          Effect.forkDaemon(memory.remember({ title: `fact ${index}` }))
        )
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow()
        yield* Scope.close(scope, Exit.void)
        const answered: Array<string> = []
        for (const [index, fiber] of fibers.entries()) {
          const exit = yield* Fiber.await(fiber)
          if (Exit.isSuccess(exit)) answered.push(`fact ${index}`)
          else expect(Cause.isDie(exit.cause)).toBe(false)
        }
        const again = yield* open(folder)
        const reader = yield* again.agent(agent, { trust: "full" })
        const titles = (yield* reader.list({ limit: 1_000 })).map(({ title }) => title)
        expect(titles).toEqual(expect.arrayContaining(answered))
        expect(new Set(titles).size).toBe(titles.length)
        expect((yield* again.verify(agent)).problems).toEqual([])
      }
    })
  )
})

describe("the agents of a process", () => {
  it.scopedLive("are all served, and never more of them are awake than allowed", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ policy: { actors: { open: 4 }, embedding: { gather: 0 } } })
      let most = 0
      const look = Effect.map(daybook.awake, (awake) => {
        most = Math.max(most, awake)
      })
      yield* Effect.forEach(
        Array.from({ length: 60 }, (_, index) => index),
        (index) =>
          Effect.gen(function* () {
            const memory = yield* daybook.agent(`agent-${index % 30}`, { trust: "full" })
            yield* look
            yield* memory.remember({ title: `fact ${index}` })
            yield* look
            expect((yield* memory.search({ text: "fact" })).length).toBeGreaterThan(0)
            yield* look
          }),
        { concurrency: "unbounded", discard: true }
      )
      expect(most).toBeLessThanOrEqual(4)
      expect(most).toBeGreaterThan(1)
      expect(yield* daybook.agents).toHaveLength(30)
      for (let index = 0; index < 30; index++) {
        const memory = yield* daybook.agent(`agent-${index}`, { trust: "full" })
        expect((yield* memory.list()).map(({ title }) => title).sort()).toEqual(
          [`fact ${index}`, `fact ${index + 30}`].sort()
        )
      }
    })
  )

  it.scoped("sleep when idle, stay awake when busy, and wake again", () =>
    Effect.gen(function* () {
      const { daybook, gate, memory, reached } = yield* held({
        policy: { actors: { idle: 10_000 }, embedding: { gather: 0 } }
      })
      const bob = yield* daybook.agent("bob", { trust: "full" })
      yield* memory.remember({ title: "tea" })
      yield* bob.remember({ title: "coffee" })
      for (const name of [agent, "bob"]) yield* daybook.backfill(name)
      expect(yield* daybook.awake).toBe(2)
      yield* TestClock.adjust("9 seconds")
      yield* bob.list()
      yield* TestClock.adjust("6 seconds")
      expect(yield* daybook.awake).toBe(1)
      yield* gate.close
      yield* reached.close
      const busy = yield* Effect.fork(bob.remember({ title: "milk" }))
      yield* reached.await
      yield* TestClock.adjust("1 minutes")
      expect(yield* daybook.awake).toBe(1)
      yield* gate.open
      yield* Fiber.join(busy)
      yield* daybook.backfill("bob")
      yield* TestClock.adjust("1 minutes")
      expect(yield* daybook.awake).toBe(0)
      expect((yield* memory.list()).map(({ title }) => title)).toEqual(["tea"])
      expect(yield* daybook.awake).toBe(1)
      expect(yield* memory.remember({ title: "tea" })).toMatchObject({ outcome: "duplicate", mentions: 2 })
    })
  )

  it.scoped("can be awaited by a caller that is then interrupted", () =>
    Effect.gen(function* () {
      const { daybook, gate, memory, reached } = yield* held({
        policy: { actors: { open: 1 }, embedding: { gather: 0 } }
      })
      yield* gate.close
      const busy = yield* Effect.fork(memory.remember({ title: "tea" }))
      yield* reached.await
      const bob = yield* daybook.agent("bob", { trust: "full" })
      const waiting = yield* Effect.fork(bob.remember({ title: "coffee" }))
      yield* TestClock.adjust(1)
      const leaving = yield* Effect.fork(Fiber.interrupt(waiting))
      yield* TestClock.adjust(1)
      const left = yield* Fiber.poll(leaving)
      yield* gate.open
      yield* Fiber.join(busy)
      yield* Fiber.join(leaving)
      expect(left._tag).toBe("Some")
      expect(yield* bob.remember({ title: "milk" })).toMatchObject({ outcome: "added" })
      expect(yield* countOf(bob)).toBe(1)
    })
  )
})

describe("command ids", () => {
  it.scopedLive("repeat the first answer: in sequence, concurrently, in one batch and after a restart", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder)
          const memory = yield* daybook.agent(agent, { trust: "full" })
          const first = yield* memory.remember({ title: "tea" }, { commandId: "c1" })
          expect(first).toMatchObject({ outcome: "added", repeated: false, version: 1 })
          yield* memory.remember({ title: "tea" })
          expect(yield* memory.remember({ title: "tea" }, { commandId: "c1" })).toEqual({ ...first, repeated: true })

          const atOnce = yield* Effect.all(
            Array.from({ length: 50 }, () => memory.remember({ title: "coffee" }, { commandId: "c2" })),
            { concurrency: "unbounded" }
          )
          expect(atOnce.filter(({ repeated }) => !repeated)).toHaveLength(1)
          expect(new Set(atOnce.map(({ id, mentions, version }) => `${id} ${mentions} ${version}`)).size).toBe(1)

          const batch = yield* memory.rememberAll([
            [{ title: "milk" }, { commandId: "c3" }],
            [{ title: "milk" }, { commandId: "c3" }],
            [{ title: "sugar" }, { commandId: "c3" }],
            [{ title: "tea" }, { commandId: "c1" }],
            [{ title: "water" }, { commandId: "c1" }],
            { title: "" },
            { title: "honey" }
          ])
          expect(batch.map((one) => (Either.isRight(one) ? one.right.repeated : one.left._tag))).toEqual([
            false,
            true,
            "CommandConflict",
            true,
            "CommandConflict",
            "InvalidInput",
            false
          ])
          return first
        })
      )
      const daybook = yield* open(folder)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      expect(yield* memory.remember({ title: "tea" }, { commandId: "c1" })).toEqual({ ...first, repeated: true })
      const conflict = yield* Effect.either(memory.forget(first.id, { commandId: "c1" }))
      expect(Either.isLeft(conflict) && conflict.left._tag).toBe("CommandConflict")
      expect((yield* memory.list()).map(({ mentions, title }) => [title, mentions])).toEqual([
        ["honey", 1],
        ["milk", 1],
        ["coffee", 1],
        ["tea", 2]
      ])
    })
  )

  it.scopedLive("also repeat the answer of changes and forgets, even if these changed nothing", () =>
    Effect.gen(function* () {
      const { memory } = yield* ada()
      const { id } = yield* memory.remember({ title: "tea" })
      const changed = yield* memory.update(id, { title: "coffee" }, { commandId: "u1" })
      yield* memory.update(id, { title: "milk" })
      expect(yield* memory.update(id, { title: "coffee" }, { commandId: "u1" })).toEqual({ ...changed, repeated: true })
      expect((yield* memory.get([id]))[0]?.title).toBe("milk")

      yield* memory.update(id, { title: "milk" }, { commandId: "u2" })
      yield* memory.update(id, { title: "water" })
      yield* memory.update(id, { title: "milk" }, { commandId: "u2" })
      expect((yield* memory.get([id]))[0]?.title).toBe("water")

      const gone = yield* memory.forget(id, { commandId: "f1" })
      expect(yield* memory.forget(id, { commandId: "f1" })).toEqual({ ...gone, repeated: true })
    })
  )

  it.scopedLive("compare requests by meaning, not by their spelling", () =>
    Effect.gen(function* () {
      const { memory } = yield* ada()
      const asked: ReadonlyArray<Observation> = [
        { title: "tea", facts: ["green"], occurredAt: "2026-03-14T00:00:00.000Z" },
        { occurredAt: new Date("2026-03-14"), facts: ["green"], title: "tea" },
        { title: "tea", facts: ["green"], occurredAt: "2026-03-14T00:00:00.000Z", narrative: undefined }
      ]
      const kept = yield* Effect.forEach(asked, (one) => memory.remember(one, { commandId: "c1" }))
      expect(kept.map(({ repeated }) => repeated)).toEqual([false, true, true])
    })
  )
})

describe("input", () => {
  const long = (length: number) => "SECRET".padEnd(length, "x")
  const texts = (max: number): ReadonlyArray<unknown> => [5, "\ud800SECRET", "SECRET\0", long(max + 1), "", " \n"]
  const dates = [
    "SECRET",
    "2026-02-30",
    "2026-13-01",
    "2026-03-14T25:00",
    1.5,
    Number.NaN,
    1e17,
    {},
    new Date(Number.NaN)
  ]
  /** By field: values that are refused there. */
  const contents: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    narrative: [5, "\udc00SECRET", "SECRET\0", long(65_537), long(2 << 20)],
    facts: ["SECRET", {}, Array(201).fill("SECRET")],
    "facts.0": texts(2_000).map((one) => [one]),
    "facts.1": [["sound", 5]],
    tags: ["SECRET", Array(1_001).fill("SECRET")],
    "tags.0": [[5], ["SECRET\0"], [null]],
    people: ["SECRET", Array(65).fill("SECRET")],
    "people.0": texts(200).map((one) => [one]),
    files: ["SECRET", Array(101).fill("SECRET")],
    "files.0": texts(1_024).map((one) => [one]),
    store: ["SECRET", "", 5, ["private"]],
    importance: [2, -0.1, Number.NaN, Number.POSITIVE_INFINITY, "0.5", "SECRET"],
    project: texts(256),
    topic: texts(256),
    occurredAt: dates,
    expiresAt: dates,
    unknown: ["SECRET", null],
    id: ["SECRET"],
    mentions: [5],
    constructor: ["SECRET"]
  }
  const observations: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    ...contents,
    title: [...texts(500), null, {}, ["SECRET"]],
    type: ["Person", "1x", "two words", "", long(65).toLowerCase(), 5],
    session: texts(256),
    channel: texts(256),
    sender: texts(256),
    tier: ["SECRET", "", 5],
    source: ["SECRET", 5, []],
    "source.kind": [{ kind: "SECRET" }, {}],
    "source.name": [
      { kind: "agent", name: 5 },
      ...[long(2 << 20), "SECRET\0"].map((name) => ({ kind: "agent", name }))
    ],
    "source.place": [{ kind: "agent", place: long(257) }],
    "source.unknown": [{ kind: "agent", unknown: "SECRET" }]
  }
  const changed: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    ...contents,
    title: [...texts(500), null],
    type: ["Person", null],
    facts: [null, "SECRET"],
    store: [null, "SECRET"],
    importance: [null, 2],
    tier: ["long"],
    session: ["monday"],
    source: [{ kind: "agent" }]
  }

  const refused = (name: string, effect: Effect.Effect<unknown, unknown>, field: string | ReadonlyArray<string>) =>
    Effect.map(Effect.exit(effect), (exit) => {
      const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      if (!(error instanceof InvalidInput)) throw new Error(`${name}: ${error ?? "was taken"}`)
      expect([name, [field].flat().includes(error.field) ? "" : error.field]).toEqual([name, ""])
      expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("SECRET")
      expect(error.message.length, error.message).toBeLessThan(300)
    })

  const brief = (field: string, value: unknown) => `${field} ${JSON.stringify(value)?.slice(0, 60) ?? String(value)}`

  it.scopedLive("is refused with the field and without the value if invalid, and nothing is written", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* ada()
      const { id } = yield* memory.remember({ title: "tea" })
      yield* daybook.backfill(agent)
      const before = (yield* daybook.stats(agent)).version
      const wholes: ReadonlyArray<unknown> = [null, undefined, "SECRET", 5, [], () => "SECRET"]
      for (const whole of wholes) {
        yield* refused(brief("observation", whole), memory.remember(whole as Observation), ["input", "title"])
        yield* refused(brief("changes", whole), memory.update(id, whole as Changes), ["input", "changes"])
      }
      for (const [field, values] of Object.entries(observations)) {
        for (const value of values) {
          const asked = { title: "sound", [field.split(".")[0]!]: value } as unknown as Observation
          yield* refused(brief(field, value), memory.remember(asked), field)
          const [one] = yield* memory.rememberAll([asked])
          expect(Either.isLeft(one!) && one.left._tag).toBe("InvalidInput")
        }
      }
      for (const [field, values] of Object.entries(changed)) {
        for (const value of values) {
          yield* refused(`update ${brief(field, value)}`, memory.update(id, { [field.split(".")[0]!]: value }), field)
        }
      }
      yield* refused("no change", memory.update(id, {}), "changes")
      yield* refused("no change", memory.update(id, { title: undefined }), "changes")
      for (const commandId of ["", long(257), "SECRET\0", 5 as never]) {
        yield* refused("commandId", memory.remember({ title: "tea" }, { commandId }), "commandId")
        yield* refused("commandId", memory.update(id, { title: "x" }, { commandId }), "commandId")
        yield* refused("commandId", memory.forget(id, { commandId }), "commandId")
      }
      yield* refused("a batch", memory.rememberAll(Array(1_001).fill({ title: "x" })), "observations")
      const nowhere = yield* Effect.flip(memory.importMarkdown(["/nowhere/at/all.md"]))
      expect(nowhere).toMatchObject({ _tag: "PathRefused", path: "/nowhere/at/all.md", problem: "does not exist" })
      expect((yield* memory.importMarkdown(["/nowhere/at/all.md"], { onlyIfEmpty: true })).files).toBe(0)
      expect((yield* daybook.stats(agent)).version).toBe(before)
    })
  )

  it.scopedLive("is decoded when the write runs, and again in each retry", () =>
    Effect.gen(function* () {
      const { memory } = yield* ada()
      const observation = { title: "" }
      const write = memory.remember(observation)
      const update = memory.update("no id", observation)
      expect(yield* Effect.flip(write)).toMatchObject({ _tag: "InvalidInput", field: "title" })
      expect(yield* Effect.flip(update)).toMatchObject({ _tag: "InvalidInput" })
      observation.title = "lives in Oslo"
      expect(yield* write).toMatchObject({ outcome: "added" })
      expect(yield* memory.list()).toMatchObject([{ title: "lives in Oslo" }])
    })
  )

  it.scopedLive("of reads has the same limits", () =>
    Effect.gen(function* () {
      const { daybook, memory } = yield* ada()
      yield* memory.remember({ title: "tea" })
      const query = (asked: object) => memory.search(asked)
      for (const limit of [0, -1, 1_001, 1.5, Number.NaN, "5"]) {
        yield* refused(`limit ${limit}`, query({ text: "tea", limit }), "limit")
        yield* refused(`limit ${limit}`, memory.list({ limit: limit as number }), "limit")
        yield* refused(`limit ${limit}`, memory.people({ limit: limit as number }), "limit")
      }
      for (const field of ["types", "stores", "tags", "people"]) {
        for (const value of ["SECRET", [5], Array(33).fill("private")]) {
          yield* refused(brief(field, value), query({ [field]: value }), field)
        }
      }
      yield* refused("stores", query({ stores: ["SECRET"] }), "stores")
      for (const field of ["after", "before"]) {
        for (const value of ["SECRET", "2026-02-30", Number.NaN, {}]) {
          yield* refused(brief(field, value), query({ [field]: value }), field)
        }
      }
      for (const field of ["project", "session", "text"]) yield* refused(field, query({ [field]: 5 }), field)
      for (const offset of [-1, 0.5, Number.NaN]) {
        yield* refused("offset", memory.list({ offset }), "offset")
        yield* refused("offset", memory.people({ offset }), "offset")
      }
      for (const count of [-1, 501, 0.5]) {
        yield* refused("before", memory.timeline({ anchor: "x", before: count }), "before")
        yield* refused("after", memory.timeline({ anchor: "x", after: count }), "after")
      }
      yield* refused("ids", memory.get(Array(201).fill("x")), "ids")
      for (const other of ["store", "txt", "ofset"]) {
        const query = { text: "x", [other]: "y" } as never
        yield* refused(other, memory.search(query), other)
        yield* refused(other, memory.sessions.search(query), other)
        yield* refused(other, memory.list({ [other]: "y" } as never), other)
      }
      yield* refused("a text as paths", memory.importMarkdown("notes" as never), "paths")
      yield* refused("no options", daybook.agent(agent, undefined as never), "trust")
      yield* refused("another option", daybook.agent(agent, { trust: "full", asof: { version: 1 } } as never), "asof")
      for (const asOf of [1, "now", {}, { version: 1, at: 0 }]) {
        yield* refused("as of", daybook.agent(agent, { trust: "full", asOf: asOf as never }), ["asOf", "0"])
      }
      const whatIf = daybook.whatIf(agent, { policy: { reconcil: {} } as never })
      yield* refused("a policy with another name", whatIf, "policy")
      const people = { name: 5 } as unknown as { name: string }
      yield* refused("people by a number", memory.people(people), "name")
      yield* refused("a number as anchor", memory.timeline({ anchor: 5 as never }), "anchor")
      yield* refused("numbers as ids", memory.get([5 as never]), ["ids", "ids.0"])
      yield* refused("a number as id", memory.history(5 as never), "id")
      yield* refused("a number as id", memory.forget(5 as never), "id")
      yield* refused("a number as id", memory.update(5 as never, { title: "x" }), "id")
      const beyond = daybook.agent(agent, { trust: "full", asOf: { version: 1_000 } })
      expect(yield* Effect.flip(beyond)).toMatchObject({ _tag: "VersionNotFound", version: 1_000 })
      for (const version of [-1, 2.5, Number.NaN, "1" as never]) {
        yield* refused("version", daybook.agent(agent, { trust: "full", asOf: { version } }), "asOf.version")
      }
      yield* refused("at", daybook.agent(agent, { trust: "full", asOf: { at: "SECRET" } }), "asOf.at")
      for (const name of ["", "two words", "x".repeat(65), "a\0", "a\n", "\ud800", "\u200b", "\u3000"]) {
        yield* refused(`agent ${JSON.stringify(name)}`, daybook.agent(name, { trust: "full" }), "agent")
      }
      yield* refused("trust", daybook.agent(agent, { trust: "SECRET" as "full" }), "trust")
      for (const actor of ["", "x".repeat(257)])
        yield* refused("actor", daybook.agent(agent, { trust: "full", actor }), "actor")
      yield* refused("projection", daybook.rebuild(agent, ["SECRET"]), "projection")
    })
  )

  it.scopedLive("keeps agents of any name apart, inside the data folder", () =>
    Effect.gen(function* () {
      const outside = yield* temporaryFolder
      const folder = join(outside, "data")
      const daybook = yield* open(folder)
      const names = [
        "a",
        "A",
        ".",
        "..",
        "../../etc",
        "a/b",
        "a\\b",
        "a%2fb",
        "con",
        "ä",
        "東京",
        "🚀",
        "-",
        "x".repeat(64),
        "'",
        '"',
        "*"
      ]
      for (const name of names) {
        yield* Effect.flatMap(daybook.agent(name, { trust: "full" }), (memory) =>
          memory.remember({ title: `of ${name}` })
        )
      }
      for (const name of names) {
        const memory = yield* daybook.agent(name, { trust: "full" })
        expect((yield* memory.list()).map(({ title }) => title)).toEqual([`of ${name}`])
      }
      expect((yield* daybook.agents).map(({ name }) => name).sort()).toEqual([...names].sort())
      expect(readdirSync(outside)).toEqual(["data"])
      expect(
        readdirSync(folder)
          .filter((name) => !/^log\.db/.test(name))
          .sort()
      ).toEqual(["anchor.log", "views"])
      const folders = readdirSync(join(folder, "views"))
      expect(folders).toHaveLength(names.length)
      for (const name of folders) expect(readdirSync(join(folder, "views", name))).toContain("current")
    })
  )

  it.scopedLive("is stored exactly or refused", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const text = fc.oneof(
        fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
        fc.string16bits({ minLength: 1, maxLength: 40 }),
        fc
          .array(
            fc.constantFrom(
              "\ud83d\ude80",
              "\ufeff",
              "\u202e",
              "e\u0301",
              "ﬁ",
              "\r\n",
              "\u2028",
              "\uffff",
              "\u{10ffff}",
              '"',
              "\\",
              "'",
              "\u0001",
              "\x7f",
              "</script>",
              "$",
              "{x}",
              "\ud800",
              "\0",
              " "
            ),
            { minLength: 1, maxLength: 12 }
          )
          .map((parts) => parts.join(""))
      )
      const asked = fc.sample(
        fc.record({
          title: text,
          narrative: text,
          facts: fc.tuple(text, text),
          people: fc.tuple(text),
          project: text,
          source: fc.record({ kind: fc.constant("agent" as const), name: text })
        }),
        { numRuns: lawRuns({ quick: 1_000, full: 12_500 }), seed: 21 }
      )
      const textsOf = ({ facts, narrative, people, project, source, title }: (typeof asked)[number]) => [
        title,
        narrative,
        project,
        source.name,
        ...facts,
        ...people
      ]
      const storable = (one: string) => one.isWellFormed() && !one.includes("\0")
      const ids = new Map<number, string>()
      const read = (memory: Memory) =>
        Effect.gen(function* () {
          for (const [index, id] of ids) {
            const { facts, narrative, people, project, source, title } = (yield* memory.get([id]))[0]!
            expect({ title, narrative, facts, people, project, source }).toEqual(asked[index])
          }
        })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const daybook = yield* open(folder)
          const memory = yield* daybook.agent(agent, { trust: "full" })
          const batches = yield* Effect.forEach(Arr.chunksOf(asked, 1_000), (batch) => memory.rememberAll(batch))
          const outcomes = batches.flat()
          for (const [index, outcome] of outcomes.entries()) {
            const texts = textsOf(asked[index]!)
            if (Either.isRight(outcome)) {
              if (outcome.right.outcome === "added") ids.set(index, outcome.right.id)
              expect([texts, texts.every(storable)]).toEqual([texts, true])
            } else {
              // Blank ones are refused as well.
              expect(outcome.left._tag).toBe("InvalidInput")
              expect([texts, texts.every((one) => storable(one) && one.trim() !== "")]).toEqual([texts, false])
            }
          }
          expect(ids.size).toBeGreaterThan(100)
          yield* read(memory)
        })
      )
      rmSync(join(folder, "views"), { recursive: true })
      const daybook = yield* open(folder)
      yield* read(yield* daybook.agent(agent, { trust: "full" }))
    })
  )
})
