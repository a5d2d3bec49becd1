// Bundles the command line into the single file dist/daybook.mjs.
// `node scripts/bundle.mjs bench` bundles bench/run.ts into dist/bench.mjs instead.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** @param {string} entry @param {string} outfile */
const bundle = async (entry, outfile) => {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minify: false,
    charset: "utf8",
    // Native packages load files that lie next to them, so they stay in node_modules.
    external: ["better-sqlite3", "sqlite-vec"],
    define: { DAYBOOK_VERSION: JSON.stringify(version) },
    // CommonJS packages inside the bundle still call require for Node's own modules.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"\nconst require = __createRequire(import.meta.url)'
    },
    // package.json promises "sideEffects": false, which drops `import "./x.js"` silently. Refuse it instead.
    logOverride: { "ignored-bare-import": "error" },
    logLevel: "warning"
  })
  const code = result.outputFiles[0]?.text ?? ""
  const target = join(root, outfile)
  const draft = `${target}.${process.pid}.tmp`
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(draft, `#!/usr/bin/env node\n${code.replace(/^#!.*\n/, "")}`)
  chmodSync(draft, 0o755)
  renameSync(draft, target)
}

const what = process.argv[2] ?? "daybook"

try {
  if (what === "daybook") await bundle("bin/daybook.ts", "dist/daybook.mjs")
  else if (what === "bench") await bundle("bench/run.ts", "dist/bench.mjs")
  else if (what === "quality") await bundle("bench/quality.ts", "dist/quality.mjs")
  else if (what === "decisions") await bundle("bench/decisions.ts", "dist/decisions.mjs")
  else throw new Error(`bundle: nothing is called "${what}"; there are "daybook", "bench", "quality" and "decisions"`)
} catch (error) {
  // esbuild has already printed the errors it found in the sources.
  if (!(error instanceof Error && "errors" in error)) console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
