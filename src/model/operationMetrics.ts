import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import { type Method, spanNames } from "./operations.js"

/**
 * Duration in milliseconds of each call of a handle's method, by operation, method and outcome (`ok`, `failed`). The
 * histogram also counts the calls.
 */
export const operationMillis = Metric.histogram(
  "daybook_operation_millis",
  MetricBoundaries.exponential({ start: 0.25, factor: 2, count: 18 })
)

/** Makes a function that records the outcome and the duration of one call of a method. */
export const makeCallCounter = (method: Method): ((outcome: "ok" | "failed", millis: number) => void) => {
  const ofMethod = operationMillis.pipe(
    Metric.tagged("operation", spanNames[method]),
    Metric.tagged("method", method.slice("Memory.".length))
  )
  // A metric with its tags is looked up once. Tags that are passed with each value cost a look-up each time.
  const counters = {
    ok: Metric.tagged(ofMethod, "outcome", "ok"),
    failed: Metric.tagged(ofMethod, "outcome", "failed")
  }
  return (outcome, millis) => counters[outcome].unsafeUpdate(millis, [])
}

/** Commands that wait in the mailboxes of this process. */
export const waitingCommands = Metric.gauge("daybook_waiting_commands")

/** Number of answers that a fallback gave because a part failed or timed out, by part. */
export const fallbacks = Metric.counter("daybook_fallbacks", { incremental: true })

/**
 * The part that a fallback replaced. Full text replaces the query's vector, the earlier order replaces the reranker,
 * and rules replace a model.
 */
export type ReplacedPart = "vectors" | "reranker" | "reconciler" | "extractor" | "summarizer"

export const countFallback = (part: ReplacedPart): void => fallbacks.unsafeUpdate(1, [MetricLabel.make("part", part)])
