import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/** Events that this process has appended to the log. */
export const appendedEvents = Metric.counter("daybook_log_events", { incremental: true })

/** Events in one transaction of the log. Concurrent commands share a transaction. */
export const appendBatch = Metric.histogram(
  "daybook_log_batch_events",
  MetricBoundaries.exponential({ start: 1, factor: 2, count: 12 })
)

/** Milliseconds of one transaction of the log, including its fsync. */
export const appendMillis = Metric.histogram(
  "daybook_log_append_millis",
  MetricBoundaries.exponential({ start: 0.25, factor: 2, count: 14 })
)

/** Lookups of vectors in the cache: hits and misses. */
export const cachedVectors: Readonly<Record<"hit" | "miss", Metric.Metric.Counter<number>>> = {
  hit: Metric.counter("daybook_vector_cache", { incremental: true }).pipe(Metric.tagged("result", "hit")),
  miss: Metric.counter("daybook_vector_cache", { incremental: true }).pipe(Metric.tagged("result", "miss"))
}
