import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Codec } from "../../events/Codec.js"
import type { DaybookEvent } from "../../events/catalogue.js"
import type { CachedVector, EventLog, NewCommand, NewEvent } from "../../events/EventLog.js"
import { type AlreadyErased, CommandConflict, VersionConflict } from "../../events/errors.js"
import { interruptible } from "../../events/mask.js"
import { inTurns, isTurnDue, type Steps, takeTurn, takeTurnIfDue } from "../../events/turns.js"
import { firstDueAt } from "../../projections/scheduleReads.js"
import { makeLookup, type ViewError } from "../../projections/view/buildViewFile.js"
import type { Poisoned } from "../../projections/view/ViewFile.js"
import type { Transaction, View, Views } from "../../projections/view/Views.js"
import type { Overloaded } from "../model/errors.js"
import { randomId } from "../model/ids.js"
import type { Advice } from "./Advice.js"
import { answersInLog } from "./answersInLog.js"
import * as BaseRows from "./baseRows.js"
import type { AnyCommand, DecidedEvent, Outcome, Situation } from "./Command.js"
import { isFarBehind, type Reading, readingAhead, readingBehind } from "./clock.js"
import { configureEvent } from "./configure.js"
import { makePlacer } from "./placeEvents.js"
import type { PolicyRecords } from "./policyRecord.js"

/** The reason why a valid command could not be carried out. */
export type CommandError = ViewError | CommandConflict | AlreadyErased | VersionConflict | Overloaded

/** The services that carry out commands. */
export interface CarryOutServices {
  readonly log: Context.Tag.Service<EventLog>
  readonly codec: Codec
  readonly views: Context.Tag.Service<Views>
  /** Receives the events of each commit, whose versions are `after + 1` to `to`. */
  readonly onCommit: (events: ReadonlyArray<DecidedEvent>, after: number, to: number) => void
  /** The current policy. If the last recorded policy differs, a CONFIGURE event is written first. */
  readonly policyRecords?: PolicyRecords | undefined
}

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
  /** Whether one caller gave all commands. Until the log stores them, an interruption of the caller discards them. */
  readonly isAlone: boolean
}

/**
 * Decides and applies each command on top of those before it, then stores all
 * events with one append. It returns fewer outcomes than commands if the advice
 * of the next command is stale, or if the transaction has become long.
 */
export const carryOut = (
  view: View,
  batch: Batch,
  services: CarryOutServices
): Effect.Effect<ReadonlyArray<Outcome>, CommandError | BaseRows.ViewDiffers> =>
  Effect.suspend(() => {
    let report: (() => void) | undefined
    const afterCommit: CarryOutServices = {
      ...services,
      onCommit: (events, after, to) => {
        report = () => services.onCommit(events, after, to)
      }
    }
    const written = services.views.write(view, (transaction) =>
      batch.commands.some(({ commandId }) => commandId !== undefined)
        ? Effect.flatMap(
            Effect.zipLeft(answersInLog(view.agent, batch.commands, transaction, services), takeTurnIfDue),
            (answers) => decideAndAppend({ ...batch, agent: view.agent, transaction, answers, services: afterCommit })
          )
        : decideAndAppend({ ...batch, agent: view.agent, transaction, answers: new Map(), services: afterCommit })
    )
    // Background work that is requested before the view shows the events would find nothing to do.
    return Effect.ensuring(
      written,
      Effect.sync(() => report?.())
    )
  })

/** Milliseconds of deciding before other work may run. */
const sliceMillis = 40

/** Milliseconds after which a transaction takes no further command. A commit of the view costs as much as 100 events. */
const transactionMillis = 250

interface Deciding extends Batch {
  readonly agent: string
  readonly transaction: Transaction
  /** Outcomes of command ids that the log already has. */
  readonly answers: ReadonlyMap<AnyCommand, Outcome>
  readonly services: CarryOutServices
}

type DecideError = CommandError | Poisoned | BaseRows.ViewDiffers

const decideAndAppend = (deciding: Deciding): Effect.Effect<ReadonlyArray<Outcome>, DecideError> =>
  Effect.clockWith((clock): Effect.Effect<ReadonlyArray<Outcome>, DecideError> => {
    const { agent, services, transaction } = deciding
    const { head } = transaction
    const reading = Math.floor(clock.unsafeCurrentTimeMillis())
    return isFarBehind(head, reading)
      ? Effect.flatMap(readingBehind(services.log, agent, head, reading), (at) => decideAndAppendAt(deciding, at))
      : decideAndAppendAt(deciding, readingAhead(head, reading))
  })

const decideAndAppendAt = (deciding: Deciding, at: Reading): Effect.Effect<ReadonlyArray<Outcome>, DecideError> =>
  Effect.suspend((): Effect.Effect<ReadonlyArray<Outcome>, DecideError> => {
    const { agent, services, transaction } = deciding
    const baseRows = BaseRows.make({
      db: transaction.db,
      agent,
      verified: transaction.verified,
      projections: services.views.names,
      log: services.log,
      codec: services.codec
    })
    const changes = inTurns(decideAll(deciding, at, baseRows), transaction.run)
    return Effect.matchCauseEffect(mayTakeLong(deciding) && deciding.isAlone ? interruptible(changes) : changes, {
      onFailure: (cause) => {
        const failure = Effect.failCause(cause)
        return baseRows.isEmpty() || Cause.isInterrupted(cause) ? failure : Effect.zipRight(baseRows.check, failure)
      },
      onSuccess: (changes) => store(deciding, at, baseRows, changes)
    })
  })

/** Whether deciding may yield to the event loop. */
const mayTakeLong = ({ commands }: Batch): boolean => commands.length > 1 || commands[0]?.decideInSteps !== undefined

/** Stores the events of a transaction, once they are applied to the view. */
const store = (
  { agent, services, transaction }: Deciding,
  { recordedAt: now }: Reading,
  baseRows: BaseRows.BaseRows,
  { decided, due, newCommands, outcomes, vectors }: Changes
): Effect.Effect<ReadonlyArray<Outcome>, DecideError> =>
  Effect.suspend((): Effect.Effect<ReadonlyArray<Outcome>, DecideError> => {
    const { log, onCommit } = services
    const expected = transaction.head.position
    if (newCommands.length === 0) {
      // An append would check the expected version. Without events, compare versions to detect a stale view.
      return Effect.flatMap(log.head(agent), ({ version }) =>
        version === expected
          ? Effect.succeed(outcomes)
          : Effect.fail(new VersionConflict({ stream: agent, expected, actual: version }))
      )
    }
    const appending = log.append({
      stream: agent,
      expected,
      now,
      commands: newCommands,
      vectors,
      ...(due === undefined ? {} : { due })
    })
    return Effect.flatMap(
      baseRows.isEmpty() ? appending : Effect.zipRight(baseRows.check, appending),
      (appended): Effect.Effect<ReadonlyArray<Outcome>, VersionConflict> => {
        if (appended.some(({ repeated }) => repeated)) {
          // Another process has just carried out one of these command ids. The retry returns its answer.
          return Effect.fail(new VersionConflict({ stream: agent, expected, actual: expected }))
        }
        const last = appended.at(-1)!.events.at(-1)!
        transaction.moveTo(last)
        onCommit(decided, expected, last.version)
        // The view's commit comes next.
        return isTurnDue() ? Effect.as(takeTurn, outcomes) : Effect.succeed(outcomes)
      }
    )
  })

const noVectors = makeLookup(() => undefined)

const lookupIn = (vectors: ReadonlyArray<CachedVector>) => {
  const byDigest = new Map(vectors.map(({ digest, vector }) => [digest, vector]))
  return makeLookup((_model, _dimensions, digest) => byDigest.get(digest))
}

/** The content of a transaction, and the outcomes of its commands. */
interface Changes {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly newCommands: ReadonlyArray<NewCommand>
  readonly vectors: ReadonlyArray<CachedVector>
  readonly decided: ReadonlyArray<DecidedEvent>
  /** When the agent's next schedule is due; undefined if no schedule changed. */
  readonly due: number | null | undefined
}

/**
 * Decides commands one after another, until the transaction has become long. Lets the event loop run only between the
 * events of a long command, so that many commands cost little more than their changes to the view.
 */
const decideAll = function* (
  deciding: Deciding,
  { jump, now, recordedAt }: Reading,
  baseRows: BaseRows.BaseRows
): Steps<Changes> {
  const { agent, commands, services, transaction } = deciding
  const { db, head } = transaction
  const placeEvents = makePlacer({ agent, codec: services.codec, transaction, recordedAt, baseRows })
  const newCommands: Array<NewCommand> = []
  const vectors: Array<CachedVector> = []
  const decided: Array<DecidedEvent> = []
  const earlierInBatch = new Map<string, { readonly request: string; readonly events: ReadonlyArray<DaybookEvent> }>()
  let version = head.position

  const decide = function* (command: AnyCommand): Steps<Outcome | "redecide"> {
    const { actor, commandId } = command
    const answer = deciding.answers.get(command)
    if (answer !== undefined) return answer
    const twin = commandId === undefined ? undefined : earlierInBatch.get(commandId)
    if (twin !== undefined) {
      return twin.request === command.request()
        ? Either.right(command.answer(twin.events, true, { db, now }))
        : Either.left(new CommandConflict({ stream: agent, commandId: commandId! }))
    }
    const situation: Situation = {
      db,
      now,
      version: version + 1,
      newId: randomId,
      decided,
      advice: deciding.advice.get(command),
      mayRedecide: deciding.mayRedecide
    }
    const decision =
      command.decideInSteps === undefined ? command.decide(situation) : yield* command.decideInSteps(situation)
    if (Either.isLeft(decision)) return decision
    if ("redecide" in decision.right) return "redecide"
    if ("answer" in decision.right) return Either.right(decision.right.answer)
    const lookup = command.vectors === undefined ? noVectors : lookupIn(command.vectors)
    const { events, stored } = yield* placeEvents(command, decision.right.events, version, lookup)
    version += events.length
    for (const event of decision.right.events) decided.push(event)
    const request = commandId === undefined ? undefined : command.request()
    if (commandId !== undefined) earlierInBatch.set(commandId, { request: request!, events })
    newCommands.push({ ...(commandId === undefined ? {} : { commandId, request: request! }), actor, events: stored })
    if (command.vectors !== undefined) {
      const isAddition = deciding.additions.includes(command)
      vectors.push(...(isAddition ? publishedVectors(command.vectors, events) : command.vectors))
    }
    return Either.right(command.answer(events, false))
  }

  /** Events that the engine adds before those of the commands. */
  const engineEvents: Array<NewEvent> = []
  const placeFirst = function* (event: DecidedEvent | undefined): Steps<void> {
    if (event === undefined) return
    engineEvents.push(...(yield* placeEvents({ actor: commands[0]!.actor }, [event], version, noVectors)).stored)
    version++
  }
  yield* placeFirst(jump)
  yield* placeFirst(services.policyRecords && configureEvent(db, services.policyRecords))
  const outcomes: Array<Outcome> = []
  const startedAt = performance.now()
  for (const command of commands) {
    const outcome = yield* decide(command)
    if (outcome === "redecide") break
    outcomes.push(outcome)
    if (!isTurnDue(sliceMillis)) continue
    if (performance.now() - startedAt >= transactionMillis) break
    yield
  }
  if (outcomes.length > 0) {
    for (const addition of deciding.additions) {
      if (isTurnDue()) yield
      yield* decide(addition)
    }
  }
  if (newCommands.length > 0 && engineEvents.length > 0) {
    newCommands.unshift({ actor: commands[0]!.actor, events: engineEvents })
  }
  // Stored in the log, so that the scheduler does not have to open every view.
  const due = decided.some(({ type }) => type === "SCHEDULE" || type === "RUN") ? firstDueAt(db) : undefined
  return { outcomes, newCommands, vectors, decided, due }
}

/**
 * The vectors that EMBED events publish. An added command may publish vectors of all commands, including those of
 * other transactions.
 */
const publishedVectors = (vectors: ReadonlyArray<CachedVector>, events: ReadonlyArray<DaybookEvent>) => {
  const digests = new Set<string>()
  for (const { payload, type } of events) {
    if (type === "EMBED") for (const { digest } of payload.entries) digests.add(digest)
  }
  return vectors.filter(({ digest }) => digests.has(digest))
}
