import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { actionByReason } from "../layers/languages/claims/compareClaims.js"
import { reasons as englishReasons } from "../layers/languages/en/rules/judge.js"
import { ruleReconciler } from "../layers/RuleReconciler.js"
import { limits } from "../src/model/limits.js"
import { defaults } from "../src/ports/Policy.js"
import { decodeVerdict, type Statement } from "../src/ports/Reconciler.js"
import { mergeStatements } from "../src/remember/mergeStatements.js"
import { questionOf, readHeldOutStories, type Told } from "./support/decisions.js"
import { lawRuns, rounds } from "./support/size.js"

const heldOutStories = readHeldOutStories()
const reasons = [...englishReasons, ...Object.keys(actionByReason)]

const told = (text: string | Told): Told => (typeof text === "string" ? { title: text } : text)

/** What is decided of a statement, given what is remembered: the action and its target in one word. */
const decided = (memory: string | Told, statement: string | Told): string => {
  const { verdict } = ruleReconciler.judge(questionOf({ memories: [told(memory)], statement: told(statement) }))
  return `${verdict.action} ${verdict.reason}`
}

describe("the opposite of what is only denied", () => {
  it.each([
    ["I no longer like JRPGs", "I hate JRPGs"],
    ["Mira does not like tea", "Mira detests tea"],
    ["I don't hate JRPGs", "I love JRPGs"]
  ])("%s is less than %s", (memory, statement) => {
    expect(decided(memory, statement)).toBe("ADD says more")
  })

  it.each([
    ["I hate JRPGs", "I no longer like JRPGs"],
    ["The cache is not disabled", "The cache is enabled"]
  ])("%s says that %s", (memory, statement) => {
    expect(decided(memory, statement)).toMatch(/^NONE/)
  })
})

describe("the same words on another day", () => {
  const decidedAt = (at: string) =>
    decided({ title: "Storage is offline tomorrow", at: "2026-04-06" }, { title: "Storage is offline tomorrow", at })

  it("are another statement if their date depends on that day", () => {
    expect(decidedAt("2026-04-06")).toMatch(/^NONE/)
    expect(decidedAt("2026-05-04")).not.toMatch(/^NONE/)
  })
})

describe("a short statement that shares a name with a long memory", () => {
  const deploys =
    "Alice, Mateo and Jonas agreed that deploys of Mooring happen on Tuesdays, starting before 11:00, so that somebody is there when it breaks"
  const meetings = "No meetings before 09:30 for Alice: she takes her son Émile to school first."
  const worker =
    "One web service, mooring-api, and one worker, mooring-planner; only the planner may write to the table allocations"

  it.each([
    [deploys, "Alice likes jazz"],
    [deploys, "Jonas likes jazz"],
    [meetings, "Alice goes to bed early"],
    [worker, "mooring-planner is written in Go"],
    [worker, "mooring-planner runs on two machines"]
  ])("%s is stored beside it: %s", (memory, statement) => {
    expect(decided(memory, statement)).toMatch(/^ADD/)
  })

  it.each([
    [deploys, "Deploys of Mooring happen on Tuesdays"],
    [meetings, "No meetings before 09:30 for Alice"],
    [worker, "Only the planner may write to the table allocations"]
  ])("%s knows a part of it: %s", (memory, statement) => {
    expect(decided(memory, statement)).toMatch(/^NONE/)
  })
})

describe("an end that may concern a part only", () => {
  const confidenceOf = (memory: string, statement: string) =>
    ruleReconciler.judge(questionOf({ memories: [told(memory)], statement: told(statement) })).confidence

  it.each([
    ["The API is stable", "The API is no longer stable on ARM"],
    ["Kim is vegetarian", "Kim is no longer vegetarian on weekends"],
    ["The shop is open", "The shop is no longer open on Mondays"],
    ["Deploys happen on Thursdays", "Deploys no longer happen on Thursdays in December"]
  ])("does not retire %s: %s", (memory, statement) => {
    expect(confidenceOf(memory, statement)).toBeLessThan(defaults.reconcile.certain)
  })

  it.each([
    ["The API is stable", "The API is no longer stable"],
    ["Kim is vegetarian", "Kim is no longer vegetarian"],
    ["Tom works at Acme", "Tom no longer works at Acme"]
  ])("retires %s if nothing else is said: %s", (memory, statement) => {
    expect(confidenceOf(memory, statement)).toBeGreaterThanOrEqual(defaults.reconcile.certain)
  })
})

/** A rule, a pair of texts that it decides, and one that looks like it and must be stored beside the other. */
const telling: ReadonlyArray<
  readonly [decision: string, memory: string, statement: string, trapMemory: string, trap: string]
> = [
  [
    "NONE says the same",
    "The fridge in the lab is broken",
    "The refrigerator in the lab is broken",
    "The fridge in the lab is broken",
    "The freezer in the hall is broken"
  ],
  [
    "NONE says nothing new",
    "Ingrid lives in Bergen",
    "Ingrid resides in Bergen",
    "Ingrid lives in Bergen",
    "Astrid resides in Bergen"
  ],
  [
    "NONE says part of it",
    "The parser is written in Rust with handwritten recursion",
    "The parser is written in Rust",
    "The parser is written in Rust with handwritten recursion",
    "The lexer is written in Rust"
  ],
  [
    "UPDATE adds detail",
    "Ingrid lives in Bergen",
    "Ingrid lives in Bergen, near the harbour",
    "Ingrid lives in Bergen",
    "Ingrid's sister lives in Bergen, near the harbour"
  ],
  [
    "UPDATE says it more exactly",
    "The wedding is in June",
    "The wedding is on 14 June",
    "The wedding is in June",
    "The christening is on 14 June"
  ],
  [
    "DELETE another number",
    "The upload API times out after 30 seconds",
    "The upload API times out after 90 seconds",
    "The upload API times out after 30 seconds",
    "The upload API retries 5 times"
  ],
  [
    "DELETE another version",
    "The build uses Terraform 1.8.2",
    "The build uses Terraform 1.9.0",
    "The build uses Terraform 1.8.2",
    "The build uses Ansible 2.1.0"
  ],
  [
    "DELETE another time",
    "The gym opens at 6:00",
    "The gym opens at 7:00",
    "The gym opens at 6:00",
    "The sauna opens at 7:00"
  ],
  [
    "DELETE another day",
    "The launch is on 6 May",
    "The launch is on 10 June",
    "Ran a race on 6 May",
    "Ran a race on 10 June"
  ],
  ["DELETE another value", "theme: dark", "theme: light", "theme: dark", "language: light"],
  [
    "DELETE another owner",
    "Tomas maintains the billing service",
    "Ines maintains the billing service",
    "Tomas owns a cat",
    "Ines owns a cat"
  ],
  [
    "DELETE changed",
    "CI runs on Jenkins",
    "CI now runs on Buildkite",
    "CI runs on Jenkins",
    "CI also runs on Buildkite"
  ],
  [
    "DELETE no longer so",
    "The frontend uses jQuery",
    "The frontend no longer uses jQuery",
    "The frontend uses jQuery",
    "The backend no longer uses Python"
  ],
  [
    "DELETE negated",
    "Employees may work from abroad",
    "Employees may not work from abroad",
    "Employees may work from abroad",
    "Employees may not smoke in the lobby"
  ],
  [
    "DELETE opposite",
    "Dark mode is enabled for all users",
    "Dark mode is disabled for all users",
    "Dark mode is enabled for all users",
    "Push messages are disabled for all users"
  ],
  [
    "DELETE preference reversed",
    "I prefer tea over coffee",
    "I prefer coffee over tea",
    "I prefer tea over coffee",
    "Lena prefers coffee over tea"
  ],
  [
    "DELETE replaced",
    "We use npm for package management",
    "We switched from npm to pnpm",
    "The npm token expires in May",
    "We switched from bower to pnpm"
  ],
  [
    "DELETE done since",
    "The boiler still has to be installed",
    "The boiler was installed on 4 September",
    "The boiler still has to be installed",
    "The radiator was installed on 4 September"
  ]
]

describe("each rule decides its pair, and lets the one that looks like it pass", () => {
  for (const [decision, memory, statement, trapMemory, trap] of telling) {
    it(decision, () => {
      expect(decided(memory, statement)).toBe(decision)
      expect(decided(trapMemory, trap)).toMatch(/^ADD /)
    })
  }
})

describe("what is not stated retires nothing", () => {
  it.each([
    ["a question", "The app uses SQLite", "Does the app use Postgres now?"],
    ["a condition", "We deploy on Mondays", "If we deployed on Fridays, support would complain"],
    ["a thought", "I live in Zurich", "I am thinking about moving to Oslo"],
    ["hearsay", "Our refund window is 14 days", "A customer claims that the refund window is 30 days"],
    ["the past", "I live in Zurich", "I used to live in Hamburg"],
    ["one more", "Marco likes olives", "Marco also likes capers"],
    ["another environment", "Staging has 2 replicas", "Production has 4 replicas"],
    ["another year", "The 2024 report has 80 pages", "The 2025 report has 95 pages"]
  ])("%s", (_, memory, statement) => {
    expect(decided(memory, statement)).toMatch(/^ADD /)
  })
  it("a statement that was said before", () => {
    const memory = { title: "The gym membership costs 35 euros a month" }
    const statement = { title: "The gym membership costs 42 euros a month" }
    expect(decided({ ...memory, at: "2026-03-01" }, { ...statement, at: "2026-04-01" })).toMatch(/^DELETE /)
    expect(decided({ ...memory, at: "2026-03-01" }, { ...statement, at: "2026-02-01" })).toBe("ADD said before it")
  })
  it("a double negation is no negation", () => {
    expect(
      decided("Backups are enabled on the server", "It is not true that backups are disabled on the server")
    ).toMatch(/^NONE /)
  })
})

describe("a likely contradiction", () => {
  const memory = { title: "The clinic opens at 8:00" }
  const judged = (title: string) => ruleReconciler.judge(questionOf({ memories: [memory], statement: { title } }))
  it.each(["The clinic opens at 9:00 now", "The opening of the clinic moved from 8:00 to 9:00"])(
    "is certain: %s",
    (title) =>
      expect(judged(title)).toMatchObject({ verdict: { action: "DELETE" }, confidence: expect.toSatisfy(isCertain) })
  )
  it.each([
    "The clinic opens at 9:00 this week",
    "Haha, the clinic opens at 9:00 now",
    "The clinic plans to open at 9:00 now"
  ])("for a bounded time, in jest or as a plan is not: %s", (title) =>
    expect(judged(title).confidence ?? 0).toBeLessThan(0.98)
  )
})
const isCertain = (confidence: number): boolean => confidence >= 0.98

describe("short texts that share their names alone", () => {
  it.each([
    ["Ada was born in Lisbon", "Ada lives in Lisbon"],
    ["Ada lives in Lisbon", "Ada was born in Lisbon"],
    ["Ada works in Lisbon", "Ada lives in Lisbon"],
    ["Ada studied in Lisbon", "Ada lives in Lisbon"],
    ["Ada was born in Lisbon", "Ada's office is in Lisbon"],
    ["Ada's office is in Lisbon", "Ada was born in Lisbon"],
    ["Ada was born in Lisbon", "Ada has an office in Lisbon"],
    ["Ada likes sailing boats", "Ada repairs sailing boats"],
    ["The crawler uses Redis", "The crawler monitors Redis"]
  ])("are two facts when they tell something else of them: %s / %s", (memory, statement) => {
    expect(decided(memory, statement)).toMatch(/^ADD /)
  })
  it("and the reason says so", () => {
    expect(decided("Ada works in Lisbon", "Ada lives in Lisbon")).toBe("ADD another relation")
  })
  it("another value of the same replaces it", () => {
    expect(decided("Mira lives in Bergen", "Mira lives in Oslo")).toBe("DELETE another value")
    expect(decided("Mira was born in Bergen", "Mira lives in Oslo")).toMatch(/^ADD /)
  })
  it.each([
    ["Ada's home is Lisbon", "Ada lives in Lisbon"],
    ["Ada lives in Lisbon", "Ada's home is in Lisbon"],
    ["Ada's office is in Lisbon", "Ada has an office in Lisbon"],
    ["Ada is married to Tom", "Tom is Ada's husband"],
    ["The crawler watches Redis", "The crawler monitors Redis"]
  ])("are one when they tell the same in other words: %s / %s", (memory, statement) => {
    expect(decided(memory, statement)).toMatch(/^NONE /)
  })
})

describe("labelled stories", () => {
  it("do not depend on the order of the memories", () => {
    for (const { id, memories, statement } of heldOutStories.filter(({ memories }) => memories.length > 1)) {
      const there = ruleReconciler.judge(questionOf({ memories, statement })).verdict
      const back = ruleReconciler.judge(questionOf({ memories: memories.toReversed(), statement })).verdict
      expect({ id, action: back.action }).toEqual({ id, action: there.action })
      if ("target" in there && "target" in back) expect(back.target).toBe(memories.length - 1 - there.target)
    }
  })
  it("find their target among many others", () => {
    const others = Array.from({ length: 9 }, (_, at) => ({ title: `The lamp in corridor ${at} has ${at + 3} bulbs` }))
    for (const { id, memories, statement, accept } of heldOutStories) {
      const many = ruleReconciler.judge(questionOf({ memories: [...others, ...memories], statement })).verdict
      const alone = ruleReconciler.judge(questionOf({ memories, statement })).verdict
      expect({ id, action: many.action }).toEqual({ id, action: alone.action })
      if ("target" in many && accept[0]?.target !== undefined) expect(many.target).toBeGreaterThanOrEqual(others.length)
    }
  })
  it("name the rule, and copy no text", () => {
    for (const story of heldOutStories) {
      const { by, verdict } = ruleReconciler.judge(questionOf(story))
      expect(by).toEqual({ kind: "rule", name: "rules-v13" })
      expect(reasons).toContain(verdict.reason)
    }
  })
})

const pieces = fc.constantFrom(
  ..."Anna lives in Berlin no longer not now 5432 port: = 10:30 2025-02-30 March 31 Q7 v1.2 ( ) \" ? . , - → 東京 é ß İ \u0301 🙂 $5 10% 3rd #12 don't 's __proto__ constructor toString from to over instead of".split(
    " "
  )
)
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.array(pieces, { maxLength: 40 }).map((words) => words.join(" "))
)
const statement = fc.record({
  type: fc.constantFrom("discovery", "event", "task"),
  title: text,
  narrative: text,
  facts: fc.array(text, { maxLength: 5 }),
  tags: fc.array(text, { maxLength: 3 }),
  people: fc.array(text, { maxLength: 3 }),
  at: fc.oneof(fc.integer(), fc.constant(Number.NaN), fc.constant(8.64e15))
})

describe("any input", () => {
  it("is decided, twice alike, with a target that is there", () => {
    fc.assert(
      fc.property(statement, fc.array(statement, { maxLength: 12 }), (stated, memories) => {
        const question = { statement: stated, candidates: memories.map((memory) => ({ ...memory, score: 0.5 })) }
        const before = JSON.stringify(question)
        const { confidence, sure, verdict } = ruleReconciler.judge(question)
        const again = { by: { kind: "rule", name: "rules-v13" }, sure, verdict }
        expect(ruleReconciler.judge(question)).toEqual(confidence === undefined ? again : { ...again, confidence })
        // Only a contradiction needs a confidence: it alone retires a memory.
        expect(confidence !== undefined).toBe(verdict.action === "DELETE")
        if (confidence !== undefined) expect(confidence > 0 && confidence < 1).toBe(true)
        expect(JSON.stringify(question)).toBe(before)
        expect(decodeVerdict("rules-v13", verdict, memories.length)._tag).toBe("Right")
        expect(reasons).toContain(verdict.reason)
      }),
      { numRuns: lawRuns({ quick: 60, full: 300 }) }
    )
  })
  it("of many kilobytes a text is decided in a moment", () => {
    for (const unit of [
      "a",
      "1",
      "1,",
      "a.b-",
      "no longer ",
      "March 5 ",
      "Anna now lives in Berlin. ",
      "(",
      "\u0301",
      "東",
      "#1 ",
      "x'"
    ]) {
      const long = unit.repeat(rounds({ quick: 20_000, full: 100_000 }) / unit.length)
      const huge: Statement = {
        type: "discovery",
        title: long,
        narrative: long,
        facts: Array(200).fill(long),
        tags: [],
        people: [],
        at: 0
      }
      const started = process.cpuUsage()
      ruleReconciler.judge({ statement: huge, candidates: Array(20).fill({ ...huge, score: 1 }) })
      const { system, user } = process.cpuUsage(started)
      expect((user + system) / 1e6).toBeLessThan(4)
    }
  })
})

const plain = (title: string, rest: Partial<Statement> = {}): Statement => ({
  type: "discovery",
  title,
  facts: [],
  tags: [],
  people: [],
  at: 0,
  ...rest
})

describe("mergeStatements", () => {
  it("keeps the title that says more, and loses no other", () => {
    expect(
      mergeStatements(plain("Ingrid lives in Bergen"), plain("Ingrid lives in Bergen, near the harbour"))
    ).toMatchObject({
      title: "Ingrid lives in Bergen, near the harbour",
      facts: []
    })
    expect(mergeStatements(plain("Router"), plain("The router's model is AX55"))).toMatchObject({
      title: "The router's model is AX55"
    })
    expect(mergeStatements(plain("Backups run nightly"), plain("Nightly backups go to S3"))).toMatchObject({
      title: "Backups run nightly",
      facts: ["Nightly backups go to S3"]
    })
  })
  it("unites facts, narratives, tags and people without repeats", () => {
    const target = plain("Router", {
      facts: ["ip: 10.0.0.1", "user: admin"],
      narrative: "Bought in May.",
      tags: ["home"],
      people: ["Ada"]
    })
    const stated = plain("Router", {
      facts: ["IP: 10.0.0.1", "user: admin, shared with Ada", "model: AX55"],
      narrative: "Bought in May. It restarts at night.",
      tags: ["Home", "net"],
      people: ["Ada", "Bo"]
    })
    expect(mergeStatements(target, stated)).toEqual({
      title: "Router",
      facts: ["ip: 10.0.0.1", "user: admin, shared with Ada", "model: AX55"],
      narrative: "Bought in May. It restarts at night.",
      tags: ["home", "net"],
      people: ["Ada", "Bo"]
    })
  })
  it("does not take 1 for a part of 10", () => {
    expect(mergeStatements(plain("Shelf", { facts: ["box 1"] }), plain("Shelf", { facts: ["box 10"] })).facts).toEqual([
      "box 1",
      "box 10"
    ])
  })
  it("lets what was decided stand", () => {
    const merged = { title: "Cache", facts: ["ttl: 5"], tags: ["b"], narrative: "So." }
    expect(mergeStatements(plain("A", { facts: ["x"], tags: ["a"] }), plain("B", { facts: ["y"] }), merged)).toEqual({
      ...merged,
      people: []
    })
  })
  it("never goes beyond the limits, and merging again changes nothing", () => {
    fc.assert(
      fc.property(statement, statement, fc.integer({ min: 0, max: 9 }), (a, b, power) => {
        const grown = {
          ...b,
          narrative: b.narrative.repeat(4 ** power).slice(0, limits.narrative),
          tags: Array.from({ length: 30 }, (_, at) => `${at}`)
        }
        const target = {
          ...a,
          title: a.title.slice(0, limits.title),
          facts: [...a.facts, ...Array.from({ length: 199 }, (_, at) => `fact ${at}`)]
        }
        const { facts, narrative = "", people, tags, title } = mergeStatements(target, grown)
        expect(title.length).toBeLessThanOrEqual(limits.title)
        expect(facts.length).toBeLessThanOrEqual(limits.facts)
        expect(facts.every((fact) => fact.length <= limits.fact)).toBe(true)
        expect(narrative.length).toBeLessThanOrEqual(limits.narrative)
        expect(tags.length).toBeLessThanOrEqual(limits.tags)
        expect(people.length).toBeLessThanOrEqual(limits.people)
      }),
      { numRuns: lawRuns({ quick: 20, full: 100 }) }
    )
  })
})
