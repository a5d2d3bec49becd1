import type { ScheduleStatus } from "../events/Schedule.js"
import { type Db, sql } from "./Projection.js"
import { foldCase, type ScheduleRow, type ScheduleRunRow } from "./schedules.js"

/** Filters of schedules. A schedule must match every filter that is set. */
export interface ScheduleFilters {
  readonly statuses: ReadonlyArray<ScheduleStatus>
  readonly handlers: ReadonlyArray<string>
  /** A substring of the name or the goal. Upper and lower case are equal. */
  readonly text?: string | undefined
  /** Due before this instant. */
  readonly dueBefore?: number | undefined
}

interface Page {
  readonly limit: number
  readonly offset: number
}

const columns = `id, created_at AS createdAt, updated_at AS updatedAt, definition, status, next, failures, run, lease,
  occurrence, attempt, abandoned, last_run_at AS lastRunAt, last_status AS lastStatus, last_output AS lastOutput, given`

// biome-ignore lint/suspicious/noExplicitAny: a row has the columns of its SELECT.
const rowOf = ({ definition, failures, given, next, status, ...row }: any): ScheduleRow => ({
  ...row,
  definition: JSON.parse(definition),
  engineCadence: given === null ? null : JSON.parse(given),
  state: { status, next, failures }
})

const conditionOf = ({ dueBefore, handlers, statuses, text }: ScheduleFilters) => {
  const parts: ReadonlyArray<readonly [condition: string, value: unknown]> = [
    ...(statuses.length === 0
      ? []
      : [["status IN (SELECT value FROM json_each(?))", JSON.stringify(statuses)] as const]),
    ...(handlers.length === 0
      ? []
      : [["handler IN (SELECT value FROM json_each(?))", JSON.stringify(handlers)] as const]),
    ...(text === undefined ? [] : [["instr(words, ?) > 0", foldCase(text)] as const]),
    ...(dueBefore === undefined ? [] : [["status = 'active' AND next < ?", dueBefore] as const])
  ]
  return {
    clause: parts.length === 0 ? "" : `WHERE ${parts.map(([condition]) => condition).join(" AND ")}`,
    values: parts.map(([, value]) => value)
  }
}

/** Schedules, newest first. */
export const findSchedules = (db: Db, filters: ScheduleFilters, page: Page): ReadonlyArray<ScheduleRow> => {
  const { clause, values } = conditionOf(filters)
  return sql(db, `SELECT ${columns} FROM schedules ${clause} ORDER BY born DESC, id LIMIT ? OFFSET ?`)
    .all(...values, page.limit, page.offset)
    .map(rowOf)
}

/** The number of schedules. */
export const countSchedules = (db: Db, filters: ScheduleFilters): number => {
  const { clause, values } = conditionOf(filters)
  return sql(db, `SELECT count(*) AS n FROM schedules ${clause}`).get(...values).n
}

/** The number of schedules by status, the next due time, and the number of stored runs by status. */
export const countSchedulesByStatus = (db: Db) => {
  const countsOf = (table: "schedules" | "schedule_runs"): Readonly<Record<string, number>> =>
    Object.fromEntries(
      sql(db, `SELECT status, count(*) AS n FROM ${table} GROUP BY status ORDER BY status`)
        .all()
        .map(({ n, status }) => [status, n])
    )
  const next: number | null = sql(db, "SELECT min(next) AS next FROM schedules WHERE status = 'active'").get().next
  return { byStatus: countsOf("schedules"), nextRunAt: next, runs: countsOf("schedule_runs") }
}

export const findSchedule = (db: Db, id: string): ScheduleRow | undefined => {
  const row = sql(db, `SELECT ${columns} FROM schedules WHERE id = ?`).get(id)
  return row === undefined ? undefined : rowOf(row)
}

/** Schedules of these handlers that are due at an instant, longest overdue first. */
export const findDueSchedules = (
  db: Db,
  due: { readonly until: number; readonly handlers: ReadonlyArray<string>; readonly limit: number }
): ReadonlyArray<ScheduleRow> =>
  sql(
    db,
    `SELECT ${columns} FROM schedules WHERE due <= ? AND handler IN (SELECT value FROM json_each(?))
      ORDER BY due, id LIMIT ?`
  )
    .all(due.until, JSON.stringify(due.handlers), due.limit)
    .map(rowOf)

/** The earliest due time of all schedules; null if no schedule has one. */
export const firstDueAt = (db: Db): number | null =>
  sql(db, "SELECT min(due) AS due FROM schedules WHERE due IS NOT NULL").get().due

/** The earliest due time after an instant, of schedules of these handlers; null if there is none. */
export const nextDueAt = (db: Db, handlers: ReadonlyArray<string>, after: number): number | null =>
  sql(db, "SELECT min(due) AS due FROM schedules WHERE due > ? AND handler IN (SELECT value FROM json_each(?))").get(
    after,
    JSON.stringify(handlers)
  ).due

/** The runs of a schedule, newest first. */
export const findScheduleRuns = (db: Db, schedule: string, page: Page): ReadonlyArray<ScheduleRunRow> =>
  sql(db, `${selectRuns} WHERE schedule = ? ORDER BY started DESC LIMIT ? OFFSET ?`)
    .all(schedule, page.limit, page.offset)
    .map(runOf)

export const findScheduleRun = (db: Db, run: string): ScheduleRunRow | undefined => {
  const row = sql(db, `${selectRuns} WHERE run = ?`).get(run)
  return row === undefined ? undefined : runOf(row)
}

const selectRuns = `SELECT run, schedule, status, due_at AS dueAt, started_at AS startedAt, finished_at AS finishedAt,
  attempt, summary, error, counts, duration, version FROM schedule_runs`

// biome-ignore lint/suspicious/noExplicitAny: a row has the columns of its SELECT.
const runOf = (row: any): ScheduleRunRow => ({ ...row, counts: JSON.parse(row.counts) })
