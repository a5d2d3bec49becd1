import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openDatabase } from "../events/driver.js"
import { isOpenHere, openRawFile } from "../events/rawFile.js"
import { prove } from "../src/erasure/proof/prove.js"
import { open, temporaryFolder } from "./support/engine.js"

/**
 * The locks of this process on a file, from the list of Linux. The list is read in parts. Locks of other processes that
 * come and go between two parts move its rows, so a row can appear twice in one reading, or not at all. This process sets
 * and drops no lock meanwhile: its locks are the distinct rows of several readings.
 */
const locksOn = (file: string): number => {
  const { ino } = statSync(file)
  const owner = new RegExp(` ${process.pid} [0-9a-f]+:[0-9a-f]+:${ino} `)
  const readings = Array.from({ length: 5 }, () => readFileSync("/proc/locks", "utf8").split("\n"))
  const rows = readings.flat().filter((row) => owner.test(row))
  return new Set(rows.map((row) => row.replace(/^\d+: /, ""))).size
}

const openInWal = (file: string) => {
  const db = openDatabase(file)
  db.pragma("journal_mode = WAL")
  db.exec("CREATE TABLE IF NOT EXISTS texts (text TEXT); INSERT INTO texts VALUES ('one')")
  return db
}

const isOpen = (descriptor: number): boolean => {
  try {
    fstatSync(descriptor)
    return true
  } catch {
    return false
  }
}

const areListed = existsSync("/proc/locks")
if (!areListed) console.log("the locks of raw reads were not checked: only Linux lists them")

describe.runIf(areListed)("a raw read of a database that is open", () => {
  it.scopedLive("is needed: a descriptor that is simply closed takes the locks of SQLite with it", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "some.db")
      const db = openInWal(file)
      expect(locksOn(file)).toBe(1)
      closeSync(openSync(file, "r"))
      expect(locksOn(file)).toBe(0)
      db.close()
    })
  )

  it.scopedLive("leaves the locks, and the descriptor open until the last connection closes", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "some.db")
      const [db, second] = [openInWal(file), openDatabase(file)]
      const [raw, other] = [openRawFile(file), openRawFile(file)]
      const start = Buffer.alloc(15)
      readSync(raw.descriptor, start, 0, 15, 0)
      expect(start.toString()).toBe("SQLite format 3")
      raw.close()
      other.close()
      expect(locksOn(file)).toBe(1)
      db.close()
      expect([isOpen(raw.descriptor), isOpenHere(file)]).toEqual([true, true])
      second.close()
      expect([isOpen(raw.descriptor), isOpenHere(file)]).toEqual([false, false])
    })
  )

  it.scopedLive("closes at once where no connection is open, also of a file that was removed", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "some.db")
      openInWal(file).close()
      const raw = openRawFile(file)
      rmSync(file)
      raw.close()
      expect(isOpen(raw.descriptor)).toBe(false)
    })
  )

  it.live("of the proof of an erasure leaves the locks of a program that goes on", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const daybook = yield* open(folder)
        const memory = yield* daybook.agent("coop", { trust: "full" })
        yield* memory.remember({ title: "The crane is red" })
        const before = locksOn(join(folder, "log.db"))
        expect(before).toBeGreaterThan(0)
        expect((yield* prove(folder, ["okapi"])).clean).toBe(true)
        expect(locksOn(join(folder, "log.db"))).toBe(before)
      })
    )
  )
})
