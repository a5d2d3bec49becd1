import * as Schema from "effect/Schema"
import { count, withDefault, zone } from "./fields.js"

const whole = Schema.Int.pipe(Schema.nonNegative())

/** Lengths are milliseconds. The seeds name a least interval, a summary and a pruned history; how long and how many is chosen here. */
export const Schedules = Schema.Struct({
  /** No schedule is due more often: a minute, cron's own step. */
  minInterval: withDefault(count, 60_000),
  /** The time zone of a cron expression that names none. */
  zone: withDefault(zone, "UTC"),
  /** Runs that the history of a schedule keeps where it does not say how many. The log keeps all. */
  history: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 100),
  /** How long one attempt of a handler may take, where the handler does not say. */
  timeout: withDefault(count, 300_000),
  /** How much longer than that a run is left to whoever began it before another may take it. */
  grace: withDefault(count, 30_000),
  /** Attempts after the first one that failed, and the pause before the second; twice as long before each further one. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 100)), 2),
  backoff: withDefault(whole, 1_000),
  /** The longest such pause. */
  backoffMost: withDefault(count, 60_000),
  /** Failed runs in a row after which a schedule is given up; 0 for never. */
  failures: withDefault(whole, 10),
  /** How often an occurrence is taken over from somebody who began it and was never heard of again, before it counts as failed. */
  takeovers: withDefault(count, 10),
  /** Runs at once in one process. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 4),
  /** How long the runner sleeps at most before it looks again: what another process scheduled is found by then. */
  poll: withDefault(count, 1_000),
  /** How long what is under way is waited for when the program ends. */
  drain: withDefault(whole, 5_000)
})
