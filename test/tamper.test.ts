import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { codec } from "../events/Codec.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { type EventRow, fromRow, insertEvent, selectEvents, toParams } from "../events/eventRows.js"
import { headAfter, linkEvents } from "../events/link.js"
import { verify } from "../events/verify.js"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { withLog } from "./support/dataFiles.js"
import { type Random, randomOf } from "./support/random.js"
import { expectDuration, lawRuns, rounds } from "./support/size.js"

type Db = Database.Database
type Folder = string

/** Changes the log of a folder behind the engine's back. Says what it did, for the message of a failure. */
type Tamper = (folder: Folder) => string

/** Another run tries other places; `TEST_SEED` makes the choices of an earlier one again. */
const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000)
const agents = ["ada", "Grace", "日本", "ø 1".replace(" ", "-")]
const command = join(import.meta.dirname, "..", "dist", "daybook.mjs")

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-tamper-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const layerOf = (path: Folder) => Default.layer({ folder: path, policy: defaults })

/** A log as it comes about: several agents, memories added, repeated, changed, forgotten and embedded. */
const writeLog = (path: Folder, random: Random) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    for (const name of agents) {
      const { forget, remember, rememberAll, update } = yield* daybook.agent(name, { trust: "full" })
      const ids: Array<string> = []
      for (let index = 0; index < 70; index++) {
        const title = `${name} remembers ${index}: ${words(random, 6)}`
        const dice = random.below(10)
        const id = random.pick(ids)
        // The rules may have retired the memory for one of these random statements.
        if (id !== undefined && dice === 0)
          yield* Effect.option(forget(ids.splice(ids.indexOf(id), 1)[0]!, { commandId: `f-${index}` }))
        else if (id !== undefined && dice <= 2) yield* Effect.option(update(id, { narrative: words(random, 20) }))
        else if (dice === 3) yield* rememberAll([{ title }, { title, facts: [words(random, 5)] }])
        else {
          const observation = { title, narrative: words(random, random.below(60)), tags: ["tide"], people: ["Zoë"] }
          const options = random.below(2) === 0 ? {} : { commandId: `c-${index}` }
          ids.push((yield* remember(observation, options)).id)
        }
      }
      yield* daybook.backfill(name)
    }
  }).pipe(Effect.provide(layerOf(path)))

/** What can be told of a log from the engine's answer alone. */
interface Verdict {
  readonly reported: boolean
  readonly how: string
}

const reportOn = (path: Folder) =>
  Effect.flatMap(Daybook, (daybook) => daybook.verify()).pipe(Effect.provide(layerOf(path)))

/** Asks the engine. Damage is an answer, or a log that cannot be opened; anything else is a failure of the test. */
const verdictOn = (path: Folder): Effect.Effect<Verdict> =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(
      Effect.provide(
        Effect.flatMap(Daybook, (daybook) => daybook.verify()),
        layerOf(path)
      )
    )
    if (Exit.isSuccess(exit)) {
      const { ok, problems } = exit.value
      expect(ok).toBe(problems.length === 0)
      return { reported: !ok, how: ok ? "ok" : problems[0]!.what }
    }
    const failure = Cause.failureOption(exit.cause)
    if (failure._tag === "None" || failure.value._tag !== "StorageError") throw new Error(Cause.pretty(exit.cause))
    return { reported: true, how: `cannot be opened: ${failure.value.kind}` }
  })

const columns = [
  "sequence",
  "stream",
  "version",
  "type",
  "schema",
  "payload",
  "salt",
  "digest",
  "hash",
  "command_id",
  "command_key",
  "chain",
  "names",
  "ordinal",
  "request_digest",
  "actor",
  "cause",
  "occurred_at",
  "recorded_at",
  "erased_at"
]

/** Every column of every event with its type, byte by byte; what cannot be read is not the same as before. */
const dumpOf = (path: Folder): string => {
  try {
    return withLog(path, (db) => {
      const hash = createHash("sha256")
      const fields = columns.map((name) => `typeof(${name}) || ' ' || ifnull(hex(CAST(${name} AS BLOB)), '-')`)
      const rows = db.prepare(`SELECT ${fields.join(", ")} FROM events NOT INDEXED ORDER BY sequence`).raw()
      for (const row of rows.iterate()) hash.update(`${(row as ReadonlyArray<string>).join("|")}\n`)
      return hash.digest("hex")
    })
  } catch (cause) {
    return `unreadable: ${cause}`
  }
}

const schemaOfEvents = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'events'"

const copyLog = (from: Folder, to: Folder) => {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of ["log.db", "anchor.log"]) copyFileSync(join(from, name), join(to, name))
}

const runCommand = (path: Folder): Effect.Effect<number | string> =>
  Effect.async((resume) => {
    execFile(process.execPath, [command, "--data", path, "verify", "--json"], { timeout: 120_000 }, (error) => {
      resume(Effect.succeed(error === null ? 0 : (error.code ?? `${error.signal}`)))
    })
  })

describe("verify", () => {
  it.scopedLive(
    "reports every change of the log that changes an event",
    () =>
      Effect.gen(function* () {
        const random = randomOf(seed)
        const root = yield* folder
        const master = join(root, "master")
        yield* writeLog(master, random)
        withLog(master, (db) => db.pragma("wal_checkpoint(TRUNCATE)"))
        const events = withLog(master, (db) => db.prepare("SELECT count(*) FROM events").pluck().get())
        expect(events).toBeGreaterThan(250)
        expect(yield* verdictOn(master)).toEqual({ reported: false, how: "ok" })
        const before = dumpOf(master)
        const size = readFileSync(join(master, "log.db")).length

        const kinds: ReadonlyArray<readonly [kind: string, times: number, tamper: Tamper]> = [
          ["byte flips anywhere", 110, flip(random, 0, size)],
          ["byte flips in the file header", 10, flip(random, 0, 100)],
          ["byte flips in the first page", 10, flip(random, 100, 4_096)],
          ["edits of a column", 26, edit(random)],
          ["values of another type", 12, retype(random)],
          ["deleted rows", 20, remove(random)],
          ["swaps of two rows", 15, swap(random)],
          ["inserted rows", 10, insert(random)],
          ["cut tails", 15, cut(random)],
          ["cut tails with new ones", 8, cutAndAppend(random)],
          ["truncated files", 5, truncate(random, size)]
        ]
        const missed: Array<string> = []
        const rows: Array<string> = []
        const ways = new Map<string, number>()
        const sampled: Array<string> = []
        let total = 0
        for (const [kind, share, tamper] of kinds) {
          const times = lawRuns({ quick: Math.ceil(share / 12), full: share * 2, ci: Math.ceil(share / 2) })
          let reported = 0
          let harmless = 0
          for (let time = 0; time < times; time++) {
            const path = join(root, "tampered")
            copyLog(master, path)
            const what = tamper(path)
            const copy = join(root, `copy ${total}`)
            copyLog(path, copy)
            const changed = dumpOf(copy) !== before
            rmSync(copy, { recursive: true })
            // Every kind gives the process something to find.
            if (changed && sampled.length < 11 && !sampled.some((name) => name.endsWith(kind))) {
              const name = join(root, `sample ${kind}`)
              copyLog(path, name)
              sampled.push(name)
            }
            const verdict = yield* verdictOn(path)
            rmSync(path, { recursive: true })
            if (verdict.reported) reported++
            else if (changed) missed.push(`${kind}: ${what} (seed ${seed})`)
            else harmless++
            const way = verdict.how.startsWith("log.db: ")
              ? "the database's own check"
              : verdict.how.replace(/: \d+ is missing/, "")
            ways.set(way, (ways.get(way) ?? 0) + 1)
            total++
          }
          rows.push(`  ${kind}: ${times} done, ${reported} reported, ${harmless} without any effect on an event`)
        }
        console.log(
          [
            `tampering with a log of ${events} events, ${total} times (seed ${seed}): ${missed.length} missed`,
            ...rows,
            ...[...ways].sort(([, a], [, b]) => b - a).map(([way, times]) => `  ${times} × ${way}`)
          ].join("\n")
        )
        expect(missed).toEqual([])

        if (!existsSync(command)) return console.log("the process was not asked: dist/daybook.mjs is not built")
        const codes = yield* Effect.forEach(sampled, runCommand, { concurrency: 2 })
        expect(codes).toEqual(sampled.map(() => 3))
        expect(yield* runCommand(master)).toBe(0)
        console.log(`daybook verify: exit 3 on ${codes.length} changed logs, exit 0 on the one that was not`)
      }),
    600_000
  )

  it.scopedLive("answers for any value in a column of an anchored event: number, text, bytes or nothing", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const master = join(root, "master")
      yield* smallLog(master)
      let times = 0
      for (const column of columns) {
        for (const value of [-7, 0.5, "text", Buffer.from([7]), null]) {
          const path = join(root, "tampered")
          copyLog(master, path)
          const changed = withLog(path, (db) => {
            // As a flipped bit would, an edit may leave nothing where something has to be.
            db.unsafeMode(true)
            db.exec("PRAGMA writable_schema = ON")
            db.exec("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = 'events'")
            db.exec("PRAGMA writable_schema = RESET")
            const sql = `UPDATE events SET ${column} = ? WHERE stream = 'ada' AND version = 5 AND ${column} IS NOT ?`
            // Only a whole number can be a row's key.
            if (column === "sequence" && !Number.isInteger(value)) return 0
            return db.prepare(sql).run(value, value).changes
          })
          withLog(path, (db) => {
            const { sql } = withLog(master, (whole) => whole.prepare(schemaOfEvents).get()) as { sql: string }
            db.unsafeMode(true)
            db.exec("PRAGMA writable_schema = ON")
            db.prepare("UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = 'events'").run(sql)
          })
          const { reported } = yield* verdictOn(path)
          expect([column, value, reported]).toEqual([column, value, changed === 1])
          if (changed === 1) times++
          rmSync(path, { recursive: true })
        }
      }
      console.log(`${times} values of another kind in ${columns.length} columns: all reported`)
    })
  )

  it.scopedLive("reports a header with an unknown format as damage, without the retries of a lock", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* smallLog(path)
      const file = join(path, "log.db")
      const bytes = readFileSync(file)
      bytes[47] = 9
      writeFileSync(file, bytes)
      expect(yield* verdictOn(path)).toEqual({ reported: true, how: "cannot be opened: damaged" })
    })
  )

  it.scopedLive("accepts a restored backup only after its report is accepted", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* smallLog(path)
      const { anchor, log } = { anchor: join(path, "anchor.log"), log: join(path, "log.db") }
      copyFileSync(log, `${log}.backup`)
      const remembered = Effect.gen(function* () {
        const daybook = yield* Daybook
        const { remember } = yield* daybook.agent("ada", { trust: "full" })
        yield* remember({ title: "one more" })
        // Otherwise its vector would be stored at any time.
        yield* daybook.backfill("ada")
      })
      yield* Effect.provide(remembered, layerOf(path))
      const before = readFileSync(anchor, "utf8")
      copyFileSync(`${log}.backup`, log)
      const report = yield* reportOn(path)
      expect(report.ok).toBe(false)
      expect(yield* Effect.flip(Effect.provide(remembered, layerOf(path)))).toMatchObject({ code: "STREAM_DAMAGED" })
      yield* Effect.gen(function* () {
        const daybook = yield* Daybook
        const other = yield* Effect.flip(daybook.accept("0".repeat(64)))
        expect(other._tag).toBe("NotAccepted")
        expect((yield* daybook.verify()).ok).toBe(false)
        // In a process that has the log open, too.
        yield* daybook.accept(report.digest!)
        expect(yield* daybook.verify()).toMatchObject({ ok: true, accepted: report.problems })
        yield* remembered
        expect(yield* daybook.verify()).toMatchObject({ ok: true, accepted: report.problems })
        expect((yield* daybook.agents).map(({ name }) => name)).toEqual(["Grace", "ada"])
        expect((yield* Effect.flip(daybook.accept(report.digest!))).message).toContain("has no damage")
      }).pipe(Effect.provide(layerOf(path)))
      expect(yield* reportOn(path)).toMatchObject({ ok: true, accepted: report.problems, events: 12, streams: 2 })
      expect(readFileSync(`${anchor}.before-epoch-2`, "utf8")).toBe(before)
      // Other damage is not accepted with it, nor is the same place once it is changed again.
      withLog(path, (db) => db.exec("UPDATE events SET actor = 'eve' WHERE version = 2"))
      const edited = yield* reportOn(path)
      expect(edited.ok).toBe(false)
      yield* Effect.provide(
        Effect.flatMap(Daybook, ({ accept }) => accept(edited.digest!)),
        layerOf(path)
      )
      yield* Effect.provide(remembered, layerOf(path))
      expect((yield* reportOn(path)).ok).toBe(true)
      withLog(path, (db) => db.exec("UPDATE events SET actor = 'mallory' WHERE version = 2"))
      expect((yield* reportOn(path)).ok).toBe(false)
      expect(yield* Effect.flip(Effect.provide(remembered, layerOf(path)))).toMatchObject({ code: "STREAM_DAMAGED" })
    })
  )

  it.scopedLive("refuses to append to a damaged log, such as one with its tail cut off", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* smallLog(path)
      withLog(path, (db) => db.exec("DELETE FROM events WHERE version > 3 AND stream = 'ada'"))
      const before = dumpOf(path)
      yield* Effect.gen(function* () {
        const daybook = yield* Daybook
        const { list, remember } = yield* daybook.agent("ada", { trust: "full" })
        const error = yield* Effect.flip(remember({ title: "one more" }))
        expect({ ...error }).toMatchObject({ _tag: "StorageError", kind: "damaged", code: "STREAM_DAMAGED" })
        expect(error.message).toContain("verify --accept DIGEST")
        // What is still there can be read.
        expect((yield* list()).length).toBe(3)
        expect(dumpOf(path)).toBe(before)
        // Another agent goes on.
        const grace = yield* daybook.agent("Grace", { trust: "full" })
        expect((yield* grace.remember({ title: "one more" })).outcome).toBe("added")
      }).pipe(Effect.provide(layerOf(path)))
    })
  )
})

describe("manual erasure", () => {
  const erase = "payload = NULL, salt = NULL, request_digest = NULL"
  const cases: ReadonlyArray<
    readonly [what: string, sql: string, named: ReadonlyArray<number>, problem: string | undefined]
  > = [
    ["named by an ERASE event verifies", `${erase}, erased_at = :at`, [2, 4], undefined],
    [
      "named by no ERASE event does not",
      `${erase}, erased_at = :at`,
      [2, 3],
      "the payload is missing and no ERASE event names it"
    ],
    [
      "at another time does not",
      `${erase}, erased_at = :at + 1`,
      [2, 4],
      "the erasure time differs from the ERASE event"
    ],
    ["without a time does not", erase, [2, 4], "the erasure time differs from the ERASE event"],
    ["that leaves the payload does not", "salt = NULL, erased_at = :at", [2, 4], "the event is only partly erased"],
    ["that leaves the salt does not", "payload = NULL, erased_at = :at", [2, 4], "the event is only partly erased"],
    [
      "that leaves the request does not",
      "payload = NULL, salt = NULL, erased_at = :at",
      [2, 4],
      "the event is only partly erased"
    ],
    [
      "that takes a name too does not",
      `${erase}, erased_at = :at, actor = ''`,
      [2, 4],
      "the hash does not follow from the event before"
    ],
    [
      "that makes a name look erased does not",
      `${erase}, erased_at = :at, actor = '', names = zeroblob(99)`,
      [2, 4],
      "actor, cause or command id is missing and no ERASE event names it"
    ],
    [
      "that leaves everything does not",
      "erased_at = :at",
      [2, 4],
      "the event is marked as erased but still has its payload"
    ],
    [
      "that takes the digest does not",
      `${erase}, erased_at = :at, digest = zeroblob(32)`,
      [2, 4],
      "the hash does not follow from the event before"
    ]
  ]
  for (const [what, sql, versions, problem] of cases) {
    it.scopedLive(what, () =>
      Effect.gen(function* () {
        const path = yield* folder
        yield* smallLog(path)
        const at = yield* Effect.gen(function* () {
          const log = yield* EventLog
          const payload = JSON.stringify({ versions, reason: "asked for" })
          const [answer] = yield* log.append({
            stream: "ada",
            expected: "exists",
            now: Date.now(),
            commands: [{ actor: "test", events: [{ type: "ERASE", schema: 1, payload }] }]
          })
          return answer!.events[0]!.recordedAt
        }).pipe(Effect.provide(EventLogSqlite.layer(path)))
        const unerased = { reported: true, how: "an ERASE event names it, but it has its payload" }
        expect(yield* verdictOn(path)).toEqual(versions.includes(2) ? unerased : expect.anything())
        withLog(path, (db) =>
          db
            .prepare(`UPDATE events SET ${sql} WHERE stream = 'ada' AND version IN (2, 4)`)
            .run(sql.includes(":at") ? { at } : {})
        )
        const { ok, problems } = yield* Effect.flatMap(Daybook, (daybook) => daybook.verify("ada")).pipe(
          Effect.provide(layerOf(path))
        )
        expect(ok).toBe(problem === undefined)
        if (problem !== undefined) expect(problems.map(({ what }) => what)).toContain(problem)
        // Whatever was done to one agent, the other one's events are what they were.
        const other = yield* Effect.flatMap(Daybook, (daybook) => daybook.verify("Grace")).pipe(
          Effect.provide(layerOf(path))
        )
        expect(other).toMatchObject({ ok: true, events: 5 })
      })
    )
  }
})

describe("verification time", () => {
  it.scopedLive(
    "of a long log covers every event",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const log = Context.get(yield* Layer.build(EventLogSqlite.layer(path)), EventLog)
        const sample = readFileSync(join(import.meta.dirname, "fixtures", "events", "UPDATE.v1.json"), "utf8")
        const payload = JSON.stringify(JSON.parse(sample))
        const total = rounds({ quick: 10_000, full: 100_000 })
        const page = 1_000
        for (let written = 0; written < total; written += page) {
          const events = Array.from({ length: page }, () => ({ type: "UPDATE", schema: 1, payload }))
          const stream = agents[(written / page) % agents.length]!
          yield* log.append({ stream, expected: "any", now: Date.now(), commands: [{ actor: "test", events }] })
        }
        const start = performance.now()
        const verified = yield* verify(log, codec, null)
        const took = performance.now() - start
        expect(verified).toMatchObject({ ok: true, events: total, streams: agents.length })
        console.log(`${total} events of ${payload.length} bytes verified in ${(took / 1_000).toFixed(2)} s`)
        expectDuration("verification of 100,000 events", took, 2_000)
      }),
    120_000
  )
})

/** Five memories of two agents each, with command ids. */
const smallLog = (path: Folder) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    for (const name of ["ada", "Grace"]) {
      const { remember } = yield* daybook.agent(name, { trust: "full" })
      for (let index = 0; index < 5; index++) {
        yield* remember({ title: `${name} remembers ${index}` }, { commandId: `c-${index}`, reconcile: false })
      }
    }
  }).pipe(
    // Without vectors there are no events but those of the memories.
    Effect.provide(Default.layer({ folder: path, policy: defaults, vectorExtension: null }))
  )

const flip =
  (random: Random, from: number, to: number): Tamper =>
  (path) => {
    const file = join(path, "log.db")
    const bytes = readFileSync(file)
    const at = from + random.below(to - from)
    const mask = random.below(2) === 0 ? 1 << random.below(8) : 1 + random.below(255)
    bytes[at]! ^= mask
    writeFileSync(file, bytes)
    return `byte ${at} ^ ${mask}`
  }

let turn = 0

/** A new value in one column of one row: another number, another letter, nothing, or something where nothing was. */
const edit = (random: Random): Tamper =>
  editing(random, (db, row, column) => {
    const value = row[column]
    if (typeof value === "number") return value + random.pick([-1, 1, 1_000])!
    if (value === null) return random.pick(["x", 0, Buffer.from([1])])
    if (random.below(4) === 0 && nullable(db, column)) return null
    if (typeof value === "string") {
      const at = random.below(value.length + 1)
      return value.slice(0, at) + random.pick([" ", "é", "0"]) + value.slice(at + random.below(2))
    }
    const bytes = Buffer.from(value as Buffer)
    bytes[random.below(bytes.length)]! ^= 1 + random.below(255)
    return bytes
  })

/** The same bytes as another type, which SQLite keeps apart and a careless comparison does not. */
const retype = (random: Random): Tamper =>
  editing(random, (_, row, column) => {
    const value = row[column]
    if (value === null) return random.pick([0, "", Buffer.alloc(0)])
    if (value instanceof Uint8Array)
      return random.pick([Buffer.from(value).toString("latin1"), 5, Buffer.from(value).toString("hex")])
    return Buffer.from(String(value))
  })

const editing =
  (random: Random, change: (db: Db, row: Record<string, unknown>, column: string) => unknown): Tamper =>
  (path) =>
    withLog(path, (db) => {
      for (;;) {
        const row = randomRow(db, random)
        const column = columns[turn++ % columns.length]!
        const value = change(db, row, column)
        try {
          const sql = `UPDATE events SET ${column} = ? WHERE sequence = ? AND ${column} IS NOT ?`
          if (db.prepare(sql).run(value, row.sequence, value).changes === 1)
            return `${column} of ${row.sequence} := ${value}`
        } catch {
          // Taken by another row, or not allowed at all: the next column, then.
        }
      }
    })

const remove =
  (random: Random): Tamper =>
  (path) =>
    withLog(path, (db) => {
      const { sequence } = randomRow(db, random)
      db.prepare("DELETE FROM events WHERE sequence = ?").run(sequence)
      return `row ${sequence}`
    })

const swap =
  (random: Random): Tamper =>
  (path) =>
    withLog(path, (db) => {
      const column = ["payload", "sequence", "version"][turn++ % 3]!
      for (;;) {
        const a = randomRow(db, random)
        const b = randomRow(db, random)
        if (a[column] === b[column] || (column === "version" && a.stream !== b.stream)) continue
        const set = db.prepare(`UPDATE events SET ${column} = ? WHERE sequence = ?`)
        if (column === "sequence") {
          set.run(-1, a.sequence)
          set.run(a.sequence, b.sequence)
          set.run(b.sequence, -1)
        } else {
          set.run(column === "version" ? -1 : a[column], a.sequence)
          set.run(a[column], b.sequence)
          set.run(b[column], a.sequence)
        }
        return `${column} of ${a.sequence} and ${b.sequence}`
      }
    })

/** A copy of a row at the end of its stream, of another one, or of a new one. */
const insert =
  (random: Random): Tamper =>
  (path) =>
    withLog(path, (db) => {
      const row = randomRow(db, random)
      const stream = random.pick([String(row.stream), ...agents, "new"])!
      const version = db.prepare("SELECT ifnull(max(version), 0) + 1 FROM events WHERE stream = ?").pluck().get(stream)
      const sequence = db.prepare("SELECT max(sequence) + 1 FROM events").pluck().get()
      const copy = { ...row, stream, version, sequence, command_id: null, command_key: null }
      db.prepare(insertEvent).run(...toParams(fromRow(copy as unknown as EventRow)))
      return `copy of ${row.sequence} as ${version} of ${stream}`
    })

const cutTail = (db: Db, random: Random) => {
  const { stream } = randomRow(db, random)
  const heads = db.prepare("SELECT sequence, version FROM events WHERE stream = ? ORDER BY version DESC").all(stream)
  // One event, some, or all of them.
  const events = random.pick([1, 1 + random.below(10), heads.length])!
  const after = (heads as Array<{ version: number }>)[events]?.version ?? 0
  db.prepare("DELETE FROM events WHERE stream = ? AND version > ?").run(stream, after)
  return { stream: String(stream), events, after }
}

const cut =
  (random: Random): Tamper =>
  (path) =>
    withLog(path, (db) => {
      const { events, stream } = cutTail(db, random)
      const setBack = turn++ % 2 === 0
      if (setBack) db.exec("UPDATE sqlite_sequence SET seq = (SELECT max(sequence) FROM events) WHERE name = 'events'")
      return `${events} of ${stream}${setBack ? ", sequence set back" : ""}`
    })

/** In place of what was cut off comes something that chains. */
const cutAndAppend =
  (random: Random): Tamper =>
  (path) =>
    withLog(path, (db) => {
      const { after, events, stream } = cutTail(db, random)
      const last = db.prepare(`${selectEvents} WHERE stream = ? AND version = ?`).get(stream, after)
      let head = { stream, version: 0, hash: new Uint8Array(32), recordedAt: 0 }
      if (last !== undefined)
        head = {
          ...head,
          ...headAfter(head, [fromRow(last as EventRow)]),
          hash: new Uint8Array((last as EventRow).hash)
        }
      let sequence = Number(db.prepare("SELECT max(sequence) FROM events").pluck().get())
      const added = events + random.pick([-1, 0, 3])!
      const rows = [
        ...linkEvents(
          head,
          {
            actor: "somebody",
            events: Array.from({ length: Math.max(1, added) }, () => ({ type: "IMPORT", schema: 1, payload: "{}" }))
          },
          { now: Date.now(), commandKey: null, nextSequence: () => ++sequence }
        )
      ]
      for (const row of rows) db.prepare(insertEvent).run(...toParams(row))
      return `${events} of ${stream}, ${rows.length} added`
    })

const truncate =
  (random: Random, size: number): Tamper =>
  (path) => {
    const kind = turn++ % 4
    const to = kind === 0 ? 0 : kind === 1 ? Math.floor(random.below(size) / 4_096) * 4_096 : random.below(size)
    truncateSync(join(path, "log.db"), to)
    return `to ${to} of ${size} bytes`
  }

const randomRow = (db: Db, random: Random) => {
  const count = Number(db.prepare("SELECT count(*) FROM events").pluck().get())
  return db.prepare(`${selectEvents} ORDER BY sequence LIMIT 1 OFFSET ?`).get(random.below(count)) as Record<
    string,
    unknown
  >
}

const nullable = (db: Db, column: string) =>
  db.prepare(`SELECT "notnull" FROM pragma_table_info('events') WHERE name = ?`).pluck().get(column) === 0

const vocabulary = "tide harbour mooring buoy chart Zoë 日本語 naïve pilot rope 🜁 wind quay ledger".split(" ")

const words = (random: Random, count: number) =>
  Array.from({ length: count + 1 }, () => random.pick(vocabulary)).join(" ")
