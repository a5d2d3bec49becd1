// Builds the bundles of dist/: `node scripts/bundle.mjs [WHAT]`, where WHAT is
//   package (default)                the library and the command
//   bench, quality, decisions, dialogue, capture, finding, year, serve  a benchmark, into dist/WHAT.mjs
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { licencesOf } from "./licences.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** CommonJS packages in a bundle call `require` for Node's built-in modules. */
const requireBanner =
  'import { createRequire as __createRequire } from "node:module"\nconst require = __createRequire(import.meta.url)'

/** @type {import("esbuild").BuildOptions & { write: false, metafile: true }} */
const defaults = {
  absWorkingDir: root,
  write: false,
  metafile: true,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  charset: "utf8",
  // package.json has "sideEffects": false, so esbuild would silently drop `import "./x.js"`. Report that as an error.
  logOverride: { "ignored-bare-import": "error" },
  logLevel: "warning",
  define: { DAYBOOK_VERSION: JSON.stringify(version) }
}

/**
 * The source files of a build.
 * @param {import("esbuild").Metafile | undefined} metafile
 */
const filesOf = (metafile) =>
  Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []))
  )

/**
 * Bundles `entry` into one file; returns the code and the bundled source files.
 * @param {string} entry @param {import("esbuild").BuildOptions} [options]
 */
const bundle = async (entry, options = {}) => {
  const { metafile, outputFiles } = await build({
    ...defaults,
    entryPoints: [entry],
    // Native packages load files from their own folder, so they stay in node_modules.
    external: ["better-sqlite3", "sqlite-vec"],
    ...options,
    define: { ...defaults.define, ...options.define }
  })
  return { code: outputFiles?.[0]?.text ?? "", files: filesOf(metafile) }
}

/**
 * Writes a file of `dist` atomically: a concurrent reader sees the old file or the new one.
 * @param {string} name @param {string} text
 */
const writeToDist = (name, text) => {
  const file = join(root, "dist", name)
  const draft = `${file}.${process.pid}.tmp`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(draft, text)
  if (file.endsWith(".mjs")) chmodSync(draft, 0o755)
  renameSync(draft, file)
}

/**
 * Bundles the library: one file for each entry of package.json, and chunks that are shared or loaded on demand. Node
 * loads a few files faster, and with less memory, than several hundred. Returns the bundled source files.
 */
const bundleLibrary = async () => {
  const sqlClient = "@effect/sql-sqlite-node"
  const { metafile, outputFiles = [] } = await build({
    ...defaults,
    entryPoints: [
      "layers/entry.ts",
      "layers/models/index.ts",
      "layers/mcp/index.ts",
      "layers/client/index.ts",
      "layers/telemetry/index.ts",
      ...["aiSdk", "anthropicMemory", "effectAi", "langgraph", "openaiAgents"].map(
        (host) => `layers/hosts/${host}/index.ts`
      ),
      "events/index.ts",
      "projections/index.ts"
    ],
    outbase: root,
    outdir: join(root, "dist"),
    chunkNames: "library-[hash]",
    splitting: true,
    sourcemap: true,
    packages: "external",
    alias: { [`${sqlClient}/SqliteClient`]: join(root, "node_modules", sqlClient, "dist/esm/SqliteClient.js") }
  })
  for (const { path, text } of outputFiles) writeToDist(relative(join(root, "dist"), path), text)
  removeOld(
    "library-",
    outputFiles.map(({ path }) => basename(path))
  )
  return filesOf(metafile)
}

/**
 * Bundles the command line into a file `NAME-DIGEST.cjs`; returns its name without the extension, and its source files.
 * @param {string} name @param {ReadonlyArray<string>} [external] modules that the program does not contain
 */
const bundleProgram = async (name, external = []) => {
  const { code, files } = await bundle("bin/daybook.ts", {
    external: ["better-sqlite3", "sqlite-vec", ...external],
    // A shorter program loads faster. Names stay unchanged, for readable stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    // The launcher runs it as a script, because V8 can cache the compiled code of scripts.
    format: "cjs",
    define: { "import.meta.url": "__url" },
    banner: {
      js: '(function (require, __filename, __dirname) { "use strict"; const module = { exports: {} }; const __url = require("node:url").pathToFileURL(__filename).href;'
    },
    footer: { js: "})" }
  })
  const program = `${name}-${createHash("sha256").update(code).digest("hex").slice(0, 16)}`
  writeToDist(`${program}.cjs`, code)
  removeOld(`${name}-`, [`${program}.cjs`])
  return { program, files }
}

const bundlePackage = async () => {
  const libraryFiles = await bundleLibrary()
  // The launcher runs the larger program for every call that names a server.
  const everyday = await bundleProgram("program", ["../server/*"])
  const server = await bundleProgram("server")
  const define = {
    DAYBOOK_PROGRAM: JSON.stringify(everyday.program),
    DAYBOOK_SERVER_PROGRAM: JSON.stringify(server.program)
  }
  const launcher = await bundle("bin/launch.ts", { define })
  writeToDist("daybook.mjs", `#!/usr/bin/env node\n${launcher.code}`)
  writeToDist("THIRD-PARTY-LICENSES.txt", licencesOf(root, [...libraryFiles, ...server.files]))
}

/**
 * Removes files of earlier builds. A file younger than a minute stays: it may belong to a concurrent build.
 * @param {string} prefix of the files @param {ReadonlyArray<string>} current those to keep
 */
const removeOld = (prefix, current) => {
  for (const name of readdirSync(join(root, "dist"))) {
    if (!name.startsWith(prefix) || current.includes(name)) continue
    const file = join(root, "dist", name)
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > 60_000) rmSync(file, { force: true })
  }
}

const benches = ["bench", "quality", "decisions", "dialogue", "capture", "finding", "year", "serve"]
const what = process.argv[2] ?? "package"

try {
  if (what === "package") await bundlePackage()
  else if (benches.includes(what)) {
    const { code } = await bundle(`bench/${what === "bench" ? "run" : what}.ts`, { banner: { js: requireBanner } })
    writeToDist(`${what}.mjs`, code)
  } else throw new Error(`bundle: unknown bundle "${what}": use one of package, ${benches.join(", ")}`)
} catch (error) {
  // esbuild has already printed the errors in the sources.
  if (!(error instanceof Error && "errors" in error)) console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
