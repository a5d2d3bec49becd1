import * as Metric from "effect/Metric"

/**
 * The number of events that a view lacked when it last caught up. Rises after writes of other processes, then falls to
 * 0.
 */
export const viewLag = Metric.gauge("daybook_view_lag_events")

/** Views that this process has open. */
export const openViews = Metric.gauge("daybook_open_views")

/** Events that views applied while catching up, without the events that this process wrote. */
export const caughtUpEvents = Metric.counter("daybook_view_caught_up_events", { incremental: true })

/** Views that were rebuilt from the log. */
export const rebuiltViews = Metric.counter("daybook_view_rebuilds", { incremental: true })
