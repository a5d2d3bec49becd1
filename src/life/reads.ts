import * as Effect from "effect/Effect"
import { findArchived } from "../../projections/archive.js"
import { findRuns } from "../../projections/runs.js"
import { InvalidInput, TrustRequired } from "../errors.js"
import { integerOf, pageOf, textOf } from "../filters.js"
import { limits } from "../limits.js"
import type { MemoryReader } from "../Memory.js"
import type { ReaderServices, ReaderSource } from "../ReaderSource.js"
import { wholeOf } from "../wholeMemory.js"
import { profileOf } from "./profile.js"
import { tiersOf } from "./tiers.js"

/** What is known of the life of memories. */
export const make = (
  { level, read }: ReaderSource,
  { countTokens, judge, life }: ReaderServices
): Pick<MemoryReader, "tiers" | "profile" | "runs" | "archived"> => {
  const needsFull = (what: string) => (level === "full" ? Effect.void : new TrustRequired({ what }))
  return {
    tiers: Effect.fn("Memory.tiers")(function* (query = {}) {
      yield* needsFull("tiers")
      const limit = yield* integerOf("limit", query.limit ?? 10, 0, limits.page)
      return yield* read(({ db, now }) => tiersOf(db, life, now, limit))
    }),

    profile: Effect.fn("Memory.profile")(function* ({ tokens } = {}) {
      if (tokens !== undefined) yield* integerOf("tokens", tokens, 1, Number.MAX_SAFE_INTEGER)
      return yield* read(({ db, now }) => profileOf(db, level, life, now, countTokens, { budget: tokens, judge }))
    }),

    runs: Effect.fn("Memory.runs")(function* (query = {}) {
      yield* needsFull("runs")
      const page = yield* pageOf(query, 50)
      return yield* read(({ db }) => findRuns(db, page))
    }),

    archived: Effect.fn("Memory.archived")(function* (query = {}) {
      const page = yield* pageOf(query, 50)
      const { text = "" } = yield* textOf("text", query.text)
      const words = text.split(/\s+/u).filter((word) => word !== "")
      if (words.length > limits.queryTerms) {
        return yield* new InvalidInput({ field: "text", problem: `has more than ${limits.queryTerms} words` })
      }
      const rows = yield* read(({ db }) => findArchived(db, level, words, page))
      return rows.map(({ memory, ...row }) => ({ ...wholeOf(memory), ...row }))
    })
  }
}
