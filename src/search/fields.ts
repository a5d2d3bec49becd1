import { Tier } from "../../events/Memory.js"
import { Store } from "../../events/Trust.js"
import { Role } from "../../events/Turn.js"
import type { ChunkFilters } from "../../projections/conversationSearch.js"
import { textColumns } from "../../projections/fulltext.js"
import type { Filters } from "../../projections/memoryFilters.js"
import { earliestInstant, toInstant } from "../../text/when/dates.js"
import { resolveTimes } from "../../text/when/resolveTimes.js"
import { normaliseTag } from "../model/input.js"
import type { Field, FieldRule, QuerySyntax } from "./querySyntax.js"

// A query's text can contain fields: `type:decision`, `after:2026-03-01`, `before:"last week"`. Fields with the same
// name are alternatives, except tags: a row must have every tag. Rows must also pass the filters of the call. A field
// with a minus excludes rows.

const anyValue: FieldRule = {}
const oneOf = (values: ReadonlyArray<string>): FieldRule => ({
  problem: (value) => (values.includes(value.toLowerCase()) ? undefined : `must be one of ${values.join(", ")}`)
})
const time: FieldRule = {
  problem: (value, excluded) => {
    if (excluded)
      return "a time cannot be excluded: use `after:` instead of `-before:`, or `before:` instead of `-after:`"
    return toInstant(value) !== undefined || parseTimeRange(value, { now: 0, zone: "UTC" }) !== undefined
      ? undefined
      : 'is not a date or time (such as 2026-03-14, 2026-03-14T09:30Z, 2026, March, yesterday, "last week")'
  }
}

/** Parses the time range that a value names, directly or with a preposition added ("2026" as "in 2026"). */
export const parseTimeRange = (value: string, { now, zone }: TimeReference) => {
  for (const phrase of [value, `in ${value}`, `on ${value}`, `at ${value}`]) {
    const [range, ...more] = resolveTimes(phrase, now, zone)
    if (range !== undefined && more.length === 0) return range
  }
  return undefined
}

/**
 * Adds the field names of the other kind of search. In this search, their values are read as words, and a hint names
 * the other search.
 */
const withHidden = (
  fields: QuerySyntax["fields"],
  names: ReadonlyArray<string>,
  source: string
): QuerySyntax["fields"] => {
  const hidden: FieldRule = { problem: () => `is a filter that only ${source} support` }
  return Object.defineProperties({ ...fields }, Object.fromEntries(names.map((name) => [name, { value: hidden }])))
}

export const memorySyntax: QuerySyntax = {
  columns: Object.keys(textColumns),
  fields: withHidden(
    {
      type: anyValue,
      store: oneOf(Store.literals),
      tag: anyValue,
      tier: oneOf(Tier.literals),
      person: anyValue,
      project: anyValue,
      session: anyValue,
      after: time,
      before: time
    },
    ["speaker", "role", "kind"],
    "searches of conversations (`--conversation`, `searchConversation`)"
  )
}

/** The kinds of text that a conversation search finds. */
export const conversationKinds = ["turn", "file", "note", "scratchpad"] as const

export const conversationSyntax: QuerySyntax = {
  columns: [],
  fields: {
    session: anyValue,
    store: oneOf(Store.literals),
    speaker: anyValue,
    person: anyValue,
    role: oneOf(Role.literals),
    kind: oneOf(conversationKinds),
    tag: anyValue,
    after: time,
    before: time
  }
}

/** The reference point for relative times in a query. */
export interface TimeReference {
  /** The present time, milliseconds since the epoch. */
  readonly now: number
  /** An IANA time zone. */
  readonly zone: string
}

export const memoryFilters = (fields: ReadonlyArray<Field>, timeReference: TimeReference): Filters => {
  const listsOf = (valuesOf: ValuesOf, isExcluded: boolean) => ({
    types: valuesOf("type").map((value) => value.toLowerCase()),
    stores: valuesOf("store").map((value) => value.toLowerCase() as Store),
    ...tagLists(valuesOf, isExcluded),
    tiers: valuesOf("tier").map((value) => value.toLowerCase() as Tier),
    people: valuesOf("person"),
    projects: valuesOf("project"),
    sessions: valuesOf("session")
  })
  return filtersOf(fields, timeReference, listsOf)
}

export const conversationFilters = (fields: ReadonlyArray<Field>, timeReference: TimeReference): ChunkFilters => {
  const listsOf = (valuesOf: ValuesOf, isExcluded: boolean) => ({
    sessions: valuesOf("session"),
    stores: valuesOf("store").map((value) => value.toLowerCase() as Store),
    speakers: [...valuesOf("speaker"), ...valuesOf("person")],
    roles: valuesOf("role").map((value) => value.toLowerCase() as Role),
    kinds: valuesOf("kind").map((value) => value.toLowerCase() as (typeof conversationKinds)[number]),
    ...tagLists(valuesOf, isExcluded)
  })
  return filtersOf(fields, timeReference, listsOf)
}

/** Included tags select rows that have all of them. Excluded tags exclude rows that have any of them. */
const tagLists = (valuesOf: ValuesOf, isExcluded: boolean) => {
  const tags = valuesOf("tag").map(normaliseTag)
  return isExcluded ? { tags } : { allTags: tags }
}

type ValuesOf = (name: string) => ReadonlyArray<string>

const filtersOf = <Lists>(
  fields: ReadonlyArray<Field>,
  timeReference: TimeReference,
  listsOf: (valuesOf: ValuesOf, isExcluded: boolean) => Lists
) => {
  const included = fields.filter(({ excluded }) => !excluded)
  const excluded = fields.filter(({ excluded }) => excluded)
  const notFilter = excluded.length === 0 ? {} : { not: listsOf(valuesIn(excluded), true) }
  return { ...listsOf(valuesIn(included), false), ...timesOf(included, timeReference), ...notFilter }
}

const valuesIn =
  (fields: ReadonlyArray<Field>): ValuesOf =>
  (name) =>
    fields.filter((field) => field.name === name).map(({ value }) => value)

/** `after:` selects rows from the beginning of the named time on. `before:` selects rows up to that beginning. */
const timesOf = (
  fields: ReadonlyArray<Field>,
  timeReference: TimeReference
): { readonly after?: number; readonly before?: number } => {
  const instantOf = (name: string): number | undefined => {
    const value = valuesIn(fields)(name).at(-1)
    if (value === undefined) return undefined
    const range = parseTimeRange(value, timeReference)
    if (range === undefined) return toInstant(value)
    return range.from === earliestInstant ? range.to : range.from
  }
  const [after, before] = [instantOf("after"), instantOf("before")]
  return { ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) }
}
