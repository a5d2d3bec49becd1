import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import { expect, vi } from "vitest"
import { execute } from "../../bin/execute.js"
import { oneLine } from "../../bin/format.js"
import { makeOutput } from "../../bin/output.js"
import { sanitizedTerminal, type Terminal } from "../../bin/terminalText.js"
import { withSettings } from "./settings.js"
import { isFull } from "./size.js"

export const root = join(import.meta.dirname, "..", "..")
export const bundle = join(root, "dist", "daybook.mjs")

/** Bundles the command line where it is missing or older than a source. */
export const build = () => {
  const built = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = ["bin", "events", "layers", "migrations", "projections", "src", "text"].map((folder) =>
    join(root, folder)
  )
  if ([...sources, join(root, "scripts", "bundle.mjs")].some((source) => newest(source) > built)) {
    execFileSync(process.execPath, [join(root, "scripts", "bundle.mjs")], { stdio: "inherit" })
  }
}

const newest = (path: string): number => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

/** A folder for data; `removeFolders` takes it away. */
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-cli-"))
  folders.push(folder)
  return folder
}

export const removeFolders = () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

const folders: Array<string> = []

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string | Buffer
  readonly env?: Record<string, string>
}

/** Runs a program to its end, with something to read. */
export const run = (command: string, args: ReadonlyArray<string>, options: RunOptions = {}): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, FORCE_COLOR: "", ...options.env } })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output.stderr += text
    })
    child.stdin.on("error", () => {})
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, ...output }))
    child.stdin.end(options.input ?? "")
  })

/** Runs the built command in a process of its own, in runs of every size. */
export const spawnDaybook = (args: ReadonlyArray<string>, options?: RunOptions): Promise<Ran> =>
  run(process.execPath, [bundle, ...args], options)

/** A stream that delivers a text in pieces, as a pipe does. */
const piped = (text: string | Buffer): Readable => {
  const bytes = Buffer.from(text)
  const piece = 1 << 16
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / piece) }, (_, at) => bytes.subarray(at * piece, (at + 1) * piece))
  )
}

/** Runs the command line in this process, as bin/daybook.ts does. One call at a time: it replaces stdin. */
const executeHere = async (args: ReadonlyArray<string>, { env = {}, input = "" }: RunOptions): Promise<Ran> => {
  const { terminal, written } = paper({ status: undefined })
  const stdin = vi.spyOn(process, "stdin", "get").mockReturnValue(piped(input) as typeof process.stdin)
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  try {
    const { code, line } = await Effect.runPromise(
      execute(args, terminal.stdout, ({ json }) => makeOutput(terminal, { json }))
    )
    if (line !== undefined) terminal.stderr(`daybook: ${oneLine(line)}\n`)
    return { code, stdout: written.stdout, stderr: written.stderr }
  } finally {
    stdin.mockRestore()
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Runs the command line: the full run spawns the built command, `npm test` runs its source in this process. */
export const runDaybook = (args: ReadonlyArray<string>, options: RunOptions = {}): Promise<Ran> =>
  isFull ? spawnDaybook(args, options) : executeHere(args, options)

/** The command line on one data folder. */
export const daybookIn =
  (folder: string, options?: RunOptions) =>
  (...args: ReadonlyArray<string>): Promise<Ran> =>
    runDaybook(["--data", folder, ...args], options)

/** What a call answered as JSON; fails where it ended with another code than 0. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export const answerOf = ({ code, stderr, stdout }: Ran): any => {
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** The lines of a text that hold something. */
export const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

/** A refusal says one line on stderr; its code and that line. */
export const refusal = ({ code, stderr }: Ran) => {
  expect(lines(stderr), stderr).toHaveLength(1)
  return { code, line: stderr.trim() }
}

/** A terminal that only remembers, behind the same filter as the one of a process. */
export const paper = (options: Partial<Terminal> = {}) => {
  const written = { stdout: "", stderr: "", status: [] as Array<string> }
  const terminal: Terminal = sanitizedTerminal({
    stdout: (text) => {
      written.stdout += text
    },
    stderr: (text) => {
      written.stderr += text
    },
    open: () => true,
    colour: false,
    status: (line) => void written.status.push(line),
    ...options
  })
  return { written, terminal }
}

/** Runs a command line in this process, with these settings instead of environment variables. */
export const runInProcess = async (
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>> = {}
): Promise<{ readonly code: number; readonly line?: string; readonly stdout: string; readonly stderr: string }> => {
  const { terminal, written } = paper()
  const outcome = await Effect.runPromise(
    withSettings(settings)(execute(args, terminal.stdout, ({ json }) => makeOutput(terminal, { json })))
  )
  return { ...outcome, stdout: written.stdout, stderr: written.stderr }
}
