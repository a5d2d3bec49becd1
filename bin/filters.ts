import * as Effect from "effect/Effect"
import { Tier } from "../events/Memory.js"
import type { Store } from "../events/Trust.js"
import type { MemoryReader } from "../src/Memory.js"
import { limits } from "../src/model/limits.js"
import type { Filter } from "../src/search/search.js"
import type { Call, Failure } from "./commands/Command.js"
import {
  oneOfParser,
  option,
  parseNonEmpty,
  parseRowCount,
  parseStore,
  parseTimeOrWords,
  repeatableOption,
  type TimeArgument
} from "./options.js"
import type { Output } from "./output.js"

/** The options that narrow a search or a list. */
export const filterOptions = [
  repeatableOption("--type <type>", "show only memories of this type", parseNonEmpty),
  repeatableOption("--tag <tag>", "show only rows that have all given tags", parseNonEmpty),
  repeatableOption("--any-tag <tag>", "show only rows that have any of the given tags", parseNonEmpty),
  repeatableOption(
    "--tier <tier>",
    "show only memories of this tier: core, long, mid or daily",
    oneOfParser(Tier.literals)
  ),
  repeatableOption("--person <name>", "show only memories that mention this person", parseNonEmpty),
  repeatableOption("--store <store>", "show only rows of this store: private, shared or social", parseStore),
  option("--project <name>", "show only memories of this project"),
  option("--session <key>", "show only rows of this session"),
  option("--after <time>", 'show rows from this time on: ISO 8601, or words: "last week"', parseTimeOrWords),
  option("--before <time>", 'show rows before this time: ISO 8601, or words: "last week"', parseTimeOrWords),
  option("--limit <n>", `show at most n rows, up to ${limits.page} (default: search 10, list 50)`, parseRowCount)
]

export interface FilterOptions {
  readonly type?: ReadonlyArray<string>
  readonly tag?: ReadonlyArray<string>
  readonly anyTag?: ReadonlyArray<string>
  readonly tier?: ReadonlyArray<Tier>
  readonly person?: ReadonlyArray<string>
  readonly store?: ReadonlyArray<Store>
  readonly project?: string
  readonly session?: string
  readonly after?: TimeArgument
  readonly before?: TimeArgument
  readonly limit?: number
}

/** Prints a note on stderr for each type and session that no readable memory has, because the name may be mistyped. */
export const noteUnknownFilters = (
  out: Pick<Output, "note">,
  memory: Pick<MemoryReader, "list">,
  { session, type = [] }: Pick<FilterOptions, "session" | "type">
) =>
  Effect.gen(function* () {
    for (const name of type) {
      if ((yield* memory.list({ types: [name], limit: 1 })).length === 0) out.note(`no memory has the type ${name}`)
    }
    if (session !== undefined && (yield* memory.list({ session, limit: 1 })).length === 0) {
      out.note(`no memory has the session ${session}`)
    }
  })

/** Builds the filter from the options and resolves times given in words. */
export const filterOf = (
  { resolveTime }: Pick<Call, "resolveTime">,
  { anyTag, person, store, tag, tier, type, ...rest }: FilterOptions
): Effect.Effect<Filter, Failure> =>
  Effect.gen(function* () {
    return {
      types: type,
      tags: tag,
      anyTags: anyTag,
      tiers: tier,
      people: person,
      stores: store,
      project: rest.project,
      session: rest.session,
      after: yield* resolveTime(rest.after),
      before: yield* resolveTime(rest.before),
      limit: rest.limit
    }
  })
