import { stripVTControlCharacters } from "node:util"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { execute } from "../bin/execute.js"
import { make, type Terminal } from "../bin/output.js"
import { parse } from "../bin/program.js"
import { table } from "../bin/table.js"
import { newFolder, removeFolders } from "./support/cli.js"

afterAll(removeFolders)

type Call = readonly [args: ReadonlyArray<string>, line: RegExp]

/** A terminal that only remembers. */
const paper = (options: Partial<Terminal> = {}) => {
  const written = { stdout: "", status: [] as Array<string> }
  const terminal: Terminal = {
    stdout: (text) => {
      written.stdout += text
    },
    stderr: () => {},
    open: () => true,
    colour: false,
    status: (line) => void written.status.push(line),
    ...options
  }
  return { written, terminal }
}

describe("the command line", () => {
  const wrong: ReadonlyArray<Call> = [
    [[], /--help/],
    [["serach", "x"], /^unknown command 'serach' \(Did you mean search\?\)$/],
    [["search"], /^missing required argument 'query'$/],
    [["remember"], /missing required argument 'title'/],
    [["remember", "two", "titles"], /too many arguments/],
    [["search", "x", "--bogus"], /^unknown option '--bogus'$/],
    [["--bogus", "search", "x"], /unknown option '--bogus'/],
    [["search", "x", "--limit", "many"], /--limit.*not a whole number/],
    [["search", "x", "--limit", "-1"], /--limit.*not a whole number/],
    [["search", "x", "--limit", "99999999999999999999"], /--limit.*not a whole number/],
    [["timeline", "x", "--before", "1.5"], /--before.*not a whole number/],
    [["remember", "x", "--importance", "high"], /--importance.*not a number/],
    [["remember", "x", "--at", "2025-02-30"], /--at.*not an ISO 8601/],
    [["list", "--after", "yesterday"], /--after.*not an ISO 8601/],
    [["list", "--as-of", "v12"], /--as-of.*neither/],
    [["list", "--store", "secret"], /--store.*private, shared, social/],
    [["list", "--trust", "some"], /--trust.*full, inner, familiar, public/],
    [["update", "x", "--clear", "title"], /--clear/],
    [["list", "--data"], /--data.*missing/],
    [["list", "--data", ""], /--data.*empty/]
  ]
  it.each(wrong)("%j is a wrong call", (args, line) => {
    expect(parse(args, () => {})).toEqual({ code: 2, line: expect.stringMatching(line) })
  })

  it("takes its own options before and after the command", () => {
    for (const args of [
      ["--agent", "a", "--trust", "inner", "--json", "search", "one", "two", "--tag", "x", "--tag", "y"],
      ["search", "--tag", "x", "one", "--agent", "a", "two", "--json", "--tag", "y", "--trust", "inner"]
    ]) {
      expect(parse(args, () => {})).toMatchObject({
        command: { usage: "search <query...>" },
        args: [["one", "two"]],
        options: { tag: ["x", "y"] },
        globals: { agent: "a", trust: "inner", json: true, actor: "cli" },
        agentGiven: true
      })
    }
    expect(parse(["verify", "--agent", "default"], () => {})).toMatchObject({ agentGiven: true })
    expect(parse(["verify"], () => {})).toMatchObject({ agentGiven: false, globals: { agent: "default" } })
    expect(parse(["remember", "--", "--json"], () => {})).toMatchObject({ args: ["--json"], globals: { json: false } })
    expect(parse(["list", "--as-of", "12"], () => {})).toMatchObject({ options: { asOf: { version: 12 } } })
    const at = Date.UTC(2026, 2, 1)
    expect(parse(["list", "--as-of", "2026-03-01"], () => {})).toMatchObject({ options: { asOf: { at } } })
  })

  const folder = newFolder()
  const refused: ReadonlyArray<Call> = [
    [["remember", ""], /^title: is empty$/],
    [["remember", "x", "--importance", "2"], /^importance: /],
    [["remember", "x", "--trust", "inner", "--store", "private"], /^store: /],
    [["remember", "x", "--trust", "public"], /^store: /],
    [["list", "--limit", "0"], /^limit: /],
    [["list", "--agent", "two words"], /^agent: /],
    [["stats", "--agent", "two words"], /^agent: /],
    [["remember", "x", "--actor", ""], /^actor: /],
    [["get", "nothere", "norhere"], /^no memory nothere, norhere$/],
    [["forget", "nothere"], /^no memory nothere$/],
    [["update", "nothere", "--title", "x"], /^no memory nothere$/],
    [["timeline", "nothere"], /^no memory nothere$/],
    [["history", "nothere"], /^no memory nothere$/],
    [["update", "nothere"], /^changes: /],
    [["rebuild", "nothing"], /^projection: /],
    [["list", "--as-of", "1"], /^asOf.version: /],
    [["log", "--as-of", "1"], /^asOf.version: /],
    [["list", "--as-of", "0", "--trust", "inner"], /needs trust level full$/],
    [["log", "--trust", "inner"], /^log needs trust level full$/],
    [["verify", "--trust", "inner"], /^verify needs trust level full$/],
    [["stats", "--trust", "familiar"], /^stats needs trust level full$/],
    [["rebuild", "--trust", "public"], /^rebuild needs trust level full$/],
    [["backfill", "--trust", "inner"], /^backfill needs trust level full$/],
    [["agents", "--trust", "inner"], /^agents needs trust level full$/],
    [["recall", "list", "--trust", "inner"], /^recall needs trust level full$/],
    [["undo", "--event", "1", "--trust", "inner"], /^undo needs trust level full$/],
    [["undo", "--event", "99"], /^nothing to undo: there is no event 99$/],
    [["undo", "--run", "nobody"], /^nothing to undo: there is no change of a memory by run nobody$/],
    [["recall", "show", "1"], /^no recall 1$/],
    [["recall", "rerun", "0"], /^number: /],
    [["search", "x", "--record", "--as-of", "2026-01-01"], /^--record: means nothing with --as-of$/],
    [["import", "/nowhere/at/all"], /cannot be read$/],
    [["list", "--data", "/dev/null"], /^log\.db: /]
  ]
  it.each(refused)("%j is refused", async (args, line) => {
    const { terminal } = paper()
    const outcome = await Effect.runPromise(
      execute(
        ["--data", folder, ...args],
        () => {},
        () => make(terminal, { json: true })
      )
    )
    expect(outcome).toEqual({ code: 1, line: expect.stringMatching(line) })
  })
})

describe("recall", () => {
  const wrong: ReadonlyArray<Call> = [
    [["recall", "forget"], /^'forget' is none of list, show, rerun$/],
    [["recall", "list", "1"], /takes no number$/],
    [["recall", "show"], /^'recall show' needs a number$/],
    [["recall", "rerun", "last"], /^'recall rerun' needs a number$/],
    [["recall", "show", "1", "--limit", "2"], /need 'recall list'$/]
  ]
  it.each(wrong)("%j is a wrong call", async (args, line) => {
    const { terminal } = paper()
    const run = execute(
      ["--data", newFolder(), ...args],
      () => {},
      () => make(terminal, { json: false })
    )
    expect(await Effect.runPromise(run)).toEqual({ code: 2, line: expect.stringMatching(line) })
  })
})

describe("output", () => {
  const rows = [
    { id: "a1", tokens: 7, title: "東京都に住んでいます。二〇二六年二月に大阪から引っ越しました。" },
    { id: "b22", tokens: 1234, title: "plain" }
  ]
  const draw = (terminal: Terminal) =>
    table(make(terminal, { json: false }), rows, [
      { name: "id", of: ({ id }) => id, colour: "cyan" },
      { name: "title", of: ({ title }) => title, elastic: true },
      { name: "tokens", of: ({ tokens }) => tokens, right: true }
    ])
  const wide = /[\u3000-\u9fff]/g
  /** Where a number ends on screen. */
  const widthOf = (line: string) => line.length + (line.match(wide)?.length ?? 0)

  it("aligns columns, wide characters counting as two", async () => {
    const lines = (await draw(paper().terminal)).split("\n")
    expect(lines).toHaveLength(3)
    expect(new Set(lines.map(widthOf)).size).toBe(1)
    expect(lines.join("")).toContain(rows[0]!.title)
  })

  it("cuts the elastic column to fit a terminal, where there is colour", async () => {
    const drawn = await draw(paper({ columns: 40, colour: true }).terminal)
    expect(drawn).toContain("\u001b[36ma1\u001b[39m")
    const lines = stripVTControlCharacters(drawn).split("\n")
    for (const line of lines) {
      expect(widthOf(line)).toBeGreaterThan(37)
      expect(widthOf(line)).toBeLessThan(41)
    }
    expect(lines[1]).toContain("…")
    expect(lines[2]).toMatch(/plain +1234$/)
  })

  it("moves a bar on the side, which leaves nothing behind", () => {
    const { terminal, written } = paper()
    const out = make(terminal, { json: true })
    for (const done of [0, 5, 10]) out.progress(done, 10)
    expect(written.status).toEqual([`${"░".repeat(30)} 0/10`, `${"█".repeat(15)}${"░".repeat(15)} 5/10`, ""])
    expect(written.stdout).toBe("")
  })

  it("gives programs times as ISO 8601 and lists as one array", () => {
    const { terminal, written } = paper({ colour: true })
    const out = make(terminal, { json: true })
    const list = out.list()
    list.add([{ value: { recordedAt: 0, tokens: 0 }, text: () => "" }])
    list.add([])
    list.add([{ value: { memory: { expiresAt: 1 } }, text: () => "" }])
    list.end()
    expect(JSON.parse(written.stdout)).toEqual([
      { recordedAt: "1970-01-01T00:00:00.000Z", tokens: 0 },
      { memory: { expiresAt: "1970-01-01T00:00:00.001Z" } }
    ])
  })
})
