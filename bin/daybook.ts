import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { execute } from "./execute.js"
import { outcomeOf } from "./exit.js"
import { oneLine } from "./format.js"
import { makeOutput } from "./output.js"
import { terminal } from "./terminal.js"

const fiber = Effect.runFork(
  execute(process.argv.slice(2), terminal.stdout, ({ json }) => makeOutput(terminal, { json }))
)

/** The first signal interrupts the command and closes its files. A second one ends the process immediately. */
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143]
] as const) {
  process.once(signal, () => {
    process.exitCode = code
    Effect.runFork(Fiber.interruptFork(fiber))
  })
}

fiber.addObserver((exit) => {
  const { code, line } = Exit.isSuccess(exit) ? exit.value : outcomeOf(exit)
  process.exitCode ||= code
  if (line !== undefined) terminal.stderr(`daybook: ${oneLine(line)}\n`)
})
