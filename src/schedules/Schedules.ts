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

/** Reads of schedules: `memory.schedules`. Full trust only. */
export interface ScheduleReader {
  /** Schedules, the newest first. */
  readonly list: (query?: ScheduleQuery) => Effect.Effect<ReadonlyArray<Schedule>, ReadError | TrustRequired>
  readonly count: (filter?: ScheduleFilter) => Effect.Effect<number, ReadError | TrustRequired>
  readonly get: (id: string) => Effect.Effect<Schedule, ReadError | TrustRequired | ScheduleNotFound>
  /** The kept history of a schedule, the newest run first. */
  readonly runs: (
    id: string,
    query?: PageQuery
  ) => Effect.Effect<ReadonlyArray<ScheduleRun>, ReadError | TrustRequired | ScheduleNotFound>
  /** One run with its whole output. */
  readonly run: (run: string) => Effect.Effect<WholeScheduleRun, ReadError | TrustRequired | RunNotFound>
}

/** Commands on schedules: `memory.schedules`. Full trust only. */
export interface ScheduleWriter {
  /** Adds a schedule. A program that runs a scheduler with the named handler carries it out. */
  readonly add: (
    schedule: ScheduleInput,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | TooManySchedules | ProjectionParked>
  /** Changes the given fields; pauses or resumes a schedule. */
  readonly update: (
    id: string,
    changes: ScheduleChanges,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | ScheduleNotFound | ProjectionParked>
  /** Removes a schedule and its history from every read. */
  readonly delete: (
    id: string,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | ScheduleNotFound | ProjectionParked>
}
