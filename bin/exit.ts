import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { InvalidInput } from "../src/model/errors.js"

/** Exit codes of the process. */
export const exitCodes = {
  ok: 0,
  /** A valid call that was refused in whole or in part: an unknown id, a missing permission. */
  refused: 1,
  /** An invalid call: an unknown option, a missing or empty argument, a number out of range. */
  badCall: 2,
  /** `verify` found damage. */
  damaged: 3,
  /** `erase` is recorded, but the files may contain erased text until another process closes the log. */
  cleaningWaits: 4
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends a command after it showed its answer: prints one line on stderr and sets an exit code other than 0. */
export class CommandEnded extends Data.TaggedError("Ended")<{ readonly message: string; readonly code: ExitCode }> {}

/** Ends a command that was refused in whole or in part. */
export const refusalError = (message: string) => new CommandEnded({ message, code: exitCodes.refused })

/** Ends a command whose arguments are invalid in combination. */
export const usageError = (message: string) => new CommandEnded({ message, code: exitCodes.badCall })

/** The exit code of a command and, if it is not 0, the line that gives the reason. */
export interface Outcome {
  readonly code: number
  readonly line?: string
  /** True if an interruption ended the command. The exit code is then that of the signal. */
  readonly isInterrupted?: boolean
}

/**
 * A typed failure ends with its own message. Anything else is a bug in the program: only the first line of its message
 * is printed, because the rest may quote memories. `continuation` says how to continue after an interruption.
 */
export const outcomeOf = (exit: Exit.Exit<unknown, { readonly message: string }>, continuation?: string): Outcome => {
  if (Exit.isSuccess(exit)) return { code: exitCodes.ok }
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) {
    const { value } = failure
    return { code: exitCodeOf(value), line: value.message }
  }
  if (Cause.isInterruptedOnly(exit.cause)) {
    const line = continuation === undefined ? "interrupted" : `interrupted: ${continuation}`
    return { code: exitCodes.refused, line, isInterrupted: true }
  }
  const defect = Cause.squash(exit.cause)
  const summary = defect instanceof Error ? `${defect.name}: ${defect.message.split("\n")[0]}` : typeof defect
  return { code: exitCodes.refused, line: `unexpected failure, please report it: ${summary}` }
}

/** The exit code for a failure. */
export const exitCodeOf = (failure: unknown): ExitCode => {
  if (failure instanceof CommandEnded) return failure.code
  return failure instanceof InvalidInput ? exitCodes.badCall : exitCodes.refused
}
