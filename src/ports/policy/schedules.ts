import * as Schema from "effect/Schema"
import { positiveInteger, timeZoneName, withDefault } from "./fields.js"

const nonNegativeInt = Schema.Int.pipe(Schema.nonNegative())

/** Settings of schedules. Durations are in milliseconds. */
export const Schedules = Schema.Struct({
  /** Minimum interval of a schedule: a minute, the resolution of cron. */
  minInterval: withDefault(positiveInteger, 60_000),
  /** Default time zone of cron expressions. */
  zone: withDefault(timeZoneName, "UTC"),
  /** Default number of runs kept in a schedule's history. The log keeps all runs. */
  history: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 100),
  /** Default time-out of one attempt of a handler. */
  timeout: withDefault(positiveInteger, 300_000),
  /** How long a run's lease lasts after the run's time-out. Then another process may take over the run. */
  grace: withDefault(positiveInteger, 30_000),
  /** Maximum retries of a failed run, and milliseconds before the first retry, doubled for each further one. */
  retries: withDefault(Schema.Int.pipe(Schema.between(0, 100)), 2),
  backoff: withDefault(nonNegativeInt, 1_000),
  /** Maximum pause between retries. */
  backoffMost: withDefault(positiveInteger, 60_000),
  /** Failed runs in a row after which a schedule stops; 0 for never. */
  failures: withDefault(nonNegativeInt, 10),
  /**
   * Maximum number of times that an occurrence is taken over from a process that disappeared. Then the occurrence
   * counts as failed.
   */
  takeovers: withDefault(positiveInteger, 10),
  /** Maximum concurrent runs in one process. */
  concurrency: withDefault(Schema.Int.pipe(Schema.between(1, 1_000)), 4),
  /** Maximum sleep of the runner before it polls for schedules of other processes. */
  poll: withDefault(positiveInteger, 1_000),
  /** How long the program waits for active runs when it ends. */
  drain: withDefault(nonNegativeInt, 5_000)
})
