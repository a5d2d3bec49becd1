import { expect } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { afterImages, type DaybookEvent, type ErasedEvent } from "../../events/catalogue.js"
import type { Daybook } from "../../src/Daybook.js"
import type { Erasable } from "../../src/erasure/Erasure.js"
import type { MemoryReader } from "../../src/Memory.js"
import { disputingLayer } from "./disputes.js"
import { fresh } from "./engine.js"
import { firstDifference, touchedBy } from "./erasureState.js"
import { type Choice, choices, idsOf, selectionOf } from "./erasures.js"
import { tinyLayer } from "./extractor.js"
import { type Asked, histories, perform, type Step } from "./histories.js"

type System = Context.Tag.Service<Daybook>

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")
const awake = { actors: { idle: 365 * 24 * 60 * 60 * 1_000 } }

/** A history, and what is erased after it, one choice after the other. */
export interface LawCase {
  readonly steps: ReadonlyArray<Step>
  readonly chosen: ReadonlyArray<Choice>
}

/** Names of persons in texts that otherwise have none, so that an erased person is named in every kind of content. */
const withNames = (step: Step): Step => {
  const named = (text: string) => text.replaceAll("kettle", "Grace").replaceAll("deploy", "小林")
  switch (step.kind) {
    case "scratchpad":
      return { ...step, items: step.items.map(named) }
    case "schedule":
      return { ...step, schedule: { ...step.schedule, goal: named(step.schedule.goal) } }
    case "note":
      return { ...step, note: { ...step.note, content: named(step.note.content) } }
    case "rolling":
      return step.text === null ? step : { ...step, text: named(step.text) }
    case "recall":
      return { ...step, texts: step.texts.map(named) }
    default:
      return step
  }
}

/** Persons write too. Each kind of step has its actor, so that a history can be repeated. */
const actorOf = ({ kind }: Step): string => (kind.length % 3 === 0 ? "Grace" : kind.length % 3 === 1 ? "小林" : "clerk")

export const lawCases = (lengths: { readonly minLength: number; readonly maxLength: number }): fc.Arbitrary<LawCase> =>
  fc.record({
    steps: histories({ agents: [agent], ...lengths }).map((steps) => steps.map(withNames)),
    chosen: fc.array(choices, { minLength: 2, maxLength: 4 })
  })

const eventsOf = (daybook: System) => Effect.map(Stream.runCollect(daybook.log(agent)), Chunk.toReadonlyArray)

type Event = DaybookEvent | ErasedEvent

const withPayload = (events: ReadonlyArray<Event>): ReadonlyArray<DaybookEvent> =>
  events.filter((event): event is DaybookEvent => event.payload !== null)

/** Reads memories. A dispute ends with either of its sides, so it is left out. */
const readAll = (reader: MemoryReader, ids: ReadonlyArray<string>) =>
  Effect.map(reader.get(ids), (all) => all.map(({ disputedBy: _, ...memory }) => memory))

/** Who wrote the events up to a version, and why, without an erased person. */
const writers = (events: ReadonlyArray<Event>, selection: Erasable, last: number) => {
  const isErased = (name: string | null) => "person" in selection && name?.includes(selection.person) === true
  const isOfSession = (cause: string | null) => "session" in selection && cause === `run:session:${selection.session}`
  return new Map(
    withPayload(events)
      .filter(({ version }) => version <= last)
      .map(({ actor, cause, version }) => [
        version,
        [isErased(actor) ? "" : actor, isErased(cause) || isOfSession(cause) ? null : cause]
      ])
  )
}

/** Erases, and checks that nothing else changed: at every version of the log, and in reads of the views. */
const eraseAndCompare = (daybook: System, before: ReadonlyArray<Event>, selection: Erasable) =>
  Effect.gen(function* () {
    const plan = yield* Effect.either(daybook.erase(selection, { dryRun: true }))
    if (plan._tag === "Left") {
      expect(plan.left._tag).toBe("NothingToErase")
      return before
    }
    const [planned] = plan.right.agents
    const left = new Set([...planned!.memories, ...planned!.changed].map(({ id }) => id))
    const kept = idsOf(withPayload(before), "memory")
      .filter((id) => !left.has(id))
      .slice(0, 100)
    const live = yield* daybook.agent(agent, { trust: "full", record: false })
    const half = Math.ceil(before.at(-1)!.version / 2)
    const past = Effect.flatMap(daybook.agent(agent, { trust: "full", asOf: { version: half } }), (reader) =>
      readAll(reader, kept)
    )
    const [liveBefore, pastBefore] = [yield* readAll(live, kept), yield* past]

    const { agents } = yield* daybook.erase(selection, { reason: "privacy" })
    // Only a dry run lists the texts.
    expect(agents).toEqual(plan.right.agents.map((erasure) => ({ ...erasure, items: [] })))
    const after = yield* eventsOf(daybook)
    const gone = new Set(planned!.memories.map(({ id }) => id))
    expect(withPayload(after).flatMap((event) => afterImages(event).filter(({ id }) => gone.has(id)))).toEqual([])
    const last = before.at(-1)!.version
    const wroteBefore = writers(before, selection, last)
    for (const [version, writer] of writers(after, selection, last)) expect(writer).toEqual(wroteBefore.get(version))
    const touched = touchedBy(selection, planned!, [before, after])
    const difference = yield* firstDifference(before, after, touched)
    expect(difference, `${JSON.stringify(selection)} changes ${JSON.stringify(difference)}`).toBe(undefined)
    expect(yield* readAll(live, kept)).toEqual(liveBefore)
    expect(yield* past).toEqual(pastBefore)
    expect(yield* Effect.flip(daybook.erase(selection))).toMatchObject({ _tag: "NothingToErase" })
    return after
  })

/** Undoes and decides again what remains, and writes on. */
const goOn = (daybook: System, events: ReadonlyArray<DaybookEvent>) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full", record: false })
    for (const event of events.filter((event) => afterImages(event).length > 0).slice(-3)) {
      yield* memory.undo({ event: event.version }, { force: true })
    }
    const { decisions, erased } = yield* daybook.whatIf(agent)
    expect(decisions.filter(({ version }) => erased.includes(version))).toEqual([])
    yield* memory.remember({ title: "life goes on" })
  })

/** Runs a history of one agent. Returns the system, and whether the agent has any event. */
export const play = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { daybook, folder } = yield* fresh({ policy: awake, reconciler: disputingLayer, extractor: tinyLayer })
    const asked: Asked = new Map()
    for (const step of steps) yield* perform({ daybook, folder, asked, actorOf, wait: TestClock.adjust }, step)
    return { daybook, hasEvents: (yield* daybook.agents).some(({ name }) => name === agent) }
  })

/** Runs a history and its erasures. Fails where an erasure changes anything that was not chosen. */
export const checkLaw = ({ chosen, steps }: LawCase) =>
  Effect.gen(function* () {
    const { daybook, hasEvents } = yield* play(steps)
    if (!hasEvents) return
    let events: ReadonlyArray<Event> = yield* eventsOf(daybook)
    for (const choice of chosen) {
      const selection = selectionOf(agent, choice, withPayload(events))
      if (selection !== undefined) events = yield* eraseAndCompare(daybook, events, selection)
    }
    yield* daybook.backfill(agent)
    const { projections } = yield* daybook.digests(agent)
    yield* daybook.rebuild(agent)
    expect((yield* daybook.digests(agent)).projections).toEqual(projections)
    yield* goOn(daybook, withPayload(events))
    expect((yield* daybook.verify()).problems).toEqual([])
  }).pipe(Effect.scoped)
