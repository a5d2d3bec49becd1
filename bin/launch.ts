import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { unsupportedRuntime } from "../events/runtime.js"
import * as CodeCache from "./codeCache.js"

/**
 * The entry point of `daybook`. On an unsupported Node it prints one line before it loads anything that would crash.
 * Otherwise it runs the program next to this file, with the compiled code that an earlier run cached.
 */
const launch = () => {
  const file = fileURLToPath(new URL(`${DAYBOOK_PROGRAM}.cjs`, import.meta.url))
  const cache = CodeCache.open(DAYBOOK_PROGRAM)
  const cachedData = cache?.read()
  const script = new Script(readFileSync(file, "utf8"), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  if (cache !== undefined) process.once("exit", () => cache.keep(script))
  script.runInThisContext()(createRequire(file), file, dirname(file))
}

const unsupported = unsupportedRuntime(process)
if (unsupported === undefined) launch()
else {
  process.stderr.write(`daybook: ${unsupported.problem}\n`)
  process.exitCode = 2
}

/** Set by the bundler: the program's file name, which contains its digest. */
declare const DAYBOOK_PROGRAM: string
