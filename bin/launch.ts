import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { unsupportedRuntime } from "../events/runtime.js"
import * as CodeCache from "./codeCache.js"
import { findCommandWords } from "./commandIn.js"
import { alwaysExitWithZero, isHookCall } from "./hookCall.js"

/**
 * The entry point of `daybook`. On an unsupported Node it prints one line before it loads anything that would crash.
 * Otherwise it runs a program next to this file, with the compiled code that an earlier run cached. There are two
 * programs with the same commands. Only the larger one contains the servers, so that the everyday one starts faster.
 */
const launch = () => {
  const needsServer = process.argv.slice(2).some((argument) => servers.has(argument))
  const program = needsServer ? DAYBOOK_SERVER_PROGRAM : DAYBOOK_PROGRAM
  const file = fileURLToPath(new URL(`${program}.cjs`, import.meta.url))
  const [command = "", event = ""] = findCommandWords(process.argv.slice(2))
  const cache = CodeCache.openCodeCache(program, command === "hook" ? `hook ${event}` : command)
  const cachedData = cache?.read()
  const script = new Script(readFileSync(file, "utf8"), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  if (cache !== undefined) process.once("exit", () => cache.keep(script))
  script.runInThisContext()(createRequire(file), file, dirname(file))
}

/** The commands that only the larger program can run. It also runs if one of these words is another argument. */
const servers: ReadonlySet<string> = new Set(["serve", "mcp"])

if (isHookCall(process.argv.slice(2))) alwaysExitWithZero()

const unsupported = unsupportedRuntime(process)
if (unsupported === undefined) launch()
else {
  process.stderr.write(`daybook: ${unsupported.problem}\n`)
  process.exitCode = 2
}

/** Set by the bundler: the names of the two program files. Each name contains the digest of its file. */
declare const DAYBOOK_PROGRAM: string
declare const DAYBOOK_SERVER_PROGRAM: string
