import { isDeepStrictEqual } from "node:util"
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { opennessOf } from "../../events/Trust.js"
import { isYieldDue, runAllSteps, type Steps } from "../../events/turns.js"
import { findSourceStore } from "../../projections/lineage.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import {
  type Command,
  type CommandDecision,
  callerDecision,
  type DecidedEvent,
  runCause,
  type Situation
} from "../actor/Command.js"
import { descendants, makeDerivedUpdate, makeLineageGraph } from "../actor/lineage.js"
import { nextRevision } from "../model/nextRevision.js"
import type { ChangingPlan, LimitedPlans } from "./limitPlans.js"
import type { UndoDependencies } from "./relatives.js"
import { hasStateChanged, type StatePlan, stateEvent } from "./sessionStates.js"
import { withStale } from "./staleFlags.js"

/** A memory changed after the undo was planned. */
export class MemoryChanged extends Data.TaggedError("Moved") {}

/** The events of an undo, one for each changed memory. */
export interface CompensationResult {
  /** The version of the first event; undefined if nothing was written. */
  readonly first: number | undefined
  /** The cause of the events, which names the run. */
  readonly cause: string | null
  readonly repeated: boolean
}

/** Plans that lineage allows, and the memories on which they depend. */
interface Bound extends Pick<LimitedPlans, "changing" | "staleOf"> {
  readonly relatives: UndoDependencies
  readonly states: ReadonlyArray<StatePlan>
  /** The view file from which the plans were made. */
  readonly generation: string
}

/** Makes the command that executes all plans or none. */
export const undoCommand = (
  bound: Bound,
  command: Pick<Command<unknown, unknown>, "actor" | "commandId" | "request"> & { readonly run: string }
): Command<CompensationResult, MemoryChanged> => {
  const cause = runCause(command.run)
  const decideInSteps = function* ({
    db,
    now,
    version
  }: Situation): Steps<Either.Either<CommandDecision<CompensationResult>, MemoryChanged>> {
    return Either.map(yield* compensatingEvents(db, bound, now, version), ([first, ...others]) =>
      first === undefined ? { answer: { first, cause, repeated: false } } : { events: [first, ...others] }
    )
  }
  return {
    actor: command.actor,
    commandId: command.commandId,
    request: command.request,
    cause,
    decide: (situation) => runAllSteps(decideInSteps(situation)),
    decideInSteps,
    answer: ([event], repeated) => ({ first: event?.version, cause: event?.cause ?? null, repeated })
  }
}

/**
 * Makes the events of an undo, numbered from a version: memories in the order of the plans, then states of sessions,
 * then derived memories. A memory derived from a removed memory gets the stale flag; a memory derived from a restored
 * one loses it. No derived memory stays less restrictive than its source. Each memory gets one event, even if several
 * changes affect it.
 */
export const compensatingEvents = function* (
  db: Db,
  { changing, generation, relatives, staleOf, states }: Bound,
  now: number,
  version: number
): Steps<Either.Either<ReadonlyArray<DecidedEvent>, MemoryChanged>> {
  // If the view was rebuilt since planning, the earlier file may have been edited.
  if (db.name !== generation || (changing.length > 0 && (yield* hasChanged(db, relatives))))
    return Either.left(new MemoryChanged())
  const rewritten = states.filter(({ undoes }) => undoes.length > 0)
  if (rewritten.some((plan) => hasStateChanged(db, plan))) return Either.left(new MemoryChanged())
  const planned = new Map<string, Memory>()
  for (const { image } of changing) {
    if (isYieldDue()) yield
    planned.set(image.id, image)
  }
  const followers = new Map<string, Follower>()
  const graph = makeLineageGraph(db)
  for (const [index, { current, image }] of changing.entries()) {
    if (isYieldDue()) yield
    const goesOrReturns = (image.status === "active") !== (current.status === "active")
    for (const derived of descendants(graph, { kind: "derived", to: current.id })) {
      const next = planned.get(derived.id) ?? followers.get(derived.id)?.memory ?? nextRevision(derived, {})
      // A planned memory has its stale flag already.
      const isFollower = goesOrReturns && next.status === "active" && !planned.has(derived.id)
      if (isFollower && relatives.livesById.get(derived.id)?.at(-1)?.after.revision !== derived.revision) {
        return Either.left(new MemoryChanged())
      }
      const stale = isFollower ? staleOf(derived) : next.stale
      const flagged = !isDeepStrictEqual(stale, next.stale)
      const isTooOpen = opennessOf(next.store) > opennessOf(image.store)
      if (!flagged && !isTooOpen) continue
      const memory = withStale(isTooOpen ? { ...next, store: image.store } : next, stale)
      if (planned.has(derived.id)) planned.set(derived.id, memory)
      else {
        const before = followers.get(derived.id)
        followers.set(derived.id, {
          memory,
          cause: before?.cause ?? version + index,
          flagged: flagged || before?.flagged === true
        })
      }
    }
  }
  const events: Array<DecidedEvent> = []
  for (const plan of changing) {
    if (isYieldDue()) yield
    events.push(compensatingEvent({ ...plan, image: planned.get(plan.image.id)! }, now))
  }
  for (const plan of rewritten) events.push(stateEvent(plan))
  for (const follower of followers.values()) {
    if (isYieldDue()) yield
    events.push(followerEvent(follower))
  }
  return Either.right(events)
}

interface Follower {
  readonly memory: Memory
  readonly cause: number
  readonly flagged: boolean
}

const followerEvent = ({ cause, flagged, memory }: Follower): DecidedEvent => {
  if (!flagged) return makeDerivedUpdate(memory, "demoted", `what it came from is ${memory.store} now`, cause)
  const reason =
    memory.stale === undefined ? "what it came from is there again" : `what it came from was ${memory.stale.reason}`
  return makeDerivedUpdate(memory, "stale", reason, cause)
}

/** Returns true if a memory or source that the plans use has changed since it was read. */
const hasChanged = function* (db: Db, { livesById, outsideByKey, unchanged }: UndoDependencies): Steps<boolean> {
  for (const [id, life] of livesById) {
    if (!unchanged.has(id) && findById(db, id)?.revision !== life.at(-1)!.after.revision) return true
    if (isYieldDue()) yield
  }
  return [...outsideByKey.values()].some(({ kind, store, to }) => findSourceStore(db, "full", kind, to) !== store)
}

const compensatingEvent = ({ current, image, undone }: ChangingPlan, now: number): DecidedEvent => {
  const undoes = undone.map(({ version }) => version)
  const reason = undoes.length === 1 ? `takes back version ${undoes[0]}` : `takes back ${undoes.length} versions`
  const memory = { ...image, updatedAt: now }
  const retired = image.status !== current.status && (image.status === "forgotten" || image.status === "superseded")
  return retired
    ? {
        type: "DELETE",
        payload: { memory, reason: "undone", undoes, decision: callerDecision("DELETE", "undo", reason) }
      }
    : {
        type: "UPDATE",
        payload: { memory, reason: "undone", undoes, decision: callerDecision("UPDATE", "undo", reason) }
      }
}
