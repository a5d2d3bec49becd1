import type { Store } from "../events/Trust.js"
import type { Filter } from "../src/search.js"
import { instant, many, one, storeOf, whole } from "./options.js"

/** The options that narrow a search or a list. */
export const filterOptions = [
  many("--type <type>", "of this type"),
  many("--tag <tag>", "with this tag"),
  many("--person <name>", "that mentions this person"),
  many("--store <store>", "in this store: private, shared or social", storeOf),
  one("--project <name>", "of this project"),
  one("--session <key>", "of this session"),
  one("--after <time>", "that happened at or after an ISO 8601 date or time", instant),
  one("--before <time>", "that happened before an ISO 8601 date or time", instant),
  one("--limit <n>", "at most so many (default: 10 of a search, 50 of a list)", whole)
]

export interface FilterOptions {
  readonly type?: ReadonlyArray<string>
  readonly tag?: ReadonlyArray<string>
  readonly person?: ReadonlyArray<string>
  readonly store?: ReadonlyArray<Store>
  readonly project?: string
  readonly session?: string
  readonly after?: number
  readonly before?: number
  readonly limit?: number
}

export const filterOf = ({ person, store, tag, type, ...rest }: FilterOptions): Filter => ({
  types: type,
  tags: tag,
  people: person,
  stores: store,
  project: rest.project,
  session: rest.session,
  after: rest.after,
  before: rest.before,
  limit: rest.limit
})
