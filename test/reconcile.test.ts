import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { DaybookEvent } from "../events/catalogue.js"
import type { Daybook } from "../src/Daybook.js"
import { type Judgement, type Question, Reconciler, ReconcilerError, type Verdict } from "../src/ports/Reconciler.js"
import { fresh, open, temporaryFolder } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const agent = "coop"
type System = Effect.Effect.Success<ReturnType<typeof open>>

const judgement = (verdict: Verdict, name = "scripted"): Judgement => ({
  verdict,
  by: { kind: "rule", name },
  sure: true
})
const add: Verdict = { action: "ADD", reason: "told to" }

/** A reconciler that says what it is told to, and remembers what it was asked. */
const scripted = (verdict: Verdict | ((question: Question) => Verdict)) => {
  const questions: Array<Question> = []
  const layer = Layer.succeed(Reconciler, {
    name: "scripted",
    judge: (question) => {
      questions.push(question)
      return judgement(typeof verdict === "function" ? verdict(question) : verdict)
    }
  })
  return { layer, questions }
}

/** One that is asked, and whose rules would do something else. */
const asking = (ask: (question: Question) => Effect.Effect<Judgement, ReconcilerError>): Layer.Layer<Reconciler> =>
  Layer.succeed(Reconciler, { name: "asked", judge: () => judgement(add, "rules"), ask })

const events = (daybook: System, after = 0) =>
  Effect.map(
    Stream.runCollect(daybook.log(agent, after)),
    (all) => Chunk.toReadonlyArray(all) as ReadonlyArray<DaybookEvent>
  )

const mutations = (daybook: System) =>
  Effect.map(events(daybook), (all) =>
    all.filter((event): event is Extract<DaybookEvent, { type: "ADD" | "UPDATE" | "DELETE" }> =>
      ["ADD", "UPDATE", "DELETE"].includes(event.type)
    )
  )

const old = { title: "The staging database listens on port 5432", facts: ["host: db-1"], tags: ["db"] }
const statement = { title: "The staging database listens on port 6432", facts: ["host: db-1"], tags: ["moved"] }

describe("the decision of a reconciler", () => {
  it.scopedLive("ADD stores a new memory, and names the compared memories", () =>
    Effect.gen(function* () {
      const { layer, questions } = scripted(add)
      const { daybook } = yield* fresh({ reconciler: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const first = yield* memory.remember(old)
      expect(questions).toEqual([])
      const second = yield* memory.remember(statement)
      expect([first.outcome, second.outcome]).toEqual(["added", "added"])
      expect(questions).toHaveLength(1)
      expect(questions[0]!.statement.title).toBe(statement.title)
      expect(questions[0]!.candidates.map(({ title }) => title)).toEqual([old.title])
      const [alone, weighed] = yield* mutations(daybook)
      expect(alone!.payload.decision).toEqual({
        action: "ADD",
        by: { kind: "rule", name: "threshold" },
        reason: "nothing in the store is like it",
        candidates: [],
        threshold: 0.3
      })
      const { candidates, ...decision } = weighed!.payload.decision
      expect(decision).toEqual({
        action: "ADD",
        by: { kind: "rule", name: "scripted" },
        reason: "told to",
        threshold: 0.3
      })
      expect(candidates).toMatchObject([{ id: first.id, revision: 1 }])
      expect(candidates[0]!.score).toBeGreaterThan(0.3)
      expect(JSON.stringify(candidates)).not.toContain("staging")
    })
  )

  it.scopedLive("UPDATE merges into the target, which keeps its id", () =>
    Effect.gen(function* () {
      const { layer } = scripted({ action: "UPDATE", target: 0, reason: "more of it" })
      const { daybook } = yield* fresh({ reconciler: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const first = yield* memory.remember(old)
      const merged = yield* memory.remember({ ...statement, facts: ["user: app"], people: ["Ada"], importance: 0.5 })
      expect(merged).toMatchObject({ outcome: "merged", id: first.id, mentions: 2 })
      const [whole, ...others] = yield* memory.get((yield* memory.list()).map(({ id }) => id))
      expect(others).toEqual([])
      expect(whole).toMatchObject({
        id: first.id,
        mentions: 2,
        facts: ["host: db-1", "user: app", statement.title],
        tags: ["db", "moved"],
        people: ["Ada"],
        importance: 0.5
      })
      expect((yield* memory.search({ text: "Ada" })).map(({ id }) => id)).toEqual([first.id])
    })
  )

  it.scopedLive("DELETE retires the target and stores the statement instead, linked to it", () =>
    Effect.gen(function* () {
      const { layer } = scripted({ action: "DELETE", target: 0, reason: "another port" })
      const { daybook, folder } = yield* fresh({ reconciler: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const first = yield* memory.remember(old)
      const second = yield* memory.remember(statement)
      expect(second).toMatchObject({ outcome: "replaced", replaced: first.id, mentions: 1 })
      expect(second.id).not.toBe(first.id)
      expect((yield* memory.list()).map(({ id }) => id)).toEqual([second.id])
      expect((yield* memory.search({ text: "staging database port" })).map(({ id }) => id)).toEqual([second.id])
      const [whole] = yield* memory.get([second.id])
      expect(whole!.lineage).toEqual([{ kind: "supersedes", to: first.id, reason: "conflict" }])
      expect((yield* memory.history(first.id)).map(({ type }) => type)).toEqual(["ADD", "DELETE"])
      yield* daybook.backfill(agent)
      expect((yield* daybook.stats(agent)).vectors.embedded).toBe(1)
      yield* expectSameAfterRebuild(daybook, agent)
      expect(folder).not.toBe("")
    })
  )

  it.scopedLive("NONE counts another mention and changes nothing else", () =>
    Effect.gen(function* () {
      const { layer } = scripted({ action: "NONE", target: 0, reason: "said already" })
      const { daybook } = yield* fresh({ reconciler: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const first = yield* memory.remember(old)
      const again = yield* memory.remember(statement)
      expect(again).toMatchObject({ outcome: "mentioned", id: first.id, mentions: 2 })
      const [whole] = yield* memory.get([first.id])
      expect(whole).toMatchObject({ title: old.title, facts: old.facts, tags: old.tags, mentions: 2 })
      const [, event] = yield* mutations(daybook)
      expect(event).toMatchObject({
        type: "UPDATE",
        payload: { reason: "reconciled", input: { title: statement.title } }
      })
    })
  )

  it.scopedLive("is requested for a long text that shares little but a rare word", () =>
    Effect.gen(function* () {
      const { layer, questions } = scripted(add)
      const { daybook } = yield* fresh({ reconciler: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const heron = "Heron is the server in the hall cupboard, with family photos and scans of letters on four disks"
      yield* memory.remember({ title: heron })
      for (const bird of ["Marmots", "Ravens", "Otters"]) yield* memory.remember({ title: `${bird} whistle at dawn` })
      yield* memory.remember({ title: "Heron fell silent this morning, its fan had swallowed half a curtain ring" })
      expect(questions.at(-1)?.candidates.map(({ title }) => title)).toEqual([heron])
    })
  )

  it.scopedLive("is not requested for an exact duplicate, below the threshold, or on request", () =>
    Effect.gen(function* () {
      const { layer, questions } = scripted(add)
      const folder = yield* temporaryFolder
      const daybook = yield* open(folder, { reconciler: layer })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember(old)
      expect((yield* memory.remember(old)).outcome).toBe("duplicate")
      yield* memory.remember({ title: "Marmots whistle when an eagle comes" })
      yield* memory.remember(statement, { reconcile: false })
      const [imported] = yield* memory.rememberAll([[{ ...statement, facts: [] }, { reconcile: false }]])
      expect(imported).toMatchObject({ right: { outcome: "added" } })
      expect(questions).toEqual([])
      const strict = yield* open(folder, { reconciler: layer, policy: { reconcile: { threshold: 1 } } })
      yield* (yield* strict.agent(agent, { trust: "full" })).remember({ ...statement, facts: ["host: db-2"] })
      const off = yield* open(folder, { reconciler: layer, policy: { reconcile: { reconciler: "none" } } })
      yield* (yield* off.agent(agent, { trust: "full" })).remember({ ...statement, facts: ["host: db-3"] })
      expect(questions).toEqual([])
    })
  )

  it.scopedLive("reads, scores and retires only memories of its own store", () =>
    Effect.gen(function* () {
      const decide = (trust: "full" | "familiar", hidden: number) =>
        Effect.gen(function* () {
          const { layer, questions } = scripted({ action: "DELETE", target: 0, reason: "newer" })
          const { daybook } = yield* fresh({ reconciler: layer })
          const owner = yield* daybook.agent(agent, { trust: "full" })
          for (let at = 0; at < hidden; at++) {
            // What a guest tells is social, what the owner does is private.
            const others = trust === "full" ? (["social", "shared"] as const) : (["private", "shared"] as const)
            const store = others[at % 2]!
            yield* owner.remember({ title: `${old.title} ${at}`, store }, { reconcile: false })
          }
          const guest = yield* daybook.agent(agent, { trust })
          const first = yield* guest.remember(old)
          yield* daybook.backfill(agent)
          const second = yield* guest.remember(statement)
          const decisions = (yield* mutations(daybook)).slice(hidden).map(({ payload }) => payload.decision.candidates)
          expect((yield* daybook.stats(agent)).memories.active).toBe(hidden + 1)
          return JSON.stringify([questions, decisions]).replaceAll(first.id, "1st").replaceAll(second.id, "2nd")
        })
      const times = /"at":\d+/g
      for (const trust of ["full", "familiar"] as const) {
        const without = yield* decide(trust, 0)
        for (const hidden of [1, 40])
          expect((yield* decide(trust, hidden)).replace(times, "")).toBe(without.replace(times, ""))
      }
    })
  )
})

describe("a reconciler with an asynchronous answer", () => {
  const run = (ask: (question: Question) => Effect.Effect<Judgement, ReconcilerError>, policy = {}) =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ reconciler: asking(ask), policy: { reconcile: policy } })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember(old)
      const written = yield* memory.remember(statement)
      const all = yield* mutations(daybook)
      return { written, decision: all.at(-1)!.payload.decision }
    })
  const answering = (verdict: Verdict) => () =>
    Effect.succeed<Judgement>({ verdict, by: { kind: "model", name: "m", promptDigest: "abc" }, sure: true })

  it.scopedLive("decides, and the event has its latency", () =>
    Effect.gen(function* () {
      const { decision, written } = yield* run(answering({ action: "DELETE", target: 0, reason: "newer" }))
      expect(written.outcome).toBe("replaced")
      expect(decision).toMatchObject({ action: "DELETE", by: { kind: "model", name: "m", promptDigest: "abc" } })
      expect(decision.latency).toBeGreaterThanOrEqual(0)
      expect(decision.fallback).toBeUndefined()
    })
  )

  it.scopedLive("that fails, hangs, dies or answers nonsense loses no write, and the event says so", () =>
    Effect.gen(function* () {
      const broken: ReadonlyArray<readonly [string, Parameters<typeof run>[0]]> = [
        [
          "failed (HTTP 500)",
          () => Effect.fail(new ReconcilerError({ name: "asked", reason: "failed", detail: "HTTP 500" }))
        ],
        ["timeout", () => Effect.never],
        ["failed", () => Effect.die("defect")],
        [
          "failed",
          () => {
            throw new TypeError("thrown")
          }
        ],
        ["named an unknown target", answering({ action: "UPDATE", target: 7, reason: "nobody" })],
        ["unreadable answer", answering({ action: "UPDATE", target: 0.5, reason: "half" })],
        [
          "unreadable answer",
          () => Effect.succeed({ verdict: {}, by: { kind: "model", name: "m" }, sure: true } as never)
        ],
        ["unreadable answer", () => Effect.succeed(undefined as never)],
        [
          "unreadable answer",
          () => Effect.succeed({ verdict: { action: "ADD", reason: "whose?" }, sure: true } as never)
        ],
        [
          "unreadable answer",
          () =>
            Effect.succeed({
              verdict: { action: "ADD", reason: "whose?" },
              by: { kind: "oracle", name: "o" },
              sure: true
            } as never)
        ],
        ["failed", () => Effect.interrupt],
        [
          "returned an invalid merged memory",
          answering({ action: "UPDATE", target: 0, merged: { title: "" }, reason: "empty" })
        ]
      ]
      for (const [reason, ask] of broken) {
        const { decision, written } = yield* run(ask, { timeout: 50 })
        expect([reason, written.outcome]).toEqual([reason, "added"])
        expect(decision).toMatchObject({
          action: "ADD",
          by: { kind: "rule", name: "rules" },
          fallback: `reconciler asked: ${reason}`
        })
      }
    })
  )

  it.scopedLive("is asked again if its candidates changed, also by earlier commands", () =>
    Effect.gen(function* () {
      let asked = 0
      const { daybook } = yield* fresh({
        reconciler: asking(({ candidates }) =>
          Effect.sync(() => {
            asked++
            return judgement({ action: "UPDATE", target: candidates.length - 1, reason: "the last of them" })
          })
        )
      })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const titles = Array.from({ length: 12 }, (_, at) => `${old.title}, replica ${at}`)
      const written = yield* Effect.forEach(titles, (title) => memory.remember({ title }), { concurrency: "unbounded" })
      expect(written.map(({ outcome }) => outcome)).toEqual(["added", ...Array(11).fill("merged")])
      expect(new Set(written.map(({ id }) => id)).size).toBe(1)
      expect(asked).toBeGreaterThanOrEqual(11)
      expect((yield* mutations(daybook)).every(({ payload }) => payload.decision.fallback === undefined)).toBe(true)
    })
  )

  it.scopedLive("merges 200 concurrent repeats into one memory with 200 mentions", () =>
    Effect.gen(function* () {
      for (const reconciler of [scripted(add).layer, asking(answering(add))]) {
        const { daybook } = yield* fresh({ reconciler })
        const memory = yield* daybook.agent(agent, { trust: "full" })
        const written = yield* Effect.forEach(Array(200).fill(old), (one) => memory.remember(one), {
          concurrency: "unbounded"
        })
        expect(new Set(written.map(({ id }) => id)).size).toBe(1)
        const [only, ...others] = yield* memory.list()
        expect(others).toEqual([])
        expect(only!.mentions).toBe(200)
      }
    })
  )

  it.scopedLive("is never asked by a replay", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const verdicts: ReadonlyArray<Verdict> = [
        { action: "DELETE", target: 0, reason: "newer" },
        { action: "UPDATE", target: 0, reason: "more" },
        { action: "NONE", target: 0, reason: "said" },
        add
      ]
      let next = 0
      const digest = yield* Effect.scoped(
        Effect.gen(function* () {
          const ask = () => Effect.sync(() => judgement(verdicts[next++ % verdicts.length]!, "m"))
          const daybook = yield* open(folder, { reconciler: asking(ask) })
          const memory = yield* daybook.agent(agent, { trust: "full" })
          for (let at = 0; at < 40; at++) yield* memory.remember({ ...statement, facts: [`host: db-${at}`] })
          yield* daybook.backfill(agent)
          return (yield* daybook.digests(agent)).digest
        })
      )
      expect(next).toBeGreaterThan(30)
      const dying = Layer.succeed(Reconciler, {
        name: "dies",
        judge: () => {
          throw new Error("a replay asked")
        },
        ask: () => Effect.dieMessage("a replay asked")
      })
      const daybook: Daybook["Type"] = yield* open(folder, { reconciler: dying })
      yield* daybook.rebuild(agent)
      expect((yield* daybook.digests(agent)).digest).toBe(digest)
    })
  )

  it.scopedLive("that fails after other writes are stored neither repeats nor undoes them", () =>
    Effect.gen(function* () {
      let asked = 0
      const ask = () =>
        Effect.sync(() => {
          if (++asked > 2) return { verdict: { action: "NONE", target: 0 }, by: null, sure: true } as never
          return judgement({ action: "UPDATE", target: 0, reason: "more" })
        })
      const { daybook } = yield* fresh({ reconciler: asking(ask) })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember(old)
      const written = yield* Effect.all(
        [
          memory.sessions.append({ session: "monday", role: "user", text: "hello" }),
          ...[1, 2, 3].map((at) => memory.remember({ title: `${statement.title}, replica ${at}` }))
        ],
        { concurrency: "unbounded" }
      )
      expect(written).toHaveLength(4)
      expect((yield* memory.sessions.get("monday")).length).toBe(1)
      expect((yield* events(daybook)).filter(({ type }) => type === "TURN")).toHaveLength(1)
    })
  )
})

describe("another mention", () => {
  it.scoped("without an expiry keeps the one of the memory; a later one moves it, an earlier one does not", () =>
    Effect.gen(function* () {
      const [start, minute] = [1_800_000_000_000, 60_000]
      yield* TestClock.setTime(start)
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* memory.remember({ ...old, expiresAt: start + minute })
      const expiry = Effect.map(memory.get([id]), ([found]) => found?.expiresAt)
      expect((yield* memory.remember(old)).outcome).toBe("duplicate")
      expect(yield* expiry).toBe(start + minute)
      yield* memory.remember({ ...old, expiresAt: start + 2 * minute })
      yield* memory.remember({ ...old, expiresAt: start + minute })
      expect(yield* expiry).toBe(start + 2 * minute)
      yield* TestClock.adjust("1 hour")
      expect(yield* memory.list()).toEqual([])
    })
  )

  it.scoped("with an expiry does not make a permanent memory expire", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* memory.remember(old)
      yield* memory.remember({ ...old, expiresAt: 60_000 })
      expect((yield* memory.get([id]))[0]).not.toHaveProperty("expiresAt")
    })
  )
})
