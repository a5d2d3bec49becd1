import { isDeepStrictEqual } from "node:util"
import * as Either from "effect/Either"
import type { ScheduleDefinition } from "../../events/Schedule.js"
import { findSchedules } from "../../projections/scheduleReads.js"
import { engineActor } from "../../projections/schedules.js"
import { type Command, type DecidedEvent, requireUnparked } from "../actor/Command.js"
import type { ProjectionParked } from "../model/errors.js"
import { limits } from "../model/limits.js"
import { initialState, stateAfterChange } from "./decide.js"

// The schedules of the engine's own jobs. The engine adds them once, so a schedule that a caller deletes or pauses
// stays deleted or paused.

/** The command id that marks agents with these schedules in the log. It must never change: older logs contain it. */
export const ensureRequest = { commandId: "daybook/jobs", request: "daybook/jobs" } as const

/**
 * Adds the missing schedules of an agent, only once per agent. `first` is the time of the first run, milliseconds since
 * the epoch.
 */
export const ensureJobs = (
  definitions: ReadonlyArray<ScheduleDefinition>,
  first: number | undefined
): Command<boolean, ProjectionParked> => ({
  actor: engineActor,
  commandId: ensureRequest.commandId,
  request: () => ensureRequest.request,
  decide: ({ db, newId, now }) =>
    Either.map(requireUnparked(db, "schedules"), () => {
      const [head, ...rest] = definitions.flatMap((definition): ReadonlyArray<DecidedEvent> => {
        if (schedulesOf(db, definition.handler).length > 0) return []
        const state = initialState(definition.cadence, now)
        const payload = {
          schedule: newId(),
          change: "created",
          definition,
          state: first === undefined ? state : { ...state, next: first }
        } as const
        return [{ type: "SCHEDULE", payload }]
      })
      return head === undefined ? { answer: false } : { events: [head, ...rest] }
    }),
  answer: (_, repeated) => !repeated
})

/** Updates the times of an agent's schedules to the current policy, unless a caller changed them. */
export const adjustJobs = (definitions: ReadonlyArray<ScheduleDefinition>): Command<boolean, ProjectionParked> => ({
  actor: engineActor,
  request: () => "",
  decide: ({ db, now }) =>
    Either.map(requireUnparked(db, "schedules"), () => {
      const [head, ...rest] = definitions.flatMap((definition) =>
        schedulesOf(db, definition.handler).flatMap((row): ReadonlyArray<DecidedEvent> => {
          const { cadence } = row.definition
          const next = { ...row.definition, cadence: definition.cadence }
          // A caller changed this time, so it stays.
          if (row.definition.name !== definition.name || !isDeepStrictEqual(row.engineCadence, cadence)) return []
          if (isDeepStrictEqual(next.cadence, cadence)) return []
          const state = stateAfterChange(row, next, undefined, now)
          if ("problem" in state) return []
          return [{ type: "SCHEDULE", payload: { schedule: row.id, change: "updated", definition: next, state } }]
        })
      )
      return head === undefined ? { answer: false } : { events: [head, ...rest] }
    }),
  answer: () => true
})

const schedulesOf = (db: Parameters<typeof findSchedules>[0], handler: string) =>
  findSchedules(db, { statuses: [], handlers: [handler] }, { limit: limits.schedules, offset: 0 })
