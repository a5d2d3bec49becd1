import type * as Effect from "effect/Effect"
import type { CommandError } from "../actor/Actor.js"
import type {
  InvalidInput,
  ProjectionParked,
  RunNotFound,
  ScheduleNotFound,
  TooManySchedules,
  TrustRequired
} from "../model/errors.js"
import type { PageQuery, ReadError } from "../model/filters.js"
import type { WriteOptions } from "../remember/remember.js"
import type { Scheduled } from "./addSchedule.js"
import type { ScheduleChanges, ScheduleInput } from "./input.js"
import type { Schedule, ScheduleFilter, ScheduleQuery, ScheduleRun, WholeScheduleRun } from "./Schedule.js"

/** Reads of schedules. Full trust only. */
export interface ScheduleReader {
  /** Schedules, the newest first. */
  readonly schedules: (query?: ScheduleQuery) => Effect.Effect<ReadonlyArray<Schedule>, ReadError | TrustRequired>
  readonly countSchedules: (filter?: ScheduleFilter) => Effect.Effect<number, ReadError | TrustRequired>
  readonly schedule: (id: string) => Effect.Effect<Schedule, ReadError | TrustRequired | ScheduleNotFound>
  /** The kept history of a schedule, the newest run first. */
  readonly scheduleRuns: (
    id: string,
    query?: PageQuery
  ) => Effect.Effect<ReadonlyArray<ScheduleRun>, ReadError | TrustRequired | ScheduleNotFound>
  /** One run with its whole output. */
  readonly scheduleRun: (run: string) => Effect.Effect<WholeScheduleRun, ReadError | TrustRequired | RunNotFound>
}

/** Commands on schedules. Full trust only. */
export interface ScheduleWriter {
  /** Adds a schedule. A program that runs a scheduler with the named handler carries it out. */
  readonly addSchedule: (
    schedule: ScheduleInput,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | TooManySchedules | ProjectionParked>
  /** Changes the given fields; pauses or resumes a schedule. */
  readonly updateSchedule: (
    id: string,
    changes: ScheduleChanges,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | ScheduleNotFound | ProjectionParked>
  /** Removes a schedule and its history from every read. */
  readonly deleteSchedule: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | ScheduleNotFound | ProjectionParked>
}
