import { createHash } from "node:crypto"
import { closeSync, copyFileSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { makePieceMatcher } from "../events/erasure/pieces.js"
import { searchUnusedSpace } from "../events/erasure/slack.js"
import { runAllSteps, yieldToEventLoop } from "../events/turns.js"
import { temporaryFolder } from "./support/engine.js"
import { rounds } from "./support/size.js"

const secret = Buffer.from("the okapi sleeps behind the third barn")
const shortest = 6
const pageBytes = 1_024

/** A database with inner pages, an index, overflow pages, free blocks within pages, and free pages. */
const makeDatabase = (file: string): void => {
  const db = new Database(file)
  db.pragma(`page_size = ${pageBytes}`)
  db.pragma("journal_mode = WAL")
  db.pragma("secure_delete = ON")
  db.exec(`CREATE TABLE texts (id INTEGER PRIMARY KEY, key TEXT, text TEXT); CREATE INDEX keys ON texts (key);
    CREATE TABLE names (name TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID`)
  const insert = db.prepare("INSERT INTO texts (id, key, text) VALUES (?, ?, ?)")
  const name = db.prepare("INSERT INTO names (name, text) VALUES (?, ?)")
  db.transaction(() => {
    for (let id = 0; id < 300; id++) {
      const length = id % 25 === 0 ? 3_000 + id : (id * 37) % 200
      const key = createHash("sha1").update(`${id}`).digest("hex")
      insert.run(id, key, "z".repeat(length))
      name.run(key, "y".repeat(length % 900))
    }
  })()
  db.exec("DELETE FROM texts WHERE id % 7 = 0 OR id BETWEEN 50 AND 90; DELETE FROM names WHERE name LIKE '%7'")
  db.pragma("wal_checkpoint(TRUNCATE)")
  db.close()
}

const plant = (file: string, at: number, bytes: Uint8Array): void => {
  const descriptor = openSync(file, "r+")
  writeSync(descriptor, bytes, 0, bytes.length, at)
  closeSync(descriptor)
}

/** The rows of a database, or undefined if it is damaged. */
const contentOf = (file: string): string | undefined => {
  const db = new Database(file, { readonly: true })
  try {
    const texts = db.prepare("SELECT * FROM texts ORDER BY id").raw().all()
    const names = db.prepare("SELECT * FROM names").raw().all()
    const byKey = db.prepare("SELECT key FROM texts INDEXED BY keys ORDER BY key").raw().all()
    if (db.pragma("integrity_check", { simple: true }) !== "ok") return undefined
    return JSON.stringify([texts, names, byKey, db.prepare("SELECT sql FROM sqlite_schema").raw().all()])
  } catch {
    return undefined
  } finally {
    db.close()
  }
}

const search = (file: string, values: ReadonlyArray<Uint8Array> = [secret], staying: ReadonlyArray<string> = []) =>
  searchUnusedSpace(file, runAllSteps(makePieceMatcher(values, staying))!)

describe("the search in the unused bytes of a database", () => {
  it.scopedLive("finds every piece of an erased value that SQLite does not read", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [whole, changed] = [join(folder, "whole.db"), join(folder, "changed.db")]
      makeDatabase(whole)
      expect(yield* search(whole)).toBe("clean")
      const content = contentOf(whole)
      const { size } = statSync(whole)
      let unused = 0
      // The header of the file, of 100 bytes, has no text. The stride is odd, so the offsets within a page differ.
      const stride = rounds({ quick: 283, full: 89, ci: 89 })
      for (let at = 100, step = 0; at + shortest < size; at += stride, step++) {
        const from = step % (secret.length - shortest)
        copyFileSync(whole, changed)
        plant(changed, at, secret.subarray(from, from + shortest))
        // A piece over the border of two pages is one on neither.
        if (contentOf(changed) !== content || (at % pageBytes) + shortest > pageBytes) continue
        unused++
        expect(yield* search(changed), `at ${at}`).toBe("found")
      }
      expect(unused).toBeGreaterThan(rounds({ quick: 90, full: 300, ci: 300 }))
    })
  )

  it.scopedLive("does not take rows and entries of indexes for unused bytes", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "some.db")
      makeDatabase(file)
      const db = new Database(file)
      db.pragma("secure_delete = ON")
      const update = db.prepare("UPDATE texts SET key = ?, text = ? WHERE id = ?")
      update.run(secret.toString(), secret.toString(), 299)
      update.run(`${secret}!`, secret.toString().repeat(90), 298)
      db.pragma("wal_checkpoint(TRUNCATE)")
      expect(readFileSync(file).includes(secret)).toBe(true)
      expect(yield* search(file)).toBe("clean")
      db.close()
    })
  )

  it.scopedLive("does not answer while the write-ahead log has pages", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "some.db")
      makeDatabase(file)
      const db = new Database(file)
      db.exec("DELETE FROM texts WHERE id = 299")
      expect(yield* search(file)).toBe("written")
      db.pragma("wal_checkpoint(TRUNCATE)")
      expect(yield* search(file)).toBe("clean")
      db.close()
    })
  )

  it.scopedLive("keeps the file as it is while it searches, and lets others write", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "large.db")
      const db = new Database(file)
      db.pragma("journal_mode = WAL")
      db.exec("CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)")
      const insert = db.prepare("INSERT INTO texts (text) VALUES (?)")
      db.transaction(() => {
        for (let id = 0; id < 40_000; id++) insert.run("z".repeat(1_000))
      })()
      db.pragma("wal_checkpoint(TRUNCATE)")
      const searching = yield* Effect.fork(search(file))
      let turns = 0
      for (; Option.isNone(yield* Fiber.poll(searching)); turns++) {
        db.exec(`DELETE FROM texts WHERE id = ${turns}`)
        expect(db.pragma("wal_checkpoint(PASSIVE)")).toMatchObject([{ checkpointed: 0 }])
        yield* yieldToEventLoop
      }
      expect(turns).toBeGreaterThan(3)
      expect(yield* searching).toBe("clean")
      const [{ checkpointed }] = db.pragma("wal_checkpoint(PASSIVE)") as [{ checkpointed: number }]
      expect(checkpointed).toBeGreaterThan(0)
      db.close()
    })
  )
})

describe("pieces of erased values", () => {
  const bytes = (text: string) => Buffer.from(text)

  it("are not those of texts that stay", () => {
    const pieces = runAllSteps(makePieceMatcher([bytes("hello coding-agent!")], ["coding-agent"]))!
    expect(pieces.areIn(bytes("..coding-agent.."))).toBe(false)
    expect(pieces.areIn(bytes("..ng-agent!.."))).toBe(true)
  })

  it("are whole values where these are short, and unknown where they are too short", () => {
    const pieces = runAllSteps(makePieceMatcher([bytes("Anna")], []))!
    expect(pieces.areIn(bytes("..Anna.."))).toBe(true)
    expect(pieces.areIn(bytes("..Ann.."))).toBe(false)
    expect(runAllSteps(makePieceMatcher([bytes("Anna")], ["Annabel"]))!.areIn(bytes("..Anna.."))).toBe(false)
    expect(runAllSteps(makePieceMatcher([bytes("Al")], []))).toBeUndefined()
  })

  it("are not zeros with a few other bytes, which any file has", () => {
    const vector = Buffer.alloc(1_024)
    vector.writeFloatLE(0.25, 512)
    expect(runAllSteps(makePieceMatcher([vector], []))!.areIn(vector)).toBe(false)
    vector.fill(7, 100, 110)
    expect(runAllSteps(makePieceMatcher([vector], []))!.areIn(vector)).toBe(true)
  })
})
