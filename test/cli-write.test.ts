import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Default from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import {
  answerOf,
  build,
  bundle,
  daybookIn,
  lines,
  newFolder,
  refusal,
  removeFolders,
  run,
  runDaybook,
  spawnDaybook
} from "./support/cli.js"
import { lawRuns } from "./support/size.js"

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const jsonLines = (text: string) => lines(text).map((line) => JSON.parse(line))

beforeAll(build, 120_000)
afterAll(removeFolders)

describe("texts of every script", () => {
  it("give the same result on the command line as in the library", async () => {
    const fixtures = join(import.meta.dirname, "fixtures")
    const texts = [
      ...readdirSync(join(fixtures, "search")).flatMap(
        (file): ReadonlyArray<string> =>
          Object.values(JSON.parse(readFileSync(join(fixtures, "search", file), "utf8")).texts)
      ),
      ...JSON.parse(readFileSync(join(fixtures, "marks", "lines.json"), "utf8")).map(
        ({ text }: { text: string }) => text
      )
    ].filter((text) => typeof text === "string" && text.trim() !== "" && text.length <= 400)
    const [byCommand, byLibrary] = [newFolder(), newFolder()]
    const observations = texts.map((title) => ({ title, store: "shared" as const }))
    const input = observations.map((one) => JSON.stringify(one)).join("\n")
    const sent = await daybookIn(byCommand, { input })("remember", "-", "--no-reconcile", "--json")
    expect([sent.code, lines(sent.stdout)]).toEqual([0, expect.objectContaining({ length: texts.length })])
    const told = await Effect.runPromise(
      Effect.gen(function* () {
        const memory = yield* (yield* Daybook).agent("default", { trust: "full" })
        for (let from = 0; from < observations.length; from += 500)
          yield* memory.rememberAll(
            observations.slice(from, from + 500).map((one) => [one, { reconcile: false }] as const)
          )
        return yield* memory.list({ limit: 1_000 })
      }).pipe(Effect.provide(Default.layer({ folder: byLibrary })))
    )
    const facts = (rows: ReadonlyArray<{ title: string; type: string; store: string; tokens: number }>) =>
      rows.map(({ store, title, tokens, type }) => [title, type, store, tokens])
    const listed = answerOf(await daybookIn(byCommand)("list", "--limit", "1000", "--json"))
    expect(facts(listed)).toEqual(facts(told))
    // And every index has the same of them: the library's view of the command's folder is the command's.
    const same = await Effect.runPromise(
      Effect.gen(function* () {
        const daybook = yield* Daybook
        const { digest } = yield* daybook.digests("default")
        yield* daybook.rebuild("default")
        return (yield* daybook.digests("default")).digest === digest
      }).pipe(Effect.provide(Default.layer({ folder: byCommand })))
    )
    expect(same).toBe(true)
    expect(answerOf(await daybookIn(byCommand)("search", "서울", "--json"))[0].title).toContain("서울")
    expect(answerOf(await daybookIn(byCommand)("list", "--after", "上周", "--limit", "1", "--json"))).toHaveLength(1)
  }, 120_000)
})

describe("conversations", () => {
  it("are added by turn or from lines, listed, read, searched and forgotten", async () => {
    const folder = newFolder()
    const daybook = daybookIn(folder)
    const add = ["add-turn", "monday", "--json"]
    expect(answerOf(await daybook(...add, "Which harbour do you mean?", "--speaker", "Mira"))).toMatchObject({
      turn: { session: "monday", sequence: 1, version: 1, repeated: false }
    })
    const told = { role: "assistant", speaker: "Tom", at: "2026-03-14T09:30:00Z" }
    const input = [{ text: "Emden, of course.", ...told }, { text: "too late", sequence: 1 }, { text: " " }]
    const turns = input.map((line) => JSON.stringify(line)).join("\n")
    const sent = await daybookIn(folder, { input: turns })("add-turn", "monday", "-")
    expect(sent.code).toBe(1)
    expect(jsonLines(sent.stdout)).toMatchObject([
      { sequence: 2 },
      { field: "sequence", line: 2 },
      { field: "text", line: 3 }
    ])
    expect(answerOf(await daybook("sessions", "--json"))).toMatchObject([
      { session: "monday", store: "private", turns: 2, sequence: 2, speakers: ["Mira", "Tom"] }
    ])
    expect((await daybook("turns", "monday", "--last", "1")).stdout).toBe(
      "    2  2026-03-14 09:30:00Z  Tom: Emden, of course.\n"
    )
    // Tom spoke last, of an earlier day than Mira.
    const [heading, session] = lines((await daybook("sessions")).stdout)
    expect(heading).toContain("last said")
    expect(session).not.toContain("2026-03-14")
    const [hit] = answerOf(await daybook("search", "--conversation", "what did Tom say of the harbour", "--json"))
    expect(hit).toMatchObject({
      session: "monday",
      sequence: 2,
      speaker: "Tom",
      occurredAt: "2026-03-14T09:30:00.000Z"
    })
    expect(hit.parts.speaker).toBeGreaterThan(0)
    expect(refusal(await daybook("search", "harbour", "--speaker", "Tom")).code).toBe(2)
    expect(refusal(await daybook("search", "harbour", "--conversation", "--type", "x")).code).toBe(2)
    expect(refusal(await daybook("add-turn", "monday", "x", "--role", "nobody")).code).toBe(2)
    expect(answerOf(await daybook("stats", "--json")).conversation).toMatchObject({
      sessions: 1,
      turns: 2,
      embedded: 2
    })
    const { version } = answerOf(await daybook("forget-session", "monday", "--json"))
    expect(answerOf(await daybook("search", "--conversation", "harbour", "--json"))).toEqual([])
    expect(answerOf(await daybook("turns", "monday", "--as-of", String(version - 1), "--json"))).toHaveLength(2)
    expect(refusal(await daybook("forget-session", "monday")).code).toBe(1)
  })
})

describe("files", () => {
  it("are added by folder, found with line numbers, replaced, listed and forgotten", async () => {
    const folder = newFolder()
    const notes = newFolder()
    const daybook = daybookIn(folder)
    mkdirSync(join(notes, "deep"))
    writeFileSync(join(notes, "harbour.md"), "# Harbour\n\nThe pilot calls at noon.\n")
    writeFileSync(join(notes, "deep", "tides.ts"), "export const highWater = 6\n")
    expect((await daybook("add-file", notes, "--session", "monday")).stdout).toBe(
      "2 files: 2 added, 0 updated, 0 unchanged\n"
    )
    expect((await daybook("add-file", notes)).stdout).toBe("2 files: 0 added, 0 updated, 2 unchanged\n")
    writeFileSync(join(notes, "harbour.md"), "# Harbour\n\n\n\nThe pilot calls at six.\n")
    writeFileSync(join(notes, "picture.png"), Buffer.from([137, 80, 78, 71, 0, 1]))
    const mixed = await daybook("add-file", join(notes, "harbour.md"), join(notes, "picture.png"), join(notes, "gone"))
    expect(mixed.code).toBe(1)
    expect(mixed.stdout).toBe("3 files: 0 added, 1 updated, 0 unchanged, 2 refused\n")
    expect(lines(mixed.stderr)).toEqual([
      `${join(notes, "gone")}: does not exist`,
      `${join(notes, "picture.png")}: is not text`,
      `daybook: 2 files refused; the first is ${join(notes, "gone")}`
    ])
    await daybook("add-turn", "monday", "Did the pilot call?")
    const hits = answerOf(await daybook("search", "--conversation", "pilot", "--json"))
    expect(hits.find(({ kind }: { kind: string }) => kind === "file")).toMatchObject({
      session: "monday",
      text: "# Harbour\n\n\n\nThe pilot calls at six.\n",
      file: { path: join(notes, "harbour.md"), media: "markdown", line: 1, lineEnd: 5 }
    })
    const shown = await daybook("search", "--conversation", "highWater", "--kind", "file")
    const [heading, row] = lines(shown.stdout)
    expect(heading).toMatch(/^source +place +score +day +who +text$/)
    expect(row).toMatch(/tides\.ts +line 1 +[\d.]+ +\d{4}-\d\d-\d\d +export const highWater = 6$/)
    expect(refusal(await daybook("search", "pilot", "--kind", "file")).code).toBe(2)
    expect(answerOf(await daybook("files", "--json"))).toMatchObject([
      { path: join(notes, "harbour.md"), media: "markdown", lines: 5, store: "private" },
      { path: join(notes, "deep", "tides.ts"), media: "code", lines: 1 }
    ])
    expect((await daybook("files")).stdout).toContain("harbour.md")
    expect((await daybook("forget-file", join(notes, "deep", "tides.ts"))).stdout).toMatch(
      /^forgot .*tides\.ts \(version/
    )
    expect(refusal(await daybook("forget-file", "nothing.md")).line).toBe(
      "daybook: file nothing.md not found: check the path and the trust level; 'daybook files' lists the indexed files"
    )
    expect((await daybook("forget-session", "monday")).stdout).toMatch(/^forgot 1 turn and 1 file of monday/)
    expect(answerOf(await daybook("files", "--json"))).toEqual([])
    const log = (await daybook("log")).stdout
    expect(log).toContain("harbour.md")
    expect(log).toContain("session monday: 1 turn, 1 file")
  })
})

describe("files of a session", () => {
  it("move only with --move, and empty files are skipped", async () => {
    const notes = newFolder()
    const daybook = daybookIn(newFolder())
    writeFileSync(join(notes, "tea.md"), "a kettle\n")
    writeFileSync(join(notes, "empty.txt"), " \n")
    const first = await daybook("add-file", notes, "--session", "monday")
    expect(first).toEqual({
      code: 0,
      stdout: "2 files: 1 added, 0 updated, 0 unchanged, 1 skipped\n",
      stderr: `${join(notes, "empty.txt")}: is empty\n`
    })
    const refused = await daybook("add-file", notes, "--session", "friday", "--json")
    expect(refusal(refused)).toMatchObject({ code: 1, line: expect.stringContaining("1 file refused") })
    expect(JSON.parse(refused.stdout)).toEqual({
      ...{ files: 2, added: 0, updated: 0, unchanged: 0, moved: [] },
      skipped: [{ path: join(notes, "empty.txt"), problem: "is empty" }],
      cut: [],
      refused: [{ path: join(notes, "tea.md"), problem: "belongs to session monday; pass --move to move the file" }]
    })
    expect(refusal(await daybook("forget-session", "friday")).code).toBe(1)
    expect(refusal(await daybook("add-file", notes, "--move")).code).toBe(2)
    const moved = await daybook("add-file", join(notes, "tea.md"), "--session", "friday", "--move")
    expect(moved.stdout).toBe("1 file: 0 added, 0 updated, 0 unchanged, 1 moved\n")
    expect(moved.stderr).toBe(`${join(notes, "tea.md")}: moved from session monday to session friday\n`)
    writeFileSync(join(notes, "tea.md"), "")
    expect((await daybook("add-file", join(notes, "tea.md"))).stdout).toBe("1 file: 0 added, 1 updated, 0 unchanged\n")
    const folder = refusal(await daybook("forget-file", notes))
    expect(folder).toMatchObject({ code: 1, line: expect.stringMatching(/is a folder.*one file.*daybook files/) })
  })
})

describe("writing", () => {
  it("reports which fields of a duplicate were ignored", async () => {
    const daybook = daybookIn(newFolder())
    const said = ["remember", "Alice drinks tea", "--tag", "Tea", "--person", "Alice", "--at", "2026-03-01"]
    const { id } = answerOf(await daybook(...said, "--json"))
    const same = answerOf(await daybook(...said, "--json"))
    expect(same).toMatchObject({ outcome: "duplicate", id, mentions: 2 })
    expect(same).not.toHaveProperty("notTaken")
    const more = ["--type", "preference", "--tag", "tea", "--tag", "morning", "--file", "a.md", "--narrative", "why"]
    const told = await daybook("remember", "Alice drinks tea", ...more)
    expect(told.stdout).toMatch(
      /^known as \w+, mentioned 3 times \(version \d+\)\. Ignored: type, narrative, tags, files; use /
    )
    const [whole] = answerOf(await daybook("get", id, "--json"))
    expect(whole).toMatchObject({ type: "discovery", tags: ["tea"], files: [], people: ["Alice"], mentions: 3 })
    const bob = '{"title":"x","people":["Bob"],"commandId":"c"}\n'
    const answers = await daybookIn(newFolder(), { input: `{"title":"x"}\n${bob}${bob}` })("remember", "-")
    const [, second, third] = jsonLines(answers.stdout)
    expect(second).toMatchObject({ outcome: "duplicate", notTaken: ["people"], repeated: false })
    expect(third).toEqual({ ...second, repeated: true })
  })

  it("warns that a memory has expired already, and only then", async () => {
    const daybook = daybookIn(newFolder())
    const problem = (id: string) =>
      `daybook: warning: --expires is in the past: no read shows memory ${id}; to show it, store it again with a later --expires\n`
    const past = await daybook("remember", "The ferry is late", "--expires", "2020-01-01", "--json")
    expect(past.stderr).toBe(problem(answerOf(past).id))
    const present = await daybook("remember", "The ferry is late", "--expires", "2120-01-01", "--json")
    expect([present.stderr, answerOf(present).outcome]).toEqual(["", "added"])
    const { id } = answerOf(present)
    expect(answerOf(await daybook("list", "--json"))).toMatchObject([{ id }])
    // A repeat moves the expiry only to a later time, so the memory stays visible.
    expect(await daybook("remember", "The ferry is late", "--expires", "2020-01-01")).toMatchObject({ stderr: "" })
    const updated = await daybook("update", id, "--expires", "2020-01-01")
    expect([updated.code, updated.stderr]).toEqual([0, problem(id)])
    expect(answerOf(await daybook("list", "--json"))).toEqual([])
  })

  it("leaves a folder of other files as it is when a hook reads, and writes there when a hook stores", async () => {
    const folder = newFolder()
    writeFileSync(join(folder, "notes.txt"), "tea")
    const hook = (input: object, event: string) =>
      daybookIn(folder, { input: JSON.stringify({ session_id: "s", ...input }) })("hook", event)
    expect(await hook({}, "session-start")).toEqual({ code: 0, stdout: "", stderr: "" })
    expect(await hook({ prompt: "Which harbour?" }, "user-prompt")).toMatchObject({ code: 0, stdout: "", stderr: "" })
    expect(readdirSync(folder)).toEqual(["notes.txt"])
    await hook({ tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "notes.txt" }, "post-tool")
    expect(readdirSync(folder)).toContain("log.db")
  })

  it("creates nothing on disk for an agent that is only read", async () => {
    const folder = newFolder()
    const daybook = daybookIn(folder)
    for (const args of [
      ["list"],
      ["search", "tea"],
      ["search", "--conversation", "tea", "--explain"],
      ["stats"],
      ["people"],
      ["sessions"],
      ["files"],
      ["recall", "list"],
      ["log"],
      ["list", "--as-of", "0"],
      ["list", "--as-of", "2026-01-01"],
      ["list", "--trust", "inner"]
    ]) {
      const { code, stderr } = await daybook("--agent", "nosuch", ...args)
      const note = "agent nosuch has no events: pass --agent NAME; 'daybook agents' lists the names\n"
      const noted = !args.includes("inner")
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: noted ? note : "" })
    }
    for (const command of ["history", "turns"]) {
      const { code, stderr } = await daybook("--agent", "nosuch", command, "x")
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("x not found") })
    }
    expect(readdirSync(folder).filter((name) => name === "views" || name === "cache")).toEqual([])
    expect(answerOf(await daybook("stats", "--agent", "nosuch", "--json"))).toMatchObject({
      version: 0,
      vectors: { available: true, embedded: 0 },
      view: { bytes: 0, parked: [] }
    })
  })

  it("changes a memory, prints its history, and forgets it", async () => {
    const daybook = daybookIn(newFolder())
    const remembered = ["remember", "Deploys happen on Tuesdays", "--tag", "a", "--tag", "b", "--narrative", "why"]
    const { id } = answerOf(await daybook(...remembered, "--actor", "alice", "--json"))
    const { stdout } = await daybook(
      "update",
      id,
      "--title",
      "Deploys happen on Thursdays",
      "--clear",
      "narrative",
      "--tag",
      "c"
    )
    const [, version] = /^updated \w+ \(version (\d+)\)\n$/.exec(stdout)!
    const [whole] = answerOf(await daybook("get", id, "--json"))
    expect(whole).toMatchObject({ title: "Deploys happen on Thursdays", tags: ["c"] })
    expect(whole).not.toHaveProperty("narrative")

    const entries = answerOf(await daybook("history", id, "--json"))
    expect(entries).toMatchObject([
      { revision: 1, version: 1, type: "ADD", actor: "alice", memory: { title: "Deploys happen on Tuesdays" } },
      { revision: 2, version: Number(version), type: "UPDATE", actor: "cli", decision: { action: "UPDATE" } }
    ])
    expect(entries[1].recordedAt).toMatch(instant)
    const told = (await daybook("history", id)).stdout
    expect(told).toContain("- title: Deploys happen on Tuesdays\n   + title: Deploys happen on Thursdays")
    const past = answerOf(await daybook("get", id, "--as-of", String(Number(version) - 1), "--json"))
    expect(past[0].title).toBe("Deploys happen on Tuesdays")

    expect(answerOf(await daybook("forget", id, "--json"))).toMatchObject({ outcome: "forgotten", id })
    expect(answerOf(await daybook("search", "deploys", "--json"))).toEqual([])
    expect(answerOf(await daybook("history", id, "--json"))).toHaveLength(3)
    expect(refusal(await daybook("forget", id)).code).toBe(1)
  })

  it("repeats safely with a command id; the same text without one is another mention", async () => {
    const daybook = daybookIn(newFolder())
    const once = answerOf(await daybook("remember", "one", "--command-id", "c1", "--json"))
    expect(answerOf(await daybook("remember", "one", "--command-id", "c1", "--json"))).toEqual({
      ...once,
      repeated: true
    })
    expect(refusal(await daybook("remember", "other", "--command-id", "c1")).code).toBe(1)
    expect((await daybook("remember", "one")).stdout).toMatch(/^known as \w+, mentioned 2 times \(version \d+\)\n$/)
  })

  it("embeds before the process ends, so that vector search finds the memory", async () => {
    const daybook = daybookIn(newFolder())
    await daybook("remember", "unmistakable")
    const [hit] = answerOf(await daybook("search", "unmistakable", "--json"))
    expect(hit.parts.vector).toBeGreaterThan(0)
  })

  it("removes terminal control codes from other people's text", async () => {
    const daybook = daybookIn(newFolder())
    const { id } = answerOf(
      await daybook("remember", "red \u001b[31m and\nbell \u0007", "--fact", "\u009b2J \u202egnirts", "--json")
    )
    for (const args of [["list"], ["get", id], ["history", id], ["log"]]) {
      const { stdout } = await daybook(...args)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(stdout).toContain("red  [31m and bell")
    }
    expect(answerOf(await daybook("get", id, "--json"))[0].title).toBe("red \u001b[31m and\nbell \u0007")
  })

  it("keeps agents apart", async () => {
    const daybook = daybookIn(newFolder())
    await daybook("--agent", "a", "remember", "of a")
    await daybook("remember", "of b", "--agent", "b")
    expect(answerOf(await daybook("list", "--agent", "b", "--json"))).toMatchObject([{ title: "of b" }])
    expect(answerOf(await daybook("agents", "--json"))).toMatchObject([{ name: "a" }, { name: "b" }])
    expect(answerOf(await daybook("verify", "--json"))).toMatchObject({ ok: true, streams: 2, head: null })
    expect(answerOf(await daybook("verify", "--agent", "a", "--json"))).toMatchObject({
      streams: 1,
      head: { version: 2 }
    })
  })

  it("finds the data folder in the environment", async () => {
    const folder = newFolder()
    expect((await runDaybook(["remember", "here"], { env: { DAYBOOK_DATA: folder } })).code).toBe(0)
    expect(existsSync(join(folder, "log.db"))).toBe(true)
  })
})

describe("remember -", () => {
  const feed = (folder: string, input: string, ...args: ReadonlyArray<string>) =>
    daybookIn(folder, { input })("remember", "-", ...args)

  it("answers each line in order, including refused ones", async () => {
    const folder = newFolder()
    const input = [
      '\ufeff{"title":"first","commandId":"c1"}',
      "",
      "no JSON",
      '{"title":"   "}',
      '["title"]',
      '{"title":"second \u2028 line","tags":["own"]}\r',
      '{"title":"third","colour":"red"}',
      '{"title":"fourth","commandId":"c1"}',
      '{"title":"fifth","store":"social","occurredAt":"2026-03-01"}'
    ].join("\n")
    const ran = await feed(folder, input, "--tag", "bulk", "--store", "shared")
    expect(refusal(ran)).toEqual({ code: 1, line: "daybook: 5 lines refused" })
    const answers = jsonLines(ran.stdout)
    expect(answers).toMatchObject([
      { outcome: "added", version: 1 },
      { error: "the line is not JSON", line: 3 },
      { error: "title: is empty", field: "title", line: 4 },
      { error: "the line is not a JSON object", line: 5 },
      { outcome: "added", version: 2 },
      { field: "colour", line: 7 },
      { field: "commandId", line: 8 },
      { outcome: "added", version: 3 }
    ])
    const stored = answerOf(await daybookIn(folder)("list", "--json"))
    expect(stored.map(({ title, store }: { title: string; store: string }) => [title, store])).toEqual([
      ["second \u2028 line", "shared"],
      ["first", "shared"],
      ["fifth", "social"]
    ])
    expect(answerOf(await daybookIn(folder)("list", "--tag", "bulk", "--json"))).toHaveLength(2)
    expect(answerOf(await daybookIn(folder)("stats", "--json")).vectors.embedded).toBe(3)
    expect(
      jsonLines((await feed(folder, '{"title":"first","commandId":"c1"}', "--tag", "bulk", "--store", "shared")).stdout)
    ).toMatchObject([{ id: answers[0].id, repeated: true }])
    expect(refusal(await feed(folder, '{"title":"x","store":"private"}\n', "--trust", "inner")).code).toBe(1)
    expect(await feed(folder, "")).toEqual({ code: 0, stdout: "", stderr: "" })
  })

  it("refuses lines that are nested too deeply or not UTF-8, without affecting others", async () => {
    const deep = `{"title":"x","facts":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    const brackets = JSON.stringify({ title: `${'[{"'.repeat(50)} \\` })
    const input = Buffer.concat([
      Buffer.from(`${deep}\n{"title":"caf`),
      Buffer.from([0xe9]),
      Buffer.from(`"}\n${brackets}\n{"title":"漢字"}\n`)
    ])
    const folder = newFolder()
    const ran = await daybookIn(folder, { input })("remember", "-")
    expect(refusal(ran)).toEqual({ code: 1, line: "daybook: 2 lines refused" })
    expect(jsonLines(ran.stdout)).toMatchObject([
      { error: "the line is nested more than 32 levels deep", line: 1 },
      { error: "the line is not UTF-8", line: 2 },
      { outcome: "added" },
      { outcome: "added" }
    ])
    expect(answerOf(await daybookIn(folder)("list", "--json")).map(({ title }: { title: string }) => title)).toEqual([
      "漢字",
      `${'[{"'.repeat(50)} \\`
    ])
  })

  it("accepts many lines, and refuses one that is far too long", async () => {
    const folder = newFolder()
    const count = lawRuns({ quick: 600, full: 3_000 })
    const many = Array.from({ length: count }, (_, at) => JSON.stringify({ title: `memory number ${at}` }))
    const { code, stdout } = await feed(folder, [...many, "x".repeat(9 << 20), '{"title":"last"}'].join("\n"))
    expect(code).toBe(1)
    const answers = jsonLines(stdout)
    expect(answers.map(({ line, version }) => version ?? line)).toHaveLength(count + 2)
    expect(answers.at(-2)).toEqual({ error: "the line is longer than 8388608 bytes", line: count + 1 })
    expect(answerOf(await daybookIn(folder)("stats", "--json")).memories.active).toBe(count + 1)
    const shell = `set -o pipefail; ${process.execPath} ${bundle} --data ${folder} log --json | head -n 2 | wc -l`
    expect(await run("bash", ["-c", shell])).toMatchObject({ code: 0, stderr: "" })
  })

  it("answers at once, and ends cleanly on a signal", async () => {
    const folder = newFolder()
    const child = spawn(process.execPath, [bundle, "--data", folder, "remember", "-"])
    for (const title of ["one", "two"]) {
      child.stdin.write(`${JSON.stringify({ title })}\n`)
      const [answer] = await once(child.stdout, "data")
      expect(JSON.parse(String(answer))).toMatchObject({ outcome: "added" })
    }
    child.kill("SIGTERM")
    expect(await once(child, "close")).toEqual([143, null])
    // The last one to leave takes the write-ahead log along.
    expect(readdirSync(folder).filter((name) => name.startsWith("log.db"))).toEqual(["log.db"])
    expect(answerOf(await daybookIn(folder)("list", "--json"))).toHaveLength(2)
  })

  it("works in two processes at the same time", async () => {
    const folder = newFolder()
    const batch = (name: string) =>
      Array.from({ length: 300 }, (_, at) => JSON.stringify({ title: `${name} ${at}` })).join("\n")
    const ran = await Promise.all(
      ["left", "right"].map((name) => spawnDaybook(["--data", folder, "remember", "-"], { input: batch(name) }))
    )
    expect(ran.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: "" },
      { code: 0, stderr: "" }
    ])
    const daybook = daybookIn(folder)
    expect(answerOf(await daybook("stats", "--json"))).toMatchObject({
      memories: { active: 600 },
      vectors: { embedded: 600 }
    })
    expect(answerOf(await daybook("verify", "--json"))).toMatchObject({ ok: true })
    expect(answerOf(await daybook("rebuild", "--check", "--json"))).toMatchObject({ equal: true })
  })
})

describe("import", () => {
  it("reads files and folders once, and reports what it skipped", async () => {
    const folder = newFolder()
    const notes = newFolder()
    mkdirSync(join(notes, "journal"))
    writeFileSync(join(notes, "MEMORY.md"), "# Decisions\n\n- Deploys happen on Tuesdays.\n- Backups run at night.\n")
    writeFileSync(join(notes, "journal", "2026-03-01.md"), "It rained.\n")
    const daybook = daybookIn(folder)
    const first = answerOf(await daybook("import", notes, "--store", "shared", "--json"))
    expect(first).toMatchObject({ files: 2, items: 3, added: 3, unchanged: 0, refused: [] })
    const again = await daybook("import", notes, "--store", "shared")
    expect(again).toEqual({ code: 0, stdout: "2 files, 3 items: nothing new, 3 unchanged\n", stderr: "" })
    expect(answerOf(await daybook("import", join(notes, "journal", "2026-03-01.md"), "--json")).added).toBeLessThan(2)
    const [rain] = answerOf(await daybook("search", "rained", "--json"))
    expect(rain).toMatchObject({ type: "event", occurredAt: "2026-03-01T00:00:00.000Z", store: "shared" })
    writeFileSync(join(notes, "signs.md"), `One.\n\n${"*a_ ".repeat(500)}\n`)
    const cut = await daybook("import", notes, "--store", "shared")
    expect(cut).toMatchObject({ code: 0, stdout: expect.stringContaining("3 files, 5 items: 2 added") })
    expect(cut.stderr).toContain("signs.md:3: has too many markup characters in one line and was read as plain text")
    writeFileSync(join(notes, "huge.md"), "x".repeat((4 << 20) + 1))
    const partly = await daybook("import", notes, "--store", "shared", "--json")
    expect(JSON.parse(partly.stdout).refused).toHaveLength(1)
    expect(refusal(partly).code).toBe(1)
  })
})

describe("undo", () => {
  it("undoes an import after a dry run, and keeps what was changed since", async () => {
    const notes = newFolder()
    writeFileSync(join(notes, "MEMORY.md"), "- Deploys happen on Tuesdays.\n- Backups run at night.\n")
    const daybook = daybookIn(newFolder())
    expect((await daybook("remember", "Backups run at night.")).code).toBe(0)
    const imported = await daybook("import", notes)
    const [, run] = /daybook undo --run (\w+)$/m.exec(imported.stdout)!
    const [deploys] = answerOf(await daybook("search", "deploys", "--json"))
    const dry = await daybook("undo", "--run", run!, "--dry-run")
    expect(dry).toMatchObject({ code: 0, stderr: "" })
    expect(dry.stdout).toMatch(/^version +type +memory +status +undoes +title\n/)
    expect(dry.stdout).toMatch(/would undo 2 changes of 2 memories with 2 events; nothing was written\n$/)
    const planned = answerOf(await daybook("undo", "--run", run!, "--dry-run", "--json"))
    expect(planned.events.map(({ type }: { type: string }) => type)).toEqual(["UPDATE", "DELETE"])
    expect(answerOf(await daybook("list", "--json"))).toHaveLength(2)
    expect((await daybook("update", deploys.id, "--title", "Deploys happen on Mondays.")).code).toBe(0)
    const partly = await daybook("undo", "--run", run!)
    expect(refusal(partly)).toEqual({
      code: 1,
      line: "daybook: 1 conflict left: pass --force to undo those changes too"
    })
    expect(partly.stdout).toMatch(/^ *\d+ +UPDATE +\w{10} +restored +\d+ +Backups run at night\.$/m)
    expect(partly.stdout).toMatch(
      new RegExp(`^not undone, changed by later events:\n.*\n *\\d+ +${deploys.id} +status +\\d+ +Deploys`, "m")
    )
    expect(partly.stdout).toMatch(/undid 1 change of 1 memory: run \w{10}\n$/)
    const forced = answerOf(
      await daybook("undo", "--source", "MEMORY.md", "--since", "2020-01-01", "--force", "--json")
    )
    expect(forced).toMatchObject({ undone: [{ memory: deploys.id, what: "removed" }], conflicts: [], repeated: false })
    expect(answerOf(await daybook("list", "--json"))).toHaveLength(1)
    expect(await daybook("undo", "--run", run!)).toMatchObject({ code: 0, stdout: "nothing to undo\n" })
    expect((await daybook("undo", "--run", forced.run)).code).toBe(0)
    expect(answerOf(await daybook("search", "deploys", "--json"))).toMatchObject([{ id: deploys.id }])
    for (const wrong of [
      [],
      ["--event", "1", "--run", "x"],
      ["--run", "x", "--since", "2026-01-01"],
      ["--event", "x"]
    ]) {
      expect(refusal(await daybook("undo", ...wrong)).code).toBe(2)
    }
    expect(answerOf(await daybook("verify", "--json"))).toMatchObject({ ok: true })
  })
})

describe("damage of the log", () => {
  const prepared = async () => {
    const folder = newFolder()
    const daybook = daybookIn(folder)
    for (const title of ["one", "two"]) expect((await daybook("remember", title)).code).toBe(0)
    return { daybook, log: join(folder, "log.db") }
  }

  it("in a payload is found by verify, which exits with 3", async () => {
    const { daybook, log } = await prepared()
    const file = openSync(log, "r+")
    const bytes = readFileSync(log)
    for (let at = bytes.indexOf('"title":"one"'); at >= 0; at = bytes.indexOf('"title":"one"', at + 1)) {
      writeSync(file, '"title":"ono"', at)
    }
    const ran = await daybook("verify", "--json")
    expect(refusal(ran).code).toBe(3)
    const { ok, problems } = JSON.parse(ran.stdout)
    expect(ok).toBe(false)
    expect(problems[0]).toEqual({
      stream: "default",
      version: 1,
      what: expect.stringContaining("payload"),
      evidence: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    const told = await daybook("verify")
    expect(told.code).toBe(3)
    expect(told.stdout).toMatch(/^ok +no$/m)
    expect(told.stdout).toMatch(/^default 1: /m)
  })

  it("that prevents opening is a problem for verify and an error for other commands", async () => {
    for (const spoil of [
      (log: string) => writeFileSync(log, "no database"),
      (log: string) => truncateSync(log, 4096 + 100)
    ]) {
      const { daybook, log } = await prepared()
      spoil(log)
      const ran = await daybook("verify", "--json")
      expect(refusal(ran).code).toBe(3)
      expect(JSON.parse(ran.stdout)).toMatchObject({
        ok: false,
        problems: [{ what: expect.stringContaining("damaged") }]
      })
      expect(refusal(await daybook("remember", "three"))).toEqual({ code: 1, line: expect.stringContaining("damaged") })
    }
  })
})
