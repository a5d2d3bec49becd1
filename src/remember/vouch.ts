import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { levelOf } from "../../events/Trust.js"
import { getMemories } from "../../projections/observationReads.js"
import { type Command, callerDecision, commandIdOf, type DecidedEvent, visibleVersion } from "../actor/Command.js"
import { InvalidInput, MemoryNotFound, TrustRequired } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import { limits } from "../model/limits.js"
import { nextRevision } from "../model/nextRevision.js"
import type { WriteOptions, Writer } from "./remember.js"

/** Memories that count as written at full trust from now on. */
export interface Vouched {
  readonly outcome: "vouched"
  readonly ids: ReadonlyArray<string>
  /** The stream version of the first event. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that raises memories to level `full`, all or none. Fails with `MemoryNotFound` for an id that names no
 * active memory.
 */
export const vouch = (
  writer: Writer,
  ids: ReadonlyArray<string>,
  options: WriteOptions = {}
): Either.Either<Command<Vouched, MemoryNotFound>, InvalidInput | TrustRequired> =>
  Either.gen(function* () {
    if (writer.level !== "full") return yield* Either.left(new TrustRequired({ what: "vouch" }))
    if (!Array.isArray(ids) || ids.length === 0 || ids.length > limits.ids) {
      return yield* Either.left(new InvalidInput({ field: "ids", problem: `must be a list of 1 to ${limits.ids} ids` }))
    }
    for (const id of ids) yield* decodeKey("ids", id)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["vouch", ids]),
      decide: ({ db, now }) => {
        const memories = getMemories(db, "full", ids, now)
        const missing = ids.find((id) => !memories.some((memory) => memory.id === id))
        if (missing !== undefined) return Either.left(new MemoryNotFound({ id: missing }))
        const [first, ...others] = memories.map((memory) => vouchEvent(memory, now))
        return Either.right({ events: [first!, ...others] })
      },
      answer: (events, repeated) => ({
        outcome: "vouched",
        ids: events.flatMap((event) => (event.type === "UPDATE" ? [event.payload.memory.id] : [])),
        ...(events[0] === undefined ? {} : visibleVersion(writer.level, events[0].version)),
        repeated
      })
    }
  })

const vouchEvent = (memory: Memory, now: number): DecidedEvent => ({
  type: "UPDATE",
  payload: {
    memory: nextRevision(memory, { updatedAt: now, level: "full" }),
    reason: "vouched",
    decision: callerDecision("UPDATE", "vouch", `vouched for what ${levelOf(memory)} wrote`)
  }
})
