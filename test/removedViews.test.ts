import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openDatabase } from "../events/driver.js"
import { isRemoved, viewError } from "../projections/view/View.js"
import { filesWith, withLog } from "./support/dataFiles.js"
import { open, temporaryFolder } from "./support/engine.js"

const agent = "coop"
const secret = "tapir-canary"

const viewsOf = (folder: string) => join(folder, "views", agent)

const removeViews = (folder: string) => {
  for (const name of readdirSync(viewsOf(folder))) {
    if (name.includes(".db")) rmSync(join(viewsOf(folder), name))
  }
}

const remember = (folder: string) =>
  Effect.gen(function* () {
    const daybook = yield* open(folder)
    const memory = yield* daybook.agent(agent, { trust: "full", record: false })
    yield* memory.remember({ title: "The crane is red" })
    return { daybook, memory }
  })

describe("the write-ahead log of a view that a killed process had half removed", () => {
  it.live("goes with the next cleaning, and with the next opening of the agent", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        yield* Effect.scoped(remember(folder))
        const left = join(viewsOf(folder), `left-0a1b2c3d.${process.pid}.db-wal`)
        writeFileSync(left, secret)
        withLog(folder, (db) => db.prepare("INSERT INTO cleanings (stream) VALUES (?)").run(agent))
        yield* Effect.scoped(open(folder))
        expect(filesWith(folder, secret)).toEqual([])
        writeFileSync(left, secret)
        yield* Effect.scoped(remember(folder))
        expect(filesWith(folder, secret)).toEqual([])
      })
    )
  )
})

describe("a view that another process removes while it is open", () => {
  it.live("leaves no write-ahead log once it is closed", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const { memory } = yield* remember(folder)
        // As if the cleaning had removed the file just before the process created this log.
        const name = readdirSync(viewsOf(folder)).find((name) => name.endsWith(".db"))!
        removeViews(folder)
        writeFileSync(join(viewsOf(folder), `${name}-wal`), secret)
        expect(yield* memory.list()).toHaveLength(1)
        expect(filesWith(folder, secret)).toEqual([])
      })
    )
  )

  it("is told from a damaged one, also where SQLite has opened no more than the file itself", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const file = join(yield* temporaryFolder, "view.db")
          const made = openDatabase(file)
          made.pragma("journal_mode = WAL")
          made.exec("CREATE TABLE words (word TEXT)")
          made.close()
          const failure = (remove: boolean) => {
            const db = openDatabase(file)
            try {
              if (remove) rmSync(file)
              db.prepare(remove ? "SELECT * FROM words" : "SELECT * FROM others")
              return undefined
            } catch (cause) {
              return viewError(cause)
            } finally {
              db.close()
            }
          }
          const [missingTable, removed] = [failure(false), failure(true)]
          expect([missingTable?.code, isRemoved(file, missingTable)]).toEqual(["SQLITE_ERROR", false])
          expect([removed?.code, isRemoved(file, removed)]).toEqual(["SQLITE_IOERR_FSTAT", true])
        })
      )
    ))
})
