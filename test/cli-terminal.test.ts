import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { commands } from "../bin/commands/all.js"
import { makeOutput } from "../bin/output.js"
import { usesColour } from "../bin/terminalText.js"
import { lines, newFolder, paper, removeFolders, runInProcess } from "./support/cli.js"

afterAll(removeFolders)

describe("daybook without a command", () => {
  it("says in three lines what to do next, with a memory and without", async () => {
    const folder = join(newFolder(), "data")
    const before = await runInProcess(["--data", folder])
    expect(before).toMatchObject({ code: 0, stderr: "" })
    expect(lines(before.stdout)).toHaveLength(3)
    expect(before.stdout).toContain(`no memory in ${folder}`)
    expect(existsSync(folder)).toBe(false)
    await runInProcess(["--data", folder, "remember", "The ferry leaves at noon"])
    const after = await runInProcess(["--data", folder])
    expect(lines(after.stdout)).toHaveLength(3)
    expect(after.stdout).toContain(`The memory is in ${folder}`)
    expect(JSON.parse((await runInProcess(["--data", folder, "--json"])).stdout)).toMatchObject({
      folder,
      exists: true
    })
  })
})

describe("a command's other name", () => {
  it("runs it, and is found in the help", async () => {
    const folder = newFolder()
    const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
    const { id } = JSON.parse((await daybook("--json", "add", "The ferry leaves at noon")).stdout)
    expect((await daybook("find", "ferry")).stdout).toContain(id)
    expect((await daybook("show", id)).stdout).toContain("The ferry leaves at noon")
    expect((await daybook("explain", id)).stdout).toContain("ADD")
    expect((await daybook("rm", id)).stdout).toMatch(/^forgotten|^forgot/)
    const aliases = commands.flatMap(({ alias }) => alias ?? [])
    const names = commands.map(({ usage }) => usage.split(" ")[0])
    expect(new Set([...aliases, ...names]).size).toBe(aliases.length + names.length)
    const { stdout } = await daybook("--help")
    for (const alias of aliases) expect(stdout).toContain(` (${alias}) `)
    expect((await daybook("help", "add")).stdout).toContain("daybook remember")
  })
})

describe("what is printed", () => {
  it("has answers and errors only with --quiet", async () => {
    const { terminal, written } = paper()
    const out = makeOutput(terminal, { json: false, quiet: true })
    out.note("a note")
    out.warn("a warning")
    out.progress(1, 2)
    expect([written.stderr, written.status]).toEqual(["", []])
    const folder = newFolder()
    expect(await runInProcess(["--data", folder, "-q", "--agent", "typo", "list"])).toMatchObject({ code: 0 })
    expect((await runInProcess(["--data", folder, "-q", "forget", "nothere"])).line).toContain("nothere")
  })

  it("has colours as FORCE_COLOR, NO_COLOR and the terminal say, in this order", () => {
    expect(usesColour({}, true)).toBe(true)
    expect(usesColour({}, false)).toBe(false)
    expect(usesColour({ TERM: "dumb" }, true)).toBe(false)
    expect(usesColour({ NO_COLOR: "1" }, true)).toBe(false)
    expect(usesColour({ NO_COLOR: "" }, true)).toBe(true)
    expect(usesColour({ FORCE_COLOR: "1", NO_COLOR: "1" }, false)).toBe(true)
    for (const FORCE_COLOR of ["0", "false"]) expect(usesColour({ FORCE_COLOR }, true)).toBe(false)
  })

  it("has no line of help wider than the terminal, except examples", async () => {
    const before = process.env.COLUMNS
    process.env.COLUMNS = "60"
    try {
      for (const args of [["--help"], ...commands.map(({ usage }) => [usage.split(" ")[0]!, "--help"])]) {
        const { code, stdout } = await runInProcess(args)
        expect(code).toBe(0)
        const help = stdout.split("\nExamples:")[0]!.split("\n").slice(1)
        expect(help.filter((line) => line.length > 60)).toEqual([])
      }
    } finally {
      if (before === undefined) delete process.env.COLUMNS
      else process.env.COLUMNS = before
    }
  })

  it("is the version with -V", async () => {
    expect((await runInProcess(["-V"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe("init", () => {
  it("has the lines of each host, with the folder and the agent that were passed", async () => {
    const folder = newFolder()
    const { stdout } = await runInProcess(["--data", folder, "--agent", "my ship", "--json", "init"])
    const hosts = JSON.parse(stdout).hosts as ReadonlyArray<{ host: string; lines: ReadonlyArray<string> }>
    expect(hosts.map(({ host }) => host)).toEqual([
      "Claude Code",
      "Claude Desktop",
      "Cursor",
      "VS Code",
      "Codex",
      "AI SDK",
      "curl"
    ])
    const linesOf = (host: string) => hosts.find((entry) => entry.host === host)!.lines
    for (const host of ["Claude Desktop", "Cursor"]) {
      const { args, command } = JSON.parse(linesOf(host).join("\n")).mcpServers.daybook
      expect(command).toBe(process.execPath)
      expect(args.slice(1)).toEqual(["--data", folder, "--agent", "my ship", "mcp"])
    }
    expect(JSON.parse(linesOf("VS Code").join("\n")).servers.daybook.type).toBe("stdio")
    expect(existsSync(join(linesOf("Claude Code")[0]!.split(" ").at(-1)!, "hooks", "hooks.json"))).toBe(true)
    expect(linesOf("Claude Code")[2]).toMatch(`export DAYBOOK_DATA=${folder} DAYBOOK_AGENT='my ship'   #`)
    expect(linesOf("AI SDK")[0]).toBe("npm install effect@3 ./daybook-0.1.0.tgz ai")
    expect(linesOf("Codex")[0]).toContain("--agent 'my ship' mcp")
    expect(linesOf("curl").at(-1)).toContain("agent=my%20ship")
    expect(linesOf("curl")[1]).toMatch(/^TOKEN=\$\(daybook .* token add\)$/)
    const plain = JSON.parse((await runInProcess(["--json", "init"])).stdout).hosts
    expect(plain[0].lines).toHaveLength(2)
    expect(plain[4].lines[0]).toMatch(/daybook\.mjs mcp$/)
  })
})

describe("completion", () => {
  it("gives bash the commands, verbs and options that begin with a word", async () => {
    const { stdout } = await runInProcess(["completion", "bash"])
    const complete = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
      const line = `COMP_WORDS=(daybook ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _daybook; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { status, stderr, stdout: found } = spawnSync("bash", ["-c", `${stdout}\n${line}`], { encoding: "utf8" })
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
      return lines(found)
    }
    expect(complete("reme")).toEqual(["remember"])
    expect(complete("note", "s")).toEqual(["save", "search"])
    expect(complete("add", "--typ")).toEqual(["--type"])
    expect(complete("--quiet", "search", "--agen")).toEqual(["--agent"])
    expect(complete("--agent", "coop", "search", "--lim")).toEqual(["--limit"])
    expect(complete("token", "")).toEqual(["add", "list", "revoke"])
    expect(complete("token", "add", "")).toEqual([])
    expect(complete("--trust", "f")).toEqual(["full", "familiar"])
    expect(complete("--trust", "=", "i")).toEqual(["inner"])
    expect(complete("add", "--tier", "l")).toEqual(["long"])
    expect(complete("help", "reme")).toEqual(["remember"])
  })

  it("gives fish the same, where it is installed", async () => {
    const { stdout } = await runInProcess(["completion", "fish"])
    const calls = ["daybook reme", "daybook --agent coop token ", "daybook --trust i", "daybook add --tier l"]
    const asked = [...calls, "daybook help reme"].map((call) => `complete -C ${JSON.stringify(call)}`)
    const {
      error,
      stderr,
      stdout: found
    } = spawnSync("fish", ["-c", `${stdout}\n${asked.join("\n")}`], {
      encoding: "utf8",
      env: { ...process.env, HOME: newFolder() }
    })
    if (error !== undefined) return console.log("the completion of fish was not tried: fish is missing")
    expect(stderr).toBe("")
    expect(lines(found).map((line) => line.split("\t")[0])).toEqual([
      ...["remember", "add", "list", "revoke", "inner", "long", "remember"]
    ])
  })

  it("gives zsh the same, where it is installed", async () => {
    const { stdout } = await runInProcess(["completion", "zsh"])
    // The functions that propose words, which only an interactive shell has.
    const stubs = `compdef() { :; }; compset() { return 1 }; _files() { print FILES }
      compadd() { shift; for word in "$@"; do [[ $word == $PREFIX* ]] && print -- $word; done }`
    const complete = (...words: ReadonlyArray<string>) => {
      const call = `words=(daybook ${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length + 1}; PREFIX='${words.at(-1)}'; _daybook`
      return spawnSync("zsh", ["-fc", `${stubs}\n${stdout}\n${call}`], { encoding: "utf8" })
    }
    if (complete("reme").error !== undefined) return console.log("the completion of zsh was not tried: zsh is missing")
    for (const [words, found] of [
      [["reme"], ["remember"]],
      [
        ["--agent", "coop", "token", ""],
        ["add", "list", "revoke"]
      ],
      [["token", "add", ""], ["FILES"]],
      [["--trust", "i"], ["inner"]],
      [["add", "--tier", "l"], ["long"]],
      [["search", "--lim"], ["--limit"]],
      [["help", "reme"], ["remember"]]
    ] as const) {
      const { stderr, stdout: proposed } = complete(...words)
      expect([words, stderr, lines(proposed)]).toEqual([words, "", found])
    }
  })

  it("names each command and option for zsh and fish, and no other shell", async () => {
    for (const shell of ["zsh", "fish"]) {
      const { stdout } = await runInProcess(["completion", shell])
      for (const { alias, options = [], usage } of commands) {
        for (const name of [usage.split(" ")[0]!, alias ?? "daybook"]) expect(stdout).toContain(name)
        for (const { long } of options) expect(stdout).toContain(long!.slice(2))
      }
    }
    expect(await runInProcess(["completion", "csh"])).toMatchObject({ code: 2, line: expect.stringContaining("fish") })
  })
})

describe("a policy that cannot be read", () => {
  it("stops reading, and neither verify, backup nor check", async () => {
    for (const [file, text] of [
      ["policy.toml", "[capture"],
      ["policy.json", '{"search":{"zone":7}}']
    ] as const) {
      const folder = newFolder()
      const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
      await daybook("remember", "The ferry leaves at noon")
      writeFileSync(join(folder, file), text)
      expect(await daybook("list")).toMatchObject({ code: 1, line: expect.stringContaining(file) })
      const verified = await daybook("--json", "verify")
      expect(verified.code).toBe(0)
      expect(JSON.parse(verified.stdout).ok).toBe(true)
      expect(verified.stderr).toMatch(/warning: .*the default policy is used/)
      expect(await daybook("backup", join(newFolder(), "daybook.backup"))).toMatchObject({ code: 0 })
      expect(await daybook("check")).toMatchObject({ code: 1, stdout: expect.stringContaining("problem") })
    }
  })
})

describe("a note", () => {
  it("with a credential says that it is private now; one that is missing is refused", async () => {
    const folder = newFolder()
    const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
    const saved = await daybook("note", "save", "the wifi password is Kettle-7714", "--store", "shared")
    expect(saved.stdout).toContain("Stored as a private credential")
    expect((await daybook("note", "save", "the wifi is slow")).stdout).not.toContain("credential")
    for (const verb of ["get", "delete"]) {
      expect(await daybook("note", verb, "note-0")).toMatchObject({
        code: 1,
        line: expect.stringContaining("not found")
      })
    }
  })
})

describe("a captured change", () => {
  it("names the memory that ended beside the one that replaced it", async () => {
    const folder = newFolder()
    const daybook = (...args: ReadonlyArray<string>) => runInProcess(["--data", folder, ...args])
    const before = await daybook("add-turn", "monday", "The max upload size is 25 MB.")
    const [, id] = /ADD (\w{10})/.exec(before.stdout)!
    const { stdout } = await daybook("add-turn", "monday", "The max upload size is now 50 MB instead of 25 MB.")
    expect(lines(stdout)).toEqual([
      "turn 2 of monday (version 6)",
      expect.stringMatching(/^ {2}ADD \w{10} {2}The max upload size is now 50 MB instead of 25 MB$/),
      `  DELETE ${id}  The max upload size is 25 MB`
    ])
  })
})
