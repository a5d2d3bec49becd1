import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type Append, EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { StorageError, storageError } from "../events/errors.js"
import { makeFolder } from "../events/folder.js"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { bundle } from "./support/bundle.js"
import type { FullReport, ResumedReport, WriterOptions } from "./support/crashWriter.js"
import { expectDuration } from "./support/size.js"

const scratch = mkdtempSync(join(tmpdir(), "daybook-storage-"))
const children = new Set<ChildProcess>()
let program: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  program = await bundle("crashWriter")
})

afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  program.remove()
  rmSync(scratch, { recursive: true, force: true })
})

const daybookOn = (folder: string) => Default.layer({ folder, policy: defaults })

/** Starts a writer that may make no file larger than so many KiB, and reads its answers line by line. */
const startLimited = (options: WriterOptions, kibibytes: number) => {
  // Only the soft limit: it can be lifted again.
  const line = `ulimit -S -f ${kibibytes}; exec "$0" "$@"`
  const child = spawn("bash", ["-c", line, process.execPath, program.file, JSON.stringify(options)])
  children.add(child)
  child.stderr.pipe(process.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const gone = new Promise<number | null>((resolve) => child.once("close", resolve))
  return { child, gone, next: async () => JSON.parse((await lines.next()).value ?? "null") }
}

const liftLimit = (pid: number | undefined) =>
  spawnSync("prlimit", ["--pid", String(pid), "--fsize=unlimited"]).status === 0

describe("a full disk", () => {
  const fillUp = async (mode: "fill" | "fill log", kibibytes: number, count: number) => {
    const folder = join(scratch, `${mode}-${kibibytes}`)
    const options: WriterOptions = { mode, folder, agents: ["one"], name: "a", journal: "", count }
    const { child, gone, next } = startLimited(options, kibibytes)
    const full = (await next()) as FullReport
    expect(full.refused).toMatchObject({ _tag: "StorageError", kind: "full" })
    expect(full.answered).toBeGreaterThan(3)
    const largest = largestIn(folder)
    // The disk was full indeed, and the writer noticed no earlier than it had to.
    expect(largest).toBeGreaterThan(kibibytes * 1_024 * 0.8)
    expect(largest).toBeLessThanOrEqual(kibibytes * 1_024)
    const lifted = liftLimit(child.pid)
    if (lifted) child.stdin.write("\n")
    else {
      console.log("the limit could not be lifted under way (no prlimit): only a new process was seen to resume")
      child.stdin.end()
      child.kill("SIGKILL")
    }
    const resumed = lifted ? ((await next()) as ResumedReport) : undefined
    if (resumed !== undefined) expect(await gone).toBe(0)
    console.log(
      `${mode}, files of ${kibibytes} KiB at most: ${full.answered} answered, refused as ${JSON.stringify(full.refused)}, ` +
        `${full.failures} of 5 refused again, ${JSON.stringify(full.readable)} readable while full; ` +
        (resumed === undefined
          ? "not resumed"
          : `${resumed.failures} of 5 refused once there was space, ${JSON.stringify(resumed.readable)} of ${resumed.answered.length} readable`)
    )
    return { folder, full, resumed }
  }

  it("refuses writes with a typed error, allows reads, and allows writes once there is space", async () => {
    for (const kibibytes of [300, 2_048]) {
      const { folder, full, resumed } = await fillUp("fill log", kibibytes, 9_000)
      expect(full.readable).toBe(full.answered)
      if (resumed !== undefined) {
        expect(resumed.failures).toBe(0)
        expect(resumed.readable).toBe(resumed.answered.length)
      }
      const found = await Effect.runPromise(
        Effect.provide(
          Effect.flatMap(EventLog, (log) => log.read("one", { after: 0, limit: 10_000 })),
          EventLogSqlite.layer(folder)
        )
      )
      // Nothing that was refused is there either.
      expect(found.length).toBe(resumed?.answered.length ?? full.answered)
    }
  }, 120_000)

  it("loses no acknowledged memory, keeps them readable, and allows new ones once there is space", async () => {
    for (const kibibytes of [600, 2_048]) {
      const { folder, full, resumed } = await fillUp("fill", kibibytes, 4_000)
      // The last one may be in the log alone: the view shows it once there is room for it.
      expect(full.readable).toBeGreaterThanOrEqual(full.answered - 1)
      if (resumed !== undefined) {
        expect(resumed.failures).toBe(0)
        expect(resumed.readable).toBe(resumed.answered.length)
      }
      const { lost, more, problems } = await Effect.runPromise(
        Effect.gen(function* () {
          const daybook = yield* Daybook
          const { get, remember } = yield* daybook.agent("one", { trust: "full" })
          const answered = resumed?.answered ?? []
          const found = yield* Effect.forEach(answered, (id) => Effect.map(get([id]), (memories) => memories.length))
          const { outcome } = yield* remember({ title: "one more" })
          return {
            lost: found.filter((count) => count !== 1).length,
            more: outcome,
            problems: (yield* daybook.verify()).problems
          }
        }).pipe(Effect.provide(daybookOn(folder)))
      )
      expect({ lost, more, problems }).toEqual({ lost: 0, more: "added", problems: [] })
    }
  }, 120_000)

  it("is distinguished from other failures by the code of SQLite or the system", () => {
    const kindOf = (code: string) => storageError("log.db")(Object.assign(new Error("x"), { code })).kind
    expect(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "ENOSPC", "EDQUOT", "EFBIG"].map(kindOf)).toEqual(
      Array(5).fill("full")
    )
    expect(["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"].map(kindOf)).toEqual(Array(3).fill("busy"))
    expect(["SQLITE_CORRUPT", "SQLITE_CORRUPT_VTAB", "SQLITE_NOTADB"].map(kindOf)).toEqual(Array(3).fill("damaged"))
    expect(["SQLITE_READONLY", "SQLITE_CANTOPEN", "EACCES", "EROFS"].map(kindOf)).toEqual(Array(4).fill("readonly"))
    expect(["SQLITE_ERROR", "SQLITE_CONSTRAINT"].map(kindOf)).toEqual(Array(2).fill("failed"))
  })
})

describe("the data folder", () => {
  it("is created with its parents, for its owner only, and an existing one stays unchanged", () => {
    const folder = join(scratch, "made", "level", "by level")
    makeFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(scratch, "made")).mode & 0o777).toBe(0o700)
    chmodSync(folder, 0o755)
    makeFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o755)
  })

  it("is named in the error if it cannot be created", () => {
    const file = join(scratch, "a file")
    writeFileSync(file, "")
    symlinkSync(join(scratch, "loop"), join(scratch, "loop"))
    for (const folder of [file, join(file, "below"), "/proc/none", "/proc/none/below", join(scratch, "loop", "x")]) {
      let thrown: unknown
      try {
        makeFolder(folder)
      } catch (cause) {
        thrown = cause
      }
      expect(thrown).toBeInstanceOf(StorageError)
      expect(thrown).toMatchObject({ kind: "nofolder", where: `folder ${folder}` })
    }
  })
})

describe("a log that another process keeps locked", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(scratch, "locked-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

  /** Holds the write lock of a file until it is let go. */
  const lock = (path: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const db = new Database(path)
        db.exec("BEGIN IMMEDIATE")
        return { release: () => db.inTransaction && db.exec("COMMIT"), db }
      }),
      ({ db }) => Effect.sync(() => db.close())
    )

  /** Counts what a timer of 10 ms gets to do, and the longest time that it had to wait. */
  const ticking = Effect.acquireRelease(
    Effect.sync(() => {
      const state = { ticks: 0, longest: 0, last: performance.now(), timer: undefined as NodeJS.Timeout | undefined }
      state.timer = setInterval(() => {
        const now = performance.now()
        state.ticks++
        state.longest = Math.max(state.longest, now - state.last)
        state.last = now
      }, 10)
      return state
    }),
    ({ timer }) => Effect.sync(() => clearInterval(timer))
  )

  const append = (commandId: string): Append => ({
    stream: "one",
    expected: "any",
    now: Date.now(),
    commands: [{ commandId, request: "", actor: "test", events: [{ type: "NOTE", schema: 1, payload: "{}" }] }]
  })

  it.scopedLive("for 300 ms: a write waits and succeeds, and other work continues meanwhile", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append(append("before"))
        const { release } = yield* lock(join(path, "log.db"))
        const ticks = yield* ticking
        const start = performance.now()
        const waiting = yield* Effect.fork(log.append(append("while locked")))
        const reading = yield* Effect.fork(log.head("one"))
        expect((yield* Fiber.join(reading)).version).toBe(1)
        yield* Effect.sleep("300 millis")
        expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
        release()
        const [answer] = yield* Fiber.join(waiting)
        const waited = performance.now() - start
        expect(answer).toMatchObject({ repeated: false, events: [{ version: 2 }] })
        console.log(
          `locked for 300 ms: written after ${waited.toFixed(0)} ms, ${ticks.ticks} ticks, longest pause ${ticks.longest.toFixed(0)} ms`
        )
        expect(ticks.ticks).toBeGreaterThanOrEqual(5)
        expectDuration("longest pause of the event loop while another process locks the log", ticks.longest, 40)
      }).pipe(Effect.provide(EventLogSqlite.layer(path)))
    })
  )

  it.scopedLive("for 300 ms: memories are written once it is free, and reads continue", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.gen(function* () {
        const daybook = yield* Daybook
        const { list, remember } = yield* daybook.agent("one", { trust: "full" })
        yield* remember({ title: "before" })
        yield* daybook.backfill("one")
        const { release } = yield* lock(join(path, "log.db"))
        const waiting = yield* Effect.fork(remember({ title: "while locked" }))
        for (let times = 0; times < 10; times++) {
          expect((yield* list()).map(({ title }) => title)).toEqual(["before"])
          yield* Effect.sleep("30 millis")
        }
        release()
        expect((yield* Fiber.join(waiting)).outcome).toBe("added")
        expect((yield* list()).length).toBe(2)
      }).pipe(Effect.provide(daybookOn(path)))
    })
  )

  it.scopedLive(
    "for longer than 10 s: the write fails as busy, and the next one succeeds",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append(append("before"))
          const { release } = yield* lock(join(path, "log.db"))
          const ticks = yield* ticking
          const start = performance.now()
          const error = yield* Effect.flip(log.append(append("too late")))
          const waited = performance.now() - start
          expect(error).toBeInstanceOf(StorageError)
          expect({ ...error }).toMatchObject({ kind: "busy", where: "log.db", code: "SQLITE_BUSY" })
          console.log(
            `locked for good: refused after ${waited.toFixed(0)} ms, ${ticks.ticks} ticks, longest pause ${ticks.longest.toFixed(0)} ms`
          )
          expect(waited).toBeGreaterThan(9_000)
          expectDuration("refusal of a write while another process locks the log", waited, 10_000, 20_000)
          expect(ticks.ticks).toBeGreaterThan(50)
          release()
          expect((yield* log.append(append("after")))[0]).toMatchObject({ events: [{ version: 2 }] })
          expect((yield* log.read("one", { after: 0, limit: 10 })).map(({ commandId }) => commandId)).toEqual([
            "before",
            "after"
          ])
        }).pipe(Effect.provide(EventLogSqlite.layer(path)))
      }),
    60_000
  )
})

const largestIn = (folder: string): number =>
  existsSync(folder)
    ? Math.max(
        ...readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
      )
    : 0
