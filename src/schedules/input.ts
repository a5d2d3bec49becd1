import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Cadence, Missed, Notify, type ScheduleDefinition } from "../../events/Schedule.js"
import { toInstant } from "../../text/when/dates.js"
import { InvalidInput } from "../model/errors.js"
import { decodeWith, Instant, type InstantInput, keyField, oneOf, optional, text } from "../model/input.js"
import { limits } from "../model/limits.js"
import type { PolicyValues } from "../ports/Policy.js"
import { zone } from "../ports/policy/fields.js"
import { fieldsOf, leastGap, problemOfCron } from "./cadence.js"

/** When something is to be done: exactly one of `cron`, `at` and `every`. */
export interface CadenceInput {
  /** Five fields, minute hour day month weekday, or six with seconds before them: `30 9 * * mon-fri`. */
  readonly cron?: string | undefined
  /** The IANA time zone of `cron`; the policy's `schedules.zone` where absent. */
  readonly zone?: string | undefined
  /** Once, then. */
  readonly at?: InstantInput | undefined
  /** Again and again after so many milliseconds. */
  readonly every?: number | undefined
  /** With `every`: the first time; `every` from now where absent. */
  readonly from?: InstantInput | undefined
}

/** What somebody asks to be done at its time. */
export interface ScheduleInput extends CadenceInput {
  /** What is to come of it, for whoever carries it out. */
  readonly goal: string
  readonly name?: string | undefined
  /** The name of what carries it out; `default` where absent. */
  readonly handler?: string | undefined
  /** When somebody is told of a run; `always` where absent. */
  readonly notify?: Notify | undefined
  /** Of occurrences that went by while nobody was there: one run for all (`once`, the default), or one for each. */
  readonly missed?: Missed | undefined
  /** Runs that its history keeps, 1…1,000; the policy's `schedules.history` where absent. */
  readonly keep?: number | undefined
  readonly channel?: string | undefined
  readonly context?: string | undefined
}

/** Changes to a schedule; see `ScheduleInput` for the fields. Naming a time gives it another cadence. */
export interface ScheduleChanges extends CadenceInput {
  readonly goal?: string | undefined
  readonly name?: string | null | undefined
  readonly handler?: string | undefined
  readonly notify?: Notify | undefined
  readonly missed?: Missed | undefined
  readonly keep?: number | undefined
  readonly channel?: string | null | undefined
  readonly context?: string | null | undefined
  /** Stops it, or lets it go on from now, also after it was given up. */
  readonly status?: "active" | "paused" | undefined
}

const zoneField = Schema.String.annotations({ message: () => "must be text" }).pipe(
  Schema.filter((value) => Schema.is(zone)(value) || "must be an IANA time zone, such as Europe/Berlin")
)

const fields = {
  goal: text(limits.goal),
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
  cron: text(limits.key),
  zone: zoneField,
  at: Instant,
  every: Schema.Number.annotations({ message: () => "must be a number" }).pipe(
    Schema.filter((value) => (Number.isInteger(value) && value > 0) || "must be a whole number of milliseconds")
  ),
  from: Instant
}
const named = { name: text(limits.title), channel: keyField, context: keyField }

const ScheduleSchema = Schema.Struct({ ...optional({ ...fields, ...named }), goal: fields.goal })
const ChangesSchema = Schema.Struct({
  ...optional(fields),
  ...optional({ name: Schema.NullOr(named.name), channel: Schema.NullOr(keyField), context: Schema.NullOr(keyField) }),
  status: Schema.optional(oneOf(Schema.Literal("active", "paused"), "active, paused"))
})

export const decodeSchedule = decodeWith(ScheduleSchema) as (
  input: unknown
) => Either.Either<ScheduleInput, InvalidInput>

export const decodeScheduleChanges = decodeWith(ChangesSchema) as (
  input: unknown
) => Either.Either<ScheduleChanges, InvalidInput>

/** The cadence that an input names, from an instant on; undefined where it names none. */
export type CadenceFrom = (now: number) => Cadence

type Policy = PolicyValues["schedules"]

const refused = (field: string, problem: string) => Either.left(new InvalidInput({ field, problem }))

/** Which cadence is asked for, as far as that can be told without the time. */
export const cadenceOf = (
  { at, cron, every, from, zone }: CadenceInput,
  policy: Pick<Policy, "zone">
): Either.Either<CadenceFrom | undefined, InvalidInput> => {
  const given = Object.entries({ cron, at, every }).flatMap(([field, value]) => (value === undefined ? [] : [field]))
  if (given.length > 1) return refused(given[1]!, `cannot stand beside ${given[0]}`)
  if (zone !== undefined && cron === undefined) return refused("zone", "needs cron")
  if (from !== undefined && every === undefined) return refused("from", "needs every")
  if (at !== undefined) return Either.right(() => ({ kind: "once", at: toInstant(at)! }))
  if (every !== undefined) {
    return Either.right((now) => ({ kind: "interval", every, from: from === undefined ? now : toInstant(from)! }))
  }
  if (cron === undefined) return Either.right(undefined)
  const problem = problemOfCron(cron)
  if (problem !== undefined) return refused("cron", problem)
  return Either.right(() => ({
    kind: "cron",
    expression: fieldsOf(cron).join(" "),
    zone: zone ?? policy.zone
  }))
}

/** Refuses a cadence that is over, or is due too often. */
export const checkCadence = (
  cadence: Cadence,
  now: number,
  { minInterval }: Pick<Policy, "minInterval">
): Either.Either<void, InvalidInput> => {
  if (cadence.kind === "once" && cadence.at <= now) return refused("at", "lies in the past")
  if (leastGap(cadence, now) >= minInterval) return Either.void
  const field = cadence.kind === "cron" ? "cron" : "every"
  return refused(field, `is due more often than every ${minInterval} ms, the policy's schedules.minInterval`)
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

/** A definition with what changes name: null takes away. */
export const changedDefinition = (
  before: ScheduleDefinition,
  { channel, context, goal, handler, keep, missed, name, notify }: ScheduleChanges,
  cadence: Cadence
): ScheduleDefinition => {
  const or = <A>(change: A | null | undefined, kept: A | undefined) =>
    change === undefined ? kept : (change ?? undefined)
  const [nameNow, channelNow, contextNow] = [
    or(name, before.name),
    or(channel, before.channel),
    or(context, before.context)
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
