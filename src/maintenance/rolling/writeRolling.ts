import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Decision } from "../../../events/catalogue.js"
import type { RollingSummary } from "../../../events/RollingSummary.js"
import { lowestLevel, type Store } from "../../../events/Trust.js"
import { turnLevelOf } from "../../../events/Turn.js"
import { findRollingSummary, findTurnsAfter, hasAllSourceTurns } from "../../../projections/rollingSummaries.js"
import { lastSequence } from "../../../projections/sessionReads.js"
import {
  type Command,
  callerDecision,
  commandIdOf,
  definedFields,
  requireUnparked,
  type Situation,
  visibleVersion
} from "../../actor/Command.js"
import { InvalidInput, type LevelTooLow, type ProjectionParked, type StoreForbidden } from "../../model/errors.js"
import { checkObject } from "../../model/filters.js"
import { decodeWith, keyField, optionalFields, storeField, textField } from "../../model/input.js"
import { limits } from "../../model/limits.js"
import { requireLevel, storeToWrite } from "../../remember/levels.js"
import type { WriteOptions, Writer } from "../../remember/remember.js"

/** The result of writing a rolling summary. */
export interface WrittenRolling {
  /** False if nothing was written: the summary changed since the caller read it, or its turns are gone. */
  readonly applied: boolean
  /** The epoch after the write. */
  readonly epoch: number
  /** The stream version of the event; only at full trust, and absent when nothing was written. */
  readonly version?: number
  readonly repeated: boolean
}

/** A rolling summary that the caller wrote. */
export interface RollingInput {
  readonly text: string
  /** The sequence number of the newest turn that the text covers. */
  readonly upperSequence: number
  /** The epoch that the caller read; 0 if there was no summary. */
  readonly epoch: number
}

export interface RollingOptions extends WriteOptions {
  /** Default: the strictest store that the trust level reads. */
  readonly store?: Store | undefined
}

const wholeNumber = Schema.Number.annotations({ message: () => "must be a number" }).pipe(
  Schema.filter((value) => (Number.isSafeInteger(value) && value >= 0) || "must be a whole number, 0 or more")
)
const decodeCall = decodeWith(
  Schema.Struct({
    session: keyField,
    text: textField(limits.narrative),
    upperSequence: wholeNumber,
    epoch: wholeNumber,
    ...optionalFields({ store: storeField })
  })
)

type Refusal = InvalidInput | LevelTooLow | ProjectionParked

/**
 * Makes the command that replaces a rolling summary, if the stored epoch is the epoch that the caller read. The
 * summary's level is the lowest level of the writer, the summary before and all covered turns.
 */
export const writeRolling = (
  writer: Writer,
  session: string,
  input: RollingInput,
  options: RollingOptions = {}
): Either.Either<Command<WrittenRolling, Refusal>, InvalidInput | StoreForbidden> =>
  Either.gen(function* () {
    yield* checkObject("input", input, "text")
    const { epoch, store: given, text, upperSequence } = yield* decodeCall({ session, ...input, store: options.store })
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    const store = yield* storeToWrite(writer.level, given)
    return stateCommand(writer, {
      ...{ session, store, epoch, commandId },
      request: () => JSON.stringify(["writeRolling", definedFields({ session, store, text, upperSequence, epoch })]),
      decision: callerDecision("SUMMARIZE", "writeRolling", "written by the caller"),
      stateIn: (db, before) => {
        const last = lastSequence(db, session, store)
        if (upperSequence > last) {
          return Either.left(
            new InvalidInput({ field: "upperSequence", problem: `must be at most ${last}, the session's last turn` })
          )
        }
        const after = before?.upperSequence ?? 0
        const { turns } = findTurnsAfter(db, session, store, { after, to: upperSequence, limit: unbounded })
        const covered = turns.map(({ turn }) => turnLevelOf(turn))
        const level = lowestLevel(writer.level, before?.level ?? "full", ...covered)
        const sources = turns.map(({ born }) => born)
        return Either.right({ text, epoch: epoch + 1, upperSequence, level, sources })
      }
    })
  })

interface StateWrite {
  readonly session: string
  readonly store: Store
  /** The epoch of the summary from which the new state was made. */
  readonly epoch: number
  readonly commandId?: string | undefined
  readonly request: () => string
  readonly decision: Decision
  readonly stateIn: (
    db: Situation["db"],
    before: RollingSummary | undefined
  ) => Either.Either<RollingSummary, InvalidInput>
}

/** Makes the command that writes a state. The command returns `applied: false` if the stored epoch is not `epoch`. */
export const stateCommand = (
  writer: Writer,
  { commandId, decision, epoch, request, session, stateIn, store }: StateWrite
): Command<WrittenRolling, Refusal> => ({
  actor: writer.actor,
  commandId,
  request,
  decide: ({ db }) =>
    Either.gen(function* () {
      yield* requireUnparked(db, "rollingSummaries")
      yield* requireUnparked(db, "conversation")
      const current = findRollingSummary(db, session, store)
      const stale = (): { readonly answer: WrittenRolling } => ({
        answer: { applied: false, epoch: current?.state.epoch ?? 0, repeated: false }
      })
      if ((current?.state.epoch ?? 0) !== epoch) return stale()
      const state = yield* stateIn(db, current?.state)
      // A writer may neither replace a summary of a higher level nor summarise turns of a higher level.
      if (current !== undefined) yield* requireLevel(writer.level, { ...current.state, store }, whatOf(session))
      yield* requireLevel(writer.level, { ...state, store }, whatOf(session))
      if (!hasAllSourceTurns(db, state)) return stale()
      const replaced = current === undefined ? {} : { was: current.state, replaces: current.version }
      return { events: [{ type: "ROLL", payload: { session, store, state, ...replaced, decision } }] }
    }),
  answer: ([event], repeated) => {
    if (event?.type !== "ROLL" || event.payload.state === null) throw new Error("writeRolling made another event")
    return {
      applied: true,
      epoch: event.payload.state.epoch,
      ...visibleVersion(writer.level, event.version),
      repeated
    }
  }
})

/** No limit, because the level depends on every covered turn. */
const unbounded = Number.MAX_SAFE_INTEGER

const whatOf = (session: string): string => `rolling summary of session ${session}`
