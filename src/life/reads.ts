import * as Effect from "effect/Effect"
import { TrustRequired } from "../errors.js"
import { integerOf } from "../filters.js"
import { limits } from "../limits.js"
import type { MemoryReader } from "../Memory.js"
import type { ReaderServices, ReaderSource } from "../ReaderSource.js"
import { tiersOf } from "./tiers.js"

/** What is known of the life of memories. */
export const make = ({ level, read }: ReaderSource, { life }: ReaderServices): Pick<MemoryReader, "tiers"> => {
  const needsFull = (what: string) => (level === "full" ? Effect.void : new TrustRequired({ what }))
  return {
    tiers: Effect.fn("Memory.tiers")(function* (query = {}) {
      yield* needsFull("tiers")
      const limit = yield* integerOf("limit", query.limit ?? 10, 0, limits.page)
      return yield* read(({ db, now }) => tiersOf(db, life, now, limit))
    })
  }
}
