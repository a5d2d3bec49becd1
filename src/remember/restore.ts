import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findArchivedById } from "../../projections/archive.js"
import { getMemories } from "../../projections/observationReads.js"
import { type Command, callerDecision, commandIdOf, requireUnparked, visibleVersion } from "../actor/Command.js"
import { InvalidInput, type LevelTooLow, MemoryNotFound, type ProjectionParked } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import { requireLevel } from "./levels.js"
import type { WriteOptions, Writer } from "./remember.js"

/** A memory that was restored from the archive. */
export interface Restored {
  readonly outcome: "restored"
  readonly id: string
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that restores a memory from the archive. The memory moves to tier long, like a memory stored on
 * purpose, unless it is core. An expiry in the past is dropped. Fails with `MemoryNotFound` if the level can read no
 * such archived memory, and with `InvalidInput` if the memory is active.
 */
export const restore = (
  writer: Writer,
  id: string,
  options: WriteOptions = {}
): Either.Either<Command<Restored, InvalidInput | LevelTooLow | MemoryNotFound | ProjectionParked>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodeKey("id", id)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["restore", id]),
      decide: ({ db, now }) =>
        Either.gen(function* () {
          yield* requireUnparked(db, "archive")
          const archived = findArchivedById(db, writer.level, id)
          if (archived === undefined) {
            const [active] = getMemories(db, writer.level, [id], now)
            return yield* Either.left(
              active === undefined
                ? new MemoryNotFound({ id })
                : new InvalidInput({
                    field: "id",
                    problem: "cannot be restored, because the memory is active, not archived"
                  })
            )
          }
          yield* requireLevel(writer.level, archived, `memory ${id}`)
          const { expiresAt, promotedAt: _, coreFrom: __, movedAt: ___, ...rest } = archived
          const memory: Memory = {
            ...rest,
            ...(expiresAt === undefined || expiresAt <= now ? {} : { expiresAt }),
            revision: archived.revision + 1,
            status: "active",
            tier: archived.tier === "core" ? "core" : "long",
            updatedAt: now
          }
          const decision = callerDecision("UPDATE", "restore", "asked to take it out of the archive")
          return { events: [{ type: "UPDATE", payload: { memory, reason: "restored", decision } }] }
        }),
      answer: ([event], repeated) => ({
        outcome: "restored",
        id,
        ...(event === undefined ? {} : visibleVersion(writer.level, event.version)),
        repeated
      })
    }
  })
