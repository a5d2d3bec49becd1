import { findCommandWords } from "./commandIn.js"

/** True if a command line calls `daybook hook`. */
export const isHookCall = (argv: ReadonlyArray<string>): boolean => findCommandWords(argv)[0] === "hook"

/** Maximum milliseconds for a hook to finish its writes after its host sent a signal. */
const maxMillisAfterSignal = 5_000

/**
 * Makes this process always end with exit code 0. A host treats any other exit code as an error, and code 2 as an order
 * to refuse the user's prompt.
 */
export const alwaysExitWithZero = (): void => {
  process.on("exit", () => {
    process.exitCode = 0
  })
  process.on("uncaughtException", ({ message }) => {
    process.stderr.write(`daybook: ${message.split("\n")[0]}\n`)
    process.exit()
  })
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void setTimeout(() => process.exit(), maxMillisAfterSignal).unref())
  }
}
