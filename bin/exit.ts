import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { InvalidInput } from "../src/model/errors.js"

/** What the process ends with. */
export const exitCodes = {
  ok: 0,
  /** The request could be right and was refused, wholly or in part, for what is there: no such id, no such right. */
  refused: 1,
  /** The call can never be right: an unknown option, a missing or an empty argument, a number out of its range. */
  badCall: 2,
  /** `verify` found damage. */
  damaged: 3
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command has shown what there is to show and ends with a line on stderr and another code than 0. */
export class Ended extends Data.TaggedError("Ended")<{ readonly message: string; readonly code: ExitCode }> {}

/** Part of what was asked for could not be had. */
export const refused = (message: string) => new Ended({ message, code: exitCodes.refused })

/** How a command came out: its code and, where that is not 0, the line that says why. */
export interface Outcome {
  readonly code: number
  readonly line?: string
}

/** A typed failure is a refusal, or a bad call, in its own words; anything else is a fault of the program; what follows its first line may be data. */
export const outcomeOf = (exit: Exit.Exit<unknown, { readonly message: string }>): Outcome => {
  if (Exit.isSuccess(exit)) return { code: exitCodes.ok }
  const failure = Cause.failureOption(exit.cause)
  if (Option.isSome(failure)) {
    const { value } = failure
    return { code: codeOf(value), line: value.message }
  }
  if (Cause.isInterruptedOnly(exit.cause)) return { code: exitCodes.refused, line: "interrupted" }
  const defect = Cause.squash(exit.cause)
  const what = defect instanceof Error ? `${defect.name}: ${defect.message.split("\n")[0]}` : typeof defect
  return { code: exitCodes.refused, line: `unexpected failure, please report it: ${what}` }
}

/** What a failure ends the process with. */
export const codeOf = (failure: unknown): ExitCode => {
  if (failure instanceof Ended) return failure.code
  return failure instanceof InvalidInput ? exitCodes.badCall : exitCodes.refused
}
