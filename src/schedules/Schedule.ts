import * as Either from "effect/Either"
import type { ScheduleDefinition, ScheduleStatus } from "../../events/Schedule.js"
import type { TrustLevel } from "../../events/Trust.js"
import type { ScheduleRow, ScheduleRunRow } from "../../projections/schedules.js"
import { TrustRequired } from "../model/errors.js"
import type { InstantInput } from "../model/input.js"

/** A scheduled task. Times are milliseconds since the epoch. */
export interface Schedule extends ScheduleDefinition {
  readonly id: string
  readonly status: ScheduleStatus
  /** The next run; null if the schedule is paused or has ended. */
  readonly nextRunAt: number | null
  /** Failures in a row. */
  readonly failures: number
  readonly createdAt: number
  readonly updatedAt: number
  /** When and how its last run ended. */
  readonly lastRunAt: number | null
  readonly lastStatus: ScheduleRun["status"] | null
  /** The current run, when it was due, and when its lease ends. */
  readonly running: {
    readonly run: string
    readonly dueAt: number
    readonly attempt: number
    readonly leasedUntil: number
  } | null
}

/** A run in the history of a schedule. Times are milliseconds since the epoch. */
export interface ScheduleRun {
  readonly run: string
  /** The id of its schedule. */
  readonly schedule: string
  /** `abandoned`: the run's process stopped or lost the lease; another run performs the occurrence. */
  readonly status: ScheduleRunRow["status"]
  /** When the run was due. */
  readonly dueAt: number | null
  readonly startedAt: number
  readonly finishedAt: number | null
  /** Duration of the last attempt in milliseconds. */
  readonly duration: number | null
  /** The number of this attempt at the occurrence, from 1. */
  readonly attempt: number
  /** The beginning of the run's output, at most 500 characters. */
  readonly summary: string | null
  readonly error: string | null
  /** Counts that the handler reported: turns, tokens, cost. */
  readonly counts: Readonly<Record<string, number>>
  /** True if the user should be notified of the run. */
  readonly notified: boolean
}

/** A run with its complete output. */
export interface WholeScheduleRun extends ScheduleRun {
  readonly output: string | null
}

/** Filters of schedules. A schedule must pass all of them. */
export interface ScheduleFilter {
  readonly statuses?: ReadonlyArray<ScheduleStatus> | undefined
  readonly handlers?: ReadonlyArray<string> | undefined
  /** A substring of the name or the goal; case is ignored. */
  readonly text?: string | undefined
  /** Due before this time. */
  readonly before?: InstantInput | undefined
}

/** A page of schedules, the newest first. Default limit 50. */
export interface ScheduleQuery extends ScheduleFilter {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** @internal Requires full trust, because a schedule belongs to the whole agent and to no store. */
export const checkFullTrust = (level: TrustLevel): Either.Either<void, TrustRequired> =>
  level === "full" ? Either.void : Either.left(new TrustRequired({ what: "schedules" }))

/** @internal Converts a row to a schedule for callers. */
export const scheduleOf = (row: ScheduleRow): Schedule => {
  const { attempt, definition, lease, occurrence, run, state, ...rest } = row
  const { abandoned: _, engineCadence: __, lastOutput: ___, ...facts } = rest
  return {
    ...facts,
    ...definition,
    status: state.status,
    nextRunAt: state.next,
    failures: state.failures,
    running: run === null ? null : { run, dueAt: occurrence ?? 0, attempt, leasedUntil: lease ?? 0 }
  }
}
