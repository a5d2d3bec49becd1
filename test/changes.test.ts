import { describe, expect, it } from "@effect/vitest"
import type { Memory } from "../events/Memory.js"
import * as RuleReconciler from "../layers/RuleReconciler.js"
import { changeOf, repeats, saidIn, saysFormer, slotsOf } from "../src/life/changes.js"
import type { Row } from "../src/life/facts.js"
import { outdating } from "../src/life/outdated.js"
import { within } from "../src/life/profile.js"

const { judge } = RuleReconciler.rules
const day = 86_400_000
const row = (title: string, first: number, fields: Partial<Memory> & { readonly last?: number } = {}): Row => {
  const { last = first, ...rest } = fields
  const memory = {
    id: `m${first}`,
    born: first,
    type: "identity",
    status: "active",
    store: "private",
    tier: "long",
    title,
    facts: [],
    tags: [],
    people: [],
    createdAt: first * day,
    updatedAt: first * day,
    lastMentionedAt: last * day,
    mentions: last === first ? 1 : 5,
    ...rest
  }
  return { memory: memory as unknown as Memory, accesses: undefined }
}
const over = (title: string, first: number, until: number): Row =>
  row(title, first, { status: "superseded", updatedAt: until * day })
const never = () => false

describe("what a text says is over", () => {
  it.each([
    ["Ada moved from Lisbon to Ghent", "lisbon"],
    ["Ada left Fram Labs and works for Kia now", "fram lab"],
    ["Ada's boat is a Kia now, no longer a Fram", "fram"],
    ["Ada no longer wants calls before 10:00, she prefers them after 14:00", "10:00"],
    ["Pier is no longer painted on Mondays but on Fridays", "monday"],
    ["It was agreed to replace copper by steel on the pier", "copper"],
    ["The budget was raised from 40,000 euros to 55,000 euros", "40"],
    ["Ada sails from Ghent instead of Lisbon", "lisbon"],
    ["Ada's ships come from Ghent", ""],
    ["Ada is no longer with Dr. Smit but with Dr. Kaya", "smit"]
  ])("%s", (text, words) => {
    expect([...saidIn(text).former].join(" ")).toBe(words)
  })

  it("is found at once in a long text without an end", () => {
    const began = performance.now()
    saidIn(`from ${"abcdefghij".repeat(400)} no longer ${"x".repeat(4_000)} left ${"word ".repeat(500)}`)
    expect(performance.now() - began).toBeLessThan(500)
  })

  it("is known by what was retired, until somebody says it again", () => {
    const change = changeOf(row("Ada's office is in Ghent", 20), [over("Ada's office is in Lisbon", 1, 20)], never)
    expect(saysFormer(change, row("Ada works at a desk in Lisbon", 5))).toBe(true)
    expect(saysFormer(change, row("Ada works at a desk in Lisbon", 5, { last: 21 }))).toBe(false)
    expect(saysFormer(change, row("Ada works at a desk in Turin", 5))).toBe(false)
    expect(saysFormer(change, row("Ada came from Lisbon to Ghent", 5))).toBe(false)
  })

  it("is a value, not who has it nor how it is said", () => {
    const slots = (a: string, b: string) => slotsOf(row(a, 2), row(b, 1)).map(({ before, now }) => [now, before])
    expect(slots("Ada's office is in Ghent now", "Ada's office is in Lisbon")).toEqual([["ghent", "lisbon"]])
    expect(slots("Ada prefers calls on Signal", "Ada wants calls on Signal")).toEqual([])
    expect(slots("In Kia prices are kept in cents", "In Fram prices are kept in cents")).toEqual([])
  })
})

describe("what was said since", () => {
  const found = (rows: ReadonlyArray<Row>, former: (row: Row) => ReadonlyArray<Row> = () => []) => {
    const round = outdating(rows, judge, { since: 0, stays: never })
    for (const by of round.said) round.hold(by, former)
    return [...round.found.keys()].map(({ memory }) => memory.title).sort()
  }

  it("retires nothing that says the same", () => {
    const moved = row("Ada moved from Lisbon to Ghent", 30)
    expect(found([moved, row("Ada's home is in Ghent", 29)])).toEqual([])
    expect(found([moved, row("Ada's home is in Lisbon", 1)])).toEqual(["Ada's home is in Lisbon"])
    const settled = row("Ada's office is in Ghent now", 30)
    const before = (one: Row) => (one === settled ? [over("Ada's office is in Lisbon", 1, 30)] : [])
    expect(found([settled, row("The office of Ada is in Ghent", 29)], before)).toEqual([])
  })

  it("retires what had taken the place of what its own words said, unless those were said beside it", () => {
    const eats = row("Ada eats plums now", 40)
    const diet = row("Ada's diet is figs, no longer pears", 20, { last: 30 })
    const pears = over("Ada eats pears", 1, 20)
    const before = (one: Row) => (one === diet ? [pears] : [])
    expect(found([eats, diet], before)).toEqual([diet.memory.title])
    expect(found([eats, row("Ada's diet is figs, no longer pears", 20, { last: 41 })], before)).toEqual([])
    const language = row("The interface of Fram is GraphQL", 20, { last: 30 })
    const wrong = (one: Row) => (one === language ? [over("Fram is written in Rust", 1, 20)] : [])
    const beside = over("Fram is written in Rust", 22, 40)
    expect(
      found([row("Fram is written in Kotlin", 40), language], (one) =>
        one === language ? wrong(one) : one.memory.born === 40 ? [beside] : []
      )
    ).toEqual([])
  })
})

describe("the room of a profile", () => {
  it("is for what was not said yet, then for other words", () => {
    const home = row("Ada lives in Ghent", 1)
    const again = row("Ada's home is in Ghent", 2)
    const tea = row("Ada drinks tea", 3)
    expect(repeats(again, home)).toBe(true)
    expect(repeats(row("Ada's office is in Lisbon", 2), home)).toBe(false)
    expect(within([home, again, tea], () => 1, 2)).toEqual([home, tea])
    expect(within([home, again, tea], () => 1, 3)).toEqual([home, again, tea])
    const given = row("Ada's home is in Ghent", 2, { tier: "core" })
    expect(within([home, given, tea], () => 1, 2)).toEqual([home, given])
  })
})
