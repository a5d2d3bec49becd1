import { isDeepStrictEqual } from "node:util"
import * as Either from "effect/Either"
import type { ScheduleDefinition } from "../../events/Schedule.js"
import { findSchedules } from "../../projections/scheduleReads.js"
import { engine } from "../../projections/schedules.js"
import { type Command, type DecidedEvent, whileSound } from "../actor/Command.js"
import type { ProjectionParked } from "../model/errors.js"
import { limits } from "../model/limits.js"
import { changed, created } from "./decide.js"

// The schedules of the engine's own jobs. Nobody asks for them: whoever deletes or pauses one is left with that.

/** By which the log tells who has them, without a look at any view. Never another: those of an older log are known by it. */
export const ensured = { commandId: "daybook/jobs", request: "daybook/jobs" } as const

/** Adds what an agent does not have, once and for all; the first time at `first`, milliseconds, where that is given. */
export const ensureJobs = (
  definitions: ReadonlyArray<ScheduleDefinition>,
  first: number | undefined
): Command<boolean, ProjectionParked> => ({
  actor: engine,
  commandId: ensured.commandId,
  request: () => ensured.request,
  decide: ({ db, newId, now }) =>
    Either.map(whileSound(db, "schedules"), () => {
      const [head, ...rest] = definitions.flatMap((definition): ReadonlyArray<DecidedEvent> => {
        if (schedulesOf(db, definition.handler).length > 0) return []
        const state = created(definition.cadence, now)
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

/** Gives the schedules of an agent the times that the policy has now, where they are those that it had before. */
export const adjustJobs = (definitions: ReadonlyArray<ScheduleDefinition>): Command<boolean, ProjectionParked> => ({
  actor: engine,
  request: () => "",
  decide: ({ db, now }) =>
    Either.map(whileSound(db, "schedules"), () => {
      const [head, ...rest] = definitions.flatMap((definition) =>
        schedulesOf(db, definition.handler).flatMap((row): ReadonlyArray<DecidedEvent> => {
          const { cadence } = row.definition
          const next = { ...row.definition, cadence: definition.cadence }
          // A time that somebody else asked for stays.
          if (row.definition.name !== definition.name || !isDeepStrictEqual(row.given, cadence)) return []
          if (isDeepStrictEqual(next.cadence, cadence)) return []
          const state = changed(row, next, undefined, now)
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
