import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  answerOf,
  build,
  bundle,
  daybookIn,
  lines,
  newFolder,
  refusal,
  removeFolders,
  root,
  run,
  spawnDaybook
} from "./support/cli.js"

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

beforeAll(build, 120_000)
afterAll(removeFolders)

describe("a data folder with a few memories", () => {
  const folder = newFolder()
  const daybook = daybookIn(folder)
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const remember = async (name: string, ...args: ReadonlyArray<string>) => {
      const answer = answerOf(await daybook("remember", ...args, "--json"))
      expect(answer).toMatchObject({ outcome: "added", repeated: false })
      ids[name] = answer.id
      return answer
    }
    const deploys = ["--type", "decision", "--tag", "Deploys", "--fact", "before 11:00", "--fact", "by hand"]
    const first = await remember("deploys", "Deploys happen on Tuesdays", ...deploys, "--at", "2025-09-16")
    expect(first).toEqual({ outcome: "added", id: ids.deploys, version: 1, mentions: 1, repeated: false })
    await remember("tokyo", "Haruto lives in 東京", "--person", "Haruto", "--store", "social", "--project", "harbour")
    await remember(
      "tea",
      "Alice drinks tea",
      "--type",
      "person",
      "--person",
      "Alice",
      "--store",
      "shared",
      "--session",
      "s1"
    )
  })

  it("search prints the compact form, best first, with the score and its parts", async () => {
    const rows = answerOf(await daybook("search", "deploys", "tuesdays", "--json"))
    expect(Object.keys(rows[0])).toEqual(
      expect.arrayContaining(["id", "type", "title", "store", "people", "createdAt", "tokens", "score", "parts"])
    )
    expect(rows[0]).toMatchObject({ id: ids.deploys, type: "decision", occurredAt: "2025-09-16T00:00:00.000Z" })
    expect(rows[0].createdAt).toMatch(instant)
    expect(rows[0].score).toBeCloseTo(
      Object.values(rows[0].parts as Record<string, number>).reduce((sum, part) => sum + part, 0)
    )
    expect(answerOf(await daybook("--json", "search", "東京"))[0].id).toBe(ids.tokyo)
  })

  it("search and list accept filters", async () => {
    const idsOf = async (...args: ReadonlyArray<string>) =>
      answerOf(await daybook(...args, "--json")).map(({ id }: { id: string }) => id)
    expect(await idsOf("list")).toEqual([ids.tea, ids.tokyo, ids.deploys])
    expect(await idsOf("list", "--limit", "1", "--offset", "1")).toEqual([ids.tokyo])
    expect(await idsOf("list", "--type", "decision", "--type", "person")).toEqual([ids.tea, ids.deploys])
    expect(await idsOf("list", "--tag", "deploys")).toEqual([ids.deploys])
    expect(await idsOf("list", "--store", "social")).toEqual([ids.tokyo])
    expect(await idsOf("list", "--session", "s1")).toEqual([ids.tea])
    expect(await idsOf("list", "--project", "harbour")).toEqual([ids.tokyo])
    expect(await idsOf("list", "--before", "2025-09-17")).toEqual([ids.deploys])
    expect(await idsOf("list", "--after", "2025-09-17T00:00:00Z")).toEqual([ids.tea, ids.tokyo])
    expect(await idsOf("search", "", "--person", "haruto")).toEqual([ids.tokyo])
    expect(await idsOf("search", "deploys", "--type", "person")).not.toContain(ids.deploys)
  })

  it("people prints aligned tables, without colour outside a terminal", async () => {
    for (const args of [["search", "deploys"], ["list"], ["timeline", ids.tokyo!]]) {
      const env = { CI: "1" }
      const { code, stderr, stdout } = await spawnDaybook(["--data", folder, ...args], { env })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout).not.toContain("\u001b")
      const [head, ...rows] = lines(stdout)
      for (const row of rows) {
        expect(row.slice(head!.indexOf("title")), row).toMatch(/^(Deploys|Haruto|Alice)/)
        expect(row).not.toMatch(/ $/)
      }
    }
    expect((await daybook("list", "--tag", "none")).stdout).toBe("nothing found\n")
  })

  it("timeline shows earlier and later memories, and marks the given one", async () => {
    const rows = answerOf(await daybook("timeline", ids.tokyo!, "--before", "1", "--after", "0", "--json"))
    expect(rows.map(({ id }: { id: string }) => id)).toEqual([ids.deploys, ids.tokyo])
    const marked = lines((await daybook("timeline", ids.tokyo!)).stdout).filter((line) => line.startsWith(">"))
    expect(marked).toHaveLength(1)
    expect(marked[0]).toContain(ids.tokyo)
  })

  it("get shows the memories that exist and names unknown ids", async () => {
    const found = answerOf(await daybook("get", ids.tea!, ids.deploys!, "--json"))
    expect(found).toMatchObject([
      { id: ids.tea, people: ["Alice"], session: "s1" },
      { id: ids.deploys, facts: ["before 11:00", "by hand"], tags: ["deploys"], occurredAt: "2025-09-16T00:00:00.000Z" }
    ])
    expect((await daybook("get", ids.deploys!)).stdout).toContain(
      "Deploys happen on Tuesdays\n- before 11:00\n- by hand\n"
    )
    const partly = await daybook("get", "nothere", ids.tea!, "norhere", "--json")
    expect(JSON.parse(partly.stdout)).toHaveLength(1)
    expect(refusal(partly)).toEqual({
      code: 1,
      line: "daybook: memory nothere, norhere not found: check the id and the trust level"
    })
  })

  it("people lists mentioned people, and the facts about a given name", async () => {
    const [alice] = answerOf(await daybook("people", "ali", "--json"))
    expect(alice).toMatchObject({ name: "Alice", mentions: 1, stores: ["shared"], facts: ["Alice drinks tea"] })
    expect(alice.lastMentionedAt).toMatch(instant)
    expect(lines((await daybook("people")).stdout)).toHaveLength(3)
    expect((await daybook("people", "alice")).stdout).toContain("Alice: Alice drinks tea")
  })

  it("each level reads its stores and no versions; operator commands need full trust", async () => {
    const storesAt = async (level: string) =>
      answerOf(await daybook("list", "--trust", level, "--json")).map(({ store }: { store: string }) => store)
    expect(await storesAt("inner")).toEqual(["shared", "social"])
    expect(await storesAt("familiar")).toEqual(["social"])
    expect(await storesAt("public")).toEqual([])
    const known = answerOf(await daybook("--trust", "familiar", "history", ids.tokyo!, "--json"))
    expect(known[0]).not.toHaveProperty("version")
    for (const command of ["log", "verify"]) {
      const line = `daybook: ${command} requires trust level \`full\``
      expect(refusal(await daybook("--trust", "inner", command))).toEqual({ code: 1, line })
    }
    const line = "daybook: reading as of a version requires trust level `full`"
    expect(refusal(await daybook("list", "--trust", "inner", "--as-of", "1"))).toEqual({ code: 1, line })
    expect(refusal(await daybook("get", ids.deploys!, "--trust", "inner")).code).toBe(1)
    expect(refusal(await daybook("remember", "mine", "--trust", "inner", "--store", "private")).code).toBe(1)
  })

  it("log prints events with their versions", async () => {
    const events = answerOf(await daybook("log", "--json"))
    expect(events.map(({ version }: { version: number }) => version)).toEqual(
      events.map((_: unknown, at: number) => at + 1)
    )
    const [first] = events
    expect(Object.keys(first)).toEqual(
      expect.arrayContaining(["sequence", "stream", "version", "type", "recordedAt", "payload"])
    )
    expect(first).toMatchObject({
      stream: "default",
      type: "ADD",
      actor: "cli",
      payload: { memory: { id: ids.deploys } }
    })
    expect(first.recordedAt).toMatch(instant)
    expect(first.payload.memory.createdAt).toMatch(instant)
    const page = answerOf(await daybook("log", "--after", "1", "--limit", "2", "--json"))
    expect(page.map(({ version }: { version: number }) => version)).toEqual([2, 3])
    expect(answerOf(await daybook("log", "--after", "9999", "--json"))).toEqual([])
    expect(answerOf(await daybook("log", "--as-of", "2", "--json"))).toHaveLength(2)
    expect(lines((await daybook("log")).stdout)).toHaveLength(events.length)
  })

  it("verify, stats, agents, rebuild and backfill print their results", async () => {
    const { version } = answerOf(await daybook("log", "--json")).at(-1)
    const checked = answerOf(await daybook("verify", "--json"))
    expect(checked).toMatchObject({ ok: true, events: version, head: { version }, problems: [] })
    expect(checked.head.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(answerOf(await daybook("verify", "--agent", "default", "--json"))).toEqual(checked)
    expect(refusal(await daybook("verify", "--agent", "nobody", "--json")).code).toBe(1)
    expect((await daybook("verify")).stdout).toMatch(/^ok {6}yes$/m)
    expect(answerOf(await daybook("stats", "--json"))).toMatchObject({
      agent: "default",
      version,
      memories: { active: 3, byStore: { private: 1, shared: 1, social: 1 } },
      vectors: { embedded: 3 }
    })
    expect((await daybook("stats")).stdout).toMatch(/^memories +3 active/m)
    expect(answerOf(await daybook("agents", "--json"))).toMatchObject([{ name: "default", version }])
    expect(answerOf(await daybook("rebuild", "--check", "--json"))).toMatchObject({ events: version, equal: true })
    expect(answerOf(await daybook("rebuild", "people", "history", "--json"))).toMatchObject({ agent: "default" })
    expect((await daybook("rebuild")).code).toBe(0)
    expect(answerOf(await daybook("backfill", "--json"))).toEqual({ embedded: 0, remaining: 0 })
  })

  it("reads show the past by version and by time", async () => {
    const at = (await daybook("log", "--limit", "1", "--json").then(answerOf))[0].recordedAt
    const titles = async (...args: ReadonlyArray<string>) =>
      answerOf(await daybook(...args, "--json")).map(({ title }: { title: string }) => title)
    for (const moment of ["1", at]) {
      expect(await titles("list", "--as-of", moment)).toEqual(["Deploys happen on Tuesdays"])
      expect(await titles("search", "alice tea", "--as-of", moment)).not.toContain("Alice drinks tea")
    }
    expect(answerOf(await daybook("people", "--as-of", "1", "--json"))).toEqual([])
    expect(refusal(await daybook("get", ids.tea!, "--as-of", at)).code).toBe(1)
    expect(refusal(await daybook("history", ids.tea!, "--as-of", "1")).code).toBe(1)
    expect(await titles("timeline", ids.deploys!, "--as-of", at)).toHaveLength(1)
    expect(await titles("list", "--as-of", "2000-01-01")).toEqual([])
    expect(await titles("list", "--trust", "inner", "--as-of", "2999-01-01")).toHaveLength(2)
    expect(refusal(await daybook("list", "--as-of", "4000")).code).toBe(1)
  })

  it("an invalid call exits with 2, a refused request with 1", async () => {
    const wrong = await daybook("search", "x", "--limit", "many")
    expect(refusal(wrong)).toEqual({ code: 2, line: "daybook: --limit: must be a whole number from 1 to 1000" })
    expect(wrong.stdout).toBe("")
    expect(refusal(await daybook("serach", "x")).code).toBe(2)
    expect(refusal(await daybook("search", "x", "--bogus")).code).toBe(2)
    expect(refusal(await daybook("remember", "", "--json"))).toEqual({ code: 2, line: "daybook: title: is empty" })
    expect(refusal(await daybook("forget", "nothere"))).toEqual({
      code: 1,
      line: "daybook: memory nothere not found: check the id and the trust level"
    })
  })

  it("a closed pipe is no error", async () => {
    const shell = `set -o pipefail; ${process.execPath} ${bundle} --data ${folder} log | head -n 1`
    const { code, stderr, stdout } = await run("bash", ["-c", shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(lines(stdout)).toHaveLength(1)
  })
})

describe("demo", () => {
  it("shows every step and leaves no files", async () => {
    const { code, stderr, stdout } = await spawnDaybook(["demo"], { env: { TMPDIR: newFolder() } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const heading of [
      "Import",
      "Search",
      "Look closer",
      "Correct",
      "Audit",
      "Rewind",
      "Trust",
      "Rebuild",
      "Verify"
    ]) {
      expect(stdout).toMatch(new RegExp(`^## ${heading}`, "m"))
    }
    expect(stdout).toMatch(/0 added|nothing new/)
    expect(stdout).toContain("+ title: 2025-09-16 Deploys happen on Thursdays")
    expect(stdout).toMatch(/^equal +yes$/m)
    expect(stdout).toMatch(/^ok +yes$/m)
    const [, folder] = /into (\S+)$/m.exec(stdout)!
    expect(existsSync(folder!)).toBe(false)
  })

  it("holds a conversation, checks what the prompts know, and prints each", async () => {
    const { code, stdout } = await spawnDaybook(["demo", "--chat"], { env: { TMPDIR: newFolder() } })
    expect(code).toBe(0)
    expect(stdout.match(/^<memory>$/gm)?.length).toBeGreaterThan(8)
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("All checks passed.")
  })

  it("prints one JSON document, and keeps its folder on request", async () => {
    const folder = newFolder()
    const answer = answerOf(await spawnDaybook(["demo", "--keep", "--json"], { env: { TMPDIR: folder } }))
    expect(answer.ok).toBe(true)
    expect(answer.steps.at(-1)).toMatchObject({ call: "daybook verify", answer: { ok: true } })
    expect(answerOf(await daybookIn(answer.folder)("verify", "--json")).ok).toBe(true)
  })
})

describe("help", () => {
  it("names every command, the options and examples, and exits with 0", async () => {
    const daybook = daybookIn(newFolder())
    const help = await daybook("--help")
    expect(help.code).toBe(0)
    const commands = readdirSync(join(root, "bin", "commands")).map((name) => name.replace(".ts", ""))
    for (const name of commands.filter((name) => name !== "all" && name !== "Command")) {
      expect(help.stdout).toMatch(new RegExp(`^ {2}${name} `, "m"))
    }
    const one = await daybook("search", "--help")
    expect(one.stdout).toMatch(/--as-of <version\|time>[\s\S]*--data <dir>[\s\S]*Examples:\n {2}daybook search/)
    expect((await daybook("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
