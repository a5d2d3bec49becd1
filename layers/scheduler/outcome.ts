import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Option from "effect/Option"
import { limits } from "../../src/model/limits.js"
import type { Outcome } from "../../src/schedules/Runner.js"
import type { Result } from "./Handler.js"

/** A handler exceeded its time-out. */
export class TimedOut extends Data.TaggedError("TimedOut")<{ readonly milliseconds: number }> {
  override get message() {
    return `the handler took longer than ${this.milliseconds} ms`
  }
}

type OutcomeWithoutDuration = Omit<Outcome, "duration">

/** The outcome of a run whose handler succeeded. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that has nothing to say returns nothing.
export const outcomeOf = (result: Result | string | void): OutcomeWithoutDuration => {
  const { counts, output, summary } = typeof result === "string" ? { output: result } : (result ?? {})
  const shortText = summary ?? output
  const counted = Object.entries(counts ?? {})
    .filter(([name, count]) => name !== "notified" && Number.isFinite(count))
    .slice(0, limits.runCounts)
    .map(([name, count]) => [truncate(name, limits.tag), count] as const)
  return {
    status: "ok",
    ...(shortText === undefined ? {} : { summary: truncate(shortText, limits.runSummary) }),
    ...(output === undefined ? {} : { output: truncate(output, limits.runOutput) }),
    ...(counted.length === 0 ? {} : { counts: Object.fromEntries(counted) })
  }
}

/** The outcome of a run whose handler failed, died or timed out. */
export const failedOutcome = (cause: Cause.Cause<unknown>): OutcomeWithoutDuration => {
  const failure = Option.getOrElse(Cause.failureOption(cause), () =>
    Cause.isInterruptedOnly(cause) ? new Error("was interrupted") : Cause.squash(cause)
  )
  const status = failure instanceof TimedOut ? "timeout" : "failed"
  return { status, error: truncate(messageOf(failure), limits.runSummary) }
}

const messageOf = (failure: unknown): string => {
  if (failure instanceof TimedOut) return failure.message
  if (failure instanceof Error) return failure.message === "" ? failure.name : `${failure.name}: ${failure.message}`
  if (typeof failure === "string") return failure
  if (typeof failure === "object" && failure !== null && "_tag" in failure) return String(failure._tag)
  return "failed"
}

/** Cuts a text between whole characters; replaces lone surrogates and NUL, which cannot be stored. */
const truncate = (text: string, maxLength: number): string =>
  text
    .slice(0, maxLength)
    .replace(/[\uD800-\uDBFF]$/u, "")
    .replace(/\p{Surrogate}|\0/gu, "\uFFFD")
