import * as Schema from "effect/Schema"

/** When a schedule is due. Times are milliseconds since the epoch, durations milliseconds. */
export const Cadence = Schema.Union(
  /** When the wall clock of the zone matches the expression. */
  Schema.Struct({ kind: Schema.Literal("cron"), expression: Schema.String, zone: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("once"), at: Schema.Number }),
  /** At `from` and at every multiple of `every` milliseconds after it. */
  Schema.Struct({ kind: Schema.Literal("interval"), every: Schema.Number, from: Schema.Number })
)
export type Cadence = typeof Cadence.Type

/** Which runs are reported: all; runs whose status or text differs from the previous run; failures; none. */
export const Notify = Schema.Literal("always", "on-change", "on-failure", "never")
export type Notify = typeof Notify.Type

/** How missed occurrences are handled after a time without a runner: one run for all of them, or one run each. */
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
  /** Runs kept in its history. */
  keep: Schema.Number,
  /** The channel in which it was created; its runs are reported there. */
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
 * A change of a schedule. It contains the definition if that changed, and the state. For a deleted schedule both are
 * absent. `ran` is appended together with the RUN event of the finished run.
 */
export const ScheduleChange = Schema.Struct({
  schedule: Schema.String,
  change: Schema.Literal("created", "updated", "ran", "deleted"),
  definition: Schema.optional(ScheduleDefinition),
  state: Schema.optional(ScheduleState)
})

/** The start or the end of a run. Events that the run writes name it as their cause. Times are milliseconds. */
export const Run = Schema.Struct({
  run: Schema.String,
  kind: Schema.Literal("maintenance", "schedule"),
  phase: Schema.Literal("started", "finished"),
  /** The stage of maintenance, or the schedule's id. */
  name: Schema.String,
  /** When the run was due. */
  occurrence: Schema.optional(Schema.Number),
  attempt: Schema.optional(Schema.Number),
  /** End of the lease: until then no other process may take over the run. */
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
