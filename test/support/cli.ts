import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { execute } from "../../bin/execute.js"
import { makeOutput, type Terminal } from "../../bin/output.js"
import { withSettings } from "./settings.js"

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

/** Runs a program to its end, with something to read. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly input?: string; readonly env?: Record<string, string> } = {}
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...options.env } })
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

/** The command line on one data folder. */
export const daybookIn =
  (folder: string) =>
  (...args: ReadonlyArray<string>): Promise<Ran> =>
    run(process.execPath, [bundle, "--data", folder, ...args])

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

/** A terminal that only remembers. */
export const paper = (options: Partial<Terminal> = {}) => {
  const written = { stdout: "", stderr: "", status: [] as Array<string> }
  const terminal: Terminal = {
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
  }
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
