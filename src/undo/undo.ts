import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Codec } from "../../events/Codec.js"
import { type DaybookEvent, type EventType, imagesOf, type Payload } from "../../events/catalogue.js"
import type { EventLog } from "../../events/EventLog.js"
import { VersionConflict } from "../../events/errors.js"
import { findChanges } from "../../projections/history.js"
import type { ViewError } from "../../projections/view/build.js"
import type { CommandError } from "../actor/Actor.js"
import { type Command, commandIdOf, runOf, whileSound } from "../actor/Command.js"
import type { ReaderSource } from "../actor/ReaderSource.js"
import {
  type InvalidInput,
  type NothingToUndo,
  type NotUndoable,
  type ProjectionParked,
  TrustRequired
} from "../model/errors.js"
import { randomId } from "../model/ids.js"
import type { Writer } from "../remember/remember.js"
import { type Bounded, boundPlans } from "./bound.js"
import { choose, decodeUndoable, type Undoable } from "./choose.js"
import { linksOf } from "./links.js"
import { type Conflict, planOf, type Undoing } from "./plan.js"
import { type Relatives, relativesOf } from "./relatives.js"
import { planSummaries, type Summarized, type SummaryPlan } from "./summaries.js"
import { undo as command, compensating, type Moved } from "./undoCommand.js"

export interface UndoOptions {
  /** Tells what would be done and writes nothing. */
  readonly dryRun?: boolean | undefined
  /** Also takes back what would be a conflict. */
  readonly force?: boolean | undefined
  /** Makes it idempotent: the same id again gets the first answer. */
  readonly commandId?: string | undefined
}

/** What was undone, and what was left. Nothing of it where all had been undone before. */
export interface Undone {
  /** By which this undoing can be undone in turn; absent where nothing was written. */
  readonly run?: string
  readonly undone: ReadonlyArray<UndoneEvent>
  /**
   * What stays because later events changed it on purpose, or because of what the memory was made of, whatever is
   * forced: by the event that was to be taken back.
   */
  readonly conflicts: ReadonlyArray<Conflict & { readonly title: string }>
  /** Of a dry run: the very events that would be written. */
  readonly events?: ReadonlyArray<PlannedEvent>
  /** Whether this command id had been carried out before: then nothing was written now. */
  readonly repeated: boolean
}

/** A change of a memory that was taken back. */
export interface UndoneEvent {
  readonly version: number
  readonly type: EventType
  /** Its id; of a summary the session. */
  readonly memory: string
  /** The memory's, as it was before it was undone. */
  readonly title: string
  /** `restored`: the memory is as if the event had not been; `removed`: it is gone with it; `partly`: some of it is a conflict. */
  readonly what: Undoing
  /** The version of the event that takes it back. */
  readonly by: number
}

export type PlannedEvent = {
  readonly [T in "UPDATE" | "DELETE" | "SUMMARIZE"]: {
    readonly version: number
    readonly type: T
    readonly payload: Payload<T>
  }
}["UPDATE" | "DELETE" | "SUMMARIZE"]

export type UndoError = CommandError | InvalidInput | NothingToUndo | NotUndoable | ProjectionParked | TrustRequired

/** Where it is undone. */
export interface Undoer extends Pick<ReaderSource, "agent" | "read"> {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly run: <A, E>(command: Command<A, E>) => Effect.Effect<A, E | CommandError>
}

/** So often it is planned anew where a memory changed meanwhile. */
const tries = 5

/**
 * Takes back what an event, a run or a source changed, by events of its own in
 * one transaction: one for each memory that changes. It is planned before its
 * turn, and once more where one of the memories was changed meanwhile.
 */
export const undo = (
  undoer: Undoer,
  writer: Writer,
  what: Undoable,
  { commandId: named, dryRun = false, force = false }: UndoOptions = {}
): Effect.Effect<Undone, UndoError> =>
  Effect.gen(function* () {
    if (writer.level !== "full") return yield* new TrustRequired({ what: "undo" })
    const selection = yield* decodeUndoable(what)
    const commandId = yield* commandIdOf(writer.level, named)
    const { agent, log, run } = undoer
    const planTo = (to: number) =>
      Effect.gen(function* () {
        const chosen = yield* choose({ agent, codec: undoer.codec, log, to }, selection)
        const lives = yield* livesOf(undoer, chosen, to)
        const written = chosen.filter((event): event is Summarized => event.type === "SUMMARIZE")
        const summaries = yield* undoer.read(({ db }) => planSummaries(db, written, force))
        const plans = lives.map((links) => planOf(links, { force, countTokens: writer.countTokens }))
        const planned = new Map(lives.map((links) => [links.at(-1)!.after.id, links]))
        const relatives = yield* relativesOf(undoer, plans, planned, to)
        return { relatives, summaries, ...boundPlans(plans, relatives, writer.marks, to + 1) }
      })
    const request = () => JSON.stringify(["undo", selection, force])
    const attempt = (left: number): Effect.Effect<Undone, UndoError> =>
      Effect.gen(function* () {
        const head = yield* log.head(agent)
        const bounded = yield* planTo(head.version)
        if (dryRun) {
          const now = Math.max(Math.floor(yield* Clock.currentTimeMillis), head.recordedAt)
          return {
            ...told(bounded, head.version + 1),
            events: yield* planned(undoer, bounded, head.version + 1, now),
            repeated: false
          }
        }
        if (commandId === undefined && isNothing(bounded)) return { ...told(bounded, 0), repeated: false }
        const { cause, first, repeated } = yield* run(
          command(bounded, { actor: writer.actor, commandId, request, run: randomId() })
        )
        if (first === undefined) return { ...told(bounded, 0), repeated }
        // What it came to the first time follows from what there was then; the others' events may have come between.
        const then = repeated ? yield* planTo(first - 1) : bounded
        return { run: runOf(cause) ?? "", ...told(then, first), repeated }
      }).pipe(
        Effect.catchTag("Moved", () =>
          left > 0
            ? attempt(left - 1)
            : Effect.flatMap(
                log.head(agent),
                ({ version }) => new VersionConflict({ stream: agent, expected: version, actual: version })
              )
        )
      )
    return yield* attempt(tries)
  })

/** The lives of the memories that events changed, up to a version, by the memories' age. */
const livesOf = ({ agent, codec, log, read }: Undoer, events: ReadonlyArray<DaybookEvent>, to: number) =>
  Effect.gen(function* () {
    const chosen = new Map(events.map((event) => [event.version, event]))
    const born = [...new Set(events.flatMap((event) => imagesOf(event).map((image) => image.born)))].sort(
      (a, b) => a - b
    )
    const changes = yield* Effect.flatten(
      read(({ db }) =>
        Either.map(whileSound(db, "history"), () =>
          born.map((one) => findChanges(db, "full", one).filter(({ version }) => version <= to))
        )
      )
    )
    const others = [...new Set(changes.flat().map(({ version }) => version))].filter((version) => !chosen.has(version))
    const decoded = new Map<number, DaybookEvent | null>(chosen)
    for (const row of yield* log.at(agent, others)) {
      const event = yield* codec.decode(row)
      decoded.set(event.version, event.payload === null ? null : event)
    }
    return changes
      .map((life, index) =>
        linksOf(
          born[index]!,
          life.map(({ version }) => {
            const event = decoded.get(version)
            return event ? { event, chosen: chosen.has(version) } : null
          })
        )
      )
      .filter((links) => links.length > 0)
  })

/** All that is to be done. */
interface Planning extends Bounded {
  readonly relatives: Relatives
  readonly summaries: ReadonlyArray<SummaryPlan>
}

const isNothing = ({ changing, summaries }: Planning): boolean =>
  changing.length === 0 && summaries.every(({ undoes }) => undoes.length === 0)

/** What bounded plans come to, were the first event to get this version. */
const told = ({ first, plans, summaries }: Planning, version: number): Pick<Undone, "undone" | "conflicts"> => {
  const undone: Array<UndoneEvent> = []
  const conflicts: Array<Undone["conflicts"][number]> = []
  let by = version
  for (const plan of plans) {
    const { id: memory, title } = plan.current
    for (const one of plan.undone) undone.push({ ...one, memory, title, by })
    for (const one of plan.conflicts) {
      // Nothing that is there already has such a version: it is one of the events that are to be written.
      conflicts.push({ ...one, by: one.by.map((at) => (at < first ? at : at - first + version)), title })
    }
    if (plan.image !== undefined) by++
  }
  for (const { conflict, session, summary, undoes } of summaries) {
    const title = `summary of session ${session}`
    const what = summary === null ? "removed" : "restored"
    if (conflict !== undefined) conflicts.push({ ...conflict, title })
    for (const version of undoes) undone.push({ version, type: "SUMMARIZE", memory: session, title, what, by })
    if (undoes.length > 0) by++
  }
  const inOrder = (a: { readonly version: number }, b: { readonly version: number }) => a.version - b.version
  return { undone: undone.sort(inOrder), conflicts: conflicts.sort(inOrder) }
}

/** The events as the log would have them. */
const planned = (
  { codec, read }: Undoer,
  bounded: Planning,
  first: number,
  now: number
): Effect.Effect<ReadonlyArray<PlannedEvent>, ViewError | Moved> =>
  Effect.flatMap(
    read(({ db }) => compensating(db, bounded, now, first)),
    Either.map(
      (events) =>
        events.map(({ payload, type }, index) => ({
          version: first + index,
          type,
          payload: codec.encode(type, payload).value
        })) as unknown as ReadonlyArray<PlannedEvent>
    )
  )
