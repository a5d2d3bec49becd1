import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Cadence, Missed, Notify, type ScheduleDefinition } from "../../events/Schedule.js"
import { toInstant } from "../../text/when/dates.js"
import { InvalidInput } from "../model/errors.js"
import { decodeWith, Instant, type InstantInput, keyField, oneOf, optionalFields, textField } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { timeZoneName } from "../ports/policy/fields.js"
import { fieldsOf, findCronProblem, shortestGapMillis } from "./cadence.js"

/** The time of a schedule: exactly one of `cron`, `at` and `every`. */
export interface CadenceInput {
  /** Five fields (minute hour day month weekday), or six with the second first: `30 9 * * mon-fri`. */
  readonly cron?: string | undefined
  /** The IANA time zone of `cron`. Absent: the policy's `schedules.zone`. */
  readonly zone?: string | undefined
  /** The time of the only run. */
  readonly at?: InstantInput | undefined
  /** The interval in milliseconds. */
  readonly every?: number | undefined
  /** With `every`: the time of the first run. Absent: one interval from now. */
  readonly from?: InstantInput | undefined
}

/** A new schedule, as a caller passes it. */
export interface ScheduleInput extends CadenceInput {
  /** The task that the handler performs. */
  readonly goal: string
  readonly name?: string | undefined
  /** The name of the handler. Default `default`. */
  readonly handler?: string | undefined
  /** When to notify the user of a run. Default `always`. */
  readonly notify?: Notify | undefined
  /**
   * How to run occurrences that were missed while no scheduler ran: one run for all of them (`once`, the default), or
   * one run for `each`.
   */
  readonly missed?: Missed | undefined
  /** Maximum runs in its history, 1…1,000. Absent: the policy's `schedules.history`. */
  readonly keep?: number | undefined
  readonly channel?: string | undefined
  readonly context?: string | undefined
}

/**
 * Changes to a schedule; see `ScheduleInput` for the fields. A new time replaces the whole cadence; null removes a
 * field.
 */
export interface ScheduleChanges extends CadenceInput {
  readonly goal?: string | undefined
  readonly name?: string | null | undefined
  readonly handler?: string | undefined
  readonly notify?: Notify | undefined
  readonly missed?: Missed | undefined
  readonly keep?: number | undefined
  readonly channel?: string | null | undefined
  readonly context?: string | null | undefined
  /** Pauses the schedule, or resumes it from now on. Also resumes a schedule that stopped after too many failures. */
  readonly status?: "active" | "paused" | undefined
}

const zoneField = Schema.String.annotations({ message: () => "must be text" }).pipe(
  Schema.filter((value) => Schema.is(timeZoneName)(value) || "must be an IANA time zone, such as Europe/Berlin")
)

const fields = {
  goal: textField(limits.goal),
  handler: keyField,
  notify: oneOf(Notify, "always, on-change, on-failure, never"),
  missed: oneOf(Missed, "once, each"),
  keep: Schema.Number.annotations({ message: () => "must be a number" }).pipe(
    Schema.filter(
      (value) =>
        (Number.isInteger(value) && value >= 1 && value <= limits.page) ||
        `must be a whole number from 1 to ${limits.page}`
    )
  ),
  cron: textField(limits.key),
  zone: zoneField,
  at: Instant,
  every: Schema.Number.annotations({ message: () => "must be a number" }).pipe(
    Schema.filter(
      (value) => (Number.isInteger(value) && value > 0) || "must be a whole number of milliseconds, 1 or more"
    )
  ),
  from: Instant
}
const nameFields = { name: textField(limits.title), channel: keyField, context: keyField }

const ScheduleSchema = Schema.Struct({ ...optionalFields({ ...fields, ...nameFields }), goal: fields.goal })
const ChangesSchema = Schema.Struct({
  ...optionalFields(fields),
  ...optionalFields({
    name: Schema.NullOr(nameFields.name),
    channel: Schema.NullOr(keyField),
    context: Schema.NullOr(keyField)
  }),
  status: Schema.optional(oneOf(Schema.Literal("active", "paused"), "active, paused"))
})

export const decodeSchedule = decodeWith(ScheduleSchema) as (
  input: unknown
) => Either.Either<ScheduleInput, InvalidInput>

export const decodeScheduleChanges = decodeWith(ChangesSchema) as (
  input: unknown
) => Either.Either<ScheduleChanges, InvalidInput>

/** Makes a cadence, given the current time. */
export type MakeCadence = (now: number) => Cadence

type Policy = PolicyValues["schedules"]

const invalidField = (field: string, problem: string) => Either.left(new InvalidInput({ field, problem }))

/**
 * Checks the times of an input. Returns a function that makes the cadence from the current time; undefined if the input
 * has no time.
 */
export const cadenceOf = (
  { at, cron, every, from, zone }: CadenceInput,
  policy: Pick<Policy, "zone">
): Either.Either<MakeCadence | undefined, InvalidInput> => {
  const times = Object.entries({ cron, at, every }).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  if (times.length > 1)
    return invalidField(
      times[1]!,
      `cannot be combined with \`${times[0]}\`: give exactly one of \`cron\`, \`at\` and \`every\``
    )
  if (zone !== undefined && cron === undefined) return invalidField("zone", "can only be used with `cron`")
  if (from !== undefined && every === undefined) return invalidField("from", "can only be used with `every`")
  if (at !== undefined) return Either.right(() => ({ kind: "once", at: toInstant(at)! }))
  if (every !== undefined) {
    return Either.right((now) => ({ kind: "interval", every, from: from === undefined ? now : toInstant(from)! }))
  }
  if (cron === undefined) return Either.right(undefined)
  const problem = findCronProblem(cron)
  if (problem !== undefined) return invalidField("cron", problem)
  return Either.right(() => ({
    kind: "cron",
    expression: fieldsOf(cron).join(" "),
    zone: zone ?? policy.zone
  }))
}

/** Refuses a time in the past, and a cadence that repeats too often. */
export const checkCadence = (
  cadence: Cadence,
  now: number,
  { minInterval }: Pick<Policy, "minInterval">
): Either.Either<void, InvalidInput> => {
  if (cadence.kind === "once" && cadence.at <= now) return invalidField("at", "is in the past: use a later time")
  if (shortestGapMillis(cadence, now) >= minInterval) return Either.void
  const field = cadence.kind === "cron" ? "cron" : "every"
  return invalidField(
    field,
    `must leave at least ${minInterval} ms between runs, as the policy requires in \`schedules.minInterval\``
  )
}

/** The definition of a new schedule. */
export const definitionOf = (
  { channel, context, goal, handler = "default", keep, missed = "once", name, notify = "always" }: ScheduleInput,
  cadence: Cadence,
  policy: Pick<Policy, "history">
): ScheduleDefinition => ({
  ...(name === undefined ? {} : { name }),
  goal,
  handler,
  cadence,
  notify,
  missed,
  keep: keep ?? policy.history,
  ...(channel === undefined ? {} : { channel }),
  ...(context === undefined ? {} : { context })
})

/** Applies changes to a definition; null removes a field. */
export const changedDefinition = (
  before: ScheduleDefinition,
  { channel, context, goal, handler, keep, missed, name, notify }: ScheduleChanges,
  cadence: Cadence
): ScheduleDefinition => {
  const applied = <A>(change: A | null | undefined, current: A | undefined) =>
    change === undefined ? current : (change ?? undefined)
  const [nameNow, channelNow, contextNow] = [
    applied(name, before.name),
    applied(channel, before.channel),
    applied(context, before.context)
  ]
  return {
    ...(nameNow === undefined ? {} : { name: nameNow }),
    goal: goal ?? before.goal,
    handler: handler ?? before.handler,
    cadence,
    notify: notify ?? before.notify,
    missed: missed ?? before.missed,
    keep: keep ?? before.keep,
    ...(channelNow === undefined ? {} : { channel: channelNow }),
    ...(contextNow === undefined ? {} : { context: contextNow })
  }
}
