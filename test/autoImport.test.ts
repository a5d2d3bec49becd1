import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { layer } from "../layers/Default.js"
import { Daybook } from "../src/Daybook.js"
import { decode } from "../src/ports/Policy.js"
import { newFolder, removeFolders, runInProcess } from "./support/cli.js"

afterAll(removeFolders)

/** A data folder whose policy names a file, a folder, and whatever else is given. */
const prepared = ({ agent, more = [] }: { agent?: string; more?: ReadonlyArray<string> } = {}) => {
  const folder = newFolder()
  mkdirSync(join(folder, "notes"))
  writeFileSync(join(folder, "MEMORY.md"), "- The ferry leaves at nine\n- Mira repairs the kettle\n")
  writeFileSync(join(folder, "notes", "cranes.md"), "- The crane lifts forty tons\n")
  const from = JSON.stringify(["MEMORY.md", ...more, "notes"])
  writeFileSync(
    join(folder, "policy.toml"),
    `[import]\nfrom = ${from}\n${agent === undefined ? "" : `agent = "${agent}"\n`}`
  )
  return folder
}

/** Opens a folder as a process of its own would, until the scope closes. */
const open = (folder: string) => Effect.map(Layer.build(layer({ folder })), Context.get(Daybook))

const titlesOf = (daybook: Context.Tag.Service<Daybook>, agent = "default") =>
  Effect.gen(function* () {
    const memory = yield* daybook.agent(agent, { trust: "full" })
    return (yield* memory.list()).map(({ title }) => title).sort()
  })

const all = ["Mira repairs the kettle", "The crane lifts forty tons", "The ferry leaves at nine"]

describe("an empty memory", () => {
  it.scopedLive("begins with the files of the policy, by a read or a write, and takes them once", () =>
    Effect.gen(function* () {
      for (const use of ["read", "write"] as const) {
        const folder = prepared()
        const daybook = yield* open(folder)
        const memory = yield* daybook.agent("default", { trust: "full" })
        expect(yield* daybook.agents).toEqual([])
        if (use === "read") {
          const hits = yield* memory.search({ text: "kettle" })
          expect(hits[0]?.title).toBe("Mira repairs the kettle")
        } else yield* memory.sessions.append({ session: "monday", text: "hello" })
        expect(yield* titlesOf(daybook)).toEqual(all)
        expect((yield* memory.list({ tiers: ["core"] })).length).toBe(2)
        yield* memory.forget((yield* memory.list())[0]!.id)
        writeFileSync(join(folder, "MEMORY.md"), "- A line that comes later\n")
        expect((yield* titlesOf(yield* open(folder))).length).toBe(2)
        expect((yield* daybook.stats("default")).memories.created).toBe(3)
      }
    })
  )

  it.scopedLive("of another agent, or of the past, stays empty", () =>
    Effect.gen(function* () {
      const daybook = yield* open(prepared({ agent: "coop" }))
      expect(yield* titlesOf(daybook)).toEqual([])
      const past = yield* daybook.agent("coop", { trust: "full", asOf: { version: 0 } })
      expect(yield* past.list()).toEqual([])
      expect(yield* daybook.agents).toEqual([])
      expect(yield* titlesOf(daybook, "coop")).toEqual(all)
      expect(yield* titlesOf(daybook)).toEqual([])
    })
  )

  it.scopedLive("is one that never had a memory: turns do not count, forgotten memories do", () =>
    Effect.gen(function* () {
      const turns = prepared()
      const plain = { folder: turns, policy: Either.getOrThrow(decode({})) }
      const before = Context.get(yield* Layer.build(layer(plain)), Daybook)
      yield* (yield* before.agent("default", { trust: "full" })).sessions.append({ session: "s", text: "hello" })
      expect(yield* titlesOf(yield* open(turns))).toEqual(all)

      const forgotten = prepared()
      const other = Context.get(yield* Layer.build(layer({ ...plain, folder: forgotten })), Daybook)
      const memory = yield* other.agent("default", { trust: "full" })
      yield* memory.forget((yield* memory.remember({ title: "gone" })).id)
      expect(yield* titlesOf(yield* open(forgotten))).toEqual([])
    })
  )

  it.scopedLive("takes each item once, however many calls and processes begin together", () =>
    Effect.gen(function* () {
      const folder = prepared()
      const lines = Array.from({ length: 600 }, (_, index) => `- Ferry number ${index} leaves from pier ${index}`)
      writeFileSync(join(folder, "notes", "ferries.md"), `${lines.join("\n")}\n`)
      const processes = yield* Effect.all([open(folder), open(folder), open(folder)])
      const answers = yield* Effect.forEach(
        [...processes, ...processes],
        (daybook) =>
          Effect.flatMap(daybook.agent("default", { trust: "full" }), (memory) => memory.search({ text: "kettle" })),
        { concurrency: "unbounded" }
      )
      expect(answers).toHaveLength(6)
      const memory = yield* processes[0].agent("default", { trust: "full" })
      const rows = yield* memory.list({ limit: 1_000 })
      expect(rows).toHaveLength(603)
      expect(new Set(rows.map(({ mentions }) => mentions))).toEqual(new Set([1]))
      expect((yield* processes[1].verify()).problems).toEqual([])
    })
  )

  it.scopedLive("opens although files fail; the log names them once", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const folder = prepared({ more: ["missing.md", "binary.md"] })
      writeFileSync(join(folder, "binary.md"), Buffer.from([0, 255, 0]))
      const daybook = yield* open(folder)
      for (let round = 0; round < 3; round++) expect(yield* titlesOf(daybook)).toEqual(all)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(/^import\.from: not imported: .*missing\.md: does not exist; \S*binary\.md: is not text/)
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  })

  it.scopedLive("continues an import that was interrupted", () =>
    Effect.gen(function* () {
      const folder = prepared()
      const lines = Array.from({ length: 3_000 }, (_, index) => `- Ferry number ${index} leaves from pier ${index}`)
      writeFileSync(join(folder, "notes", "ferries.md"), `${lines.join("\n")}\n`)
      const daybook = yield* open(folder)
      const memory = yield* daybook.agent("default", { trust: "full" })
      const count = Effect.map(daybook.stats("default"), ({ memories }) => memories.created)
      // The first file is stored, the second one not yet.
      const isStored = Effect.repeat(Effect.delay(count, 1), { until: (created) => created > 0 })
      yield* Effect.raceFirst(memory.list(), isStored)
      expect(yield* count).toBeLessThan(3_003)
      yield* memory.list()
      expect(yield* count).toBe(3_003)
    })
  )
})

describe("the command", () => {
  it("imports for a read, and 'check' knows the section", async () => {
    const folder = prepared({ agent: "coop", more: ["missing.md"] })
    const found = await runInProcess(["--data", folder, "--agent", "coop", "search", "kettle"])
    expect(found.stdout).toContain("Mira repairs the kettle")
    expect(found.stderr).toContain("missing.md: does not exist")
    const again = await runInProcess(["--data", folder, "--agent", "coop", "list"])
    expect(again.stderr).not.toContain("missing.md")
    const checked = await runInProcess(["--data", folder, "check"])
    expect([checked.code, checked.stderr + checked.stdout]).toEqual([
      0,
      expect.stringContaining("import.from: missing.md does not exist")
    ])
  })

  it.each([
    ["import.from: expected ReadonlyArray", { from: "MEMORY.md" }],
    ["import.from.0: must be the path of a file or a folder", { from: [""] }],
    ["import.from: must have at most 100 paths", { from: Array(101).fill("a.md") }],
    ["import.agent: must be an agent's name", { agent: "two words" }],
    ["import.form: is not a known setting (did you mean from?)", { form: [] }]
  ])("refuses a policy: %s", (problem, section) => {
    const { problems } = Either.getOrThrow(Either.flip(decode({ import: section })))
    expect(problems).toEqual([expect.stringContaining(problem)])
  })
})
