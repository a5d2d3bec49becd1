import * as Metric from "effect/Metric"

/**
 * The number of events that a view was missing when it last caught up. The number rises after writes of other
 * processes, and falls to 0 after catching up.
 */
export const viewLag = Metric.gauge("daybook_view_lag_events")

/** The number of views that this process has open. */
export const openViews = Metric.gauge("daybook_open_views")

/** The number of events that views applied while catching up, without the events that this process wrote. */
export const caughtUpEvents = Metric.counter("daybook_view_caught_up_events", { incremental: true })

/** The number of views that were rebuilt from the log. */
export const rebuiltViews = Metric.counter("daybook_view_rebuilds", { incremental: true })
