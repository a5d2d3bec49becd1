import * as Either from "effect/Either"
import { findSchedule } from "../../projections/scheduleReads.js"
import { type Command, commandIdOf, requireUnparked } from "../actor/Command.js"
import { type InvalidInput, type ProjectionParked, ScheduleNotFound, type TrustRequired } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import type { Scheduled } from "./addSchedule.js"
import { checkFullTrust } from "./Schedule.js"

/** Makes the command that removes a schedule and its history from every read. Its events stay in the log. */
export const deleteSchedule = (
  writer: Writer,
  id: string,
  options: WriteOptions = {}
): Either.Either<Command<Scheduled, ScheduleNotFound | ProjectionParked>, InvalidInput | TrustRequired> =>
  Either.gen(function* () {
    yield* checkFullTrust(writer.level)
    yield* decodeKey("id", id)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["deleteSchedule", id]),
      decide: ({ db }) =>
        Either.gen(function* () {
          yield* requireUnparked(db, "schedules")
          if (findSchedule(db, id) === undefined) return yield* Either.left(new ScheduleNotFound({ id }))
          return { events: [{ type: "SCHEDULE", payload: { schedule: id, change: "deleted" } }] }
        }),
      answer: ([event], repeated) => ({
        outcome: "deleted",
        id,
        nextRunAt: null,
        version: event?.version ?? 0,
        repeated
      })
    }
  })
