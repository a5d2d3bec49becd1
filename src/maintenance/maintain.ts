import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterImages, type DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { runInSpan, traceEvent } from "../../events/tracing.js"
import { yieldToEventLoop } from "../../events/turns.js"
import { isClockConfirmed } from "../../projections/configuration.js"
import { checkpointOf } from "../../projections/view/ViewFile.js"
import type { CommandError } from "../actor/Actor.js"
import type { Command, DecidedEvent } from "../actor/Command.js"
import { confirmClock, isFarAhead, isFarBehind } from "../actor/clock.js"
import type { ReaderSource, Snapshot } from "../actor/ReaderSource.js"
import { ClockUnconfirmed, InvalidInput, TrustRequired } from "../model/errors.js"
import { checkInteger, refuseUnknownOptions } from "../model/filters.js"
import { randomId } from "../model/ids.js"
import { type StageName, stageNames } from "../model/stages.js"
import type { MaintenancePolicy } from "../ports/policy/maintenance.js"
import type { Judge } from "../ports/Reconciler.js"
import type { SettlerService } from "../ports/Settler.js"
import type { StatementReaderService } from "../ports/StatementReader.js"
import type { Writer } from "../remember/remember.js"
import { applySummarizer, type Draft, type SummarizerSetup } from "./applySummarizer.js"
import { countActions } from "./counts.js"
import { nextPlannedBorn } from "./overlay.js"
import { planFromView } from "./planFromView.js"
import { portionCommand, recordRunCommand, withBorn } from "./portionCommand.js"
import type { Stage, StagePlan } from "./Stage.js"
import { stages } from "./stages/all.js"

export interface MaintainOptions {
  /** Stages to run, always in the order of `stageNames`; all of them by default. */
  readonly stages?: ReadonlyArray<StageName> | undefined
  /** Returns the planned events and writes nothing. */
  readonly dryRun?: boolean | undefined
  /**
   * The deadline, in milliseconds since the epoch. No work begins after the deadline: finished work stays, and the
   * result says that work is `left`. A summarizer is called only if its time-out ends before the deadline. A dry run
   * ignores the deadline.
   */
  readonly deadline?: number | undefined
  /** Confirms that the clock is right although it is more than a year ahead of the agent's other events. */
  readonly confirmClock?: boolean | undefined
}

/** The result of one stage. */
export interface StageRun {
  readonly stage: StageName
  /** The id of the run, for undoing it; absent if there was nothing to do, and in a dry run. */
  readonly run?: string
  /** Number of memories by action: promoted, archived … */
  readonly counts: Readonly<Record<string, number>>
  /** True if work remains after this run, because of its limit, its deadline or concurrent writes. */
  readonly left: boolean
  /** Milliseconds. */
  readonly duration: number
  /** Dry run only: the events that a real run would write. Only the ids of new memories would differ. */
  readonly events?: ReadonlyArray<DecidedEvent>
}

export type MaintainError = ClockUnconfirmed | CommandError | InvalidInput | TrustRequired

/** The agent that is maintained, and the services that stages need. */
export interface Maintainer extends Pick<ReaderSource, "agent" | "read"> {
  readonly policy: MaintenancePolicy
  /** Digest of the active policy. */
  readonly policyDigest: string
  /** Writes the texts of summaries; without a summarizer, rules write them. */
  readonly summarizing?: SummarizerSetup | undefined
  /** Judges whether one memory contradicts another; without a judge, no memory is superseded. */
  readonly judge?: Judge | undefined
  /** Finds memories that later memories supersede; without a settler, no memory is superseded. */
  readonly settler?: SettlerService | undefined
  /** Finds the decisions and open items of a session; without a statement reader, session summaries list neither. */
  readonly statements?: StatementReaderService | undefined
  readonly run: <A, E>(command: Command<A, E>) => Effect.Effect<A, E | CommandError>
}

/** The value for "no deadline" and "no limit". */
const unbounded = Number.MAX_SAFE_INTEGER
/** Maximum memories that are changed without a pause; a single event may change more. */
const maxMemoriesPerPortion = 10

/** Runs stages in order. Each stage sees the results of the stages before it. */
export const maintain = Effect.fnUntraced(function* (
  maintainer: Maintainer,
  writer: Writer,
  options: MaintainOptions = {}
): Effect.fn.Return<ReadonlyArray<StageRun>, MaintainError> {
  yield* refuseUnknownOptions(options, ["stages", "dryRun", "deadline", "confirmClock"])
  const { confirmClock: isConfirmed = false, deadline, dryRun = false, stages: requested } = options
  if (writer.level !== "full") return yield* new TrustRequired({ what: "running maintenance" })
  if (requested !== undefined && !(Array.isArray(requested) && requested.every((name) => stageNames.includes(name)))) {
    return yield* new InvalidInput({
      field: "stages",
      problem: `must be a list of stage names: ${stageNames.join(", ")}`
    })
  }
  const end = deadline === undefined ? unbounded : yield* checkInteger("deadline", deadline, 0, unbounded)
  if (!dryRun && isConfirmed) yield* maintainer.run(confirmClock(writer.actor))
  else if (!dryRun) yield* maintainer.read(requireConfirmedClock).pipe(Effect.flatten)
  const runs: Array<StageRun> = []
  yield* traceEvent("maintenance.run_started", { stages: requested?.length ?? stages.length })
  const planned = new Map<number, Memory>()
  for (const stage of stages.filter(({ name }) => requested === undefined || requested.includes(name))) {
    const running: Effect.Effect<StageRun, CommandError> = dryRun
      ? dryRunStage(maintainer, writer, stage, planned)
      : runStage(maintainer, writer, stage, end)
    const ran = yield* runInSpan("Maintenance.stage", running, { stage: stage.name })
    runs.push(ran)
    const { counts, duration, left } = ran
    const memories = Object.values(counts).reduce((sum, number) => sum + number, 0)
    yield* traceEvent("maintenance.stage", { stage: stage.name, memories, left, millis: duration })
  }
  yield* traceEvent("maintenance.run_finished", { stages: runs.length })
  return runs
})

/** Refuses to age memories if the clock jumped and nobody confirmed it. */
const requireConfirmedClock = ({ db, now }: Snapshot): Either.Either<void, ClockUnconfirmed> => {
  const newest = checkpointOf(db)
  // If the clock was set back, the jump is over; the next write records that.
  return isFarBehind(newest, now) || (isClockConfirmed(db) && !isFarAhead(newest, now))
    ? Either.void
    : Either.left(new ClockUnconfirmed({ now: Math.floor(now) }))
}

/** Plans a stage on top of the earlier stages of the dry run, and adds its result to `planned`. */
const dryRunStage = Effect.fnUntraced(function* (
  maintainer: Maintainer,
  writer: Writer,
  stage: Stage,
  planned: Map<number, Memory>
) {
  const startedAt = yield* Clock.currentTimeMillis
  const { drafts = [], events, left } = yield* planFromView(maintainer, writer, stage, planned)
  const written = yield* applySummarizer(maintainer.summarizing, events, drafts, writer.countTokens)
  const numbered = written.map((event, index) => withBorn(event, nextPlannedBorn(planned) + index))
  for (const { payload, type } of numbered) {
    for (const image of afterImages({ type, payload } as never)) planned.set(image.born, image)
  }
  const duration = (yield* Clock.currentTimeMillis) - startedAt
  return { stage: stage.name, counts: countActions(stage.name, numbered), left, duration, events: numbered }
})

const runStage = Effect.fnUntraced(function* (maintainer: Maintainer, writer: Writer, stage: Stage, deadline: number) {
  const startedAt = yield* Clock.currentTimeMillis
  if (startedAt > deadline) return { stage: stage.name, counts: {}, left: true, duration: 0 }
  const plan = yield* planFromView(maintainer, writer, stage, new Map())
  const { policyDigest, run: runCommand, summarizing } = maintainer
  const { actor, countTokens } = writer
  const { generation, shown } = plan
  const run = randomId()
  const runFields = { run, kind: "maintenance", name: stage.name, policy: policyDigest } as const
  const written: Array<DaybookEvent> = []
  let sent = 0
  let conflicts = 0
  /** Appends the portions in order, until the deadline. */
  const append = Effect.fnUntraced(function* (events: ReadonlyArray<DecidedEvent>, until: number) {
    for (const portion of portionsOf(events)) {
      if ((yield* Clock.currentTimeMillis) > until) return
      const started: DecidedEvent | undefined =
        written.length === 0 ? { type: "RUN", payload: { ...runFields, phase: "started" } } : undefined
      const result = yield* runCommand(portionCommand({ run, actor, started, events: portion, shown, generation }))
      sent += portion.length
      written.push(...result.events)
      conflicts += result.left
      yield* yieldToEventLoop
    }
  })
  // Each batch of summaries is written before the next one is requested, so that a failure loses no paid answer.
  for (const { drafts, events } of draftBatchesOf(plan, summarizing?.policy.concurrency ?? unbounded)) {
    if (summarizing === undefined || drafts.length === 0) yield* append(events, deadline)
    else {
      if ((yield* Clock.currentTimeMillis) + summarizing.policy.timeout > deadline) break
      yield* append(yield* applySummarizer(summarizing, events, drafts, countTokens), unbounded)
    }
  }
  const left = plan.left || conflicts > 0 || sent < plan.events.length
  const duration = (yield* Clock.currentTimeMillis) - startedAt
  if (written.length === 0) return { stage: stage.name, counts: {}, left, duration }
  const actionCounts = countActions(stage.name, written)
  const counts = conflicts === 0 ? actionCounts : { ...actionCounts, "changed meanwhile": conflicts }
  yield* runCommand(
    recordRunCommand(actor, run, {
      type: "RUN",
      payload: { ...runFields, phase: "finished", status: "ok", counts, duration }
    })
  )
  return { stage: stage.name, run, counts, left, duration }
})

interface DraftBatch {
  readonly events: Array<DecidedEvent>
  readonly drafts: Array<Draft>
}

/** Splits a plan into consecutive batches with at most `maxDrafts` drafts each. */
const draftBatchesOf = ({ drafts = [], events }: StagePlan, maxDrafts: number): ReadonlyArray<DraftBatch> => {
  const draftByIndex = new Map(drafts.map((draft) => [draft.eventIndex, draft]))
  const batches: Array<DraftBatch> = []
  for (const [index, event] of events.entries()) {
    const draft = draftByIndex.get(index)
    const isFull = draft !== undefined && (batches.at(-1)?.drafts.length ?? 0) >= maxDrafts
    if (isFull || batches.length === 0) batches.push({ events: [], drafts: [] })
    const batch = batches.at(-1)!
    if (draft !== undefined) batch.drafts.push({ ...draft, eventIndex: batch.events.length })
    batch.events.push(event)
  }
  return batches
}

const portionsOf = (events: ReadonlyArray<DecidedEvent>): ReadonlyArray<ReadonlyArray<DecidedEvent>> => {
  const portions: Array<Array<DecidedEvent>> = []
  let remaining = 0
  for (const event of events) {
    const memories = Math.max(1, afterImages(event as never).length)
    if (memories > remaining || portions.length === 0) {
      portions.push([])
      remaining = maxMemoriesPerPortion
    }
    portions.at(-1)!.push(event)
    remaining -= memories
  }
  return portions
}
