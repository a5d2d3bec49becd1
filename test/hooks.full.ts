import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hookEvents } from "../layers/hosts/claudeCode/hookInput.js"
import { answerOf, build, bundle, newFolder, type Ran, removeFolders, root, run, spawnDaybook } from "./support/cli.js"
import { rounds } from "./support/size.js"
import { type Entry, makeTranscript, textOfEntries } from "./support/transcript.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

/** The environment of a hook: no setting of the machine that runs the test decides the agent. */
const environment = { CLAUDE_PROJECT_DIR: "", DAYBOOK_AGENT: "", DAYBOOK_POLICY: "" }

/** Programs that the process of a hook runs before its own. */
const programs = {
  /** Gives a prompt twenty times its time, because a test must not depend on how busy the machine is. */
  patient: `const start = setTimeout
performance.now = () => 0
globalThis.setTimeout = (work, millis, ...args) => start(work, millis > 500 ? 20 * millis : millis, ...args)`,
  punctual: "",
  late: `const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (...args) => { while (performance.now() < 1_100); return write(...args) }`,
  offline: `const fail = () => { process.stderr.write("network used"); throw new Error("offline") }
require("node:net").Socket.prototype.connect = fail
require("node:dgram").Socket.prototype.send = fail
for (const name of ["lookup", "resolve"]) require("node:dns")[name] = fail
globalThis.fetch = fail`
}
type Preloaded = keyof typeof programs

const hook = (
  data: string,
  event: string,
  input: object | string,
  preloaded: ReadonlyArray<Preloaded> = ["patient"]
): Promise<Ran> => {
  const file = join(newFolder(), "preload.cjs")
  writeFileSync(file, preloaded.map((name) => programs[name]).join("\n"))
  return spawnDaybook(["--data", data, "hook", event], {
    input: typeof input === "string" ? input : JSON.stringify(input),
    env: { ...environment, NODE_OPTIONS: `--require ${file}` }
  })
}

/** The text that a hook adds to the conversation. */
const contextOf = ({ code, stdout }: Ran): string | undefined => {
  expect(code).toBe(0)
  if (stdout === "") return undefined
  expect(stdout.trim().split("\n")).toHaveLength(1)
  return JSON.parse(stdout).hookSpecificOutput.additionalContext
}

const silent = { code: 0, stdout: "" }

/** A session whose project is the folder `harbour`. */
const makeSession = (data: string, session: string, entries: ReadonlyArray<Entry>) => {
  const transcript = join(newFolder(), `${session}.jsonl`)
  writeFileSync(transcript, textOfEntries(entries))
  const input = { session_id: session, transcript_path: transcript, cwd: "/home/ida/harbour" }
  return {
    add: (more: ReadonlyArray<Entry>) => appendFileSync(transcript, textOfEntries(more)),
    hook: (event: string, fields: object = {}) => hook(data, event, { ...input, ...fields })
  }
}

const read = async (data: string, ...args: ReadonlyArray<string>) =>
  answerOf(await spawnDaybook(["--data", data, "--agent", "harbour", "--json", ...args]))

const saidIn = async (data: string, session: string) =>
  (await read(data, "turns", session)).map((turn: Record<string, unknown>) => [turn.role, turn.level, turn.text])

describe("the hooks of Claude Code", () => {
  it("give a session what another one said, and store each turn once however often they run", async () => {
    const data = join(newFolder(), "data")
    const first = makeTranscript("first")
    const session = makeSession(data, "first", [
      first.prompt("We decided to deploy the harbour service on Thursdays."),
      ...first.noise(),
      first.says("Understood, I wrote the tide table.")
    ])
    // Reading creates no memory.
    expect(contextOf(await session.hook("session-start", { source: "startup" }))).toBeUndefined()
    expect(contextOf(await session.hook("user-prompt", { prompt: "When do we deploy?" }))).toBeUndefined()
    expect(existsSync(data)).toBe(false)

    const other = makeTranscript("second")
    const second = makeSession(data, "second", [other.prompt("My favourite colour is teal."), other.says("Nice.")])
    const tool = {
      tool_name: "Bash",
      tool_use_id: "toolu_9",
      tool_input: { command: "npm test" },
      error: "Exit code 1\nTypeError: tide is undefined"
    }
    const ended = await Promise.all([
      ...["stop", "stop", "session-end"].map((event) => session.hook(event)),
      ...["stop", "session-end"].map((event) => second.hook(event)),
      ...[1, 2].map(() => session.hook("post-tool", tool))
    ])
    for (const { code, stdout } of ended) expect({ code, stdout }).toEqual(silent)
    session.add([first.prompt("We decided to paint the harbour crane green."), first.says("It is green now.")])
    expect(await session.hook("pre-compact", { trigger: "auto" })).toMatchObject(silent)
    expect(await saidIn(data, "first")).toEqual([
      ["user", "full", "We decided to deploy the harbour service on Thursdays."],
      ["assistant", "inner", "Understood, I wrote the tide table."],
      ["user", "full", "We decided to paint the harbour crane green."],
      ["assistant", "inner", "It is green now."]
    ])
    expect(await saidIn(data, "second")).toHaveLength(2)
    const memories = (await read(data, "list")) as ReadonlyArray<{ title: string; type: string }>
    expect(memories.filter(({ type }) => type === "tool").map(({ title }) => title)).toEqual([
      "Bash: npm test (exit 1)"
    ])
    expect(memories.filter(({ title }) => title.includes("Thursdays"))).toHaveLength(1)
    const [summary] = await read(data, "sessions", "--summary", "--session", "first")
    expect(summary).toMatchObject({ turns: 4, behind: false })

    const third = makeSession(data, "third", [])
    expect(contextOf(await third.hook("session-start"))).toContain("teal")
    const recalled = contextOf(
      await third.hook("user-prompt", { prompt: "On which day do we deploy the harbour service?" })
    )
    expect(recalled).toContain("Thursdays")
    expect(contextOf(await third.hook("user-prompt", { prompt: "ok thanks" }))).toBeUndefined()

    // A forgotten session does not come back.
    await read(data, "forget-session", "first")
    expect(await session.hook("stop")).toMatchObject(silent)
    await expect(read(data, "turns", "first")).rejects.toThrow("session first not found")
  })

  it("store text with NUL characters and lone surrogates", async () => {
    const data = join(newFolder(), "data")
    const { prompt, says } = makeTranscript("s")
    const long = `${"x".repeat((1 << 20) - 1)}🐶`
    const session = makeSession(data, "s", [prompt("one\0two"), says(long), prompt("three")])
    for (const _ of [1, 2]) expect(await session.hook("stop")).toMatchObject(silent)
    const said = (await saidIn(data, "s")).map(([, , text]: ReadonlyArray<string>) => text?.slice(-7))
    expect(said).toEqual(["one\ufffdtwo", "xxxxxx\ufffd", "three"])
    const tool = {
      tool_name: "Bash",
      tool_use_id: "t",
      tool_input: { command: "cat" },
      error: `Exit code 1\n\0${long}`
    }
    expect(await session.hook("post-tool", tool)).toMatchObject(silent)
    expect(await read(data, "list")).toMatchObject([{ type: "tool" }])
  })

  it("use no network", async () => {
    const data = join(newFolder(), "data")
    const offline = ["patient", "offline"] as const
    const { prompt, says } = makeTranscript("s")
    const transcript = join(newFolder(), "s.jsonl")
    writeFileSync(transcript, textOfEntries([prompt("We decided to deploy the harbour on Thursdays."), says("Noted.")]))
    const said = { session_id: "s", transcript_path: transcript, cwd: "/home/ida/harbour" }
    for (const event of ["stop", "pre-compact", "session-end"]) {
      expect(await hook(data, event, said, offline)).toEqual({ ...silent, stderr: "" })
    }
    const asked = { ...said, session_id: "t", prompt: "On which day do we deploy the harbour?" }
    for (const event of ["session-start", "user-prompt"]) {
      const ran = await hook(data, event, asked, offline)
      expect(ran.stderr).toBe("")
      expect(contextOf(ran)).toContain("Thursdays")
    }
  })

  it("keep a context within what Claude Code shows", async () => {
    const data = newFolder()
    const long = Array.from({ length: 120 }, (_, index) =>
      JSON.stringify({ title: `Berth ${index} holds ${"a very long ship ".repeat(10)}`, type: "decision" })
    ).join("\n")
    answerOf(
      await spawnDaybook(["--data", data, "--agent", "harbour", "--json", "remember", "-"], { input: long }).then(
        (ran) => ({ ...ran, stdout: "{}" })
      )
    )
    const { hook } = makeSession(data, "s", [])
    for (const ran of [
      await hook("session-start"),
      await hook("user-prompt", { prompt: "Which ship is at berth 7?" })
    ]) {
      const context = contextOf(ran)
      expect(context?.length).toBeGreaterThan(500)
      expect(context?.length).toBeLessThanOrEqual(10_000)
      expect(context).toMatch(/<\/\w+>$/)
    }
  })
})

describe("a hook that cannot work", () => {
  const input = {
    session_id: "s",
    cwd: "/home/ida/harbour",
    transcript_path: "/nowhere/s.jsonl",
    prompt: "Which berth?"
  }
  const filled = async () => {
    const data = newFolder()
    await spawnDaybook(["--data", data, "--agent", "harbour", "remember", "Berth 7 holds the Vellanoor"])
    return data
  }
  const missed = async (data: string) => (await read(data, "stats")).missedPrompts

  it("ends with code 0 and prints nothing, whatever it reads", async () => {
    const data = newFolder()
    const inputs = rounds({
      quick: ["{"],
      full: ["", "{", "[]", "null", "7", "\u0000\ufffd", '{"session_id":7}', "{}"]
    })
    for (const event of rounds<ReadonlyArray<string>>({ quick: ["stop", "bogus"], full: [...hookEvents, "bogus"] })) {
      for (const text of inputs) expect(await hook(data, event, text)).toMatchObject(silent)
    }
    const lost = await hook(data, "user-prompt", { prompt: "Which berth?" })
    expect(lost).toEqual({ ...silent, stderr: "daybook: stdin: `session_id` must be a non-empty string\n" })
    for (const [event, field] of [
      ["user-prompt", "prompt"],
      ["post-tool", "tool_name"],
      ["stop", "transcript_path"]
    ] as const) {
      const { stderr } = await hook(data, event, { session_id: "s", [field]: 5 })
      expect(stderr).toBe(`daybook: stdin: \`${field}\` must be a string\n`)
    }
    const calls = [
      ["hook"],
      ["--trust", "none", "hook", "stop"],
      ["hook", "stop", "--bogus"],
      ["--data", "", "hook", "stop"]
    ]
    for (const args of rounds({ quick: calls.slice(0, 2), full: calls })) {
      expect(await spawnDaybook(args, { env: environment })).toMatchObject(silent)
    }
  })

  it("ends with code 0 if the data folder is a file, the policy is broken, or the log is damaged", async () => {
    const events = rounds<ReadonlyArray<string>>({ quick: ["user-prompt", "stop"], full: hookEvents })
    const { prompt } = makeTranscript("s")
    const transcript = join(newFolder(), "s.jsonl")
    writeFileSync(transcript, textOfEntries([prompt("We decided to deploy on Thursdays.")]))
    const all = { ...input, transcript_path: transcript, tool_name: "Bash", tool_input: {}, tool_response: "x" }
    const file = join(newFolder(), "file")
    writeFileSync(file, "")
    for (const event of events) expect(await hook(file, event, all)).toMatchObject(silent)
    const broken = await filled()
    writeFileSync(join(broken, "policy.toml"), "[capture\n")
    for (const event of events) expect(await hook(broken, event, all)).toMatchObject(silent)
    writeFileSync(join(broken, "policy.toml"), "")
    expect(await missed(broken)).toMatchObject({ count: 1, reason: "InvalidPolicy" })
    writeFileSync(join(broken, "log.db"), "this is no database")
    for (const event of events) expect(await hook(broken, event, all)).toMatchObject(silent)
  })

  it("lets a prompt go on when the log stays locked, and counts it", async () => {
    const data = await filled()
    const lock = new Database(join(data, "log.db"))
    lock.pragma("locking_mode = EXCLUSIVE")
    lock.exec("BEGIN EXCLUSIVE")
    try {
      expect(await hook(data, "user-prompt", input, ["punctual"])).toMatchObject(silent)
    } finally {
      lock.close()
    }
    expect(await missed(data)).toMatchObject({ count: 1, reason: expect.stringMatching(/time limit|StorageError/) })
    expect(contextOf(await hook(data, "user-prompt", input))).toContain("Vellanoor")
    expect((await missed(data)).count).toBe(1)
  })

  it("counts a prompt whose process ends after the host has given up", async () => {
    const data = await filled()
    expect((await hook(data, "user-prompt", input, ["late"])).code).toBe(0)
    expect(await missed(data)).toMatchObject({ count: 1, reason: "time limit" })
  })

  it("ends with code 0 on a full disk, an unsupported Node, and a broken installation", async () => {
    const data = await filled()
    const { prompt } = makeTranscript("s")
    const transcript = join(newFolder(), "s.jsonl")
    writeFileSync(transcript, textOfEntries([prompt("x".repeat(200_000))]))
    const text = JSON.stringify({ ...input, transcript_path: transcript })
    const limited = ["-c", 'ulimit -f 1; exec "$0" "$@"', process.execPath, bundle, "--data", data, "hook", "stop"]
    expect(await run("bash", limited, { input: text, env: environment })).toMatchObject(silent)

    const old = join(newFolder(), "old.cjs")
    writeFileSync(
      old,
      'Object.defineProperty(process, "version", { value: "v18.0.0" });\nObject.defineProperty(process, "versions", { value: { ...process.versions, node: "18.0.0", napi: "8" } })'
    )
    const stop = ["--data", data, "hook", "stop"]
    const unsupported = await run(process.execPath, ["--require", old, bundle, ...stop], { input: text })
    expect(unsupported).toMatchObject(silent)
    expect(unsupported.stderr).toMatch(/Node/)

    const installation = newFolder()
    writeFileSync(join(installation, "daybook.mjs"), readFileSync(bundle))
    const broken = await run(process.execPath, [join(installation, "daybook.mjs"), ...stop], { input: text })
    expect(broken).toMatchObject(silent)
    expect(broken.stderr).toMatch(/ENOENT/)
  })
})

describe("the plugin", () => {
  it("calls each hook, and none can stop the host", () => {
    const { hooks } = JSON.parse(readFileSync(join(root, "plugin", "hooks", "hooks.json"), "utf8")) as {
      readonly hooks: Record<
        string,
        ReadonlyArray<{ readonly hooks: ReadonlyArray<{ command: string; timeout: number }> }>
      >
    }
    const calls = Object.entries(hooks).flatMap(([event, groups]) =>
      groups.flatMap((group) => group.hooks.map(({ command, timeout }) => ({ event, command, timeout })))
    )
    for (const { command } of calls) expect(command).toMatch(/^daybook hook [a-z-]+ \|\| exit 0$/)
    expect(new Set(calls.map(({ command }) => command.split(" ")[2]))).toEqual(new Set(hookEvents))
    expect(calls.find(({ event }) => event === "UserPromptSubmit")?.timeout).toBe(1)
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    expect(JSON.parse(readFileSync(join(root, "plugin", ".claude-plugin", "plugin.json"), "utf8")).version).toBe(
      version
    )
  })
})
