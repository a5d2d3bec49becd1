import { spawn } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { gunzipSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import { timerLines } from "../bin/timerLines.js"
import { importLines } from "../events/copies/importLines.js"
import * as Default from "../layers/Default.js"
import * as Backup from "../src/backup/Backup.js"
import { exportLog, importLog } from "../src/backup/exportLog.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"
import { bundle } from "./support/bundle.js"
import { build, daybookIn, spawnDaybook } from "./support/cli.js"
import type { WriterOptions } from "./support/crashWriter.js"
import { lawRuns } from "./support/size.js"

let writer: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  build()
  writer = await bundle("crashWriter")
})

afterAll(() => writer.remove())

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Uses a data folder as one process would. */
const using = <A, E>(data: string, use: (daybook: typeof Daybook.Service) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(Daybook, use), Default.layer({ folder: data, policy: defaults }))

const remember = (data: string, titles: ReadonlyArray<string>, agent = "coop") =>
  using(data, (daybook) =>
    Effect.gen(function* () {
      const memory = yield* daybook.agent(agent, { trust: "full" })
      for (const title of titles) yield* memory.remember({ title })
      yield* daybook.backfill(agent)
    })
  )

const stateOf = (data: string, agent = "coop") =>
  using(data, (daybook) =>
    Effect.gen(function* () {
      const memory = yield* daybook.agent(agent, { trust: "full", record: false })
      const { digest } = yield* daybook.digests(agent)
      const hits = yield* memory.search({ text: "crane paint" })
      const { anchor, events, ok, problems, restores } = yield* daybook.verify()
      return { digest, hits: hits.map(({ id, score }) => ({ id, score })), events, ok, problems, restores, anchor }
    })
  )

/** A data folder with two agents, and an empty place beside it. */
const setUp = Effect.gen(function* () {
  const path = yield* folder
  const data = join(path, "data")
  yield* remember(data, ["The crane got new paint", "The ferry leaves at six", "Anna fixed the crane"])
  yield* remember(data, ["The second agent knows this"], "second")
  return { path, data, file: join(path, "copy.backup") }
})

const linesOf = (text: string) => text.trimEnd().split("\n")

describe("a backup", () => {
  it.scoped("restores the same state in another folder, with vectors, and says where the log comes from", () =>
    Effect.gen(function* () {
      const { data, file, path } = yield* setUp
      const before = yield* stateOf(data)
      const made = yield* Backup.create({ folder: data, to: file })
      expect(made).toMatchObject({ file, agents: 2, events: before.events, removed: [] })
      expect(readdirSync(path).sort()).toEqual(["copy.backup", "data"])
      expect(statSync(file).mode & 0o077).toBe(0)
      const target = join(path, "deep", "restored")
      expect(yield* Backup.restore({ file, folder: target })).toMatchObject({ folder: target, agents: 2, lost: [] })
      const after = yield* stateOf(target)
      expect({ ...after, anchor: null, restores: [] }).toEqual({ ...before, anchor: null })
      expect(after.restores).toMatchObject([{ from: "backup", createdAt: made.createdAt }])
      // The log goes on.
      yield* remember(target, ["One more"])
      expect(yield* stateOf(target)).toMatchObject({ ok: true, events: before.events + 2 })
    })
  )

  it.scoped("replaces a log, keeps the old folder and the policy, and names the events that are gone", () =>
    Effect.gen(function* () {
      const { data, file } = yield* setUp
      writeFileSync(join(data, "policy.toml"), "[search]\nlimit = 7\n")
      const before = yield* stateOf(data)
      yield* Backup.create({ folder: data, to: file })
      yield* remember(data, ["Written after the backup"])
      const refused = yield* Effect.flip(Backup.restore({ file, folder: data }))
      expect(refused).toMatchObject({ _tag: "BackupRefused", problem: expect.stringContaining("contains a log") })
      expect(yield* stateOf(data)).toMatchObject({ ok: true, events: before.events + 2 })
      const restored = yield* Backup.restore({ file, folder: data, replace: true })
      expect(restored.lost).toEqual([{ agent: "coop", after: 4, to: 6 }])
      expect(readFileSync(join(data, "policy.toml"), "utf8")).toContain("limit = 7")
      expect(yield* stateOf(restored.replaced!)).toMatchObject({ events: before.events + 2 })
      const after = yield* stateOf(data)
      expect(after).toMatchObject({ ok: true, digest: before.digest, restores: [{ lost: [["coop", 4, 6]] }] })
      expect(after.hits).toEqual(before.hits)
      const ofAgent = (agent: string) =>
        using(data, (daybook) => Effect.map(daybook.verify(agent), ({ restores }) => restores))
      expect(yield* ofAgent("coop")).toMatchObject([{ lost: [["coop", 4, 6]] }])
      const [ofAnother] = yield* ofAgent("second")
      expect(ofAnother).toMatchObject({ from: "backup" })
      expect(ofAnother).not.toHaveProperty("lost")
      // A second restore remembers the first one, and a rebuilt anchor keeps both.
      yield* Backup.restore({ file, folder: data, replace: true })
      expect((yield* stateOf(data)).restores).toHaveLength(1)
    })
  )

  it.scoped("is refused if it is damaged anywhere, and nothing is left behind", () =>
    Effect.gen(function* () {
      const { data, file, path } = yield* setUp
      yield* Backup.create({ folder: data, to: file })
      const target = join(path, "restored")
      const changed = join(path, "changed.backup")
      const change = (sql: string, ...values: ReadonlyArray<unknown>) => {
        copyFileSync(file, changed)
        const db = new Database(changed)
        db.prepare(sql).run(...values)
        db.close()
      }
      const damages: ReadonlyArray<() => void> = [
        () => change("UPDATE events SET payload = replace(payload, 'six', 'ten') WHERE payload LIKE '%at six%'"),
        () => change("DELETE FROM events WHERE sequence = (SELECT max(sequence) FROM events)"),
        () => change("UPDATE events SET actor = 'somebody' WHERE sequence = 2"),
        () => change("UPDATE backup SET anchor = replace(anchor, 'coop', 'ship')"),
        () => change("UPDATE embeddings SET vector = zeroblob(length(vector))"),
        () => change("UPDATE timers SET due = due + 1"),
        () => change("DROP TABLE backup"),
        () => writeFileSync(changed, readFileSync(file).subarray(0, 5_000)),
        () => writeFileSync(changed, "no database at all"),
        () => rmSync(changed)
      ]
      for (const [index, damage] of damages.entries()) {
        damage()
        const outcome = yield* Effect.either(Backup.restore({ file: changed, folder: target }))
        const isUnchanged = index === 5 && outcome._tag === "Right"
        if (isUnchanged) rmSync(target, { recursive: true })
        else expect(outcome, `${index}`).toMatchObject({ _tag: "Left" })
        expect(readdirSync(path).filter((name) => name.startsWith("restored"))).toEqual([])
      }
      expect(yield* Effect.flip(Backup.check(join(path, "none")))).toMatchObject({ _tag: "BackupRefused" })
      change("UPDATE events SET actor = 'somebody' WHERE sequence = 2")
      expect(yield* Backup.check(changed)).toMatchObject({ ok: false })
      expect(yield* Backup.check(file)).toMatchObject({ ok: true, problems: [], restores: [] })
    })
  )

  it.scoped("of a damaged log is refused, and an existing file stays", () =>
    Effect.gen(function* () {
      const { data, file, path } = yield* setUp
      writeFileSync(file, "mine")
      expect(yield* Effect.flip(Backup.create({ folder: data, to: file }))).toMatchObject({ _tag: "BackupRefused" })
      expect(readFileSync(file, "utf8")).toBe("mine")
      yield* Backup.create({ folder: data, to: file, replace: true })
      expect(yield* Backup.check(file)).toMatchObject({ ok: true })
      const db = new Database(join(data, "log.db"))
      db.prepare("UPDATE events SET actor = 'x' WHERE sequence = 2").run()
      db.close()
      const other = join(path, "other.backup")
      const error = yield* Effect.flip(Backup.create({ folder: data, to: other }))
      expect(error.message).toMatch(/the log is damaged: coop 2: /)
      expect(existsSync(other)).toBe(false)
      expect(yield* Effect.flip(Backup.create({ folder: join(path, "no"), to: other }))).toMatchObject({
        problem: "contains no log: check the path of the data folder"
      })
    })
  )

  it.scoped("and its restore refuse misspelt options and empty paths, which would mean the current folder", () =>
    Effect.gen(function* () {
      const { data, file } = yield* setUp
      for (const [call, options, known] of [
        [Backup.create, { folder: data, to: file }, "folder, to, ledger, replace, keep, onProgress"],
        [Backup.restore, { file, folder: data }, "file, folder, ledger, replace, expect"],
        [exportLog, { folder: data, to: file }, "folder, to, ledger, replace, onProgress"],
        [importLog, { file, folder: data }, "file, folder, ledger, expect, onProgress"]
      ] as const) {
        const refused = (given: unknown) =>
          Effect.map(
            Effect.flip((call as (options: unknown) => Effect.Effect<unknown, Error>)(given)),
            ({ message }) => message
          )
        expect(yield* refused({ ...options, expects: "x" })).toBe(`expects: is not a known option: use ${known}`)
        expect(yield* refused({ ...options, ledger: " " })).toBe("ledger: must be a non-empty path")
        expect(yield* refused(null)).toMatch(/^options: must be an object/)
      }
      expect(existsSync(file)).toBe(false)
      for (const [call, field] of [
        [Backup.create({ folder: "", to: file }), "folder"],
        [Backup.create({ folder: data, to: " " }), "to"],
        [Backup.restore({ file: "", folder: data }), "file"],
        [Backup.restore({ file, folder: "" }), "folder"],
        [Backup.check(""), "file"],
        [exportLog({ folder: "", to: file }), "folder"],
        [exportLog({ folder: data, to: "" }), "to"],
        [importLog({ file: "", folder: data }), "file"],
        [importLog({ file, folder: "" }), "folder"]
      ] as const) {
        const error = yield* Effect.flip(call as Effect.Effect<unknown, Error>)
        expect(error.message).toBe(`${field}: must be a non-empty path`)
      }
    })
  )

  it.scoped("in a folder has the time as its name, and only the newest ones stay", () =>
    Effect.gen(function* () {
      const { data, path } = yield* setUp
      const to = join(path, "backups")
      mkdirSync(to)
      const first = basename((yield* Backup.create({ folder: data, to })).file)
      const [, installation] = /^daybook-([0-9a-f]{8})-19700101T000000Z\.backup$/.exec(first)!
      rmSync(join(to, first))
      const times = ["20250101T000000Z", "20250102T000000Z", "20250103T000000Z"]
      const old = times.map((time) => `daybook-${installation}-${time}.backup`)
      const others = ["mine.backup", "daybook-aaaaaaaa-20250101T000000Z.backup", `daybook-${installation}-x.backup`]
      for (const name of [...old, ...others]) writeFileSync(join(to, name), "")
      const { file, removed } = yield* Backup.create({ folder: data, to, keep: 2 })
      expect(removed).toEqual(old.slice(0, 2))
      expect(readdirSync(to).sort()).toEqual([old[2], basename(file), ...others].sort())
      expect(yield* Effect.flip(Backup.create({ folder: data, to: join(path, "x"), keep: 2 }))).toMatchObject({
        _tag: "InvalidInput"
      })
    })
  )
})

describe("a copy", () => {
  it.scoped("fails with an error, not a defect, where a path cannot be used", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const data = join(path, "data")
      yield* remember(data, ["crane"])
      const long = join(path, "x".repeat(300))
      const outcomes: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        Backup.create({ folder: data, to: long }),
        Backup.create({ folder: long, to: join(path, "a.backup") }),
        Backup.check(long),
        Backup.restore({ file: long, folder: data }),
        Backup.restore({ file: data, folder: long }),
        exportLog({ folder: long, to: join(path, "a.jsonl") }),
        importLog({ file: join(path, "a.jsonl"), folder: long })
      ]
      for (const outcome of outcomes)
        expect(["StorageError", "BackupRefused"]).toContain((yield* Effect.flip(outcome))._tag)
    })
  )

  it.scoped("never goes into the data folder, and never takes what others make beside it", () =>
    Effect.gen(function* () {
      const { data, file, path } = yield* setUp
      for (const to of [join(data, "log.db"), join(data, "new.backup"), join(data, "views", "x"), data]) {
        const outcomes = [
          yield* Effect.flip(Backup.create({ folder: data, to, replace: true })),
          yield* Effect.flip(exportLog({ folder: data, to, replace: true }))
        ]
        for (const error of outcomes) expect(error._tag).toBe("BackupRefused")
      }
      expect(yield* stateOf(data)).toMatchObject({ ok: true })
      mkdirSync(`${file}.part`)
      writeFileSync(join(`${file}.part`, "mine"), "mine")
      const other = join(path, "other")
      yield* remember(other, ["Another installation"])
      const to = join(path, "backups")
      mkdirSync(to)
      const made = yield* Effect.all(
        [data, other].map((folder) => Backup.create({ folder, to })),
        { concurrency: 2 }
      )
      for (const { file } of made) expect(yield* Backup.check(file)).toMatchObject({ ok: true })
      // Of two at once with one name, one fails, and the file is whole.
      const twice = yield* Effect.all(
        [Backup.create({ folder: data, to: file }), Backup.create({ folder: other, to: file })].map(Effect.either),
        { concurrency: 2 }
      )
      expect(twice.map(({ _tag }) => _tag).sort()).toEqual(["Left", "Right"])
      expect(yield* Backup.check(file)).toMatchObject({ ok: true })
      expect(readFileSync(join(`${file}.part`, "mine"), "utf8")).toBe("mine")
      expect(readdirSync(path).sort()).toEqual(["backups", "copy.backup", "copy.backup.part", "data", "other"])
    })
  )

  it.scoped("keeps a folder with anything of a log, follows a link to the folder, and copies links of its files", () =>
    Effect.gen(function* () {
      const { data, file, path } = yield* setUp
      yield* Backup.create({ folder: data, to: file })
      renameSync(join(data, "log.db"), join(data, "log.db.damaged"))
      rmSync(join(data, "anchor.log"))
      expect(yield* Effect.flip(Backup.restore({ file, folder: data }))).toMatchObject({ _tag: "BackupRefused" })
      symlinkSync("nowhere", join(data, ".#policy.toml"))
      const link = join(path, "link")
      symlinkSync(data, link)
      const { replaced } = yield* Backup.restore({ file, folder: link, replace: true })
      expect(readdirSync(replaced!)).toContain("log.db.damaged")
      expect(lstatSync(link).isSymbolicLink()).toBe(true)
      expect(readlinkSync(join(data, ".#policy.toml"))).toBe("nowhere")
      expect(yield* stateOf(data)).toMatchObject({ ok: true, restores: [{ from: "backup" }] })
    })
  )
})

describe("a backup of a busy log", () => {
  /** Starts a process that writes until it is killed. */
  const startWriter = (data: string, path: string, agents: ReadonlyArray<string>) => {
    const options: WriterOptions = {
      mode: "until killed",
      ...{ folder: data, agents, name: "w", journal: join(path, "journal") }
    }
    const child = spawn(process.execPath, [writer.file, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const atWork = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
    const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
    const end = () => {
      child.kill("SIGKILL")
      return gone
    }
    return { atWork, end }
  }

  it.scopedLive("ends, verifies and reaches at least the version at its start", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const data = join(path, "data")
      const { atWork, end } = startWriter(data, path, ["coop", "second"])
      yield* Effect.addFinalizer(() => Effect.promise(() => end()))
      yield* Effect.promise(() => atWork)
      const times: Array<number> = []
      const counts: Array<number> = []
      for (let round = 0; round < lawRuns({ quick: 4, full: 20, ci: 6 }); round++) {
        const db = new Database(join(data, "log.db"), { readonly: true })
        const newest = () => db.prepare("SELECT count(*) FROM events").pluck().get() as number
        const least = newest()
        const began = performance.now()
        const { events, file } = yield* Backup.create({ folder: data, to: join(path, `${round}.backup`) })
        times.push(performance.now() - began)
        expect(events).toBeGreaterThanOrEqual(least)
        counts.push(least)
        db.close()
        const restored = join(path, `restored-${round}`)
        expect(yield* Backup.restore({ file, folder: restored })).toMatchObject({ events })
        expect((yield* using(restored, (daybook) => daybook.verify(undefined, { views: true }))).ok).toBe(true)
      }
      const written = counts.at(-1)! - counts[0]!
      expect(written).toBeGreaterThan(0)
      console.log(
        `${times.length} backups of a busy log, ${written} events written meanwhile: at most ${Math.max(...times).toFixed(0)} ms`
      )
    })
  )

  it.scopedLive("leaves no file under its name if its process is killed, and the next one succeeds", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const data = join(path, "data")
      yield* remember(
        data,
        Array.from({ length: 300 }, (_, at) => `Memory ${at} of the harbour and its cranes`)
      )
      const file = join(path, "copy.backup")
      let unfinished = 0
      for (let round = 0; round < lawRuns({ quick: 3, full: 20, ci: 6 }); round++) {
        const child = spawn(process.execPath, [join("dist", "daybook.mjs"), "--data", data, "backup", file])
        const gone = new Promise<void>((resolve) => child.once("close", () => resolve()))
        yield* Effect.promise(() => sleep(150 + round * 25))
        child.kill("SIGKILL")
        yield* Effect.promise(() => gone)
        if (!existsSync(file)) unfinished++
        else expect(yield* Backup.check(file)).toMatchObject({ ok: true })
        rmSync(file, { force: true })
      }
      expect(unfinished).toBeGreaterThan(0)
      yield* Backup.create({ folder: data, to: file })
      expect(readdirSync(path).sort()).toEqual(["copy.backup", "data"])
    })
  )

  it.scopedLive("that is interrupted removes what it copied", () =>
    Effect.gen(function* () {
      const { data, file, path } = yield* setUp
      for (const millis of [0, 5, 20, 40]) {
        const made = yield* Effect.timeoutOption(Backup.create({ folder: data, to: file, replace: true }), millis)
        if (made._tag === "None" && !existsSync(file)) expect(readdirSync(path)).toEqual(["data"])
      }
      yield* Backup.create({ folder: data, to: file, replace: true })
    })
  )
})

describe("an export", () => {
  it.scoped("imports to the same heads, digests and search results, plain and compressed", () =>
    Effect.gen(function* () {
      const { data, path } = yield* setUp
      const before = yield* stateOf(data)
      for (const name of ["log.jsonl", "log.jsonl.gz"]) {
        const file = join(path, name)
        const exported = yield* exportLog({ folder: data, to: file })
        expect(exported).toMatchObject({ agents: 2, events: before.events })
        const bytes = readFileSync(file)
        const kinds = linesOf((name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()).map(
          (line) => Object.keys(JSON.parse(line))[0]
        )
        expect(new Set(kinds)).toEqual(new Set(["daybook", "anchor", "event", "vector", "end"]))
        const target = join(path, `${name}-data`)
        yield* importLog({ file, folder: target, expect: exported.anchor! })
        const after = yield* stateOf(target)
        expect({ ...after, anchor: null, restores: [] }).toEqual({ ...before, anchor: null })
        expect(after.restores).toMatchObject([{ from: "export", vouched: true }])
        expect(yield* Effect.flip(importLog({ file, folder: target }))).toMatchObject({ _tag: "BackupRefused" })
      }
    })
  )

  it.scoped("that is refused is no longer read", () =>
    Effect.gen(function* () {
      let isOpen = false
      const lines = async function* () {
        isOpen = true
        try {
          for (;;) yield "no line of an export"
        } finally {
          isOpen = false
        }
      }
      const path = yield* folder
      expect(yield* Effect.flip(importLines(path, lines(), () => {}))).toMatchObject({ _tag: "InvalidExport", line: 1 })
      expect(isOpen).toBe(false)
    })
  )

  it.scoped("that was changed is refused, with the number of the line and none of its text", () =>
    Effect.gen(function* () {
      const { data, path } = yield* setUp
      const file = join(path, "log.jsonl")
      const { anchor } = yield* exportLog({ folder: data, to: file })
      const lines = linesOf(readFileSync(file, "utf8"))
      const at = lines.findIndex((line) => line.startsWith('{"event"') && line.includes("crane"))
      const damages: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [lines.slice(0, -1), /line \d+ of the export is missing/],
        [lines.slice(1), /line 1 of the export comes before the header/],
        [lines.with(at, "the secret of the crane"), new RegExp(`^line ${at + 1} of the export is not a line`)],
        [lines.toSpliced(at, 1), /has counts that do not match/],
        [lines.with(at, lines[at]!.replace("crane", "train")), /is damaged/],
        [lines.toSpliced(at, 0, lines[at]!), /repeats another line/],
        [[...lines, lines[0]!], /comes after the end line/]
      ]
      for (const [index, [changed, message]] of damages.entries()) {
        writeFileSync(file, `${changed.join("\n")}\n`)
        const outcome = yield* Effect.either(importLog({ file, folder: join(path, "restored") }))
        if (outcome._tag === "Right") throw new Error(`damage ${index} was imported`)
        const error = outcome.left
        expect(error.message).toMatch(message)
        expect(error.message).not.toMatch(/secret|train|crane/)
        expect(existsSync(join(path, "restored"))).toBe(false)
      }
      writeFileSync(`${file}.gz`, gzipSync(lines.join("\n")).subarray(0, 300))
      expect(yield* Effect.flip(importLog({ file: `${file}.gz`, folder: join(path, "restored") }))).toBeDefined()
      writeFileSync(file, lines.join("\n"))
      const wrong = importLog({ file, folder: join(path, "restored"), expect: "1".repeat(64) })
      expect((yield* Effect.flip(wrong)).message).toMatch(/the anchor has no line/)
      yield* importLog({ file, folder: join(path, "restored") })
      expect((yield* stateOf(join(path, "restored"))).restores).toMatchObject([{ vouched: false }])
      expect(anchor).toHaveLength(64)
    })
  )
})

describe("the command line", () => {
  it.scoped("backs up, verifies, restores, exports and imports", () =>
    Effect.gen(function* () {
      const { data, file, path } = yield* setUp
      const call = (folder: string, ...args: ReadonlyArray<string>) => Effect.promise(() => daybookIn(folder)(...args))
      expect((yield* call(data, "backup", file)).stdout).toMatch(/^file +\S+copy\.backup\nevents +6\nagents +2\n/)
      expect(yield* call(data, "backup", file)).toMatchObject({ code: 1, stderr: expect.stringContaining("exists") })
      expect((yield* call(join(path, "none"), "verify", file)).stdout).toMatch(/^ok +yes\nevents +6\n/)
      const restored = yield* call(join(path, "restored"), "restore", file)
      expect(restored.stdout).toMatch(/events +6\nagents +2/)
      expect((yield* call(join(path, "restored"), "verify")).stdout).toMatch(/^restored: at \S+ from a backup of \S+$/m)
      expect(yield* call(data, "restore", file)).toMatchObject({ code: 1 })
      const lines = join(path, "log.jsonl.gz")
      expect((yield* call(data, "export", lines)).code).toBe(0)
      expect((yield* call(join(path, "imported"), "import-log", lines)).code).toBe(0)
      for (const command of ["backup", "export"]) {
        const missing = join(path, "mistyped", "deep", "x")
        expect(yield* call(data, command, missing)).toMatchObject({
          code: 1,
          stderr: `daybook: ${missing} cannot be written: the folder ${join(path, "mistyped", "deep")} does not exist; create it, or correct the path\n`
        })
        expect(yield* call(data, command, "-")).toMatchObject({
          code: 2,
          stderr: `daybook: '${command}' cannot write to standard output: pass the path of a file; ./- is a file named "-"\n`
        })
      }
      expect([existsSync(join(path, "mistyped")), existsSync("-")]).toEqual([false, false])
      const timer = yield* call(data, "backup", path, "--every", "1h", "--keep", "24")
      expect(timer.stdout).toContain(` --data ${data} backup ${path} --keep 24\n`)
      expect(timer.stdout).toContain(`\nExecStart=${process.execPath} `)
      expect(yield* call(data, "backup", path, "--every", "7h")).toMatchObject({ code: 2 })
    })
  )

  it.scopedLive("is run by the lines that it prints", () =>
    Effect.gen(function* () {
      const { data, path } = yield* setUp
      const { cron, systemd } = timerLines({
        every: "15m",
        keep: 2,
        folder: data,
        to: path,
        command: ["/a b/node", "x"]
      })!
      expect(systemd).toContain(`ExecStart="/a b/node" x --data ${data}`)
      const [, args] = /^\*\/15 \* \* \* \* '\/a b\/node' x (.*)$/.exec(cron)!
      expect(yield* Effect.promise(() => spawnDaybook(args!.split(" ")))).toMatchObject({ code: 0 })
      expect(readdirSync(path).filter((name) => name.endsWith(".backup"))).toHaveLength(1)
    })
  )
})
