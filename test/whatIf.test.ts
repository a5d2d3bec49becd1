import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { DaybookEvent } from "../events/catalogue.js"
import type { Daybook } from "../src/Daybook.js"
import type { Observation } from "../src/model/input.js"
import type { PolicyValues } from "../src/ports/Policy.js"
import {
  type Judgement,
  type Question,
  Reconciler,
  type ReconcilerService,
  type Verdict
} from "../src/ports/Reconciler.js"
import { resultOf } from "../src/whatIf/diff.js"
import { isSame, type WhatIf } from "../src/whatIf/WhatIf.js"
import { disputing } from "./support/disputes.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform, vocabulary } from "./support/histories.js"
import { lawRuns } from "./support/size.js"

type System = Context.Tag.Service<Daybook>
type Service = ReconcilerService

const agent = "coop"
const start = Date.parse("2026-03-14T06:00:00Z")
/** A clock that is moved by hours would otherwise stop at each look for idle agents. */
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

const numberOf = (text: string) => createHash("sha256").update(text).digest().readUInt32BE(0)

/** Decides by nothing but the texts of the question, and every way there is. */
const pure = ({ candidates, statement }: Question): Verdict => {
  const texts = [statement, ...candidates].map(({ facts, narrative, title }) => [title, narrative, facts])
  const number = numberOf(JSON.stringify(texts))
  const target = number % candidates.length
  const reason = `number ${number % 1_000}`
  switch ((number >> 8) % 5) {
    case 0:
      return { action: "ADD", reason }
    case 1:
      return { action: "UPDATE", target, reason }
    case 2:
      return { action: "UPDATE", target, merged: { title: `${statement.title} and more` }, reason }
    case 3:
      return { action: "DELETE", target, reason }
    default:
      return { action: "NONE", target, reason }
  }
}

const ruled = (verdict: Verdict, name = "pure"): Judgement => ({ verdict, by: { kind: "rule", name }, sure: true })
const rules: Service = { name: "pure", judge: (question) => ruled(pure(question)) }
const model = (ask: (question: Question) => Verdict): Service => ({
  name: "model-1",
  judge: () => ruled({ action: "ADD", reason: "not asked" }, "at once"),
  ask: (question) =>
    Effect.sync(() => ({
      verdict: ask(question),
      by: { kind: "model", name: "model-1", promptDigest: "p" },
      sure: true
    }))
})
const layerOf = (service: Service) => Layer.succeed(Reconciler, service)

const events = (daybook: System, of = agent) =>
  Effect.map(Stream.runCollect(daybook.log(of)), (all) => Chunk.toReadonlyArray(all) as ReadonlyArray<DaybookEvent>)

/** What a what-if may not touch, and that it leaves nothing behind. */
const stateOf = (daybook: System, folder: string, of = agent) =>
  Effect.gen(function* () {
    const { digest, stateDigest } = yield* daybook.digests(of)
    const log = readFileSync(join(folder, "log.db"))
    return {
      digest,
      stateDigest,
      log: createHash("sha256").update(log).digest("hex"),
      heads: JSON.stringify(yield* daybook.agents),
      problems: (yield* daybook.verify()).problems,
      branches: branchesIn(folder)
    }
  })

const branchesIn = (folder: string): ReadonlyArray<string> => {
  const cache = join(folder, "cache")
  return existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith(".")) : []
}

/** Fails with what differs, not with everything. */
const expectSameButGrounds = ({ decisions, memories, skipped }: WhatIf) =>
  expect({ decisions, memories, skipped }).toEqual({
    decisions: [],
    skipped: [],
    memories: { onlyLive: [], onlyBranch: [], changed: [] }
  })

const expectSame = (found: WhatIf) => {
  expectSameButGrounds(found)
  expect(found.counts.otherGrounds).toBe(0)
}

/** Statements of one kind, all different, most of which are like others. */
const ports = (count: number): ReadonlyArray<Observation> =>
  Array.from({ length: count }, (_, at) => ({
    title: `The ${["staging", "production", "test"][at % 3]} database listens on port ${5_000 + at}`,
    facts: [`host: db-${at}`]
  }))

/** The versions of what was to be remembered, and what became of it. */
const outcomesOf = (all: ReadonlyArray<DaybookEvent>) =>
  all.flatMap((event) =>
    event.type === "ADD" || event.type === "UPDATE" || event.type === "DELETE"
      ? [[event.version, resultOf(event).outcome] as const]
      : []
  )

const saying: fc.Arbitrary<Observation | "embed"> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      title: fc.array(fc.constantFrom(...vocabulary), { minLength: 2, maxLength: 5 }).map((words) => words.join(" ")),
      facts: fc.array(fc.constantFrom(...vocabulary), { maxLength: 2 }),
      store: fc.constantFrom("private" as const, "shared" as const)
    })
  },
  { weight: 1, arbitrary: fc.constant("embed" as const) }
)

const others: ReadonlyArray<PolicyValues["reconcile"] extends infer A ? Partial<A> : never> = [
  { threshold: 0.5 },
  { threshold: 0 },
  { candidates: 1 },
  { candidates: 10, threshold: 0.05 },
  { reconciler: "none" }
]

describe("a range of versions decided again", () => {
  it.scoped.prop(
    "under the same policy gives the same result, and changes nothing",
    [histories({ minLength: 40, maxLength: 80, agents: ["ada", "bob"] })],
    ([steps]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const folder = yield* temporaryFolder
        const policy = { ...awake, reconcile: { threshold: 0.1, candidates: 4 } }
        const daybook = yield* open(folder, { policy, reconciler: layerOf(disputing(rules)), extractor: tinyLayer })
        const asked: Asked = new Map()
        for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
        for (const name of asked.keys()) {
          const before = yield* stateOf(daybook, folder, name)
          const version = (yield* events(daybook, name)).length
          for (const [from, to] of [
            [1, version],
            [Math.ceil(version / 2), version],
            [Math.ceil(version / 3), Math.ceil(version / 2)]
          ] as const) {
            if (version === 0) continue
            const found = yield* daybook.whatIf(name, { from, to })
            expectSame(found)
            expect(isSame(found)).toBe(true)
            expect(found.counts.outcomes.branch).toEqual(found.counts.outcomes.live)
          }
          expect(yield* stateOf(daybook, folder, name)).toEqual(before)
        }
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 6, ci: 2 }), endOnFailure: true }, timeout: 180_000 }
  )

  it.scoped.prop(
    "under another policy gives the same result as if that policy had been active",
    [fc.array(saying, { minLength: 20, maxLength: 60, size: "max" }), fc.constantFrom(...others)],
    ([steps, other]) =>
      Effect.gen(function* () {
        const policy = { reconcile: { threshold: 0.1, candidates: 4 } }
        // Nothing is embedded but by a backfill, so that both have their vectors at the same time.
        const quiet = { ...awake, embedding: { gather: awake.actors.idle } }
        const run = (policy: object) =>
          Effect.gen(function* () {
            yield* TestClock.setTime(start)
            const { daybook } = yield* fresh({ policy: { ...quiet, ...policy }, reconciler: layerOf(rules) })
            const memory = yield* daybook.agent(agent, { trust: "full" })
            for (const [at, step] of steps.entries()) {
              yield* TestClock.adjust(60_000)
              if (step === "embed") {
                // Every backfill has something to embed.
                yield* memory.remember({ title: `unlike${at} anything${at} else${at}`, store: "social" })
                yield* daybook.backfill(agent)
              } else yield* memory.remember(step)
            }
            const memories = yield* memory.list({ limit: 1_000 })
            return { daybook, memories, outcomes: outcomesOf(yield* events(daybook)) }
          })
        const live = yield* run(policy)
        const wanted = yield* run({ reconcile: { ...policy.reconcile, ...other } })
        const found = yield* live.daybook.whatIf(agent, { policy: { reconcile: other } })
        const changed = new Map(found.decisions.map(({ after, version }) => [version, after.outcome]))
        expect(live.outcomes.map(([version, outcome]) => changed.get(version) ?? outcome)).toEqual(
          wanted.outcomes.map(([, outcome]) => outcome)
        )
        expect(found.counts.memories.branch).toBe(wanted.memories.length)
        expect(found.counts.memories.live).toBe(live.memories.length)
        const { changed: apart, onlyBranch, onlyLive } = found.memories
        const titles = new Map(live.memories.map(({ id, title }) => [id, title]))
        for (const { id } of onlyLive) expect(titles.delete(id)).toBe(true)
        for (const { fields, id } of apart) if (fields.title !== undefined) titles.set(id, String(fields.title.branch))
        for (const { id, title } of onlyBranch) titles.set(id, title)
        expect([...titles.values()].sort()).toEqual(wanted.memories.map(({ title }) => title).sort())
      }),
    { fastCheck: { numRuns: lawRuns({ quick: 1, full: 12, ci: 3 }), endOnFailure: true }, timeout: 180_000 }
  )

  it.scoped("with a threshold of 1 turns exactly the reconciled decisions into ADD", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, folder } = yield* fresh({ reconciler: layerOf(rules), policy: awake })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (const observation of ports(40)) yield* memory.remember(observation)
      yield* daybook.backfill(agent)
      const outcomes = outcomesOf(yield* events(daybook))
      const reconciled = outcomes.filter(([, outcome]) => outcome !== "added").map(([version]) => version)
      expect(new Set(outcomes.map(([, outcome]) => outcome)).size).toBe(4)
      const before = yield* stateOf(daybook, folder)
      const found = yield* daybook.whatIf(agent, { policy: { reconcile: { threshold: 1 } } })
      expect(found.decisions.map(({ version }) => version)).toEqual(reconciled)
      expect(found.decisions.every(({ after }) => after.outcome === "added")).toBe(true)
      expect(found.decisions[0]!.why).toEqual({ kind: "threshold" })
      expect(found.counts.outcomes.branch).toMatchObject({ added: 40, merged: 0, mentioned: 0, replaced: 0 })
      expect(found.counts).toMatchObject({ decided: 40, different: reconciled.length, memories: { branch: 40 } })
      expect(found.counts.memories.live).toBe((yield* memory.list({ limit: 100 })).length)
      // What a DELETE replaced is there again, what was merged or counted is a memory of its own, named by its version.
      const named = found.decisions.filter(({ before }) => before.outcome !== "replaced")
      expect(named.every(({ after, version }) => after.id === `what-if-${version}`)).toBe(true)
      expect(found.memories.onlyBranch).toHaveLength(
        found.counts.memories.branch - found.counts.memories.live + found.memories.onlyLive.length
      )
      expect(found.memories.changed.length).toBeGreaterThan(0)
      expect(yield* stateOf(daybook, folder)).toEqual(before)
      const [row] = found.decisions
      expect(row!.title).toBe(ports(40)[row!.version - 1]!.title)
      expect(row!.before.candidates.length).toBeGreaterThan(0)
      expect(row!.after.candidates).toEqual([])
    })
  )

  it.scoped("can start at a version and end at another", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook } = yield* fresh({ reconciler: layerOf(rules), policy: awake })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (const observation of ports(30)) yield* memory.remember(observation)
      const reconciled = outcomesOf(yield* events(daybook)).filter(([, outcome]) => outcome !== "added")
      const policy = { reconcile: { threshold: 1 } }
      const progress: Array<number> = []
      const found = yield* daybook.whatIf(agent, {
        policy,
        from: 11,
        to: 20,
        onProgress: ({ done }) => progress.push(done)
      })
      expect(found.decisions.map(({ version }) => version)).toEqual(
        reconciled.map(([version]) => version).filter((version) => version > 10 && version <= 20)
      )
      expect(found.counts).toMatchObject({ events: 10, decided: 10 })
      expect(progress.at(-1)).toBe(10)
      const then = yield* daybook.agent(agent, { trust: "full", asOf: { version: 20 } })
      expect(found.counts.memories.live).toBe((yield* then.list({ limit: 100 })).length)
      for (const [options, field] of [
        [{ from: 0 }, "from"],
        [{ from: 31 }, "from"],
        [{ from: 9, to: 8 }, "to"],
        [{ to: 31 }, "to"],
        [{ from: 1.5 }, "from"],
        [{ policy: { reconcile: { reconciler: "model" } } }, "reconciler"]
      ] as const) {
        const refused = yield* Effect.flip(daybook.whatIf(agent, options))
        expect(refused).toMatchObject({ _tag: "InvalidInput", field })
      }
      const nobody = yield* daybook.whatIf("nobody")
      expect(nobody.counts).toMatchObject({ events: 0, decided: 0, memories: { live: 0, branch: 0 } })
      expect(isSame(nobody)).toBe(true)
    })
  )

  it.scoped("applies callers' changes to the branch's memories, and reports those without a memory", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const merging: Service = { name: "merging", judge: () => ruled({ action: "UPDATE", target: 0, reason: "more" }) }
      const policy = { ...awake, reconcile: { threshold: 1 } }
      const { daybook } = yield* fresh({ reconciler: layerOf(merging), policy })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const [one, two, three] = ports(3)
      const first = yield* memory.remember(one!)
      const second = yield* memory.remember(two!)
      yield* memory.update(second.id, { title: "Gone another way" })
      yield* memory.update(first.id, { importance: 0.5 })
      yield* memory.forget(second.id)
      yield* memory.remember(three!)
      const found = yield* daybook.whatIf(agent, { policy: { reconcile: { threshold: 0.1 } } })
      expect(found.decisions.map(({ after, version, why }) => [version, after.outcome, after.id, why.kind])).toEqual([
        [2, "merged", first.id, "threshold"],
        [6, "merged", first.id, "follows"]
      ])
      expect(found.decisions[1]!.why).toEqual({ kind: "follows", version: 2 })
      expect(found.skipped).toEqual([
        { version: 3, id: second.id, title: "Gone another way", change: "UPDATE edited", follows: 2 },
        { version: 5, id: second.id, title: "Gone another way", change: "DELETE forgotten", follows: 2 }
      ])
      expect(found.memories.onlyLive.map(({ title }) => title)).toEqual([three!.title])
      expect(found.memories.onlyBranch).toEqual([])
      const [changed] = found.memories.changed
      // Importance is the same on both sides: the change was made on both.
      expect(Object.keys(changed!.fields).sort()).toEqual(["facts", "mentions"])
      expect(changed!.fields.mentions).toEqual({ live: 1, branch: 3 })
    })
  )

  it.scoped("compares exactly the statements that requested it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, folder } = yield* fresh({ policy: awake })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const [one, two, three] = ports(3)
      yield* memory.remember(one!)
      yield* memory.remember(two!, { reconcile: false })
      mkdirSync(join(folder, "notes"))
      writeFileSync(join(folder, "notes", "ports.md"), `- ${three!.title}\n`)
      yield* memory.importMarkdown([join(folder, "notes", "ports.md")])
      yield* memory.remember(three!)
      const found = yield* daybook.whatIf(agent, { reconciler: rules, policy: { reconcile: { threshold: 0.1 } } })
      expect(found.counts.answers.judged).toBe(1)
      expect(found.decisions.length).toBeLessThanOrEqual(1)
      expect(found.decisions.every(({ why }) => why.kind === "reconciler")).toBe(true)
    })
  )
})

describe("a model's recorded answers", () => {
  const recorded = (options: object = {}) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, folder } = yield* fresh({
        reconciler: layerOf(model(pure)),
        policy: { ...awake, reconcile: { reconciler: "model", threshold: 0.1, candidates: 4, ...options } }
      })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (const observation of ports(30)) yield* memory.remember(observation)
      const answers = (yield* events(daybook)).filter(
        (event) => "decision" in event.payload && event.payload.decision.by.kind === "model"
      )
      expect(answers.length).toBeGreaterThan(20)
      return { daybook, folder, answers: answers.length }
    })
  const dying: Service = {
    name: "model-1",
    judge: () => {
      throw new Error("judged")
    },
    ask: () => Effect.dieMessage("asked")
  }

  it.scoped("are reused without a request for the same question", () =>
    Effect.gen(function* () {
      const { answers, daybook } = yield* recorded()
      for (const ask of [true, false]) {
        for (const reconciler of [dying, { ...dying, name: "pure+model-1" }, undefined]) {
          const found = yield* daybook.whatIf(agent, { reconciler, ask })
          expectSame(found)
          expect(found.counts).toMatchObject({ asked: 0, answers: { reused: answers, asked: 0, fallback: 0 } })
        }
      }
    })
  )

  it.scoped("are requested for a new question, on demand", () =>
    Effect.gen(function* () {
      const { answers, daybook } = yield* recorded()
      let calls = 0
      const counting = model((question) => {
        calls++
        return pure(question)
      })
      const policy = { reconcile: { candidates: 2 } }
      const found = yield* daybook.whatIf(agent, { reconciler: counting, ask: true, policy })
      expect(found.counts.asked).toBe(calls)
      expect(calls).toBeGreaterThan(5)
      expect(found.counts.answers.reused).toBeGreaterThan(0)
      expect(found.counts.answers.asked).toBeGreaterThan(5)
      expect(found.counts.answers.asked).toBeLessThanOrEqual(calls)
      expect(found.counts.answers.fallback).toBe(0)
      // The same as if everything had been asked: no answer was taken for another question.
      const anew = yield* daybook.whatIf(agent, { reconciler: { ...counting, name: "model-2" }, ask: true, policy })
      expect(anew.counts.answers.reused).toBe(0)
      const rows = ({ decisions }: WhatIf) => decisions.map(({ after, version }) => [version, after.outcome, after.id])
      expect(rows(anew)).toEqual(rows(found))
      expect(anew.memories).toEqual(found.memories)
      // Another model has answered nothing yet; nobody is asked unless that is wished.
      const before = calls
      const fallen = yield* daybook.whatIf(agent, { reconciler: { ...counting, name: "model-2" } })
      expect(calls).toBe(before)
      expect(fallen.counts).toMatchObject({ asked: 0, answers: { reused: 0, asked: 0 } })
      expect(fallen.counts.answers.fallback).toBeGreaterThanOrEqual(1)
      expect(fallen.decisions.every(({ after }) => after.outcome === "added")).toBe(true)
      expect(answers).toBeGreaterThan(0)
    })
  )

  it.scoped("that fail or are invalid are replaced by the reconciler's own judgement", () =>
    Effect.gen(function* () {
      const { daybook } = yield* recorded()
      const broken: ReadonlyArray<readonly [string, Service]> = [
        [
          "reconciler model-2: failed",
          { ...dying, name: "model-2", judge: () => ruled({ action: "ADD", reason: "at once" }) }
        ],
        [
          "reconciler model-1: named an unknown target",
          {
            ...model(() => ({ action: "DELETE", target: 99, reason: "nobody" })),
            judge: () => ruled({ action: "ADD", reason: "at once" })
          }
        ]
      ]
      for (const [reason, reconciler] of broken) {
        const found = yield* daybook.whatIf(agent, { reconciler, ask: true, policy: { reconcile: { candidates: 1 } } })
        const [row] = found.decisions.filter(({ after }) => after.answered === "fallback")
        expect(row!.after).toMatchObject({ outcome: "added", reason: "at once", fallback: reason })
      }
    })
  )

  it.scoped("are not needed if the rules of a hybrid are sure", () =>
    Effect.gen(function* () {
      const { daybook } = yield* recorded()
      const reconciler: Service = { ...dying, name: "pure+model-1", judge: rules.judge }
      const found = yield* daybook.whatIf(agent, {
        reconciler,
        ask: true,
        policy: { reconcile: { reconciler: "hybrid" } }
      })
      // The rules decide as the model did, so that only the grounds are others.
      expect(isSame(found)).toBe(true)
      expect(found.counts.answers.judged).toBe(found.counts.otherGrounds)
      expect(found.counts).toMatchObject({ asked: 0, answers: { reused: 0, asked: 0, fallback: 0 } })
    })
  )
})

describe("the temporary branch", () => {
  const waiting = (folder: string) =>
    Effect.gen(function* () {
      const daybook = yield* open(folder, { reconciler: layerOf(rules), policy: awake })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (const observation of ports(10)) yield* memory.remember(observation)
      return daybook
    })
  const whenAsked = (reached: Deferred.Deferred<ReadonlyArray<string>>, folder: string): Service => ({
    name: "hangs",
    judge: rules.judge,
    ask: () => Effect.zipRight(Deferred.succeed(reached, branchesIn(folder)), Effect.never)
  })

  it.scopedLive("is removed after an interruption and after an error", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const daybook = yield* waiting(folder)
      const reached = yield* Deferred.make<ReadonlyArray<string>>()
      const policy = { reconcile: { threshold: 0.05 } }
      const fiber = yield* Effect.fork(
        daybook.whatIf(agent, { reconciler: whenAsked(reached, folder), ask: true, policy })
      )
      expect(yield* Deferred.await(reached)).toHaveLength(1)
      yield* Fiber.interrupt(fiber)
      expect(branchesIn(folder)).toEqual([])
      const died = yield* Effect.exit(
        daybook.whatIf(agent, {
          onProgress: () => {
            throw new Error("stop")
          }
        })
      )
      expect(died._tag).toBe("Failure")
      expect(branchesIn(folder)).toEqual([])
      expectSame(yield* daybook.whatIf(agent))
    })
  )

  it.scopedLive("of a killed process is removed by the next one; that of a running process stays", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const daybook = yield* waiting(folder)
      for (const name of [".what-if-0000000000.4194304", `.what-if-0000000000.${process.ppid}`]) {
        mkdirSync(join(folder, "cache", name), { recursive: true })
        writeFileSync(join(folder, "cache", name, "branch.db"), "half")
      }
      yield* daybook.whatIf(agent)
      expect(branchesIn(folder)).toEqual([`.what-if-0000000000.${process.ppid}`])
    })
  )

  it.scopedLive("does not block writes, and ignores those made meanwhile", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const daybook = yield* waiting(folder)
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const reached = yield* Deferred.make<ReadonlyArray<string>>()
      const go = yield* Deferred.make<void>()
      const slow: Service = {
        ...whenAsked(reached, folder),
        ask: (question) =>
          Deferred.succeed(reached, []).pipe(Effect.zipRight(Deferred.await(go)), Effect.as(ruled(pure(question))))
      }
      // What the engine adds in the background, such as vectors, is in the log before the branch begins.
      yield* daybook.backfill(agent)
      const { events } = yield* daybook.verify(agent)
      const fiber = yield* Effect.fork(daybook.whatIf(agent, { reconciler: slow, ask: true }))
      yield* Deferred.await(reached)
      yield* memory.remember({ title: "Written meanwhile" })
      yield* Deferred.succeed(go, undefined)
      const found = yield* Fiber.join(fiber)
      expectSameButGrounds(found)
      expect(found.to).toBe(events)
    })
  )
})
