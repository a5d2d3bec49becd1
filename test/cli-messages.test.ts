import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { commands } from "../bin/commands/all.js"
import { newFolder, removeFolders, runInProcess } from "./support/cli.js"

afterAll(removeFolders)

describe("a missing key", () => {
  it.each([
    [["search", "tea", "--rerank", "cohere"], "cannot use reranker cohere: COHERE_API_KEY is not set"],
    [
      ["search", "tea", "--rerank", "endpoint"],
      /^cannot use reranker endpoint: rerank\.providers\.endpoint\.baseUrl is missing/
    ],
    [["embed", "switch", "openai"], "cannot use embedder openai: OPENAI_API_KEY is not set"]
  ])("ends %j with 1", async (args, line) => {
    const ended = await runInProcess(["--data", newFolder(), ...args])
    expect(ended).toMatchObject({ code: 1, line: typeof line === "string" ? line : expect.stringMatching(line) })
  })

  it.each([
    [["search", "tea", "--rerank", "cohre"], /^--rerank: no reranker cohre: must be one of lexical, none, /],
    [["embed", "switch", "opnai"], /^no embedder opnai: must be one of words, /]
  ])("is not an unknown name, which ends %j with 2", async (args, line) => {
    expect(await runInProcess(["--data", newFolder(), ...args])).toMatchObject({
      code: 2,
      line: expect.stringMatching(line)
    })
  })
})

describe("a wrong call", () => {
  it("is refused with the known search modes", async () => {
    for (const mode of ["fuzzy", ""]) {
      expect(await runInProcess(["--data", newFolder(), "search", "tea", "--mode", mode])).toMatchObject({
        code: 2,
        line: "--mode: must be one of enhanced, classic"
      })
    }
    for (const mode of ["enhanced", "classic"]) {
      expect(await runInProcess(["--data", newFolder(), "search", "tea", "--mode", mode])).toMatchObject({ code: 0 })
    }
  })

  it("is refused with the actions of the command", async () => {
    const data = newFolder()
    for (const command of ["schedules", "embed", "archive", "recall"]) {
      expect(await runInProcess(["--data", data, command, "frob"])).toMatchObject({
        code: 2,
        line: expect.stringMatching(/^action: must be one of /)
      })
    }
  })

  it.each([[["help", "serach"]], [["serach", "--help"]], [["serach", "tea", "-h"]], [["--json", "serach", "--help"]]])(
    "is answered with the nearest command: %j",
    async (args) => {
      expect(await runInProcess(args)).toEqual({
        code: 2,
        line: "Unknown command 'serach' (Did you mean search?)",
        stdout: "",
        stderr: ""
      })
    }
  )
})

describe("help", () => {
  it("is general or about one command", async () => {
    for (const args of [["help"], ["--help"], ["help", "help"], ["--json", "--help"]]) {
      const { code, stdout } = await runInProcess(args)
      expect({ args, code, stdout }).toEqual({
        args,
        code: 0,
        stdout: expect.stringContaining("Usage: daybook [options]")
      })
    }
    for (const args of [
      ["help", "search"],
      ["search", "--help"],
      ["search", "serach", "--help"]
    ]) {
      const { code, stdout } = await runInProcess(args)
      expect({ args, code, stdout }).toEqual({ args, code: 0, stdout: expect.stringContaining("daybook search") })
    }
    expect(await runInProcess([])).toMatchObject({ code: 2, line: "No command given. Run `daybook --help`." })
  })

  it("names each argument by its meaning", () => {
    const texts = commands.flatMap(({ details = [], usage }) => [usage, ...details])
    expect(texts.filter((text) => /[<[]what\b|^what:/.test(text))).toEqual([])
  })
})

