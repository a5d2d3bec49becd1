import { hash } from "node:crypto"
import type { Payload } from "../events/catalogue.js"
import type { Cadence, ScheduleDefinition, ScheduleState } from "../events/Schedule.js"
import { type Db, type Projection, sql } from "./Projection.js"

/**
 * A run of a schedule, from its RUN events. The output may be long, so it is read from the log. Times are milliseconds.
 */
export interface ScheduleRunRow {
  readonly run: string
  readonly schedule: string
  readonly status: "running" | NonNullable<Payload<"RUN">["status"]>
  /** When the run was due. */
  readonly dueAt: number | null
  readonly startedAt: number
  readonly finishedAt: number | null
  readonly attempt: number
  readonly summary: string | null
  readonly error: string | null
  readonly counts: Readonly<Record<string, number>>
  readonly duration: number | null
  /** The version of the latest event of this run. */
  readonly version: number
}

/** The actor name of the engine in events about its own jobs. */
export const engineActor = "maintenance"

/**
 * Schedules and their runs. `due` is the time of the next occurrence or, during a run, the end of the runner's lease.
 * Each schedule keeps only its newest runs, at most `keep`. Not part of the state digest, because a run changes no
 * memory.
 */
export const schedules: Projection = {
  name: "schedules",
  version: 2,
  handles: ["SCHEDULE", "RUN"],
  tables: `CREATE TABLE schedules (id TEXT PRIMARY KEY, born INTEGER NOT NULL, created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL, name TEXT, handler TEXT NOT NULL, words TEXT NOT NULL, keep INTEGER NOT NULL,
      definition TEXT NOT NULL, status TEXT NOT NULL, next INTEGER, failures INTEGER NOT NULL, due INTEGER,
      run TEXT, lease INTEGER, occurrence INTEGER, attempt INTEGER NOT NULL, abandoned INTEGER NOT NULL,
      last_run_at INTEGER, last_status TEXT, last_output TEXT, given TEXT) WITHOUT ROWID;
    CREATE TABLE schedule_runs (run TEXT PRIMARY KEY, started INTEGER NOT NULL, schedule TEXT NOT NULL, status TEXT NOT NULL, due_at INTEGER, started_at INTEGER NOT NULL, finished_at INTEGER, attempt INTEGER NOT NULL,
      summary TEXT, error TEXT, counts TEXT NOT NULL, duration INTEGER, version INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX schedule_runs_order ON schedule_runs (schedule, started);`,
  indexes: `CREATE INDEX schedules_due ON schedules (due, id) WHERE due IS NOT NULL;
    CREATE INDEX schedules_order ON schedules (born, id);`,
  drop: () => "DROP TABLE schedule_runs; DROP TABLE schedules",
  apply: (db, event) => {
    if (event.type === "SCHEDULE") {
      applySchedule(db, event.payload, event.version, event.recordedAt)
      if (event.actor === engineActor) storeEngineCadence(db, event.payload)
    } else if (event.type === "RUN") applyRun(db, event.payload, event.version, event.recordedAt)
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM schedules ORDER BY id")
    digest.query(db, "SELECT * FROM schedule_runs ORDER BY started")
  },
  stateDigest: () => {}
}

const applySchedule = (db: Db, payload: Payload<"SCHEDULE">, version: number, recordedAt: number): void => {
  const { definition, schedule: id, state } = payload
  if (payload.change === "deleted" || state === undefined) {
    sql(db, "DELETE FROM schedule_runs WHERE schedule = ?").run(id)
    sql(db, "DELETE FROM schedules WHERE id = ?").run(id)
    return
  }
  const { failures, next, status } = state
  const insert = sql(
    db,
    `INSERT OR IGNORE INTO schedules (id, born, created_at, updated_at, name, handler, words, keep, definition, status,
      next, failures, due, attempt, abandoned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`
  )
  if (definition !== undefined) {
    const { handler, keep, name = null } = definition
    const [words, json] = [wordsOf(definition), JSON.stringify(definition)]
    const due = status === "active" ? next : null
    const times = [recordedAt, recordedAt]
    const inserted = insert.run(id, version, ...times, name, handler, words, keep, json, status, next, failures, due)
    if (inserted.changes > 0) return
    sql(
      db,
      "UPDATE schedules SET updated_at = ?, name = ?, handler = ?, words = ?, keep = ?, definition = ? WHERE id = ?"
    ).run(recordedAt, name, handler, words, keep, json, id)
    pruneRuns(db, id)
  }
  sql(db, `UPDATE schedules SET status = ?, next = ?, failures = ? WHERE id = ?`).run(status, next, failures, id)
  updateDue(db, id)
}

/** Stores the cadence that the engine set for its own job. A different cadence later means that a user changed it. */
const storeEngineCadence = (db: Db, { definition, schedule }: Payload<"SCHEDULE">): void => {
  if (definition === undefined) return
  sql(db, "UPDATE schedules SET given = ? WHERE id = ?").run(JSON.stringify(definition.cadence), schedule)
}

const applyRun = (db: Db, payload: Payload<"RUN">, version: number, recordedAt: number): void => {
  const { attempt = 1, kind, name, occurrence = null, phase, run } = payload
  if (kind !== "schedule") return
  // A run that ends after its schedule was deleted is not stored.
  if (sql(db, "SELECT 1 FROM schedules WHERE id = ?").get(name) === undefined) return
  sql(
    db,
    `INSERT OR IGNORE INTO schedule_runs (started, run, schedule, status, due_at, started_at, attempt, counts, version)
      VALUES (?, ?, ?, 'running', ?, ?, ?, '{}', ?)`
  ).run(version, run, name, occurrence, recordedAt, attempt, version)
  if (phase === "started") {
    sql(db, "UPDATE schedule_runs SET attempt = ?, version = ? WHERE run = ?").run(attempt, version, run)
    sql(
      db,
      `UPDATE schedules SET run = ?, lease = ?, attempt = ?, occurrence = ?,
        abandoned = CASE WHEN occurrence IS ? THEN abandoned ELSE 0 END WHERE id = ?`
    ).run(run, payload.lease ?? recordedAt, attempt, occurrence, occurrence, name)
    updateDue(db, name)
    pruneRuns(db, name)
    return
  }
  const { counts = {}, duration = null, error = null, status = "ok", summary = null } = payload
  sql(
    db,
    `UPDATE schedule_runs SET status = ?, finished_at = ?, attempt = ?, summary = ?, error = ?, counts = ?, duration = ?,
      version = ? WHERE run = ?`
  ).run(status, recordedAt, attempt, summary, error, JSON.stringify(counts), duration, version, run)
  if (status === "abandoned") {
    // A deliberately released run does not count as abandoned, because the job itself can finish.
    const clearRun = "UPDATE schedules SET run = NULL, lease = NULL, abandoned = abandoned + ? WHERE id = ? AND run = ?"
    sql(db, clearRun).run((counts.released ?? 0) > 0 ? 0 : 1, name, run)
  } else {
    sql(
      db,
      `UPDATE schedules SET run = NULL, lease = NULL, abandoned = 0, last_run_at = ?, last_status = ?, last_output = ?
        WHERE id = ? AND run = ?`
    ).run(recordedAt, status, outputDigest(payload), name, run)
  }
  updateDue(db, name)
}

const updateDue = (db: Db, id: string): void =>
  void sql(
    db,
    `UPDATE schedules SET due = CASE WHEN run IS NOT NULL THEN lease WHEN status = 'active' THEN next END WHERE id = ?`
  ).run(id)

const pruneRuns = (db: Db, id: string): void =>
  void sql(
    db,
    `DELETE FROM schedule_runs WHERE schedule = ? AND started <= (SELECT started FROM schedule_runs
      WHERE schedule = ? ORDER BY started DESC
      LIMIT 1 OFFSET (SELECT keep FROM schedules WHERE id = ?))`
  ).run(id, id, id)

/** The text of a schedule that a search looks in. */
const wordsOf = ({ goal, name = "" }: ScheduleDefinition): string => foldCase(`${name}\n${goal}`)

/** Normalises text for comparison without regard to case. */
export const foldCase = (text: string): string => text.normalize("NFKC").toLowerCase()

/** A digest of a run's result, to detect whether the next run has another result. */
export const outputDigest = ({ output, summary }: Pick<Payload<"RUN">, "output" | "summary">): string =>
  hash("sha256", JSON.stringify(output ?? summary ?? null), "hex")

/** A row of the `schedules` table. */
export interface ScheduleRow {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly definition: ScheduleDefinition
  readonly state: ScheduleState
  /** The current run, and the end of its lease in milliseconds; null while none runs. */
  readonly run: string | null
  readonly lease: number | null
  /** The last occurrence that was started, its number of attempts, and the number of abandoned attempts. */
  readonly occurrence: number | null
  readonly attempt: number
  readonly abandoned: number
  readonly lastRunAt: number | null
  readonly lastStatus: ScheduleRunRow["status"] | null
  readonly lastOutput: string | null
  /** The last cadence that the engine set; null if the engine never set one. */
  readonly engineCadence: Cadence | null
}
