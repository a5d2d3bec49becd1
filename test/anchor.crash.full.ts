import { spawn } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { anchorLines, appendTo, copyLog, inProcess, verified } from "./support/anchoredLog.js"
import type { AnchorWriterOptions } from "./support/anchorWriter.js"
import { bundle } from "./support/bundle.js"
import { rounds } from "./support/size.js"

const scratch = mkdtempSync(join(tmpdir(), "daybook-anchor-crash-"))
let program: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  program = await bundle("anchorWriter")
})
afterAll(() => {
  program.remove()
  rmSync(scratch, { recursive: true, force: true })
})

/** The next process finds nothing wrong, writes to every stream, and leaves a sound log. */
const expectHealthy = (folder: string, streams: ReadonlyArray<string>, what: string) =>
  inProcess(
    folder,
    Effect.gen(function* () {
      expect((yield* verified()).problems, what).toEqual([])
      for (const stream of streams) yield* appendTo(stream)
      expect(yield* verified(), what).toMatchObject({ problems: [], ok: true })
    })
  )

const below = (limit: number) => Math.floor(Math.random() * limit)

describe("a power cut", () => {
  it.live(
    "that loses any unsynced end of the files leaves a log that accepts writes",
    () =>
      Effect.gen(function* () {
        const live = join(scratch, "live")
        const snapshots: Array<string> = []
        const sessions = rounds({ quick: 3, full: 30, ci: 6 })
        for (let session = 0; session < sessions; session++) {
          yield* inProcess(
            live,
            Effect.gen(function* () {
              for (let step = 0; step < 8; step++) {
                yield* appendTo(["ada", "Grace", `new ${session}`][below(3)]!, 1 + below(3))
                const snapshot = join(scratch, `cut ${snapshots.length}`)
                copyLog(live, snapshot)
                snapshots.push(snapshot)
              }
            })
          )
        }
        let dropped = 0
        for (const snapshot of snapshots) {
          const anchor = join(snapshot, "anchor.log")
          const synced = syncedBytes(snapshot)
          const size = statSync(anchor).size
          const kept = synced + below(size - synced + 1)
          truncateSync(anchor, kept)
          dropped += size - kept
          // A transaction that was being written.
          if (below(2) === 0)
            appendFileSync(
              join(snapshot, "log.db-wal"),
              readFileSync(join(snapshot, "log.db-wal")).subarray(0, below(4_000))
            )
          yield* expectHealthy(snapshot, ["ada", "Grace"], `${snapshot}: ${kept} of ${size} bytes`)
        }
        console.log(`${snapshots.length} power cuts, ${dropped} bytes of anchors dropped: 0 healthy logs refused`)
        expect(dropped).toBeGreaterThan(0)
      }),
    300_000
  )
})

/** Bytes of the anchor up to the line that the log refers to. */
const syncedBytes = (folder: string): number => {
  const copy = join(scratch, "copy")
  rmSync(copy, { recursive: true, force: true })
  copyLog(folder, copy)
  const db = new Database(join(copy, "log.db"))
  const line = db.prepare("SELECT line FROM anchor_reference").pluck().get() as number
  db.close()
  const lines = anchorLines(folder)
  const first = JSON.parse(lines[0]!.slice(65)).line as number
  return Buffer.byteLength(`${lines.slice(0, line - first + 1).join("\n")}\n`)
}

describe("processes killed between a commit and its anchor line", () => {
  it.live(
    "leave a log that other and later processes can write to",
    () =>
      Effect.gen(function* () {
        const folder = join(scratch, "killed")
        const names = ["a", "b", "c", "d", "e", "f"]
        yield* inProcess(folder, appendTo("shared"))
        const times = rounds({ quick: 2, full: 20, ci: 4 })
        for (let round = 0; round < times; round++) {
          const ends = yield* Effect.promise(() =>
            Promise.all(names.map((name) => killed({ folder, name, lines: 2 + below(20), torn: below(2) === 0 })))
          )
          // None was refused: each ended by its own hand.
          expect(ends).toEqual(names.map(() => "SIGKILL"))
          yield* expectHealthy(folder, ["shared", ...names], `round ${round}`)
        }
        console.log(`${times * names.length} processes killed between commit and line: 0 healthy logs refused`)
      }),
    300_000
  )
})

const killed = (options: AnchorWriterOptions) =>
  new Promise<string>((resolve) => {
    const child = spawn(process.execPath, [program.file, JSON.stringify(options)], {
      stdio: ["ignore", "ignore", "pipe"]
    })
    let errors = ""
    child.stderr.on("data", (chunk) => {
      errors += chunk
    })
    child.once("close", (code, signal) => resolve(signal ?? `${code}: ${errors}`))
  })
