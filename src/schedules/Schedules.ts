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

/** What may be read of schedules. */
export interface ScheduleReader {
  /** What is to be done at its time, the newest first. Full trust only, as all of schedules. */
  readonly schedules: (query?: ScheduleQuery) => Effect.Effect<ReadonlyArray<Schedule>, ReadError | TrustRequired>
  readonly countSchedules: (filter?: ScheduleFilter) => Effect.Effect<number, ReadError | TrustRequired>
  readonly schedule: (id: string) => Effect.Effect<Schedule, ReadError | TrustRequired | ScheduleNotFound>
  /** The history of a schedule, the newest run first, as far as it is kept. */
  readonly scheduleRuns: (
    id: string,
    query?: PageQuery
  ) => Effect.Effect<ReadonlyArray<ScheduleRun>, ReadError | TrustRequired | ScheduleNotFound>
  /** One run with all that it said. */
  readonly scheduleRun: (run: string) => Effect.Effect<WholeScheduleRun, ReadError | TrustRequired | RunNotFound>
}

/** What changes schedules. */
export interface ScheduleWriter {
  /** Has something done at its time, by the handler of that name of whatever program runs one. Full trust only. */
  readonly addSchedule: (
    schedule: ScheduleInput,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | TooManySchedules | ProjectionParked>
  /** Changes the fields that are given; stops a schedule, or lets it go on. Full trust only. */
  readonly updateSchedule: (
    id: string,
    changes: ScheduleChanges,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | ScheduleNotFound | ProjectionParked>
  /** Takes a schedule and its history out of every read. Full trust only. */
  readonly deleteSchedule: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | ScheduleNotFound | ProjectionParked>
}
