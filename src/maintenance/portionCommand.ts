import * as Either from "effect/Either"
import { afterImages, type DaybookEvent } from "../../events/catalogue.js"
import type { Memory } from "../../events/Memory.js"
import { isSideOfDispute } from "../../projections/disputeGroups.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { findAccesses } from "../../projections/recalls.js"
import { findSummary, hasAllSources } from "../../projections/summaries.js"
import { type Command, type DecidedEvent, requireUnparked, runCause } from "../actor/Command.js"
import { maySettle } from "./maySettle.js"

/** A part of a run's events that one command writes. */
export interface Portion {
  readonly run: string
  readonly actor: string
  /**
   * The run's start event. It is written before the first event of the portion, but only if the portion still has an
   * event to write.
   */
  readonly started: DecidedEvent | undefined
  readonly events: ReadonlyArray<DecidedEvent>
  /**
   * The view file from which the events were planned. If the view uses another file by now, the command drops all
   * events, because the old file may have been edited.
   */
  readonly generation: string
  /**
   * How often each memory had been shown when the events were planned, by id. Memories that were never shown are
   * omitted. Undefined if these counts do not matter.
   */
  readonly shown?: ReadonlyMap<string, number> | undefined
}

/** The written events, and the number of memories left out because another writer changed them after planning. */
export interface PortionResult {
  readonly events: ReadonlyArray<DaybookEvent>
  readonly left: number
}

/** Makes the command that writes a part of a run's events. */
export const portionCommand = ({
  actor,
  events,
  generation,
  run,
  shown,
  started
}: Portion): Command<PortionResult, never> => {
  let left = 0
  return {
    actor,
    request: () => JSON.stringify(["maintain", run]),
    cause: runCause(run),
    decide: ({ db, now, version }) => {
      left = 0
      const state: Present = { db, now, shown, retired: new Set() }
      const valid = events.flatMap((event) => {
        const checked =
          db.name === generation ? revalidate(event, state) : { left: Math.max(1, afterImages(event as never).length) }
        left += checked.left
        return !("event" in checked) || checked.event === undefined ? [] : [checked.event]
      })
      if (valid.length === 0) return Either.right({ answer: { events: [], left } })
      const firstVersion = version + (started === undefined ? 0 : 1)
      const numbered = valid.map((event, index) => withBorn(event, firstVersion + index))
      const [head, ...rest] = started === undefined ? numbered : [started, ...numbered]
      return Either.right({ events: [head!, ...rest] })
    },
    answer: (written) => ({ events: written.filter(({ type }) => type !== "RUN"), left })
  }
}

/** Makes the command that writes one event of a run. */
export const recordRunCommand = (actor: string, run: string, event: DecidedEvent): Command<void, never> => ({
  actor,
  request: () => JSON.stringify(["run", run]),
  cause: runCause(run),
  decide: () => Either.right({ events: [event] }),
  answer: () => undefined
})

/** The state of the view when a portion is written. */
interface Present extends Pick<Portion, "shown"> {
  readonly db: Db
  readonly now: number
  /** The memories that earlier events of the portion retire. */
  readonly retired: Set<string>
}

/**
 * Removes the memories that changed since planning from an event, and drops the event if no memory remains. A private
 * memory that was shown since planning is in use, so it is neither removed nor demoted.
 */
const revalidate = (
  event: DecidedEvent,
  { db, now, retired, shown }: Present
): { readonly event?: DecidedEvent; readonly left: number } => {
  const isUnchanged = ({ id, revision }: Memory) => findById(db, id)?.revision === revision - 1
  const isUnseen = ({ id, store }: Memory) =>
    shown === undefined ||
    store !== "private" ||
    (findAccesses(db, [id]).get(id)?.accesses ?? 0) === (shown.get(id) ?? 0)
  const isUntouched = (memory: Memory) => isUnchanged(memory) && isUnseen(memory)
  switch (event.type) {
    case "DELETE": {
      // The memory is retired even if it was shown often, because a later statement contradicts it.
      const { decision, memory } = event.payload
      const [compared, newer] = decision.candidates.map(({ id, revision }) => {
        const present = findById(db, id)
        return present?.revision === revision ? present : undefined
      })
      if (compared === undefined || newer === undefined || !maySettle(db, compared, newer, now)) return { left: 1 }
      retired.add(memory.id)
      return { event, left: 0 }
    }
    case "UPDATE": {
      const { memory, reason } = event.payload
      const isValid = reason === "demoted" || reason === "expired" ? isUntouched(memory) : isUnchanged(memory)
      if (!isValid) return { left: 1 }
      if (event.payload.decision.by.name !== "settle" || reason !== "promoted") return { event, left: 0 }
      // A successor is linked only to memories that were actually retired.
      const isRetired = (id: string) => retired.has(id) || findById(db, id)?.status === "superseded"
      const lineage = (memory.lineage ?? []).filter(({ kind, to }) => kind !== "supersedes" || isRetired(to))
      if (lineage.length === (findById(db, memory.id)!.lineage ?? []).length) return { left: 1 }
      return { event: { ...event, payload: { ...event.payload, memory: { ...memory, lineage } } }, left: 0 }
    }
    case "ARCHIVE": {
      const memories = event.payload.memories.filter(isUntouched)
      const left = event.payload.memories.length - memories.length
      return memories.length === 0 ? { left } : { event: { ...event, payload: { ...event.payload, memories } }, left }
    }
    case "COMPRESS": {
      const { sources } = event.payload
      const isKnown = Either.isRight(requireUnparked(db, "disputes"))
      return isKnown && sources.every((source) => isUntouched(source) && !isSideOfDispute(db, source))
        ? { event, left: 0 }
        : { left: sources.length }
    }
    case "SUMMARIZE": {
      const { replaces, session, store, summary } = event.payload
      // A turn that was forgotten since planning must not reappear in a summary.
      const hasSources = summary === null || hasAllSources(db, summary)
      return hasSources && findSummary(db, session, store)?.version === replaces ? { event, left: 0 } : { left: 1 }
    }
    default:
      return { event, left: 0 }
  }
}

/** Sets `born` of the memory that an event adds to the version of that event. */
export const withBorn = (event: DecidedEvent, version: number): DecidedEvent =>
  event.type === "COMPRESS" || event.type === "ADD"
    ? ({
        ...event,
        payload: { ...event.payload, memory: { ...event.payload.memory, born: version } }
      } as DecidedEvent)
    : event
