import type { ScheduleDefinition, ScheduleStatus } from "../../events/Schedule.js"
import type { ScheduleRunRow } from "../../projections/schedules.js"
import type { InstantInput } from "../model/input.js"

/** Something that is done at its time. Times are milliseconds since the epoch. */
export interface Schedule extends ScheduleDefinition {
  readonly id: string
  readonly status: ScheduleStatus
  /** Null where it is paused or over. */
  readonly nextRunAt: number | null
  /** Runs that failed since the last one that did not. */
  readonly failures: number
  readonly createdAt: number
  readonly updatedAt: number
  /** When its last run ended, and how. */
  readonly lastRunAt: number | null
  readonly lastStatus: ScheduleRun["status"] | null
  /** The run that is under way: the occurrence that it is for, and until when nobody else may take it. */
  readonly running: {
    readonly run: string
    readonly dueAt: number
    readonly attempt: number
    readonly leasedUntil: number
  } | null
}

/** A run in the history of a schedule. */
export interface ScheduleRun {
  readonly run: string
  /** Of its schedule. */
  readonly schedule: string
  /** `abandoned`: whoever did it stopped, or was never heard of again; the occurrence is done by another run. */
  readonly status: ScheduleRunRow["status"]
  /** When it was due. */
  readonly dueAt: number | null
  readonly startedAt: number
  readonly finishedAt: number | null
  /** Milliseconds that its last attempt took. */
  readonly duration: number | null
  /** Which attempt at this occurrence. */
  readonly attempt: number
  /** The beginning of what it said, 500 characters at most. */
  readonly summary: string | null
  readonly error: string | null
  /** What its handler counted: turns, tokens, cost. */
  readonly counts: Readonly<Record<string, number>>
  /** Whether somebody was to be told. */
  readonly notified: boolean
}

/** A run with all that it said. */
export interface WholeScheduleRun extends ScheduleRun {
  readonly output: string | null
}

/** Which schedules: those that pass every filter that is given. */
export interface ScheduleFilter {
  readonly statuses?: ReadonlyArray<ScheduleStatus> | undefined
  readonly handlers?: ReadonlyArray<string> | undefined
  /** Stands in the name or the goal, whatever the case. */
  readonly text?: string | undefined
  /** Due before then. */
  readonly before?: InstantInput | undefined
}

/** A page of them, the newest first; 50 where `limit` is absent. */
export interface ScheduleQuery extends ScheduleFilter {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}
