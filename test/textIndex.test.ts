import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { memoryTextIndex } from "../projections/fulltext.js"

describe("the number of rows of an index", () => {
  it("includes the rows written in the transaction so far, by level", () => {
    const db = new Database(":memory:")
    db.exec(memoryTextIndex.tables)
    const row = (born: number, openness: number) => ({
      born,
      id: String(born),
      openness,
      columns: ["green tea", "", "", "", ""]
    })
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
