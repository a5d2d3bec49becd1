import * as Data from "effect/Data"
import * as Either from "effect/Either"
import { findById } from "../../projections/observations.js"
import type { Plan } from "../undo/plan.js"
import { asked, type Command, type DecidedEvent, runCause } from "./Command.js"

/** A memory was changed while it was planned what to make of it. */
export class Moved extends Data.TaggedError("Moved") {}

/** The events by which something was undone: one for each memory that it changed. */
export interface Compensated {
  /** The version of the first event; undefined where there was nothing to write. */
  readonly first: number | undefined
  /** The cause of the events, which names the run. */
  readonly cause: string | null
  readonly repeated: boolean
}

/** Makes the command that carries out plans, all or none. */
export const undo = (
  plans: ReadonlyArray<Plan>,
  command: Pick<Command<unknown, unknown>, "actor" | "commandId" | "request"> & { readonly run: string }
): Command<Compensated, Moved> => {
  const cause = runCause(command.run)
  return {
    actor: command.actor,
    commandId: command.commandId,
    request: command.request,
    cause,
    decide: ({ db, now }) => {
      const moved = plans.some(
        ({ current, image }) => image !== undefined && findById(db, current.id)?.revision !== current.revision
      )
      if (moved) return Either.left(new Moved())
      const [first, ...others] = compensating(plans, now)
      return Either.right(
        first === undefined ? { answer: { first, cause, repeated: false } } : { events: [first, ...others] }
      )
    },
    answer: ([event], repeated) => ({ first: event?.version, cause: event?.cause ?? null, repeated })
  }
}

/** What is to be written, in the order of the plans. */
export const compensating = (plans: ReadonlyArray<Plan>, now: number): ReadonlyArray<DecidedEvent> =>
  plans.flatMap(({ current, image, undone }): ReadonlyArray<DecidedEvent> => {
    if (image === undefined) return []
    const undoes = undone.map(({ version }) => version)
    const reason = undoes.length === 1 ? `takes back version ${undoes[0]}` : `takes back ${undoes.length} versions`
    const memory = { ...image, updatedAt: now }
    const retired = image.status !== current.status && (image.status === "forgotten" || image.status === "superseded")
    return [
      retired
        ? { type: "DELETE", payload: { memory, reason: "undone", undoes, decision: asked("DELETE", "undo", reason) } }
        : { type: "UPDATE", payload: { memory, reason: "undone", undoes, decision: asked("UPDATE", "undo", reason) } }
    ]
  })
