import type * as Effect from "effect/Effect"
import type { ReaderServices, ReaderSource } from "../actor/ReaderSource.js"
import { checkInteger, type ReadError, refuseUnknownOptions } from "../model/filters.js"
import { defineMethod } from "../model/operation.js"
import { type Profile, profileOf } from "./profile.js"

export type { Profile } from "./profile.js"

/** Reads the core block of a system prompt. */
export interface ProfileReader {
  /**
   * The core block of a system prompt, within a token budget (default: the policy's). Core memories come first, then
   * identities, preferences and decisions by score. It contains memories written at the policy's level
   * (`prompt.writers`) or above; for a lower reader, at the reader's level or above. Other memories are quoted
   * separately.
   */
  readonly profile: (query?: { readonly tokens?: number | undefined }) => Effect.Effect<Profile, ReadError>
}

/** @internal */
export const makeProfileReader = (
  { level, read }: ReaderSource,
  { countTokens, judge, maintenance, settler }: ReaderServices
): ProfileReader => ({
  profile: defineMethod("Memory.profile")(function* (query = {}) {
    yield* refuseUnknownOptions(query, ["tokens"])
    const { tokens } = query
    if (tokens !== undefined) yield* checkInteger("tokens", tokens, 1, Number.MAX_SAFE_INTEGER)
    return yield* read(({ db, now }) =>
      profileOf(db, level, maintenance, now, countTokens, { budget: tokens, judge, settler })
    )
  })
})
