import * as Schema from "effect/Schema"

/** When a schedule is due. Times are milliseconds since the epoch, durations milliseconds. */
export const Cadence = Schema.Union(
  /** Due when the wall clock of the time zone matches the expression. */
  Schema.Struct({ kind: Schema.Literal("cron"), expression: Schema.String, zone: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("once"), at: Schema.Number }),
  /** Due at `from`, and then every `every` milliseconds. */
  Schema.Struct({ kind: Schema.Literal("interval"), every: Schema.Number, from: Schema.Number })
)
export type Cadence = typeof Cadence.Type

/** Which runs are reported. `on-change`: runs whose status or text differs from the previous run. */
export const Notify = Schema.Literal("always", "on-change", "on-failure", "never")
export type Notify = typeof Notify.Type

/**
 * How occurrences that were missed while no runner was active are handled: one run for all of them, or one run for
 * each.
 */
export const Missed = Schema.Literal("once", "each")
export type Missed = typeof Missed.Type

export const ScheduleStatus = Schema.Literal("active", "paused", "completed", "failed")
export type ScheduleStatus = typeof ScheduleStatus.Type

/** A schedule as its creator defined it. */
export const ScheduleDefinition = Schema.Struct({
  name: Schema.optional(Schema.String),
  /** The goal, written for the handler. */
  goal: Schema.String,
  /** The name of the handler that runs it. */
  handler: Schema.String,
  cadence: Cadence,
  notify: Notify,
  missed: Missed,
  /** The number of runs kept in the history. */
  keep: Schema.Number,
  /** The channel in which the schedule was created. Its runs are reported there. */
  channel: Schema.optional(Schema.String),
  context: Schema.optional(Schema.String)
})
export type ScheduleDefinition = typeof ScheduleDefinition.Type

/** The current state of a schedule. */
export const ScheduleState = Schema.Struct({
  status: ScheduleStatus,
  /** The next occurrence; null if there is none. */
  next: Schema.NullOr(Schema.Number),
  /** Failed runs in a row. */
  failures: Schema.Number
})
export type ScheduleState = typeof ScheduleState.Type

/**
 * A change of a schedule. It contains the state, and also the definition if the definition changed. For a deleted
 * schedule both are absent. `ran` is appended together with the RUN event of the finished run.
 */
export const ScheduleChange = Schema.Struct({
  schedule: Schema.String,
  change: Schema.Literal("created", "updated", "ran", "deleted"),
  definition: Schema.optional(ScheduleDefinition),
  state: Schema.optional(ScheduleState)
})

/** The start or the end of a run. The events that a run writes have the run as their cause. Times are milliseconds. */
export const Run = Schema.Struct({
  run: Schema.String,
  kind: Schema.Literal("maintenance", "schedule"),
  phase: Schema.Literal("started", "finished"),
  /** The stage of maintenance, or the schedule's id. */
  name: Schema.String,
  /** When the run was due. */
  occurrence: Schema.optional(Schema.Number),
  attempt: Schema.optional(Schema.Number),
  /** The end of the lease. No other process may take over the run before this time. */
  lease: Schema.optional(Schema.Number),
  /** The outcome. */
  status: Schema.optional(Schema.Literal("ok", "failed", "timeout", "abandoned")),
  counts: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Number })),
  summary: Schema.optional(Schema.String),
  output: Schema.optional(Schema.String),
  error: Schema.optional(Schema.String),
  duration: Schema.optional(Schema.Number),
  /** The digest of the active policy. */
  policy: Schema.optional(Schema.String)
})
