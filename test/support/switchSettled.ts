import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { DaybookEvent } from "../../events/catalogue.js"
import * as Default from "../../layers/Default.js"
import { Daybook } from "../../src/Daybook.js"
import type { DaybookService } from "../../src/DaybookService.js"
import { known } from "./embedders.js"
import { temporaryFolder } from "./engine.js"
import { agent, ask, policy } from "./switchChecks.js"
import { faultsOf, oracleOf, putInto, sentInVain, vectorsByText, vectorsIn } from "./switchOracle.js"
import type { AnswerLine, RunnerOptions, SentLine } from "./switchRunner.js"
import { questionsOf, type World } from "./switchWorld.js"
import { tongues } from "./tongues.js"

// What is looked at when a storm is over: see switchStorm.ts.

type Goal = RunnerOptions["goal"]

/** What came of one way. */
export interface Calm {
  readonly seconds: number
  readonly kills: number
  /** Texts that came back, and those that came back a second time, as the first came to nobody. */
  readonly received: number
  readonly again: number
  readonly writes: Readonly<Record<string, number>>
  /** Answers that were checked, those of them of which it is certain by which model each side was made, and of the past. */
  readonly answers: number
  readonly told: Readonly<Record<string, number>>
  readonly past: number
  /** What lacked a vector when it was put in force, and of the index that was in force before. */
  readonly lacking: number
  readonly before: number
  readonly active: number
  readonly chunks: number
  /** What the index that was left lacks by now. */
  readonly behind: number
}

export const openWith = (folder: string, first: Goal) => {
  const { far, home, near } = tongues()
  const all = first === "near" ? [near, far, home] : [far, near, home]
  return Effect.map(Layer.build(Default.layer({ folder, policy, ...known(...all) })), (context) => ({
    daybook: Context.get(context, Daybook),
    asked: () => [near, far, home].flatMap(({ asked }) => asked.flat())
  }))
}

const answersOf = (daybook: DaybookService, world: World) =>
  Effect.forEach(questionsOf(world), (question) => ask(daybook, world, question))

/** Of the past whoever reads at full trust sees what was seen then: below that, what has become stricter is not shown. */
export const pastOf = (daybook: DaybookService, world: World, version: number) =>
  Effect.forEach(
    questionsOf(world).filter(({ trust }) => trust === "full"),
    (question) => Effect.map(ask(daybook, world, question, version), (answer) => ({ question, answer }))
  )

const logOf = (daybook: DaybookService) =>
  Effect.map(Stream.runCollect(daybook.log(agent)), (events) => [...events] as ReadonlyArray<DaybookEvent>)

export const linesOf = (notes: string, file: string): ReadonlyArray<string> => {
  const path = join(notes, file)
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : []
}

const sentIn = (notes: string) => linesOf(notes, "sent").map((line) => JSON.parse(line) as SentLine)

/** Looks at what the storm left, and at all that was answered meanwhile. */
export const settled = (
  folder: string,
  notes: string,
  goal: Goal,
  world: World,
  version: number,
  before: ReadonlyArray<unknown>
) =>
  Effect.gen(function* () {
    const { asked, daybook } = yield* openWith(folder, "near")
    const oracle = oracleOf(yield* logOf(daybook))
    const live = yield* answersOf(daybook, world)
    const status = yield* daybook.embedders.status(agent)
    expect(status.inForce).toMatchObject({ model: goal, lacking: 0 })
    expect(status.apart?.lacking ?? 0).toBe(0)
    expect(status.preparing).toBeNull()

    // What was written of vectors was right when it was written, and all there is now is right, to the byte.
    const none = (what: string, faults: ReadonlyArray<unknown>) =>
      expect(
        faults
          .slice(0, 5)
          .map((fault) => JSON.stringify(fault))
          .join("\n"),
        what
      ).toBe("")
    none("written", oracle.faults)
    none("live", faultsOf(vectorsIn(folder), oracle, goal))
    const adoptions = oracle.adoptions.filter(({ model }) => model === goal)
    expect(adoptions).toHaveLength(1)
    const { before: old, lacking } = adoptions[0]!
    expect(lacking).toBeLessThanOrEqual(Math.max(32, old) + 16)

    const sent = sentIn(notes)
    none("sent in vain", sentInVain(sent, oracle))
    const came = sent
      .filter(({ received }) => received)
      .flatMap(({ digests, model }) => digests.map((one) => model + one))

    // By whichever process: once one has seen the switch, none answers by the old index any more.
    const answers = linesOf(notes, "answers").map((line) => JSON.parse(line) as AnswerLine)
    const seen = Math.min(...answers.filter(({ inForce }) => inForce === goal).map(({ ended }) => ended))
    none(
      "by the old one",
      answers.filter(({ begun, inForce }) => inForce !== goal && begun > seen)
    )
    const told: Record<string, number> = {}
    for (const model of answers.flatMap((one) => one.told)) told[model] = (told[model] ?? 0) + 1

    // A view that is made anew asks nobody, and answers the same.
    const digests = yield* daybook.digests(agent)
    yield* daybook.rebuild(agent)
    expect(yield* daybook.digests(agent)).toEqual(digests)
    expect(yield* answersOf(daybook, world)).toEqual(live)
    none("rebuilt", faultsOf(vectorsIn(folder), oracle, goal))
    none("asked", asked())
    expect(yield* pastOf(daybook, world, version)).toEqual(before)

    // Nor does one that had this embedder from the beginning, and never another one.
    const other = yield* temporaryFolder
    const fresh = (yield* openWith(other, goal)).daybook
    yield* putInto(fresh, oracle)
    const anew = oracleOf(yield* logOf(fresh))
    expect(vectorsByText(vectorsIn(other), anew, goal)).toEqual(vectorsByText(vectorsIn(folder), oracle, goal))
    expect(yield* answersOf(fresh, world)).toEqual(live)

    const writes: Record<string, number> = {}
    for (const line of linesOf(notes, "writes")) writes[JSON.parse(line)] = (writes[JSON.parse(line)] ?? 0) + 1
    const kept = goal === "far" ? "near" : "far"
    return {
      received: came.length,
      again: came.length - new Set(came).size,
      writes,
      answers: answers.length,
      told,
      past: linesOf(notes, "past").length,
      lacking,
      before: old,
      active: oracle.rows.memories.size,
      chunks: oracle.rows.chunks.size,
      behind: (["memories", "chunks"] as const).reduce(
        (sum, kind) => sum + oracle.rows[kind].size - oracle.indexes[kept][kind].size,
        0
      )
    }
  })
