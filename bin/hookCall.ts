import { commandIn } from "./commandIn.js"

/** Whether a command line calls `daybook hook`. */
export const isHookCall = (argv: ReadonlyArray<string>): boolean => commandIn(argv)[0] === "hook"

/** Milliseconds that a hook gets to store what it began, after its host sent a signal. */
const maxMillisAfterSignal = 5_000

/**
 * Lets this process end with exit code 0, whatever happens. A host takes another exit code for an error, and code 2 for
 * an order to refuse what the user typed.
 */
export const alwaysSucceed = (): void => {
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
