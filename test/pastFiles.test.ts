import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import type { Db } from "../projections/Projection.js"
import { makePastFiles } from "../projections/view/pastFiles.js"
import { temporaryFolder } from "./support/engine.js"
import { eventually } from "./support/quiet.js"

/** Writes a file with one word, as it would be after the erasure with this version. */
const write = (file: string, word: string, erasure = 0) => {
  const db = new Database(file)
  db.exec(`CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('${word}'); PRAGMA user_version = ${erasure}`)
  db.close()
}

const wordIn = (db: Db): string => (db.prepare("SELECT word FROM words").get() as { readonly word: string }).word

const files = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const past = yield* makePastFiles({ vectorExtension: null })
  const paths = ["a", "b", "c", "d", "e"].map((name) => join(folder, `${name}.db`))
  for (const [index, path] of paths.entries()) write(path, `word ${index}`)
  return { past, paths: paths as [string, string, ...Array<string>] }
})

describe("the files of past views", () => {
  it.scopedLive("stay open for a second after a read, four of them at most", () =>
    Effect.gen(function* () {
      const { past, paths } = yield* files
      const open = paths.map((path) => past.read(path, 0, (db) => db))
      expect(open.map((db) => db.open)).toEqual([false, true, true, true, true])
      expect(past.read(paths[1], 0, (db) => db)).toBe(open[1])
      expect(wordIn(open[1]!)).toBe("word 1")
      const allClosed = Effect.sync(() => open.every((db) => !db.open))
      expect(yield* eventually(allClosed, (isClosed) => isClosed)).toBe(true)
      expect(past.read(paths[1], 0, wordIn)).toBe("word 1")
    })
  )

  it.scopedLive("are read anew where another file took their place", () =>
    Effect.gen(function* () {
      const { past, paths } = yield* files
      const [file, other] = paths
      const old = past.read(file, 0, (db) => db)
      renameSync(other, file)
      expect(past.read(file, 0, wordIn)).toBe("word 1")
      expect(old.open).toBe(false)
      rmSync(file)
      expect(() => past.read(file, 0, wordIn)).toThrow("ENOENT")
    })
  )

  it.scopedLive("are refused if they are from before an erasure, and closed after a failure", () =>
    Effect.gen(function* () {
      const { past, paths } = yield* files
      const [file, other] = paths
      const read = past.read(file, 0, (db) => db)
      expect(() => past.read(file, 7, wordIn)).toThrow("the view is damaged")
      expect(read.open).toBe(false)
      write(`${other}.new`, "later", 7)
      expect(past.read(`${other}.new`, 7, wordIn)).toBe("later")
      const failed = past.read(other, 0, (db) => db)
      expect(() => past.read(other, 0, (db) => db.prepare("SELECT absent FROM words").get())).toThrow("no such column")
      expect(failed.open).toBe(false)
    })
  )
})
