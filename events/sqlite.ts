import { randomUUID } from "node:crypto"
import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { migrations } from "../migrations/index.js"
import { StorageError, storageError } from "./errors.js"

/** Milliseconds that SQLite itself waits for a lock: it blocks the whole process while it does. */
export const busyTimeout = 20

/** How long a lock is waited for, without blocking anybody, before a write is refused as busy. */
export const busyRetry = Schedule.jittered(Schedule.exponential("2 millis")).pipe(
  Schedule.union(Schedule.spaced("20 millis")),
  Schedule.upTo("5 seconds")
)

/** Tries again while another process holds the lock. The common case, that it is free, costs nothing more. */
export const untilFree = <A>(effect: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
  Effect.catchIf(
    effect,
    (error) => error.kind === "busy",
    () => Effect.retry(effect, { schedule: busyRetry, while: (error) => error.kind === "busy" })
  )

/** The oldest SQLite that writes the log: earlier ones can lose a write-ahead log that is reset at a bad moment. */
const oldestSqlite = [3, 51, 3]

/** The log's file: one connection writes, one reads, both taken for good, since a reserved one is ten times cheaper. */
export const open = (file: string) =>
  Effect.gen(function* () {
    yield* Effect.try(() => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      closeSync(openSync(file, "a", 0o600))
    })
    const client = yield* SqliteClient.make({ filename: file })
    yield* migrate.pipe(Effect.provideService(SqlClient.SqlClient, client))
    const [installation] = yield* client<{ id: string; migration: number }>`
      SELECT id, (SELECT max(migration_id) FROM effect_sql_migrations) AS migration FROM installation`
    if (installation!.migration > Object.keys(migrations).length) {
      return yield* new StorageError({
        kind: "unsupported",
        where: "log.db",
        code: `SCHEMA_${installation!.migration}`
      })
    }
    const writer = yield* client.reserve
    const reader = yield* Effect.flatMap(SqliteClient.make({ filename: file, disableWAL: true }), (_) => _.reserve)
    for (const connection of [writer, reader]) {
      for (const setting of ["synchronous = FULL", "secure_delete = ON", "trusted_schema = OFF"]) {
        yield* connection.execute(`PRAGMA ${setting}`, [], undefined)
      }
      yield* connection.execute(`PRAGMA busy_timeout = ${busyTimeout}`, [], undefined)
    }
    yield* reader.execute("PRAGMA query_only = ON", [], undefined)
    yield* assertSettings(writer)
    return { writer, reader, installation: installation!.id }
  }).pipe(Effect.catchAllDefect(Effect.fail), Effect.mapError(storageError("log.db")))

/** Two processes may start on a new folder at once: the loser tries again and finds the work done. */
const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const done = yield* Effect.either(sql<{ id: number }>`SELECT max(migration_id) AS id FROM effect_sql_migrations`)
  const installed = done._tag === "Right" && (yield* sql`SELECT 1 FROM installation`).length > 0
  if (installed && (done.right[0]?.id ?? 0) >= Object.keys(migrations).length) return
  yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations) })
  yield* sql`INSERT INTO installation (id, created_at)
    SELECT ${randomUUID()}, ${Date.now()} WHERE NOT EXISTS (SELECT 1 FROM installation)`
}).pipe(
  Effect.catchAllDefect(Effect.fail),
  Effect.retry({
    schedule: busyRetry,
    while: (error) => storageError("log.db")(error).kind !== "damaged"
  })
)

/** What durability and privacy rest on is asked for above and checked here: a pragma that is not understood is silent. */
const assertSettings = (connection: Connection) =>
  Effect.gen(function* () {
    const [row] = yield* connection.execute(
      `SELECT sqlite_version() AS version,
        (SELECT synchronous FROM pragma_synchronous) AS synchronous,
        (SELECT journal_mode FROM pragma_journal_mode) AS journal,
        (SELECT secure_delete FROM pragma_secure_delete) AS secure,
        (SELECT trusted_schema FROM pragma_trusted_schema) AS trusted`,
      [],
      undefined
    )
    const unmet = (code: string) => new StorageError({ kind: "unsupported", where: "log.db", code })
    if (compare(row.version, oldestSqlite) < 0) return yield* unmet(`SQLITE_${row.version}`)
    if (row.synchronous !== 2) return yield* unmet("NOT_SYNCHRONOUS_FULL")
    if (row.journal !== "wal") return yield* unmet("NOT_WAL")
    if (row.secure !== 1) return yield* unmet("NOT_SECURE_DELETE")
    if (row.trusted !== 0) return yield* unmet("TRUSTED_SCHEMA")
  })

const compare = (version: string, oldest: ReadonlyArray<number>): number => {
  const parts = version.split(".").map(Number)
  return oldest.map((part, index) => (parts[index] ?? 0) - part).find((difference) => difference !== 0) ?? 0
}
