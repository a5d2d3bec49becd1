import * as Either from "effect/Either"
import { countSchedules } from "../../projections/scheduleReads.js"
import { type Command, commandIdOf, definedFields, requireUnparked } from "../actor/Command.js"
import { InvalidInput, type ProjectionParked, TooManySchedules, type TrustRequired } from "../model/errors.js"
import { limits } from "../model/limits.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { initialState } from "./decide.js"
import { cadenceOf, checkCadence, decodeSchedule, definitionOf, type ScheduleInput } from "./input.js"
import { checkFullTrust } from "./Schedule.js"

/** The result of a command on a schedule. */
export interface Scheduled {
  readonly outcome: "added" | "updated" | "unchanged" | "deleted"
  readonly id: string
  /** When the schedule is due next, milliseconds since the epoch; null for never. */
  readonly nextRunAt: number | null
  /** The stream version of the event. */
  readonly version: number
  readonly repeated: boolean
}

/** Makes the command that adds a schedule. */
export const addSchedule = (
  writer: Writer,
  input: ScheduleInput,
  options: WriteOptions = {}
): Either.Either<
  Command<Scheduled, InvalidInput | TooManySchedules | ProjectionParked>,
  InvalidInput | TrustRequired
> =>
  Either.gen(function* () {
    yield* checkFullTrust(writer.level)
    const checked = yield* decodeSchedule(input)
    const cadenceFrom = yield* cadenceOf(checked, writer.schedules)
    if (cadenceFrom === undefined) {
      return yield* Either.left(
        new InvalidInput({ field: "cron", problem: "is missing: give exactly one of `cron`, `at` and `every`" })
      )
    }
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["addSchedule", definedFields(checked)]),
      decide: ({ db, newId, now }) =>
        Either.gen(function* () {
          yield* requireUnparked(db, "schedules")
          const cadence = cadenceFrom(now)
          yield* checkCadence(cadence, now, writer.schedules)
          if (countSchedules(db, { statuses: ["active", "paused"], handlers: [] }) >= limits.schedules) {
            return yield* Either.left(new TooManySchedules({ most: limits.schedules }))
          }
          const definition = definitionOf(checked, cadence, writer.schedules)
          const payload = {
            schedule: newId(),
            change: "created",
            definition,
            state: initialState(cadence, now)
          } as const
          return { events: [{ type: "SCHEDULE", payload }] }
        }),
      answer: ([event], repeated) => {
        if (event?.type !== "SCHEDULE") throw new Error("addSchedule made another event")
        const { schedule, state } = event.payload
        return { outcome: "added", id: schedule, nextRunAt: state?.next ?? null, version: event.version, repeated }
      }
    }
  })
