import * as Either from "effect/Either"
import { findSourcesByVersion } from "../../projections/lineage.js"
import { findSessionContents } from "../../projections/sessionReads.js"
import { type Command, callerDecision, commandIdOf, requireUnparked, visibleVersion } from "../actor/Command.js"
import { staleEvents } from "../actor/lineage.js"
import { type InvalidInput, type LevelTooLow, type ProjectionParked, SessionNotFound } from "../model/errors.js"
import { decodeKey } from "../model/input.js"
import { requireLevel } from "../remember/levels.js"
import type { WriteOptions, Writer } from "../remember/remember.js"

/**
 * The result of forgetting a session. No read returns the session any more; its events stay in the log until they are
 * erased.
 */
export interface ForgottenSession {
  readonly outcome: "forgotten"
  readonly session: string
  readonly turns: number
  /** How many of its files were forgotten; absent for none. */
  readonly files?: number
  /** How many of its scratchpads were forgotten, one per store; absent for none. */
  readonly scratchpads?: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  readonly repeated: boolean
}

/**
 * Makes the command that forgets the part of a session that the level may read. Fails with `SessionNotFound` if the
 * level may read no part of it.
 */
export const forgetSession = (
  writer: Writer,
  session: string,
  options: WriteOptions = {}
): Either.Either<Command<ForgottenSession, LevelTooLow | SessionNotFound | ProjectionParked>, InvalidInput> =>
  Either.gen(function* () {
    yield* decodeKey("session", session)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["forgetSession", session]),
      decide: ({ db, version }) => {
        const unparked = requireUnparked(db, "conversation")
        if (Either.isLeft(unparked)) return Either.left(unparked.left)
        const { levels, ...contents } = findSessionContents(db, writer.level, session)
        if (contents.stores.length === 0) return Either.left(new SessionNotFound({ session }))
        for (const written of levels) {
          const permitted = requireLevel(writer.level, written, `session ${session}`)
          if (Either.isLeft(permitted)) return Either.left(permitted.left)
        }
        const decision = callerDecision("FORGET", "forgetSession", "asked to forget it")
        const stale = staleEvents(db, findSourcesByVersion(db, contents), "forgotten", { version, level: writer.level })
        return Either.right({ events: [{ type: "FORGET", payload: { session, ...contents, decision } }, ...stale] })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "FORGET") throw new Error("the first event of `forgetSession` must be FORGET")
        const [turns, files] = [event.payload.turns.length, event.payload.files.length]
        const scratchpads = event.payload.scratchpads?.length
        return {
          outcome: "forgotten",
          session,
          turns,
          ...(files === 0 ? {} : { files }),
          ...(scratchpads === undefined ? {} : { scratchpads }),
          ...visibleVersion(writer.level, event.version),
          repeated
        }
      }
    }
  })
