import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commands } from "../bin/commands/all.js"
import { toJson } from "../bin/output.js"
import { answerOf, build, daybookIn, newFolder, removeFolders } from "./support/cli.js"
import { open } from "./support/engine.js"

beforeAll(build, 120_000)
afterAll(removeFolders)

/** The paths of values that are times in milliseconds, and of times before this century, which are no times. */
const suspects = (value: unknown, path = ""): ReadonlyArray<string> => {
  if (typeof value === "number") return value >= 1e11 ? [`${path}: ${value}`] : []
  if (typeof value === "string") return /^19\d\d-\d\d-\d\dT/.test(value) ? [`${path}: ${value}`] : []
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => suspects(inner, `${path}.${name}`))
    : []
}

describe("JSON", () => {
  const folder = newFolder()
  const daybook = daybookIn(folder)
  const json = async (...args: ReadonlyArray<string>) => answerOf(await daybook("--json", ...args))

  it("has ISO times in the answers of every command", async () => {
    const notes = join(newFolder(), "notes")
    mkdirSync(notes)
    writeFileSync(join(notes, "tea.md"), "# Tea\n\n- Mira drinks sencha\n")
    const calls: Record<string, ReadonlyArray<ReadonlyArray<string>>> = {}
    const asked = async (...args: ReadonlyArray<string>) => {
      const name = args[0]!
      calls[name] = [...(calls[name] ?? []), args]
      const answer = await json(...args)
      expect(suspects(answer), args.join(" ")).toEqual([])
      return answer
    }
    const { id } = await asked("remember", "Mira drinks tea", "--expires", "2099-01-01", "--at", "2026-01-01")
    const other = await asked("remember", "The ferry leaves at noon", "--type", "event")
    await asked("update", id, "--title", "Mira drinks green tea")
    await asked("vouch", id)
    await asked("add-turn", "monday", "tea please", "--at", "2026-01-01")
    await asked("observe-tool", "bash", "npm test", "--exit", "1", "--output", "Error: x", "--at", "2026-01-01")
    const { id: noted } = await asked("note", "save", "Mira drinks tea at four")
    for (const args of [["get", noted], ["search", "tea"], ["list"], ["update", noted, "At five"], ["delete", noted]]) {
      await asked("note", ...args)
    }
    for (const args of [
      ["write", "monday", "pour tea"],
      ["read", "monday"],
      ["history", "monday"],
      ["clear", "monday"]
    ]) {
      await asked("scratchpad", ...args)
    }
    await asked("add-file", notes)
    await asked("import", notes)
    const added = await asked("schedules", "add", "pour", "--every", "2h", "--from", "2026-05-05")
    await asked("schedules", "add", "boil", "--at", "2099-05-05")
    await Effect.gen(function* () {
      yield* TestClock.setTime(Date.now() + 3 * 3_600_000)
      const { runner } = yield* open(folder)
      const { claimed } = yield* runner.claim("default", new Map([["default", 60_000]]), 10)
      yield* runner.finish("default", claimed[0]!, { status: "ok", output: "poured", counts: { cost: 0.25 } })
      yield* TestClock.adjust("2 hours")
      yield* runner.claim("default", new Map([["default", 60_000]]), 10)
    }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)
    await asked("search", "tea", "--record", "--after", "2026-01-01", "--before", "2099-01-01", "--explain")
    await asked("search", "tea yesterday", "--record")
    await asked("search", "tea", "--conversation", "--record")
    for (const args of [["list"], ["show", "1"], ["rerun", "1"], ["show", "2"]]) await asked("recall", ...args)
    for (const verb of ["show", "runs"]) await asked("schedules", verb, added.id)
    const [run] = await json("schedules", "runs", added.id)
    await asked("schedules", "run", run.run)
    for (const args of [["list"], ["count"], ["retime"]]) await asked("schedules", ...args)
    for (const args of [["timeline", id], ["get", id], ["list"], ["history", id], ["why", id], ["people"]]) {
      await asked(...args)
    }
    for (const args of [
      ["get-context", "monday", "which tea?"],
      ["profile"],
      ["sessions"],
      ["turns", "monday"],
      ["files"],
      ["tiers"],
      ["agents"]
    ]) {
      await asked(...args)
    }
    await asked("remember", "The clinic opens at 8:00")
    const disputing = await asked("remember", "The clinic opens at 9:00 this week")
    expect(disputing.disputes).toHaveLength(1)
    await asked("decisions", "--open")
    await asked("decide", disputing.id, "both")
    await asked("list", "--sort", "changed", "--tier", "long")
    await asked("archive", "add", (await asked("remember", "The crane is rented")).id)
    await asked("maintain", "--dry-run")
    await asked("maintain")
    await asked("maintain", "--history")
    await asked("gc")
    await asked("update-person", "Mira", "birthday=12-10")
    await asked("people", "Mira")
    await asked("archive", "list")
    await asked("undo", "--event", "3", "--dry-run")
    await asked("forget", other.id)
    await asked("forget-file", join(notes, "tea.md"))
    await asked("forget-session", "monday")
    await asked("what-if", "--reconciler", "none")
    const granted = await asked("token", "add", "--agent", "team-*", "--trust", "inner", "--name", "editor")
    expect(await asked("token", "list")).toEqual([
      { id: granted.id, name: "editor", agents: "team-*", trust: "inner", createdAt: granted.createdAt }
    ])
    const copy = join(newFolder(), "copy")
    await asked("backup", `${copy}.backup`)
    await asked("export", `${copy}.jsonl`)
    for (const [name, file] of [
      ["restore", `${copy}.backup`],
      ["import-log", `${copy}.jsonl`]
    ] as const) {
      await asked(name, file, "--data", join(newFolder(), "restored"))
    }
    await asked("token", "revoke", granted.id)
    await asked("init")
    await asked("completion", "bash")
    await asked("erase", other.id, "--yes")
    await asked("erase", "--list")
    for (const name of ["rebuild", "backfill", "embed", "verify", "check", "stats", "log"]) await asked(name)
    expect(commands.map(({ usage }) => usage.split(" ")[0]).filter((name) => calls[name!] === undefined)).toEqual([
      // Runs until a signal ends it: test/serve.cli.test.ts.
      "serve",
      // Writes what its host reads: test/hooks.full.ts.
      "hook",
      // Speaks its protocol: test/mcp.transports.full.ts.
      "mcp",
      // Shows no answers of its own.
      "demo"
    ])
  })

  it("has ISO times in every sample of an event", () => {
    const samples = join(import.meta.dirname, "fixtures", "events")
    for (const name of readdirSync(samples)) {
      const sample = JSON.parse(readFileSync(join(samples, name), "utf8"))
      expect(suspects(JSON.parse(toJson(sample))), name).toEqual([])
    }
  })
})
