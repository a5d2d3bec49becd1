import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { maxAnchorBytes } from "../events/Anchor.js"
import { formatLine } from "../events/anchorLines.js"
import { EventLog } from "../events/EventLog.js"
import { selectHeadsSince } from "../events/heads.js"
import { walCheckpointPages } from "../events/sqlite.js"
import {
  anchorLines,
  appendTo,
  copyLog,
  inProcess,
  onAnchorLine,
  verified,
  writeAnchor
} from "./support/anchoredLog.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-anchor-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Two agents and some lines. */
const written = Effect.gen(function* () {
  const path = join(yield* folder, "data")
  yield* inProcess(path, Effect.all([appendTo("ada", 3), appendTo("Grace"), appendTo("ada", 2), appendTo("Grace", 2)]))
  return path
})

const count = (path: string): number => withDb(path, (db) => db.prepare("SELECT count(*) FROM events").pluck().get())

const countOf = (path: string, stream: string): number =>
  withDb(path, (db) => db.prepare("SELECT count(*) FROM events WHERE stream = ?").pluck().get(stream))

const withDb = <A>(path: string, use: (db: Database.Database) => A | unknown): A => {
  const db = new Database(join(path, "log.db"))
  try {
    return use(db) as A
  } finally {
    db.close()
  }
}

const logSize = (path: string): number => statSync(join(path, "log.db")).size

/** The anchor lines that a process adds. */
const linesOfProcess = <A, E>(path: string, work: Effect.Effect<A, E, EventLog>) =>
  Effect.gen(function* () {
    const before = anchorLines(path).length
    yield* inProcess(path, work)
    return anchorLines(path).slice(before)
  })

/** The next process refuses to write to any stream, says why, reads on, and verification reports it. */
const expectRefused = (path: string, problem: string) =>
  Effect.gen(function* () {
    const before = existsSync(join(path, "anchor.log")) ? readFileSync(join(path, "anchor.log")) : null
    const events = count(path)
    const readable = countOf(path, "ada")
    yield* inProcess(
      path,
      Effect.gen(function* () {
        const log = yield* EventLog
        for (const stream of ["ada", "Grace", "new"]) {
          const error = yield* Effect.flip(appendTo(stream))
          expect(error).toMatchObject({ _tag: "StorageError", kind: "damaged", code: "ANCHOR_DAMAGED" })
          expect(error.message).toContain("verify --accept DIGEST")
        }
        expect((yield* log.read("ada", { after: 0, limit: 10 })).length).toBe(readable)
        const { ok, problems } = yield* verified()
        expect(ok).toBe(false)
        expect(problems.map(({ what }) => what).join("; ")).toContain(problem)
      })
    )
    // Evidence is left as it is.
    expect(existsSync(join(path, "anchor.log")) ? readFileSync(join(path, "anchor.log")) : null).toEqual(before)
    expect(count(path)).toBe(events)
  })

/** The next process writes, and the log is sound before and after. */
const expectWritable = (path: string, repair?: string) =>
  inProcess(
    path,
    Effect.gen(function* () {
      expect((yield* verified()).problems).toEqual([])
      yield* appendTo("ada")
      const { problems, repairs } = yield* verified()
      expect(problems).toEqual([])
      if (repair !== undefined) expect(repairs.join("; ")).toContain(repair)
    })
  )

describe("a damaged anchor stops every stream", () => {
  const other = Effect.map(written, (path) => readFileSync(join(path, "anchor.log"), "utf8"))
  const cases: ReadonlyArray<readonly [what: string, problem: string, damage: (path: string) => void]> = [
    ["deleted", "is missing", (path) => rmSync(join(path, "anchor.log"))],
    ["emptied", "first line is damaged", (path) => truncateSync(join(path, "anchor.log"), 0)],
    ["cut to its first line", "was cut", (path) => writeAnchor(path, anchorLines(path).slice(0, 1))],
    ["cut before the line that the log names", "was cut", (path) => writeAnchor(path, anchorLines(path).slice(0, -2))],
    [
      "robbed of a line in the middle",
      "line 3 does not follow",
      (path) => writeAnchor(path, anchorLines(path).toSpliced(2, 1))
    ],
    [
      "with two lines swapped",
      "line 2 does not follow",
      (path) => {
        const lines = anchorLines(path)
        writeAnchor(path, [lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)])
      }
    ],
    [
      "with a line edited",
      "line 3 does not follow",
      (path) =>
        writeAnchor(
          path,
          anchorLines(path).map((line, at) =>
            at === 2 ? line.replace('"ada",', '"eve",').replace('"Grace",', '"eve",') : line
          )
        )
    ],
    [
      "with a line that is no JSON",
      "does not follow",
      (path) => appendFileSync(join(path, "anchor.log"), `${"0".repeat(64)} {%E0%A4%A\n`)
    ],
    ["moved away", "is missing", (path) => renameSync(join(path, "anchor.log"), join(path, "other"))],
    [
      "without a reference in the log",
      "no valid reference",
      (path) => withDb(path, (db) => db.exec("DELETE FROM anchor_reference"))
    ],
    [
      "with a reference set back",
      "the log does not refer to",
      (path) => withDb(path, (db) => db.exec("UPDATE anchor_reference SET line = 0, hash = zeroblob(32)"))
    ],
    [
      "with a reference to another line",
      "was changed",
      (path) => withDb(path, (db) => db.exec("UPDATE anchor_reference SET line = line - 1"))
    ]
  ]
  for (const [what, problem, damage] of cases) {
    it.scopedLive(`if it was ${what}`.replace("was with", "has been left with"), () =>
      Effect.gen(function* () {
        const path = yield* written
        damage(path)
        yield* expectRefused(path, problem)
      })
    )
  }

  it.scopedLive("if it belongs to another log", () =>
    Effect.gen(function* () {
      const path = yield* written
      writeFileSync(join(path, "anchor.log"), yield* other)
      yield* expectRefused(path, "does not belong to this log")
    })
  )

  it.scopedLive("if it is deleted while the log is open", () =>
    Effect.gen(function* () {
      const path = yield* written
      yield* inProcess(
        path,
        Effect.gen(function* () {
          yield* appendTo("ada")
          rmSync(join(path, "anchor.log"))
          expect(yield* Effect.flip(appendTo("ada"))).toMatchObject({ code: "ANCHOR_DAMAGED" })
        })
      )
      expect(existsSync(join(path, "anchor.log"))).toBe(false)
    })
  )
})

describe("a healthy log is repaired, not refused", () => {
  it.scopedLive("if the last anchor line is unfinished: the line is removed first", () =>
    Effect.gen(function* () {
      const path = yield* written
      const lines = anchorLines(path)
      appendFileSync(join(path, "anchor.log"), lines.at(-1)!.slice(0, 80))
      yield* expectWritable(path)
      expect(anchorLines(path).slice(0, lines.length)).toEqual(lines)
    })
  )

  it.scopedLive("if the anchor lacks events of two killed processes", () =>
    Effect.gen(function* () {
      const [path, killed] = [yield* written, join(yield* folder, "killed")]
      yield* inProcess(
        path,
        Effect.gen(function* () {
          yield* appendTo("ada")
          const undo = onAnchorLine(() => {
            throw Object.assign(new Error("killed"), { code: "EIO" })
          })
          yield* appendTo("Grace", 2)
          undo()
          copyLog(path, killed)
          // The same process makes up for it, too.
          yield* appendTo("ada")
          expect((yield* verified()).problems).toEqual([])
        })
      )
      yield* inProcess(
        killed,
        Effect.gen(function* () {
          const { problems, repairs } = yield* verified()
          expect(problems).toEqual([])
          expect(repairs).toEqual(["the anchor is 2 events behind the log: the next write adds them"])
          yield* appendTo("ada")
          expect(yield* verified()).toMatchObject({ problems: [], repairs: [] })
        })
      )
      expect(anchorLines(killed).some((line) => line.includes('["Grace",5,'))).toBe(true)
    })
  )

  it.scopedLive("if the anchor has the first format: it is checked and converted", () =>
    Effect.gen(function* () {
      const path = yield* written
      const seal = (line: string) => `${line} ${crc32(line).toString(16)}`
      const { heads, id } = withDb<{ id: string; heads: Array<{ stream: string; version: number; hash: Buffer }> }>(
        path,
        (db) => ({
          id: db.prepare("SELECT id FROM installation").pluck().get(),
          heads: db.prepare("SELECT stream, max(version) AS version, hash FROM events GROUP BY stream").all()
        })
      )
      const old = [
        seal(`daybook-anchor 1 ${id}`),
        ...heads.map(({ hash, stream, version }) => seal(`1 ${stream} ${version} ${hash.toString("hex")}`))
      ]
      const asBefore = (lines: ReadonlyArray<string>) => {
        withDb(path, (db) => db.exec("UPDATE anchor_reference SET line = 0, hash = zeroblob(32)"))
        writeAnchor(path, lines)
      }
      asBefore(old)
      yield* expectWritable(path, "an anchor of the first format was converted")
      // A name that cannot be read is a problem, not an unexpected failure.
      asBefore([...old, seal("1 %E0%A4%A 3 00")])
      yield* expectRefused(path, "unreadable stream name")
      // A head that the log does not have stops its stream alone.
      asBefore([...old, seal(`1 Grace 9 ${"ab".repeat(32)}`)])
      yield* inProcess(
        path,
        Effect.gen(function* () {
          expect(yield* Effect.flip(appendTo("Grace"))).toMatchObject({ code: "STREAM_DAMAGED" })
          yield* appendTo("ada")
        })
      )
    })
  )

  it.scopedLive("if the anchor cannot be written: appends are refused before their commit until it can", () =>
    Effect.gen(function* () {
      const path = yield* written
      const events = count(path)
      yield* inProcess(
        path,
        Effect.gen(function* () {
          const undo = onAnchorLine(() => {
            throw Object.assign(new Error("no space"), { code: "ENOSPC" })
          })
          yield* appendTo("ada")
          for (const stream of ["ada", "Grace"]) {
            expect(yield* Effect.flip(appendTo(stream))).toMatchObject({ kind: "full", where: "anchor.log" })
          }
          undo()
          yield* appendTo("Grace")
          expect((yield* verified()).problems).toEqual([])
        })
      )
      expect(count(path)).toBe(events + 2)
    })
  )
})

describe("the files of an open log", () => {
  for (const name of ["log.db", "log.db-wal", "log.db-shm"]) {
    it.scopedLive(`${name}: nothing is acknowledged after it was removed or replaced`, () =>
      Effect.gen(function* () {
        const path = yield* written
        yield* inProcess(
          path,
          Effect.gen(function* () {
            const log = yield* EventLog
            yield* appendTo("ada")
            const kept = join(path, "kept")
            renameSync(join(path, name), kept)
            for (const content of [null, "another file"]) {
              if (content !== null) writeFileSync(join(path, name), content)
              const error = yield* Effect.flip(appendTo("ada"))
              expect(error).toMatchObject({ kind: "damaged", where: name, code: "FILE_REMOVED" })
            }
            expect((yield* log.head("ada")).version).toBe(6)
            renameSync(kept, join(path, name))
            yield* appendTo("ada")
          })
        )
      })
    )

    it.scopedLive(`${name}: nothing is acknowledged while it has a second name`, () =>
      Effect.gen(function* () {
        const path = yield* written
        const second = join(path, "second")
        yield* inProcess(
          path,
          Effect.gen(function* () {
            yield* appendTo("ada")
            linkSync(join(path, name), second)
            const error = yield* Effect.flip(appendTo("ada"))
            expect(error).toMatchObject({ kind: "damaged", where: name, code: "FILE_LINKED" })
            expect((yield* verified()).problems).toEqual([{ stream: null, version: null, what: error.message }])
            rmSync(second)
            yield* appendTo("ada")
            expect((yield* (yield* EventLog).head("ada")).version).toBe(7)
          })
        )
      })
    )
  }
})

describe("marks of verified events", () => {
  /** Edits an event and makes the anchor say that this is how `log.db` was left. */
  const forge = (path: string) => {
    withDb(path, (db) => db.exec("UPDATE events SET actor = 'eve' WHERE stream = 'ada' AND version = 2"))
    const lines = anchorLines(path)
    const last = lines.at(-1)!
    const { line, sequence } = JSON.parse(last.slice(65))
    const { ctimeMs, ino, size } = statSync(join(path, "log.db"))
    const { text } = formatLine(last.slice(0, 64), { line: line + 1, sequence, heads: [], file: [ino, size, ctimeMs] })
    appendFileSync(join(path, "anchor.log"), text)
  }

  it.scopedLive("let the first append verify only later events; the background check finds damage before them", () =>
    Effect.gen(function* () {
      const path = yield* written
      forge(path)
      const verdicts: Array<string> = []
      for (let times = 0; times < 4; times++) {
        const outcome = yield* inProcess(path, Effect.merge(Effect.as(appendTo("ada"), "written")))
        verdicts.push(typeof outcome === "string" ? outcome : (outcome as { readonly code: string }).code)
        if (times === 0) expect(yield* inProcess(path, verified())).toMatchObject({ ok: false })
      }
      expect(verdicts[0]).toBe("written")
      expect(verdicts.at(-1)).toBe("STREAM_DAMAGED")
      yield* inProcess(path, appendTo("Grace"))
    })
  )

  it.scopedLive("are ignored after another program changed log.db", () =>
    Effect.gen(function* () {
      const path = yield* written
      withDb(path, (db) => db.exec("UPDATE events SET actor = 'eve' WHERE stream = 'ada' AND version = 2"))
      // Another stream is written first, which notes the new state of the file.
      yield* inProcess(path, appendTo("Grace"))
      expect(yield* Effect.flip(inProcess(path, appendTo("ada")))).toMatchObject({ code: "STREAM_DAMAGED" })
      expect(yield* Effect.flip(inProcess(path, appendTo("ada")))).toMatchObject({ code: "STREAM_DAMAGED" })
    })
  )

  it.scopedLive("stay after a large append, whose checkpoint a child process makes", () =>
    Effect.gen(function* () {
      const path = yield* written
      const size = logSize(path)
      const lines = yield* linesOfProcess(
        path,
        Effect.gen(function* () {
          yield* appendTo("ada", 5_000)
          // The events are in the database before the log is closed.
          expect(logSize(path)).toBeGreaterThan(size + 5_000 * 100)
          yield* appendTo("ada")
        })
      )
      expect(lines.filter((line) => line.includes('"unmarked"'))).toEqual([])
      expect(yield* inProcess(path, verified())).toMatchObject({ ok: true })
    })
  )

  it.scopedLive("stay after many appends of hundreds of events, whose checkpoints follow their commits", () =>
    Effect.gen(function* () {
      const path = yield* written
      const size = logSize(path)
      const lines = yield* linesOfProcess(
        path,
        Effect.gen(function* () {
          const walSize = () => statSync(join(path, "log.db-wal")).size
          yield* Effect.iterate(0, {
            while: (appends) => appends < 200 && logSize(path) === size,
            body: (appends) => Effect.as(appendTo("ada", 300), appends + 1)
          })
          // The log had become long enough for a checkpoint, but not for one by SQLite itself.
          expect(logSize(path)).toBeGreaterThan(size)
          expect(walSize() / 4_096).toBeGreaterThan(3_000)
          expect(walSize() / 4_096).toBeLessThan(walCheckpointPages)
        })
      )
      expect(lines.filter((line) => line.includes('"unmarked"'))).toEqual([])
      const heads = lines.flatMap((line) => JSON.parse(line.slice(65)).heads as ReadonlyArray<ReadonlyArray<unknown>>)
      expect(heads.filter(([, , , check]) => check !== 1)).toEqual([])
      expect(yield* inProcess(path, verified())).toMatchObject({ ok: true, repairs: [] })
    })
  )

  it.scopedLive("of another process's events are found without a scan of all events", () =>
    Effect.gen(function* () {
      const path = yield* written
      const plan = withDb<Array<{ detail: string }>>(path, (db) =>
        db.prepare(`EXPLAIN QUERY PLAN ${selectHeadsSince}`).all(1)
      )
      expect(plan.map(({ detail }) => detail)[0]).toBe("SEARCH events USING INTEGER PRIMARY KEY (rowid>?)")
    })
  )

  it.scopedLive("cover every head after a clean close, and log.db has the state in the anchor", () =>
    Effect.gen(function* () {
      const path = yield* written
      const { ctimeMs, ino, size } = statSync(join(path, "log.db"))
      const lines = anchorLines(path).map((line) => JSON.parse(line.slice(65)))
      expect(lines.findLast(({ file }) => file !== undefined).file).toEqual([ino, size, ctimeMs])
      expect(lines.flatMap(({ heads }) => heads.map(([, , , check]: Array<number>) => check))).toEqual([1, 1, 1, 1])
      expect(existsSync(join(path, "log.db-wal"))).toBe(false)
      // Reading changes nothing.
      yield* inProcess(path, verified())
      expect(statSync(join(path, "log.db")).ctimeMs).toBe(ctimeMs)
      expect(anchorLines(path).length).toBe(lines.length)
    })
  )
})

describe("a large anchor", () => {
  it.scopedLive("is replaced by a shorter one with the same state", () =>
    Effect.gen(function* () {
      const path = yield* written
      const lines = anchorLines(path)
      const { line, sequence } = JSON.parse(lines.at(-1)!.slice(65))
      let before = lines.at(-1)!.slice(0, 64)
      const filling: Array<string> = []
      // As many lines as it takes; each repeats a long name in a mark of another check.
      const marks = [["x".repeat(4_000), 1, before, 99] as const]
      for (let added = 1; added <= maxAnchorBytes / 4_000; added++) {
        const { hash, text } = formatLine(before, { line: line + added, sequence, heads: [], marks })
        filling.push(text)
        before = hash
      }
      appendFileSync(join(path, "anchor.log"), filling.join(""))
      yield* inProcess(path, appendTo("ada"))
      expect(statSync(join(path, "anchor.log")).size).toBeLessThan(2_000)
      yield* expectWritable(path)
      writeAnchor(path, anchorLines(path).slice(0, 1))
      yield* expectRefused(path, "was cut")
    })
  )
})
