import { hash } from "node:crypto"
import type { Payload } from "../events/catalogue.js"
import type { Cadence, ScheduleDefinition, ScheduleState } from "../events/Schedule.js"
import { type Db, type Projection, sql } from "./Projection.js"

/** A run of a schedule as its RUN events tell it. Its output, which may be long, is read from the log. Times are milliseconds. */
export interface ScheduleRunRow {
  readonly run: string
  readonly schedule: string
  readonly status: "running" | NonNullable<Payload<"RUN">["status"]>
  /** When it was due. */
  readonly dueAt: number | null
  readonly startedAt: number
  readonly finishedAt: number | null
  readonly attempt: number
  readonly summary: string | null
  readonly error: string | null
  readonly counts: Readonly<Record<string, number>>
  readonly duration: number | null
  /** The version of the event that told of it last. */
  readonly version: number
}

/** Who gives agents the engine's own jobs, as events name it. */
export const engine = "maintenance"

/**
 * Schedules and their runs. `due` says when a schedule is to be looked at: when its next occurrence is due or, while one runs,
 * when the lease of whoever does it ends. Runs are pruned to what their schedule keeps.
 * None of it is part of the state: that something was done at its time makes no memory another one.
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
  drop: (db) => db.exec("DROP TABLE schedule_runs; DROP TABLE schedules"),
  apply: (db, event) => {
    if (event.type === "SCHEDULE") {
      scheduled(db, event.payload, event.version, event.recordedAt)
      if (event.actor === engine) given(db, event.payload)
    } else if (event.type === "RUN") ran(db, event.payload, event.version, event.recordedAt)
  },
  digest: (db, digest) => {
    digest.query(db, "SELECT * FROM schedules ORDER BY id")
    digest.query(db, "SELECT * FROM schedule_runs ORDER BY started")
  },
  stateDigest: () => {}
}

const scheduled = (db: Db, payload: Payload<"SCHEDULE">, version: number, at: number): void => {
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
    const [words, text] = [wordsOf(definition), JSON.stringify(definition)]
    const due = status === "active" ? next : null
    const added = insert.run(id, version, at, at, name, handler, words, keep, text, status, next, failures, due)
    if (added.changes > 0) return
    sql(
      db,
      "UPDATE schedules SET updated_at = ?, name = ?, handler = ?, words = ?, keep = ?, definition = ? WHERE id = ?"
    ).run(at, name, handler, words, keep, text, id)
    prune(db, id)
  }
  sql(db, `UPDATE schedules SET status = ?, next = ?, failures = ? WHERE id = ?`).run(status, next, failures, id)
  redue(db, id)
}

/** Keeps the cadence that the engine gave one of its own jobs: of another one somebody asked for it. */
const given = (db: Db, { definition, schedule }: Payload<"SCHEDULE">): void => {
  if (definition === undefined) return
  sql(db, "UPDATE schedules SET given = ? WHERE id = ?").run(JSON.stringify(definition.cadence), schedule)
}

const ran = (db: Db, payload: Payload<"RUN">, version: number, at: number): void => {
  const { attempt = 1, kind, name, occurrence = null, phase, run } = payload
  if (kind !== "schedule") return
  // What ended after its schedule was deleted belongs to no history.
  if (sql(db, "SELECT 1 FROM schedules WHERE id = ?").get(name) === undefined) return
  sql(
    db,
    `INSERT OR IGNORE INTO schedule_runs (started, run, schedule, status, due_at, started_at, attempt, counts, version)
      VALUES (?, ?, ?, 'running', ?, ?, ?, '{}', ?)`
  ).run(version, run, name, occurrence, at, attempt, version)
  if (phase === "started") {
    sql(db, "UPDATE schedule_runs SET attempt = ?, version = ? WHERE run = ?").run(attempt, version, run)
    sql(
      db,
      `UPDATE schedules SET run = ?, lease = ?, attempt = ?, occurrence = ?,
        abandoned = CASE WHEN occurrence IS ? THEN abandoned ELSE 0 END WHERE id = ?`
    ).run(run, payload.lease ?? at, attempt, occurrence, occurrence, name)
    redue(db, name)
    prune(db, name)
    return
  }
  const { counts = {}, duration = null, error = null, status = "ok", summary = null } = payload
  sql(
    db,
    `UPDATE schedule_runs SET status = ?, finished_at = ?, attempt = ?, summary = ?, error = ?, counts = ?, duration = ?,
      version = ? WHERE run = ?`
  ).run(status, at, attempt, summary, error, JSON.stringify(counts), duration, version, run)
  if (status === "abandoned") {
    // What was given back is no sign that it cannot be ended.
    const undone = "UPDATE schedules SET run = NULL, lease = NULL, abandoned = abandoned + ? WHERE id = ? AND run = ?"
    sql(db, undone).run((counts.released ?? 0) > 0 ? 0 : 1, name, run)
  } else {
    sql(
      db,
      `UPDATE schedules SET run = NULL, lease = NULL, abandoned = 0, last_run_at = ?, last_status = ?, last_output = ?
        WHERE id = ? AND run = ?`
    ).run(at, status, outputDigest(payload), name, run)
  }
  redue(db, name)
}

const redue = (db: Db, id: string): void =>
  void sql(
    db,
    `UPDATE schedules SET due = CASE WHEN run IS NOT NULL THEN lease WHEN status = 'active' THEN next END WHERE id = ?`
  ).run(id)

const prune = (db: Db, id: string): void =>
  void sql(
    db,
    `DELETE FROM schedule_runs WHERE schedule = ? AND started <= (SELECT started FROM schedule_runs
      WHERE schedule = ? ORDER BY started DESC
      LIMIT 1 OFFSET (SELECT keep FROM schedules WHERE id = ?))`
  ).run(id, id, id)

/** What is looked at to find a schedule by its words. */
const wordsOf = ({ goal, name = "" }: ScheduleDefinition): string => folded(`${name}\n${goal}`)

/** For comparing words, whatever their case. */
export const folded = (text: string): string => text.normalize("NFKC").toLowerCase()

/** What a run came to, to tell whether the next one comes to something else. */
export const outputDigest = ({ output, summary }: Pick<Payload<"RUN">, "output" | "summary">): string =>
  hash("sha256", JSON.stringify(output ?? summary ?? null), "hex")

/** A schedule as the view has it. */
export interface ScheduleRow {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly definition: ScheduleDefinition
  readonly state: ScheduleState
  /** The run that is under way, and until when nobody else may take it. */
  readonly run: string | null
  readonly lease: number | null
  /** The occurrence that was begun last, its attempts, and how many of these were left until their lease ran out. */
  readonly occurrence: number | null
  readonly attempt: number
  readonly abandoned: number
  readonly lastRunAt: number | null
  readonly lastStatus: ScheduleRunRow["status"] | null
  readonly lastOutput: string | null
  /** The cadence that the engine gave it last; null where it never did. */
  readonly given: Cadence | null
}
