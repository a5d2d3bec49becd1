import { isDeepStrictEqual } from "node:util"
import * as Either from "effect/Either"
import { findSchedule } from "../../projections/scheduleReads.js"
import { type Command, commandIdOf, definedFields, requireUnparked } from "../actor/Command.js"
import { InvalidInput, type ProjectionParked, ScheduleNotFound, type TrustRequired } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import type { Scheduled } from "./addSchedule.js"
import { stateAfterChange } from "./decide.js"
import { cadenceOf, changedDefinition, checkCadence, decodeScheduleChanges, type ScheduleChanges } from "./input.js"
import { checkFullTrust } from "./Schedule.js"

/** Makes the command that changes, pauses or resumes a schedule. */
export const updateSchedule = (
  writer: Writer,
  id: string,
  input: ScheduleChanges,
  options: WriteOptions = {}
): Either.Either<
  Command<Scheduled, InvalidInput | ScheduleNotFound | ProjectionParked>,
  InvalidInput | TrustRequired
> =>
  Either.gen(function* () {
    yield* checkFullTrust(writer.level)
    yield* decodeKey("id", id)
    const changes = yield* decodeScheduleChanges(input)
    const cadenceFrom = yield* cadenceOf(changes, writer.schedules)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    if (Object.values(changes).every((value) => value === undefined)) {
      return yield* Either.left(
        new InvalidInput({ field: "changes", problem: "must have at least one field to change" })
      )
    }
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["updateSchedule", id, definedFields(changes)]),
      decide: ({ db, now, version }) =>
        Either.gen(function* () {
          yield* requireUnparked(db, "schedules")
          const row = findSchedule(db, id)
          if (row === undefined) return yield* Either.left(new ScheduleNotFound({ id }))
          const before = row.definition
          const cadence = cadenceFrom?.(now) ?? before.cadence
          if (cadenceFrom !== undefined) yield* checkCadence(cadence, now, writer.schedules)
          const definition = changedDefinition(before, changes, cadence)
          const state = stateAfterChange(row, definition, changes.status, now)
          if ("problem" in state) {
            return yield* Either.left(new InvalidInput({ field: "status", problem: state.problem }))
          }
          const unchanged = isDeepStrictEqual(definition, before) && isDeepStrictEqual(state, row.state)
          if (unchanged && commandId === undefined) {
            const answer: Scheduled = {
              outcome: "unchanged",
              id,
              nextRunAt: state.next,
              version: version - 1,
              repeated: false
            }
            return { answer }
          }
          return { events: [{ type: "SCHEDULE", payload: { schedule: id, change: "updated", definition, state } }] }
        }),
      answer: ([event], repeated) => {
        if (event?.type !== "SCHEDULE") throw new Error("updateSchedule made another event")
        return {
          outcome: "updated",
          id,
          nextRunAt: event.payload.state?.next ?? null,
          version: event.version,
          repeated
        }
      }
    }
  })
