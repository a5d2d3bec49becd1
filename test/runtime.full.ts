import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Runtime, unsupportedRuntime } from "../events/runtime.js"
import { build, bundle, lines, newFolder, removeFolders, run } from "./support/cli.js"

beforeAll(build)
afterAll(removeFolders)

const supported: Runtime = { version: "v22.14.0", versions: { napi: "10" }, platform: "linux", arch: "x64" }

/** A preload that makes this Node look like another one, before any other module sees it. */
const pretend = (code: string) => ["--import", `data:text/javascript,${encodeURIComponent(code)}`]
const node20 = pretend(`
  Object.defineProperty(process, "version", { value: "v20.20.2" })
  Object.defineProperty(process, "versions", { value: { ...process.versions, napi: "9" } })`)
const freeBsd = pretend(`Object.defineProperty(process, "platform", { value: "freebsd" })`)
/** Ends the process with code 99 when a native module is loaded. */
const noNativeModules = pretend(`process.dlopen = () => process.exit(99)`)

const tooOld = "Node 20.20.2 is too old for Daybook: install Node 22 (from 22.14), 24 or 26"
const noBinary = /^Daybook does not run on freebsd-x64: better-sqlite3 has binaries for linux, darwin, win32 on x64 and/

describe("an unsupported runtime", () => {
  it("has an older Node-API, or a platform without a binary", () => {
    expect(unsupportedRuntime(supported)).toBeUndefined()
    for (const platform of ["darwin", "win32"]) {
      expect(unsupportedRuntime({ ...supported, platform, arch: "arm64" })).toBeUndefined()
    }
    expect(unsupportedRuntime({ ...supported, version: "v20.20.2", versions: { napi: "9" } })).toEqual({
      code: "NODE_API_9",
      problem: tooOld
    })
    expect(unsupportedRuntime({ ...supported, versions: {} })?.code).toBe("NODE_API_0")
    expect(unsupportedRuntime({ ...supported, platform: "aix" })?.code).toBe("NO_BINARY")
    expect(unsupportedRuntime({ ...supported, arch: "riscv64" })?.code).toBe("NO_BINARY")
  })

  it.each([
    ["an older Node", node20, (line: string) => expect(line).toBe(`daybook: ${tooOld}`)],
    ["another platform", freeBsd, (line: string) => expect(line.replace("daybook: ", "")).toMatch(noBinary)]
  ])("ends the command with one line and code 2 on %s", async (_, options, check) => {
    const folder = join(newFolder(), "data")
    for (const args of [["--version"], ["--data", folder, "remember", "a"]]) {
      const { code, stderr, stdout } = await run(process.execPath, [...noNativeModules, ...options, bundle, ...args])
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(lines(stderr)).toHaveLength(1)
      check(stderr.trim())
    }
    expect(existsSync(folder)).toBe(false)
  })

  it.each([
    ["an older Node", node20, `${tooOld} (NODE_API_9)`],
    ["another platform", freeBsd, noBinary]
  ])("fails the library's layer with a StorageError on %s", async (_, options, message) => {
    const data = join(newFolder(), "data")
    const program = `
      const { Daybook } = await import("./dist/layers/entry.js")
      const { Effect } = await import("effect")
      const main = Effect.flatMap(Daybook, ({ agents }) => agents)
      const error = await Effect.runPromise(Effect.flip(Effect.provide(main, Daybook.layer({ folder: process.argv[1] }))))
      console.log(JSON.stringify({ tag: error._tag, kind: error.kind, message: error.message }))`
    const args = [...noNativeModules, ...options, "--input-type=module", "--eval", program, data]
    const { code, stderr, stdout } = await run(process.execPath, args)
    expect(code, stderr).toBe(0)
    const error = JSON.parse(stdout)
    expect(error).toMatchObject({ tag: "StorageError", kind: "unsupported" })
    expect(error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message))
    expect(existsSync(data)).toBe(false)
  })
})

describe("the code cache", () => {
  const started = async (env: Record<string, string>) => {
    const { code, stderr, stdout } = await run(process.execPath, [bundle, "--version"], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  }

  it("is written by the first run, read by the next, and replaced if damaged", async () => {
    const home = newFolder()
    const folder = join(home, "daybook")
    await started({ XDG_CACHE_HOME: home })
    const [name, ...others] = readdirSync(folder)
    expect(others).toEqual([])
    expect(name).toMatch(/^program-[0-9a-f]{16}\.[0-9a-f]{8}\.v.*\.compiled$/)
    const file = join(folder, name!)
    expect([folder, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
    const first = { time: statSync(file).mtimeMs, code: readFileSync(file) }
    await started({ XDG_CACHE_HOME: home })
    expect(statSync(file).mtimeMs).toBe(first.time)
    const damaged = Buffer.from(first.code)
    damaged[damaged.length >> 1]! ^= 1
    writeFileSync(file, damaged)
    await started({ XDG_CACHE_HOME: home })
    expect(readFileSync(file).equals(damaged)).toBe(false)
  })

  it("has a file for each command, and none for a call that fails", async () => {
    const home = newFolder()
    const env = { XDG_CACHE_HOME: home }
    await started(env)
    expect((await run(process.execPath, [bundle, "no-such-command"], { env })).code).toBe(2)
    expect(readdirSync(join(home, "daybook"))).toHaveLength(1)
    await run(process.execPath, [bundle, "--data", newFolder(), "agents"], { env })
    expect(readdirSync(join(home, "daybook"))).toHaveLength(2)
  })

  it("keeps sixteen files, and none if it is disabled or the folder is not writable", async () => {
    const home = newFolder()
    mkdirSync(join(home, "daybook"))
    for (let index = 0; index < 18; index++) writeFileSync(join(home, "daybook", `old-${index}.compiled`), "")
    await started({ XDG_CACHE_HOME: home })
    expect(readdirSync(join(home, "daybook"))).toHaveLength(16)
    const off = newFolder()
    await started({ XDG_CACHE_HOME: off, NODE_DISABLE_COMPILE_CACHE: "1" })
    expect(readdirSync(off)).toEqual([])
    await started({ XDG_CACHE_HOME: "/dev/null" })
  })
})
