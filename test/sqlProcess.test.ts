import { createHash } from "node:crypto"
import { existsSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { vi } from "vitest"
import { openDatabase } from "../events/driver.js"
import { copyDatabase, runInChild, runInThisProcess } from "../events/sqlProcess.js"
import { bundledVectorExtension } from "../projections/view/ViewFile.js"
import { temporaryFolder } from "./support/engine.js"

/** Counts for minutes if nothing ends it. */
const endless = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000000)
  SELECT count(*) AS count FROM n`

const database = Effect.map(temporaryFolder, (folder) => {
  const file = join(folder, "some.db")
  const db = openDatabase(file)
  db.exec("CREATE TABLE gulls (name TEXT); INSERT INTO gulls VALUES ('Emma'), ('Emma')")
  return { db, file }
})

afterEach(() => void vi.restoreAllMocks())

describe("SQL in a child process", () => {
  it.scopedLive("answers as SQL in this process does", () =>
    Effect.gen(function* () {
      const { db, file } = yield* database
      for (const work of [
        { statements: ["UPDATE gulls SET name = 'Ida'"], query: "SELECT name FROM gulls" },
        { statements: ["CREATE INDEX a ON gulls (name); DROP INDEX a", "CREATE UNIQUE INDEX b ON gulls (name)"] },
        { statements: [], query: "SELECT nonsense" },
        { statements: [] }
      ]) {
        expect(yield* runInChild(file, work)).toEqual(runInThisProcess(db, work))
      }
      expect(runInThisProcess(db, { statements: ["SELECT 1", "CREATE UNIQUE INDEX b ON gulls (name)"] })).toEqual({
        failedAt: 1,
        code: "SQLITE_CONSTRAINT_UNIQUE"
      })
      db.close()
    })
  )

  it.scopedLive("drops vector tables, for which it loads the extension", () =>
    Effect.gen(function* () {
      const { db, file } = yield* database
      const extension = bundledVectorExtension()
      if (extension === null) return yield* Effect.dieMessage("sqlite-vec is not installed")
      db.loadExtension(extension)
      db.exec("CREATE VIRTUAL TABLE near USING vec0(embedding float[4])")
      const work = { statements: ["DROP TABLE near"], query: "SELECT name FROM sqlite_schema WHERE name LIKE 'near%'" }
      expect(yield* runInChild(file, work)).toMatchObject({ failedAt: 0 })
      expect(yield* runInChild(file, { ...work, extension })).toEqual({ rows: [] })
      db.close()
    })
  )

  it.scopedLive("ends when interrupted, and this process continues meanwhile", () =>
    Effect.gen(function* () {
      const { db, file } = yield* database
      db.close()
      const running = yield* Effect.fork(runInChild(file, { statements: [], query: endless }))
      yield* Effect.sleep("300 millis")
      const exit = yield* Fiber.interrupt(running)
      expect(exit._tag).toBe("Failure")
    })
  )

  it.scopedLive("runs in this process if no child can be started or the file cannot be opened", () =>
    Effect.gen(function* () {
      const { db, file } = yield* database
      db.close()
      expect(yield* runInChild(`${file}.missing`, { statements: [] })).toBeUndefined()
      expect(existsSync(`${file}.missing`)).toBe(false)
      vi.spyOn(process, "execPath", "get").mockReturnValue(join(file, "no-node"))
      expect(yield* runInChild(file, { statements: [] })).toBeUndefined()
      expect(readdirSync(join(file, ".."))).toEqual(["some.db"])
    })
  )
})

describe("a copy of a database", () => {
  /** Large enough for a child process. */
  const large = Effect.map(database, ({ db, file }) => {
    db.exec("CREATE TABLE stones (bytes BLOB); INSERT INTO stones VALUES (randomblob(6000000))")
    return { db, file, target: `${file}.copy` }
  })

  const contentOf = (file: string) => {
    const db = openDatabase(file)
    const bytes = db.prepare("SELECT bytes FROM stones").pluck().get() as Buffer
    db.close()
    return createHash("sha256").update(bytes).digest("hex")
  }

  it.scopedLive("is complete, also if its file was removed while it was open", () =>
    Effect.gen(function* () {
      const { db, file, target } = yield* large
      yield* copyDatabase(db, target)
      const content = contentOf(file)
      expect(contentOf(target)).toEqual(content)
      rmSync(file)
      yield* copyDatabase(db, `${target}.again`)
      expect(contentOf(`${target}.again`)).toEqual(content)
      expect(existsSync(file)).toBe(false)
      db.close()
    })
  )

  it.scopedLive("fails if it cannot be written", () =>
    Effect.gen(function* () {
      const { db, file } = yield* large
      expect(yield* Effect.flip(copyDatabase(db, join(file, "none", "copy")))).toBeDefined()
      db.close()
    })
  )

  it.scopedLive("ends when interrupted, also where its caller is not", () =>
    Effect.gen(function* () {
      const { db, target } = yield* large
      const running = yield* Effect.fork(Effect.uninterruptible(copyDatabase(db, target)))
      yield* Effect.sleep("5 millis")
      const exit = yield* Fiber.interrupt(running)
      expect(exit._tag).toBe("Failure")
      yield* Effect.sleep("300 millis")
      expect(existsSync(target)).toBe(false)
      db.close()
    })
  )
})
