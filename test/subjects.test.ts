import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import type { Memory } from "../events/Memory.js"
import * as RuleReconciler from "../layers/RuleReconciler.js"
import { makeContradictionTest } from "../src/maintenance/pairs.js"
import type { Row } from "../src/maintenance/stageRow.js"
import { groupBySubject } from "../src/maintenance/subjects.js"
import { fresh } from "./support/engine.js"
import { settled } from "./support/settled.js"

const { judge } = RuleReconciler.ruleReconciler
const row = (title: string, born: number, fields: Partial<Memory> = {}): Row => ({
  memory: {
    id: `m${born}`,
    born,
    type: "identity",
    title,
    facts: [],
    tags: [],
    people: [],
    ...times(born),
    ...fields
  } as Memory,
  accesses: undefined
})
const times = (born: number) => ({
  createdAt: born * 1_000,
  updatedAt: born * 1_000,
  lastMentionedAt: born * 1_000,
  mentions: 1
})
const subjects = (rows: ReadonlyArray<Row>, by: Parameters<typeof groupBySubject>[1] = judge) => {
  const { subjects, superseded } = settled(rows, { contradicts: makeContradictionTest(by, { certain: 0.98 }) })
  return groupBySubject(
    rows.filter((row) => !superseded.has(row)),
    by,
    subjects
  )
}
const titles = (rows: ReadonlyArray<Row>, by: Parameters<typeof groupBySubject>[1] = judge) =>
  subjects(rows, by).map(({ row }) => row.memory.title)

describe("the subjects of a profile", () => {
  const lisbon = row("The office of Ada is in Lisbon", 1)
  const ghent = row("The office of Ada is in Ghent now", 2)

  it("show the latest statement, whatever the wording of earlier ones", () => {
    const desk = row("Ada's office is in Lisbon", 3)
    const pier = row("The pier is closed on Mondays", 4)
    expect(titles([lisbon, ghent, pier])).toEqual([pier.memory.title, ghent.memory.title])
    // Said again later, it is what is true.
    expect(titles([row("The office of Ada is in Lisbon", 1, { lastMentionedAt: 9_000 }), ghent])).toEqual([
      lisbon.memory.title
    ])
    const [first, ...others] = subjects([lisbon, desk, ghent, row("Ada's office is in Ghent now", 5)])
    expect(first!.row.memory.born).toBe(5)
    expect(first!.others.map(({ memory }) => memory.born)).toEqual([2])
    expect(others).toEqual([])
  })

  it("are separate without a judge, or if it fails", () => {
    expect(groupBySubject([lisbon, ghent], undefined, new Map())).toHaveLength(2)
    expect(
      titles([lisbon, row("The pier is closed on Mondays", 4)], () => {
        throw new Error("broken")
      })
    ).toHaveLength(2)
  })

  it("contain every memory once, in any order", () => {
    const one = fc.record({
      title: fc.constantFrom("Tea at four", "Tea at five now", "Tea at four, always", "Mira likes tea", "Dune is long"),
      born: fc.integer({ min: 1, max: 50 })
    })
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ born }) => born, maxLength: 20 }), (some) => {
        const rows = some.map(({ born, title }) => row(title, born))
        const found = groupBySubject(rows, judge, new Map())
        const all = found.flatMap(({ others, row }) => [row, ...others]).map(({ memory }) => memory.born)
        expect(all.sort((a, b) => a - b)).toEqual(some.map(({ born }) => born).sort((a, b) => a - b))
        expect(groupBySubject([...rows].reverse(), judge, new Map())).toEqual(found)
      })
    )
  })

  it.scoped("appear once, with the score of the statements that they replaced", () =>
    Effect.gen(function* () {
      const { daybook } = yield* fresh({ vectorExtension: null, reconciler: RuleReconciler.layer })
      const memory = yield* daybook.agent("ada", { trust: "full", record: false })
      const told = (title: string, reconcile = true) =>
        memory.remember({ title, type: "preference", store: "shared" }, { reconcile })
      for (let time = 0; time < 4; time++) yield* told("The office of Ada is in Lisbon")
      yield* told("Ada's office is in Lisbon", false)
      yield* told("The pier is closed on Mondays", false)
      yield* told("The pier is closed on Mondays", false)
      yield* told("The office of Ada is in Ghent now", false)
      expect((yield* memory.profile()).text).toBe(
        "- The office of Ada is in Ghent now\n- The pier is closed on Mondays"
      )
      // Who cannot read what says it last is told what there is to be read.
      yield* memory.remember({ title: "The office of Ada is in Turin now", type: "preference", store: "private" })
      const inner = yield* daybook.agent("ada", { trust: "inner" })
      expect((yield* inner.profile()).text).toContain("Ghent")
    })
  )
})
