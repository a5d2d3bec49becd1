import type { ServerContext } from "@modelcontextprotocol/server"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import type { AnySpan } from "effect/Tracer"
import { runInSpan } from "../../events/tracing.js"
import { failureName } from "../../src/model/failureNames.js"
import { parseTraceparent } from "../telemetry/traceContext.js"

/** Runs the work of one request in the program's runtime. */
export type Run = <A, E>(
  effect: Effect.Effect<A, E>,
  context: ServerContext,
  /** The tool that the request calls. */
  tool?: string
) => Promise<Exit.Exit<A, E>>

/** How often a long request reports progress, so that clients do not give up. */
const progressInterval = "1 second"

/**
 * Runs each request in its own span. The parent of the span is `_meta.traceparent` (W3C Trace Context), or else
 * `parent`. A cancelled request is interrupted. If the client asked for progress, a request reports once a second that
 * it is running.
 */
export const makeRun = (runtime: Runtime.Runtime<never>, parent?: AnySpan): Run => {
  const runPromiseExit = Runtime.runPromiseExit(runtime)
  return async (effect, { mcpReq }, tool) => {
    const { method, signal } = mcpReq
    const from = parseTraceparent(mcpReq._meta?.traceparent) ?? parent ?? "none"
    const whole = runInSpan(
      tool === undefined ? `MCP ${method}` : `${method} ${tool}`,
      reporting(effect, mcpReq),
      { "mcp.method.name": method, ...(tool === undefined ? {} : { "gen_ai.tool.name": tool }) },
      { kind: "server", parent: from }
    )
    const exit = await runPromiseExit(whole, { signal })
    const defect = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.dieOption(exit.cause)) : undefined
    // Logs only the name, because the message of a defect may quote a memory.
    if (defect !== undefined) {
      Runtime.runFork(runtime)(
        Effect.logError("request failed", { method: mcpReq.method, defect: failureName(defect) })
      )
    }
    return exit
  }
}

const reporting = <A, E>(
  effect: Effect.Effect<A, E>,
  { _meta, notify }: ServerContext["mcpReq"]
): Effect.Effect<A, E> => {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return effect
  let progress = 0
  const report = Effect.ignore(
    Effect.tryPromise(() =>
      notify({
        method: "notifications/progress",
        params: { progressToken, progress: ++progress, message: "at work" }
      })
    )
  )
  const reports = Effect.repeat(report, Schedule.spaced(progressInterval))
  return Effect.scoped(Effect.zipRight(Effect.forkScoped(Effect.delay(reports, progressInterval)), effect))
}

/** The expected failure of a request. For a cancelled request or a defect, only a message. */
export const failureOf = <E extends { readonly message: string }>(
  cause: Cause.Cause<E>
): E | { readonly message: string } => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  if (failure !== undefined) return failure
  return {
    message: Cause.isInterruptedOnly(cause)
      ? "cancelled: a write that was already durable stays stored"
      : "unexpected failure: see the server's log, then try again"
  }
}
