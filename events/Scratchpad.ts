import * as Schema from "effect/Schema"
import { Store, TrustLevel } from "./Trust.js"

/** The working notes of a session: its goal, what is done, and what is left to do. */
export const Scratchpad = Schema.Struct({
  items: Schema.Array(Schema.String),
  /** The trust level of the writer. */
  level: TrustLevel
})
export type Scratchpad = typeof Scratchpad.Type

/**
 * From this event on, the session has this scratchpad in the store; null clears it. `was` is the replaced scratchpad,
 * and `replaces` is the version of the previous event of this scratchpad. When an undo restores an earlier scratchpad,
 * `restores` is the version that first added it, and `undoes` lists the versions that the undo reverses.
 */
export const ScratchpadWritten = Schema.Struct({
  session: Schema.String,
  store: Store,
  scratchpad: Schema.NullOr(Scratchpad),
  was: Schema.optional(Scratchpad),
  replaces: Schema.optional(Schema.Number),
  restores: Schema.optional(Schema.Number),
  undoes: Schema.optional(Schema.Array(Schema.Number))
})
