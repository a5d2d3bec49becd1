import log from "./0001_log.js"
import timers from "./0002_timers.js"

/** Every migration of the log's schema, by number and name. Forward only: a released one is never edited. */
export const migrations = { "0001_log": log, "0002_timers": timers }
