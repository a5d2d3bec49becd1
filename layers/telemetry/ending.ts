import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { failureNames } from "../../src/model/failureNames.js"
import { isSafeAttribute } from "./attributes.js"

/** How a span ended, without the answer or the message of an error, which may quote a memory. */
export interface Ending {
  readonly status: "ok" | "error" | "interrupted"
  /** The tags of a failure's errors; undefined without one. */
  readonly errorType?: string
  /** An exit that says as much and no more. */
  readonly exit: Exit.Exit<void, Error>
}

export const endingOf = (exit: Exit.Exit<unknown, unknown>): Ending => {
  if (Exit.isSuccess(exit)) return succeeded
  if (Cause.isInterruptedOnly(exit.cause))
    return { status: "interrupted", exit: Exit.failCause(exit.cause as Cause.Cause<never>) }
  const names = failureNames(exit.cause)
  const errorType = isSafeAttribute("error.type", names) ? names : "_OTHER"
  return { status: "error", errorType, exit: Exit.fail(namedFailure(errorType)) }
}

const succeeded: Ending = { status: "ok", exit: Exit.void }

/** An error that says nothing but its name, in the places that exporters read. */
const namedFailure = (name: string): Error => Object.assign(new Error(name), { name, stack: name })
