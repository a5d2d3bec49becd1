import { isDeepStrictEqual } from "node:util"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Payload } from "../../events/catalogue.js"
import type { Store } from "../../events/Trust.js"
import { findScratchpad } from "../../projections/scratchpads.js"
import {
  type Command,
  commandIdOf,
  type DecidedEvent,
  definedFields,
  requireUnparked,
  type Situation,
  visibleVersion
} from "../actor/Command.js"
import type { InvalidInput, LevelTooLow, ProjectionParked, StoreForbidden } from "../model/errors.js"
import { decodeWith, keyField, listField, optionalFields, storeField, textField } from "../model/input.js"
import { limits } from "../model/limits.js"
import { requireLevel, storeToWrite } from "../remember/levels.js"
import type { WriteOptions, Writer } from "../remember/remember.js"

/** The result of writing a scratchpad. */
export interface WrittenScratchpad {
  /** `unchanged`: the scratchpad had these items already; nothing was written. */
  readonly outcome: "written" | "unchanged"
  readonly session: string
  readonly store: Store
  /** The number of items. */
  readonly items: number
  /** The stream version of the event; only at full trust, and absent when nothing was written. */
  readonly version?: number
  readonly repeated: boolean
}

/** Options for changing a scratchpad. */
export interface ScratchpadOptions extends WriteOptions {
  /** Default: the strictest store that the trust level reads. */
  readonly store?: Store | undefined
}

const itemsField = listField(textField(limits.scratchpadItem), limits.scratchpadItems).pipe(
  Schema.filter((items) => items.length > 0 || "is empty: to remove all items, clear the scratchpad")
)
const decodeCall = decodeWith(
  Schema.Struct({ session: keyField, ...optionalFields({ items: itemsField, store: storeField }) })
)

type Refusal = LevelTooLow | ProjectionParked

/** Makes the command that replaces the whole scratchpad of a session. */
export const writeScratchpad = (
  writer: Writer,
  session: string,
  items: ReadonlyArray<string>,
  options: ScratchpadOptions = {}
): Either.Either<Command<WrittenScratchpad, Refusal>, InvalidInput | StoreForbidden> =>
  Either.map(decodeRequest(writer, { session, items, store: options.store }, options), ({ commandId, place }) => {
    const { session, store } = place
    const count = items.length
    return {
      actor: writer.actor,
      commandId,
      request: () => JSON.stringify(["writeScratchpad", definedFields(place), items]),
      decide: ({ db }) =>
        Either.map(nextState(db, place, writer), ({ isCurrent, payload }) =>
          isCurrent([...items]) && commandId === undefined
            ? { answer: { outcome: "unchanged", session, store, items: count, repeated: false } }
            : { events: [written({ ...payload, scratchpad: { items: [...items], level: writer.level } })] }
        ),
      answer: ([event], repeated) => ({
        outcome: "written",
        session,
        store,
        items: count,
        ...(event === undefined ? {} : visibleVersion(writer.level, event.version)),
        repeated
      })
    }
  })

/** Makes the command that clears the scratchpad of a session. The command returns true if there was one. */
export const clearScratchpad = (
  writer: Writer,
  session: string,
  options: ScratchpadOptions = {}
): Either.Either<Command<boolean, Refusal>, InvalidInput | StoreForbidden> =>
  Either.map(decodeRequest(writer, { session, store: options.store }, options), ({ commandId, place }) => ({
    actor: writer.actor,
    commandId,
    request: () => JSON.stringify(["clearScratchpad", definedFields(place)]),
    decide: ({ db }) =>
      Either.map(nextState(db, place, writer), ({ payload }) =>
        // A command id is recorded even if there is nothing to clear, so that a repeated command clears nothing either.
        payload.was === undefined && commandId === undefined
          ? { answer: false }
          : { events: [written({ ...payload, scratchpad: null })] }
      ),
    answer: ([event]) => event?.type === "SCRATCHPAD" && event.payload.was !== undefined
  }))

interface Place {
  readonly session: string
  readonly store: Store
}

const decodeRequest = (writer: Writer, call: object, { commandId }: WriteOptions) =>
  Either.gen(function* () {
    const { session, store } = yield* decodeCall(call)
    const key = yield* commandIdOf(writer.level, commandId)
    const place: Place = { session, store: yield* storeToWrite(writer.level, store) }
    return { place, commandId: key }
  })

/** The payload of the next event, without the new scratchpad. Refuses to replace the text of a higher level. */
const nextState = (db: Situation["db"], { session, store }: Place, { level }: Writer) =>
  Either.gen(function* () {
    yield* requireUnparked(db, "scratchpads")
    const current = findScratchpad(db, session, store)
    const was = current?.scratchpad ?? undefined
    if (was !== undefined) yield* requireLevel(level, { ...was, store }, `scratchpad of session ${session}`)
    return {
      isCurrent: (items: ReadonlyArray<string>) => isDeepStrictEqual(was, { items, level }),
      payload: {
        session,
        store,
        ...(was === undefined ? {} : { was }),
        ...(current === undefined ? {} : { replaces: current.version })
      }
    }
  })

const written = (payload: Payload<"SCRATCHPAD">): DecidedEvent => ({ type: "SCRATCHPAD", payload })
