import * as Either from "effect/Either"
import { lowestLevel } from "../../events/Trust.js"
import type { Turn } from "../../events/Turn.js"
import { hasTurn, lastSequence } from "../../projections/sessionReads.js"
import { bounds, cutBytes } from "../../text/normalise/bounds.js"
import { toInstant } from "../../text/when/dates.js"
import { type Command, commandIdOf, definedFields, requireUnparked, visibleVersion } from "../actor/Command.js"
import { type InvalidInput, type ProjectionParked, SequenceConflict, type StoreForbidden } from "../model/errors.js"
import { storeToWrite } from "../remember/levels.js"
import type { WriteOptions, Writer } from "../remember/remember.js"
import { decodeTurn, type TurnInput } from "./turnInput.js"

/** The result of adding a turn. */
export interface AddedTurn {
  readonly id: string
  readonly session: string
  readonly sequence: number
  /** The stream version of the event; only at full trust. */
  readonly version?: number
  /** How many characters of the text are indexed for search; absent if all are indexed. */
  readonly indexed?: number
  readonly repeated: boolean
}

/** The number of indexed characters, if a turn or file is indexed only in part. */
export const indexedLengthField = (text: string): { readonly indexed?: number } => {
  const { length } = cutBytes(text, bounds.indexedBytes)
  return length === text.length ? {} : { indexed: length }
}

/** A checked turn before it has an id and a sequence number. */
export interface TurnDraft extends Omit<Turn, "id" | "sequence" | "occurredAt"> {
  /** When it was said, milliseconds since the epoch; the time of the write if absent. */
  readonly at: number | undefined
}

/** The command that adds a turn. */
export interface AddTurn extends Command<AddedTurn, SequenceConflict | ProjectionParked> {
  readonly draft: TurnDraft
}

export interface AddTurnOptions extends WriteOptions {
  /** Whether the turn waits for extraction. */
  readonly extract?: boolean | undefined
}

/**
 * Checks a turn and makes the command that adds it. Fails with `SequenceConflict` if its sequence number is not the
 * largest. The turn gets the id `wantedId`, unless another turn has that id.
 */
export const addTurn = (
  writer: Writer,
  input: TurnInput,
  options: AddTurnOptions = {},
  wantedId?: string
): Either.Either<AddTurn, InvalidInput | StoreForbidden> =>
  Either.gen(function* () {
    const checked = yield* decodeTurn(input)
    const commandId = yield* commandIdOf(writer.level, options.commandId)
    const store = yield* storeToWrite(writer.level, checked.store)
    const at = toInstant(checked.at)
    const { channel, level = writer.level, role = "user", session, speaker, text, toolCalls } = checked
    const calls = (toolCalls ?? []).flatMap(({ arguments: input = "", name, result = "" }) => [name, input, result])
    const tokens = writer.countTokens([text, ...calls].join("\n"))
    const draft: TurnDraft = {
      session,
      role,
      ...(speaker === undefined ? {} : { speaker }),
      ...(channel === undefined ? {} : { channel }),
      text,
      ...(toolCalls === undefined ? {} : { toolCalls }),
      store,
      // The caller did not write the output of a tool, so it gets a low level.
      level: lowestLevel(level, writer.level, role === "tool" ? "familiar" : "full"),
      tokens,
      at
    }
    const { at: _, ...content } = draft
    return {
      actor: writer.actor,
      commandId,
      draft,
      request: () => JSON.stringify(["addTurn", definedFields({ ...checked, store })]),
      decide: ({ db, newId, now }) => {
        const unparked = requireUnparked(db, "conversation")
        if (Either.isLeft(unparked)) return Either.left(unparked.left)
        const last = lastSequence(db, session, store)
        const sequence = checked.sequence ?? last + 1
        if (sequence <= last) return Either.left(new SequenceConflict({ session, sequence, last }))
        let id = wantedId ?? newId()
        while (hasTurn(db, id)) id = newId()
        const { session: key, role, ...rest } = content
        const turn: Turn = { id, session: key, sequence, role, ...rest, occurredAt: at ?? now }
        const payload = options.extract === true ? { turn, extract: true as const } : { turn }
        return Either.right({
          events: [{ type: "TURN", payload, ...(at === undefined ? {} : { occurredAt: at }) }]
        })
      },
      answer: ([event], repeated) => {
        if (event?.type !== "TURN") throw new Error("the first event of `addTurn` must be TURN")
        const { id, sequence, session } = event.payload.turn
        return {
          id,
          session,
          sequence,
          ...visibleVersion(writer.level, event.version),
          ...indexedLengthField(text),
          repeated
        }
      }
    }
  })
