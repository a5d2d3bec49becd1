// Bundles a benchmark and runs it: `node scripts/bench.mjs bench|quality|decisions|dialogue|capture|finding|year|serve [ARGUMENT ...]`.
import { spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [name = "bench", ...args] = process.argv.slice(2)

/** @param {ReadonlyArray<string>} args */
const node = (args) => spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1

process.exitCode =
  node([join(root, "scripts", "bundle.mjs"), name]) || node(["--expose-gc", join(root, "dist", `${name}.mjs`), ...args])
