import { copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EventLog } from "../events/EventLog.js"
import * as EventLogSqlite from "../events/EventLogSqlite.js"
import * as Default from "../layers/Default.js"
import * as Backup from "../src/backup/Backup.js"
import { Daybook } from "../src/Daybook.js"
import { defaults } from "../src/ports/Policy.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "daybook-timers-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const using = <A, E>(data: string, use: (daybook: typeof Daybook.Service) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(Daybook, use), Default.layer({ folder: data, policy: defaults }))

const timersOf = (data: string) =>
  Effect.flatMap(EventLog, (log) => log.timers({ until: Number.MAX_SAFE_INTEGER, limit: 10 })).pipe(
    Effect.provide(Layer.fresh(EventLogSqlite.layer(data)))
  )

const expectRetimed = (data: string, due: number) =>
  Effect.gen(function* () {
    expect((yield* using(data, (daybook) => daybook.verify())).problems).toEqual([])
    expect(yield* timersOf(data)).toEqual([{ stream: "ada", due }])
  })

describe("the timers of an older copy", () => {
  it.scoped("are made again where its ledger erases a schedule", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [data, old, file] = [join(path, "data"), join(path, "old"), join(path, "old.backup")]
      const day = 24 * 60 * 60 * 1_000
      const now = Date.now()
      yield* using(data, (daybook) =>
        Effect.gen(function* () {
          const memory = yield* daybook.agent("ada", { trust: "full" })
          yield* memory.schedules.add({ goal: "Call Anna Berg", at: new Date(now + day) })
          yield* memory.schedules.add({ goal: "Paint the crane", at: new Date(now + 2 * day) })
        })
      )
      expect(yield* timersOf(data)).toEqual([{ stream: "ada", due: now + day }])
      yield* Backup.create({ folder: data, to: file })
      cpSync(data, old, { recursive: true })
      yield* using(data, (daybook) => daybook.erase({ person: "Anna Berg" }))
      yield* expectRetimed(data, now + 2 * day)
      copyFileSync(join(data, "erasures.log"), join(old, "erasures.log"))
      yield* expectRetimed(old, now + 2 * day)
      yield* Backup.restore({ file, folder: data, replace: true })
      expect(yield* timersOf(data)).toEqual([{ stream: "ada", due: now + 2 * day }])
      yield* expectRetimed(data, now + 2 * day)
    })
  )
})
