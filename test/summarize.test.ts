import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { ruleStatementReader } from "../layers/RuleStatementReader.js"
import { findSummaryProblem } from "../src/maintenance/checkSummary.js"
import type { Line, SummaryRequest, SummarySource } from "../src/ports/Summarizer.js"
import { estimateTokens as estimate } from "../text/normalise/countTokens.js"

const at = Date.UTC(2026, 2, 14, 9)
const source = (title: string, facts: ReadonlyArray<string> = [], text?: string): SummarySource => ({
  type: "technical",
  title,
  facts,
  ...(text === undefined ? {} : { text }),
  at
})
const request = (sources: ReadonlyArray<SummarySource>, kind: SummaryRequest["kind"] = "cluster"): SummaryRequest => ({
  kind,
  subject: sources[0]!.title ?? "",
  sources,
  budget: 1_000
})
const line = (part: Line["part"], text: string, ...sources: ReadonlyArray<number>): Line => ({ part, text, sources })
const reasonOf = (asked: SummaryRequest, ...lines: ReadonlyArray<Line>) =>
  findSummaryProblem(asked, { lines }, estimate, ruleStatementReader)?.reason

describe("the check of a summary", () => {
  const reports = request([
    source("Staging database", ["port 5432", "owned by Mira Holt"]),
    source("The staging database", ["It is on port 5432", "the disk has 80 GB"]),
    source(
      "Staging Database",
      ["Backups are made by Tom before 03:00"],
      "Mira asked for it on 2026-03-12. She had looked for another one."
    )
  ])
  const good: ReadonlyArray<Line> = [
    line("title", "Staging database", 0),
    line("narrative", "Mira asked for it on 2026-03-12.", 2),
    line("fact", "On port 5432; owned by Mira Holt", 0),
    line("fact", "Its disk has 80 GB", 1),
    line("fact", "Backups by Tom are made before 03:00", 2)
  ]
  const but = (at: number, ...lines: ReadonlyArray<Line>) => reasonOf(reports, ...good.toSpliced(at, 1, ...lines))

  it("accepts what the sources say, in fewer words", () => {
    expect(findSummaryProblem(reports, { lines: good }, estimate, ruleStatementReader)).toBeUndefined()
    // In two lines, and each fact under its own title.
    expect(but(2, line("fact", "port 5432", 0, 1), line("fact", "Owned by Mira Holt", 0))).toBeUndefined()
    expect(but(3, line("fact", "The staging database's disk has 80 GB", 1))).toBeUndefined()
  })

  it.each([
    ["a number", line("fact", "Its disk has 90 GB", 1)],
    ["a sign", line("fact", "Its disk has -80 GB", 1)],
    ["a unit", line("fact", "Its disk has 80 % GB", 1)],
    ["a name", line("fact", "Its disk has 80 GB, says Quentin", 1)],
    ["a word", line("fact", "Its disk has 80 GB and fails", 1)],
    ["a denial", line("fact", "Its disk has not 80 GB", 1)],
    ["a doubt", line("fact", "Maybe its disk has 80 GB", 1)],
    ["a question", line("fact", "Its disk has 80 GB?", 1)],
    ["what another source says", line("fact", "Its disk has 80 GB", 0)],
    ["one thing of another", line("fact", "Its disk has 5432 GB", 0, 1)],
    ["one thing of another, pieced together", line("fact", "Tom, owned by Mira Holt, has 80 GB", 0, 1, 2)]
  ])("finds what was invented: %s", (_, invented) => {
    expect(but(3, good[3]!, invented)).toBe("invented")
  })

  it.each([
    ["who does what to whom", "Alice reports to Bob", "Bob reports to Alice"],
    ["a denial left out", "Deploys do not happen on Fridays", "Deploys happen on Fridays"],
    ["a denial, shortened", "Deploys don't happen on Fridays", "Deploys happen on Fridays"],
    ["an end left out", "Deploys no longer happen on Fridays", "Deploys happen on Fridays"],
    ["before and after", "Deploys start before 11:00", "Deploys start after 11:00"],
    ["a bound left out", "Deploys start before 11:00", "Deploys start 11:00"],
    ["what was", "The port was 5432", "The port is 5432"],
    ["what was asked", "Is the port 5432?", "The port is 5432"],
    ["some for all", "Some builds fail", "All builds fail"],
    ["a currency", "It costs 5 €", "It costs 5 $"]
  ])("finds what was turned round: %s", (_, said, told) => {
    const asked = request([source("Notes", [said])])
    const title = line("title", "Notes", 0)
    expect(reasonOf(asked, title, line("fact", said, 0))).toBeUndefined()
    expect(reasonOf(asked, title, line("fact", said, 0), line("fact", told, 0))).toBe("invented")
    expect(reasonOf(asked, title, line("fact", told, 0))).toBe("invented")
  })

  it("refuses statements of one person attributed to another", () => {
    const asked = request([source("Mira likes tea"), source("Tom likes coffee")])
    const both = [line("title", "Mira likes tea", 0), line("fact", "Tom likes coffee", 1)]
    expect(reasonOf(asked, ...both)).toBeUndefined()
    expect(reasonOf(asked, line("title", "Mira likes tea, Tom likes coffee", 0, 1))).toBeUndefined()
    for (const wrong of ["Mira likes coffee", "Tom likes tea", "Mira likes tea and coffee", "Mira, likes coffee"]) {
      expect(reasonOf(asked, ...both, line("fact", wrong, 0, 1))).toBe("invented")
    }
  })

  it.each([
    ["a fact", 3, []],
    ["a piece of one", 2, [line("fact", "On port 5432", 0)]],
    ["what a narrative alone says", 1, []],
    ["a title", 0, [line("title", "port 5432", 0)]]
  ])("finds what was dropped: %s", (_, at, lines) => {
    expect(but(at, ...lines)).toBe("dropped")
  })

  it("refuses texts that are too long or cost too many tokens", () => {
    expect(but(0, line("title", "staging database ".repeat(40), 0))).toBe("size")
    expect(but(1, line("narrative", " ", 2))).toBe("size")
    expect(findSummaryProblem({ ...reports, budget: 20 }, { lines: good }, estimate, ruleStatementReader)).toEqual({
      reason: "cost",
      detail: `${estimate(good.map(({ text }) => text).join("\n"))} tokens, but the limit is 20`
    })
  })

  it("lets sentences of a conversation be left out, except facts", () => {
    const turns = request(
      [
        { type: "user", speaker: "Mira", text: "When do we deploy? I am in a hurry.", facts: [], at },
        {
          type: "assistant",
          text: "Let me see. We decided to deploy on Thursdays. It is sunny.",
          facts: ["We decided to deploy on Thursdays."],
          at
        }
      ],
      "session"
    )
    const asked = line("request", "When do we deploy?", 0)
    const decision = line("decision", "To deploy on Thursdays was decided", 1)
    expect(reasonOf(turns, asked, line("decision", "We decided to deploy on Thursdays", 1))).toBeUndefined()
    expect(reasonOf(turns, asked)).toBe("dropped")
    expect(reasonOf(turns, asked, decision)).toBe("invented")
  })

  const words = ["Mira", "Tom", "tea", "port", "5432", "2026-03-14", "not", "before", "likes", "harbour", "東京", "80%"]
  const statement = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 6 }).map((some) => some.join(" "))
  const some = fc.array(fc.record({ title: statement, facts: fc.array(statement, { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 4
  })

  it.prop(
    "accepts the sources word for word, and refuses a missing statement or an added word",
    [some, fc.nat(), fc.constantFrom("777", "Quentin", "never", "dislikes")],
    ([told, pick, more]) => {
      let number = 100
      const asked = request(
        told.map(({ facts, title }) =>
          source(
            `${title} ${number++}`,
            facts.map((one) => `${one} ${number++}`)
          )
        )
      )
      const lines = asked.sources.flatMap(({ facts, title = "" }, at) => [
        line(at === 0 ? "title" : "fact", title, at),
        ...facts.map((one) => line("fact", one, at))
      ])
      expect(reasonOf(asked, ...lines)).toBeUndefined()
      const one = lines[pick % lines.length]!
      expect(reasonOf(asked, ...lines, line("fact", `${one.text} ${more}`, ...one.sources))).toBe("invented")
      if (lines.length > 1)
        expect(reasonOf(asked, ...lines.toSpliced(1 + (pick % (lines.length - 1)), 1))).toBe("dropped")
    }
  )
})
