import * as Metric from "effect/Metric"

/** Recalls that were recorded in the log. */
export const recordedRecalls = Metric.counter("daybook_recalls_recorded", { incremental: true })

/** Recalls that were dropped because too many waited. */
export const droppedRecalls = Metric.counter("daybook_recalls_dropped", { incremental: true })
