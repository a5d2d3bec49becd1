import type { ScheduleStatus } from "../events/Schedule.js"
import { type Db, sql } from "./Projection.js"
import { folded, type ScheduleRow, type ScheduleRunRow } from "./schedules.js"

/** Which schedules: all that pass every one of these that is given. */
export interface ScheduleFilters {
  readonly statuses: ReadonlyArray<ScheduleStatus>
  readonly handlers: ReadonlyArray<string>
  /** Stands in the name or the goal, whatever the case. */
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
  given: given === null ? null : JSON.parse(given),
  state: { status, next, failures }
})

const where = ({ dueBefore, handlers, statuses, text }: ScheduleFilters) => {
  const parts: ReadonlyArray<readonly [condition: string, value: unknown]> = [
    ...(statuses.length === 0
      ? []
      : [["status IN (SELECT value FROM json_each(?))", JSON.stringify(statuses)] as const]),
    ...(handlers.length === 0
      ? []
      : [["handler IN (SELECT value FROM json_each(?))", JSON.stringify(handlers)] as const]),
    ...(text === undefined ? [] : [["instr(words, ?) > 0", folded(text)] as const]),
    ...(dueBefore === undefined ? [] : [["status = 'active' AND next < ?", dueBefore] as const])
  ]
  return {
    clause: parts.length === 0 ? "" : `WHERE ${parts.map(([condition]) => condition).join(" AND ")}`,
    values: parts.map(([, value]) => value)
  }
}

/** Schedules, the newest first. */
export const findSchedules = (db: Db, filters: ScheduleFilters, page: Page): ReadonlyArray<ScheduleRow> => {
  const { clause, values } = where(filters)
  return sql(db, `SELECT ${columns} FROM schedules ${clause} ORDER BY born DESC, id LIMIT ? OFFSET ?`)
    .all(...values, page.limit, page.offset)
    .map(rowOf)
}

/** How many there are. */
export const countSchedules = (db: Db, filters: ScheduleFilters): number => {
  const { clause, values } = where(filters)
  return sql(db, `SELECT count(*) AS n FROM schedules ${clause}`).get(...values).n
}

/** How many schedules there are by status, when the next one is due, and how their runs ended, as far as they are kept. */
export const countByStatus = (db: Db) => {
  const by = (table: "schedules" | "schedule_runs"): Readonly<Record<string, number>> =>
    Object.fromEntries(
      sql(db, `SELECT status, count(*) AS n FROM ${table} GROUP BY status ORDER BY status`)
        .all()
        .map(({ n, status }) => [status, n])
    )
  const next: number | null = sql(db, "SELECT min(next) AS next FROM schedules WHERE status = 'active'").get().next
  return { byStatus: by("schedules"), nextRunAt: next, runs: by("schedule_runs") }
}

export const findSchedule = (db: Db, id: string): ScheduleRow | undefined => {
  const row = sql(db, `SELECT ${columns} FROM schedules WHERE id = ?`).get(id)
  return row === undefined ? undefined : rowOf(row)
}

/** What is due by an instant, the longest due first, as far as one of these handlers does it. */
export const findDue = (
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

/** When somebody is to look at these schedules next; null where there is nothing to come. */
export const firstDue = (db: Db): number | null =>
  sql(db, "SELECT min(due) AS due FROM schedules WHERE due IS NOT NULL").get().due

/** When something is due next, after an instant, that one of these handlers does. */
export const nextDue = (db: Db, handlers: ReadonlyArray<string>, after: number): number | null =>
  sql(db, "SELECT min(due) AS due FROM schedules WHERE due > ? AND handler IN (SELECT value FROM json_each(?))").get(
    after,
    JSON.stringify(handlers)
  ).due

/** The runs of a schedule, the newest first. */
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
