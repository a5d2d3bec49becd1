import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { codec } from "../events/Codec.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { StorageError } from "../events/errors.js"
import { busyTimeoutMillis, openLogDatabase } from "../events/sqlite.js"
import { verify } from "../events/verify.js"
import * as Default from "../layers/Default.js"
import { migrations } from "../migrations/index.js"
import { exportLog, importLog } from "../src/backup/exportLog.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"

const fixtures = join(import.meta.dirname, "fixtures")
const newest = Object.keys(migrations).length
/** Each released schema with a few rows: `log-schema-<number>.sql`, and the anchor that belongs to them. */
const released = readdirSync(fixtures).filter((name) => /^log-schema-\d{4}\.sql$/.test(name))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-migrations-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const openLog = (path: string) => Effect.map(Layer.build(EventLogSqlite.layer(path)), Context.get(EventLog))

const withDb = <A>(path: string, use: (db: Database.Database) => A): A => {
  const db = new Database(join(path, "log.db"))
  try {
    return use(db)
  } finally {
    db.close()
  }
}

const schemaOf = (db: Database.Database) =>
  db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").all()

/** The events, with the columns that version 1 of the chain lacks. */
const eventsOf = (db: Database.Database) =>
  db
    .prepare("SELECT * FROM events ORDER BY sequence")
    .all()
    .map((row) => ({ chain: 1, command_key: null, names: null, ...(row as Record<string, unknown>) }))

const restore = (path: string, fixture: string) => {
  withDb(path, (db) => db.exec(readFileSync(join(fixtures, fixture), "utf8")))
  writeFileSync(join(path, "anchor.log"), readFileSync(join(fixtures, fixture.replace(/sql$/, "anchor"))))
}

describe("migrations", () => {
  it("have a fixture for each released schema", () => {
    expect(released.sort()).toEqual(Object.keys(migrations).map((name) => `log-schema-${/^\d{4}/.exec(name)![0]}.sql`))
  })

  for (const fixture of released) {
    it.scopedLive(`upgrade ${fixture} to the newest schema, without changing its contents`, () =>
      Effect.gen(function* () {
        const path = yield* folder
        restore(path, fixture)
        const before = withDb(path, eventsOf)
        expect(before.length).toBe(3)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* openLog(path)
            expect(yield* verify(log, codec, null)).toMatchObject({ ok: true, events: 3, streams: 2, problems: [] })
            expect(yield* log.append(next(2, "import tides 12", "tides"))).toMatchObject([{ repeated: true }])
            expect(yield* log.append(next(2, "new", "new"))).toMatchObject([
              { repeated: false, events: [{ version: 3 }] }
            ])
            const digest = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"
            const found = yield* log.vectors("hash-256-v1", 2, [digest])
            expect(found.get(digest)).toEqual(Float32Array.of(0.6, -0.8))
            expect((yield* verify(log, codec, null)).problems).toEqual([])
          })
        )
        expect(withDb(path, eventsOf).slice(0, 3)).toEqual(before)
        const fresh = yield* folder
        yield* Effect.scoped(openLog(fresh))
        expect(withDb(path, schemaOf)).toEqual(withDb(fresh, schemaOf))
      })
    )
  }

  it.scopedLive("are not needed for an export, which reads the log as it is", () =>
    Effect.gen(function* () {
      const [path, target] = [yield* folder, yield* folder]
      restore(path, "log-schema-0005.sql")
      withDb(path, (db) => db.exec("DELETE FROM timers"))
      const file = join(target, "log.jsonl")
      const { anchor } = yield* exportLog({ folder: path, to: file })
      const imported = join(target, "imported")
      yield* importLog({ file, folder: imported, expect: anchor! })
      expect(withDb(imported, eventsOf)).toEqual(withDb(path, eventsOf))
    })
  )

  it.scopedLive("create the newest fixture today", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.scoped(openLog(path))
      const fixture = yield* folder
      restore(fixture, released.sort().at(-1)!)
      expect(withDb(fixture, schemaOf)).toEqual(withDb(path, schemaOf))
    })
  )

  it.scopedLive("refuse a log of a newer version and leave it unchanged", () =>
    Effect.gen(function* () {
      const path = yield* folder
      restore(path, released.sort().at(-1)!)
      withDb(path, (db) =>
        db.prepare("INSERT INTO effect_sql_migrations (migration_id, name) VALUES (?, 'future')").run(newest + 1)
      )
      const before = withDb(path, (db) => [eventsOf(db), schemaOf(db)])
      for (let times = 0; times < 2; times++) {
        const error = yield* Effect.flip(Effect.scoped(openLog(path)))
        expect(error).toBeInstanceOf(StorageError)
        expect({ ...error }).toMatchObject({ kind: "unsupported", where: "log.db", code: `SCHEMA_${newest + 1}` })
        expect(error.message).toBe(
          `log.db: a newer release of Daybook wrote this file: update Daybook (SCHEMA_${newest + 1})`
        )
      }
      const whole = yield* Effect.flip(Effect.scoped(Layer.build(Default.layer({ folder: path, policy: defaults }))))
      expect({ ...whole }).toMatchObject({ _tag: "StorageError", kind: "unsupported" })
      expect(withDb(path, (db) => [eventsOf(db), schemaOf(db)])).toEqual(before)
    })
  )

  it.scopedLive("finish an interrupted upgrade at the next start", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.scoped(openLog(path))
      withDb(path, (db) => db.exec("DELETE FROM installation; UPDATE anchor_reference SET line = 0"))
      rmSync(join(path, "anchor.log"))
      const log = yield* openLog(path)
      yield* log.append(next("none", "new", "new"))
      expect((yield* verify(log, codec, null)).problems).toEqual([])
    })
  )

  it.scopedLive("allow several processes to open a new folder at once", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const logs = yield* Effect.all(
        Array.from({ length: 4 }, () => openLog(path)),
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(logs, (log, index) => log.append(next("any", `c-${index}`, "")), {
        concurrency: "unbounded"
      })
      for (const log of logs) expect(yield* verify(log, codec, null)).toMatchObject({ events: 4, problems: [] })
      expect(withDb(path, (db) => db.prepare("SELECT count(*) FROM installation").pluck().get())).toBe(1)
    })
  )
})

describe("settings", () => {
  const settingsOf = (db: Database.Database) =>
    db
      .prepare(
        `SELECT sqlite_version() AS version,
          (SELECT synchronous FROM pragma_synchronous) AS synchronous,
          (SELECT journal_mode FROM pragma_journal_mode) AS journal,
          (SELECT secure_delete FROM pragma_secure_delete) AS secureDelete,
          (SELECT trusted_schema FROM pragma_trusted_schema) AS trustedSchema,
          (SELECT timeout FROM pragma_busy_timeout) AS busyTimeout,
          (SELECT query_only FROM pragma_query_only) AS queryOnly`
      )
      .get() as Record<string, unknown>

  it.scopedLive("are equal on both connections of the log, and only one connection writes", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { reader, writer } = yield* Effect.provide(openLogDatabase(join(path, "log.db")), Reactivity.layer)
      const wanted = {
        synchronous: 2,
        journal: "wal",
        secureDelete: 1,
        trustedSchema: 0,
        busyTimeout: busyTimeoutMillis
      }
      const onWriter = settingsOf(writer)
      expect(onWriter).toMatchObject({ ...wanted, queryOnly: 0 })
      expect(settingsOf(reader)).toEqual({ ...onWriter, queryOnly: 1 })
      const [major = 0, minor = 0, patch = 0] = String(onWriter.version).split(".").map(Number)
      expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_051_003)
      expect(() => reader.exec("DELETE FROM events")).toThrow(expect.objectContaining({ code: "SQLITE_READONLY" }))
    })
  )

  it.scopedLive("of the file outlive the process", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.scoped(openLog(path))
      expect(withDb(path, (db) => db.pragma("journal_mode", { simple: true }))).toBe("wal")
    })
  )
})

describe("file modes", () => {
  const modesOf = (path: string): ReadonlyArray<readonly [string, string]> =>
    readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) => {
      const whole = join(entry.parentPath, entry.name)
      const mode = (statSync(whole).mode & 0o777).toString(8)
      return [`${entry.isDirectory() ? "folder" : "file"} ${whole.slice(path.length + 1)}`, mode]
    })

  for (const umask of [0o000, 0o022, 0o077]) {
    it.scopedLive(`are 0600 and 0700 under a umask of 0${umask.toString(8)}, while open and afterwards`, () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "a", "data")
        yield* Effect.acquireRelease(
          Effect.sync(() => process.umask(umask)),
          (before) => Effect.sync(() => process.umask(before))
        )
        const seen: Array<string> = []
        const check = () => {
          const modes = modesOf(path)
          for (const [name, mode] of modes)
            expect([name, mode]).toEqual([name, name.startsWith("folder") ? "700" : "600"])
          seen.push(...modes.map(([name]) => name.split("/").at(-1)!))
        }
        yield* Effect.gen(function* () {
          const daybook = yield* Daybook
          const { list, remember } = yield* daybook.agent("one", { trust: "full" })
          yield* remember({ title: "a title" })
          yield* list()
          check()
          yield* daybook.backfill("one")
          yield* daybook.rebuild("one", ["people"])
          yield* remember({ title: "another" })
          const past = yield* daybook.agent("one", { trust: "full", asOf: { version: 1 } })
          yield* past.list()
          check()
        }).pipe(Effect.provide(Default.layer({ folder: path, policy: defaults })))
        check()
        expect(statSync(path).mode & 0o777).toBe(0o700)
        const names = ["file log.db", "file log.db-wal", "file log.db-shm", "file anchor.log", "folder views"]
        expect(seen).toEqual(expect.arrayContaining([...names, "folder cache", "current"]))
      })
    )
  }

  it.scopedLive("of an existing folder stay as its owner set them", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "data")
      mkdirSync(path, { mode: 0o750 })
      yield* Effect.scoped(openLog(path))
      expect(statSync(path).mode & 0o777).toBe(0o750)
      expect(modesOf(path).map(([, mode]) => mode)).toEqual(["600", "600"])
    })
  )
})

const next = (expected: number | "none" | "any", commandId: string, request: string) => ({
  stream: "harbour",
  expected,
  now: 1_773_489_800_000,
  commands: [{ commandId, request, actor: "test", events: [{ type: "ERASE", schema: 1, payload: erase }] }]
})

const erase = '{"versions":[],"reason":"nothing"}'
