import * as Schema from "effect/Schema"

/** When something is to be done. Times are milliseconds since the epoch, lengths milliseconds. */
export const Cadence = Schema.Union(
  /** At every instant at which the clocks of the zone show what the expression says. */
  Schema.Struct({ kind: Schema.Literal("cron"), expression: Schema.String, zone: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("once"), at: Schema.Number }),
  /** At `from` and at every multiple of `every` after it. */
  Schema.Struct({ kind: Schema.Literal("interval"), every: Schema.Number, from: Schema.Number })
)
export type Cadence = typeof Cadence.Type

/** When somebody is told of a run: of each; where it ended otherwise or said something else than the one before it; of a failure; never. */
export const Notify = Schema.Literal("always", "on-change", "on-failure", "never")
export type Notify = typeof Notify.Type

/** What is done about occurrences that went by while nobody was there: one run for all of them, or one for each. */
export const Missed = Schema.Literal("once", "each")
export type Missed = typeof Missed.Type

export const ScheduleStatus = Schema.Literal("active", "paused", "completed", "failed")
export type ScheduleStatus = typeof ScheduleStatus.Type

/** What somebody asked for. */
export const ScheduleDefinition = Schema.Struct({
  name: Schema.optional(Schema.String),
  /** What is to come of it, for whoever carries it out. */
  goal: Schema.String,
  /** The name of what carries it out. */
  handler: Schema.String,
  cadence: Cadence,
  notify: Notify,
  missed: Missed,
  /** Runs that its history keeps. */
  keep: Schema.Number,
  /** Where it was asked for, for whoever tells of its runs. */
  channel: Schema.optional(Schema.String),
  context: Schema.optional(Schema.String)
})
export type ScheduleDefinition = typeof ScheduleDefinition.Type

/** How a schedule stands. */
export const ScheduleState = Schema.Struct({
  status: ScheduleStatus,
  /** The occurrence that is done next; null where there is none. */
  next: Schema.NullOr(Schema.Number),
  /** Runs that failed since the last one that did not. */
  failures: Schema.Number
})
export type ScheduleState = typeof ScheduleState.Type

/**
 * A schedule as it is from here on: what was asked for, where that is new, and how it stands; neither of one that is
 * deleted. `ran` goes with the RUN that finished, in the same append.
 */
export const Scheduled = Schema.Struct({
  schedule: Schema.String,
  change: Schema.Literal("created", "updated", "ran", "deleted"),
  definition: Schema.optional(ScheduleDefinition),
  state: Schema.optional(ScheduleState)
})
