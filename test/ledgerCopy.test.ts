import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exitCodes } from "../bin/exit.js"
import { answerOf, build, daybookIn, newFolder, refusal, removeFolders } from "./support/cli.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

/** A data folder whose policy names a copy of the ledger, with one memory erased and one left. */
const prepared = async () => {
  const [path, elsewhere] = [newFolder(), newFolder()]
  mkdirSync(elsewhere, { recursive: true })
  const folder = join(path, "data")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [ledger, copy] = [join(folder, "erasures.log"), join(elsewhere, "copy.log")]
  writeFileSync(join(folder, "policy.toml"), `[log]\nledger = ${JSON.stringify(copy)}\n`)
  const daybook = daybookIn(folder)
  const { id } = answerOf(await daybook("remember", "quokka-canary lives in Perth", "--json"))
  answerOf(await daybook("remember", "gulls sleep on one leg", "--json"))
  const file = join(path, "before.backup")
  answerOf(await daybook("backup", file, "--json"))
  cpSync(folder, join(path, "before"), { recursive: true })
  answerOf(await daybook("erase", id, "--yes", "--json"))
  return { daybook, path, folder, elsewhere, ledger, copy, file }
}

const problemsOf = (verified: { readonly stdout: string }): ReadonlyArray<string> =>
  JSON.parse(verified.stdout).problems.map(({ what }: { readonly what: string }) => what)

describe("a copy of the ledger elsewhere", () => {
  it("is written with each erasure, and gives back a ledger that is lost or too short", async () => {
    const { copy, daybook, ledger } = await prepared()
    const first = readFileSync(ledger, "utf8")
    expect(readFileSync(copy, "utf8")).toBe(first)
    rmSync(ledger)
    answerOf(await daybook("list", "--json"))
    expect(readFileSync(ledger, "utf8")).toBe(first)
    const [{ id }] = answerOf(await daybook("list", "--json"))
    answerOf(await daybook("erase", id, "--yes", "--json"))
    const second = readFileSync(ledger, "utf8")
    expect(second.split("\n")).toHaveLength(3)
    expect(readFileSync(copy, "utf8")).toBe(second)
    writeFileSync(ledger, first)
    expect(problemsOf(await daybook("verify", "--json"))).toEqual([])
    expect(readFileSync(ledger, "utf8")).toBe(second)
    writeFileSync(copy, first)
    answerOf(await daybook("remember", "a new memory", "--json"))
    expect(readFileSync(copy, "utf8")).toBe(second)
  })

  it("erases again in an old copy of the folder, and in a restored backup", async () => {
    const { copy, file, folder, path } = await prepared()
    const old = join(path, "before")
    expect(readFileSync(join(old, "log.db")).includes("quokka-canary")).toBe(true)
    expect((await daybookIn(old)("list")).stdout).not.toContain("quokka-canary")
    expect(readFileSync(join(old, "erasures.log"), "utf8")).toBe(readFileSync(copy, "utf8"))
    answerOf(await daybookIn(old)("erase", "--verify", "quokka-canary", "--json"))
    const restored = join(path, "restored")
    mkdirSync(restored)
    copyFileSync(join(folder, "policy.toml"), join(restored, "policy.toml"))
    answerOf(await daybookIn(restored)("restore", file, "--json"))
    expect(readFileSync(join(restored, "log.db")).includes("quokka-canary")).toBe(false)
    expect(problemsOf(await daybookIn(restored)("verify", "--json"))).toEqual([])
  })

  it("is part of a backup where the ledger is lost, so that the backup verifies", async () => {
    const { daybook, ledger, path } = await prepared()
    rmSync(ledger)
    const file = join(path, "after.backup")
    answerOf(await daybook("backup", file, "--json"))
    expect(problemsOf(await daybook("verify", file, "--json"))).toEqual([])
  })

  it("that cannot be written refuses an erasure before anything is erased", async () => {
    const { copy, daybook, elsewhere, folder, ledger } = await prepared()
    const before = readFileSync(ledger, "utf8")
    rmSync(elsewhere, { recursive: true })
    expect((await daybook("check")).stdout).toContain(`log.ledger: ${elsewhere} does not exist`)
    const [{ id }] = answerOf(await daybook("list", "--json"))
    const refused = refusal(await daybook("erase", id, "--yes"))
    expect(refused.line).toContain(copy)
    expect(readFileSync(ledger, "utf8")).toBe(before)
    expect(answerOf(await daybook("list", "--json"))).toHaveLength(1)
    expect(problemsOf(await daybook("verify", "--json"))).toEqual([])
    mkdirSync(elsewhere)
    answerOf(await daybook("erase", id, "--yes", "--json"))
    expect(readFileSync(copy, "utf8")).toBe(readFileSync(ledger, "utf8"))
    writeFileSync(join(folder, "policy.toml"), '[log]\nledger = "copy.log"\n')
    expect((await daybook("check")).stdout).toContain("log.ledger: is inside the data folder")
  })

  it("of another log stops writes, and changes neither file", async () => {
    const [one, other] = [await prepared(), await prepared()]
    const before = readFileSync(one.ledger, "utf8")
    copyFileSync(other.copy, one.copy)
    expect((await one.daybook("remember", "a new memory")).stderr).toContain("LEDGER_DAMAGED")
    expect(readFileSync(one.ledger, "utf8")).toBe(before)
    expect(readFileSync(one.copy, "utf8")).toBe(readFileSync(other.ledger, "utf8"))
  })
})

describe("daybook verify --without-ledger", () => {
  it("records that the ledger is lost, and lets writes go on", async () => {
    const { copy, daybook, ledger } = await prepared()
    rmSync(ledger)
    rmSync(copy)
    expect((await daybook("remember", "a new memory")).stderr).toContain("--without-ledger")
    expect((await daybook("verify")).code).toBe(exitCodes.damaged)
    const accepted = answerOf(await daybook("verify", "--without-ledger", "--json"))
    expect(accepted.ok).toBe(true)
    expect(accepted.accepted.map(({ what }: { readonly what: string }) => what)).toContain(
      "the ledger of erasures ends with line 0, but the log or the anchor refers to line 1"
    )
    expect(existsSync(ledger)).toBe(true)
    expect(readFileSync(copy, "utf8")).toBe(readFileSync(ledger, "utf8"))
    const { id } = answerOf(await daybook("remember", "a new memory", "--json"))
    answerOf(await daybook("erase", id, "--yes", "--json"))
    expect(problemsOf(await daybook("verify", "--json"))).toEqual([])
  })

  it("refuses a log whose ledger is there, and one with other damage", async () => {
    const { copy, daybook, folder, ledger } = await prepared()
    expect(refusal(await daybook("verify", "--without-ledger")).line).toContain("is not damaged")
    rmSync(ledger)
    rmSync(copy)
    const anchor = readFileSync(join(folder, "anchor.log"), "utf8")
    writeFileSync(join(folder, "anchor.log"), anchor.split("\n").slice(0, 1).join("\n"))
    expect(refusal(await daybook("verify", "--without-ledger")).line).toContain("other damage")
    expect((await daybook("remember", "a new memory")).code).not.toBe(0)
  })
})
