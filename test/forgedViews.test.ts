import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { afterImages } from "../events/catalogue.js"
import { Reconciler } from "../src/ports/Reconciler.js"
import { fresh, open } from "./support/engine.js"
import { rounds, yieldToTimers } from "./support/size.js"

const agent = "coop"
const dayMillis = 86_400_000
const start = Date.parse("2026-03-14T06:00:00Z")
type System = Effect.Effect.Success<ReturnType<typeof open>>

/** Merges every statement into the most similar memory. */
const merging = Layer.succeed(Reconciler, {
  name: "merging",
  judge: () => ({
    verdict: { action: "UPDATE", target: 0, reason: "more of it" },
    by: { kind: "rule", name: "merging" },
    sure: true
  })
})

const viewFile = (folder: string) => {
  const views = join(folder, "views", agent)
  return join(views, readFileSync(join(views, "current"), "utf8"))
}

const edit = <A>(folder: string, use: (db: BetterSqlite3.Database) => A): A => {
  const db = new BetterSqlite3(viewFile(folder), { timeout: 1_000 })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

const payloads = (daybook: System, after: number) =>
  Effect.map(Stream.runCollect(daybook.log(agent, after)), (events) =>
    Chunk.toReadonlyArray(events).map(({ payload, recordedAt, type, version }) => ({
      version,
      type,
      recordedAt,
      text: JSON.stringify(payload)
    }))
  )

const topics = ["harbour", "kettle"]
const fieldsOf = (topic: string, index: number) => ({
  title: `The ${topic} opens at ${index} on weekdays`,
  facts: [`${topic} fact ${index}`]
})

/** An agent with memories of each tier, some archived, turns with a summary, a file and a schedule. */
const story = (daybook: System) =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full" })
    for (const [index, topic] of topics.entries()) {
      yield* memory.remember({ ...fieldsOf(topic, index), narrative: `${topic} `.repeat(40) }, { reconcile: false })
      yield* memory.remember(
        { title: `note on the ${topic} of old`, tier: "mid", source: { kind: "auto" } },
        { reconcile: false }
      )
    }
    const [oldest] = yield* memory.list({ limit: 1, offset: 2 })
    yield* memory.update(oldest!.id, { importance: 0.4 })
    for (const text of ["Could you fix the pier?", "We decided to fix the pier on Monday.", "Done."]) {
      yield* memory.sessions.append({ session: "pier", text, role: text === "Done." ? "assistant" : "user" })
    }
    yield* memory.files.add({ path: "notes.md", text: "# Pier\n\nIt is made of oak.", session: "pier" })
    yield* memory.scratchpad.write("pier", ["goal: mend the pier"])
    yield* memory.notes.save({ content: "The pier is made of oak.\nIt was built in 1901." })
    yield* memory.schedules.add({ goal: "look after the pier", handler: "note", every: 3_600_000 })
    yield* TestClock.adjust(40 * dayMillis)
    yield* memory.maintenance.run()
    yield* memory.sessions.append({ session: "pier", text: "Is the oak dry?", role: "user" })
    return memory
  })

/** Everything that may write an event from what a view says. A command may fail, but only with a typed error. */
const useAll = (memory: Effect.Effect.Success<ReturnType<typeof story>>, round: number) =>
  Effect.gen(function* () {
    const failures: Array<string> = []
    const attempt = <A, E>(what: string, effect: Effect.Effect<A, E>) =>
      Effect.flatMap(Effect.exit(effect), (exit) =>
        Effect.sync(() => {
          if (exit._tag === "Failure" && Cause.isDie(exit.cause)) failures.push(`${what}: ${Cause.pretty(exit.cause)}`)
          return exit._tag === "Success" ? exit.value : undefined
        })
      )
    for (const [index, topic] of topics.entries()) {
      yield* attempt("repeat", memory.remember(fieldsOf(topic, index), { reconcile: false }))
    }
    for (const { id } of (yield* attempt("list", memory.list({ limit: 2 }))) ?? []) {
      yield* attempt("update", memory.update(id, { importance: ((round % 9) + 1) / 10 }))
    }
    for (const topic of topics) {
      yield* attempt("merge", memory.remember({ title: `The ${topic} opens at ${round} on holidays`, facts: [] }))
    }
    yield* attempt("turn", memory.sessions.append({ session: "pier", text: `word ${round}`, role: "user" }))
    yield* attempt("file", memory.files.add({ path: "notes.md", text: `# Pier ${round}`, session: "pier" }))
    yield* attempt("scratchpad", memory.scratchpad.write("pier", [`goal ${round}`]))
    for (const { id } of (yield* attempt("notes", memory.notes.list({ limit: 1 }))) ?? []) {
      yield* attempt("note", memory.notes.update(id, { tags: [`t${round % 7}`] }))
    }
    for (const { id } of (yield* attempt("schedules", memory.schedules.list())) ?? []) {
      yield* attempt("schedule", memory.schedules.update(id, { keep: (round % 5) + 1 }))
    }
    for (const { id } of ((yield* attempt("archive", memory.archive.list())) ?? []).slice(0, 1)) {
      yield* attempt("restore", memory.archive.restore(id))
    }
    yield* TestClock.adjust(2 * dayMillis)
    yield* attempt("maintenance", memory.maintenance.run())
    const [last] = (yield* attempt("list", memory.list({ limit: 1 }))) ?? []
    if (last !== undefined) yield* attempt("forget", memory.forget(last.id))
    return failures
  })

describe("a view with edited rows", () => {
  const count = rounds({ quick: 8, full: 200, ci: 24 })
  const perFolder = 20
  const latest = start + 1_000_000 * dayMillis
  it.scoped(`never reaches the log: ${count} edits of random columns in random tables`, () =>
    Effect.gen(function* () {
      const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000)
      const choices = fc.sample(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), { numRuns: count, seed })
      const edited = new Set<string>()
      let events = 0
      // A folder for some of them: the cost of a round grows with the log.
      for (let first = 0; first < count; first += perFolder) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* TestClock.setTime(start)
            const { daybook, folder } = yield* fresh({ reconciler: merging })
            const memory = yield* story(daybook)
            for (const [index, choice] of choices.slice(first, first + perFolder).entries()) {
              const round = first + index
              const mark = `forged${round}x`
              const number = 7_100_000_000_000 + round
              const what = edit(folder, (db) => forge(db, choice, mark, number))
              edited.add(what)
              const where = `${what} (round ${round}, seed ${seed})`
              const { version } = (yield* daybook.agents)[0]!
              expect(yield* useAll(memory, round), where).toEqual([])
              for (const { recordedAt, text, type, version: at } of yield* payloads(daybook, version)) {
                const isForged = text.includes(mark) || text.includes(String(number)) || recordedAt > latest
                expect(isForged ? text : "", `${type} ${at} after ${where}`).toBe("")
              }
              // Edits add up: a rebuild takes longer than all that is done between two of them.
              if (index % 4 === 3) yield* daybook.rebuild(agent)
              yield* yieldToTimers
            }
            const verified = yield* daybook.verify(undefined, { views: true })
            expect(verified.problems).toEqual([])
            events += verified.events
          })
        )
      }
      console.log(`${count} edits in ${edited.size} columns (seed ${seed}): 0 forged fields in ${events} events`)
    })
  )

  it.scoped("gets no summary of a parked conversation, whose rows lack later events", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { daybook, folder } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.sessions.append({ session: "pier", text: "We decided to fix the pier on Monday.", role: "user" })
      edit(folder, (db) =>
        db.exec(
          `UPDATE turns SET born = 7100000000111; UPDATE projections SET parked_at = 1, reason = 'a fault' WHERE name = 'conversation'`
        )
      )
      yield* TestClock.adjust(dayMillis)
      yield* memory.maintenance.run({ stages: ["sessions"] })
      expect(yield* memory.sessions.summarize("pier")).toMatchObject([{ outcome: "skipped" }])
      const events = yield* payloads(daybook, 0)
      expect(events.filter(({ type }) => type === "SUMMARIZE")).toEqual([])
    })
  )

  it.scoped("gives a memory the text of no other row", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh({ reconciler: merging })
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const red = yield* memory.remember({ title: "The gate is red" })
      yield* memory.remember({ title: "The wall is white" })
      const forgeries = [
        "$.born', (SELECT born FROM observations WHERE title = 'The wall is white')",
        "$.born', (SELECT max(version) + 1 FROM changes)"
      ]
      for (const [index, forgery] of forgeries.entries()) {
        edit(folder, (db) =>
          db.exec(
            `UPDATE observations SET memory = json_set(memory, '$.narrative', 'forged', '${forgery}) WHERE id = '${red.id}'`
          )
        )
        expect(yield* memory.remember({ title: "The gate is red" })).toMatchObject({ outcome: "duplicate" })
        yield* memory.update(red.id, { importance: index / 10 })
      }
      const events = yield* payloads(daybook, 0)
      expect(events.filter(({ text }) => text.includes("forged"))).toEqual([])
      expect((yield* daybook.verify(agent, { views: true })).problems).toEqual([])
    })
  )

  it.scoped("is compared with the log's newest event of a memory, not with the event that the view names", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      const { id } = yield* memory.remember({ title: "The gate is red", facts: ["one"] })
      yield* memory.update(id, { narrative: "It was painted." })
      const before = edit(folder, (db) => db.prepare("SELECT * FROM observations").get() as Record<string, unknown>)
      yield* memory.update(id, { narrative: "It was painted again." })
      // The row as it was before the last change, with everything in the view that names that change.
      edit(folder, (db) => {
        const columns = Object.keys(before)
        db.prepare(`UPDATE observations SET ${columns.map((name) => `${name} = @${name}`).join(", ")}`).run(before)
        db.prepare("DELETE FROM changes WHERE version > ?").run(before.changed)
      })
      expect((yield* memory.get([id]))[0]!.narrative).toBe("It was painted.")
      yield* memory.remember({ title: "The gate is red", facts: ["one"] })
      expect((yield* memory.get([id]))[0]).toMatchObject({ narrative: "It was painted again.", mentions: 2 })
      const [last] = Chunk.toReadonlyArray(yield* Stream.runCollect(daybook.log(agent, 3)))
      expect(afterImages(last as never)).toMatchObject([{ narrative: "It was painted again.", revision: 4 }])
    })
  )

  it.scoped("is reported by verify and by a comparison, and repaired by a rebuild", () =>
    Effect.gen(function* () {
      const { daybook, folder } = yield* fresh()
      const memory = yield* daybook.agent(agent, { trust: "full" })
      yield* memory.remember({ title: "The gate is red", people: ["Ada"] })
      const { version } = (yield* daybook.agents)[0]!
      expect(yield* daybook.compareView(agent)).toEqual({ agent, version, equal: true, differences: [] })
      edit(folder, (db) => {
        db.exec("UPDATE observations SET title = 'The gate is blue'; DELETE FROM changes")
        db.exec("CREATE TRIGGER planted AFTER INSERT ON observations BEGIN DELETE FROM people; END")
      })
      const differences = ["schema", "observations", "history"]
      expect(yield* daybook.compareView(agent)).toEqual({ agent, version, equal: false, differences })
      expect((yield* daybook.compareView(agent, ["people"])).differences).toEqual(["schema"])
      expect(yield* daybook.verify(agent)).toMatchObject({ ok: true })
      const what = `the view differs from the log in ${differences.join(", ")}: run 'daybook rebuild' for this agent`
      expect(yield* daybook.verify(agent, { views: true })).toMatchObject({
        ok: false,
        problems: [{ stream: agent, version: null, what }]
      })
      yield* daybook.rebuild(agent)
      expect(yield* daybook.verify(undefined, { views: true })).toMatchObject({ ok: true, problems: [] })
    })
  )
})

describe("an unusable view", () => {
  const root = mkdtempSync(join(tmpdir(), "daybook-forged-"))
  const template = join(root, "template")
  let copies = 0
  /** A new data folder with two memories, which no process has open. */
  const written = (): string => {
    const folder = join(root, String(++copies))
    cpSync(template, folder, { recursive: true })
    return folder
  }
  beforeAll(() =>
    Effect.gen(function* () {
      const memory = yield* (yield* open(template)).agent(agent, { trust: "full" })
      yield* memory.remember({ title: "The gate is red" })
      yield* memory.remember({ title: "The wall is white" })
    }).pipe(Effect.scoped, Effect.runPromise)
  )
  afterAll(() => rmSync(root, { recursive: true }))

  const noFiles: ReadonlyArray<readonly [what: string, make: (pointer: string) => void]> = [
    ["a folder", mkdirSync],
    ["a link to itself", (pointer) => symlinkSync("current", pointer)],
    ["a link to a folder", (pointer) => symlinkSync(".", pointer)],
    ["a named pipe", (pointer) => execFileSync("mkfifo", [pointer])]
  ]
  it.scoped.each(noFiles)("with a pointer that is %s fails with a remedy", ([, make]) =>
    Effect.gen(function* () {
      const folder = written()
      const pointer = join(folder, "views", agent, "current")
      rmSync(pointer)
      make(pointer)
      const memory = yield* (yield* open(folder)).agent(agent, { trust: "full" })
      for (const use of [Effect.asVoid(memory.list()), Effect.asVoid(memory.remember({ title: "The gate is red" }))]) {
        const error = yield* Effect.flip(use)
        expect(error).toMatchObject({ _tag: "StorageError", kind: "failed", code: "NOT_A_FILE" })
        expect(error.message).toContain(`cannot read ${pointer}, which must be a file: remove it`)
      }
      rmSync(pointer, { recursive: true })
      expect(yield* memory.list()).toHaveLength(2)
    })
  )

  const pointers: ReadonlyArray<readonly [what: string, name: (current: string) => string | Buffer | undefined]> = [
    ["is missing", () => undefined],
    ["is empty", () => ""],
    ["is rubbish", () => randomBytes(200)],
    ["is a large file", () => randomBytes(2 ** 20)],
    ["names its own folder", () => "."],
    ["names the log", () => "../../log.db"],
    ["names a file that is gone", (current) => current.replace(/^./, "z")],
    ["names a folder", () => "folder.1.db"]
  ]
  it.scoped.each(pointers)("with a pointer that %s is rebuilt", ([, contentOf]) =>
    Effect.gen(function* () {
      const folder = written()
      const pointer = join(folder, "views", agent, "current")
      mkdirSync(join(folder, "views", agent, "folder.1.db"))
      const content = contentOf(readFileSync(pointer, "utf8"))
      if (content === undefined) rmSync(pointer)
      else writeFileSync(pointer, content)
      const memory = yield* (yield* open(folder)).agent(agent, { trust: "full" })
      expect(yield* memory.list()).toHaveLength(2)
      expect(existsSync(viewFile(folder))).toBe(true)
    })
  )

  const edits = [
    "UPDATE view SET retired = 1",
    "UPDATE view SET position = 0",
    "UPDATE view SET position = 1",
    "UPDATE view SET position = 9000",
    "UPDATE view SET position = 'x'",
    "UPDATE view SET hash = zeroblob(32)",
    "UPDATE view SET hash = 'x'",
    "UPDATE view SET recorded_at = 9000000000000",
    "DELETE FROM view",
    "DELETE FROM projections",
    "UPDATE projections SET version = 900",
    "UPDATE projections SET parked_at = 2",
    "UPDATE projections SET parked_at = 'x', reason = 'x'",
    "UPDATE observations SET memory = 'no JSON'"
  ]
  const all = [true, false].flatMap((isOpen) => (["write", "read"] as const).map((first) => ({ isOpen, first })))
  it.scoped.each(edits.map((text, index) => [text, index] as const))(
    "because of %s, is built again by what comes first",
    ([text, index]) =>
      Effect.gen(function* () {
        for (const { first, isOpen } of rounds({ quick: [all[index % 4]!], full: all })) {
          // What a process has opened it does not ask for its version again.
          if (isOpen && text.includes("projections") && !text.includes("parked_at")) continue
          const folder = written()
          const opened = yield* open(folder)
          const handle = yield* opened.agent(agent, { trust: "full" })
          if (isOpen) yield* handle.remember({ title: "The door is green" })
          edit(folder, (db) => db.exec(text))
          if (first === "read")
            expect(yield* handle.get((yield* handle.list()).map(({ id }) => id))).toHaveLength(isOpen ? 3 : 2)
          expect(yield* handle.remember({ title: "The wall is white" })).toMatchObject({ outcome: "duplicate" })
          expect(yield* opened.compareView(agent)).toMatchObject({ equal: true })
          expect(
            (yield* Stream.runCollect(opened.log(agent))).pipe(Chunk.every(({ recordedAt }) => recordedAt < 8e12))
          ).toBe(true)
        }
      })
  )
})

/** Changes one column of one row of a view. Says which one. */
const forge = (
  db: BetterSqlite3.Database,
  [tableChoice, columnChoice, rowChoice, wayChoice]: readonly [number, number, number, number],
  mark: string,
  number: number
): string => {
  const tables = (
    db
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
          ORDER BY name`
      )
      .pluck()
      .all() as ReadonlyArray<string>
  ).filter((name) => db.prepare(`SELECT 1 FROM "${name}"`).get() !== undefined)
  // Half of the edits are of what commands start from.
  const based = tables.filter((name) =>
    ["observations", "archive", "turns", "sessions", "files", "summaries", "scratchpads", "schedules", "view"].includes(
      name
    )
  )
  const chosen = wayChoice % 2 === 0 ? based : tables
  const table = chosen[tableChoice % chosen.length]!
  const rows = db.prepare(`SELECT * FROM "${table}"`).all() as ReadonlyArray<Record<string, unknown>>
  const row = rows[rowChoice % rows.length]!
  const columns = Object.keys(row)
  for (let offset = 0; offset < columns.length; offset++) {
    const column = columns[(columnChoice + offset) % columns.length]!
    const value = forgedValue(row[column], mark, number, wayChoice)
    const where = columns.map((name) => `"${name}" IS @${name}`).join(" AND ")
    try {
      const changed = db.prepare(`UPDATE "${table}" SET "${column}" = @forged WHERE ${where}`)
      if (changed.run({ ...row, forged: value }).changes > 0) return `${table}.${column}`
    } catch {
      // Not allowed in this column.
    }
  }
  return "nothing"
}

const forgedValue = (value: unknown, mark: string, number: number, way: number): unknown => {
  if (typeof value === "number") return number
  if (value === null) return way % 3 === 0 ? number : mark
  if (typeof value !== "string") return Buffer.from(mark)
  if (!/^[[{]/.test(value) || way % 5 === 4) return mark
  // One string or number somewhere in the JSON.
  const parts = [...value.matchAll(/"[^"]*"(?!:)|(?<=[:,[])\d+/g)]
  const part = parts[way % Math.max(1, parts.length)]
  if (part === undefined) return mark
  const forged = part[0].startsWith('"') ? JSON.stringify(mark) : String(number)
  return value.slice(0, part.index) + forged + value.slice(part.index + part[0].length)
}
