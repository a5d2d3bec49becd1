import { randomUUID } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { dirname } from "node:path"
import type * as Reactivity from "@effect/experimental/Reactivity"
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { migrations } from "../migrations/index.js"
import { schemaDamagedError } from "./damage.js"
import { assertRuntime, closeOnError, openDatabase } from "./driver.js"
import { StorageError, storageError } from "./errors.js"
import { makeFolder } from "./folder.js"
import { assertSchema } from "./logSchema.js"
import { isOpenHere } from "./rawFile.js"
import * as SqliteClient from "./sqliteClient.js"
import type { Db } from "./statement.js"

/** Maximum milliseconds that SQLite itself waits for a lock. This wait blocks the whole process. */
export const busyTimeoutMillis = 20

/**
 * A commit copies the write-ahead log into the database once it has this many pages (16 MB). A batch of a thousand
 * memories exceeds SQLite's default of 1,000 pages, so each commit would copy the same index pages again.
 */
export const walCheckpointPages = 4_000

/** Retry schedule for a locked database. It does not block the process. After 10 seconds the write fails as busy. */
export const busyRetry = Schedule.jittered(Schedule.exponential("2 millis")).pipe(
  Schedule.union(Schedule.spaced("20 millis")),
  Schedule.upTo("10 seconds")
)

/**
 * Runs work on a database, and retries while another process holds the lock. It costs nothing extra if the lock is
 * free.
 */
export const retryWhileBusy = <A>(location: string, work: () => A): Effect.Effect<A, StorageError> => {
  try {
    return Effect.succeed(work())
  } catch (cause) {
    const error = storageError(location)(cause)
    if (error.kind !== "busy") return Effect.fail(error)
    const retried = Effect.try({ try: work, catch: storageError(location) })
    return Effect.retry(retried, { schedule: busyRetry, while: ({ kind }) => kind === "busy" })
  }
}

/**
 * The oldest SQLite release that may write the log. Earlier releases can lose data when they reset the write-ahead log.
 */
const oldestSqlite = [3, 51, 3]

/**
 * Opens the log's file; creates and migrates it if needed. One connection writes, another reads. Migrations use
 * @effect/sql; frequent statements use better-sqlite3 directly, which is much faster.
 */
export const openLogDatabase = (
  file: string
): Effect.Effect<
  { readonly writer: Db; readonly reader: Db; readonly installation: string },
  StorageError,
  Scope.Scope | Reactivity.Reactivity
> =>
  Effect.gen(function* () {
    yield* Effect.try({
      try: () => {
        assertRuntime()
        makeFolder(dirname(file))
        if (!isOpenHere(file)) closeSync(openSync(file, "a", 0o600))
      },
      catch: storageError("log.db")
    })
    const installation = yield* migrate(file)
    const connect = (options: ReadonlyArray<string>) =>
      Effect.acquireRelease(
        Effect.try(() => {
          const db = openDatabase(file, { timeout: busyTimeoutMillis })
          return closeOnError(db, () => {
            for (const setting of options) db.pragma(setting)
            return db
          })
        }),
        (db) => Effect.sync(() => db.close())
      )
    const checkpoint = `wal_autocheckpoint = ${walCheckpointPages}`
    const settings = ["synchronous = FULL", "secure_delete = ON", "trusted_schema = OFF", checkpoint]
    const writer = yield* connect(settings)
    const reader = yield* connect([...settings, "query_only = ON"])
    yield* assertSettings(writer)
    return { writer, reader, installation }
  }).pipe(Effect.catchAllDefect(Effect.fail), Effect.mapError(storageError("log.db")))

/**
 * Migrates the schema to the newest version and returns the id of this installation. If two processes open a new folder
 * at the same time, one of them fails and retries, and then finds a migrated schema. Each attempt opens its own
 * connection, because a client caches statements that it failed to prepare.
 */
const migrate = (file: string, isMigrated = false): Effect.Effect<string, unknown, Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const client = yield* SqliteClient.make({ filename: file })
    yield* client`PRAGMA secure_delete = ON`
    const newest = Object.keys(migrations).length
    const state = Effect.map(
      client<{ id: string; migration: number }>`
        SELECT id, (SELECT max(migration_id) FROM effect_sql_migrations) AS migration FROM installation`,
      ([row]) => row
    )
    // If the log cannot be read after its migration, it is damaged. Migrating again would loop forever.
    const current = yield* isMigrated ? state : Effect.orElseSucceed(state, () => undefined)
    if (current !== undefined && current.migration > newest) {
      const problem = "a newer release of Daybook wrote this file: update Daybook"
      return yield* unsupported(`SCHEMA_${current.migration}`, problem)
    }
    if (current?.migration === newest) return current.id
    if (isMigrated) return yield* schemaDamagedError("the migrations of this file are not recorded")
    // Check first: a trigger added by another program would run when the migrations write.
    yield* Effect.try({ try: () => checkSchema(file), catch: storageError("log.db") })
    yield* Effect.provideService(
      Migrator.make({})({ loader: Migrator.fromRecord(migrations) }),
      SqlClient.SqlClient,
      client
    )
    yield* client`INSERT INTO installation (id, created_at)
      SELECT ${randomUUID()}, ${Date.now()} WHERE NOT EXISTS (SELECT 1 FROM installation)`
    return undefined
  }).pipe(
    Effect.scoped,
    // Spans for each statement would hide the other spans of a trace.
    Effect.withTracerEnabled(false),
    Effect.catchAllDefect(Effect.fail),
    Effect.retry({
      schedule: busyRetry,
      while: (error) => !["damaged", "unsupported"].includes(storageError("log.db")(error).kind)
    }),
    Effect.flatMap((id) => (id === undefined ? migrate(file, true) : Effect.succeed(id)))
  )

const checkSchema = (file: string): void => {
  const db = openDatabase(file, { timeout: busyTimeoutMillis })
  try {
    assertSchema(db)
  } finally {
    db.close()
  }
}

/** Checks the settings that durability and privacy need, because SQLite silently ignores unknown pragmas. */
const assertSettings = (db: Db): Effect.Effect<void, StorageError> => {
  const setting = (name: string) => db.pragma(name, { simple: true })
  const version = db.prepare("SELECT sqlite_version()").pluck().get() as string
  if (!isVersionAtLeast(version, oldestSqlite)) {
    return unsupported(
      `SQLITE_${version}`,
      `the log needs SQLite ${oldestSqlite.join(".")} or newer: update better-sqlite3`
    )
  }
  if (setting("synchronous") !== 2) return unsupported("NOT_SYNCHRONOUS_FULL", lostSetting("synchronous"))
  if (setting("journal_mode") !== "wal") return unsupported("NOT_WAL", needsWal)
  if (setting("secure_delete") !== 1) return unsupported("NOT_SECURE_DELETE", lostSetting("secure_delete"))
  if (setting("trusted_schema") !== 0) return unsupported("TRUSTED_SCHEMA", lostSetting("trusted_schema"))
  return Effect.void
}

const unsupported = (code: string, problem: string) =>
  new StorageError({ kind: "unsupported", where: "log.db", code, detail: `log.db: ${problem}` })

const needsWal = "the log needs a file system with locks and shared memory: move the data folder to a local disk"
const lostSetting = (pragma: string) =>
  `this build of SQLite ignores the setting \`${pragma}\`: reinstall Daybook's own dependencies`

/** True if a dotted version number is at least `oldest`. */
export const isVersionAtLeast = (version: string, oldest: ReadonlyArray<number>): boolean => {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10))
  const differences = oldest.map((part, index) => (parts[index] ?? 0) - part)
  return (differences.find((difference) => difference !== 0) ?? 0) >= 0
}
