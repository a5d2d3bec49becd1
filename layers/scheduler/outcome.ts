import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Option from "effect/Option"
import { limits } from "../../src/model/limits.js"
import type { Outcome } from "../../src/schedules/Runner.js"
import type { Result } from "./Handler.js"

/** A handler took longer than it may. */
export class TimedOut extends Data.TaggedError("TimedOut")<{ readonly milliseconds: number }> {
  override get message() {
    return `took longer than ${this.milliseconds} ms`
  }
}

type Ended = Omit<Outcome, "duration">

/** What a run came to whose handler came to its end. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that has nothing to say returns nothing.
export const outcomeOf = (result: Result | string | void): Ended => {
  const { counts, output, summary } = typeof result === "string" ? { output: result } : (result ?? {})
  const gist = summary ?? output
  const counted = Object.entries(counts ?? {})
    .filter(([name, count]) => name !== "notified" && Number.isSafeInteger(count))
    .slice(0, limits.runCounts)
    .map(([name, count]) => [cut(name, limits.tag), count] as const)
  return {
    status: "ok",
    ...(gist === undefined ? {} : { summary: cut(gist, limits.runSummary) }),
    ...(output === undefined ? {} : { output: cut(output, limits.runOutput) }),
    ...(counted.length === 0 ? {} : { counts: Object.fromEntries(counted) })
  }
}

/** What a run came to whose handler failed, died or took too long. */
export const failed = (cause: Cause.Cause<unknown>): Ended => {
  const failure = Option.getOrElse(Cause.failureOption(cause), () =>
    Cause.isInterruptedOnly(cause) ? new Error("was interrupted") : Cause.squash(cause)
  )
  const status = failure instanceof TimedOut ? "timeout" : "failed"
  return { status, error: cut(said(failure), limits.runSummary) }
}

const said = (failure: unknown): string => {
  if (failure instanceof TimedOut) return failure.message
  if (failure instanceof Error) return failure.message === "" ? failure.name : `${failure.name}: ${failure.message}`
  if (typeof failure === "string") return failure
  if (typeof failure === "object" && failure !== null && "_tag" in failure) return String(failure._tag)
  return "failed"
}

/** Cut without leaving half a character behind; what cannot be stored is replaced. */
const cut = (text: string, most: number): string =>
  text
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/u, "")
    .replace(/\p{Surrogate}|\0/gu, "\uFFFD")
