import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import type { Memory } from "../events/Memory.js"
import { statesOtherValue } from "../layers/languages/en/settling/gaps.js"
import { readingOf } from "../layers/languages/en/settling/readings.js"
import { createRepeatTest } from "../layers/languages/en/settling/repeats.js"
import type { Wording } from "../projections/wordings.js"
import { selectLines } from "../src/maintenance/profileLines.js"
import type { Row } from "../src/maintenance/stageRow.js"
import { settled } from "./support/settled.js"
import { expectDuration } from "./support/size.js"

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

/** Titles that are over, in the order in which they were said; each line a memory said on a day of its own. */
const over = (
  lines: ReadonlyArray<string | readonly [string, Partial<Memory> & { readonly last?: number }]>,
  {
    former = () => [],
    wordings = () => []
  }: {
    readonly former?: (row: Row) => ReadonlyArray<Row>
    readonly wordings?: (row: Row) => ReadonlyArray<Wording>
  } = {}
): ReadonlyArray<string> => {
  const rows = lines.map((line, at) => (typeof line === "string" ? row(line, at + 1) : row(line[0], at + 1, line[1])))
  const { superseded } = settled(rows, { predecessors: former, wordings })
  return rows.filter((one) => superseded.has(one)).map(({ memory }) => memory.title)
}

describe("ended statements", () => {
  it.each([
    ["Ada moved from Lisbon to Ghent", "lisbon"],
    ["Ada left Fram Labs and works for Kia now", "fram lab"],
    ["Ada's boat is a Kia now, no longer a Fram", "fram"],
    ["Ada no longer wants calls before 10:00, she prefers them after 14:00", "want call 10:00"],
    ["Pier is no longer painted on Mondays but on Fridays", "paint monday"],
    ["It was agreed to replace copper by steel on the pier", "copper"],
    ["The budget was raised from 40,000 euros to 55,000 euros", "40,000"],
    ["Ada sails from Ghent instead of Lisbon now", "lisbon"],
    ["From a vegetarian she became a pescatarian", "vegetarian"],
    ["Ada's ships come from Ghent", ""],
    ["The ferry leaves on 3 May", ""],
    ["Ada is no longer with Dr. Smit but with Dr. Kaya", "smit"]
  ])("%s", (text, words) => {
    expect([...readingOf(text).ended].join(" ")).toBe(words)
  })

  it("are found quickly in a long text without an end", () => {
    const began = performance.now()
    readingOf(`from ${"abcdefghij".repeat(400)} no longer ${"x".repeat(4_000)} left ${"word ".repeat(500)}`)
    expectDuration("a long text without an end", performance.now() - began, 100)
  })
})

describe("an attribute with one value at a time", () => {
  it("is found by repeated words, if the grammar allows only one value", () => {
    expect(over(["Ada's office is in Lisbon", "Ada's office is in Ghent"])).toEqual(["Ada's office is in Lisbon"])
    expect(over(["The owner of Pier is Tom", "Mia is the owner of Pier", "The owner of Pier is Mia"])).toEqual([
      "The owner of Pier is Tom"
    ])
    expect(over(["Ada's office is in Lisbon", "Ada's office is bright"])).toEqual([])
    expect(over(["Tom's office is in Lisbon", "Ada's office is in Ghent"])).toEqual([])
  })

  it("supersedes its old value in any wording", () => {
    const lines = [
      "Ada has her flat in Lisbon",
      "Lisbon is where Ada lives",
      "Ada was born in Lisbon",
      "Ada's sister Eva lives in Lisbon",
      "Ada's home is in Lisbon",
      "Ada moved from Lisbon to Ghent"
    ]
    expect(over(lines)).toEqual(["Ada has her flat in Lisbon", "Lisbon is where Ada lives", "Ada's home is in Lisbon"])
    expect(over([...lines.slice(0, 5), "Ada's home is in Ghent"])).toEqual(over(lines))
  })

  it("is recognised by a stated change, an earlier change, or a value no longer mentioned", () => {
    const plums = ["Ada eats plums at noon", "Ada eats figs at noon"]
    expect(over(plums)).toEqual([])
    expect(over([...plums, "At noon Ada wants figs now"])).toEqual(["Ada eats plums at noon"])
    expect(over(["Ada eats plums at noon", "Ada gave up plums for figs", "Ada eats figs at noon"])).toContain(plums[0])
    expect(over([...plums, "Ada eats figs at noon now", "Ada eats pears at noon"])).toEqual([
      ...plums,
      "Ada eats figs at noon now"
    ])
    const [first, second] = [{ last: 5 }, { last: 25 }]
    expect(
      over([
        [plums[0]!, first],
        [plums[1]!, second]
      ])
    ).toEqual([])
    expect(
      over([
        [plums[0]!, { ...first, createdAt: 0 }],
        [plums[1]!, { last: 40, createdAt: 6 * day }]
      ])
    ).toEqual([plums[0]])
    // In two sentences one is said no more since the other is.
    expect(
      over([...plums, "Plums at noon are what Ada has", "Figs at noon are what Ada has"].toSorted(plumsFirst))
    ).toEqual(["Ada eats plums at noon", "Plums at noon are what Ada has"].toSorted(plumsFirst))
  })

  it("is not one whose values can be true together", () => {
    expect(over(["Ada likes plums", "Ada likes figs now"])).toEqual([])
    expect(over(["Ada prefers an aisle seat on flights", "Ada prefers Signal for messages now"])).toEqual([])
    expect(over(["In Kia prices are kept in cents", "In Fram prices are kept in cents now"])).toEqual([])
    expect(over(["Ada was in Ghent in May", "Ada was in Turin in May"])).toEqual([])
  })

  it("gets an earlier value back when the change is corrected", () => {
    const lines = [
      "Ada's home is in Lisbon",
      "Ada's home is in Turin",
      "Turin was a mix-up: Ada's home is still in Lisbon"
    ]
    expect(over(lines)).toEqual(["Ada's home is in Turin"])
    expect(over([[lines[0]!, { last: 9 }], lines[1]!])).toEqual([lines[1]])
  })

  it("is recognised in other words, and by retired memories", () => {
    const overBefore = (sport: string) =>
      over([sport, "Ada took up rowing"], {
        wordings: ({ memory }) =>
          memory.title === sport
            ? [{ text: "Ada's sport is sailing", at: day }]
            : [{ text: "Ada's sport is rowing", at: 2 * day }]
      })
    expect(overBefore("Ada sails for exercise")).toEqual(["Ada sails for exercise"])
    expect(overBefore("Ada crews a boat for exercise")).toEqual([])
    expect(
      over(["Ada keeps fit by sailing", "Ada took up rowing"], {
        wordings: ({ memory: { born } }) => [
          { text: `Ada's sport is ${born === 1 ? "sailing" : "rowing"}`, at: born * day }
        ]
      })
    ).toEqual(["Ada keeps fit by sailing"])
    const retired = row("Ada eats plums at noon", 90, { status: "superseded" })
    const figs = "Ada eats figs at noon"
    expect(
      over(["Ada has plums at noon", figs], { former: ({ memory }) => (memory.title === figs ? [retired] : []) })
    ).toEqual([])
  })

  it("belongs to one store, and is no event", () => {
    expect(over(["Ada's home is in Lisbon", ["Ada's home is in Ghent", { store: "shared" }]])).toEqual([])
    expect(over(["Ada's home is in Lisbon", ["Ada's home is in Ghent", { type: "event" }]])).toEqual([])
    expect(over(["Ada's home is in Lisbon", ["Ada's home is in Ghent", { type: "decision" }]])).toEqual([
      "Ada's home is in Lisbon"
    ])
  })

  it("keeps the value mentioned last, in any order of statements", () => {
    const one = fc.record({
      how: fc.constantFrom(
        "Ada's {of} is in {v}",
        "The {of} of Ada is in {v}",
        "{v} is where Ada has the {of}",
        "Ada moved the {of} to {v}"
      ),
      of: fc.constantFrom("boat", "piano"),
      v: fc.constantFrom("Lisbon", "Ghent", "Turin")
    })
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 15 }), (some) => {
        const said = some.map(({ how, of, v }) => how.replace("{of}", of).replace("{v}", v))
        const rows = said.map((title, at) => row(title, at + 1))
        const { subjects, superseded } = settled(rows)
        expect(superseded.has(rows.at(-1)!)).toBe(false)
        for (const [row, by] of superseded) {
          expect(by.memory.born).toBeGreaterThan(row.memory.born)
          expect(subjects.has(row)).toBe(false)
        }
        const back = settled([...rows].reverse())
        expect(new Set(back.superseded.keys())).toEqual(new Set(superseded.keys()))
      })
    )
  })
})
const plumsFirst = (a: string, b: string) => Number(/figs/iu.test(a)) - Number(/figs/iu.test(b))

describe("statements in other words", () => {
  it.each([
    ["Pier ships from stable", "Pier ships from trunk", true],
    ["Jenkins was a slip of the pen: Pier's builds run on Forgejo as before", "Pier's builds run on Jenkins", true],
    ["Kaya raised prices, so Pier has its sails made by Smit", "Pier has its sails made by Kaya", true],
    ["Ada greets with hi there", "Ada greets with good day", true],
    ["The call with Ada is at 3 pm", "The call with Ada is at 15:00", false],
    ["Ada adores tea", "Ada loves tea", false],
    ["Ada lives in Lisbon", "Lisbon is where Ada lives", false]
  ])("%s / %s", (text, other, expected) => {
    expect(statesOtherValue(text, other)).toBe(expected)
  })
})

describe("the space of a profile", () => {
  it("first goes to new content, titles before facts, then to rewordings", () => {
    const home = row("Ada lives in Ghent", 1)
    const again = row("Ada's home is in Ghent", 2)
    const tea = row("Ada drinks tea", 3, { facts: ["with milk"] })
    const repeats = createRepeatTest([home, again, tea])
    expect(repeats(again, home)).toBe(true)
    expect(repeats(row("Ada's office is in Lisbon", 2), home)).toBe(false)
    const words = (text: string) => text.split(" ").length - 1
    const lines = (budget: number, rows = [home, again, tea]) => [
      ...selectLines(rows, words, budget, { repeatsIn: createRepeatTest }).values()
    ]
    expect(lines(7)).toEqual(["- Ada lives in Ghent", "- Ada drinks tea"])
    expect(lines(9)).toEqual(["- Ada lives in Ghent", "- Ada drinks tea; with milk"])
    expect(lines(14)).toEqual(["- Ada lives in Ghent", "- Ada's home is in Ghent", "- Ada drinks tea; with milk"])
    const given = row("Ada's home is in Ghent", 2, { tier: "core" })
    expect(lines(9, [home, given, tea])).toEqual(["- Ada lives in Ghent", "- Ada's home is in Ghent"])
  })
})
