import * as Either from "effect/Either"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { CachedVector, NewCommand, NewEvent, ReadAt } from "../../events/EventLog.js"
import { CommandConflict, ErasedMeanwhile } from "../../events/errors.js"
import { isYieldDue, type Steps } from "../../events/turns.js"
import { firstDueAt } from "../../projections/scheduleReads.js"
import { makeLookup } from "../../projections/view/decodePage.js"
import type { Transaction } from "../../projections/view/Views.js"
import { randomId } from "../model/ids.js"
import type { Advice } from "./Advice.js"
import type { BaseRows } from "./baseRows.js"
import type { AnyCommand, CommandParts, DecidedEvent, Outcome, Situation } from "./Command.js"
import type { ClockReading } from "./clock.js"
import { configureEvent } from "./configure.js"
import { type PlacementContext, placeEvents } from "./placeEvents.js"
import type { PolicyRecords } from "./policyRecord.js"

/** Advice by command, gathered before the commands are decided. */
export type AdviceByCommand = ReadonlyMap<AnyCommand, Advice>
export const noAdvice: AdviceByCommand = new Map()

/** Commands that are decided in one transaction. */
export interface Batch {
  readonly commands: ReadonlyArray<AnyCommand>
  /** Commands decided after the commands of each transaction. Their outcomes are not returned. */
  readonly additions: ReadonlyArray<AnyCommand>
  readonly advice: AdviceByCommand
  /** Whether a command with stale advice may be postponed until it has new advice. */
  readonly mayRedecide: boolean
  /**
   * True if one caller submitted all commands. If that caller is interrupted before the log stores the commands, they
   * are discarded.
   */
  readonly isAlone: boolean
}

/** Milliseconds of deciding after which the event loop may run other work. */
const sliceMillis = 25

/** Milliseconds after which a transaction takes no further command. A commit of the view costs as much as 100 events. */
const transactionMillis = 250

/** A batch in its transaction. */
export interface DecisionContext extends Batch {
  readonly agent: string
  readonly transaction: Transaction
  /** Outcomes of command ids that the log already has. */
  readonly answers: ReadonlyMap<AnyCommand, Outcome>
  readonly services: {
    readonly codec: Codec
    /** The current policy. If the last recorded policy differs, a CONFIGURE event is written first. */
    readonly policyRecords?: PolicyRecords | undefined
  }
}

const noVectors = makeLookup(() => undefined)

const lookupIn = (vectors: ReadonlyArray<CachedVector>) => {
  const byDigest = new Map(vectors.map(({ digest, vector }) => [digest, vector]))
  return makeLookup((_model, _dimensions, digest) => byDigest.get(digest))
}

/** The content of a transaction, and the outcomes of its commands. */
export interface DecidedChanges {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly newCommands: ReadonlyArray<NewCommand>
  readonly vectors: ReadonlyArray<CachedVector>
  readonly decided: ReadonlyArray<DecidedEvent>
  /** The oldest `readAt` of the new commands; undefined if none has one. */
  readonly readAt: ReadAt | undefined
  /** When the agent's next schedule is due; undefined if no schedule changed. */
  readonly due: number | null | undefined
}

/** The events of a command's parts. `byPart` has null for a refused part. */
interface PartEvents {
  readonly events: ReadonlyArray<DaybookEvent>
  readonly stored: ReadonlyArray<NewEvent>
  /** Undefined if the parts were not due. */
  readonly byPart?: ReadonlyArray<ReadonlyArray<DaybookEvent> | null>
}

const noParts: PartEvents = { events: [], stored: [] }

/** The decisions of a transaction so far. */
interface Progress {
  readonly deciding: DecisionContext
  readonly placing: PlacementContext
  readonly now: number
  readonly newCommands: Array<NewCommand>
  readonly vectors: Array<CachedVector>
  readonly decided: Array<DecidedEvent>
  readonly earlierInBatch: Map<string, { readonly request: string; readonly events: ReadonlyArray<DaybookEvent> }>
  /** The version of the newest event. */
  version: number
  readAt: ReadAt | undefined
}

/**
 * Decides commands one after another, until the transaction has become long. Between commands, it yields to the event
 * loop only after `sliceMillis`, so that many commands cost little more than their changes to the view. It also yields
 * within a long command and before additions.
 */
export const decideAll = function* (
  deciding: DecisionContext,
  { jump, now, recordedAt }: ClockReading,
  baseRows: BaseRows
): Steps<DecidedChanges> {
  const { agent, commands, services, transaction } = deciding
  const { db, head } = transaction
  const progress: Progress = {
    deciding,
    placing: { agent, codec: services.codec, transaction, recordedAt, baseRows },
    now,
    newCommands: [],
    vectors: [],
    decided: [],
    earlierInBatch: new Map(),
    version: head.position,
    readAt: undefined
  }
  const configured = services.policyRecords && configureEvent(db, services.policyRecords)
  const engineEvents = yield* placeFirst(
    progress,
    [jump, configured].filter((event) => event !== undefined)
  )
  const outcomes: Array<Outcome> = []
  const startedAt = performance.now()
  for (const command of commands) {
    const outcome = yield* decide(progress, command)
    if (outcome === "redecide") break
    outcomes.push(outcome)
    if (!isYieldDue(sliceMillis)) continue
    if (performance.now() - startedAt >= transactionMillis) break
    yield
  }
  if (outcomes.length > 0) {
    for (const addition of deciding.additions) {
      if (isYieldDue()) yield
      yield* decide(progress, addition)
    }
  }
  const { decided, newCommands, readAt, vectors } = progress
  if (newCommands.length > 0 && engineEvents.length > 0) {
    newCommands.unshift({ actor: commands[0]!.actor, events: engineEvents })
  }
  // The log stores the due time, so that the scheduler does not have to open every view.
  const due = decided.some(({ type }) => type === "SCHEDULE" || type === "RUN") ? firstDueAt(db) : undefined
  return { outcomes, newCommands, vectors, decided, readAt, due }
}

/** Decides the parts of a command, each on top of the previous parts. */
const decideParts = function* (
  { deciding: { advice }, decided, placing }: Progress,
  command: AnyCommand,
  { areDue, commands }: CommandParts,
  situation: Situation
): Steps<PartEvents | "redecide"> {
  if (!areDue(situation)) return noParts
  const decidePart = (part: AnyCommand, version: number, mayRedecide: boolean) =>
    part.decide({ ...situation, version, advice: advice.get(part), mayRedecide })
  const isStale = (part: AnyCommand) => {
    if (advice.get(part)?.modelAnswer === undefined) return false
    const decision = decidePart(part, situation.version, true)
    return Either.isRight(decision) && "redecide" in decision.right
  }
  // Look for stale advice only before the first part is applied. The models were asked about each part without the
  // parts before it.
  if (situation.mayRedecide && commands.some(isStale)) return "redecide"
  const events: Array<DaybookEvent> = []
  const stored: Array<NewEvent> = []
  const byPart: Array<ReadonlyArray<DaybookEvent> | null> = []
  for (const part of commands) {
    const after = situation.version - 1 + events.length
    const decision = decidePart(part, after + 1, false)
    if (Either.isLeft(decision) || !("events" in decision.right)) {
      byPart.push(null)
      continue
    }
    const placed = yield* placeEvents(placing, command, decision.right.events, after, noVectors)
    for (const event of decision.right.events) decided.push(event)
    events.push(...placed.events)
    stored.push(...placed.stored)
    byPart.push(placed.events)
  }
  return { events, stored, byPart }
}

/** Decides a command on top of the previous ones. */
const decide = function* (progress: Progress, command: AnyCommand): Steps<Outcome | "redecide"> {
  const { deciding, decided, earlierInBatch, newCommands, now, placing, vectors } = progress
  const { agent, transaction } = deciding
  const { db } = transaction
  const { actor, commandId } = command
  const answer = deciding.answers.get(command)
  if (answer !== undefined) return answer
  const twin = commandId === undefined ? undefined : earlierInBatch.get(commandId)
  if (twin !== undefined) {
    return twin.request === command.request()
      ? Either.right(command.answer(twin.events, true, { db, now }))
      : Either.left(new CommandConflict({ stream: agent, commandId: commandId! }))
  }
  if (command.readAt !== undefined && command.readAt.version < transaction.erasure)
    return Either.left(new ErasedMeanwhile({ stream: agent, readAt: command.readAt.version }))
  const situation: Situation = {
    db,
    now,
    version: progress.version + 1,
    newId: randomId,
    decided,
    advice: deciding.advice.get(command),
    mayRedecide: deciding.mayRedecide
  }
  const parts = command.parts === undefined ? noParts : yield* decideParts(progress, command, command.parts, situation)
  if (parts === "redecide") return "redecide"
  progress.version += parts.events.length
  const whole =
    parts.byPart === undefined ? situation : { ...situation, version: progress.version + 1, parts: parts.byPart }
  const decision = command.decideInSteps === undefined ? command.decide(whole) : yield* command.decideInSteps(whole)
  const isRefused = Either.isLeft(decision) || !("events" in decision.right)
  if (isRefused && parts.events.length > 0)
    throw new Error("a command must not be refused after its parts were applied")
  if (Either.isLeft(decision)) return decision
  if ("redecide" in decision.right) return "redecide"
  if ("answer" in decision.right) return Either.right(decision.right.answer)
  const lookup = command.vectors === undefined ? noVectors : lookupIn(command.vectors)
  const own = yield* placeEvents(placing, command, decision.right.events, progress.version, lookup)
  progress.version += own.events.length
  for (const event of decision.right.events) decided.push(event)
  const [events, stored] =
    parts.byPart === undefined
      ? [own.events, own.stored]
      : [
          [...parts.events, ...own.events],
          [...parts.stored, ...own.stored]
        ]
  const request = commandId === undefined ? undefined : command.request()
  if (commandId !== undefined) earlierInBatch.set(commandId, { request: request!, events })
  if (
    command.readAt !== undefined &&
    !(command.readAt.version >= (progress.readAt?.version ?? Number.POSITIVE_INFINITY))
  )
    progress.readAt = command.readAt
  newCommands.push({ ...(commandId === undefined ? {} : { commandId, request: request! }), actor, events: stored })
  if (command.vectors !== undefined) {
    const isPublishing = deciding.additions.includes(command) || events.some(({ type }) => type === "EMBED")
    vectors.push(...(isPublishing ? publishedVectors(command.vectors, events) : command.vectors))
  }
  return Either.right(command.answer(events, false))
}

/** Places the engine's own events before the events of the commands. */
const placeFirst = function* (progress: Progress, events: ReadonlyArray<DecidedEvent>): Steps<ReadonlyArray<NewEvent>> {
  if (events.length === 0) return []
  const { actor } = progress.deciding.commands[0]!
  const { stored } = yield* placeEvents(progress.placing, { actor }, events, progress.version, noVectors)
  progress.version += events.length
  return stored
}

/**
 * The vectors that EMBED events publish. A command in `additions` may have the vectors of all commands, including
 * commands of other transactions. Other commands may have vectors of texts that were erased in the meantime.
 */
const publishedVectors = (vectors: ReadonlyArray<CachedVector>, events: ReadonlyArray<DaybookEvent>) => {
  const digests = new Set<string>()
  for (const { payload, type } of events) {
    if (type === "EMBED") for (const { digest } of [...payload.entries, ...(payload.chunks ?? [])]) digests.add(digest)
  }
  return vectors.filter(({ digest }) => digests.has(digest))
}
