import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Backup from "../src/backup/Backup.js"
import { filesWith, withLog } from "./support/dataFiles.js"
import { open, temporaryFolder } from "./support/engine.js"

const secret = "tapir-canary"

const openCleanings = (folder: string) =>
  withLog(folder, (db) => db.prepare("SELECT stream FROM cleanings ORDER BY stream").pluck().all())

/** Erases a memory while another connection reads the state before. Returns the function that ends that read. */
const erasedWhileRead = (folder: string) =>
  Effect.gen(function* () {
    const daybook = yield* open(folder)
    const memory = yield* daybook.agent("coop", { trust: "full" })
    const { id } = yield* memory.remember({ title: `The ${secret} sleeps in the barn` })
    yield* memory.remember({ title: "The crane is red" })
    const reader = new Database(join(folder, "log.db"))
    reader.exec("BEGIN")
    reader.prepare("SELECT count(*) FROM events").get()
    expect((yield* daybook.erase({ agent: "coop", ids: [id] })).cleaning).toBe("waits")
    return () => reader.close()
  })

describe("a cleaning that waited", () => {
  it.live("is finished by the next start", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const endRead = yield* Effect.scoped(erasedWhileRead(folder))
        expect(openCleanings(folder)).toContain("")
        endRead()
        yield* Effect.scoped(open(folder))
        expect(openCleanings(folder)).toEqual([])
        expect(filesWith(folder, secret)).toEqual([])
      })
    )
  )

  it.scoped("is tried again by the process that waits", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const endRead = yield* erasedWhileRead(folder)
      yield* TestClock.adjust("10 seconds")
      expect(openCleanings(folder)).toContain("")
      endRead()
      const isDone = Effect.zipRight(
        TestClock.adjust("10 seconds"),
        Effect.promise(
          () => new Promise<boolean>((resolve) => setTimeout(() => resolve(openCleanings(folder).length === 0), 20))
        )
      )
      yield* Effect.repeat(isDone, { until: (done) => done })
      expect(filesWith(folder, secret)).toEqual([])
    })
  )

  it.live("leaves nothing in a backup that is made meanwhile", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [folder, backups] = [yield* temporaryFolder, yield* temporaryFolder]
        const endRead = yield* erasedWhileRead(folder)
        yield* Backup.create({ folder, to: join(backups, "now.backup") })
        const backup = new Database(join(backups, "now.backup"), { readonly: true })
        expect(backup.prepare("SELECT count(*) FROM cleanings WHERE stream = ''").pluck().get()).toBe(0)
        expect(backup.pragma("freelist_count", { simple: true })).toBe(0)
        backup.close()
        expect(filesWith(backups, secret)).toEqual([])
        endRead()
      })
    )
  )
})
