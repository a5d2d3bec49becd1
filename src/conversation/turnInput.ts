import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Store, TrustLevel } from "../../events/Trust.js"
import { Role, type ToolCall } from "../../events/Turn.js"
import type { InvalidInput } from "../model/errors.js"
import {
  decodeWith,
  Instant,
  type InstantInput,
  keyField,
  listField,
  oneOf,
  optionalFields,
  storeField,
  textField
} from "../model/input.js"
import { limits } from "../model/limits.js"

const TurnSchema = Schema.Struct({
  session: keyField,
  text: textField(limits.turn, { blank: true }),
  ...optionalFields({
    role: oneOf(Role, "user, assistant, system, tool"),
    speaker: textField(limits.person),
    channel: keyField,
    sequence: Schema.Number.annotations({ message: () => "must be a number" }).pipe(
      Schema.filter((value) => (Number.isSafeInteger(value) && value > 0) || "must be a whole number, 1 or more")
    ),
    toolCalls: listField(
      Schema.Struct({
        name: textField(limits.key),
        ...optionalFields({
          id: textField(limits.key),
          arguments: textField(limits.turn, { blank: true }),
          result: textField(limits.turn, { blank: true })
        })
      }),
      limits.toolCalls
    ),
    store: storeField,
    level: oneOf(TrustLevel, "full, inner, familiar, public"),
    at: Instant
  })
}).pipe(
  Schema.filter(
    (turn) =>
      turn.text.trim() !== "" ||
      (turn.toolCalls ?? []).length > 0 || {
        path: ["text"],
        message: "must not be empty, unless the turn calls a tool"
      }
  )
)

/**
 * A turn as callers pass it. Defaults: role `user`, the next sequence of its session, now, the strictest store that the
 * level can read.
 */
export interface TurnInput {
  /** The turn's session. The first turn creates it. */
  readonly session: string
  readonly text: string
  readonly role?: Role | undefined
  readonly speaker?: string | undefined
  readonly channel?: string | undefined
  /** The sequence number. It must be larger than the numbers of all earlier turns of the session. */
  readonly sequence?: number | undefined
  readonly toolCalls?: ReadonlyArray<ToolCall> | undefined
  readonly store?: Store | undefined
  /** The trust level of the speaker, at most the writer's. Default: the writer's; `familiar` for the role `tool`. */
  readonly level?: TrustLevel | undefined
  readonly at?: InstantInput | undefined
}

export const decodeTurn = decodeWith(TurnSchema) as (input: unknown) => Either.Either<TurnInput, InvalidInput>
