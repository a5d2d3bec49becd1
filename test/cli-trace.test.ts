import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { build, daybookIn, newFolder, removeFolders } from "./support/cli.js"
import { linesOf, namesOf } from "./support/traceFile.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

describe("the trace file of the command line", () => {
  it("is named by DAYBOOK_TRACE_FILE, and has a span around each command", async () => {
    const folder = newFolder()
    const file = join(folder, "trace.jsonl")
    const daybook = daybookIn(join(folder, "data"), { env: { DAYBOOK_TRACE_FILE: file } })
    expect((await daybook("remember", "Zyxquill sails on Tuesdays")).code).toBe(0)
    expect((await daybook("search", "Zyxquill")).stdout).toContain("Zyxquill")
    expect((await daybook("get", "Zyxquill")).code).not.toBe(0)
    const lines = linesOf(file)
    const spans = namesOf(lines, "span")
    for (const name of ["daybook remember", "upsert_memory", "daybook search", "search_memory", "daybook get"])
      expect(spans).toContain(name)
    const command = lines.find(({ name }) => name === "daybook search")!
    expect(lines.find(({ name }) => name === "search_memory")).toMatchObject({
      trace: command.trace,
      parent: command.span
    })
    expect(lines.find(({ name }) => name === "daybook get")!.status).toBe("error")
    expect(namesOf(lines, "metric")).toContain("daybook_operation_millis")
    expect(readFileSync(file, "utf8")).not.toContain("Zyxquill")
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("is named by the policy too, from the data folder on; the variable comes first", async () => {
    const folder = newFolder()
    const data = join(folder, "data")
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(join(data, "policy.toml"), '[trace]\nfile = "own.jsonl"\n')
    await daybookIn(data)("remember", "The ferry leaves at noon")
    expect(namesOf(linesOf(join(data, "own.jsonl")), "span")).toContain("daybook remember")
    const before = linesOf(join(data, "own.jsonl")).length
    const other = join(folder, "other.jsonl")
    await daybookIn(data, { env: { DAYBOOK_TRACE_FILE: other } })("list")
    expect(namesOf(linesOf(other), "span")).toContain("daybook list")
    expect(linesOf(join(data, "own.jsonl"))).toHaveLength(before)
  })

  it("that cannot be written ends no command", async () => {
    const folder = newFolder()
    const env = { DAYBOOK_TRACE_FILE: join(folder, "missing", "trace.jsonl") }
    const { code, stderr } = await daybookIn(join(folder, "data"), { env })("remember", "The ferry leaves at noon")
    expect(code).toBe(0)
    expect(stderr).toContain("the trace file cannot be written, failure ENOENT")
  })

  it("has bounds that check knows", async () => {
    const folder = newFolder()
    writeFileSync(join(folder, "policy.toml"), '[trace]\nfile = " "\nsize = 5\nfiles = 3\n')
    const { code, stdout, stderr } = await daybookIn(folder)("check")
    expect(code).not.toBe(0)
    for (const path of [
      "trace.file: must be the path of a file",
      "trace.size: ",
      "trace.files: is not a known setting (did you mean file?)"
    ])
      expect(`${stdout}${stderr}`).toContain(path)
  })
})
