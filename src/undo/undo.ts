import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Codec } from "../../events/Codec.js"
import { afterImages, type DaybookEvent, type EventType, type Payload } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { VersionConflict } from "../../events/errors.js"
import { isYieldDue, runAllSteps, runInTurns, yieldIfDue, yieldToEventLoop } from "../../events/turns.js"
import { findChanges } from "../../projections/history.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import { type Command, commandIdOf, requireUnparked, runFromCause } from "../actor/Command.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import { splitArray } from "../model/chunksOf.js"
import {
  type InvalidInput,
  type NothingToUndo,
  type NotUndoable,
  type ProjectionParked,
  TrustRequired
} from "../model/errors.js"
import { refuseUnknownOptions } from "../model/filters.js"
import { randomId } from "../model/ids.js"
import type { Writer } from "../remember/remember.js"
import { decodeUndoable, selectEventsToUndo, type Undoable } from "./choose.js"
import { type LimitedPlans, limitPlans } from "./limitPlans.js"
import { type Link, makeLife } from "./links.js"
import { type Conflict, type Plan, planMemoryUndo, type UndoEffect } from "./plan.js"
import { readUndoDependencies, type UndoDependencies } from "./relatives.js"
import { isStateEvent, planStates, type StatePlan } from "./sessionStates.js"
import { undoCommand as command, compensatingEvents, type MemoryChanged } from "./undoCommand.js"

export interface UndoOptions {
  /** Reports the changes without writing them. */
  readonly dryRun?: boolean | undefined
  /** Also undoes fields that would be conflicts. */
  readonly force?: boolean | undefined
  /** Makes the undo idempotent: a repeated id gets the first answer. */
  readonly commandId?: string | undefined
}

/** The result of an undo. It is empty if all events had been undone before. */
export interface Undone {
  /** The id of this undo's run, for undoing it; absent if nothing was written. */
  readonly run?: string
  readonly undone: ReadonlyArray<UndoneEvent>
  /**
   * Selected fields that stay unchanged, by the event that changed them. Either later events changed these fields
   * deliberately, or lineage forbids the change. `force` overrides only the first case.
   */
  readonly conflicts: ReadonlyArray<Conflict & { readonly title: string }>
  /** For a dry run: the events that would be written. */
  readonly events?: ReadonlyArray<PlannedEvent>
  /** True if a command with this id was executed before. Nothing was written now. */
  readonly repeated: boolean
}

/** A change of a memory that was undone. */
export interface UndoneEvent {
  readonly version: number
  readonly type: EventType
  /** The memory's id; for a summary or a scratchpad the session. */
  readonly memory: string
  /** The memory's title before the undo. */
  readonly title: string
  /**
   * `restored`: the event no longer has an effect. `removed`: the event created the memory, which is now removed.
   * `partly`: some fields are conflicts.
   */
  readonly what: UndoEffect
  /** The version of the event that undoes this event. */
  readonly by: number
}

export type PlannedEvent = {
  readonly [T in CompensatingType]: {
    readonly version: number
    readonly type: T
    readonly payload: Payload<T>
  }
}[CompensatingType]

type CompensatingType = "UPDATE" | "DELETE" | "SUMMARIZE" | "ROLL" | "SCRATCHPAD"

export type UndoError = CommandError | InvalidInput | NothingToUndo | NotUndoable | ProjectionParked | TrustRequired

/** The services of an undo. */
export interface UndoServices extends Pick<ReaderSource, "agent" | "read"> {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly run: <A, E>(command: Command<A, E>) => Effect.Effect<A, E | CommandError>
}

/** Maximum retries if a memory changes while the undo is being planned. */
const maxRetries = 5

/**
 * Undoes the changes of an event, a run or a source in one transaction, with one new event for each changed memory.
 * Plans before the command runs, and plans again if one of the memories changed in the meantime.
 */
export const undo = Effect.fnUntraced(function* (
  undoer: UndoServices,
  writer: Writer,
  target: Undoable,
  options: UndoOptions = {}
): Effect.fn.Return<Undone, UndoError> {
  yield* refuseUnknownOptions(options, ["dryRun", "force", "commandId"])
  const { commandId: requestedId, dryRun = false, force = false } = options
  if (writer.level !== "full") return yield* new TrustRequired({ what: "undo" })
  const selection = yield* decodeUndoable(target)
  const commandId = yield* commandIdOf(writer.level, requestedId)
  const { agent, log, run } = undoer
  const planTo = Effect.fnUntraced(function* (to: number) {
    const generation = yield* undoer.read(({ db }) => db.name)
    const chosen = yield* selectEventsToUndo({ agent, codec: undoer.codec, log, to }, selection)
    const memoryLives = yield* livesOf(undoer, chosen, to)
    const states = yield* undoer.read(({ db }) => planStates(db, chosen.filter(isStateEvent), force))
    const plans: Array<Plan> = []
    for (const links of memoryLives) {
      if (isYieldDue()) yield* yieldToEventLoop
      plans.push(planMemoryUndo(links, { force, countTokens: writer.countTokens }))
    }
    const livesById = new Map(memoryLives.map((links) => [links.at(-1)!.after.id, links]))
    const relatives = yield* readUndoDependencies(undoer, plans, livesById, to)
    const limited = yield* runInTurns(limitPlans(plans, relatives, writer.marks, to + 1), Effect.sync)
    return { generation, relatives, states, ...limited }
  })
  const request = () => JSON.stringify(["undo", selection, force])
  const attempt = (retries: number): Effect.Effect<Undone, UndoError> =>
    Effect.gen(function* () {
      const head = yield* log.head(agent)
      const bounded = yield* planTo(head.version)
      if (dryRun) {
        const now = Math.floor(yield* Clock.currentTimeMillis)
        return {
          ...reportOf(bounded, head.version + 1),
          events: yield* encodedEvents(undoer, bounded, head.version + 1, now),
          repeated: false
        }
      }
      if (commandId === undefined && isNothing(bounded)) return { ...reportOf(bounded, 0), repeated: false }
      const { cause, first, repeated } = yield* run(
        command(bounded, { actor: writer.actor, commandId, request, run: randomId() })
      )
      // Committing the view may have used up this turn of the event loop.
      yield* yieldIfDue
      if (first === undefined) return { ...reportOf(bounded, 0), repeated }
      // A repeated command reports its first result, computed from the log before its first event.
      const original = repeated ? yield* planTo(first - 1) : bounded
      return { run: runFromCause(cause) ?? "", ...reportOf(original, first), repeated }
    }).pipe(
      Effect.catchTag("Moved", () =>
        retries > 0
          ? attempt(retries - 1)
          : Effect.flatMap(
              log.head(agent),
              ({ version }) => new VersionConflict({ stream: agent, expected: version, actual: version })
            )
      )
    )
  return yield* attempt(maxRetries)
})

/** Reads the lives of the memories that events changed, up to a version. Oldest memory first. */
const livesOf = Effect.fnUntraced(function* (
  { agent, codec, log, read }: UndoServices,
  events: ReadonlyArray<DaybookEvent>,
  to: number
) {
  const chosen = new Map(events.map((event) => [event.version, event]))
  const born = [...new Set(events.flatMap((event) => afterImages(event).map((image) => image.born)))].sort(
    (a, b) => a - b
  )
  const lives: Array<ReadonlyArray<Link>> = []
  for (const page of splitArray(born, livesPerRead)) {
    const changes = yield* Effect.flatten(
      read(({ db }) =>
        Either.map(requireUnparked(db, "history"), () =>
          page.map((version) => findChanges(db, "full", version).filter(({ version }) => version <= to))
        )
      )
    )
    const others = [...new Set(changes.flat().map(({ version }) => version))].filter((version) => !chosen.has(version))
    const decoded = new Map<number, DaybookEvent>()
    for (const row of yield* log.at(agent, others)) {
      const event = yield* codec.decode(row)
      if (event.payload !== null) decoded.set(event.version, event)
    }
    for (const [index, life] of changes.entries()) {
      const events = life.map(({ version }) => {
        const event = chosen.get(version) ?? decoded.get(version)
        return event === undefined ? null : { event, chosen: chosen.has(version) }
      })
      const links = makeLife(page[index]!, events)
      if (links.length > 0) lives.push(links)
    }
    yield* yieldIfDue
  }
  return lives
})

/** Maximum memories per read of changes from the view. */
const livesPerRead = 50

/** The complete plan. */
interface UndoPlan extends LimitedPlans {
  readonly generation: string
  readonly relatives: UndoDependencies
  readonly states: ReadonlyArray<StatePlan>
}

const isNothing = ({ changing, states }: UndoPlan): boolean =>
  changing.length === 0 && states.every(({ undoes }) => undoes.length === 0)

/** Makes the report of a plan. `version` is the version that the plan's first event gets. */
const reportOf = ({ first, plans, states }: UndoPlan, version: number): Pick<Undone, "undone" | "conflicts"> => {
  const undone: Array<UndoneEvent> = []
  const conflicts: Array<Undone["conflicts"][number]> = []
  let undoVersion = version
  for (const plan of plans) {
    const { id: memory, title } = plan.current
    for (const change of plan.undone) undone.push({ ...change, memory, title, by: undoVersion })
    for (const conflict of plan.conflicts) {
      // Versions from `first` on belong to planned events. The written events are numbered from `version` instead.
      conflicts.push({
        ...conflict,
        by: conflict.by.map((later) => (later < first ? later : later - first + version)),
        title
      })
    }
    if (plan.image !== undefined) undoVersion++
  }
  for (const { conflict, session, title, type, undoes, value } of states) {
    const what = value === null ? "removed" : "restored"
    if (conflict !== undefined) conflicts.push({ ...conflict, title })
    for (const version of undoes) undone.push({ version, type, memory: session, title, what, by: undoVersion })
    if (undoes.length > 0) undoVersion++
  }
  const inOrder = (a: { readonly version: number }, b: { readonly version: number }) => a.version - b.version
  return { undone: undone.sort(inOrder), conflicts: conflicts.sort(inOrder) }
}

/** The planned events, encoded as the log would store them. */
const encodedEvents = (
  { codec, read }: UndoServices,
  bounded: UndoPlan,
  first: number,
  now: number
): Effect.Effect<ReadonlyArray<PlannedEvent>, ViewError | MemoryChanged> =>
  Effect.flatMap(
    read(({ db }) => runAllSteps(compensatingEvents(db, bounded, now, first))),
    Either.map(
      (events) =>
        events.map(({ payload, type }, index) => ({
          version: first + index,
          type,
          payload: codec.encode(type, payload).value
        })) as unknown as ReadonlyArray<PlannedEvent>
    )
  )
