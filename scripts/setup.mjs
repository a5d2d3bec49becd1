// Makes a checkout ready to run: installs packages and builds dist/ when either is missing or out of date.
// Uses Node's own modules only. Silent when there is nothing to do, one line for each thing it does,
// the full output of a step that fails.
import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const lockDir = join(root, ".setup.lock")
const lockOwner = join(lockDir, "owner")
const lockStaleAfter = 15 * 60 * 1000
const wanted = join(root, "package-lock.json")
const installed = join(root, "node_modules", ".package-lock.json")
const built = [join(root, "dist", "src", "index.js"), join(root, "dist", "daybook.mjs")]
const sources = [
  ...["events", "projections", "src", "layers", "bin", "migrations"],
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "scripts/bundle.mjs"]
]

/** @param {string} path */
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/** Whether anything at or below `path` is newer than `time`. Folders count too: a removed file only shows there.
 * @param {string} path @param {number} time @returns {boolean} */
const newerThan = (path, time) => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  if (stat.mtimeMs > time) return true
  return stat.isDirectory() && readdirSync(path).some((name) => newerThan(join(path, name), time))
}

/** @param {string} path @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>} */
const packagesIn = (path) => JSON.parse(readFileSync(path, "utf8")).packages

/** A checkout or a restored cache changes times without changing content, so content has the last word. */
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
  const time = Math.min(...times.map((one) => one ?? 0))
  return time === 0 || sources.some((source) => newerThan(join(root, source), time))
}

/** @type {import("node:child_process").ChildProcess | undefined} */
let running

/** @param {string} title @param {ReadonlyArray<string>} args */
const npm = async (title, args) => {
  console.log(`setup: ${title} (npm ${args[0] === "run" ? args.join(" ") : args[0]})`)
  const self = process.env.npm_execpath
  const child = self?.endsWith("npm-cli.js")
    ? spawn(process.execPath, [self, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    : spawn("npm", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" })
  running = child
  /** @type {Array<Buffer>} */
  const output = []
  child.stdout.on("data", (chunk) => output.push(chunk))
  child.stderr.on("data", (chunk) => output.push(chunk))
  const code = await new Promise((resolve) => {
    child.on("error", (error) => {
      output.push(Buffer.from(`${error.message}\n`))
      resolve(127)
    })
    child.on("close", (code) => resolve(code ?? 1))
  })
  running = undefined
  if (code === 0) return
  process.stderr.write(Buffer.concat(output))
  console.error(`setup: ${title} failed`)
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
  if (Date.now() - time > lockStaleAfter) return true
  try {
    const [host, pid] = readFileSync(lockOwner, "utf8").split(" ")
    if (host !== hostname()) return false
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
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
    if (!waited) console.log("setup: waiting for another setup of this checkout")
    waited = true
    await sleep(250)
  }
}

for (const [signal, code] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143]
])) {
  process.on(signal, () => {
    running?.kill(signal)
    process.exit(code)
  })
}
process.on("exit", release)

if (needsInstall() || needsBuild()) {
  await acquire()
  const install = needsInstall()
  if (install) await npm("installing packages", ["ci", "--include=dev", "--no-audit", "--no-fund"])
  if (install || needsBuild()) {
    const start = new Date()
    await npm("building dist", ["run", "build"])
    // Dated to the start of the build, so that a source edited meanwhile counts as newer.
    for (const file of built) utimesSync(file, start, start)
  }
}
