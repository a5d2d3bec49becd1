// Prepares a checkout, then runs a command in it: `node scripts/setup.mjs [COMMAND [ARGUMENT ...]]`.
// Installs packages and builds dist/ if they are missing or out of date. If the installed Node is too old, installs a
// newer one into the checkout and runs everything with it.
// Uses only Node's built-in modules and runs on Node 18 and newer. Prints one line for each step, and the full output
// of a failed step. Prints nothing if there is nothing to do.
import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { constants, hostname } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { isNewEnough, ownNode } from "./ownNode.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const lockDir = join(root, ".setup.lock")
const lockOwner = join(lockDir, "owner")
const lockStaleAfterMillis = 15 * 60 * 1000
const wanted = join(root, "package-lock.json")
const installed = join(root, "node_modules", ".package-lock.json")
const built = [join(root, "dist", "layers", "entry.js"), join(root, "dist", "daybook.mjs")]
const sources = [
  ...["events", "text", "projections", "src", "layers", "bin", "migrations"],
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
  ...["scripts/bundle.mjs", "scripts/licences.mjs"]
]

/** @param {string} path */
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/** True if anything at or below `path` is newer than `time`. Folders count: a removed file changes only its folder.
 * @param {string} path @param {number} time @returns {boolean} */
const newerThan = (path, time) => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  if (stat.mtimeMs > time) return true
  return stat.isDirectory() && readdirSync(path).some((name) => newerThan(join(path, name), time))
}

/** @param {string} path @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>} */
const packagesIn = (path) => JSON.parse(readFileSync(path, "utf8")).packages

/** True if the wanted packages are installed. File times do not tell: a checkout or a restored cache changes them. */
const installedAsWanted = () => {
  try {
    const want = packagesIn(wanted)
    const have = packagesIn(installed)
    const same = (/** @type {string} */ name) =>
      want[name]?.version === have[name]?.version && want[name]?.integrity === have[name]?.integrity
    return (
      Object.keys(have).every(same) &&
      Object.entries(want).every(([name, entry]) => name === "" || entry.optional === true || same(name))
    )
  } catch {
    return false
  }
}

const needsInstall = () => {
  const time = modified(installed)
  if (time === undefined) return true
  return (modified(wanted) ?? 0) > time && !installedAsWanted()
}

const needsBuild = () => {
  const times = built.map(modified)
  const time = Math.min(...times.map((time) => time ?? 0))
  return time === 0 || sources.some((source) => newerThan(join(root, source), time))
}

/** True once the set-up is done and the given command runs. */
let commandStarted = false

const own = isNewEnough ? undefined : ownNode(root)

/** The environment of all child processes. If the checkout uses its own Node, that Node comes first in PATH. */
const environment = () => {
  const bins = [...(own === undefined ? [] : [own.bin]), join(root, "node_modules", ".bin")]
  // On Windows the variable is `Path`.
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH"
  return {
    ...process.env,
    [key]: [...bins, process.env[key] ?? ""].join(delimiter),
    // Daybook runs models on the CPU. Without this, the install script of onnxruntime-node downloads CUDA.
    ONNXRUNTIME_NODE_INSTALL: "skip"
  }
}

/** @type {import("node:child_process").ChildProcess | undefined} */
let running

/**
 * Runs a command to its end; resolves with its exit code and, for "pipe", its output.
 * @param {string} command @param {ReadonlyArray<string>} args @param {"inherit" | "pipe"} output
 * @returns {Promise<{ code: number, printed: Buffer }>}
 */
const run = (command, args, output) =>
  new Promise((resolve) => {
    const windows = process.platform === "win32"
    const child = spawn(command, args, {
      cwd: output === "pipe" ? root : process.cwd(),
      env: environment(),
      stdio: output === "pipe" ? ["ignore", "pipe", "pipe"] : "inherit",
      // On Windows, npm and the commands of packages are .cmd files.
      shell: windows && command !== "node"
    })
    running = child
    /** @type {Array<Buffer>} */
    const printed = []
    child.stdout?.on("data", (chunk) => printed.push(chunk))
    child.stderr?.on("data", (chunk) => printed.push(chunk))
    child.on("error", (error) => resolve({ code: 127, printed: Buffer.from(`${error.message}\n`) }))
    child.on("close", (code, signal) => {
      const number = signal === null ? undefined : constants.signals[signal]
      resolve({ code: code ?? 128 + (number ?? 0), printed: Buffer.concat(printed) })
    })
  })

/** @param {string} title @param {ReadonlyArray<string>} args */
const npm = async (title, args) => {
  console.error(`setup: ${title} (npm ${args[0] === "run" ? args.join(" ") : args[0]})`)
  const { code, printed } = await run("npm", args, "pipe")
  if (code === 0) return
  process.stderr.write(printed)
  fail(`${title} failed`, code)
}

/** @param {string} problem @returns {never} */
const fail = (problem, code = 1) => {
  console.error(`setup: ${problem}`)
  release()
  process.exit(code)
}

let holding = false

const release = () => {
  if (holding) rmSync(lockDir, { recursive: true, force: true })
  holding = false
}

const lockIsStale = () => {
  const time = modified(lockDir)
  if (time === undefined) return false
  try {
    const [host, pid] = readFileSync(lockOwner, "utf8").split(" ")
    if (host === hostname()) {
      process.kill(Number(pid), 0)
      return false
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return true
  }
  // The owner runs on another machine, or is unknown.
  return Date.now() - time > lockStaleAfterMillis
}

const acquire = async () => {
  for (let waited = false; ; ) {
    try {
      mkdirSync(lockDir)
      holding = true
      writeFileSync(lockOwner, `${hostname()} ${process.pid}`)
      return
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    }
    if (lockIsStale()) {
      rmSync(lockDir, { recursive: true, force: true })
      continue
    }
    if (!waited) console.error("setup: waiting for another setup of this checkout")
    waited = true
    await sleep(250)
  }
}

for (const [signal, code] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143]
])) {
  process.on(signal, () => {
    // Ctrl-C also reaches the command. When the command ends, this process exits with its code.
    if (commandStarted) return void (signal === "SIGTERM" && running?.kill(signal))
    if (running === undefined || running.exitCode !== null) process.exit(code)
    // The lock is kept until npm has ended, because npm still writes.
    running.once("close", () => process.exit(code))
    running.kill(signal)
  })
}
process.on("exit", release)

const installNode = async () => {
  if (own === undefined) fail(`Node ${process.versions.node} is too old. Install Node 22 (from 22.14), 24 or 26`)
  rmSync(own.folder, { recursive: true, force: true })
  mkdirSync(own.folder, { recursive: true })
  // npm installs into the nearest folder with a package.json.
  writeFileSync(join(own.folder, "package.json"), "{}\n")
  const options = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]
  const title = `Node ${process.versions.node} is too old, installing ${own.version} into .node`
  await npm(title, ["install", "--prefix", own.folder, ...options, `${own.name}@${own.version}`])
  if (!own.isInstalled()) fail(`${own.name}@${own.version} does not match the digest in scripts/ownNode.mjs`)
}

const needsNode = () => !isNewEnough && !own?.isInstalled()

if (needsNode() || needsInstall() || needsBuild()) {
  await acquire()
  if (needsNode()) await installNode()
  const install = needsInstall()
  if (install) await npm("installing packages", ["ci", "--include=dev", "--no-audit", "--no-fund"])
  if (install || needsBuild()) {
    const start = new Date()
    await npm("building dist", ["run", "build"])
    // Use the start time of the build, so that a source edited during the build counts as newer.
    for (const file of built) utimesSync(file, start, start)
  }
  release()
}

const [command, ...args] = process.argv.slice(2)
if (command !== undefined) {
  commandStarted = true
  const { code, printed } = await run(command, args, "inherit")
  process.stderr.write(printed)
  process.exitCode = code
}
