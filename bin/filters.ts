import * as Effect from "effect/Effect"
import type { Store } from "../events/Trust.js"
import { limits } from "../src/model/limits.js"
import type { Filter } from "../src/search/search.js"
import type { Call, Failure } from "./commands/Command.js"
import { filled, type Moment, many, moment, one, rowCount, storeOf } from "./options.js"

/** The options that narrow a search or a list. */
export const filterOptions = [
  many("--type <type>", "of this type", filled),
  many("--tag <tag>", "with this tag", filled),
  many("--person <name>", "that mentions this person", filled),
  many("--store <store>", "in this store: private, shared or social", storeOf),
  one("--project <name>", "of this project"),
  one("--session <key>", "of this session"),
  one("--after <time>", 'that happened at or after a time: an ISO 8601 one, or in words ("last week")', moment),
  one("--before <time>", "that happened before a time", moment),
  one("--limit <n>", `at most so many, 1 to ${limits.page} (default: 10 of a search, 50 of a list)`, rowCount)
]

export interface FilterOptions {
  readonly type?: ReadonlyArray<string>
  readonly tag?: ReadonlyArray<string>
  readonly person?: ReadonlyArray<string>
  readonly store?: ReadonlyArray<Store>
  readonly project?: string
  readonly session?: string
  readonly after?: Moment
  readonly before?: Moment
  readonly limit?: number
}

/** The filter that the options say, its times resolved. */
export const filterOf = (
  { momentOf }: Pick<Call, "momentOf">,
  { person, store, tag, type, ...rest }: FilterOptions
): Effect.Effect<Filter, Failure> =>
  Effect.gen(function* () {
    return {
      types: type,
      tags: tag,
      people: person,
      stores: store,
      project: rest.project,
      session: rest.session,
      after: yield* momentOf(rest.after),
      before: yield* momentOf(rest.before),
      limit: rest.limit
    }
  })
