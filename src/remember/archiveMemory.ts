import * as Either from "effect/Either"
import { getMemories } from "../../projections/observationReads.js"
import { type Command, callerDecision, commandIdOf, visibleVersion } from "../actor/Command.js"
import { type InvalidInput, type LevelTooLow, MemoryNotFound } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import { nextRevision } from "../model/nextRevision.js"
import { requireLevel } from "./levels.js"
import type { WriteOptions, Writer } from "./remember.js"

/** A memory that was moved to the archive. Only explicit reads of the archive return it. */
export interface Archived {
  readonly outcome: "archived"
  readonly id: string
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that archives one memory. The command fails with `MemoryNotFound` if the writer's trust level does not
 * allow reading the memory, and with `LevelTooLow` if the memory was written at a higher level.
 */
export const archiveMemory = (
  writer: Writer,
  id: string,
  options: WriteOptions = {}
): Either.Either<Command<Archived, LevelTooLow | MemoryNotFound>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodeKey("id", id)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["archive", id]),
      decide: ({ db, now }) => {
        const [memory] = getMemories(db, writer.level, [id], now)
        if (memory === undefined) return Either.left(new MemoryNotFound({ id }))
        return Either.map(requireLevel(writer.level, memory, `memory ${id}`), () => ({
          events: [
            {
              type: "ARCHIVE" as const,
              payload: {
                memories: [nextRevision(memory, { status: "archived", updatedAt: now })],
                decision: callerDecision("ARCHIVE", "archive", "asked to archive it")
              }
            }
          ] as const
        }))
      },
      answer: ([event], repeated) => ({
        outcome: "archived",
        id,
        ...(event === undefined ? {} : visibleVersion(writer.level, event.version)),
        repeated
      })
    }
  })
