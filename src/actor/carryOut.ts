import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Codec } from "../../events/Codec.js"
import type { EventLog } from "../../events/EventLog.js"
import { type AlreadyErased, type CommandConflict, type ErasedMeanwhile, VersionConflict } from "../../events/errors.js"
import { interruptible, withFinalizer } from "../../events/mask.js"
import { runInSpan } from "../../events/tracing.js"
import { isYieldDue, runInTurns, yieldIfDue, yieldToEventLoop } from "../../events/turns.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import type { Poisoned } from "../../projections/view/ViewFile.js"
import type { View, Views } from "../../projections/view/Views.js"
import type { Overloaded } from "../model/errors.js"
import { findAnswersInLog } from "./answersInLog.js"
import * as BaseRows from "./baseRows.js"
import type { DecidedEvent, Outcome } from "./Command.js"
import { type ClockReading, interpretReading, interpretReadingBehind, isFarBehind } from "./clock.js"
import { type Batch, type DecidedChanges, type DecisionContext, decideAll } from "./decideAll.js"
import type { PolicyRecords } from "./policyRecord.js"
import { reportDecisions } from "./reportDecisions.js"

/** The reason why a valid command could not be carried out. */
export type CommandError = ViewError | CommandConflict | AlreadyErased | ErasedMeanwhile | VersionConflict | Overloaded

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

/**
 * Decides and applies each command on top of the previous ones, then stores all events with one append. It returns
 * fewer outcomes than commands if the advice of the next command is stale, or if the transaction has become long.
 */
export const carryOut = (
  view: View,
  batch: Batch,
  services: CarryOutServices
): Effect.Effect<ReadonlyArray<Outcome>, CommandError | BaseRows.ViewDiffers> =>
  Effect.suspend(() => {
    let report: (() => void) | undefined
    let stored: ReadonlyArray<DecidedEvent> = []
    const afterCommit: CarryOutServices = {
      ...services,
      onCommit: (events, after, to) => {
        stored = events
        report = () => services.onCommit(events, after, to)
      }
    }
    const written = services.views.write(view, (transaction) =>
      batch.commands.some(({ commandId }) => commandId !== undefined)
        ? Effect.flatMap(
            Effect.zipLeft(findAnswersInLog(view.agent, batch.commands, transaction, services), yieldIfDue),
            (answers) => decideAndAppend({ ...batch, agent: view.agent, transaction, answers, services: afterCommit })
          )
        : decideAndAppend({ ...batch, agent: view.agent, transaction, answers: new Map(), services: afterCommit })
    )
    // Call `onCommit` only after the view's commit. It requests background work, which would find nothing to do before
    // the view shows the events.
    return withFinalizer(
      Effect.zipLeft(
        written,
        Effect.suspend(() => reportDecisions(stored))
      ),
      Effect.sync(() => report?.())
    )
  })

interface DecidingInLog extends DecisionContext {
  readonly services: CarryOutServices
}

type DecideError = CommandError | Poisoned | BaseRows.ViewDiffers

const decideAndAppend = (deciding: DecidingInLog): Effect.Effect<ReadonlyArray<Outcome>, DecideError> =>
  Effect.clockWith((clock): Effect.Effect<ReadonlyArray<Outcome>, DecideError> => {
    const { agent, services, transaction } = deciding
    const { head } = transaction
    const reading = Math.floor(clock.unsafeCurrentTimeMillis())
    return isFarBehind(head, reading)
      ? Effect.flatMap(interpretReadingBehind(services.log, agent, head, reading), (at) =>
          decideAndAppendAt(deciding, at)
        )
      : decideAndAppendAt(deciding, interpretReading(head, reading))
  })

const decideAndAppendAt = (
  deciding: DecidingInLog,
  at: ClockReading
): Effect.Effect<ReadonlyArray<Outcome>, DecideError> =>
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
    const changes = runInTurns(decideAll(deciding, at, baseRows), transaction.run)
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
  { agent, services, transaction }: DecidingInLog,
  { recordedAt: now }: ClockReading,
  baseRows: BaseRows.BaseRows,
  { decided, due, newCommands, outcomes, readAt, vectors }: DecidedChanges
): Effect.Effect<ReadonlyArray<Outcome>, DecideError> =>
  Effect.suspend((): Effect.Effect<ReadonlyArray<Outcome>, DecideError> => {
    const { log, onCommit } = services
    const expected = transaction.head.position
    if (newCommands.length === 0) {
      // An append checks the expected version. There is no append here, so compare the versions to detect a stale view.
      return Effect.flatMap(log.head(agent), ({ version }) =>
        version === expected
          ? Effect.succeed(outcomes)
          : Effect.fail(new VersionConflict({ stream: agent, expected, actual: version }))
      )
    }
    const appending = runInSpan(
      "EventLog.append",
      log.append({
        stream: agent,
        expected,
        now,
        commands: newCommands,
        vectors,
        readAt,
        ...(due === undefined ? {} : { due })
      }),
      { events: decided.length },
      { scope: "none" }
    )
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
        // Yield if it is due, because the view's commit comes next.
        return isYieldDue() ? Effect.as(yieldToEventLoop, outcomes) : Effect.succeed(outcomes)
      }
    )
  })
