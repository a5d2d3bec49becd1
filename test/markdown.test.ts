import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type MarkdownItem, parseMarkdown as parseInSteps } from "../src/import/markdown.js"
import { sliceMarkdown } from "../src/import/markdown-slices.js"
import { limits } from "../src/model/limits.js"
import { lawRuns } from "./support/size.js"

/** The items and cuts of a file, in one go. */
const parse = (text: string, file: string) => {
  const steps = parseInSteps(text, file)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
const parseMarkdown = (text: string, file: string) => parse(text, file).items

const read = (lines: ReadonlyArray<string>, file = "notes.md") => parseMarkdown(lines.join("\n"), file)
const titles = (items: ReadonlyArray<MarkdownItem>) => items.map((item) => item.title)
const day = Date.UTC(2026, 2, 14)

const one = (text: string, file = "notes.md"): MarkdownItem => {
  const [item, ...others] = parseMarkdown(text, file)
  if (item === undefined || others.length > 0) throw new Error(`${others.length + (item ? 1 : 0)} items, not 1`)
  return item
}

describe("a journal", () => {
  const items = read(
    [
      "---",
      "tags: [Work Log, q1]",
      "people:",
      "  - Ada Lovelace",
      "store: private",
      "mood: good # ignored",
      "---",
      "# 2026-03-14",
      "",
      "## Morning",
      "Standup with @Grace. Deploys are slow #ci-pipeline",
      "",
      "- Cache warmed",
      "  - took 3 min",
      "  - on `eu-1`",
      "    1. twice",
      "- [x] Ship the release",
      "",
      "## Decisions",
      "### Database",
      "1. Postgres over MySQL",
      "",
      "## Tomorrow",
      "- call Bob"
    ],
    "journal/2026-03-14.md"
  )

  it("becomes one item per paragraph and top-level bullet, typed by heading, box or file", () => {
    expect(items.map(({ type, title, line }) => [type, title, line])).toEqual([
      ["event", "Standup with @Grace. Deploys are slow #ci-pipeline", 11],
      ["event", "Cache warmed", 13],
      ["task", "Ship the release", 17],
      ["decision", "Postgres over MySQL", 21],
      ["task", "call Bob", 24]
    ])
  })

  it("becomes facts of nested bullets at any depth", () => {
    expect(items.map((item) => item.facts)).toEqual([[], ["took 3 min", "on eu-1", "twice"], [], [], []])
  })

  it("gets tags from headings, front matter and hashtags, but not from dates and generic words", () => {
    expect(items.map((item) => item.tags)).toEqual([
      ["work-log", "q1", "ci-pipeline"],
      ["work-log", "q1"],
      ["done", "work-log", "q1"],
      ["decisions", "database", "work-log", "q1"],
      ["work-log", "q1"]
    ])
  })

  it("gets people from front matter and mentions, the store from front matter, the date from the file", () => {
    expect(items.map((item) => item.people)).toEqual([["Ada Lovelace", "Grace"], ...Array(4).fill(["Ada Lovelace"])])
    expect(items.every((item) => item.store === "private" && item.occurredAt === day)).toBe(true)
    expect(items.every((item) => /^[0-9a-f]{32}$/.test(item.key) && !("narrative" in item))).toBe(true)
  })
})

describe("front matter", () => {
  it("may have a single value, several with commas, quotes, and unindented lists", () => {
    const item = one('---\ntags: "one, two"\npeople: Ada, @Bob\nstore: public\n---\nText')
    expect([item.tags, item.people, item.store]).toEqual([["one-two"], ["Ada", "Bob"], undefined])
    expect(one("---\ntags:\n- '#A/b'\n- \"[[C]]\"\npeople: ['[[Ada L]]', \"Bob\"]\n...\nText")).toMatchObject({
      tags: ["a-b", "c"],
      people: ["Ada L", "Bob"],
      line: 7
    })
  })

  it("does not include text that only looks like it", () => {
    expect(titles(read(["---", "We met. It went well.", "", "Twice.", "---"]))).toEqual([
      "We met. It went well.",
      "Twice."
    ])
    expect(titles(read(["---", "tags: a", "no end"]))).toEqual(["tags: a no end"])
  })
})

describe("types", () => {
  it.each([
    ["Key Decisions", "decision"],
    ["Preferences", "preference"],
    ["Likes", "preference"],
    ["Contacts", "person"],
    ["The team", "person"],
    ["To-do", "task"],
    ["Next steps", "task"],
    ["About me", "identity"],
    ["Who I am", "identity"],
    ["Setup", "config"],
    ["The fix", "solution"],
    ["Architecture", "technical"],
    ["Meetings:", "event"],
    ["What I learned", "discovery"],
    ["Next.js", "discovery"],
    ["Aboutness of teamwork", "discovery"]
  ])("under %s: %s", (heading, type) => {
    expect(one(`## ${heading}\n### Details\n- text`).type).toBe(type)
  })

  it("come from the nearest heading, before it from a leading word, before both from a check box", () => {
    expect(one("# Decisions\n## Preferences\ntext").type).toBe("preference")
    expect(one("# Preferences\n**Decision:** tabs").type).toBe("decision")
    expect(one("# Preferences\n2026-03-14: decision: tabs").type).toBe("decision")
    expect(one("# Preferences\n- [ ] Decision: tabs")).toMatchObject({
      type: "task",
      title: "Decision: tabs",
      tags: []
    })
    expect(one("The decision: tabs").type).toBe("discovery")
  })
})

describe("people", () => {
  it("come from the H1 of a file in a folder called people", () => {
    const items = read(["Before", "# Ada Lovelace (CTO)", "Likes tea", "## Decisions", "- left"], "a/People/ada.md")
    expect(items.map(({ type, people, tags }) => [type, people, tags])).toEqual([
      ["person", ["Ada Lovelace"], []],
      ["person", ["Ada Lovelace"], []],
      ["decision", ["Ada Lovelace"], ["decisions"]]
    ])
    expect(one("# Ada\ntext", "people.md")).toMatchObject({ people: [], type: "discovery" })
  })

  it("come from the heading below People", () => {
    const items = read([
      "# Notes",
      "## People",
      "- all",
      "### Ada",
      "- kind",
      "#### Preferences",
      "- tea",
      "## Next",
      "- x"
    ])
    expect(items.map(({ type, people }) => [type, people])).toEqual([
      ["person", []],
      ["person", ["Ada"]],
      ["preference", ["Ada"]],
      ["task", []]
    ])
  })

  it("come from mentions, once each, but not from addresses, packages or code", () => {
    expect(one("@Ada, (@bob) and @ada. a@b.c @effect/cli `@Input` https://x.org/@eve").people).toEqual(["Ada", "bob"])
  })
})

describe("tags", () => {
  it("leave out the only H1, but not several", () => {
    expect(one("# Daybook\n## Storage layer\ntext").tags).toEqual(["storage-layer"])
    expect(read(["# Front", "a", "# Back", "b"]).map((item) => item.tags)).toEqual([["front"], ["back"]])
  })

  it("are at most 16 of at most 64 characters, lower-case", () => {
    const { tags } = one(`## ${"Très long ".repeat(20)}\n${Array.from({ length: 20 }, (_, i) => `#T${i}`).join(" ")}`)
    expect(tags).toHaveLength(16)
    expect(tags[0]).toMatch(/^très-long-.{0,54}$/)
    expect(tags[1]).toBe("t0")
  })

  it("never come from numbers, anchors or code", () => {
    expect(one("#42 a#b `#c` https://x.org/#d [see](#e) (#F)").tags).toEqual(["f"])
  })
})

describe("dates", () => {
  it.each(["2026-03-14.md", "2026_03_14.md", "a/20260314.md", "journal-2026-03-14.md"])("of %s", (file) => {
    expect(one("text", file)).toMatchObject({ occurredAt: day, type: "event" })
  })

  it.each(["2026-02-30.md", "202603141.md", "2026-03-14/a.md", "v2.md"])("none of %s", (file) => {
    expect(one("text", file)).not.toHaveProperty("occurredAt")
  })

  it.each(["## 2026-03-14\ntext", "## Saturday, 2026/03/14 - Launch\ntext", "## Launch (2026-03-14)\n### x\n- text"])(
    "of the heading in %j",
    (text) => expect(one(text, "2020-01-01.md").occurredAt).toBe(day)
  )

  it.each([
    ...["2026-03-14: text", "(2026-03-14) text", "[ ] **2026-03-14** - text", "2026-03-14 text", "[x] 2026-03-14 text"],
    ...[
      "**2026-03-14** text",
      "_2026-03-14_ text",
      "**2026-03-14:** text",
      "**2026-03-14**: text",
      "2026-03-14 09:30 text"
    ],
    ...["*2026-03-14* – text", "2026-03-14—text", "2026-03-14- text", "2026-03-14\n  text", "2026/03/14: text"]
  ])("of the bullet %j", (text) => {
    expect(one(`## 2021-01-01\n- ${text}`, "2020-01-01.md").occurredAt).toBe(day)
  })

  it.each([
    ...["2026-02-30 text", "2026-03-14-text", "2026-03-14text", "2026-03-14T09:30 text", "12026-03-14 text"],
    ...["2026-03-144 text", "on 2026-03-14 text", "2026.03.14 text"]
  ])("none of the bullet %j", (text) => {
    expect(one(`## 2021-01-01\n- ${text}`).occurredAt).toBe(Date.UTC(2021, 0))
  })

  it("stand before the word that gives the type", () => {
    expect(one("- **2026-03-14** Decision: tabs")).toMatchObject({ type: "decision", occurredAt: day })
  })

  it("leave the rest of a heading as a tag", () => {
    expect(one("## 2026-03-14 09:30 Big Launch\ntext").tags).toEqual(["big-launch"])
  })
})

describe("text", () => {
  it("loses inline markup, and keeps URLs that differ from it", () => {
    const text =
      '**Use** _the_ [docs](https://d.io "t"), <https://e.io>, [r] and `x`&amp;\n~~old~~ [[Page|alias]]<br>end'
    expect(one(`${text} ![alt](i.png)\n\n[r]: https://r.io`)).toMatchObject({
      title: "Use the docs (https://d.io), https://e.io, r (https://r.io) and x& old alias end alt"
    })
  })

  it("gives a title cut after a sentence or a word, and the whole as narrative", () => {
    const sentences = `${"We chose Postgres for the queue of jobs. ".repeat(4)}End`
    expect(one(sentences)).toMatchObject({
      title: "We chose Postgres for the queue of jobs. We chose Postgres for the queue of jobs…",
      narrative: sentences
    })
    expect(one("word ".repeat(50)).title).toBe(`${"word ".repeat(23)}word…`)
    expect(one("😀".repeat(100)).title).toBe(`${"😀".repeat(59)}…`)
    expect(one("x".repeat(120))).not.toHaveProperty("narrative")
  })

  it("is split at sentences if very long, with the facts in the first part", () => {
    const items = read([`- ${"A sentence about nothing much. ".repeat(2000)}`, "  - a fact"])
    expect(items.length).toBeGreaterThan(3)
    for (const item of items) expect(item.narrative).toMatch(/^A sentence[\s\S]{99,20000}\.$/)
    expect(items.map((item) => item.facts.length)).toEqual([1, ...Array(items.length - 1).fill(0)])
    expect(new Set(items.map((item) => item.key)).size).toBe(items.length)
    expect(parseMarkdown("x".repeat(50_000), "a.md").map((item) => item.narrative?.length)).toEqual([20e3, 20e3, 10e3])
  })

  it("is well formed", () => {
    expect(one("\uFEFFa\uD800b\0c\r\nd").title).toBe("a\uFFFDbc d")
  })
})

describe("blocks", () => {
  it("give code to the paragraph above, or make it a technical item", () => {
    const items = read([
      "Run this",
      "```sh",
      "npm test",
      "```",
      "",
      "## Meetings",
      "```",
      "",
      "let a = 1",
      "  a++",
      "```",
      "    npm ci"
    ])
    expect(items.map(({ type, title, narrative }) => [type, title, narrative])).toEqual([
      ["discovery", "Run this", "Run this\n\nnpm test"],
      ["technical", "Code: let a = 1", "\nlet a = 1\n  a++"],
      ["technical", "Code: npm ci", undefined]
    ])
    expect(one("- Run\n  ```\n  npm ci\n  ```")).toMatchObject({ title: "Run", narrative: "Run\n\nnpm ci" })
  })

  it("make an item of each table row", () => {
    const items = read([
      "## Team",
      "The crew",
      "| Name | Role | Site |",
      "|:-----|:----:|------|",
      "| **Ada** | CTO \\| board | [x](https://x.org) |",
      "| Bob | | - ",
      "|  | `a` | b | c |"
    ])
    expect(items.map(({ type, title, facts, line }) => [type, title, facts, line])).toEqual([
      ["person", "The crew", [], 2],
      ["person", "Ada", ["Role: CTO | board", "Site: x (https://x.org)"], 5],
      ["person", "Bob", ["Site: -"], 6],
      ["person", "a", ["Site: b", "c"], 7]
    ])
    expect(one("> a | b\n> --|--\n> 1 | 2")).toMatchObject({ title: "1", facts: ["b: 2"] })
    expect(one("- Rates\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |").facts).toEqual(["a: 1, b: 2"])
  })

  it("make a paragraph that ends in a colon the parent of the list below it", () => {
    const [plan, after] = read(["The **plan:**", "", "1. first", "   - detail", "2. second", "", "Text", "- apart"])
    expect(plan).toMatchObject({ title: "The plan:", facts: ["first", "detail", "second"] })
    expect(after).toMatchObject({ title: "Text", facts: [] })
  })

  it("read block quotes like their content; quoted headings give no context", () => {
    const items = read(["> Quoted", "> twice", ">", "> # Decisions", "> - bullet", "", "Text"])
    expect(items.map(({ title, type }) => [title, type])).toEqual([
      ["Quoted twice", "discovery"],
      ["Decisions", "discovery"],
      ["bullet", "discovery"],
      ["Text", "discovery"]
    ])
  })

  it("skip comments, rules, lone images, definitions and empty bullets", () => {
    const nothing = [
      "<!-- a",
      "",
      "b -->",
      "",
      "***",
      "![a](b.png)",
      "",
      "[![a](b)](c)",
      "",
      "[r]: /x",
      "",
      "-",
      "- ![a](b)"
    ]
    expect(read(nothing)).toEqual([])
    expect(parseMarkdown("", "a.md")).toEqual([])
    expect(titles(read(["<div>Some <b>text</b>", "<!-- x --></div>", "", "a <!-- b -->c", "", "- - nested"]))).toEqual([
      "Some text",
      "a c",
      "nested"
    ])
  })

  it("keep a sentence that has a rule below it", () => {
    expect(titles(read(["We moved to Berlin.", "---", "Topic", "---", "Text"]))).toEqual([
      "We moved to Berlin.",
      "Text"
    ])
  })
})

describe("keys", () => {
  it("distinguish equal items and do not depend on the line or on other items", () => {
    const [a, b] = read(["- same", "- same"])
    expect(a?.key).not.toBe(b?.key)
    expect(
      read(["Other", "", "", "- same", "- same"])
        .slice(1)
        .map((item) => item.key)
    ).toEqual([a?.key, b?.key])
    expect(one("- same\n  - fact").key).not.toBe(a?.key)
  })
})

describe("any text", () => {
  const parts = fc.constantFrom(
    ..."---|```|~~~|tags: [a, b]|store: shared|# |## People|### Ada|## 2026-03-14".split("|"),
    ..."- |  - |    |1. |- [x] |> |\t|:|word |@Ada |#tag ".split("|"),
    ..."| a | b |,|---|---|,|,**,_,[,](,),[[,]],![,<!--,-->,<br>,<div>,`,\\,&#0;,&#xD800;,&amp;,\n,\n\n,\r\n,\r".split(
      ","
    ),
    "\0",
    "\uD800",
    "\uDC00",
    "\uFEFF",
    "😀",
    "\u2028",
    "\u0085",
    "\u200B",
    "。",
    ". ",
    "x".repeat(130)
  )
  const texts = fc.oneof(
    fc.array(parts, { maxLength: 60 }).map((some) => some.join("")),
    fc.array(fc.tuple(parts, parts), { maxLength: 30 }).map((some) => some.map((pair) => pair.join("")).join("\n")),
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 }).map((some) => String.fromCharCode(...some))
  )
  const files = fc.constantFrom("a.md", "people/ada.md", "2026-03-14.md", "", "/", "\uD800")

  const check = (text: string, file: string) => {
    const items = parseMarkdown(text, file)
    for (const item of items) {
      expect(item.title).toMatch(/^\S(?:.{0,118}\S)?$/)
      for (const fact of item.facts) expect(fact).toMatch(/^\S.*$/)
      expect(item.tags.length).toBeLessThanOrEqual(16)
      for (const tag of item.tags) expect([tag, tag.length > 0 && tag.length <= 64]).toEqual([tag.toLowerCase(), true])
      for (const person of item.people) expect(person).toMatch(/^\S.*$/)
      expect(item.narrative ?? "-").not.toBe("")
      expect(item.narrative?.length ?? 0).toBeLessThanOrEqual(20_000)
      expect(JSON.stringify(item)).not.toMatch(/\\u(?:0000|d[89a-f])/)
      expect(item.line).toBeGreaterThanOrEqual(1)
      expect(item.line).toBeLessThanOrEqual(text.split(/\r\n?|\n/).length)
    }
    expect(new Set(items.map((item) => item.key)).size).toBe(items.length)
    return items
  }

  it("is read like its parts if long", () => {
    const part = (index: number) =>
      [
        `## Part ${index}`,
        `Words of part ${index} with **bold**, see [there][ref].`,
        "",
        `Things of ${index}:`,
        "",
        `- first ${index}`,
        "- second",
        "",
        "```",
        `code ${index}`,
        "",
        "# no heading",
        "```",
        "",
        `|a|b|\n|-|-|\n|x ${index}|y|`,
        ""
      ].join("\n")
    const parts = Array.from({ length: 200 }, (_, index) => part(index))
    const ref = "\n[ref]: https://a.b/c\n"
    const summary = ({ facts, narrative, tags, title, type }: MarkdownItem) => ({ facts, narrative, tags, title, type })
    const whole = parseMarkdown(`${parts.join("\n")}${ref}`, "a.md")
    expect(whole.map(summary)).toEqual(parts.flatMap((text) => parseMarkdown(text + ref, "a.md")).map(summary))
    const lines = parts.join("\n").split("\n")
    for (const { line, title } of whole.filter(({ type }) => type !== "technical"))
      expect(lines[line - 1]).toContain(title.replace(/ \(.*|, see.*/u, "").slice(0, 5))
  })

  it("splits slow paragraphs, tables or lists into slices", () => {
    for (const text of [
      `|a|b|\n|-|-|\n${"|1|2|\n".repeat(20_000)}`,
      "- *a_ *a_\n".repeat(5_000),
      "*a_ ".repeat(50_000)
    ]) {
      for (const slice of sliceMarkdown(text)) expect(slice.text.length).toBeLessThanOrEqual(2 * 65_536)
    }
    expect(read(["|a|b|", "|-|-|", ...Array.from({ length: 5_000 }, (_, index) => `|${index}|y|`)])).toHaveLength(5_000)
    expect(one("*a_ ".repeat(500)).narrative?.trim()).toBe("*a_ ".repeat(500).trim())
    expect(one("*a* ".repeat(20)).title).toBe("a ".repeat(20).trim())
  })

  it("reports the lines read as plain text, and where the rest is skipped", () => {
    const cuts = (lines: ReadonlyArray<string>) => parse(lines.join("\n"), "a.md").cuts
    expect(cuts(["a **b** c", "", "- d"])).toEqual([])
    expect(cuts(["One", "", "*a_ ".repeat(200), "", "*two*"])).toEqual([
      { line: 3, problem: "has too many markup characters in one line and was read as plain text" }
    ])
    const long = parse(["One", "", `- ${"*a_ ".repeat(200)}`, "", "*two*"].join("\n"), "a.md").items
    expect(long.map(({ title }) => title.slice(0, 8))).toEqual(["One", "*a_ *a_ ", "two"])
    expect(cuts(["One", "", `${"> ".repeat(16)}deep`, "", "two"])).toEqual([
      { line: 1, problem: "is nested too deeply and was read as plain text" }
    ])
    const rows = ["|a|b|", "|-|-|", ...Array.from({ length: 30_000 }, (_, index) => `|${index}|y|`)]
    const { cuts: rest, items } = parse(rows.join("\n"), "a.md")
    expect(rest).toEqual([{ line: expect.any(Number), problem: expect.stringContaining("more than 20000 blocks") }])
    expect(items.length).toBeGreaterThanOrEqual(limits.importBlocks - 2)
    expect(items.at(-1)!.line).toBe(rest[0]!.line - 1)
  })

  it("never throws, stays within limits, and has the same keys below blank lines", () => {
    fc.assert(
      fc.property(texts, files, fc.constantFrom("\n", "\n\n\n", "\r\n", "  \n\t\n"), (text, file, blank) => {
        const keys = check(text, file).map((item) => item.key)
        expect(parseMarkdown(blank + text, file).map((item) => item.key)).toEqual(keys)
      }),
      { numRuns: lawRuns({ quick: 300, full: 2_000 }) }
    )
  }, 60_000)

  it.each([
    [`${">".repeat(50_000)}a`],
    [`${"- ".repeat(20_000)}a`],
    [Array.from({ length: 1000 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
    ["[".repeat(20_000)],
    ["*a **a ".repeat(5000)],
    ["_a".repeat(5000) + "a_".repeat(5000)],
    ["![".repeat(500) + "](a)".repeat(500)],
    ["<!--".repeat(20_000)],
    [`|a|b|\n|-|-|\n${"|1|2|\n".repeat(3000)}`],
    [`${" ".repeat(100_000)}a${" ".repeat(100_000)}b`]
  ])("takes on nesting and repetition %#", (text) => void check(text, "a.md"), 30_000)
})
