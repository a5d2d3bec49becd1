import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outside = mkdtempSync(join(tmpdir(), "daybook-package-"))
const modules = join(outside, "node_modules")
const installed = join(modules, "daybook")

/** A program as a user of the package would write it, checked by the strictest compiler settings. */
const program = `
import { Daybook, type Hit, type Memory } from "daybook"
import { catalogue } from "daybook/events"
import { Default, HashEmbedder } from "daybook/layers"
import { projections } from "daybook/projections"
import { Effect, Stream } from "effect"

const main = Effect.gen(function* () {
  const daybook = yield* Daybook
  const memory: Memory = yield* daybook.agent("coop", { trust: "full" })
  const { id, version } = yield* memory.remember({ type: "decision", title: "Use one log", facts: ["one log, a view per agent"] })
  const hits: ReadonlyArray<Hit> = yield* memory.search({ text: "log", types: ["decision"], limit: 10 })
  const past = yield* daybook.agent("coop", { trust: "full", asOf: { version: version ?? 0 } })
  // @ts-expect-error a reader of the past cannot write
  past.remember
  // @ts-expect-error no memory without a trust level
  daybook.agent("coop", {})
  const events = yield* Stream.runCollect(daybook.log("coop"))
  return { found: hits[0]?.id === id, events: events.length, types: Object.keys(catalogue).length, projections: projections.length }
})

const layer = Default.layer({ folder: process.argv[2] ?? "", embedder: HashEmbedder.layer })
console.log(JSON.stringify(await Effect.runPromise(Effect.provide(main, layer))))
`

const run = (command: string, ...args: ReadonlyArray<string>) =>
  execFileSync(command, args, { cwd: outside, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

describe("the package", () => {
  beforeAll(() => {
    if (!existsSync(join(root, "dist", "daybook.mjs"))) execFileSync("npm", ["run", "build"], { cwd: root })
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", outside], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"]
      })
    ) as [{ filename: string }]
    mkdirSync(installed, { recursive: true })
    run("tar", "-xzf", packed.filename, "-C", installed, "--strip-components=1")
    // What npm would install beside it is there already, compiled for this machine.
    for (const name of readdirSync(join(root, "node_modules"))) {
      if (!name.startsWith(".")) symlinkSync(join(root, "node_modules", name), join(modules, name))
    }
    writeFileSync(join(outside, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
    writeFileSync(join(outside, "main.ts"), program)
  }, 120_000)

  afterAll(() => rmSync(outside, { recursive: true, force: true }))

  it("compiles and runs in a TypeScript program outside of the repository", () => {
    run(
      join(modules, ".bin", "..", "typescript", "bin", "tsc"),
      ...["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2022", "--skipLibCheck"],
      ...["--types", "node", "main.ts"]
    )
    expect(JSON.parse(run("node", "main.js", join(outside, "data")))).toEqual({
      found: true,
      events: 1,
      types: 12,
      projections: 8
    })
  })

  it("has the command, the examples and the licence in it", () => {
    expect(run("node", join(installed, "dist", "daybook.mjs"), "--version").trim()).toMatch(/^\d+\.\d+\.\d+/)
    const daybook = (...args: ReadonlyArray<string>) =>
      run("node", join(installed, "dist", "daybook.mjs"), "--data", join(outside, "words"), "--json", ...args)
    daybook("remember", "The puppy sleeps")
    expect(JSON.parse(daybook("backfill"))).toMatchObject({ remaining: 0 })
    expect(JSON.parse(daybook("search", "a sleepy dog"))[0].parts.vector).toBeGreaterThan(0)
    for (const file of ["assets/words.bin", "LICENSE", "README.md", "CHANGELOG.md", "examples/memories/MEMORY.md"]) {
      expect(existsSync(join(installed, file)), file).toBe(true)
    }
  })

  it("names every package that its library imports", () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
    const named = Object.keys({ ...dependencies, ...peerDependencies })
    const imported = new Set<string>()
    for (const entry of readdirSync(join(installed, "dist"), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith(".js")) continue
      const text = readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8")
      for (const [, name] of text.matchAll(
        /^(?:(?:import|export)[^"\n]*|\}) from "((?:@[^/"\n]+\/)?[^./"\n][^/"\n]*)/gm
      )) {
        if (name !== undefined && !name.startsWith("node:")) imported.add(name)
      }
    }
    expect([...imported].filter((name) => !named.includes(name))).toEqual([])
    expect(imported.has("effect")).toBe(true)
  })
})
