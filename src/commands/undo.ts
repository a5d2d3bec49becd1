import { isDeepStrictEqual } from "node:util"
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { opennessOf } from "../../events/Trust.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { boundByLineage, carried, descendants, graphIn } from "../lineage.js"
import type { Plan } from "../undo/plan.js"
import { asked, type Command, type DecidedEvent, runCause } from "./Command.js"
import { marked } from "./marked.js"
import type { Writer } from "./remember.js"

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
  marks: Writer["marks"],
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
      const [first, ...others] = compensating(db, plans, marks, now, version)
      return Either.right(
        first === undefined ? { answer: { first, cause, repeated: false } } : { events: [first, ...others] }
      )
    },
    answer: ([event], repeated) => ({ first: event?.version, cause: event?.cause ?? null, repeated })
  }
}

/**
 * What is to be written from this version on, in the order of the plans; behind it what follows along lineage: what was
 * made of a memory that is removed is flagged, and nothing stays more open than what it was made of. A memory gets one
 * event, whatever comes together on it.
 */
export const compensating = (
  db: Db,
  plans: ReadonlyArray<Plan>,
  marks: Writer["marks"],
  now: number,
  version: number
): ReadonlyArray<DecidedEvent> => {
  const changing = withinLineage(db, plans, marks)
  const planned = new Map(changing.map(({ image }) => [image.id, image]))
  const following = new Map<string, { readonly memory: Memory; readonly cause: number }>()
  const graph = graphIn(db)
  for (const [at, { current, image }] of changing.entries()) {
    const gone = image.status !== "active" && current.status === "active"
    for (const made of descendants(graph, { kind: "derived", to: current.id })) {
      const is = planned.get(made.id) ?? following.get(made.id)?.memory ?? { ...made, revision: made.revision + 1 }
      const flagged = gone && is.status === "active" && is.stale === undefined
      const open = opennessOf(is.store) > opennessOf(image.store)
      if (!flagged && !open) continue
      const memory: Memory = {
        ...is,
        ...(open ? { store: image.store } : {}),
        ...(flagged ? { stale: { kind: "derived", of: current.id, reason: "undone" } } : {})
      }
      if (planned.has(made.id)) planned.set(made.id, memory)
      else following.set(made.id, { memory, cause: following.get(made.id)?.cause ?? version + at })
    }
  }
  return [
    ...changing.map((plan) => compensatingEvent({ ...plan, image: planned.get(plan.image.id)! }, now)),
    ...[...following.values()].map(({ cause, memory }) => {
      const stale = memory.stale?.reason === "undone"
      const why = stale ? "what it came from was undone" : `what it came from is ${memory.store} now`
      return carried(memory, stale ? "stale" : "demoted", why, cause)
    })
  ]
}

type Changing = Plan & { readonly image: Memory }

/** The plans that change something: none to more than what the memory was made of is open to, none that lets a credential out. */
const withinLineage = (db: Db, plans: ReadonlyArray<Plan>, marks: Writer["marks"]): ReadonlyArray<Changing> => {
  let changing = plans
    .filter((plan): plan is Changing => plan.image !== undefined)
    .map((plan) => ({ ...plan, image: marked(plan.image, { ...marks, pii: false }).memory }))
  for (let settled = false; !settled; ) {
    const stores = new Map(changing.map(({ image }) => [image.id, image.store]))
    const bounded = changing.map((plan): Changing => {
      const { current, image } = plan
      const allowed = Either.isRight(
        boundByLineage(db, "full", { ...image, store: current.store }, image.store, stores)
      )
      return allowed ? plan : { ...plan, image: { ...image, store: current.store } }
    })
    settled = bounded.every((plan, at) => plan === changing[at])
    changing = bounded
  }
  // What is held back may leave nothing to write.
  return changing.filter(({ current, image }) => !isDeepStrictEqual({ ...image, revision: current.revision }, current))
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
