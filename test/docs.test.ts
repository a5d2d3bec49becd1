import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { format } from "node:util"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { parse } from "smol-toml"
import { afterAll, describe, expect, it, vi } from "vitest"
import { execute } from "../bin/execute.js"
import { makeOutput } from "../bin/output.js"
import { decode } from "../src/ports/Policy.js"
import { newFolder, removeFolders, root } from "./support/cli.js"
import {
  type Block,
  compare,
  deadLinks,
  deadPaths,
  files,
  pairAdded,
  readPage,
  runProgram,
  typeErrors,
  wordsOf
} from "./support/docs.js"

afterAll(removeFolders)

const pages = new Map(files.map((file) => [file, readPage(file)]))
const isRun = ({ meta }: Block) => meta === "run"

/** How a block is tested, or its reason for not being tested; undefined where it has neither. */
const treatment = ({ language, meta }: Block, before: Block | undefined): string | undefined => {
  if (/^norun:[a-z-]+$/.test(meta)) return meta
  if (language === "ts" && ["", "body", "run"].includes(meta)) return "type-checked"
  if (language === "sh" && meta === "run") return "run"
  if (language === "toml" && meta === "") return "decoded as a policy"
  if (language === "text" && meta.startsWith("examples/")) return "the output of an example"
  if (language === "text" && meta === "" && before !== undefined && isRun(before)) return "compared"
  return undefined
}

/** Runs a program and answers what it printed. */
const printedBy = async (program: string): Promise<string> => {
  let printed = ""
  const spy = vi.spyOn(console, "log").mockImplementation((...values) => {
    printed += `${format(...values)}\n`
  })
  const before = process.cwd()
  process.chdir(newFolder())
  try {
    await runProgram(program)
  } finally {
    process.chdir(before)
    spy.mockRestore()
  }
  return printed
}

/** Runs command lines on a data folder, with the ids of this run in place of those that the page shows. */
const printedByCommands = async (block: Block, shown: string, data: string, ids: Map<string, string>) => {
  const mayFail = shown.includes("daybook: ")
  let printed = ""
  const write = (text: string) => {
    printed += text
  }
  for (const line of block.text.split("\n")) {
    const [name, ...args] = wordsOf(line.replace(/\b[0-9a-z]{10}\b/g, (word) => ids.get(word) ?? word))
    expect(name, `${block.file}:${block.line}: only \`daybook\` is run`).toBe("daybook")
    const output = ({ json }: { readonly json: boolean }) =>
      makeOutput({ stdout: write, stderr: write, open: () => true, colour: false }, { json })
    const { code, line: problem } = await Effect.runPromise(execute(["--data", data, ...args], write, output))
    if (code !== 0) write(`daybook: ${problem}\n`)
    if (!mayFail) expect(problem, `${block.file}:${block.line}: ${line}`).toBeUndefined()
    for (const [id, real] of pairAdded(shown, printed)) ids.set(id, real)
  }
  return printed.replaceAll(root, "/home/mira/daybook").replaceAll(data, "/home/mira/data")
}

const expectShown = (shown: Block, printed: string): void => {
  // The comparison of both texts is the message.
  if (!compare(shown.text, printed)) expect(printed, `${shown.file}:${shown.line}`).toBe(shown.text)
}

describe("the documentation", () => {
  it("keeps README.md within 9 KiB", () => {
    expect(statSync(join(root, "README.md")).size).toBeLessThanOrEqual(9_216)
  })

  it.each([...pages.values()])("$file has no dead link, no dead path and no untested block", (page) => {
    expect(deadLinks(page, pages)).toEqual([])
    expect(deadPaths(page)).toEqual([])
    const untested = page.blocks.filter((block, index) => treatment(block, page.blocks[index - 1]) === undefined)
    expect(untested.map(({ language, line, meta }) => `${line}: ${language} ${meta}`)).toEqual([])
  })

  it("shows TypeScript that type-checks and policies that decode", () => {
    const blocks = [...pages.values()].flatMap((page) => page.blocks)
    expect(typeErrors(blocks.filter(({ language, meta }) => language === "ts" && !meta.startsWith("norun:")))).toEqual(
      []
    )
    for (const { file, line, text } of blocks.filter(({ language, meta }) => language === "toml" && meta === "")) {
      expect(Either.isRight(decode(parse(text))), `${file}:${line}`).toBe(true)
    }
  })

  it.each([...pages.values()].filter(({ blocks }) => blocks.some(isRun)))(
    "$file shows what is printed",
    async (page) => {
      const data = newFolder()
      const ids = new Map<string, string>()
      for (const [index, block] of page.blocks.entries()) {
        if (!isRun(block)) continue
        const next = page.blocks[index + 1]
        const shown = next?.language === "text" && next.meta === "" ? next : undefined
        const printed =
          block.language === "sh"
            ? await printedByCommands(block, shown?.text ?? "", data, ids)
            : await printedBy(block.text)
        if (shown !== undefined) expectShown(shown, printed)
      }
    }
  )

  const examples = [...pages.values()].flatMap(({ blocks }) =>
    blocks.filter(({ meta }) => meta.startsWith("examples/"))
  )
  it.each(examples)("$meta prints the output that $file shows, and leaves no temporary folder", async (block) => {
    const temporary = newFolder()
    vi.stubEnv("TMPDIR", temporary)
    try {
      expectShown(block, await printedBy(readFileSync(join(root, block.meta), "utf8")))
    } finally {
      vi.unstubAllEnvs()
    }
    // The working folder of the program is in it too.
    expect(readdirSync(temporary).filter((name) => !name.startsWith("daybook-cli-"))).toEqual([])
  })
})
