import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findMemoriesBySource } from "../../projections/lineage.js"
import { findById } from "../../projections/observations.js"
import type { Db } from "../../projections/Projection.js"
import { type Command, callerDecision, type DecidedEvent, requireUnparked, runCause } from "../actor/Command.js"
import type { ProjectionParked } from "../model/errors.js"
import { nextRevision } from "../model/nextRevision.js"

/** Memories that are retired, and would be active without the memories that go. */
interface Retired {
  readonly retired: ReadonlyArray<string>
  /** The ids of the memories that go, or none after the erasure. */
  readonly gone: ReadonlySet<string>
}

/** Whether a memory retired another one, which it names as replaced or as its source. */
const hasRetired = ({ lineage = [] }: Memory, id: string): boolean =>
  lineage.some(({ kind, reason, to }) => to === id && (kind === "supersedes" || reason === "compressed"))

/**
 * The memories that an erasure can make active again: replaced or merged ones, unless another memory that stays also
 * replaced them, or they expired.
 */
export const revivable = (db: Db, { gone, retired }: Retired, now: number): ReadonlyArray<Memory> =>
  retired.flatMap((id) => {
    const memory = findById(db, id)
    if (memory === undefined || !(memory.status === "superseded" || memory.status === "compressed")) return []
    if (memory.expiresAt !== undefined && memory.expiresAt <= now) return []
    const retiring = (["supersedes", "derived"] as const).flatMap((kind) => findMemoriesBySource(db, kind, id))
    return retiring.some((other) => !gone.has(other.id) && hasRetired(other, id)) ? [] : [memory]
  })

/** Makes the command that makes memories active again after an erasure. Its answer has their ids. */
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
      const events = revivable(db, { retired, gone: new Set() }, now).map((memory): DecidedEvent => {
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
