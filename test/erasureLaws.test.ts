import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { type DaybookEvent, imagesOf } from "../events/catalogue.js"
import type { Daybook } from "../src/Daybook.js"
import type { AgentErasure, Erasable } from "../src/erasure/Erasure.js"
import type { MemoryReader } from "../src/Memory.js"
import { disputingLayer } from "./support/disputes.js"
import { fresh } from "./support/engine.js"
import { choices, idsOf, selectionOf } from "./support/erasures.js"
import { tinyLayer } from "./support/extractor.js"
import { type Asked, histories, perform } from "./support/histories.js"
import { rounds } from "./support/size.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

const eventsOf = (daybook: System) =>
  Effect.map(
    Stream.runCollect(daybook.log(agent)),
    (all) => Chunk.toReadonlyArray(all).filter(({ payload }) => payload !== null) as ReadonlyArray<DaybookEvent>
  )

/** Whether a turn or a file is selected, told without the engine's code. */
const isSelected = (selection: Erasable, { id, session, text }: { id: string; session?: string; text: string }) => {
  if ("ids" in selection) return selection.ids.includes(id)
  if ("session" in selection) return session === selection.session
  if (!("person" in selection)) return false
  return text.normalize("NFKC").toLowerCase().includes(selection.person.toLowerCase())
}

/** Everything that the log says about what was not chosen, line by line. Two states are equal if their lines are. */
const linesOf = (events: ReadonlyArray<DaybookEvent>, selection: Erasable, { changed, memories }: AgentErasure) => {
  const left = new Set([...changed, ...memories].map(({ id }) => id))
  const lines: Array<string> = []
  // A file goes with all its versions at a path of a store.
  const paths = new Set(
    events.flatMap((event) => {
      if (event.type !== "FILE") return []
      const { path, store, ...file } = event.payload.file
      return isSelected(selection, { ...file, text: `${path} ${file.text} ${file.session ?? ""}` } as never)
        ? [`${store} ${path}`]
        : []
    })
  )
  for (const event of events) {
    for (const image of imagesOf(event)) {
      if (!left.has(image.id)) lines.push(`${event.version} ${JSON.stringify(image)}`)
    }
    if (event.type === "TURN") {
      const { turn } = event.payload
      const text = JSON.stringify([turn.text, turn.speaker, turn.session, turn.toolCalls])
      if (!isSelected(selection, { ...turn, text } as never)) lines.push(`${event.version} ${JSON.stringify(turn)}`)
    }
    if (event.type === "FILE") {
      const { file } = event.payload
      if (!paths.has(`${file.store} ${file.path}`)) lines.push(`${event.version} ${JSON.stringify(file)}`)
    }
    if (event.type === "CONFIGURE" || event.type === "CLOCK") lines.push(JSON.stringify(event.payload))
  }
  return lines
}

/** Reads memories. A dispute ends with either of its sides, so it is left out. */
const readAll = (reader: MemoryReader, ids: ReadonlyArray<string>) =>
  Effect.map(reader.get(ids), (all) => all.map(({ disputedBy: _, ...memory }) => memory))

/** Erases, and checks that nothing else changed: in the log, in views, and in reads of the past. */
const eraseAndCompare = (daybook: System, selection: Erasable) =>
  Effect.gen(function* () {
    const before = yield* eventsOf(daybook)
    const plan = yield* Effect.either(daybook.erase(selection, { dryRun: true }))
    if (plan._tag === "Left") {
      expect(plan.left._tag).toBe("NothingToErase")
      return false
    }
    const chosen = new Set(plan.right.agents[0]!.memories.map(({ id }) => id))
    const changed = new Set(plan.right.agents[0]!.changed.map(({ id }) => id))
    const kept = idsOf(before, "memory")
      .filter((id) => !chosen.has(id) && !changed.has(id))
      .slice(0, 100)
    const versions = [0.3, 0.7, 0.95].map((part) => Math.max(1, Math.floor(part * before.at(-1)!.version)))
    const past = Effect.forEach(versions, (version) =>
      Effect.flatMap(daybook.agent(agent, { trust: "full", asOf: { version } }), (reader) => readAll(reader, kept))
    )
    const live = yield* daybook.agent(agent, { trust: "full", record: false })
    const [pastBefore, liveBefore] = [yield* past, yield* readAll(live, kept)]

    const { agents } = yield* daybook.erase(selection, { reason: "privacy" })
    expect(agents).toEqual(plan.right.agents)
    const after = yield* eventsOf(daybook)
    const images = after.flatMap((event) => imagesOf(event))
    expect(images.filter(({ id }) => chosen.has(id))).toEqual([])
    expect(linesOf(after, selection, agents[0]!)).toEqual(linesOf(before, selection, agents[0]!))
    expect(yield* readAll(live, kept)).toEqual(liveBefore)
    expect(yield* past).toEqual(pastBefore)
    expect(yield* Effect.flip(daybook.erase(selection))).toMatchObject({ _tag: "NothingToErase" })
    expect((yield* daybook.verify()).problems).toEqual([])

    yield* daybook.backfill(agent)
    const { projections } = yield* daybook.digests(agent)
    yield* daybook.rebuild(agent)
    expect((yield* daybook.digests(agent)).projections).toEqual(projections)
    return true
  })

describe("an erasure", () => {
  it.scoped.prop(
    "leaves all that was not chosen as it was: in the log, live, rebuilt and as of earlier versions",
    [
      histories({
        agents: [agent],
        ...rounds({ quick: { minLength: 20, maxLength: 30 }, full: { minLength: 20, maxLength: 40 } })
      }),
      fc.array(choices, { minLength: 3, maxLength: 5 })
    ],
    ([steps, chosen]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { daybook, folder } = yield* fresh({ policy: awake, reconciler: disputingLayer, extractor: tinyLayer })
        const asked: Asked = new Map()
        for (const step of steps) yield* perform({ daybook, folder, asked, wait: TestClock.adjust }, step)
        if (!(yield* daybook.agents).some(({ name }) => name === agent)) return
        for (const choice of chosen) {
          const selection = selectionOf(agent, choice, yield* eventsOf(daybook))
          if (selection !== undefined) yield* eraseAndCompare(daybook, selection)
        }
        // What remains can be undone, decided again and written on.
        const memory = yield* daybook.agent(agent, { trust: "full", record: false })
        for (const event of (yield* eventsOf(daybook)).filter((event) => imagesOf(event).length > 0).slice(-3)) {
          yield* memory.undo({ event: event.version }, { force: true })
        }
        const { decisions, erased } = yield* daybook.whatIf(agent)
        expect(decisions.filter(({ version }) => erased.includes(version))).toEqual([])
        yield* memory.remember({ title: "life goes on" })
        expect((yield* daybook.verify()).problems).toEqual([])
      }),
    { fastCheck: { numRuns: rounds({ quick: 2, full: 30 }), endOnFailure: true } }
  )
})
