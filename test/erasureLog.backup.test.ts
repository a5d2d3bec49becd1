import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { codec } from "../events/Codec.js"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import { verify } from "../events/verify.js"
import * as Backup from "../src/backup/Backup.js"
import { exportLog, importLog } from "../src/backup/exportLog.js"
import { filesWith } from "./support/dataFiles.js"

const secret = "ibex-canary"
const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-erase-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
const using = <A, E>(folder: string, use: (log: typeof EventLog.Service) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.provide(Effect.flatMap(EventLog, use), EventLogSqlite.layer(folder)))

const image = (born: number, title: string) => ({ id: `id${born}`, born, title })
const kept = JSON.stringify({ memories: [image(2, "stays")] })

const fill = (folder: string) =>
  using(folder, (log) => {
    const payloads = [{ memory: image(1, secret) }, { memories: [image(1, secret), image(2, "stays")] }]
    const events = payloads.map((payload, at) => ({
      ...{ type: ["ADD", "ARCHIVE"][at]!, schema: 5, payload: JSON.stringify(payload) }
    }))
    return log.append({ stream: "one", expected: "none", now: 1_000, commands: [{ actor: "test", events }] })
  })

const erase = (folder: string) =>
  using(folder, (log) =>
    Effect.zipRight(
      log.erase({
        ...{ actor: "test", now: 2_000, reason: "request", selector: "memory", wholeStreams: [], vectors: [] },
        streams: [
          {
            ...{ stream: "one", readAt: 2, versions: [1, 2] },
            remains: [{ of: 2, type: "ARCHIVE", schema: 5, payload: kept }]
          }
        ]
      }),
      Effect.flatMap(log.cleanings, log.clean)
    )
  )

/** The log is sound, has nothing of the erased text, and keeps what others need. */
const expectErased = (folder: string) =>
  using(folder, (log) =>
    Effect.gen(function* () {
      const events = yield* log.read("one", { after: 0, limit: 10 })
      expect(events.slice(0, 2).map(({ payload }) => payload)).toEqual([null, kept])
      expect((yield* verify(log, codec, null)).problems).toEqual([])
      expect(filesWith(folder, secret)).toEqual([])
    })
  )

describe("erased events", () => {
  it.scoped("stay erased after a restore of an older backup over the log", () =>
    Effect.gen(function* () {
      const path = yield* scratch
      const [data, file] = [join(path, "data"), join(path, "old.backup")]
      yield* fill(data)
      yield* Backup.create({ folder: data, to: file })
      yield* erase(data)
      yield* Backup.restore({ file, folder: data, replace: true })
      expect(filesWith(data, secret)).toEqual([])
      yield* expectErased(data)
    })
  )

  it.scoped("stay erased after a restore where a second erasure took what the first one had left", () =>
    Effect.gen(function* () {
      const path = yield* scratch
      const [data, file] = [join(path, "data"), join(path, "old.backup")]
      yield* fill(data)
      yield* Backup.create({ folder: data, to: file })
      yield* erase(data)
      const request = { actor: "test", now: 3_000, reason: "request", selector: "memory" } as const
      yield* using(data, (log) =>
        log.erase({
          ...{ ...request, wholeStreams: [], vectors: [] },
          streams: [{ stream: "one", readAt: 4, versions: [2], remains: [] }]
        })
      )
      yield* Backup.restore({ file, folder: data, replace: true })
      yield* using(data, (log) =>
        Effect.gen(function* () {
          const events = yield* log.read("one", { after: 0, limit: 2 })
          expect(events.map(({ payload }) => payload)).toEqual([null, null])
          expect((yield* verify(log, codec, null)).problems).toEqual([])
        })
      )
    })
  )

  it.scoped("stay erased in another folder that has the ledger, and come back where nothing names them", () =>
    Effect.gen(function* () {
      const path = yield* scratch
      const [data, file] = [join(path, "data"), join(path, "old.backup")]
      yield* fill(data)
      yield* Backup.create({ folder: data, to: file })
      yield* erase(data)
      const other = join(path, "other")
      mkdirSync(other)
      copyFileSync(join(data, "erasures.log"), join(other, "erasures.log"))
      yield* Backup.restore({ file, folder: other })
      yield* expectErased(other)
      const blank = join(path, "blank")
      yield* Backup.restore({ file, folder: blank })
      expect(filesWith(blank, secret)).not.toEqual([])
    })
  )

  it.scoped("are not in a later backup or export, which restore with their ledger", () =>
    Effect.gen(function* () {
      const path = yield* scratch
      const data = join(path, "data")
      yield* fill(data)
      yield* erase(data)
      const [file, lines] = [join(path, "new.backup"), join(path, "new.jsonl")]
      yield* Backup.create({ folder: data, to: file })
      yield* exportLog({ folder: data, to: lines })
      for (const copy of [file, lines]) expect(readFileSync(copy).includes(secret)).toBe(false)
      yield* Backup.restore({ file, folder: join(path, "restored") })
      yield* importLog({ file: lines, folder: join(path, "imported") })
      for (const name of ["restored", "imported"]) {
        yield* expectErased(join(path, name))
        expect(readFileSync(join(path, name, "erasures.log"))).toEqual(readFileSync(join(data, "erasures.log")))
        // The copy goes on erasing.
        const more = using(join(path, name), (log) =>
          Effect.flatMap(log.head("one"), ({ version }) =>
            log.erase({
              ...{ actor: "test", now: 3_000, reason: "mistake", selector: "memory", wholeStreams: [], vectors: [] },
              streams: [{ stream: "one", readAt: version, versions: [2], remains: [] }]
            })
          )
        )
        expect(yield* more).toEqual({ erased: 1, remains: 0 })
      }
    })
  )
})
