import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { prove } from "../src/erasure/proof/prove.js"
import { temporaryFolder } from "./support/engine.js"

const secret = "Anna-Zita Übersfeld"
const size = Buffer.byteLength(secret)

/** Bytes of a row on an overflow page, of pages with 4,096 bytes. */
const overflowBytes = 4_092

/** A deleted row with the secret between other text. Its pages are free, and have what they had. */
const deleteRow = (file: string, before: number, after: number, journal: "DELETE" | "WAL") => {
  const db = new Database(file)
  db.pragma("page_size = 4096")
  db.pragma("secure_delete = OFF")
  db.pragma("synchronous = OFF")
  db.pragma(`journal_mode = ${journal}`)
  db.exec("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)")
  const insert = db.prepare("INSERT INTO texts (text) VALUES (?)")
  insert.run("z".repeat(3 * overflowBytes))
  insert.run(`${"x".repeat(before)}${secret}${"y".repeat(after)}`)
  // SQLite writes a list of free pages over the first one.
  db.exec("DELETE FROM texts WHERE id = 1")
  db.exec("DELETE FROM texts WHERE id = 2")
  return db
}

/** The bytes of the secret behind a border of pages: all that cut it. */
const cuts = Array.from({ length: size - 1 }, (_, index) => index + 1)

const expectFound = (
  journal: "DELETE" | "WAL",
  { after, before }: { readonly before: number; readonly after: number }
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const file = join(folder, "some.db")
      const db = deleteRow(file, before, after, journal)
      const stored = Buffer.concat(
        [file, ...(journal === "WAL" ? [`${file}-wal`] : [])].map((path) => readFileSync(path))
      )
      expect(stored.includes(secret), "no page has it as a whole").toBe(false)
      expect((yield* prove(folder, [secret.toUpperCase()])).hits).toEqual([
        { text: 0, file: "some.db", place: "bytes across a page border" }
      ])
      expect((yield* prove(folder, ["Anna-Zita Oberst"])).hits).toEqual([])
      db.close()
      rmSync(file)
    })
  )

// The bytes behind the last border of a row fill its last pages.
describe("the proof of an erasure", () => {
  it.live.each(cuts)("finds a deleted text whose last %d bytes are on the next overflow page", (rest) =>
    expectFound("DELETE", { before: 9_000, after: overflowBytes - rest })
  )

  it.live.each(cuts)("finds a deleted text whose last %d bytes are on the first overflow page", (rest) =>
    expectFound("DELETE", { before: 1_000, after: 2 * overflowBytes - rest })
  )

  it.live("finds it in the write-ahead log", () => expectFound("WAL", { before: 9_000, after: overflowBytes - 7 }))
})
