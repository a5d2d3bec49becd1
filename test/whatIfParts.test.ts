import { describe, expect, it } from "vitest"
import { afterImages, type DaybookEvent, type Decision } from "../events/catalogue.js"
import type { Dispute, Memory } from "../events/Memory.js"
import { runAllSteps } from "../events/turns.js"
import type { Question, Statement } from "../src/ports/Reconciler.js"
import { statementOf } from "../src/remember/Reconciling.js"
import { carryOver } from "../src/whatIf/carryOver.js"
import {
  findDifferenceCause,
  type Mutation,
  diffMemories as memoriesDiffInSteps,
  sameGrounds,
  sameResult
} from "../src/whatIf/diff.js"
import { recordedAnswer } from "../src/whatIf/recorded.js"
import type { DecisionResult } from "../src/whatIf/WhatIf.js"

const memoriesDiff = (...args: Parameters<typeof memoriesDiffInSteps>) => runAllSteps(memoriesDiffInSteps(...args))

const weighed = (...scores: ReadonlyArray<readonly [id: string, score: number]>): DecisionResult => ({
  outcome: "merged",
  id: scores[0]?.[0] ?? "own",
  by: { kind: "rule", name: "rules" },
  reason: "more of it",
  candidates: scores.map(([id, score]) => ({ id, revision: 1, score })),
  threshold: 0.3
})
const added = (taken: DecisionResult): DecisionResult => ({ ...taken, outcome: "added", id: "own" })
const grounds = { threshold: 0.3, candidates: 10, since: () => undefined, first: undefined }

describe("the cause of a different decision", () => {
  const since = (apart: Readonly<Record<string, number>>) => (id: string) => apart[id]

  it("is another threshold, either way", () => {
    const [before, after] = [weighed(["a", 0.4]), added(weighed())]
    expect(findDifferenceCause(before, after, { ...grounds, threshold: 0.5 })).toEqual({ kind: "threshold" })
    const lower = { ...weighed(["a", 0.2]), threshold: 0.1 }
    expect(findDifferenceCause(added(weighed()), lower, { ...grounds, threshold: 0.1 })).toEqual({ kind: "threshold" })
  })

  it("is a different number of candidates", () => {
    const [many, few] = [weighed(["a", 0.9], ["b", 0.8], ["c", 0.7]), added(weighed(["a", 0.9]))]
    expect(findDifferenceCause(many, few, { ...grounds, candidates: 1 })).toEqual({ kind: "candidates" })
    expect(findDifferenceCause(few, many, grounds)).toEqual({ kind: "candidates" })
  })

  it("is another reconciler, on the same memories or without a comparison", () => {
    const before = weighed(["a", 0.9])
    expect(findDifferenceCause(before, added(before), grounds)).toEqual({ kind: "reconciler" })
    const unweighed: DecisionResult = { ...added(weighed()), by: { kind: "caller", name: "remember" } }
    expect(findDifferenceCause(unweighed, before, grounds)).toEqual({ kind: "reconciler" })
    expect(findDifferenceCause(before, unweighed, { ...grounds, since: since({ a: 7 }) })).toEqual({
      kind: "reconciler"
    })
  })

  it("is the result of an earlier version", () => {
    const before = weighed(["a", 0.9])
    expect(findDifferenceCause(before, added(before), { ...grounds, since: since({ a: 7 }) })).toEqual({
      kind: "follows",
      version: 7
    })
    const other = weighed(["b", 0.8])
    expect(findDifferenceCause(before, other, { ...grounds, since: since({ b: 5 }) })).toEqual({
      kind: "follows",
      version: 5
    })
    const duplicate: DecisionResult = {
      ...before,
      outcome: "duplicate",
      by: { kind: "rule", name: "exact duplicate" },
      candidates: []
    }
    expect(findDifferenceCause(duplicate, added(weighed()), { ...grounds, since: since({ a: 3 }) })).toEqual({
      kind: "follows",
      version: 3
    })
    // No memory that was weighed is another one, but one that went another way moved them in or out.
    expect(findDifferenceCause(before, added(weighed()), { ...grounds, first: 2 })).toEqual({
      kind: "follows",
      version: 2
    })
  })

  it("is a different similarity, if nothing earlier differs", () => {
    expect(findDifferenceCause(weighed(["a", 0.9]), added(weighed()), grounds)).toEqual({ kind: "likeness" })
  })
})

describe("decisions", () => {
  it("count as equal by outcome and memory, even for different reasons", () => {
    const one = weighed(["a", 0.9])
    expect(sameResult(one, { ...one, reason: "other", candidates: [] })).toBe(true)
    for (const other of [{ outcome: "mentioned" }, { id: "b" }, { replaced: "c" }] as const) {
      expect(sameResult(one, { ...one, ...other })).toBe(false)
    }
    expect(sameGrounds(one, { ...one, answered: "reused", fallback: "none" })).toBe(true)
    for (const other of [
      { reason: "r" },
      { threshold: 0.4 },
      { by: { kind: "rule", name: "x" } },
      { candidates: [] }
    ] as const) {
      expect(sameGrounds(one, { ...one, ...other })).toBe(false)
    }
  })
})

const memory = (over: Partial<Memory> = {}): Memory => ({
  id: "a",
  born: 1,
  revision: 1,
  status: "active",
  type: "task",
  title: "Tea",
  facts: [],
  tags: [],
  people: [],
  files: [],
  source: { kind: "agent" },
  store: "shared",
  tier: "long",
  importance: 0,
  tokens: 1,
  mentions: 1,
  lastMentionedAt: 1,
  createdAt: 1,
  updatedAt: 1,
  ...over
})

describe("memories that differ", () => {
  const nothing = { onlyLive: [], onlyBranch: [], changed: [] }

  it("are on one side only, in order of creation", () => {
    const [late, early] = [memory({ id: "b", born: 9 }), memory({ id: "c", born: 2 })]
    const retired = memory({ status: "superseded" })
    const found = memoriesDiff(
      [
        { live: late, branch: undefined },
        { live: memory(), branch: retired },
        { live: early, branch: undefined },
        { live: undefined, branch: memory({ id: "d" }) }
      ],
      5
    )
    expect(found.onlyLive.map(({ elsewhere, id }) => [id, elsewhere])).toEqual([
      ["a", "superseded"],
      ["c", undefined],
      ["b", undefined]
    ])
    expect(found.onlyBranch).toEqual([{ id: "d", title: "Tea", type: "task", store: "shared" }])
  })

  it("do not include those hidden from every read, such as expired ones", () => {
    const gone = [memory({ status: "forgotten" }), memory({ expiresAt: 5 }), undefined]
    const sides = gone.flatMap((live) => gone.map((branch) => ({ live: live ?? branch, branch })))
    expect(
      memoriesDiff(
        sides.filter(({ live }) => live !== undefined),
        5
      )
    ).toEqual(nothing)
    const [one] = memoriesDiff([{ live: memory(), branch: memory({ expiresAt: 5 }) }], 5).onlyLive
    expect(one!.elsewhere).toBe("expired")
    expect(memoriesDiff([{ live: memory({ expiresAt: 6 }), branch: memory({ expiresAt: 6 }) }], 5)).toEqual(nothing)
  })

  it("differ in content, not in fields that change with every event", () => {
    const kept = { born: 4, revision: 9, createdAt: 9, updatedAt: 9, lastMentionedAt: 9, tokens: 9 }
    expect(memoriesDiff([{ live: memory(), branch: memory(kept) }], 5)).toEqual(nothing)
    const branch = memory({ ...kept, title: "Coffee", narrative: "at noon", mentions: 2 })
    expect(memoriesDiff([{ live: memory(), branch }], 5).changed).toEqual([
      {
        id: "a",
        title: "Tea",
        fields: {
          title: { live: "Tea", branch: "Coffee" },
          narrative: { branch: "at noon" },
          mentions: { live: 1, branch: 2 }
        }
      }
    ])
  })
})

describe("an event that is not decided again", () => {
  const eventOf = (type: string, payload: object): DaybookEvent =>
    ({ type, payload, version: 9, recordedAt: 9, stream: "coop", cause: null }) as unknown as DaybookEvent
  const carry = (event: DaybookEvent, live: ReadonlyArray<Memory>, branch: ReadonlyArray<Memory>) => {
    const skipped: Array<string> = []
    const find = (all: ReadonlyArray<Memory>) => (id: string) => all.find((one) => one.id === id)
    const made = carryOver(event, { liveNow: find(live), find: find(branch), skip: (_, { id }) => skipped.push(id) })
    return { images: made === undefined ? undefined : afterImages(made), skipped }
  }
  const promoted = (after: Memory) => eventOf("UPDATE", { memory: after, reason: "promoted" })

  it("changes the branch's memory exactly as it changed the logged one", () => {
    const before = memory({ title: "Tea", narrative: "at five", tier: "mid", revision: 3 })
    const { narrative: _, ...rest } = before
    const after: Memory = { ...rest, tier: "long", revision: 4, updatedAt: 9 }
    expect(carry(promoted(after), [before], [before]).images).toEqual([after])
    const mine = memory({ title: "Coffee", narrative: "at noon", tier: "mid", revision: 7, mentions: 5 })
    const { narrative: __, ...others } = mine
    expect(carry(promoted(after), [before], [mine])).toEqual({
      images: [{ ...others, tier: "long", revision: 8, updatedAt: 9 }],
      skipped: []
    })
  })

  it("changes only those disputes of the branch's memory that it changed in the log", () => {
    const dispute = (id: string, settled?: "both"): Dispute => ({ id, ground: "unsure", ...(settled && { settled }) })
    const before = memory({ disputes: [dispute("x"), dispute("y")] })
    const mine = memory({ disputes: [dispute("y"), dispute("z")] })
    const carried = (disputes: ReadonlyArray<Dispute> | undefined) =>
      carry(promoted({ ...before, revision: 2, disputes }), [before], [mine]).images![0]!.disputes
    expect(carried([dispute("x"), dispute("y", "both")])).toEqual([dispute("y", "both"), dispute("z")])
    expect(carried([dispute("x"), dispute("y"), dispute("w")])).toEqual([dispute("y"), dispute("z"), dispute("w")])
    expect(carried([dispute("x")])).toEqual([dispute("z")])
    expect(carry(promoted({ ...before, revision: 2, tier: "long" }), [before], [mine]).images![0]!.disputes).toEqual(
      mine.disputes
    )
  })

  it("is left out if the branch lacks the memory, or has retired it", () => {
    const [before, after] = [memory({ tier: "mid" }), memory({ revision: 2 })]
    expect(carry(promoted(after), [before], [])).toEqual({ images: undefined, skipped: ["a"] })
    const retired = memory({ tier: "mid", status: "superseded" })
    expect(carry(promoted(after), [before], [retired])).toEqual({ images: undefined, skipped: ["a"] })
    // What brings it back does so here as well.
    const back = eventOf("UPDATE", { memory: memory({ revision: 3 }), reason: "undone" })
    expect(carry(back, [memory({ status: "forgotten", revision: 2 })], [retired]).images).toMatchObject([
      { status: "active", tier: "mid" }
    ])
  })

  it("of several memories applies to those in the branch, and adds what it adds for them", () => {
    const [a, b] = [memory(), memory({ id: "b" })]
    const compressed = [a, b].map((one): Memory => ({ ...one, status: "compressed", revision: 2 }))
    const made = memory({ id: "c", born: 9 })
    const event = eventOf("COMPRESS", { memory: made, sources: compressed })
    const one = carry(event, [a, b], [a])
    expect(one.images!.map(({ id }) => id)).toEqual(["a", "c"])
    expect(one.skipped).toEqual(["b"])
    expect(carry(event, [a, b], []).images).toBeUndefined()
    const archived = eventOf("ARCHIVE", { memories: compressed })
    expect(carry(archived, [a, b], [b]).images!.map(({ id }) => id)).toEqual(["b"])
    const turn = eventOf("TURN", { turn: {} })
    expect(carry(turn, [], []).images).toEqual([])
  })
})

describe("the recorded answer of a model", () => {
  const statement: Statement = { type: "task", title: "Tea at six", facts: [], tags: [], people: [], at: 9 }
  const [a, b] = [memory({ id: "a", revision: 2 }), memory({ id: "b", title: "Coffee", born: 2 })]
  const asked = (memories: ReadonlyArray<Memory>): Question => ({
    statement,
    candidates: memories.map((one, at) => ({ ...statementOf(one, at), score: 0.5 + at / 10 }))
  })
  const live = (id: string) => [a, b].find((one) => one.id === id)
  const decision: Decision = {
    action: "NONE",
    by: { kind: "model", name: "m", promptDigest: "p" },
    reason: "said",
    candidates: [
      { id: "a", revision: 2, score: 0.9 },
      { id: "b", revision: 1, score: 0.4 }
    ]
  }
  const event = (over: Partial<Decision> = {}, payload: object = {}): Mutation =>
    ({ type: "UPDATE", payload: { memory: b, decision: { ...decision, ...over }, ...payload } }) as unknown as Mutation

  it("answers a question with the same texts in the same order, at any time", () => {
    expect(recordedAnswer(event(), asked([a, b]), live)).toEqual({
      verdict: { action: "NONE", target: 1, reason: "said" },
      by: decision.by,
      sure: true
    })
    const others = [
      asked([b, a]),
      asked([a]),
      asked([a, b, b]),
      asked([a, { ...b, title: "Cocoa" }]),
      asked([a, { ...b, facts: ["hot"] }]),
      asked([a, { ...b, tags: ["hot"] }])
    ]
    for (const other of others) expect(recordedAnswer(event(), other, live)).toBeUndefined()
  })

  it("is missing for other revisions, for events without a model, and for other kinds", () => {
    const [first, second] = decision.candidates
    for (const other of [
      event({ candidates: [{ ...first!, revision: 1 }, second!] }),
      event({ candidates: [first!, { ...second!, id: "c" }] }),
      event({ by: { kind: "rule", name: "m" } }),
      event({ fallback: "timeout" }),
      event({}, { memory: memory({ id: "z" }) })
    ]) {
      expect(recordedAnswer(other, asked([a, b]), live)).toBeUndefined()
    }
  })

  it("is the recorded outcome", () => {
    const verdict = (over: Partial<Decision>, payload: object = {}) =>
      recordedAnswer(event(over, payload), asked([a, b]), live)?.verdict
    expect(verdict({ action: "ADD" })).toEqual({ action: "ADD", reason: "said" })
    expect(verdict({ action: "DELETE" })).toEqual({ action: "DELETE", target: 1, reason: "said" })
    // A narrative that is not there any more is not to be made from both again.
    expect(verdict({ action: "UPDATE" }, { memory: { ...a, title: "Tea and more", facts: ["six"] } })).toEqual({
      action: "UPDATE",
      target: 0,
      merged: { title: "Tea and more", narrative: "", facts: ["six"], tags: [] },
      reason: "said"
    })
  })
})
