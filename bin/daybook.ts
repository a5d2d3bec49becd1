import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as RuntimeFlags from "effect/RuntimeFlags"
import { execute } from "./execute.js"
import { type Outcome, outcomeOf } from "./exit.js"
import { oneLine } from "./format.js"
import { isHookCall } from "./hookCall.js"
import { makeOutput } from "./output.js"
import { terminal } from "./terminal.js"

/**
 * Maximum milliseconds after an interruption: a command closes its files in this time, a service ends its requests.
 * Every acknowledged write is already durable.
 */
const maxClosingMillis = { command: 800, service: 15_000 }
let isService = false

// Only the command can be interrupted, not the report of its outcome.
const uninterruptible = Runtime.disableRuntimeFlag(Runtime.defaultRuntime, RuntimeFlags.Interruption)
const fiber = Runtime.runFork(
  uninterruptible,
  execute(
    process.argv.slice(2),
    terminal.stdout,
    ({ json, quiet }) => makeOutput(terminal, { json, quiet }),
    (command) => {
      isService = command.isService === true
    }
  )
)

let codeOfSignal: number | undefined

/** Sets the exit code and prints the line of the first outcome. Later outcomes are ignored. */
let report = ({ code, isInterrupted, line }: Outcome) => {
  report = () => {}
  process.exitCode = (isInterrupted === true ? codeOfSignal : process.exitCode) || code
  if (line !== undefined) terminal.stderr(`daybook: ${oneLine(line)}\n`)
}

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143]
] as const

/**
 * The first signal interrupts the command and closes its files. A second signal ends the process immediately. A signal
 * does not interrupt a hook: the host sends a signal when the host itself ends, and a hook ends soon anyway.
 */
for (const [signal, code] of isHookCall(process.argv.slice(2)) ? [] : signals) {
  process.once(signal, () => {
    codeOfSignal = code
    Effect.runFork(Fiber.interruptFork(fiber))
    const closeMillis = isService ? maxClosingMillis.service : maxClosingMillis.command
    setTimeout(() => {
      report({ code, line: "interrupted: every acknowledged write is stored", isInterrupted: true })
      process.exit()
    }, closeMillis).unref()
  })
}

fiber.addObserver((exit) => report(Exit.isSuccess(exit) ? exit.value : outcomeOf(exit)))
