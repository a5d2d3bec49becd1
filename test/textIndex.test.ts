import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { memoryTextIndex } from "../projections/fulltext.js"

const row = (born: number, openness: number) => ({
  born,
  id: String(born),
  openness,
  columns: [`green tea ${born}`, "", "", "", ""]
})

describe("a filled index", () => {
  const filled = (rows: number) => {
    const db = new Database(":memory:")
    db.exec(memoryTextIndex.tables)
    for (let born = 1; born <= rows; born++) memoryTextIndex.add(db, row(born, born % 3), true)
    // In one transaction, as in the build of a view.
    db.exec(`BEGIN; ${memoryTextIndex.fill}; COMMIT`)
    return db
  }

  it.each([0, 1, 2, 3, 4, 50])("finds each of %d rows at the levels that may read it", (rows) => {
    const db = filled(rows)
    for (const [level, least] of [
      ["full", 0],
      ["inner", 1],
      ["familiar", 2]
    ] as const) {
      const table = memoryTextIndex.table(level)
      const found = db.prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH 'tea' ORDER BY rowid`).pluck().all()
      expect(found).toEqual(Array.from({ length: rows }, (_, at) => at + 1).filter((born) => born % 3 >= least))
      expect(() => db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`)).not.toThrow()
    }
    db.close()
  })

  it("keeps its large segments above the levels that FTS5 merges at once", () => {
    const db = filled(20_000)
    const levels = () => segmentsByLevel(db, memoryTextIndex.table("full"))
    const large = 20
    const levelOfLarge = () => levels().findIndex((segments) => segments.some((pages) => pages > large))
    expect(levelOfLarge()).toBeGreaterThanOrEqual(2)
    // FTS5 writes a segment at each commit, and merges 16 of them at once: 16 × 16 reach the third level.
    for (let born = 20_001; born <= 20_300; born++) {
      memoryTextIndex.add(db, row(born, 1), false)
      expect(levelOfLarge()).toBeGreaterThanOrEqual(2)
    }
    db.close()
  })
})

/** The pages of each segment of an FTS5 table, by level of its merge tree: its structure record. */
const segmentsByLevel = (db: Database.Database, table: string): ReadonlyArray<ReadonlyArray<number>> => {
  const bytes = db.prepare(`SELECT block FROM ${table}_data WHERE id = 10`).pluck().get() as Buffer
  // A cookie of four bytes. Then integers of 7 bits per byte, highest first.
  let at = 4
  const next = () => {
    let number = 0
    for (;;) {
      const byte = bytes[at++]!
      number = number * 128 + (byte & 127)
      if (byte < 128) return number
    }
  }
  const levels = next()
  // The numbers of segments and of writes.
  next()
  next()
  return Array.from({ length: levels }, () => {
    next()
    return Array.from({ length: next() }, () => {
      next()
      const first = next()
      return next() - first + 1
    })
  })
}

describe("the number of rows of an index", () => {
  it("includes the rows written in the transaction so far, by level", () => {
    const db = new Database(":memory:")
    db.exec(memoryTextIndex.tables)
    const counts = () => [
      memoryTextIndex.count(db, "full"),
      memoryTextIndex.count(db, "inner"),
      memoryTextIndex.count(db, "familiar")
    ]
    expect(counts()).toEqual([0, 0, 0])
    db.exec("BEGIN")
    for (const [born, openness] of [1, 2, 0, 1].entries()) memoryTextIndex.add(db, row(born + 1, openness), false)
    expect(counts()).toEqual([4, 3, 1])
    memoryTextIndex.replace(db, 2, null, false)
    expect(counts()).toEqual([3, 2, 0])
    db.exec("COMMIT")
    expect(counts()).toEqual([3, 2, 0])
    db.close()
  })
})
