import * as Metric from "effect/Metric"

/** Events that the view which caught up last still lacks. It rises when another process has written, and falls to 0. */
export const viewLag = Metric.gauge("daybook_view_lag_events")

/** Events that views applied while they caught up, without the events of their own process. */
export const caughtUpEvents = Metric.counter("daybook_view_caught_up_events", { incremental: true })

/** Views that were built anew from the log. */
export const rebuiltViews = Metric.counter("daybook_view_rebuilds", { incremental: true })
