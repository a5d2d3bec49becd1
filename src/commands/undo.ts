import * as Data from "effect/Data"
import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { boundByLineage, demotedEvents, staleEvents } from "../lineage.js"
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
    decide: ({ db, now, version }) => {
      const moved = plans.some(
        ({ current, image }) => image !== undefined && findById(db, current.id)?.revision !== current.revision
      )
      if (moved) return Either.left(new Moved())
      const [first, ...others] = compensating(db, plans, now, version)
      return Either.right(
        first === undefined ? { answer: { first, cause, repeated: false } } : { events: [first, ...others] }
      )
    },
    answer: ([event], repeated) => ({ first: event?.version, cause: event?.cause ?? null, repeated })
  }
}

/**
 * What is to be written from this version on, in the order of the plans; behind it what follows along lineage: what was
 * made of a memory that is removed is flagged, and is no more open than one that goes back to a stricter store.
 */
export const compensating = (
  db: Db,
  plans: ReadonlyArray<Plan>,
  now: number,
  version: number
): ReadonlyArray<DecidedEvent> => {
  const changing = withinLineage(db, plans)
  const planned = new Set(changing.map(({ current }) => current.id))
  const others = (event: DecidedEvent) => event.type === "UPDATE" && !planned.has(event.payload.memory.id)
  const followed = new Set<string>()
  const following = changing.flatMap(({ current, image }, at) => {
    const gone = image.status !== "active" && current.status === "active"
    return [
      ...(gone ? staleEvents(db, [{ kind: "derived", to: current.id }], "undone", version + at) : []),
      ...demotedEvents(db, image, version + at)
    ].filter((event) => {
      if (!others(event) || event.type !== "UPDATE") return false
      const { id } = event.payload.memory
      return !followed.has(id) && followed.add(id)
    })
  })
  return [...changing.map((plan) => compensatingEvent(plan, now)), ...following]
}

type Changing = Plan & { readonly image: Memory }

/** The plans that change something, none of them to more than what the memory was made of is open to. */
const withinLineage = (db: Db, plans: ReadonlyArray<Plan>): ReadonlyArray<Changing> => {
  let changing = plans.filter((plan): plan is Changing => plan.image !== undefined)
  for (let settled = false; !settled; ) {
    const stores = new Map(changing.map(({ image }) => [image.id, image.store]))
    const bounded = changing.map((plan): Changing => {
      const { current, image } = plan
      const allowed = Either.isRight(boundByLineage(db, { ...image, store: current.store }, image.store, stores))
      return allowed ? plan : { ...plan, image: { ...image, store: current.store } }
    })
    settled = bounded.every((plan, at) => plan === changing[at])
    changing = bounded
  }
  return changing
}

const compensatingEvent = ({ current, image, undone }: Changing, now: number): DecidedEvent => {
  const undoes = undone.map(({ version }) => version)
  const reason = undoes.length === 1 ? `takes back version ${undoes[0]}` : `takes back ${undoes.length} versions`
  const memory = { ...image, updatedAt: now }
  const retired = image.status !== current.status && (image.status === "forgotten" || image.status === "superseded")
  return retired
    ? { type: "DELETE", payload: { memory, reason: "undone", undoes, decision: asked("DELETE", "undo", reason) } }
    : { type: "UPDATE", payload: { memory, reason: "undone", undoes, decision: asked("UPDATE", "undo", reason) } }
}
