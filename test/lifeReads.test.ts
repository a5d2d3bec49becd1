import { readFileSync } from "node:fs"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { type ArchiveCursor, archive, findArchived } from "../projections/archive.js"
import { conversation } from "../projections/conversation.js"
import { observations } from "../projections/observations.js"
import { findProfile } from "../projections/profileReads.js"
import { findSummaries, summaries } from "../projections/summaries.js"
import { stageNames } from "../src/model/stages.js"

describe("maintenance reads", () => {
  it("search the archive in limited steps, and find everything", () => {
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
      let after: ArchiveCursor | undefined
      let reads = 0
      do {
        const page = findArchived(db, level, words, { after, maxRows: 7 })
        expect(page.entries.length).toBeLessThanOrEqual(7)
        found.push(...page.entries.map(({ memory }) => memory.born))
        after = page.next
        reads++
      } while (after !== undefined)
      expect([found, reads]).toEqual([wanted, 15])
    }
  })

  it("find core memories without reading others", () => {
    const ran: Array<string> = []
    const db = new Database(":memory:", { verbose: (text) => void ran.push(String(text)) })
    db.exec(`${observations.tables} ${observations.indexes}`)
    ran.length = 0
    findProfile(db, "inner", 1, { writers: "inner", side: "from" })
    expect(ran[0]).toContain("tier = 'core'")
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${ran[0]}`).all() as ReadonlyArray<{ readonly detail: string }>
    expect(plan.map(({ detail }) => detail)).toEqual(["SCAN observations USING INDEX observations_core_inner"])
  })

  it("read sessions from the newest on, in sorted order, without reading all", () => {
    const ran: Array<string> = []
    const db = new Database(":memory:", { verbose: (text) => void ran.push(String(text)) })
    for (const { indexes = "", tables } of [conversation, observations, summaries]) db.exec(`${tables} ${indexes}`)
    const note =
      db.prepare(`INSERT INTO observations (born, id, active, openness, level, changed, revision, content, type, store,
      title, people, tags, tier, tokens, importance, mentions, mentioned_at, created_at, memory)
      VALUES (?, ?, ?, ?, 0, 0, 1, x'', 'task', ?, '', '', '', 'mid', 1, 1, 1, 1, ?, '{}')`)
    const made = db.prepare("INSERT INTO session_memories (born, session, created_at) VALUES (?, ?, ?)")
    const summed = db.prepare("INSERT INTO summaries VALUES (?, ?, ?, 1, 1, 1, ?, 1, '{}', '{}')")
    type Row = { readonly session: string; readonly store: string; readonly lastAt: number; readonly count: number }
    const rows: Array<Row & { readonly open: boolean }> = []
    for (let born = 1; born <= 600; born++) {
      // Times that often meet, in no order; 37 sessions in two stores.
      const session = `s${(born * 31) % 37}`
      const [store, openness] = born % 4 === 0 ? ["shared", 3] : ["private", 0]
      const lastAt = (born * 7919) % 101
      const active = born % 5 === 0 ? 0 : 1
      note.run(born, `m${born}`, active, openness, store, lastAt)
      made.run(born, session, lastAt)
      if (active === 1) rows.push({ session, store: store as string, lastAt, count: 1, open: openness === 3 })
    }
    for (let at = 0; at < 45; at++) {
      const [session, lastAt] = [`s${at}`, (at * 7907) % 120]
      summed.run(session, "private", 0, lastAt)
      rows.push({ session, store: "private", lastAt, count: 0, open: false })
    }
    const wantedOf = (some: ReadonlyArray<Row>) => {
      const found = new Map<string, Row>()
      for (const { count, lastAt, session, store } of some) {
        const before = found.get(`${session} ${store}`) ?? { session, store, lastAt: 0, count: 0 }
        const newest = Math.max(before.lastAt, lastAt)
        found.set(`${session} ${store}`, { session, store, lastAt: newest, count: before.count + count })
      }
      return [...found.values()].sort(
        (a, b) =>
          b.lastAt - a.lastAt || (a.session < b.session ? -1 : a.session > b.session ? 1 : a.store < b.store ? -1 : 1)
      )
    }
    for (const level of ["full", "inner"] as const) {
      const wanted = wantedOf(level === "full" ? rows : rows.filter(({ open }) => open))
      for (const [limit, offset] of [
        [200, 0],
        [1, 0],
        [7, 0],
        [7, 7],
        [10, 30],
        [10, 500]
      ] as const) {
        ran.length = 0
        const found = findSummaries(db, level, 1, { limit, offset })
        const told = found.map(({ lastAt, observations: count, session, store }) => ({ session, store, lastAt, count }))
        expect(told).toEqual(wanted.slice(offset, offset + limit))
        for (const text of ran.slice(0, 2)) {
          const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as ReadonlyArray<{ readonly detail: string }>
          expect(plan.map(({ detail }) => detail).join()).not.toContain("TEMP B-TREE")
        }
      }
      const one = findSummaries(db, level, 1, { limit: 10, offset: 0, session: "s3" })
      expect(one.map(({ session, store }) => ({ session, store }))).toEqual(
        wanted.filter(({ session }) => session === "s3").map(({ session, store }) => ({ session, store }))
      )
    }
    // Nothing is left open.
    db.exec("DELETE FROM summaries")
  })

  it("use the stages that docs/lifecycle.md lists, in order", () => {
    const page = readFileSync(new URL("../docs/lifecycle.md", import.meta.url), "utf8")
    const table = page.split("\n## Stages\n")[1]!.split("\nRules for all stages")[0]!
    expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(stageNames)
  })
})
