import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { commands } from "../bin/commands/all.js"
import { execute } from "../bin/execute.js"
import { makeOutput } from "../bin/output.js"
import { parse } from "../bin/program.js"
import { type Column, table } from "../bin/table.js"
import { newFolder, paper, removeFolders, runInProcess } from "./support/cli.js"

afterAll(removeFolders)

type Call = readonly [args: ReadonlyArray<string>, line: RegExp]

describe("the command line", () => {
  const wrong: ReadonlyArray<Call> = [
    [["serach", "x"], /^Unknown command 'serach' \(Did you mean search\?\)$/],
    [["xyzzy"], /^Unknown command 'xyzzy'\. Run `daybook --help`\.$/],
    [["search"], /^Missing required argument 'query'$/],
    [["remember"], /^Missing required argument 'title'/],
    [["remember", "two", "titles"], /^Too many arguments.* Put text with spaces in quotes\.$/],
    [["search", "x", "--bogus"], /^Unknown option '--bogus'$/],
    [["search", "-pilot"], /^Unknown option '-pilot'\. To pass text that starts with "-", put `--` before it\.$/],
    [["remember", "x", "--tag", ""], /^--tag: /],
    [["--bogus", "search", "x"], /^Unknown option '--bogus'/],
    ...["many", "-1", "0", "1001", "1.5", "", "99999999999999999999"].flatMap(
      (limit): ReadonlyArray<Call> => [
        [["search", "x", "--limit", limit], /^--limit: must be a whole number from 1 to 1000$/],
        [["list", "--limit", limit], /^--limit: must be a whole number from 1 to 1000$/],
        [["people", "--limit", limit], /^--limit: must be a whole number from 1 to 1000$/],
        [["turns", "s", "--last", limit], /^--last: must be a whole number from 1 to 1000$/]
      ]
    ),
    ...["many", "-1", "1.5"].flatMap(
      (number): ReadonlyArray<Call> => [
        [["list", "--offset", number], /^--offset: must be a whole number, 0 or more$/],
        [["files", "--offset", number], /^--offset: must be a whole number, 0 or more$/],
        [["log", "--after", number], /^--after: must be a whole number, 0 or more$/],
        [["log", "--limit", number], /^--limit: must be a whole number, 1 or more$/],
        [["add-turn", "s", "x", "--sequence", number], /^--sequence: must be a whole number, 1 or more$/],
        [["timeline", "x", "--before", number], /^--before: must be a whole number from 0 to 500$/]
      ]
    ),
    [["add-turn", "s", "x", "--sequence", "0"], /^--sequence: must be a whole number, 1 or more$/],
    [["timeline", "x", "--after", "501"], /^--after: must be a whole number from 0 to 500$/],
    [["list", "--as-of", "99999999999999999999"], /^--as-of: must be a whole number, 0 or more$/],
    ...["high", "2", "-0.5", "", "NaN"].map(
      (value): Call => [["remember", "x", "--importance", value], /^--importance: must be a number from 0 to 1$/]
    ),
    [["remember", "x", "--at", "2025-13-30"], /^--at: must be an ISO 8601.*2026-03-01T09:30:00Z$/],
    [["remember", "x", "--at", "2026-02-30"], /^--at: is a day that does not exist: its month has 28 days$/],
    [["remember", "x", "--expires", "2024-02-30T09:30Z"], /^--expires: is a day that does not .* has 29 days$/],
    [["list", "--after", "2026-04-31"], /^--after: is a day that does not exist: its month has 30 days$/],
    [["list", "--as-of", "2026-06-31"], /^--as-of: is a day that does not exist: its month has 30 days$/],
    [["list", "--after", "someday' is invalid. no"], /^--after: must be a time, such as 2026-03-01.*"last week"/],
    [["list", "--as-of", "v12"], /^--as-of: must be a log version/],
    [["list", "--store", "a secret\nin two lines"], /^--store: must be one of private, shared, social$/],
    [["serve", "--port", "65536"], /^--port: must be a whole number from 0 to 65535$/],
    [
      ["serve", "--allow-host", "https://a.example"],
      /^--allow-host: must be a host name without scheme, port or path, such as memory\.example\.org$/
    ],
    [["serve", "--allow-host", "a.example:80"], /^--allow-host: must be a host name without scheme, port or path/],
    [["get-context"], /^Missing required argument 'session'$/],
    [["get-context", "s", "--k", "201"], /^--k: must be a whole number from 1 to 200$/],
    [["get-context", "s", "--format", "html"], /^--format: must be one of text, markdown, messages, anthropic$/],
    [["mcp", "--tools", "few"], /^--tools: must be one of all, core$/],
    [["list", "--trust", "some"], /--trust.*full, inner, familiar, public/],
    [["update", "x", "--clear", "title"], /--clear/],
    [["list", "--data"], /--data.*missing/],
    [["list", "--data", ""], /--data.*empty/]
  ]
  it.each(wrong)("%j is an invalid call", (args, line) => {
    expect(parse(args, () => {})).toEqual({ code: 2, line: expect.stringMatching(line) })
  })

  it("describes every command and option in at most 70 characters", () => {
    const descriptions = commands.flatMap(({ options = [], summary }) => [
      summary,
      ...options.map(({ description }) => description)
    ])
    expect(descriptions.filter(({ length }) => length > 70)).toEqual([])
  })

  it("accepts global options before and after the command", () => {
    for (const args of [
      ["--agent", "a", "--trust", "inner", "--json", "search", "one", "two", "--tag", "x", "--tag", "y"],
      ["search", "--tag", "x", "one", "--agent", "a", "two", "--json", "--tag", "y", "--trust", "inner"]
    ]) {
      expect(parse(args, () => {})).toMatchObject({
        command: { usage: "search <query...>" },
        args: [["one", "two"]],
        options: { tag: ["x", "y"] },
        globals: { agent: "a", trust: "inner", json: true, actor: "cli" },
        agentWasPassed: true
      })
    }
    expect(parse(["verify", "--agent", "default"], () => {})).toMatchObject({ agentWasPassed: true })
    expect(parse(["verify"], () => {})).toMatchObject({ agentWasPassed: false, globals: { agent: "default" } })
    expect(parse(["remember", "--", "--json"], () => {})).toMatchObject({ args: ["--json"], globals: { json: false } })
    expect(parse(["list", "--as-of", "12"], () => {})).toMatchObject({ options: { asOf: { version: 12 } } })
    const at = Date.UTC(2026, 2, 1)
    expect(parse(["list", "--as-of", "2026-03-01"], () => {})).toMatchObject({ options: { asOf: { at } } })
    expect(parse(["list", "--after", "2026-03-01"], () => {})).toMatchObject({ options: { after: at } })
    // Words are resolved when it is known in which zone.
    expect(
      parse(["list", "--after", "last week", "--before", "上周", "--as-of", "3 days ago"], () => {})
    ).toMatchObject({
      options: { after: "last week", before: "上周", asOf: { at: "3 days ago" } }
    })
  })

  const _folder = newFolder()
  const folder = newFolder()
  const carriedOut = (args: ReadonlyArray<string>, data = folder) =>
    Effect.runPromise(
      execute(
        ["--data", data, ...args],
        () => {},
        () => makeOutput(paper().terminal, { json: true })
      )
    )
  const never: ReadonlyArray<Call> = [
    [["remember", ""], /^title: is empty$/],
    [["remember", "x", "--type", "Two Words"], /^type: /],
    [["list", "--agent", "two words"], /^agent: /],
    [["stats", "--agent", "two words"], /^agent: /],
    [["remember", "x", "--actor", ""], /^actor: /],
    [["update", "nothere"], /^changes: /],
    [["rebuild", "nothing"], /^projection: /],
    [["recall", "rerun", "0"], /needs a number, 1 or more$/],
    [["search", "x", "--record", "--as-of", "2026-01-01"], /^--record: cannot be used with --as-of$/],
    [["search", "x", "--speaker", "Mira"], /^--speaker: needs --conversation$/],
    [["add-file", "x", "--move"], /^--move: needs --session$/],
    [["forget"], /^'forget' needs either an id or --text$/],
    [["forget", "nothere", "--text", "x"], /^'forget' needs either an id or --text$/],
    [["archive", "add"], /^'archive add' needs exactly one id$/],
    [["observe-tool", "ls", "--output", "x".repeat((1 << 20) + 1)], /^output: is longer than 1048576 characters$/],
    [["note", "keep", "x"], /^action: must be one of save, get, search, list, update, delete$/],
    [["note", "save"], /^'note save' needs text$/],
    [["note", "list", "x"], /^'note list' takes no words$/],
    [["note", "delete", "x", "--any-tag", "y"], /^'note delete' takes no --any-tag$/],
    [["note", "update", "note-0"], /^changes: must have at least one field/],
    [["scratchpad", "show", "monday"], /^action: must be one of read, write, clear, history$/],
    [["scratchpad", "write", "monday"], /^'scratchpad write' needs items$/],
    [["scratchpad", "read", "monday", "x"], /^'scratchpad read' takes no items$/],
    [["scratchpad", "clear", "monday", "--as-of", "1"], /^'scratchpad clear' takes no --as-of$/],
    [["scratchpad", "write", "monday", "x".repeat(241)], /^items\.0: is longer than 240 characters$/],
    [["update-person", "Ada"], /^Missing required argument 'facts'$/],
    [["update-person", "Ada", "tea"], /^facts: argument 1 must be NAME=VALUE, or NAME= to remove a fact$/],
    [["update-person", "Ada", "tea=a", "tea=b"], /^tea: is set twice$/],
    [
      ["update-person", "Ada", "birthday=tomorrow"],
      /^birthday: is not a day: use 1990-12-10, or 12-10 without the year$/
    ],
    [["token", "steal"], /^action: must be one of add, list, revoke$/],
    [["token", "add"], /^'token add' needs --agent and --trust$/],
    [["token", "add", "--agent", "coop"], /^'token add' needs --agent and --trust$/],
    [["token", "add", "--agent", "a b", "--trust", "inner"], /^agent: must be a name or a pattern such as "team-\*"/],
    [["token", "add", "x", "--agent", "coop", "--trust", "inner"], /^'token add' takes no argument$/],
    [["token", "list", "--name", "x"], /^'token list' takes no --name$/],
    [["token", "revoke"], /^'token revoke' needs an id$/]
  ]
  it.each(never)("%j can never be valid", async (args, line) => {
    expect(await carriedOut(args)).toEqual({ code: 2, line: expect.stringMatching(line) })
  })

  const refused: ReadonlyArray<Call> = [
    [
      ["remember", "x", "--trust", "inner", "--store", "private"],
      /inner cannot write to `private`: use `shared` or `social`$/
    ],
    [["remember", "x", "--trust", "public"], /^trust: level public cannot write: use one of full, inner, familiar$/],
    [["add-turn", "s", "x", "--trust", "public"], /^trust: level public cannot write/],
    [["note", "get", "note-0"], /^note note-0 not found: check the id and the trust level$/],
    [["note", "update", "note-0", "x"], /^memory note-0 not found/],
    [["observe-tool", "ls", "--trust", "public"], /^trust: level public cannot write/],
    [["note", "save", "x", "--trust", "public"], /^trust: level public cannot write/],
    [["scratchpad", "write", "s", "x", "--trust", "public"], /^trust: level public cannot write/],
    [["update-person", "Ada", "tea=x", "--trust", "public"], /^trust: level public cannot write/],
    [["get", "nothere", "norhere"], /^memory nothere, norhere not found: check the id and the trust level$/],
    [["forget", "nothere"], /^memory nothere not found: check the id and the trust level$/],
    [["forget", "--text", "nowhere said"], /^no memory has this title or contains this text$/],
    [["archive", "add", "nothere"], /^memory nothere not found/],
    [["update", "nothere", "--title", "x"], /^memory nothere not found: check the id and the trust level$/],
    [["timeline", "nothere"], /^memory nothere not found: check the id and the trust level$/],
    [["history", "nothere"], /^memory nothere not found: check the id and the trust level$/],
    [["list", "--as-of", "1"], /^version 1 does not exist: the newest version is 0$/],
    [["log", "--as-of", "1"], /^version 1 does not exist: the newest version is 0$/],
    [["list", "--as-of", "0", "--trust", "inner"], /requires trust level `full`$/],
    [["log", "--trust", "inner"], /^log requires trust level `full`$/],
    [["verify", "--trust", "inner"], /^verify requires trust level `full`$/],
    [["stats", "--trust", "familiar"], /^stats requires trust level `full`$/],
    [["rebuild", "--trust", "public"], /^rebuild requires trust level `full`$/],
    [["backfill", "--trust", "inner"], /^backfill requires trust level `full`$/],
    [["agents", "--trust", "inner"], /^agents requires trust level `full`$/],
    [["recall", "list", "--trust", "inner"], /^recall requires trust level `full`$/],
    [["undo", "--event", "1", "--trust", "inner"], /^undo requires trust level `full`$/],
    [["undo", "--event", "99"], /^nothing to undo: there is no event 99$/],
    [["undo", "--run", "nobody"], /^nothing to undo: there is no change of a memory by run nobody$/],
    [["token", "revoke", "nobody"], /^token nobody not found: 'daybook token list' shows the ids$/],
    [["recall", "show", "1"], /^recall 1 not found: list the recalls to see their numbers$/],
    [["import", "/nowhere/at/all"], /^\/nowhere\/at\/all: does not exist$/],
    [
      ["list", "--data", "/dev/null"],
      /^folder \/dev\/null: this path is not a folder, and no folder can be created here/
    ],
    [
      ["list", "--data", "/dev/null/x"],
      /^folder \/dev\/null\/x: this path is not a folder, and no folder can be created here/
    ],
    [["remember", "x", "--data", "/proc/x/y"], /^folder \/proc\/x\/y: \w.* \(E[A-Z]+\)$/]
  ]
  it.each(refused)("%j is refused", async (args, line) => {
    expect(await carriedOut(args)).toEqual({ code: 1, line: expect.stringMatching(line) })
  })

  const nowhere = join(newFolder(), "mistyped")
  it.each([
    ["list"],
    ["search", "tea", "--record"],
    ["stats"],
    ["agents"],
    ["verify"],
    ["check"],
    ["embed", "status"],
    ["embed", "back"],
    ["schedules"],
    ["list", "--as-of", "yesterday"],
    ["forget", "nothere"],
    ["scratchpad", "read", "monday"],
    ["note", "list"],
    ["token", "list"],
    ["maintain"]
  ])("%j makes no data folder", async (...args) => {
    expect(await carriedOut(args, nowhere)).toEqual({
      code: 1,
      line: `no data folder at ${nowhere}: pass --data, or create it with 'daybook remember'`
    })
    expect(existsSync(nowhere)).toBe(false)
  })

  it.each([
    [["list"], /^nothing found\n$/],
    [["search", "tea", "--record"], /^nothing found\n$/],
    [["stats"], /^version +0$/m],
    [["agents"], /^nothing found\n$/],
    [["verify"], /^ok +yes\nevents +0$/m],
    [["check"], /^ok /m],
    [["log"], /^$/],
    [["get-context", "monday"], /^<memory>/],
    [["embed", "status"], /0 embedded, 0 missing/],
    [["schedules"], /^nothing found\n$/],
    [["list", "--as-of", "yesterday"], /^nothing found\n$/],
    [["note", "list"], /^nothing found\n$/],
    [["token", "list"], /^nothing found\n$/],
    [["rebuild"], /^events +0$/m],
    [["maintain"], /nothing to do/],
    [["what-if"], /^Nothing would change$/m],
    [["undo", "--event", "1"], "nothing to undo: there is no event 1"],
    [["forget", "nothere"], "memory nothere not found: check the id and the trust level"],
    [["backup", join(newFolder(), "x.backup")], /contains no log: check the path of the data folder$/],
    [["export", join(newFolder(), "x.jsonl")], /contains no log: check the path of the data folder$/]
  ] as ReadonlyArray<readonly [ReadonlyArray<string>, string | RegExp]>)(
    "%j finds a folder of other files empty, and writes nothing there",
    async (args, answer) => {
      const folder = newFolder()
      chmodSync(folder, 0o755)
      writeFileSync(join(folder, "notes.txt"), "tea")
      const { line = "", stderr, stdout } = await runInProcess(["--data", folder, ...args])
      expect(line === "" ? stdout : line).toMatch(answer)
      expect(stderr).not.toContain("other users may read")
      expect(readdirSync(folder)).toEqual(["notes.txt"])
    }
  )

  it.each(["anchor.log", "erasures.log", "policy.toml"])("a folder with %s is a data folder", async (name) => {
    const folder = newFolder()
    writeFileSync(join(folder, name), "")
    await carriedOut(["list"], folder)
    expect(readdirSync(folder)).toContain("log.db")
  })

  it.each([
    [["remember", ""], "title: is empty"],
    [["remember", "tea", "--session", ""], "session: is empty"],
    [["add-turn", "monday", ""], "text: must not be empty, unless the turn calls a tool"],
    [["add-turn", "", "tea"], "session: is empty"],
    [["note", "save", ""], "content: is empty"]
  ] as ReadonlyArray<readonly [ReadonlyArray<string>, string]>)(
    "%j is refused before a data folder is made",
    async (args, line) => {
      const data = join(newFolder(), "new")
      expect(await carriedOut(args, data)).toEqual({ code: 2, line })
      expect(existsSync(data)).toBe(false)
    }
  )

  it.each([
    ["remember", "tea"],
    ["add-turn", "monday", "tea"],
    ["schedules", "add", "tea", "--every", "2h"],
    ["scratchpad", "write", "monday", "tea"],
    ["note", "save", "tea"],
    ["update-person", "Ada", "tea=oolong"],
    ["observe-tool", "ls"],
    ["embed", "switch", "hash"],
    ["token", "add", "--agent", "coop", "--trust", "inner"],
    ["import", "examples/memories/people"],
    ["add-file", "examples/memories/people"]
  ])("%j makes it, and an empty one is an empty daybook", async (...args) => {
    const data = newFolder()
    expect(await carriedOut(["list"], data)).toEqual({ code: 0 })
    expect(await carriedOut(args, join(data, "new"))).toEqual({ code: 0 })
    expect(await carriedOut(["list"], join(data, "new"))).toEqual({ code: 0 })
  })

  it("forgets the only memory with a title or, if none has it, with a text", async () => {
    const data = newFolder()
    for (const args of [
      ["The pilot boat leaks"],
      ["Mira bought a model of the pilot boat in Emden", "--type", "event"],
      ["Tea is at five", "--narrative", "The harbour café is open"]
    ]) {
      expect(await carriedOut(["remember", ...args], data)).toEqual({ code: 0 })
    }
    const forget = (text: string) => carriedOut(["forget", "--text", text], data)
    expect(await forget("pilot boat")).toEqual({
      code: 1,
      line: expect.stringMatching(/^2 memories match: pass the id of one: \S{10}, \S{10}$/)
    })
    expect(await forget("the PILOT boat  leaks")).toEqual({ code: 0 })
    expect(await forget("pilot boat")).toEqual({ code: 0 })
    expect(await forget("harbour café")).toEqual({ code: 0 })
    expect(await forget("harbour café")).toMatchObject({ code: 1 })
  })

  it("reports an invalid policy in one line, without its values", async () => {
    const data = newFolder()
    const policy = {
      search: { zone: "a secret", pool: "SECRET\nx", limit: 5, fold: "secret, actual 5" },
      recall: "secret"
    }
    writeFileSync(join(data, "policy.json"), JSON.stringify(policy))
    const { code, line } = await carriedOut(["list"], data)
    expect(code).toBe(1)
    expect(
      line
        ?.replace(/^daybook: policy \S+: |^policy \S+: /, "")
        .split("; ")
        .sort()
    ).toEqual([
      "recall: must be a table",
      "search.fold: expected boolean",
      "search.limit: is not a known setting",
      "search.pool: expected number",
      "search.zone: is not a time zone: use an IANA name such as Europe/Berlin"
    ])
  })

  it("names the search that a misplaced filter belongs to", async () => {
    const data = newFolder()
    expect(await carriedOut(["remember", "Mira drinks tea"], data)).toEqual({ code: 0 })
    for (const field of ["speaker:Mira", "role:user", "kind:file"]) {
      const { terminal, written } = paper()
      const out = () => makeOutput(terminal, { json: true })
      await Effect.runPromise(execute(["--data", data, "search", `tea ${field}`, "--explain"], () => {}, out))
      const { explanation, hits } = JSON.parse(written.stdout)
      expect(explanation.hints).toEqual([expect.stringMatching(`^${field}: .*--conversation`)])
      expect(hits).toHaveLength(1)
    }
  })

  it("accepts times in words, in the policy's time zone", async () => {
    const data = newFolder()
    writeFileSync(join(data, "policy.toml"), '[search]\nzone = "Pacific/Kiritimati"\n')
    const hour = 3_600_000
    const [now, titled] = [Date.now(), (at: number) => new Date(at).toISOString()]
    // There the day begins 14 hours before it does in UTC.
    const today = Math.floor((now + 14 * hour) / (24 * hour)) * 24 * hour - 14 * hour
    for (const at of [today - 25 * hour, today - hour, today + 1]) {
      expect(await carriedOut(["remember", titled(at), "--at", titled(at)], data)).toEqual({ code: 0 })
    }
    const listed = async (...args: ReadonlyArray<string>) => {
      const { terminal, written } = paper()
      const outcome = await Effect.runPromise(
        execute(
          ["--data", data, ...args],
          () => {},
          () => makeOutput(terminal, { json: true })
        )
      )
      expect(outcome).toEqual({ code: 0 })
      return JSON.parse(written.stdout).map(({ title }: { title: string }) => title)
    }
    expect(await listed("list", "--after", "yesterday", "--before", "today")).toEqual([titled(today - hour)])
    expect(await listed("list", "--before", "yesterday")).toEqual([titled(today - 25 * hour)])
    expect(await listed("list", "--as-of", "yesterday")).toEqual([])
    expect(await listed("log", "--as-of", "last week")).toEqual([])
  })
})

describe("recall", () => {
  const wrong: ReadonlyArray<Call> = [
    [["recall", "forget"], /must be one of list, show, rerun$/],
    [["recall", "list", "1"], /takes no number$/],
    [["recall", "show"], /^'recall show' needs a number, 1 or more$/],
    [["recall", "rerun", "last"], /^'recall rerun' needs a number, 1 or more$/],
    [["recall", "show", "1", "--limit", "2"], /work only with 'recall list'$/]
  ]
  it.each(wrong)("%j is an invalid call", async (args, line) => {
    const { terminal } = paper()
    const run = execute(
      ["--data", newFolder(), ...args],
      () => {},
      () => makeOutput(terminal, { json: false })
    )
    expect(await Effect.runPromise(run)).toEqual({ code: 2, line: expect.stringMatching(line) })
  })
})

describe("output", () => {
  const rows = [
    { id: "a1", tokens: 7, title: "東京都に住んでいます。二〇二六年二月に大阪から引っ越しました。" },
    { id: "b22", tokens: 1234, title: "plain" }
  ]
  const draw = async ({ terminal, written }: ReturnType<typeof paper>) => {
    const out = makeOutput(terminal, { json: false })
    const columns: ReadonlyArray<Column<(typeof rows)[number]>> = [
      { name: "id", cell: ({ id }) => id, colour: "cyan" },
      { name: "title", cell: ({ title }) => title, elastic: true },
      { name: "tokens", cell: ({ tokens }) => tokens, alignRight: true }
    ]
    await Effect.runPromise(out.show(rows, () => table(out, rows, columns)))
    return written.stdout.trimEnd()
  }
  const wide = /[\u3000-\u9fff]/g
  /** Where a number ends on screen. */
  const widthOf = (line: string) => line.length + (line.match(wide)?.length ?? 0)

  it("aligns columns and counts wide characters as two", async () => {
    const lines = (await draw(paper())).split("\n")
    expect(lines).toHaveLength(3)
    expect(new Set(lines.map(widthOf)).size).toBe(1)
    expect(lines.join("")).toContain(rows[0]!.title)
  })

  it("shortens the elastic column to the terminal's width, in colour", async () => {
    const drawn = await draw(paper({ columns: 40, colour: true }))
    expect(drawn).toContain("\u001b[36ma1\u001b[39m")
    const lines = stripVTControlCharacters(drawn).split("\n")
    for (const line of lines) {
      expect(widthOf(line)).toBeGreaterThan(37)
      expect(widthOf(line)).toBeLessThan(41)
    }
    expect(lines[1]).toContain("…")
    expect(lines[2]).toMatch(/plain +1234$/)
  })

  it("shows progress on stderr and clears it at the end", () => {
    const { terminal, written } = paper()
    const out = makeOutput(terminal, { json: true })
    for (const done of [0, 5, 10]) out.progress(done, 10)
    expect(written.status).toEqual([`${"░".repeat(30)} 0/10`, `${"█".repeat(15)}${"░".repeat(15)} 5/10`, ""])
    expect(written.stdout).toBe("")
  })

  it("has ISO 8601 times and one array per list in JSON", () => {
    const { terminal, written } = paper({ colour: true })
    const out = makeOutput(terminal, { json: true })
    const list = out.list()
    list.add([{ value: { recordedAt: 0, tokens: 0 }, text: () => "" }])
    list.add([])
    list.add([{ value: { memory: { expiresAt: 1 } }, text: () => "" }])
    list.end()
    expect(JSON.parse(written.stdout)).toEqual([
      { recordedAt: "1970-01-01T00:00:00.000Z", tokens: 0 },
      { memory: { expiresAt: "1970-01-01T00:00:00.001Z" } }
    ])
  })
})
