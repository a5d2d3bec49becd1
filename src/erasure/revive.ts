import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findMemoriesBySource } from "../../projections/lineage.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { type Command, callerDecision, type DecidedEvent, requireUnparked, runCause } from "../actor/Command.js"
import type { ProjectionParked } from "../model/errors.js"
import { nextRevision } from "../model/nextRevision.js"

/** Retired memories that would be active without the erased memories. */
interface Retired {
  readonly retired: ReadonlyArray<string>
  /** The ids of the memories to erase; empty after the erasure. */
  readonly gone: ReadonlySet<string>
}

/**
 * Returns true if a memory retired the memory `id`: its lineage names that memory as replaced or as a merged source.
 */
const hasRetired = ({ lineage = [] }: Memory, id: string): boolean =>
  lineage.some(({ kind, reason, to }) => to === id && (kind === "supersedes" || reason === "compressed"))

/**
 * The memories that an erasure can make active again: replaced or merged memories that have not expired and that no
 * remaining memory replaced too.
 */
export const findRevivableMemories = (db: Db, { gone, retired }: Retired, now: number): ReadonlyArray<Memory> =>
  retired.flatMap((id) => {
    const memory = findById(db, id)
    if (memory === undefined || !(memory.status === "superseded" || memory.status === "compressed")) return []
    if (memory.expiresAt !== undefined && memory.expiresAt <= now) return []
    const retiring = (["supersedes", "derived"] as const).flatMap((kind) => findMemoriesBySource(db, kind, id))
    return retiring.some((other) => !gone.has(other.id) && hasRetired(other, id)) ? [] : [memory]
  })

/**
 * Makes the command that makes memories active again after an erasure. Its answer contains the ids of these memories.
 */
export const revive = (
  retired: ReadonlyArray<string>,
  { actor, run }: { readonly actor: string; readonly run: string }
): Command<ReadonlyArray<string>, ProjectionParked> => ({
  actor,
  cause: runCause(run),
  request: () => JSON.stringify(["revive", retired]),
  decide: ({ db, now }) =>
    Either.gen(function* () {
      yield* requireUnparked(db, "lineage")
      const events = findRevivableMemories(db, { retired, gone: new Set() }, now).map((memory): DecidedEvent => {
        const revived = nextRevision(memory, { status: "active", updatedAt: now })
        const decision = callerDecision(
          "UPDATE",
          "erase",
          "asked to take it back: the memory that replaced it was erased"
        )
        return { type: "UPDATE", payload: { memory: revived, reason: "restored", decision } }
      })
      const [first, ...others] = events
      return first === undefined ? { answer: [] } : { events: [first, ...others] }
    }),
  answer: (events) => events.flatMap((event) => (event.type === "UPDATE" ? [event.payload.memory.id] : []))
})
