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
import { assertRuntime, openDatabase } from "./driver.js"
import { StorageError, storageError } from "./errors.js"
import { makeFolder } from "./folder.js"
import * as SqliteClient from "./sqliteClient.js"
import type { Db } from "./statement.js"

/** Milliseconds that SQLite itself waits for a lock: it blocks the whole process while it does. */
export const busyTimeout = 20

/**
 * Pages of the write-ahead log that make a commit move them into the database: 16 MB. A batch of a thousand memories
 * reaches SQLite's default of 1,000 with each commit, and would move the same pages of the indexes every time.
 */
export const checkpointPages = 4_000

/** How long a lock is waited for, without blocking anybody, before a write is refused as busy. */
export const busyRetry = Schedule.jittered(Schedule.exponential("2 millis")).pipe(
  Schedule.union(Schedule.spaced("20 millis")),
  Schedule.upTo("5 seconds")
)

/**
 * Work on a database, done at once, and tried again as long as another process
 * holds its lock. The common case, that it is free, costs no more than the work.
 */
export const untilFree = <A>(where: string, work: () => A): Effect.Effect<A, StorageError> => {
  try {
    return Effect.succeed(work())
  } catch (cause) {
    const error = storageError(where)(cause)
    if (error.kind !== "busy") return Effect.fail(error)
    const again = Effect.try({ try: work, catch: storageError(where) })
    return Effect.retry(again, { schedule: busyRetry, while: ({ kind }) => kind === "busy" })
  }
}

/** The oldest SQLite that writes the log: earlier ones can lose a write-ahead log that is reset at a bad moment. */
const oldestSqlite = [3, 51, 3]

/**
 * Opens the log's file, made and migrated where need be: one connection writes,
 * one reads. Migrations run through @effect/sql; what is asked a thousand times
 * a second is asked of better-sqlite3 itself, at a fraction of the cost.
 */
export const open = (
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
        closeSync(openSync(file, "a", 0o600))
      },
      catch: storageError("log.db")
    })
    const installation = yield* migrated(file)
    const connect = (options: ReadonlyArray<string>) =>
      Effect.acquireRelease(
        Effect.try(() => {
          const db = openDatabase(file, { timeout: busyTimeout })
          for (const setting of options) db.pragma(setting)
          return db
        }),
        (db) => Effect.sync(() => db.close())
      )
    const checkpoint = `wal_autocheckpoint = ${checkpointPages}`
    const settings = ["synchronous = FULL", "secure_delete = ON", "trusted_schema = OFF", checkpoint]
    const writer = yield* connect(settings)
    const reader = yield* connect([...settings, "query_only = ON"])
    yield* assertSettings(writer)
    return { writer, reader, installation }
  }).pipe(Effect.catchAllDefect(Effect.fail), Effect.mapError(storageError("log.db")))

/**
 * Brings the schema up to date and answers the id of this installation. Two
 * processes may start on a new folder at once: the loser tries again and finds
 * the work done. Each try has a connection of its own, since a client remembers
 * a statement that could not be prepared.
 */
const migrated = (file: string): Effect.Effect<string, unknown, Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const client = yield* SqliteClient.make({ filename: file })
    const newest = Object.keys(migrations).length
    const state = Effect.map(
      client<{ id: string; migration: number }>`
        SELECT id, (SELECT max(migration_id) FROM effect_sql_migrations) AS migration FROM installation`,
      ([row]) => row
    )
    const before = yield* Effect.orElseSucceed(state, () => undefined)
    if (before !== undefined && before.migration > newest) return yield* unmet(`SCHEMA_${before.migration}`)
    if (before?.migration === newest) return before.id
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
    Effect.catchAllDefect(Effect.fail),
    Effect.retry({
      schedule: busyRetry,
      while: (error) => !["damaged", "unsupported"].includes(storageError("log.db")(error).kind)
    }),
    Effect.flatMap((id) => (id === undefined ? migrated(file) : Effect.succeed(id)))
  )

/** What durability and privacy rest on is asked for above and checked here: a pragma that is not understood is silent. */
const assertSettings = (db: Db): Effect.Effect<void, StorageError> => {
  const setting = (name: string) => db.pragma(name, { simple: true })
  const version = db.prepare("SELECT sqlite_version()").pluck().get() as string
  if (!atLeast(version, oldestSqlite)) return unmet(`SQLITE_${version}`)
  if (setting("synchronous") !== 2) return unmet("NOT_SYNCHRONOUS_FULL")
  if (setting("journal_mode") !== "wal") return unmet("NOT_WAL")
  if (setting("secure_delete") !== 1) return unmet("NOT_SECURE_DELETE")
  if (setting("trusted_schema") !== 0) return unmet("TRUSTED_SCHEMA")
  return Effect.void
}

const unmet = (code: string) => new StorageError({ kind: "unsupported", where: "log.db", code })

/** Whether a version number, dots between, is no older than another. */
export const atLeast = (version: string, oldest: ReadonlyArray<number>): boolean => {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10))
  const difference = oldest.map((part, index) => (parts[index] ?? 0) - part).find((one) => one !== 0) ?? 0
  return difference >= 0
}
