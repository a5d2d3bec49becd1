import * as Either from "effect/Either"
import { findArchivedById } from "../../projections/archive.js"
import { getMemories } from "../../projections/observationReads.js"
import { type Command, callerDecision, commandIdOf, requireUnparked, visibleVersion } from "../actor/Command.js"
import { staleEvents } from "../actor/lineage.js"
import { type InvalidInput, type LevelTooLow, MemoryNotFound, type ProjectionParked } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import { nextRevision } from "../model/nextRevision.js"
import { requireLevel } from "./levels.js"
import type { WriteOptions, Writer } from "./remember.js"

/** A forgotten memory: no read returns it. Its events stay in the log until they are erased. */
export interface Forgotten {
  readonly outcome: "forgotten"
  readonly id: string
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that forgets one memory. The command fails with `MemoryNotFound` if the writer's trust level does not
 * allow reading the memory, and with `LevelTooLow` if the memory was written at a higher level.
 */
export const forget = (
  writer: Writer,
  id: string,
  options: WriteOptions = {}
): Either.Either<Command<Forgotten, LevelTooLow | MemoryNotFound | ProjectionParked>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodeKey("id", id)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["forget", id]),
      decide: ({ db, now, version }) => {
        let [memory] = getMemories(db, writer.level, [id], now)
        if (memory === undefined) {
          const archive = requireUnparked(db, "archive")
          if (Either.isLeft(archive)) return Either.left(archive.left)
          // An archived memory can be forgotten too, and then leaves the archive.
          memory = findArchivedById(db, writer.level, id)
        }
        if (memory === undefined) return Either.left(new MemoryNotFound({ id }))
        const permitted = requireLevel(writer.level, memory, `memory ${id}`)
        if (Either.isLeft(permitted)) return Either.left(permitted.left)
        return Either.right({
          events: [
            {
              type: "DELETE",
              payload: {
                memory: nextRevision(memory, { status: "forgotten", updatedAt: now }),
                reason: "forgotten",
                decision: callerDecision("DELETE", "forget", "asked to forget it")
              }
            },
            ...staleEvents(db, [{ kind: "derived", to: id }], "forgotten", { version, level: writer.level })
          ]
        })
      },
      answer: ([event], repeated) => ({
        outcome: "forgotten",
        id,
        ...(event === undefined ? {} : visibleVersion(writer.level, event.version)),
        repeated
      })
    }
  })
