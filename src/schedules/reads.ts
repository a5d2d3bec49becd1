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
import type { ScheduleRow, ScheduleRunRow } from "../../projections/schedules.js"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import { RunNotFound, ScheduleNotFound } from "../model/errors.js"
import { checkPage, optionalInstant, optionalList, optionalText, refuseUnknownOptions } from "../model/filters.js"
import { decodeKey } from "../model/input.js"
import { fullTrust, type Schedule, type ScheduleFilter, type ScheduleRun } from "./Schedule.js"
import type { ScheduleReader } from "./Schedules.js"

/** The schedule of a row, as callers see it. */
export const scheduleOf = (row: ScheduleRow): Schedule => {
  const { attempt, definition, lease, occurrence, run, state, ...rest } = row
  const { abandoned: _, given: __, lastOutput: ___, ...facts } = rest
  return {
    ...facts,
    ...definition,
    status: state.status,
    nextRunAt: state.next,
    failures: state.failures,
    running: run === null ? null : { run, dueAt: occurrence ?? 0, attempt, leasedUntil: lease ?? 0 }
  }
}

const runOf = ({ counts: all, version: _, ...row }: ScheduleRunRow): ScheduleRun => {
  const { notified = 0, ...counts } = all
  // The counts of a released run are the runner's, not the handler's.
  return { ...row, counts: row.status === "abandoned" ? {} : counts, notified: notified > 0 }
}

const filterNames = ["statuses", "handlers", "text", "before"]

const filterOf = ({ before, handlers, statuses, text }: ScheduleFilter) =>
  Effect.gen(function* () {
    const { before: dueBefore } = yield* optionalInstant("before", before)
    return {
      statuses: yield* optionalList("statuses", statuses, ScheduleStatus),
      handlers: yield* optionalList("handlers", handlers, Schema.String),
      ...(yield* optionalText("text", text === "" ? undefined : text)),
      ...(dueBefore === undefined ? {} : { dueBefore })
    }
  })

/** Reads of schedules. Full trust only. */
export const make = ({ agent, level, read }: ReaderSource, { codec, log }: ReaderServices): ScheduleReader => {
  const requireFullTrust = fullTrust(level)
  const findOne = (id: string) =>
    Effect.gen(function* () {
      yield* decodeKey("id", id)
      const row = yield* read(({ db }) => findSchedule(db, id))
      return row ?? (yield* new ScheduleNotFound({ id }))
    })
  return {
    list: Effect.fn("Memory.schedules.list")(function* (query = {}) {
      yield* requireFullTrust
      const [filters, page] = [yield* filterOf(query), yield* checkPage(query, 50, filterNames)]
      const rows = yield* read(({ db }) => findSchedules(db, filters, page))
      return rows.map(scheduleOf)
    }),

    count: Effect.fn("Memory.schedules.count")(function* (filter = {}) {
      yield* requireFullTrust
      yield* refuseUnknownOptions(filter, filterNames)
      const filters = yield* filterOf(filter)
      return yield* read(({ db }) => countSchedules(db, filters))
    }),

    get: Effect.fn("Memory.schedules.get")((id) =>
      Effect.zipRight(requireFullTrust, Effect.map(findOne(id), scheduleOf))
    ),

    runs: Effect.fn("Memory.schedules.runs")(function* (id, query = {}) {
      yield* requireFullTrust
      const page = yield* checkPage(query, 50)
      yield* findOne(id)
      const rows = yield* read(({ db }) => findScheduleRuns(db, id, page))
      return rows.map(runOf)
    }),

    run: Effect.fn("Memory.schedules.run")(function* (run) {
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
