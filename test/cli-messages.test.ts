import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { commands } from "../bin/commands/all.js"
import { makeOutput, stderrLogger } from "../bin/output.js"
import { lines, newFolder, paper, removeFolders, runInProcess } from "./support/cli.js"

afterAll(removeFolders)

/** A folder with a policy. */
const withPolicy = (policy: string, name = "policy.toml"): string => {
  const folder = newFolder()
  writeFileSync(join(folder, name), policy)
  return folder
}

const twoProviders = '[embedding]\nembedder = "openai"\n[rerank]\nreranker = "cohere"\n'

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
    [["search", "tea", "--rerank", "cohre"], /^--rerank: unknown reranker cohre: must be one of lexical, none, /],
    [["embed", "switch", "opnai"], /^unknown embedder opnai: must be one of .*\bhash, .*words, /]
  ])("is not an unknown name, which ends %j with 2", async (args, line) => {
    expect(await runInProcess(["--data", newFolder(), ...args])).toMatchObject({
      code: 2,
      line: expect.stringMatching(line)
    })
  })

  it("is one warning line on stderr, and stdout has only the answer", async () => {
    const folder = withPolicy(twoProviders)
    const direct = vi.spyOn(console, "error").mockImplementation(() => {})
    try {
      const { code, stderr, stdout } = await runInProcess(["--data", folder, "--json", "remember", "tea at four"])
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ outcome: "added" })
      expect(stderr).toBe("daybook: warning: embedder openai/text-embedding-3-small: OPENAI_API_KEY is not set\n")
      expect(direct).not.toHaveBeenCalled()
    } finally {
      direct.mockRestore()
    }
  })
})

describe("the log of a command", () => {
  it("has one line per message, without causes", () => {
    const { terminal, written } = paper()
    const messages = Effect.all([
      Effect.logWarning("recalls could\nnot be recorded", { agent: "scout", failure: "StorageError (busy)", more: {} }),
      Effect.annotateLogs(Effect.logError("a run failed", Cause.die(new Error("a memory"))), { run: 7 }),
      Effect.log("ready"),
      Effect.logDebug("unseen")
    ])
    const logger = stderrLogger(makeOutput(terminal, { json: true }))
    Effect.runSync(Effect.provide(messages, Logger.replace(Logger.defaultLogger, logger)))
    expect(written).toEqual({
      stdout: "",
      status: [],
      stderr: [
        "daybook: warning: recalls could not be recorded, agent scout, failure StorageError (busy)\n",
        "daybook: error: a run failed, run 7\n",
        "daybook: info: ready\n"
      ].join("")
    })
  })
})

describe("check", () => {
  it("warns about a missing key if the engine can run without it", async () => {
    const folder = withPolicy(twoProviders)
    const file = join(folder, "policy.toml")
    const { code, stdout } = await runInProcess(["--data", folder, "check"])
    expect(code).toBe(0)
    expect(lines(stdout)).toEqual([
      `warning  ${file}: embedding.embedder: OPENAI_API_KEY is not set; new texts get no vectors from openai`,
      `warning  ${file}: rerank.reranker: COHERE_API_KEY is not set; cohere does not rerank`,
      expect.stringMatching(`^ok  policy [0-9a-f]{16} from ${file}$`)
    ])
    const json = await runInProcess(["--data", folder, "check", "--json"])
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      file,
      problems: [],
      warnings: [expect.stringContaining("OPENAI_API_KEY"), expect.stringContaining("COHERE_API_KEY")]
    })
    const keys = { OPENAI_API_KEY: "x", COHERE_API_KEY: "y" }
    expect(lines((await runInProcess(["--data", folder, "check"], keys)).stdout)).toHaveLength(1)
  })

  it("prints each problem with the file's path, and warnings separately", async () => {
    const folder = withPolicy('[search]\nfold = "yes"\nlimit = 5\n')
    const file = join(folder, "policy.toml")
    const { code, line, stdout } = await runInProcess(["--data", folder, "check"])
    expect({ code, line }).toEqual({ code: 1, line: `2 problems in ${file}` })
    expect([...lines(stdout)].sort()).toEqual([
      `problem  ${file}: search.fold: expected boolean`,
      `problem  ${file}: search.limit: is not a known setting`
    ])

    const other = join(
      withPolicy('[embedding]\nembedder = "opnai"\n[rerank]\nreranker = "cohere"\n', "my.toml"),
      "my.toml"
    )
    const named = await runInProcess(["--data", newFolder(), "check", other])
    expect(named).toMatchObject({ code: 1, line: `1 problem in ${other}` })
    expect(lines(named.stdout)).toEqual([
      expect.stringMatching(
        `^problem  ${other}: embedding.embedder: unknown embedder opnai: must be one of .*\\bhash, .*words, `
      ),
      `warning  ${other}: rerank.reranker: COHERE_API_KEY is not set; cohere does not rerank`
    ])
    const json = await runInProcess(["--data", newFolder(), "check", other, "--json"])
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      file: other,
      problems: [expect.stringMatching(/^embedding\.embedder: /)],
      warnings: [expect.stringMatching(/^rerank\.reranker: /)]
    })
  })

  it("finds a missing model that the policy's reconciler and summarizer need", async () => {
    const folder = withPolicy('[reconcile]\nreconciler = "model"\n[summarize]\nsummarizer = "model"\n')
    const { code, stdout } = await runInProcess(["--data", folder, "check"])
    expect(code).toBe(1)
    expect(lines(stdout)).toEqual([
      `problem  ${join(folder, "policy.toml")}: model: is required, because \`reconcile.reconciler\` is \`model\``,
      `problem  ${join(folder, "policy.toml")}: model: is required, because \`summarize.summarizer\` is \`model\``
    ])
  })

  it("finds each problem, even if another setting does not decode", async () => {
    const folder = withPolicy(
      '[embedding]\nembedder = "opnai"\nbatch = "many"\n[rerank]\nreranker = "cohere"\n[reconcile]\nreconciler = "model"\n[gc]\ncapacity = 0\n'
    )
    const at = `${join(folder, "policy.toml")}: `
    const { stdout } = await runInProcess(["--data", folder, "check"])
    expect([...lines(stdout)].sort()).toEqual([
      expect.stringMatching(`^problem  ${at}embedding.batch: `),
      expect.stringMatching(`^problem  ${at}embedding.embedder: unknown embedder opnai`),
      expect.stringMatching(`^problem  ${at}gc.capacity: `),
      `problem  ${at}model: is required, because \`reconcile.reconciler\` is \`model\``,
      `warning  ${at}rerank.reranker: COHERE_API_KEY is not set; cohere does not rerank`
    ])
    const broken = withPolicy('[reconcile]\nreconciler = "model"\n[model]\nprovider = "openai"\n')
    expect(lines((await runInProcess(["--data", broken, "check"])).stdout)).toEqual([
      expect.stringMatching("^problem .*policy.toml: model.model: ")
    ])
  })

  it("warns about a missing key of the language model", async () => {
    const model = '[model]\nprovider = "openai"\nmodel = "gpt-5-mini"\n'
    const folder = withPolicy(`[reconcile]\nreconciler = "model"\n${model}`)
    const at = `${join(folder, "policy.toml")}: `
    expect(lines((await runInProcess(["--data", folder, "check"])).stdout)).toEqual([
      `warning  ${at}model: OPENAI_API_KEY is not set; no model extracts, decides or writes summaries`,
      expect.stringMatching("^ok ")
    ])
    expect(lines((await runInProcess(["--data", folder, "check"], { OPENAI_API_KEY: "x" })).stdout)).toHaveLength(1)
    const fast = '[model.fast]\nprovider = "anthropic"\nmodel = "tiny-1"\n'
    const withFast = withPolicy(`[reconcile]\nreconciler = "hybrid"\n${model}${fast}`)
    expect(lines((await runInProcess(["--data", withFast, "check"])).stdout)).toEqual([
      `warning  ${join(withFast, "policy.toml")}: model.fast: ANTHROPIC_API_KEY is not set; no model extracts or decides`,
      expect.stringMatching("^ok ")
    ])
    const unused = withPolicy(`[capture]\nextractor = "rules"\n${model}`)
    expect(lines((await runInProcess(["--data", unused, "check"])).stdout)).toHaveLength(1)
  })

  it("reports an unusable data folder together with problems of its policy", async () => {
    const file = join(newFolder(), "file")
    writeFileSync(file, "")
    const policy = join(withPolicy("[gc]\ncapacity = 0\n", "my.toml"), "my.toml")
    for (const data of [file, join(file, "below")]) {
      const { code, stdout } = await runInProcess(["--data", data, "check"], { DAYBOOK_POLICY: policy })
      expect(code).toBe(1)
      expect(lines(stdout)).toEqual([
        expect.stringMatching(`^problem  folder ${data}: this path is not a folder, and no folder can be created here`),
        expect.stringMatching(`^problem  ${policy}: gc.capacity: `)
      ])
      expect((await runInProcess(["--data", data, "check"])).line).toBe("1 problem in the data folder")
    }
  })

  it("names the file in use and each ignored file", async () => {
    const folder = withPolicy("[search]\nfold = false\n")
    const [toml, json] = [join(folder, "policy.toml"), join(folder, "policy.json")]
    writeFileSync(json, "{}")
    const { code, stdout } = await runInProcess(["--data", folder, "check"])
    expect(code).toBe(0)
    expect(lines(stdout)).toEqual([
      `warning  ${json} is ignored, because ${toml} is used`,
      expect.stringMatching(`^ok  policy [0-9a-f]{16} from ${toml}$`)
    ])
    const other = join(withPolicy("", "my.toml"), "my.toml")
    const named = await runInProcess(["--data", folder, "check"], { DAYBOOK_POLICY: other })
    expect(lines(named.stdout)).toEqual([
      `warning  ${toml} is ignored, because ${other} is used`,
      `warning  ${json} is ignored, because ${other} is used`,
      expect.stringMatching(`from ${other}$`)
    ])
    expect(lines((await runInProcess(["--data", folder, "check", other])).stdout)).toHaveLength(1)
    expect((await runInProcess(["--data", newFolder(), "check"])).stdout).toMatch(/^ok {2}policy [0-9a-f]{16}\n$/)
  })
})

describe("an invalid call", () => {
  it("is refused with the list of search modes", async () => {
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

  it("is refused with the list of actions", async () => {
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
  })

  it("names each argument by its meaning", () => {
    const texts = commands.flatMap(({ details = [], usage }) => [usage, ...details])
    expect(texts.filter((text) => /[<[]what\b|^what:/.test(text))).toEqual([])
  })
})

describe("a command", () => {
  const folder = newFolder()
  const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
  beforeAll(async () => {
    expect(await daybook("add-turn", "monday", "Which harbour?")).toMatchObject({ code: 0 })
    expect(await daybook("add-file", "examples/memories/people", "--session", "papers")).toMatchObject({ code: 0 })
  })

  it("refuses to verify an agent without any trace", async () => {
    for (const args of [
      ["verify", "--agent", "typo"],
      ["verify", "--agent", "typo", "--json"]
    ]) {
      expect(await daybook(...args)).toEqual({
        code: 1,
        line: "no agent typo: 'daybook agents' lists the agents",
        stdout: "",
        stderr: ""
      })
    }
    expect(await daybook("verify", "--agent", "default")).toMatchObject({ code: 0 })
    expect(await runInProcess(["--data", newFolder(), "verify"])).toMatchObject({ code: 0 })
  })

  it("reports an agent whose events were lost as damage", async () => {
    const [data, copy] = [newFolder(), newFolder()]
    const at = (...args: ReadonlyArray<string>) => runInProcess(["--data", data, ...args])
    expect(await at("remember", "tea")).toMatchObject({ code: 0 })
    const logs = () => readdirSync(data).filter((name) => name.startsWith("log.db"))
    for (const name of logs()) copyFileSync(join(data, name), join(copy, name))
    expect(await at("--agent", "scout", "remember", "coffee")).toMatchObject({ code: 0 })
    for (const name of logs()) rmSync(join(data, name))
    for (const name of readdirSync(copy)) copyFileSync(join(copy, name), join(data, name))
    expect(await at("verify", "--agent", "scout")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("ok      no")
    })
    const report = await at("verify", "--json")
    expect(report).toMatchObject({ code: 3 })
    const { anchor, digest } = JSON.parse(report.stdout)
    const kept = join(data, "anchor.log.before-epoch-2")
    expect(await at("verify", "--agent", "scout", "--accept", digest)).toMatchObject({ code: 2 })
    expect(await at("verify", "--accept", "f".repeat(64))).toMatchObject({ code: 1 })
    expect(existsSync(kept)).toBe(false)
    expect(await at("verify", "--accept", digest)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("accepted: scout")
    })
    expect(existsSync(kept)).toBe(true)
    const { anchor: head } = JSON.parse((await at("verify", "--json")).stdout)
    expect(await at("verify", "--expect", head)).toMatchObject({ code: 0 })
    expect(await at("verify", "--expect", "f".repeat(64))).toMatchObject({ code: 3 })
    expect(await at("verify", "--expect", "head")).toMatchObject({ code: 2 })
    expect(head).not.toBe(anchor)
  })

  it("refuses to list turns of an unknown session", async () => {
    for (const args of [
      ["turns", "nosession"],
      ["turns", "nosession", "--json"],
      ["turns", "nosession", "--as-of", "1"]
    ]) {
      expect(await daybook(...args)).toEqual({
        code: 1,
        line: "session nosession not found: check the key and the trust level",
        stdout: "",
        stderr: ""
      })
    }
    expect(await daybook("turns", "monday", "--trust", "public")).toMatchObject({
      code: 1,
      line: "session monday not found: check the key and the trust level"
    })
    expect((await daybook("turns", "monday")).stdout).toContain("Which harbour?")
    expect(await daybook("turns", "papers")).toMatchObject({ code: 0, stdout: "nothing found\n" })
  })

  it("says that the default agent has no events if another agent has some", async () => {
    const folder = newFolder()
    const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
    await daybook("remember", "Deploys happen on Thursdays", "--agent", "harbour")
    for (const args of [["list"], ["search", "deploys"]]) {
      expect(await daybook(...args)).toMatchObject({
        stdout: "nothing found\n",
        stderr: "agent default has no events: pass --agent NAME; 'daybook agents' lists the names\n"
      })
    }
  })

  it("names an agent without events, and a session that does not exist", async () => {
    const folder = newFolder()
    const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
    await daybook("add-turn", "monday", "tea at four")
    for (const command of ["stats", "log", "list"]) {
      expect((await daybook(command, "--agent", "typo")).stderr).toBe(
        "agent typo has no events: pass --agent NAME; 'daybook agents' lists the names\n"
      )
      expect((await daybook(command, "--agent", "default")).stderr).toBe("")
    }
    expect((await daybook("list", "--agent", "typo", "--trust", "familiar")).stderr).toBe("")
    for (const args of [["list"], ["search", "tea"], ["get-context", "monday"], ["people"], ["stats"]]) {
      expect((await daybook(...args, "--agent", "defualt")).stderr).toContain(
        "no agent defualt; did you mean default?\n"
      )
    }
    await daybook("remember", "The tea is green", "--type", "preference", "--session", "monday")
    for (const args of [["list"], ["search", "tea"]]) {
      expect((await daybook(...args, "--type", "preferences", "--session", "mondy")).stderr).toBe(
        "no memory has the type preferences\nno memory has the session mondy\n"
      )
      expect((await daybook(...args, "--type", "preference", "--session", "monday")).stderr).toBe("")
    }
    expect(await daybook("get-context", "monday", "--tokens", "10")).toMatchObject({
      code: 2,
      line: expect.stringContaining("250")
    })
    expect((await daybook("get-context", "monday", "--tokens", "250")).stdout).toContain("tea at four")
    expect(await daybook("sessions", "--summary", "--session", "typo")).toMatchObject({
      code: 1,
      line: "session typo not found: check the key and the trust level",
      stdout: ""
    })
    expect(await daybook("sessions", "--summary", "--session", "monday")).toMatchObject({ code: 0 })
  })

  it("names the policy file if settings contradict each other", async () => {
    const folder = withPolicy('[reconcile]\nreconciler = "model"\n')
    const { code, line } = await runInProcess(["--data", folder, "remember", "tea"])
    expect({ code, line }).toEqual({ code: 1, line: expect.stringContaining(join(folder, "policy.toml")) })
  })

  it("imports a folder but skips special files, and refuses a pipe before creating a data folder", async () => {
    const notes = newFolder()
    const folder = join(newFolder(), "data")
    const pipe = join(notes, "pipe.md")
    execFileSync("mkfifo", [pipe])
    writeFileSync(join(notes, "tea.md"), "Tea at four\n")
    symlinkSync(join(notes, "gone"), join(notes, "dead.md"))
    const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
    for (const [path, problem] of [
      [pipe, "is not a regular file"],
      ["/dev/null", "is not a regular file"],
      [join(notes, "gone"), "does not exist"]
    ]) {
      expect(await daybook("import", path!)).toMatchObject({ code: 1, line: `${path}: ${problem}`, stdout: "" })
    }
    expect(existsSync(folder)).toBe(false)
    const ran = await daybook("import", notes)
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining("1 added") })
    expect(lines(ran.stderr).toSorted()).toEqual([
      `${join(notes, "dead.md")}:0: is a broken link`,
      `${pipe}:0: is not a regular file`
    ])
  })

  it("imports the other files of a folder, and names each one that is not UTF-8 text", async () => {
    const notes = newFolder()
    mkdirSync(join(notes, "deep"))
    writeFileSync(join(notes, "tea.md"), "Tea at four\n")
    writeFileSync(join(notes, "deep", "latin.md"), Buffer.from("caf\xe9\n", "latin1"))
    writeFileSync(join(notes, "zero.md"), "a\0b\n")
    writeFileSync(join(notes, "huge.md"), "x".repeat((4 << 20) + 1))
    const ran = await runInProcess(["--data", join(newFolder(), "data"), "import", notes])
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining("1 file, 1 item: 1 added") })
    expect(lines(ran.stderr)).toEqual([
      `${join(notes, "deep", "latin.md")}:0: is not UTF-8 text: convert it to UTF-8`,
      `${join(notes, "huge.md")}:0: is larger than 4194304 bytes: split it into smaller files`,
      `${join(notes, "zero.md")}:0: is not text`
    ])
    expect(ran.line).toBe(`3 files or items refused; the first is in ${join(notes, "deep", "latin.md")}`)
  })

  it("imports nothing if a given file is not UTF-8 text, and names at most ten of them at once", async () => {
    const notes = newFolder()
    const folder = join(newFolder(), "data")
    const files = Array.from({ length: 12 }, (_, index) => join(notes, `${index}.md`))
    for (const file of files) writeFileSync(file, Buffer.from("caf\xe9\n", "latin1"))
    writeFileSync(join(notes, "tea.md"), "Tea at four\n")
    const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
    const problem = "is not UTF-8 text: convert it to UTF-8"
    expect(await daybook("import", join(notes, "tea.md"), files[0]!)).toMatchObject({
      code: 1,
      line: `${files[0]}: ${problem}`,
      stdout: ""
    })
    const many = await daybook("import", join(notes, "tea.md"), ...files)
    const named = files.slice(0, 10).map((file) => `${file}: ${problem}`)
    expect(many).toMatchObject({ code: 1, line: `${named.join("; ")}; and 2 more`, stdout: "" })
    expect((await daybook("list")).stdout).not.toContain("Tea")
  })

  it("refuses an agent whose name is too long for a folder", async () => {
    const folder = newFolder()
    const ended = await runInProcess(["--data", folder, "--agent", "漢".repeat(64), "remember", "tea"])
    expect(ended).toMatchObject({
      code: 2,
      line: expect.stringMatching(/^agent: is too long for the name of a folder: /)
    })
    expect(await runInProcess(["--data", folder, "--agent", "漢".repeat(28), "remember", "tea"])).toMatchObject({
      code: 0
    })
  })

  it("refuses to import a path that does not exist", async () => {
    for (const path of ["/nowhere", "/nowhere/at/all.md"]) {
      expect(await daybook("import", path)).toMatchObject({ code: 1, line: `${path}: does not exist`, stdout: "" })
    }
    expect(await daybook("import", "/dev/null/x")).toMatchObject({ code: 1, line: "/dev/null/x: does not exist" })
    expect((await daybook("forget-file", "/dev/null/x")).line).toContain("file /dev/null/x not found")
  })
})
