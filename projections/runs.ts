import { type Db, type Projection, sql } from "./Projection.js"

/** A run of a maintenance stage. Times are milliseconds. */
export interface RunRow {
  readonly run: string
  readonly stage: string
  readonly startedAt: number
  /**
   * The end of the run; null if the run was interrupted. The changes of an interrupted run remain and can be undone.
   */
  readonly finishedAt: number | null
  readonly status: string | null
  readonly counts: Readonly<Record<string, number>>
  readonly duration: number | null
  /** The digest of the policy that the run used. */
  readonly policy: string | null
}

/** The runs of maintenance. Runs of schedules are stored in the `schedules` projection. */
export const runs: Projection = {
  name: "runs",
  version: 1,
  handles: ["RUN"],
  tables: `CREATE TABLE runs (
    version INTEGER PRIMARY KEY,
    run TEXT NOT NULL,
    stage TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    status TEXT,
    counts TEXT,
    duration REAL,
    policy TEXT
  );`,
  indexes: "CREATE INDEX runs_run ON runs (run);",
  drop: () => "DROP TABLE runs",
  apply: (db, event) => {
    if (event.type !== "RUN" || event.payload.kind !== "maintenance") return
    const { counts, duration, name, phase, policy, run, status } = event.payload
    if (phase === "started") {
      sql(db, "INSERT INTO runs (version, run, stage, started_at, policy) VALUES (?, ?, ?, ?, ?)").run(
        event.version,
        run,
        name,
        event.recordedAt,
        policy ?? null
      )
      return
    }
    sql(db, "UPDATE runs SET finished_at = ?, status = ?, counts = ?, duration = ? WHERE run = ?").run(
      event.recordedAt,
      status ?? null,
      JSON.stringify(counts ?? {}),
      duration ?? null,
      run
    )
  },
  digest: (db, digest) => digest.query(db, "SELECT * FROM runs ORDER BY version"),
  stateDigest: () => {}
}

const selectRuns = `SELECT run, stage, started_at AS startedAt, finished_at AS finishedAt, status, counts, duration, policy
  FROM runs`

const toRun = (row: Omit<RunRow, "counts"> & { readonly counts: string | null }): RunRow => ({
  ...row,
  counts: JSON.parse(row.counts ?? "{}")
})

/** Runs, newest first. The caller must have full trust. */
export const findRuns = (db: Db, page: { readonly limit: number; readonly offset: number }): ReadonlyArray<RunRow> =>
  sql(db, `${selectRuns} ORDER BY version DESC LIMIT ? OFFSET ?`).all(page.limit, page.offset).map(toRun)

/** One run by its id. The caller must have full trust. */
export const findRun = (db: Db, run: string): RunRow | undefined =>
  sql(db, `${selectRuns} WHERE run = ?`).all(run).map(toRun)[0]

/** The runs of a stage: number, total duration and last start, in milliseconds. The caller must have full trust. */
export interface StageTotals {
  readonly stage: string
  readonly runs: number
  readonly duration: number
  readonly lastStartedAt: number
}

export const countRuns = (db: Db): ReadonlyArray<StageTotals> =>
  sql(
    db,
    `SELECT stage, count(*) AS runs, coalesce(sum(duration), 0) AS duration, max(started_at) AS lastStartedAt
      FROM runs GROUP BY stage ORDER BY stage`
  ).all()
