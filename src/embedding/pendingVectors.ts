import * as Effect from "effect/Effect"
import { CurrentCodec } from "../../events/Codec.js"
import type { Memory } from "../../events/Memory.js"
import { yieldToEventLoop } from "../../events/turns.js"
import { findUnembedded, findUnembeddedAmong, type VectorSet } from "../../projections/vectors.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { checkpointOf } from "../../projections/view/ViewFile.js"
import type { AgentServices } from "../actor/Agent.js"
import { splitArray } from "../model/chunksOf.js"

/**
 * The memories of an agent that may have no vector. They are read in small pages, so that other work is not blocked.
 */
export interface PendingMemories {
  /** Marks memories, by row number, whose text or store changed. */
  readonly markChanged: (borns: ReadonlyArray<number>) => void
  /** Checks all memories again. */
  readonly reset: () => void
  /** Passes the next memories without a vector to `embed`; an empty batch if none is left. Returns the batch's size. */
  readonly nextBatch: <E>(
    services: Pick<AgentServices, "actor" | "views">,
    embed: (memories: ReadonlyArray<Memory>) => Effect.Effect<void, E>
  ) => Effect.Effect<number, E | ViewError>
}

/** Number of memories that one query checks. */
const memoriesPerQuery = 2_000
/** Maximum changed memories that are tracked individually. */
const maxTracked = 10_000

export const make = (set: VectorSet, batchSize: number): PendingMemories => {
  /** Every memory up to this row number has its vector or cannot get one, unless it changed since. */
  let checkedUpTo = 0
  /** Memories up to `checkedUpTo` that changed since they were checked. */
  let changed = new Set<number>()

  const markChanged = (borns: ReadonlyArray<number>) => {
    for (const born of borns) changed.add(born)
    if (changed.size <= maxTracked) return
    // Too many to track: check all memories again, starting at the first changed one.
    for (const born of changed) checkedUpTo = Math.min(checkedUpTo, born - 1)
    changed = new Set()
  }

  /** Collects memories without a vector: first the changed ones, then the unchecked ones. */
  const collect = Effect.fnUntraced(function* (
    { actor: { view }, views }: Pick<AgentServices, "actor" | "views">,
    rowNumbers: ReadonlyArray<number>
  ) {
    const pending: Array<Memory> = []
    let checked = 0
    for (const borns of splitArray(rowNumbers, memoriesPerQuery)) {
      if (pending.length >= batchSize) break
      pending.push(...(yield* views.read(view, (db) => findUnembeddedAmong(db, set, borns))))
      checked += borns.length
      yield* yieldToEventLoop
    }
    let last = checkedUpTo
    while (pending.length < batchSize) {
      const page = { after: last, limit: batchSize - pending.length, maxScanned: memoriesPerQuery }
      const next = yield* views.read(view, (db) => findUnembedded(db, set, page))
      if (next.last === undefined) break
      pending.push(...next.memories)
      last = next.last
      yield* yieldToEventLoop
    }
    const rest = pending.slice(batchSize).map(({ born }) => born)
    return { memories: pending.slice(0, batchSize), left: [...rest, ...rowNumbers.slice(checked)], last }
  })

  return {
    markChanged,
    reset: () => {
      checkedUpTo = 0
      changed = new Set()
    },
    nextBatch: (services, embed) =>
      Effect.suspend(() => {
        const start = checkedUpTo
        // Later memories are checked anyway. A memory that changes from now on is marked again.
        const rowNumbers = [...changed].filter((born) => born <= start).sort((a, b) => a - b)
        changed = new Set()
        return Effect.flatMap(collect(services, rowNumbers), ({ last, left, memories }) =>
          Effect.map(embed(memories), () => {
            // In the meantime, a reset or too many changes may have moved `checkedUpTo` back.
            if (checkedUpTo === start) checkedUpTo = last
            markChanged(left)
            return memories.length
          })
        ).pipe(
          Effect.onExit((exit) => Effect.sync(() => (exit._tag === "Success" ? undefined : markChanged(rowNumbers))))
        )
      })
  }
}

/**
 * Memories that other processes of the folder changed. The process that changes a memory should embed it, but may end
 * before that. So the next process that embeds also checks those memories.
 */
export interface ChangesByOthers {
  /** Reports that this process wrote the events with versions `after + 1` to `to`. */
  readonly noteWrites: (after: number, to: number) => void
  /**
   * Returns the row numbers of memories changed since the last call; none at the first call. Null after too many
   * events: check all memories then.
   */
  readonly takeChanged: (services: AgentServices) => Effect.Effect<ReadonlyArray<number> | null, ViewError>
}

/** Maximum events to read. Checking all memories costs less than reading more. */
const maxEventsRead = 10_000
const eventsPerPage = 500

export const changesByOthers = (): ChangesByOthers => {
  /** All changes up to this version are known. */
  let knownUpTo: number | undefined
  return {
    noteWrites: (after, to) => {
      if (knownUpTo === after) knownUpTo = to
    },
    takeChanged: Effect.fnUntraced(function* ({ actor, log, views }) {
      // Use the version of the view, not of the log: memories that are not in the view yet cannot be checked.
      const head = (yield* views.read(actor.view, checkpointOf)).position
      const from = knownUpTo
      if (from === undefined || head <= from) {
        knownUpTo = head
        return []
      }
      const borns = new Set<number>()
      if (head - from <= maxEventsRead) {
        const codec = yield* CurrentCodec
        for (let after = from; after < head; after += eventsPerPage) {
          for (const row of yield* log.read(actor.view.agent, { after, to: head, limit: eventsPerPage })) {
            if (row.type !== "UPDATE") continue
            const event = yield* codec.decode(row)
            if (event.type === "UPDATE" && event.payload !== null) borns.add(event.payload.memory.born)
          }
        }
      }
      knownUpTo = Math.max(knownUpTo ?? 0, head)
      return head - from <= maxEventsRead ? [...borns] : null
    })
  }
}
