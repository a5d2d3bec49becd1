import { mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAnthropic } from "@ai-sdk/anthropic"
import { Anthropic } from "@anthropic-ai/sdk"
import { betaMemoryTool, type MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory"
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node"
import { generateText, isStepCount } from "ai"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { Daybook } from "../layers/entry.js"
import { type MemoryCommand, memoryExecutor, memoryHandlers } from "../layers/hosts/anthropicMemory/index.js"
import { newFolder, removeFolders } from "./support/cli.js"
import { anthropicServer, closeMemories, newMemory } from "./support/hosts.js"
import { lawRuns } from "./support/size.js"

afterEach(closeMemories)
afterAll(removeFolders)

const answerOf = (work: Promise<unknown>): Promise<string> => work.then(String, (error) => `Error: ${error.message}`)

/** The sizes of folders are those of a file system, or of the files in them. */
const withoutFolderSizes = (text: string) => text.replace(/^\S+\t(.*\/|\/memories\S*)$/gm, "$1")

/** Folders without files do not exist in Daybook. */
const removeEmptyFolders = (folder: string, isRoot = true) => {
  for (const name of readdirSync(folder)) {
    if (statSync(join(folder, name)).isDirectory()) removeEmptyFolders(join(folder, name), false)
  }
  if (!isRoot && readdirSync(folder).length === 0) rmdirSync(folder)
}

const path = fc.constantFrom(
  ...["/memories", "/memories/a.md", "/memories/b.md", "/memories/dir", "/memories/dir/a.md", "/memories/dir/b.md"],
  ...["/memories/dir/sub/c.md", "/memories/dir/sub/deep/d.md", "/memories/.hidden", "/memories/node_modules/x"]
)
const text = fc.constantFrom("", "one", "one\ntwo", "one\ntwo\nthree\nfour\nfive\nsix\n", "two\ntwo", " ümlaut 🐶\n\n")
const command: fc.Arbitrary<MemoryCommand> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ command: fc.constant("create" as const), path, file_text: text }) },
  fc.record({ command: fc.constant("view" as const), path }),
  fc.record({
    command: fc.constant("view" as const),
    path,
    view_range: fc.constantFrom([1, 2], [2, -1], [0, 1], [5, 9])
  }),
  fc.record({
    command: fc.constant("str_replace" as const),
    path,
    old_str: fc.constantFrom("one", "two", "five", "absent"),
    new_str: fc.constantFrom("", "three\nlines\nnow", "$& kept")
  }),
  fc.record({
    command: fc.constant("insert" as const),
    path,
    insert_line: fc.integer({ min: -1, max: 8 }),
    insert_text: fc.constantFrom("added", "added\n", "a\nb\n", "")
  }),
  fc.record({ command: fc.constant("delete" as const), path }),
  fc.record({ command: fc.constant("rename" as const), old_path: path, new_path: path })
)

/** Node's own messages for a path below a file, or a folder moved into itself. */
const systemError = /^Error: (E[A-Z]+:|Cannot rename .* below itself|\/memories\S* is a file)/

describe("the memory tool", () => {
  it("answers every command as the SDK's file system tool does", async () => {
    let compared = 0
    const check = fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 30 }), async (commands) => {
      const folder = mkdtempSync(join(tmpdir(), "daybook-memory-tool-"))
      const oracle = await BetaLocalFilesystemMemoryTool.init(folder)
      const execute = memoryExecutor(await newMemory())
      for (const one of commands) {
        const expected = await answerOf(
          (oracle[one.command] as (input: MemoryCommand) => Promise<string>)(one as never)
        )
        const answer = await answerOf(execute(one))
        if (systemError.test(expected) || systemError.test(answer)) {
          // Both refuse what has no meaning, each in its own words.
          expect(
            [expected, answer].every((text) => text.startsWith("Error: ")),
            JSON.stringify(one)
          ).toBe(true)
        } else expect(withoutFolderSizes(answer), JSON.stringify(one)).toBe(withoutFolderSizes(expected))
        removeEmptyFolders(join(folder, "memories"))
        compared += 1
      }
      rmSync(folder, { recursive: true })
      await closeMemories()
    })
    await fc.assert(check, { numRuns: lawRuns({ quick: 5, full: 30 }) })
    expect(compared).toBeGreaterThanOrEqual(100)
  })

  it("refuses paths that lead outside, and stores nothing for them", async () => {
    const memory = await newMemory()
    const execute = memoryExecutor(memory)
    const outside = [
      ...["/etc/passwd", "memories/a", "/memoriesa", "/memories/../etc/passwd", "/memories/a/../../b", "..", ""],
      ...[
        "/memories/%2e%2e/etc",
        "/memories/%252e%252e%252fetc",
        "/memories/..\\etc",
        "/memories/a\0",
        "/memories/a\nb"
      ],
      `/memories/${"a".repeat(300)}`
    ]
    for (const wrong of outside) {
      const answers = [
        execute({ command: "create", path: wrong, file_text: "x" }),
        execute({ command: "view", path: wrong }),
        execute({ command: "delete", path: wrong }),
        execute({ command: "rename", old_path: "/memories/a", new_path: wrong })
      ]
      for (const answer of answers) expect(await answerOf(answer), wrong).toMatch(/^Error: /)
    }
    const notText = { command: "create", path: "/memories/a", file_text: 7 } as unknown as MemoryCommand
    expect(await answerOf(execute(notText))).toBe("Error: file_text must be text")
    const tooLong = { command: "create", path: "/memories/a", file_text: "x".repeat(70_000) } as const
    expect(await answerOf(execute(tooLong))).toBe("Error: File /memories/a is longer than 65524 characters")
    expect(await answerOf(execute({ command: "erase" } as unknown as MemoryCommand))).toBe(
      "Error: Unknown command: erase"
    )
    expect(await memory.run(memory.user.list())).toEqual([])
    await execute({ ...tooLong, file_text: "x".repeat(65_524) })
    expect(await execute({ command: "view", path: "/memories" })).toMatch(/^64\.0K\t\/memories\/a$/m)
  })

  it("replaces text of several lines, and only where it is unique", async () => {
    const execute = memoryExecutor(await newMemory())
    const at = "/memories/plan.md"
    await execute({ command: "create", path: at, file_text: "a\nb\nc\nx x" })
    await execute({ command: "str_replace", path: at, old_str: "a\nb", new_str: "z" })
    expect(await execute({ command: "view", path: at })).toContain("     1\tz\n     2\tc\n")
    const twice = await answerOf(execute({ command: "str_replace", path: at, old_str: "x", new_str: "y" }))
    expect(twice).toContain("Multiple occurrences of old_str `x` in lines: 3.")
  })

  it("keeps each file's history, written at the level of the model", async () => {
    const memory = await newMemory()
    const execute = memoryExecutor(memory)
    await execute({ command: "create", path: "/memories/plan.md", file_text: "Deploys happen on Tuesdays" })
    await execute({ command: "str_replace", path: "/memories/plan.md", old_str: "Tuesdays", new_str: "Thursdays" })
    await execute({ command: "rename", old_path: "/memories/plan.md", new_path: "/memories/deploys.md" })
    const [note] = await memory.run(memory.user.notes.list({ tags: ["anthropic-memory"] }))
    expect(note).toMatchObject({ level: "inner", content: "/memories/deploys.md\nDeploys happen on Thursdays" })
    const history = await memory.run(memory.user.history(note!.id))
    expect(history.map(({ actor, type }) => `${actor} ${type}`)).toEqual(["model ADD", "model UPDATE", "model UPDATE"])
    expect((await memory.run(memory.user.search({ text: "when do deploys happen" })))[0]?.id).toBe(note!.id)
    await execute({ command: "delete", path: "/memories/deploys.md" })
    expect(await execute({ command: "view", path: "/memories" })).not.toContain("deploys.md")
    const { version } = (await memory.run(memory.user.history(note!.id))).at(-1)!
    await memory.run(memory.user.undo({ event: version! }))
    expect(await execute({ command: "view", path: "/memories/deploys.md" })).toContain("Thursdays")
  })

  it("reads no file that a lower level wrote", async () => {
    const folder = newFolder()
    const execute = memoryExecutor(await newMemory({ folder }))
    await execute({ command: "create", path: "/memories/plan.md", file_text: "ours" })
    const low = await newMemory({ folder, trust: { user: "familiar" } })
    for (const name of ["plan", "new"]) {
      const content = `/memories/${name}.md\nforged`
      await low.run(low.user.notes.save({ content, tags: ["anthropic-memory"], source: "anthropic-memory" }))
    }
    expect(await execute({ command: "view", path: "/memories/plan.md" })).toContain("ours")
    expect(await execute({ command: "view", path: "/memories" })).not.toContain("new.md")
  })

  it("takes a renamed folder back as one run, and survives a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "daybook-restart-"))
    const first = await newMemory({ folder })
    const execute = memoryExecutor(first)
    for (const name of ["a", "b"]) await execute({ command: "create", path: `/memories/x/${name}`, file_text: name })
    await execute({ command: "rename", old_path: "/memories/x", new_path: "/memories/y" })
    await closeMemories()
    const second = await newMemory({ folder })
    const executeAgain = memoryExecutor(second)
    expect(await executeAgain({ command: "view", path: "/memories" })).toContain("/memories/y/a")
    const causes = Effect.flatMap(Daybook, (daybook) => Stream.runCollect(daybook.log("coop"))).pipe(
      Effect.map((events) => Chunk.toReadonlyArray(events).map(({ cause }) => cause ?? "")),
      Effect.provide(Daybook.layer({ folder }))
    )
    const run = (await Effect.runPromise(causes)).at(-1)?.replace("run:", "")
    expect(run).toMatch(/^anthropic-memory-/)
    await second.run(second.user.undo({ run: run! }))
    expect(await executeAgain({ command: "view", path: "/memories" })).toMatch(/\/memories\/x\/a\n.*\/memories\/x\/b$/)
    await closeMemories()
    rmSync(folder, { recursive: true })
  })

  it("carries out commands that come at once one after the other", async () => {
    const execute = memoryExecutor(await newMemory())
    const creations = Array.from({ length: 5 }, () =>
      execute({ command: "create", path: "/memories/a", file_text: "x" })
    )
    const outcomes = await Promise.allSettled(creations)
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", ...Array(4).fill("rejected")])
  })
})

describe("the hosts of the memory tool", () => {
  const blocks = [
    [
      {
        type: "tool_use",
        id: "t1",
        name: "memory",
        input: { command: "create", path: "/memories/prefs.md", file_text: "Likes tea" }
      }
    ],
    [{ type: "tool_use", id: "t2", name: "memory", input: { command: "view", path: "/memories/../x" } }],
    [{ type: "text", text: "Noted." }]
  ] as const

  it("@anthropic-ai/sdk runs it with its tool runner", async () => {
    const memory = await newMemory()
    const server = await anthropicServer(blocks)
    const handlers: MemoryToolHandlers = memoryHandlers(memory)
    const client = new Anthropic({ apiKey: "none", baseURL: server.url })
    const message = await client.beta.messages.toolRunner({
      model: "claude-local",
      max_tokens: 100,
      messages: [{ role: "user", content: "Remember that I like tea" }],
      tools: [betaMemoryTool(handlers)]
    })
    await server.close()
    expect(message.content).toMatchObject([{ type: "text", text: "Noted." }])
    const results = server.requests.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)))
    expect(results[0]).toContain("File created successfully at: /memories/prefs.md")
    expect(results[1]).toContain("would escape /memories directory")
    expect(results[1]).toContain('"is_error":true')
    expect((await memory.run(memory.user.notes.list()))[0]?.content).toBe("/memories/prefs.md\nLikes tea")
  })

  it("@ai-sdk/anthropic runs it as its memory tool", async () => {
    const memory = await newMemory()
    const server = await anthropicServer(blocks)
    const anthropic = createAnthropic({ apiKey: "none", baseURL: `${server.url}/v1` })
    const { text } = await generateText({
      model: anthropic("claude-local"),
      prompt: "Remember that I like tea",
      tools: { memory: anthropic.tools.memory_20250818({ execute: memoryExecutor(memory) }) },
      stopWhen: isStepCount(5)
    })
    await server.close()
    expect(text).toBe("Noted.")
    expect(JSON.stringify(server.requests[1])).toContain("File created successfully at: /memories/prefs.md")
    expect(JSON.stringify(server.requests[2])).toContain("would escape /memories directory")
    expect((await memory.run(memory.user.notes.list()))[0]?.content).toBe("/memories/prefs.md\nLikes tea")
  })
})
