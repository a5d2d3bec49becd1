import { Readable } from "node:stream"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { exitCodes } from "../bin/exit.js"
import { answerOf, build, daybookIn, lines, newFolder, refusal, removeFolders, runInProcess } from "./support/cli.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

/** A folder with two memories; the ids of both. */
const prepared = async () => {
  const folder = newFolder()
  const daybook = daybookIn(folder)
  const { id } = answerOf(await daybook("remember", "Anna lives in Perth", "--person", "Anna", "--json"))
  const other = answerOf(await daybook("remember", "gulls sleep on one leg", "--json"))
  return { folder, daybook, id: id as string, other: other.id as string }
}

const agentsOf = async (daybook: ReturnType<typeof daybookIn>): Promise<ReadonlyArray<string>> =>
  answerOf(await daybook("agents", "--json"))
    .map(({ name }: { readonly name: string }) => name)
    .sort()

/** Runs a command at a terminal where somebody types an answer. */
const atTerminal = async (folder: string, answer: string, ...args: ReadonlyArray<string>) => {
  const input = Object.assign(Readable.from([answer]), { isTTY: true })
  const stdin = vi.spyOn(process, "stdin", "get").mockReturnValue(input as unknown as typeof process.stdin)
  const { isTTY } = process.stderr
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true)
  process.stderr.isTTY = true
  try {
    const answer = await runInProcess(["--data", folder, ...args])
    return { ...answer, question: written.mock.calls.map(([text]) => String(text)).join("") }
  } finally {
    process.stderr.isTTY = isTTY
    written.mockRestore()
    stdin.mockRestore()
  }
}

describe("daybook erase", () => {
  it("shows with --dry-run what would go, and changes nothing", async () => {
    const { daybook, id } = await prepared()
    const shown = await daybook("erase", id, "--dry-run")
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain("1 memory")
    expect(shown.stdout).toContain("Anna lives in Perth")
    const { agents, cleaning } = answerOf(await daybook("erase", "--person", "Anna", "--dry-run", "--json"))
    expect(cleaning).toBe("none")
    expect(agents[0].memories).toEqual([{ id, title: "Anna lives in Perth" }])
    expect(answerOf(await daybook("get", id, "--json"))).toHaveLength(1)
  })

  it("refuses without --yes where nobody can be asked", async () => {
    const { daybook, id } = await prepared()
    expect(refusal(await daybook("erase", id)).code).toBe(exitCodes.refused)
    expect(answerOf(await daybook("get", id, "--json"))).toHaveLength(1)
  })

  it("asks at a terminal, and erases only after a yes", async () => {
    const { daybook, folder, id } = await prepared()
    expect(await atTerminal(folder, "y\n", "erase", id)).toMatchObject({ code: exitCodes.refused })
    expect(answerOf(await daybook("get", id, "--json"))).toHaveLength(1)
    const erased = await atTerminal(folder, "yes\n", "erase", id)
    expect(erased.code).toBe(0)
    expect(erased.stderr).toContain("Anna lives in Perth")
    expect(erased.stdout).not.toContain("Anna")
    expect((await daybook("get", id)).stdout).not.toContain("Anna")
  })

  it("erases with --yes, prints no erased text, and verifies that no file has it", async () => {
    const { daybook, other } = await prepared()
    const found = await daybook("erase", "--verify", "lives in Perth", "gulls")
    expect(found.code).toBe(exitCodes.refused)
    expect(found.stdout).toContain("log.db")
    const erased = await daybook("erase", "--person", "Anna", "--reason", "privacy", "--yes", "--json")
    expect(erased.stdout).not.toMatch(/Anna|Perth/)
    expect(answerOf(erased)).toMatchObject({
      cleaning: "done",
      agents: [{ agent: "default", counts: { memories: 1 } }]
    })
    expect(answerOf(await daybook("erase", "--verify", "Anna lives in Perth", "Anna", "--json"))).toMatchObject({
      clean: true,
      hits: [],
      freePages: 0
    })
    expect(answerOf(await daybook("get", other, "--json"))).toHaveLength(1)
    expect(answerOf(await daybook("verify", "--json")).ok).toBe(true)
    const listed = await daybook("erase", "--list")
    expect(lines(listed.stdout)).toHaveLength(2)
    expect(listed.stdout).toMatch(/person\s+privacy\s+\d+\s+cli/)
    expect(listed.stdout).not.toMatch(/Anna|Perth/)
  })

  it("erases a whole agent by --agent alone, after the answer to a question that counts what goes", async () => {
    const { daybook, folder } = await prepared()
    await daybook("--agent", "bob", "remember", "quokka eats leaves")
    const missing = refusal(await daybook("--agent", "bob", "erase"))
    expect(missing).toMatchObject({ code: exitCodes.refused, line: expect.stringContaining("--everything --yes") })
    const asked = await atTerminal(folder, "no\n", "--agent", "bob", "erase")
    expect(asked.code).toBe(exitCodes.refused)
    expect(asked.question).toContain("Erase everything of bob: 1 memory (2 events), forever? Type yes: ")
    expect((await atTerminal(folder, "yes\n", "--agent", "bob", "erase")).code).toBe(0)
    expect(await agentsOf(daybook)).toEqual(["default"])
    expect((await daybook("erase", "--verify", "quokka")).code).toBe(0)
  })

  it("never takes --agent and --yes with an empty list of ids for the whole agent", async () => {
    const { daybook } = await prepared()
    await daybook("--agent", "bob", "remember", "quokka eats leaves")
    const ids: ReadonlyArray<string> = []
    expect(refusal(await daybook("erase", "--agent", "bob", "--yes", ...ids))).toEqual({
      code: exitCodes.badCall,
      line: "daybook: no ids were passed: to erase the whole agent bob without a question, pass --everything too"
    })
    expect(refusal(await daybook("erase", "--agent", "bob", "--yes", "")).code).toBe(exitCodes.badCall)
    expect(refusal(await daybook("erase", "--everything", "--yes")).code).toBe(exitCodes.badCall)
    expect(refusal(await daybook("erase", "--agent", "bob", "--everything", "--yes", "x")).code).toBe(exitCodes.badCall)
    expect(await agentsOf(daybook)).toEqual(["bob", "default"])
    expect((await daybook("erase", "--agent", "bob", "--everything", "--yes")).code).toBe(0)
    expect(await agentsOf(daybook)).toEqual(["default"])
  })

  it("refuses a call without a selection, with two of them, and below full trust", async () => {
    const { daybook, id } = await prepared()
    expect(refusal(await daybook("erase", "--yes")).code).toBe(exitCodes.badCall)
    expect(refusal(await daybook("erase", id, "--person", "Anna", "--yes")).code).toBe(exitCodes.badCall)
    expect(refusal(await daybook("erase", "--verify")).code).toBe(exitCodes.badCall)
    expect(refusal(await daybook("--trust", "inner", "erase", id, "--yes")).code).toBe(exitCodes.refused)
    expect(refusal(await daybook("erase", "MISSING", "--yes")).code).toBe(exitCodes.refused)
  })
})
