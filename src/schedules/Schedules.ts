import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ScheduleStatus } from "../../events/Schedule.js"
import {
  countSchedules,
  findSchedule,
  findScheduleRun,
  findScheduleRuns,
  findSchedules
} from "../../projections/scheduleReads.js"
import type { ScheduleRunRow } from "../../projections/schedules.js"
import type { CommandError } from "../actor/Actor.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import {
  type InvalidInput,
  type ProjectionParked,
  RunNotFound,
  ScheduleNotFound,
  type TooManySchedules,
  type TrustRequired
} from "../model/errors.js"
import {
  checkPage,
  decodeOptionalInstant,
  decodeOptionalList,
  decodeOptionalText,
  type PageQuery,
  type ReadError,
  refuseUnknownOptions
} from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { defineMethod } from "../model/operation.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import type { Runner } from "../remember/runner.js"
import type { Scheduled } from "./addSchedule.js"
import type { ScheduleChanges, ScheduleInput } from "./input.js"
import {
  checkFullTrust,
  type Schedule,
  type ScheduleFilter,
  type ScheduleQuery,
  type ScheduleRun,
  scheduleOf,
  type WholeScheduleRun
} from "./Schedule.js"

export type { Scheduled } from "./addSchedule.js"
export type { CadenceInput, ScheduleChanges, ScheduleInput } from "./input.js"
export type * from "./Schedule.js"

/** Reads of schedules: `memory.schedules`. Full trust only. */
export interface ScheduleReader {
  /** Lists schedules, newest first. */
  readonly list: (query?: ScheduleQuery) => Effect.Effect<ReadonlyArray<Schedule>, ReadError | TrustRequired>
  readonly count: (filter?: ScheduleFilter) => Effect.Effect<number, ReadError | TrustRequired>
  readonly get: (id: string) => Effect.Effect<Schedule, ReadError | TrustRequired | ScheduleNotFound>
  /** The history of a schedule, newest run first. */
  readonly runs: (
    id: string,
    query?: PageQuery
  ) => Effect.Effect<ReadonlyArray<ScheduleRun>, ReadError | TrustRequired | ScheduleNotFound>
  /** One run with its complete output. */
  readonly run: (run: string) => Effect.Effect<WholeScheduleRun, ReadError | TrustRequired | RunNotFound>
}

/** Commands on schedules: `memory.schedules`. Full trust only. */
export interface ScheduleWriter {
  /** Adds a schedule. A program whose scheduler has the named handler runs the schedule. */
  readonly add: (
    schedule: ScheduleInput,
    options?: WriteOptions
  ) => Effect.Effect<Scheduled, CommandError | InvalidInput | TrustRequired | TooManySchedules | ProjectionParked>
  /** Changes the given fields. Can also pause or resume the schedule. */
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

/** @internal */
export const makeScheduleReader = (
  { agent, level, read }: ReaderSource,
  { codec, log }: ReaderServices
): ScheduleReader => {
  const requireFullTrust = checkFullTrust(level)
  const findOne = Effect.fnUntraced(function* (id: string) {
    yield* decodeKey("id", id)
    const row = yield* read(({ db }) => findSchedule(db, id))
    return row ?? (yield* new ScheduleNotFound({ id }))
  })
  return {
    list: defineMethod("Memory.schedules.list")(function* (query = {}) {
      yield* requireFullTrust
      const page = yield* checkPage(query, 50, filterNames)
      const filters = yield* filterOf(query)
      const rows = yield* read(({ db }) => findSchedules(db, filters, page))
      return rows.map(scheduleOf)
    }),

    count: defineMethod("Memory.schedules.count")(function* (filter = {}) {
      yield* requireFullTrust
      yield* refuseUnknownOptions(filter, filterNames)
      const filters = yield* filterOf(filter)
      return yield* read(({ db }) => countSchedules(db, filters))
    }),

    get: defineMethod("Memory.schedules.get")((id) =>
      Effect.zipRight(requireFullTrust, Effect.map(findOne(id), scheduleOf))
    ),

    runs: defineMethod("Memory.schedules.runs")(function* (id, query = {}) {
      yield* requireFullTrust
      const page = yield* checkPage(query, 50)
      yield* findOne(id)
      const rows = yield* read(({ db }) => findScheduleRuns(db, id, page))
      return rows.map(runOf)
    }),

    run: defineMethod("Memory.schedules.run")(function* (run) {
      yield* requireFullTrust
      yield* decodeKey("run", run)
      const row = yield* read(({ db }) => findScheduleRun(db, run))
      if (row === undefined) return yield* new RunNotFound({ run })
      const [stored] = yield* log.at(agent, [row.version])
      const event = stored === undefined ? undefined : yield* codec.decode(stored)
      const output = event?.type === "RUN" && event.payload !== null ? event.payload.output : undefined
      return { ...runOf(row), output: output ?? null }
    })
  }
}

/** @internal Loads the cron parser on first use, because few programs use schedules. */
export const makeScheduleWriter = ({ run }: Runner, writer: Writer): ScheduleWriter => ({
  add: defineMethod("Memory.schedules.add")((schedule, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./addSchedule.js")),
      ({ addSchedule }) => run(() => addSchedule(writer, schedule, options), options)
    )
  ),
  update: defineMethod("Memory.schedules.update")((id, changes, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./updateSchedule.js")),
      ({ updateSchedule }) => run(() => updateSchedule(writer, id, changes, options), options)
    )
  ),
  delete: defineMethod("Memory.schedules.delete")((id, options) =>
    Effect.flatMap(
      Effect.promise(() => import("./deleteSchedule.js")),
      ({ deleteSchedule }) => run(() => deleteSchedule(writer, id, options), options)
    )
  )
})

const runOf = ({ counts: all, version: _, ...row }: ScheduleRunRow): ScheduleRun => {
  const { notified = 0, ...counts } = all
  // The counts of a released run come from the runner, not from the handler.
  return { ...row, counts: row.status === "abandoned" ? {} : counts, notified: notified > 0 }
}

const filterNames = ["statuses", "handlers", "text", "before"]

const filterOf = Effect.fnUntraced(function* ({ before, handlers, statuses, text }: ScheduleFilter) {
  const { before: dueBefore } = yield* decodeOptionalInstant("before", before)
  return {
    statuses: yield* decodeOptionalList("statuses", statuses, ScheduleStatus),
    handlers: yield* decodeOptionalList("handlers", handlers, Schema.String),
    ...(yield* decodeOptionalText("text", text === "" ? undefined : text)),
    ...(dueBefore === undefined ? {} : { dueBefore })
  }
})
