import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { failureNames } from "../../src/model/failureNames.js"
import { isSafeAttribute } from "./attributes.js"

/** How a span ended. Contains neither the answer nor an error message, because both may quote a memory. */
export interface SpanOutcome {
  readonly status: "ok" | "error" | "interrupted"
  /** The tags of a failure's errors; undefined if the span did not fail. */
  readonly errorType?: string
  /** An exit that contains only this information. */
  readonly exit: Exit.Exit<void, Error>
}

export const spanOutcomeOf = (exit: Exit.Exit<unknown, unknown>): SpanOutcome => {
  if (Exit.isSuccess(exit)) return succeeded
  if (Cause.isInterruptedOnly(exit.cause))
    return { status: "interrupted", exit: Exit.failCause(exit.cause as Cause.Cause<never>) }
  const names = failureNames(exit.cause)
  const errorType = isSafeAttribute("error.type", names) ? names : "_OTHER"
  return { status: "error", errorType, exit: Exit.fail(namedFailure(errorType)) }
}

const succeeded: SpanOutcome = { status: "ok", exit: Exit.void }

/** An error that contains only its name, in all fields that exporters read. */
const namedFailure = (name: string): Error => Object.assign(new Error(name), { name, stack: name })
