import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import { afterAll, describe, expect, it } from "vitest"
import { isHookCall } from "../bin/hookCall.js"
import { countMissedPrompt, missedPrompts } from "../events/missedPrompts.js"
import { readHookInput } from "../layers/hosts/claudeCode/hookInput.js"
import { toolRunOf } from "../layers/hosts/claudeCode/toolRun.js"
import { readTurns } from "../layers/hosts/claudeCode/transcript.js"
import { projectAgentName } from "../layers/hosts/projectAgent.js"
import { checkAgentName } from "../src/model/agentName.js"
import { newFolder, removeFolders } from "./support/cli.js"
import { lawRuns } from "./support/size.js"
import { makeTranscript, textOfEntries } from "./support/transcript.js"

afterAll(removeFolders)

const fileOf = (text: string): string => {
  const file = join(newFolder(), "session.jsonl")
  writeFileSync(file, text)
  return file
}

describe("a transcript", () => {
  it("has the turns of the user and of the model, and nothing that the host wrote", async () => {
    const { attachment, noise, prompt, says, user } = makeTranscript("s")
    const queued = { type: "queued_command", commandMode: "prompt" }
    const spoken = [
      prompt("We deploy on Thursdays"),
      says("Noted."),
      user([
        { type: "text", text: "And\n<system-reminder>the host's words</system-reminder>" },
        { type: "image", source: {} },
        { type: "text", text: "this" }
      ]),
      attachment({ ...queued, prompt: "Typed while it worked" })
    ]
    const others = [
      attachment({ ...queued, prompt: "a report", isMeta: true }),
      attachment({ ...queued, prompt: "a report", origin: { kind: "coordinator" } }),
      attachment({ ...queued, commandMode: "bash", prompt: "ls" }),
      ...noise()
    ]
    const text = textOfEntries([spoken[0]!, ...others, spoken[1]!, ...noise(), spoken[2]!, spoken[3]!, ...noise()])
    const turns = await Effect.runPromise(readTurns(fileOf(text), undefined))
    expect(turns.map(({ id, role, text }) => [id, role, text])).toEqual([
      [spoken[0]!.uuid, "user", "We deploy on Thursdays"],
      [spoken[1]!.uuid, "assistant", "Noted."],
      [spoken[2]!.uuid, "user", "And\n\nthis"],
      [spoken[3]!.uuid, "user", "Typed while it worked"]
    ])
  })

  it("is read whole whatever the length of its lines, and from its end as far as it is new", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 900_000 }), { minLength: 1, maxLength: 12 }),
        fc.nat({ max: 12 }),
        async (lengths, known) => {
          const { prompt } = makeTranscript("s")
          const entries = lengths.map((length, index) => prompt(`${index} ${"é".repeat(length)}`))
          const file = fileOf(textOfEntries(entries))
          const all = await Effect.runPromise(readTurns(file, undefined))
          expect(all.map(({ id }) => id)).toEqual(entries.map(({ uuid }) => uuid))
          expect(all.every(({ text }, index) => text === `${index} ${"é".repeat(lengths[index]!)}`)).toBe(true)
          // The margin for a changed clock is longer than these turns, so only the distant future leaves a part out.
          const since = all[Math.min(known, all.length - 1)]!.at
          expect(await Effect.runPromise(readTurns(file, since))).toEqual(all)
          const newest = await Effect.runPromise(readTurns(file, since + 86_400_000))
          expect(newest).toEqual(all.slice(all.length - newest.length))
          expect(newest.length).toBeGreaterThan(0)
        }
      ),
      { numRuns: lawRuns({ quick: 4, full: 60 }) }
    )
  })

  it("that is missing, a folder or no JSON has no turns", async () => {
    const folder = newFolder()
    for (const file of [join(folder, "missing.jsonl"), folder, fileOf(""), fileOf('"type":"user"\n{"type":"user"\n')]) {
      expect(await Effect.runPromise(readTurns(file, undefined))).toEqual([])
    }
  })
})

describe("the input of a hook", () => {
  it("is an object; a field of another type is as if it were missing", () => {
    for (const text of ["", "null", "[]", "7", '"x"', "{", '{"a":}']) expect(readHookInput(text)).toBeUndefined()
    const empty = { session: undefined, transcript: undefined, folder: undefined, prompt: undefined, tool: undefined }
    expect(readHookInput('{"session_id":7,"cwd":"","prompt":["x"],"tool_name":{},"transcript_path":null}')).toEqual(
      empty
    )
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readHookInput(JSON.stringify(value))
      })
    )
  })

  it("names the run of a tool", () => {
    const tool = (name: string, input: unknown, response: unknown, error?: string) =>
      toolRunOf({ id: "toolu_1", name, input, response, error })
    expect(tool("Bash", { command: "npm test" }, { stdout: "ok", stderr: "a warning", interrupted: false })).toEqual({
      tool: "Bash",
      input: "npm test",
      output: "ok\na warning"
    })
    expect(tool("Bash", { command: "exit 3" }, undefined, "Exit code 3\nboom")).toEqual({
      tool: "Bash",
      input: "exit 3",
      output: "boom",
      exit: 3
    })
    expect(tool("Write", { file_path: "/a/b.ts", content: "x" }, { type: "create", content: "x" })).toMatchObject({
      output: "",
      files: ["/a/b.ts"]
    })
    expect(tool("WebFetch", { url: "https://a.example" }, undefined, "no such host")?.output).toBe(
      "Error: no such host"
    )
    expect(tool("mcp__sea__tide", {}, { content: [{ type: "text", text: "high" }] })?.output).toBe("high")
    expect(tool("x", null, { deep: [1] })).toEqual({ tool: "x", input: "", output: '{"deep":[1]}' })
    for (const own of ["mcp__daybook__memory_search", "mcp__plugin_daybook_daybook__memory_write"]) {
      expect(tool(own, {}, {})).toBeUndefined()
    }
    expect(tool("mcp__daybooklike__x", {}, {})).toBeDefined()
    const own = [
      "daybook search tide",
      "cd /a && DAYBOOK_DATA=b npx daybook list",
      "cat x | /usr/bin/daybook remember -"
    ]
    for (const command of own) expect(tool("Bash", { command }, { stdout: "a memory" }), command).toBeUndefined()
    for (const command of ["git clone daybook", "ls daybook/plugin", "./daybooks list"]) {
      expect(tool("Bash", { command }, { stdout: "x" }), command).toBeDefined()
    }
    // A command may hold a whole file. Each of these took minutes when its length was searched from every place.
    for (const piece of ["(a=", "\n ", ";x/", "| a=b "]) {
      expect(tool("Bash", { command: piece.repeat(200_000) }, { stdout: "x" }), piece).toBeDefined()
    }
  })
})

describe("the agent of a project", () => {
  it("is the name of its folder, and always a valid name", () => {
    expect(["/home/ida/harbour", "/home/ida/my app/", "/", "/a/é", "/a/."].map(projectAgentName)).toEqual([
      "harbour",
      "my-app",
      "default",
      "é",
      "a"
    ])
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), (name) => {
        expect(checkAgentName(projectAgentName(`/a/${name}`))._tag).toBe("Right")
      })
    )
  })
})

describe("missed prompts", () => {
  it("are counted by agent, with the last reason; a file that cannot be used counts none", () => {
    const folder = newFolder()
    expect(missedPrompts(folder, "harbour")).toEqual({ count: 0 })
    countMissedPrompt(folder, "harbour", "StorageError (busy)")
    countMissedPrompt(folder, "other", "x")
    countMissedPrompt(folder, "harbour", "time\nlimit")
    expect(missedPrompts(folder, "harbour")).toMatchObject({ count: 2, reason: "time limit" })
    appendFileSync(join(folder, "missed-prompts.log"), "x".repeat(1 << 20))
    countMissedPrompt(folder, "harbour", "one more")
    expect(missedPrompts(folder, "harbour").count).toBe(2)
    const broken = newFolder()
    mkdirSync(join(broken, "missed-prompts.log"))
    countMissedPrompt(broken, "harbour", "x")
    expect(missedPrompts(broken, "harbour")).toEqual({ count: 0 })
  })
})

describe("a call of a hook", () => {
  it.each([
    [["hook", "stop"], true],
    [["--data", "x", "--json", "hook"], true],
    [["--data=x", "hook"], true],
    [["--agent", "hook", "search", "hook"], false],
    [["search", "hook"], false],
    [["--bogus", "hook"], true],
    [[], false]
  ] as const)("%j: %s", (argv, isHook) => {
    expect(isHookCall(argv)).toBe(isHook)
  })
})
