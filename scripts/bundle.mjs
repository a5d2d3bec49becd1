// Bundles the command line: dist/daybook.mjs starts the program, one file beside it, with what this Node compiled of it.
// `node scripts/bundle.mjs bench` bundles bench/run.ts into dist/bench.mjs instead.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** @param {string} entry @param {import("esbuild").BuildOptions} options */
const bundle = async (entry, options) => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    // Native packages load files that lie next to them, so they stay in node_modules.
    external: ["better-sqlite3", "sqlite-vec"],
    // package.json promises "sideEffects": false, which drops `import "./x.js"` silently. Refuse it instead.
    logOverride: { "ignored-bare-import": "error" },
    logLevel: "warning",
    ...options,
    define: { DAYBOOK_VERSION: JSON.stringify(version), ...options.define }
  })
  return outputFiles?.[0]?.text ?? ""
}

/** @param {string} file @param {string | Uint8Array} code */
const place = (file, code) => {
  const draft = `${file}.${process.pid}.tmp`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(draft, code)
  if (file.endsWith(".mjs")) chmodSync(draft, 0o755)
  renameSync(draft, file)
}

/** CommonJS packages inside a bundle call require for Node's own modules. */
const banner =
  'import { createRequire as __createRequire } from "node:module"\nconst require = __createRequire(import.meta.url)'

const daybook = async () => {
  const code = await bundle("bin/daybook.ts", {
    format: "cjs",
    // Few letters are quick to read. Names stay, for stack traces.
    charset: "utf8",
    minifyWhitespace: true,
    minifySyntax: true,
    define: { "import.meta.url": "__url" },
    banner: {
      js: '(function (require, __filename, __dirname) { "use strict"; const module = { exports: {} }; const __url = require("node:url").pathToFileURL(__filename).href;'
    },
    footer: { js: "})" }
  })
  const name = `daybook-${createHash("sha256").update(code).digest("hex").slice(0, 16)}`
  const program = join(root, "dist", `${name}.cjs`)
  place(program, code)
  const launcher = await bundle("bin/launch.ts", { format: "esm", define: { DAYBOOK_PROGRAM: JSON.stringify(name) } })
  const start = join(root, "dist", "daybook.mjs")
  const replaced = existsSync(start) ? readFileSync(start, "utf8") : ""
  place(start, `#!/usr/bin/env node\n${launcher}`)
  compile(program)
  // Another build may be under way: of what it made only that goes which this one took the place of.
  for (const old of readdirSync(join(root, "dist"))) {
    const [, program] = /^(daybook-[0-9a-f]{16})\./.exec(old) ?? []
    if (program === undefined || program === name) continue
    const path = join(root, "dist", old)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (replaced.includes(program) || age > 3_600_000) rmSync(path, { force: true })
  }
}

/**
 * Keeps what Node compiled of the program in a run of its own: what a search needs, and nothing of what it does not.
 * @param {string} program
 */
const compile = (program) => {
  const folder = mkdtempSync(join(tmpdir(), "daybook-"))
  const draft = join(folder, "compiled")
  const { arch, platform, version: node } = process
  const result = program.replace(/cjs$/, `${node}-${platform}-${arch}.compiled`)
  const run = `
    const { readFileSync, writeFileSync } = require("node:fs")
    const [program, result] = process.argv.splice(1, 2, "daybook")
    const script = new (require("node:vm").Script)(readFileSync(program, "utf8"), { filename: program })
    process.on("exit", () => writeFileSync(result, script.createCachedData()))
    script.runInThisContext()(require("node:module").createRequire(program), program, require("node:path").dirname(program))`
  try {
    for (const args of [
      ["remember", "Deploys happen on Tuesdays", "--person", "Ada"],
      ["search", "when do we deploy"]
    ]) {
      execFileSync(process.execPath, ["-e", run, program, draft, "--data", folder, ...args], { stdio: "pipe" })
    }
    const code = readFileSync(draft)
    place(result, Buffer.concat([createHash("sha256").update(code).digest(), code]))
  } catch (error) {
    console.error(`${basename(program)} is not kept compiled: ${error instanceof Error ? error.message : error}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @type {Record<string, string>} */
const benches = {
  bench: "bench/run.ts",
  quality: "bench/quality.ts",
  decisions: "bench/decisions.ts",
  year: "bench/year.ts"
}
const what = process.argv[2] ?? "daybook"

try {
  const bench = benches[what]
  if (what === "daybook") await daybook()
  else if (bench !== undefined)
    place(
      join(root, "dist", `${what}.mjs`),
      await bundle(bench, { format: "esm", charset: "utf8", banner: { js: banner } })
    )
  else throw new Error(`bundle: nothing is called "${what}"; there are daybook, ${Object.keys(benches).join(", ")}`)
} catch (error) {
  // esbuild has already printed the errors it found in the sources.
  if (!(error instanceof Error && "errors" in error)) console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
