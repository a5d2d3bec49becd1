import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

/** Texts that embedders have converted, by model and purpose. */
export const embeddedTexts = Metric.counter("daybook_embedder_texts", { incremental: true })

/** Milliseconds of one request to an embedder, by model and purpose. */
export const embedMillis = Metric.histogram(
  "daybook_embedder_millis",
  MetricBoundaries.exponential({ start: 0.25, factor: 2, count: 18 })
)

/** Requests to embedders that failed, by model and reason. */
export const failedEmbeddings = Metric.counter("daybook_embedder_failures", { incremental: true })
