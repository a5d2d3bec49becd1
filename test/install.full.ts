import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { build, root } from "./support/cli.js"

const exec = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), "daybook-install-"))
const project = join(folder, "project")
const tools = join(folder, "bin")

/** Ten lines, as the README shows them. */
const program = `
import { Effect } from "effect"
import { Daybook } from "daybook"

const main = Effect.gen(function* () {
  const memory = yield* (yield* Daybook).agent("ada", { trust: "full" })
  yield* memory.remember({ type: "decision", title: "Deploys happen on Tuesdays" })
  const [hit] = yield* memory.search({ text: "when do we deploy" })
  return hit?.title
})
console.log(await Effect.runPromise(Effect.provide(main, Daybook.layer({ folder: "./memory" }))))
`

/** Looks a command up as a shell does. */
const which = (name: string) =>
  process.env.PATH?.split(delimiter)
    .map((path) => join(path, name))
    .find((path) => existsSync(path))

/** Runs a command in the project with nothing on the PATH but Node, npm and a shell: no compiler, no Python. */
const run = async (command: string, ...args: ReadonlyArray<string>) => {
  const env = { ...process.env, PATH: tools, CC: "/nonexistent", CXX: "/nonexistent", NODE_OPTIONS: "" }
  return (await exec(command, args, { cwd: project, env, maxBuffer: 2 ** 26 })).stdout
}

describe("the package from the registry's point of view", () => {
  beforeAll(async () => {
    build()
    mkdirSync(project)
    mkdirSync(tools)
    symlinkSync(process.execPath, join(tools, "node"))
    for (const name of ["npm", "npx", "sh", "uname"]) {
      const path = which(name)
      if (path !== undefined) symlinkSync(path, join(tools, name))
    }
    const packing = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]
    const { stdout } = await exec("npm", packing, { cwd: root })
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
    writeFileSync(join(project, "main.mjs"), program)
    await run("npm", "install", "--no-audit", "--no-fund", "effect@3", join(folder, filename))
  }, 300_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("installs without a compiler, with one better-sqlite3", async () => {
    const tree = await run("npm", "ls", "better-sqlite3", "--all", "--parseable", "--long")
    const found = tree.split("\n").filter((line) => line.includes("better-sqlite3"))
    expect(found.map((line) => line.split(":")[1])).toEqual(["better-sqlite3@13.2.0"])
    expect(existsSync(join(project, "node_modules", "@effect", "sql-sqlite-node"))).toBe(false)
  })

  it("runs a program, and the demo", async () => {
    expect(await run("node", "main.mjs")).toBe("Deploys happen on Tuesdays\n")
    const demo = await run(join(project, "node_modules", ".bin", "daybook"), "demo")
    expect(demo.trimEnd().split("\n").at(-1)).toBe("All checks passed.")
  })
})
