import { createHash } from "node:crypto"
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import type Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { appendTo, copyLog, inProcess } from "./support/anchoredLog.js"
import { withLog } from "./support/dataFiles.js"
import { type Random, randomOf } from "./support/random.js"
import { lawRuns, rounds } from "./support/size.js"

/** Another run tries other places; `TEST_SEED` makes the choices of an earlier one again. */
const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000)
const agents = ["ada", "Grace", "日本"]

const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-folder-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const layerOf = (folder: string) => Default.layer({ folder, policy: defaults })

/** Memories with vectors, and schedules with timers. */
const fill = (folder: string) =>
  Effect.gen(function* () {
    const daybook = yield* Daybook
    for (const name of agents) {
      const memory = yield* daybook.agent(name, { trust: "full" })
      for (let index = 0; index < 12; index++) {
        yield* memory.remember(
          { title: `${name} remembers tide ${index}` },
          { commandId: `c-${index}`, reconcile: false }
        )
      }
      yield* memory.schedules.add({ goal: "look at the tide", every: 3_600_000 })
      yield* daybook.backfill(name)
    }
  }).pipe(Effect.provide(layerOf(folder)))

/** The events of each stream, and all timers; "unreadable" where SQLite cannot read them. */
const contentOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    [...agents, "timers"].map((name) => {
      try {
        return [name, withLog(folder, (db) => digestOf(db, name))]
      } catch {
        return [name, "unreadable"]
      }
    })
  )

const contentOfCopy = (folder: string): ReadonlyMap<string, string> => {
  const copy = `${folder} copied`
  copyLog(folder, copy)
  const content = contentOf(copy)
  rmSync(copy, { recursive: true })
  return content
}

const digestOf = (db: Database.Database, name: string): string => {
  if (name === "timers") return digestOfRows(db.prepare("SELECT * FROM timers ORDER BY stream").raw().all())
  const events = "WHERE stream = ? AND type <> 'NOTE' ORDER BY version"
  try {
    return digestOfRows(db.prepare(`SELECT * FROM events NOT INDEXED ${events}`).raw().all(name))
  } catch {
    // A page with events of other agents cannot be read. Those of this one may be what they were.
    return digestOfRows(db.prepare(`SELECT * FROM events ${events}`).raw().all(name))
  }
}

const digestOfRows = (rows: ReadonlyArray<unknown>): string => {
  const hash = createHash("sha256")
  for (const value of (rows as ReadonlyArray<ReadonlyArray<unknown>>).flat()) {
    hash.update(`${typeof value} ${Buffer.isBuffer(value) ? value.toString("hex") : value}\n`)
  }
  return hash.digest("hex")
}

/** Changes one of these files at a random place. */
const changeFile = (folder: string, random: Random, names: ReadonlyArray<string>): string => {
  const name = names[random.below(names.length)]!
  const file = join(folder, name)
  const bytes = readFileSync(file)
  const at = random.below(bytes.length)
  const length = 1 + random.below(64)
  switch (random.below(name === "log.db" ? 8 : 5)) {
    case 0:
      truncateSync(file, at)
      return `${name} cut to ${at}`
    case 1:
      writeFileSync(file, Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]))
      return `${name} without ${length} bytes at ${at}`
    case 2:
      writeFileSync(file, Buffer.concat([bytes, bytes.subarray(at, at + length)]))
      return `${name} with ${length} more bytes`
    case 3:
      rmSync(file)
      if (name === "log.db") writeFileSync(file, bytes)
      return name === "log.db" ? "log.db written anew" : `${name} deleted`
    default:
      bytes[at]! ^= 1 + random.below(255)
      writeFileSync(file, bytes)
      return `${name}: byte ${at}`
  }
}

/** Changes an agent's name at the place with this number in the file: in a row of the table, or in an index. */
const changeName = (folder: string, name: string, place: number): string => {
  const file = join(folder, "log.db")
  const bytes = readFileSync(file)
  const places: Array<number> = []
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) places.push(at)
  const at = places[(place * 7) % places.length]!
  bytes[at + 5]! ^= 1
  writeFileSync(file, bytes)
  return `log.db: the name at byte ${at}`
}

const statements = [
  "UPDATE events SET payload = replace(payload, 'tide', 'wind') WHERE stream = 'ada' AND version = 3",
  "DELETE FROM events WHERE stream = 'Grace' AND version = 5",
  "DELETE FROM events WHERE stream = '日本'",
  "DELETE FROM events WHERE stream = 'ada' AND version > 4",
  "UPDATE events SET actor = 'eve' WHERE version = 1",
  "CREATE TRIGGER planted AFTER INSERT ON events BEGIN UPDATE events SET actor = 'eve' WHERE version = 1; END",
  "CREATE VIEW planted AS SELECT * FROM events",
  "DROP INDEX events_command",
  "UPDATE sqlite_sequence SET seq = 1",
  "DELETE FROM sqlite_sequence",
  "UPDATE timers SET due = due + 1 WHERE stream = 'ada'",
  "DELETE FROM timers WHERE stream = 'Grace'",
  "INSERT INTO timers (stream, due) VALUES ('nobody', 1)",
  "UPDATE embeddings SET vector = zeroblob(length(vector)) WHERE rowid = 2",
  "UPDATE embeddings SET digest = randomblob(32) WHERE rowid = 3",
  "UPDATE installation SET id = 'another'",
  "UPDATE anchor_reference SET line = line - 1",
  "DELETE FROM anchor_reference",
  "DELETE FROM effect_sql_migrations WHERE migration_id = 3",
  "INSERT INTO events SELECT NULL, 'copy', version, type, schema, payload, salt, digest, hash, command_id, ordinal, request_digest, actor, cause, occurred_at, recorded_at, erased_at, chain, command_key, names FROM events WHERE stream = 'ada'"
]

/** Statements whose effect on other tables than events and timers nobody has to see. */
const isHarmless = (sql: string) => sql.includes("sqlite_sequence")

/** The next process writes to every agent, if the log lets it; another one verifies. */
const judge = (folder: string) =>
  Effect.gen(function* () {
    const copy = `${folder} copy`
    copyLog(folder, copy)
    const report = yield* Effect.either(
      Effect.provide(
        Effect.flatMap(Daybook, (daybook) => daybook.verify()),
        layerOf(copy)
      )
    )
    rmSync(copy, { recursive: true })
    const writable = new Set<string>()
    const writing = Effect.forEach(agents, (name) =>
      Effect.tap(Effect.either(appendTo(name)), (outcome) => {
        if (Either.isRight(outcome)) writable.add(name)
      })
    )
    yield* Effect.either(inProcess(folder, writing))
    const problems = Either.isLeft(report)
      ? [`cannot be opened: ${report.left.message}`]
      : report.right.problems.filter(({ stream }) => stream === null).map(({ what }) => what)
    return { problems: Either.isRight(report) && !report.right.ok ? ["damage", ...problems] : problems, writable }
  })

describe("a folder changed between two processes", () => {
  it.scopedLive(
    "is reported, or has the same events and timers; nothing is appended to a damaged log",
    () =>
      Effect.gen(function* () {
        const random = randomOf(seed)
        const root = yield* scratch
        const master = join(root, "master")
        yield* fill(master)
        const [path, missed, written]: [string, Array<string>, Array<string>] = [join(root, "changed"), [], []]
        const changes = [
          ...statements.map((sql) => ({
            sql,
            isKilled: false,
            change: (folder: string) => {
              withLog(folder, (db) => db.exec(sql))
              return sql
            }
          })),
          ...Array.from({ length: rounds({ quick: 6, full: 60, ci: 12 }) }, (_, place) => ({
            sql: "",
            isKilled: false,
            change: (folder: string) => changeName(folder, "日本", place)
          })),
          ...Array.from({ length: lawRuns({ quick: 30, full: 1_000 }) }, () => ({
            sql: "",
            isKilled: false,
            change: (folder: string) => changeFile(folder, random, ["log.db", "log.db", "anchor.log"])
          })),
          ...Array.from({ length: lawRuns({ quick: 10, full: 300 }) }, () => ({
            sql: "",
            isKilled: true,
            change: (folder: string) => changeFile(folder, random, ["log.db-wal", "log.db-wal", "log.db-shm"])
          }))
        ]
        let reports = 0
        for (const { change, isKilled, sql } of changes) {
          copyLog(master, path)
          const killed = `${path} by a process that was killed`
          // The copy is a folder that a process left in order, and whose marks count.
          yield* inProcess(
            path,
            Effect.zipRight(
              Effect.forEach(agents, (name) => appendTo(name)),
              Effect.sync(() => cpSync(path, killed, { recursive: true }))
            )
          )
          if (isKilled) {
            rmSync(path, { recursive: true })
            renameSync(killed, path)
          } else rmSync(killed, { recursive: true })
          const before = isKilled ? contentOfCopy(path) : contentOf(path)
          const what = change(path)
          const after = contentOfCopy(path)
          const differing = [...before.keys()].filter((name) => before.get(name) !== after.get(name))
          const { problems, writable } = yield* judge(path)
          if (problems.length > 0) reports++
          else if (differing.length > 0 || (sql !== "" && !isHarmless(sql))) missed.push(`${what}: ${differing}`)
          const stopsAll = problems.some((problem) => /the anchor|the schema|cannot be opened/.test(problem))
          for (const name of writable) if (stopsAll || differing.includes(name)) written.push(`${what}: ${name}`)
          rmSync(path, { recursive: true })
        }
        console.log(
          `${changes.length} changes of the log, its anchor, its write-ahead log and its shared memory (seed ${seed}): ${reports} reported, ` +
            `${missed.length} missed, ${written.length} written on`
        )
        expect({ missed, written }).toEqual({ missed: [], written: [] })
      }),
    900_000
  )
})
