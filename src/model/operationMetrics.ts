import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricLabel from "effect/MetricLabel"
import { type Method, operations } from "./operations.js"

/**
 * Milliseconds of one call of a handle's method, by operation, method and outcome (`ok`, `failed`). Its counts are the
 * numbers of calls.
 */
export const operationMillis = Metric.histogram(
  "daybook_operation_millis",
  MetricBoundaries.exponential({ start: 0.25, factor: 2, count: 18 })
)

/** Counts calls of a method with their time. */
export const makeCallCounter = (method: Method): ((outcome: "ok" | "failed", millis: number) => void) => {
  const ofMethod = operationMillis.pipe(
    Metric.tagged("operation", operations[method]),
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

/** Answers that a substitute gave, because a part failed or was too late. By part. */
export const fallbacks = Metric.counter("daybook_fallbacks", { incremental: true })

/** The part that was replaced: the query's vector by full text, the reranker by the order before it, a model by its rules. */
export type ReplacedPart = "vectors" | "reranker" | "reconciler" | "extractor" | "summarizer"

export const countFallback = (part: ReplacedPart): void => fallbacks.unsafeUpdate(1, [MetricLabel.make("part", part)])
