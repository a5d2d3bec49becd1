import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { codec } from "../events/Codec.js"
import { type EraseRequest, EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { verify } from "../events/verify.js"
import { bundle } from "./support/bundle.js"
import { filesWith } from "./support/dataFiles.js"
import type { ErasureWriterOptions } from "./support/erasureWriter.js"

const scratch = mkdtempSync(join(tmpdir(), "daybook-erase-crash-"))
let program: Awaited<ReturnType<typeof bundle>>
beforeAll(async () => {
  program = await bundle("erasureWriter")
})
afterAll(() => {
  program.remove()
  rmSync(scratch, { recursive: true, force: true })
})

const secret = "walrus-canary"
const image = (born: number, title: string) => ({ id: `id${born}`, born, title })
const memories = Array.from({ length: 40 }, (_, at) => image(at + 1, at % 2 === 0 ? `${secret} ${at}` : `other ${at}`))
const kept = memories.filter(({ title }) => !title.includes(secret))

const fill = Effect.flatMap(EventLog, (log) =>
  Effect.forEach(["one", "giraffe-agent"], (stream) =>
    log.append({
      ...{ stream, expected: "none", now: 1_000 },
      commands: [
        {
          actor: "test",
          events: [
            ...memories.map((memory) => ({ type: "ADD", schema: 5, payload: JSON.stringify({ memory }) })),
            { type: "ARCHIVE", schema: 5, payload: JSON.stringify({ memories }) }
          ]
        }
      ]
    })
  )
)

const request: EraseRequest = {
  ...{ actor: "test", now: 2_000, reason: "privacy", selector: "person", vectors: [] },
  streams: [
    {
      ...{ stream: "one", readAt: 41 },
      versions: [...memories.flatMap(({ born, title }) => (title.includes(secret) ? [born] : [])), 41],
      remains: [{ of: 41, type: "ARCHIVE", schema: 5, payload: JSON.stringify({ memories: kept }) }]
    }
  ],
  wholeStreams: ["giraffe-agent"]
}

/** Opens the log as the next process does. Answers whether the erasure happened. */
const next = (folder: string, what: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const events = yield* log.read("one", { after: 0, limit: 100 })
    const isErased = events[0]!.payload === null
    expect((yield* verify(log, codec, null)).problems, what).toEqual([])
    if (!isErased) return false
    expect(yield* log.clean(yield* log.cleanings), what).toBe("done")
    expect(JSON.parse(events[40]!.payload!), what).toEqual({ memories: kept })
    expect(
      events.filter(({ payload }) => payload?.includes(secret)),
      what
    ).toEqual([])
    expect((yield* log.head("giraffe-agent")).version, what).toBe(0)
    expect(filesWith(folder, secret), what).toEqual([])
    expect(filesWith(folder, "giraffe-agent"), what).toEqual([])
    expect((yield* verify(log, codec, null)).problems, what).toEqual([])
    return true
  }).pipe(Effect.provide(EventLogSqlite.layer(folder)), Effect.scoped)

describe("an erasure that is killed", () => {
  it.live(
    "is finished by the next open, or did not begin",
    () =>
      Effect.gen(function* () {
        const filled = join(scratch, "filled")
        yield* Effect.provide(fill, EventLogSqlite.layer(filled))
        const run = (step: number) => {
          const folder = join(scratch, `killed ${step}`)
          cpSync(filled, folder, { recursive: true })
          const options: ErasureWriterOptions = { folder, request, step }
          const { signal, stderr, stdout } = spawnSync(process.execPath, [program.file, JSON.stringify(options)], {
            encoding: "utf8"
          })
          expect(stderr).toBe("")
          return { folder, signal, steps: Number(stdout) }
        }
        const whole = run(-1)
        expect(whole.signal).toBe(null)
        expect(yield* next(whole.folder, "whole")).toBe(true)
        const points = 30
        let erased = 0
        for (let point = 0; point < points; point++) {
          const step = 1 + Math.floor((point * whole.steps) / points)
          const { folder, signal } = run(step)
          expect(signal).toBe("SIGKILL")
          if (yield* next(folder, `killed at step ${step}`)) erased++
          rmSync(folder, { recursive: true, force: true })
        }
        console.log(
          `killed at ${points} of ${whole.steps} steps: ${erased} finished by the next open, the others not begun`
        )
        expect(erased).toBeGreaterThan(points / 2)
      }),
    240_000
  )
})
