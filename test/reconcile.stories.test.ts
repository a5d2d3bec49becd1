import { describe, expect, it } from "vitest"
import { compareWithCandidates } from "../layers/languages/en/rules/compare.js"
import { hashCount, phraseKinds } from "../layers/languages/en/rules/phrases.js"
import { ruleReconciler } from "../layers/RuleReconciler.js"
import { accepts, questionOf, readHeldOutStories, scoreOf, type Told } from "./support/decisions.js"

const heldOutStories = readHeldOutStories()

/** What is decided of a statement, given memories in this order. */
const judged = (memories: ReadonlyArray<Told>, statement: Told) =>
  ruleReconciler.judge(questionOf({ memories, statement })).verdict
const titles = (...all: ReadonlyArray<string>): ReadonlyArray<Told> => all.map((title) => ({ title }))
const action = (memory: string, statement: string) => judged(titles(memory), { title: statement }).action

it("held-out stories: 85 of 100 decisions right, and 90 of 100 merges and replacements", () => {
  const { accuracy, precision } = scoreOf(ruleReconciler, heldOutStories)
  expect(accuracy).toBeGreaterThanOrEqual(0.85)
  expect(precision("UPDATE")).toBeGreaterThanOrEqual(0.9)
  expect(precision("DELETE")).toBeGreaterThanOrEqual(0.9)
})

it.each([
  ["kept-6", 0.79, 0.84],
  ["kept-7", 0.57, 0.78],
  ["kept-8", 0.53, 0.55]
] as const)("held-out stories of %s: accuracy at least %d, contradictions right at least %d", (set, least, right) => {
  const { accuracy, precision } = scoreOf(ruleReconciler, readHeldOutStories(set))
  expect(accuracy).toBeGreaterThanOrEqual(least)
  expect(precision("DELETE")).toBeGreaterThanOrEqual(right)
})

it("held-out stories of kept-3, 6, 7 and 8: 98 of 100 certain contradictions are right", () => {
  const certain = (["kept-3", "kept-6", "kept-7", "kept-8"] as const)
    .flatMap((set) => readHeldOutStories(set))
    .flatMap((story) => {
      const { confidence = 0, verdict } = ruleReconciler.judge(questionOf(story))
      return verdict.action === "DELETE" && confidence >= 0.98 ? [accepts(story, verdict)] : []
    })
  expect(certain.length).toBeGreaterThan(50)
  expect(certain.filter((right) => right).length / certain.length).toBeGreaterThanOrEqual(0.98)
})

describe("numbers and times are compared by value", () => {
  it.each([
    ["The clinic opens at 7:30", "The clinic opens at half past seven", "NONE"],
    ["The standup is at 9:15", "The standup is at quarter past nine", "NONE"],
    ["The standup is at 8:45", "The standup is at quarter to nine", "NONE"],
    ["The session lasts half an hour", "The session lasts 30 minutes", "NONE"],
    ["The tuition is 3 150 euro per semester", "The tuition is 3,150 euro per semester", "NONE"],
    ["Over 300 swimmers signed up for the gala", "318 swimmers signed up for the gala", "UPDATE"],
    ["The gala has over 300 guests", "The gala has 318 guests", "UPDATE"]
  ])("%s / %s", (memory, statement, expected) => {
    expect(action(memory, statement)).toBe(expected)
  })
})

describe("a person with another name is another person", () => {
  it.each([
    ["Ruta is 128 cm tall", "Ruta's brother is 138 cm tall"],
    ["Beat speaks Swiss German at home", "Beat's children speak no Swiss German at home"]
  ])("%s / %s", (memory, statement) => {
    expect(action(memory, statement)).toBe("ADD")
  })
})

describe("phrases", () => {
  const phrasesIn = (memory: string, statement: string) =>
    compareWithCandidates(questionOf({ memories: titles(memory), statement: { title: statement } }))[0]!.phrases
  it("represent words by their meaning for the other text, except names", () => {
    const shapes = (memory: string, statement: string) =>
      phrasesIn(memory, statement).filter((phrase) => Math.floor(phrase / hashCount) === phraseKinds.indexOf("shape"))
    expect(shapes("Ana lives in Rome", "Ana no longer lives in Rome")).toEqual(
      shapes("Olek works at Nordsee", "Olek no longer works at Nordsee")
    )
    expect(shapes("Ana lives in Rome", "Ana no longer lives in Rome")).not.toEqual(
      shapes("Ana lives in Rome", "Ana no longer lives in Oslo")
    )
  })
  it("are at most as many as the words of a long text", () => {
    const long = "the crane was repaired by Livia on Tuesday while ships waited ".repeat(200)
    expect(phrasesIn(long.slice(0, 5000), long.slice(9)).length).toBeLessThan(500)
  })
})

describe("a number after a verb is not a name", () => {
  it.each([
    ["The staging database listens on port 5432", "The staging database listens on port 6543"],
    ["The database of Mooring uses port 5432", "The database of Mooring uses port 6543"],
    ["The API of Mooring has a limit of 100", "The API of Mooring has a limit of 200"]
  ])("%s / %s", (memory, statement) => {
    expect(action(memory, statement)).toBe("DELETE")
  })
})

describe("numbered things are different things", () => {
  it.each([
    ["Fixed ticket 12", "Fixed ticket 13"],
    ["Sprint 7 retro: deploys are slow", "Sprint 8 retro: deploys are slow"],
    ["Chapter 3 of the manual is translated", "Chapter 4 of the manual is translated"],
    ["Meter 4 of the greenhouse reads 1,200", "Meter 5 of the greenhouse reads 1,350"],
    ["Locker 17 belongs to Yara", "Locker 18 belongs to Malik"],
    ["Gate B opens at 7", "Gate C opens at 8"],
    ["The 2024 audit found six gaps", "The 2025 audit found two gaps"],
    ["#4411 is fixed", "#4412 is fixed"]
  ])("%s / %s", (memory, statement) => {
    expect(action(memory, statement)).toBe("ADD")
    expect(action(statement, memory)).toBe("ADD")
  })
  it("and are found by number among twenty of a kind", () => {
    const lockers = Array.from({ length: 10 }, (_, at) => ({
      title: `Locker ${at + 10} is rented to customer ${at + 500}`
    }))
    expect(judged(lockers, { title: "Locker 31 is rented to customer 777" }).action).toBe("ADD")
    expect(judged(lockers, { title: "Locker 14 is rented to customer 504" })).toMatchObject({
      action: "NONE",
      target: 4
    })
  })
})

describe("questions and thoughts retire nothing", () => {
  it.each([
    ["The gym opens at 6:00", "Does the gym still open at 6:00?"],
    ["The gym opens at 6:00", "When does the gym open on Sundays?"],
    ["Rosa lives in Turin", "If Rosa got the job, she would live in Genoa"],
    ["We host on Hetzner", "We might host on AWS one day"],
    ["The fee is 20 euros", "Someone suggested a fee of 25 euros"]
  ])("%s / %s", (memory, statement) => {
    expect(action(memory, statement)).toBe("ADD")
  })
})

describe("unusual statements", () => {
  it("may have facts and narratives without words", () => {
    const empty = { title: "Router in the hall", facts: ["", "  ", "–"], narrative: "" }
    expect(judged([empty], { title: "Router in the hall", facts: [""] })).toMatchObject({ action: "NONE", target: 0 })
    expect(judged([{ title: "" }], { title: "" }).action).toMatch(/^(?:ADD|NONE)$/)
    expect(judged([{ title: "…" }], { title: "Router in the hall" }).action).toBe("ADD")
  })
  it("may have narratives of 10,000 characters, quickly", () => {
    const words = "the harbour crane was repaired by Livia on Tuesday while ships waited for 3 hours and "
    const long = (at: number): Told => ({
      title: `Minutes of the meeting on ${at + 1} March`,
      narrative: words.repeat(120).slice(at * 7, at * 7 + 10_000),
      facts: Array.from({ length: 12 }, (_, fact) => `${words} ${at * fact}`)
    })
    const memories = Array.from({ length: 10 }, (_, at) => long(at))
    judged(memories, long(11))
    const millis = Array.from({ length: 10 }, () => {
      const before = process.cpuUsage()
      judged(memories, long(11))
      const { system, user } = process.cpuUsage(before)
      return (system + user) / 1_000
    })
    // Some 10 ms; what else runs at the same time makes single ones slower.
    expect(Math.min(...millis)).toBeLessThan(100)
  })
  it("give the same answer in any order of equal candidates", () => {
    const memories = titles("The lamp is on", "The lamp is on", "Mira waters the plants", "The lamp is on")
    const statement = { title: "The lamp is off now" }
    const first = judged(memories, statement)
    for (const order of [memories.toReversed(), [...memories.slice(2), ...memories.slice(0, 2)]]) {
      const again = judged(order, statement)
      expect(again.action).toBe(first.action)
      if ("target" in again) expect(order[again.target]!.title).toBe("The lamp is on")
    }
  })
})
