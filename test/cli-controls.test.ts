import { stripVTControlCharacters } from "node:util"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { execute } from "../bin/execute.js"
import { makeOutput } from "../bin/output.js"
import { answerOf, daybookIn, newFolder, paper, refusal, removeFolders } from "./support/cli.js"
import { lawRuns } from "./support/size.js"

afterAll(removeFolders)

// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
const nasty = "tea\u001b[2J\u001b[31m\u009b1m\u0007\r\u202eaet\u007f"

/** Runs a command line on a terminal with colour; everything that it printed. */
const printed = async (...args: ReadonlyArray<string>) => {
  const { terminal, written } = paper({ colour: true, columns: 100 })
  const { line = "" } = await Effect.runPromise(
    execute(args, terminal.stdout, ({ json }) => makeOutput(terminal, { json }))
  )
  terminal.stderr(line)
  return `${written.stdout}${written.stderr}${written.status.join("")}`
}

describe("printed text", () => {
  it("has no control characters except its own colours, whatever was typed or stored", async () => {
    const folder = newFolder()
    const daybook = daybookIn(folder)
    const { id } = answerOf(
      await daybook("remember", nasty, "--fact", nasty, "--tag", nasty, "--actor", nasty, "--json")
    )
    answerOf(await daybook("add-turn", nasty, nasty, "--speaker", nasty, "--json"))
    answerOf(await daybook("remember", "green tea", "--person", nasty, "--json"))
    const calls: ReadonlyArray<ReadonlyArray<string>> = [
      ["search", `store:${nasty}`, "--explain"],
      ["search", nasty, "--explain"],
      ["search", "tea", "--type", nasty],
      ["get", id],
      ["get", nasty],
      ["history", id],
      ["why", id],
      ["list"],
      ["people"],
      ["people", nasty],
      ["turns", nasty],
      ["sessions"],
      ["log"],
      ["import", nasty],
      ["embed", "switch", nasty],
      ["schedules", "show", nasty],
      ["undo", "--run", nasty],
      ["remember", "x", "--agent", nasty],
      [nasty],
      ["list", "--bogus", nasty],
      ["check", nasty],
      ["list", "--data", `/nowhere${nasty}`]
    ]
    for (const args of calls) {
      for (const more of [[], ["--json"]]) {
        const text = await printed("--data", folder, ...args, ...more)
        expect(stripVTControlCharacters(text), args.join(" ")).not.toMatch(controls)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with ESC.
        expect([...text.matchAll(/\u001b\[31m/g)].length === 0 || text.includes("\u001b[39m"), text).toBe(true)
      }
    }
    const [found] = answerOf(await daybook("get", id, "--json"))
    expect(found.title).toBe(nasty)
  })

  it("has only its own colours, with any text and any colours around it", () => {
    const piece = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\u001b[31m", "\u001b[1;7m", "\u009b", nasty))
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 6 }), (pieces) => {
        const { terminal, written } = paper({ colour: true })
        const { colours, warn } = makeOutput(terminal, { json: false })
        warn(pieces.map(([text, coloured]) => (coloured ? colours.cyan(text) : text)).join(""))
        const count = pieces.filter(([, coloured]) => coloured).length
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with ESC.
        const codes = written.stderr.match(/\u001b\[3[69]m/g) ?? []
        expect(codes.length).toBe(2 * count)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours begin with ESC.
        expect(written.stderr.replaceAll(/\u001b\[3[69]m/g, "")).not.toMatch(controls)
      }),
      { numRuns: lawRuns({ quick: 200, full: 10_000 }) }
    )
  })
})

describe("names of agents", () => {
  it("select the same agent in composed and decomposed form", async () => {
    const daybook = daybookIn(newFolder())
    const [composed, decomposed] = ["Ren\u00e9", "Rene\u0301"]
    answerOf(await daybook("remember", "tea", "--agent", decomposed, "--json"))
    for (const agent of [composed, decomposed]) {
      expect(answerOf(await daybook("list", "--agent", agent, "--json"))).toMatchObject([{ title: "tea" }])
      expect(answerOf(await daybook("stats", "--agent", agent, "--json"))).toMatchObject({ agent: composed })
      expect(answerOf(await daybook("log", "--agent", agent, "--json"))).toMatchObject([{ type: "ADD" }, {}])
      expect(answerOf(await daybook("embed", "status", "--agent", agent, "--json"))).toMatchObject({ agent: composed })
    }
    expect(answerOf(await daybook("agents", "--json"))).toMatchObject([{ name: composed }])
    expect(refusal(await daybook("list", "--agent", "two words"))).toMatchObject({ code: 2 })
  })

  it("are marked if they look alike", async () => {
    const daybook = daybookIn(newFolder())
    const fake = "\u0430dmin"
    for (const agent of ["admin", fake, "bob", "\u0431\u043e\u0431", "agentl", "agent1", "Zo\u00eb"]) {
      answerOf(await daybook("remember", "tea", "--agent", agent, "--json"))
    }
    const rows = answerOf(await daybook("agents", "--json")) as ReadonlyArray<{ readonly name: string }>
    const marked = rows.flatMap(({ name, ...row }) =>
      "looksLike" in row || "mixesScripts" in row
        ? [[name, (row as { looksLike?: unknown }).looksLike, "mixesScripts" in row]]
        : []
    )
    expect(marked).toEqual([
      ["admin", [fake], false],
      ["agent1", ["agentl"], false],
      ["agentl", ["agent1"], false],
      [fake, ["admin"], true]
    ])
    expect((await daybook("agents")).stdout).toMatch(/\u0430dmin +2 .*looks like admin; mixes scripts/)
  })
})
