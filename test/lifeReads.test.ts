import { readFileSync } from "node:fs"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { type ArchivePlace, archive, findArchived } from "../projections/archive.js"
import { observations } from "../projections/observations.js"
import { findProfile } from "../projections/profile.js"
import { stageNames } from "../src/life/maintain.js"

describe("what is read of the life of memories", () => {
  it("a search of the archive looks at no more rows at a time than it is told, and finds all", () => {
    const db = new Database(":memory:")
    db.exec(`${archive.tables} ${archive.indexes}`)
    const insert = db.prepare("INSERT INTO archive VALUES (?, ?, ?, ?, 'old', ?, ?)")
    // In pairs of the same instant; each third one is for full trust alone.
    for (let born = 1; born <= 100; born++) {
      const text = born % 10 === 0 ? "über the tide" : "nothing"
      insert.run(born, `m${born}`, born % 3 === 0 ? 0 : 3, Math.floor(born / 2), text, JSON.stringify({ born }))
    }
    for (const [level, words, wanted] of [
      ["full", ["TIDE"], [100, 90, 80, 70, 60, 50, 40, 30, 20, 10]],
      ["familiar", ["tide"], [100, 80, 70, 50, 40, 20, 10]],
      ["full", [], Array.from({ length: 100 }, (_, at) => 100 - at)]
    ] as const) {
      const found: Array<number> = []
      let after: ArchivePlace | undefined
      let reads = 0
      do {
        const page = findArchived(db, level, words, { after, look: 7 })
        expect(page.found.length).toBeLessThanOrEqual(7)
        found.push(...page.found.map(({ memory }) => memory.born))
        after = page.next
        reads++
      } while (after !== undefined)
      expect([found, reads]).toEqual([wanted, 15])
    }
  })

  it("what is core is found without a look at what is not", () => {
    const ran: Array<string> = []
    const db = new Database(":memory:", { verbose: (text) => void ran.push(String(text)) })
    db.exec(`${observations.tables} ${observations.indexes}`)
    ran.length = 0
    findProfile(db, "inner", 1)
    expect(ran[0]).toContain("tier = 'core'")
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${ran[0]}`).all() as ReadonlyArray<{ readonly detail: string }>
    expect(plan.map(({ detail }) => detail)).toEqual(["SCAN observations USING INDEX observations_core"])
  })

  it("the README shows every stage, in their order", () => {
    const [, shown] = readFileSync(new URL("../README.md", import.meta.url), "utf8").split("$ daybook maintain\n")
    const [, ...lines] = shown!.split("\n$")[0]!.split("\n")
    expect(lines.map((line) => line.split(" ")[0])).toEqual(stageNames)
  })
})
