import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import { changedFiles, commandOf, errorLine, hasFailed, isEphemeral } from "../src/notes/toolRuns.js"
import { headAndTail } from "../text/normalise/headAndTail.js"
import { fresh } from "./support/engine.js"
import { expectSameAfterRebuild } from "./support/rebuild.js"

const agent = "ada"
const start = Date.parse("2026-03-14T06:00:00Z")

const prepared = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { daybook } = yield* fresh()
  return { daybook, full: yield* daybook.agent(agent, { trust: "full" }) }
})

const run = (tool: string, input: string, output = "", exit?: number) => ({ tool, input, output, exit })

describe("a run of a tool", () => {
  const table = [
    [run("bash", "cd /app && npm test", "1 failed", 1), "npm test", [], true, true],
    [
      run("Bash", '{"command":"sed -i s/a/b/ src/tide.ts"}', "", 0),
      "sed -i s/a/b/ src/tide.ts",
      ["src/tide.ts"],
      false,
      false
    ],
    [run("edit_file", '{"file_path":"src/a/b.py","text":"see c.py"}', "ok"), undefined, ["src/a/b.py"], false, false],
    [run("read_file", '{"path":"src/a.py"}', "error: is the first word\nof this file"), undefined, [], true, true],
    [run("shell", "echo hi > notes.md", "", 0), "echo hi > notes.md", ["notes.md"], true, false],
    [run("terminal", "git commit -m x", "", 0), "git commit -m x", [], false, false],
    [run("weather", '{"query":"Emden"}', "rain"), undefined, [], false, false]
  ] as const
  it.each(table)("%j is read", (call, command, files, ephemeral, failed) => {
    expect([commandOf(call), changedFiles(call), isEphemeral(call), hasFailed(call)]).toEqual([
      command,
      files,
      ephemeral,
      failed
    ])
  })

  it.each([
    ["> app@1 test\n> vitest\n\nTypeError: tide is undefined\n    at src/tide.ts:4", "TypeError: tide is undefined"],
    ["src/a.ts(3,5): error TS2345: Argument of type 'x'", "src/a.ts(3,5): error TS2345: Argument of type 'x'"],
    ["0 errors\nFAIL test/a.test.ts", "FAIL test/a.test.ts"],
    ["all is well", undefined]
  ])("%j names its error", (output, line) => {
    expect(errorLine(run("bash", "x", output, 1))).toBe(line)
  })

  it("keeps the beginning and the end of a long text, and no half character", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "é", "🚀", "\n"), { maxLength: 80 }),
        fc.nat({ max: 30 }),
        fc.nat({ max: 30 }),
        (parts, head, tail) => {
          const text = parts.join("")
          const short = headAndTail(text, head, tail)
          expect(short.isWellFormed()).toBe(true)
          if (text.length <= head + tail) expect(short).toBe(text)
          const [begin = "", end = ""] = short.split(/\n… \d+ characters left out …\n/u)
          expect(text.startsWith(begin) && text.endsWith(end)).toBe(true)
        }
      )
    )
  })

  it.scoped("is stored as familiar, mid and by its tool, whoever ran it; results of the moment expire", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const output = `${"a".repeat(3_000)}middle${"z".repeat(3_000)}`
      const observed = yield* full.observeTool({ tool: "bash", input: "npm test", output, exit: 1, session: "monday" })
      expect(observed).toEqual({
        outcome: "observed",
        id: expect.any(String),
        store: "private",
        expiresAt: start + 48 * 3_600_000,
        truncated: true,
        version: 1,
        repeated: false
      })
      const [memory] = yield* full.get([observed.id])
      expect(memory).toMatchObject({
        type: "tool",
        title: "bash: npm test (exit 1)",
        facts: ["input: npm test", "exit: 1"],
        tier: "mid",
        level: "familiar",
        source: { kind: "tool", name: "bash" },
        session: "monday"
      })
      expect(memory!.narrative).toMatch(/^a+\n… 2006 characters left out …\nz+$/)
      const kept = yield* full.observeTool({ tool: "bash", input: "npm publish", exit: 0 })
      expect(kept).not.toHaveProperty("expiresAt")
      // The same run again is another one.
      expect((yield* full.observeTool({ tool: "bash", input: "npm publish", exit: 0 })).id).not.toBe(kept.id)
      const once = yield* full.observeTool({ tool: "ls" }, { commandId: "once" })
      expect(yield* full.observeTool({ tool: "ls" }, { commandId: "once" })).toEqual({ ...once, repeated: true })
      const secret = ["token ghp_", "Fake0123456789Fake0123456789FakeAbCd"].join("")
      expect(yield* full.observeTool({ tool: "env", output: secret, store: "social" })).toMatchObject({
        store: "private",
        confined: true
      })
      const familiar = yield* daybook.agent(agent, { trust: "familiar" })
      expect(yield* Effect.flip(familiar.observeTool({ tool: "env", output: secret }))).toMatchObject({
        _tag: "CredentialForbidden"
      })
      expect(yield* Effect.flip(full.observeTool({ tool: "x", exit: 0.5 }))).toMatchObject({ field: "exit" })
      yield* TestClock.adjust("49 hours")
      expect((yield* full.list()).map(({ id }) => id)).not.toContain(observed.id)
      yield* expectSameAfterRebuild(daybook, agent)
    })
  )

  it.scoped("is compressed once its session is quiet, into errors with what solved them and what else was done", () =>
    Effect.gen(function* () {
      const { daybook, full } = yield* prepared
      const observe = (call: ReturnType<typeof run>, session = "monday") =>
        Effect.zipRight(TestClock.adjust("10 seconds"), full.observeTool({ ...call, session }))
      const test = (output: string, exit: number) => run("bash", "npm test", output, exit)
      const failed = yield* observe(test("TypeError: tide is undefined\n    at src/tide.ts:4", 1))
      const looked = yield* observe(run("bash", "ls src", "tide.ts", 0))
      const edited = yield* observe(run("edit", '{"path":"src/tide.ts"}', "ok"))
      const passed = yield* observe(test("3 passed", 0))
      yield* observe(run("bash", "git commit -am fix", "", 0))
      yield* observe(run("write", '{"path":"docs/tide.md"}', "ok"))
      yield* observe(run("bash", "npm run deploy", "Error: EACCES: permission denied", 13))
      yield* observe(run("bash", "npm run pack", "ok", 0), "friday")
      const compress = full.maintenance.run({ stages: ["tools"] })
      expect((yield* compress)[0]!.counts).toEqual({})
      yield* TestClock.adjust("31 minutes")
      const before = (yield* full.list({ limit: 100 })).length
      const [report] = yield* compress
      expect(report!.counts).toEqual({ compressed: 7, made: 4 })
      const made = (yield* full.get((yield* full.list()).map(({ id }) => id))).filter(({ type }) => type !== "tool")
      const solution = made.find(({ type }) => type === "solution")!
      expect(solution).toMatchObject({
        title: '`npm test` failed with "TypeError: tide is undefined", solved by changing src/tide.ts',
        facts: ["error: TypeError: tide is undefined", "command: npm test", "changed: src/tide.ts"],
        files: ["src/tide.ts"],
        level: "familiar",
        tier: "mid",
        session: "monday"
      })
      expect(solution.lineage!.map(({ to }) => to)).toEqual([failed.id, edited.id, passed.id])
      expect(made.find(({ type }) => type === "debug")).toMatchObject({
        title: '`npm run deploy` fails with "Error: EACCES: permission denied"',
        facts: ["error: Error: EACCES: permission denied", "command: npm run deploy"]
      })
      expect(made.filter(({ type }) => type === "technical").map(({ session, title }) => [session, title])).toEqual(
        expect.arrayContaining([
          ["monday", "Changed docs/tide.md; ran `git commit -am fix`"],
          ["friday", "Ran `npm run pack`"]
        ])
      )
      // A listing that no error needed is left to expire.
      expect(yield* full.get([looked.id, failed.id])).toMatchObject([{ id: looked.id }])
      expect((yield* full.search({ text: "what solved the TypeError of tide" }))[0]).toMatchObject({ id: solution.id })
      expect((yield* compress)[0]!.counts).toEqual({})
      yield* expectSameAfterRebuild(daybook, agent)
      yield* full.undo({ run: report!.run! })
      expect(yield* full.list({ limit: 100 })).toHaveLength(before)
      expect((yield* full.list({ types: ["solution"] })).length).toBe(0)
    })
  )
})
