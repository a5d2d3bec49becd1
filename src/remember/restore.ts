import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { findInArchive } from "../../projections/archive.js"
import { asked, type Command, commandIdOf, versionAt, whileSound } from "../actor/Command.js"
import { type InvalidInput, MemoryNotFound, type ProjectionParked } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import type { WriteOptions, Writer } from "./remember.js"

/** A memory that is out of the archive and in every read again. */
export interface Restored {
  readonly outcome: "restored"
  readonly id: string
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that takes a memory out of the archive. It is long from then on, as what is remembered on purpose
 * is, and does not expire any more. Fails with `MemoryNotFound` where the archive has none that the level may read.
 */
export const restore = (
  writer: Writer,
  id: string,
  options: WriteOptions = {}
): Either.Either<Command<Restored, MemoryNotFound | ProjectionParked>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodeKey("id", id)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["restore", id]),
      decide: ({ db, now }) =>
        Either.flatMap(whileSound(db, "archive"), () => {
          const found = findInArchive(db, writer.level, id)
          if (found === undefined) return Either.left(new MemoryNotFound({ id }))
          const { expiresAt, promotedAt: _, coreFrom: __, movedAt: ___, ...rest } = found
          const memory: Memory = {
            ...rest,
            ...(expiresAt === undefined || expiresAt <= now ? {} : { expiresAt }),
            revision: found.revision + 1,
            status: "active",
            tier: found.tier === "core" ? "core" : "long",
            updatedAt: now
          }
          const decision = asked("UPDATE", "restore", "asked to take it out of the archive")
          return Either.right({ events: [{ type: "UPDATE", payload: { memory, reason: "restored", decision } }] })
        }),
      answer: ([event], repeated) => ({
        outcome: "restored",
        id,
        ...(event === undefined ? {} : versionAt(writer.level, event.version)),
        repeated
      })
    }
  })
