import { Store } from "../../events/Trust.js"
import { Role } from "../../events/Turn.js"
import type { ChunkFilters } from "../../projections/conversationReads.js"
import { textColumns } from "../../projections/fulltext.js"
import type { Filters } from "../../projections/search.js"
import { earliest, toInstant } from "../../text/when/dates.js"
import { whenOf } from "../../text/when/when.js"
import { normaliseTag } from "../model/input.js"
import type { Field, KnownField, Syntax } from "./query.js"

// Fields in the text of a query: `type:decision`, `after:2026-03-01`, `before:"last week"`. Several of one name are
// alternatives; what they say holds beside the filters that the call names. With a minus they leave out what has them.

const any: KnownField = {}
const among = (values: ReadonlyArray<string>): KnownField => ({
  problem: (value) => (values.includes(value.toLowerCase()) ? undefined : `must be one of ${values.join(", ")}`)
})
const time: KnownField = {
  problem: (value, excluded) => {
    if (excluded) return "a time cannot be excluded (after: and before: are each other's opposite)"
    return toInstant(value) !== undefined || stretchOf(value, { now: 0, zone: "UTC" }) !== undefined
      ? undefined
      : 'is no date or time (such as 2026-03-14, 2026-03-14T09:30Z, 2026, March, yesterday, "last week")'
  }
}

/** What a value names: by itself, or where a sentence would put a preposition before it ("2026", "Monday"). */
export const stretchOf = (value: string, { now, zone }: Asking) => {
  for (const said of [value, `in ${value}`, `on ${value}`, `at ${value}`]) {
    const [stretch, ...more] = whenOf(said, now, zone)
    if (stretch !== undefined && more.length === 0) return stretch
  }
  return undefined
}

/** Fields of the other search: none here, not listed among those that are, and read as words with a hint to where they are. */
const besides = (fields: Syntax["fields"], names: ReadonlyArray<string>, where: string): Syntax["fields"] => {
  const elsewhere: KnownField = { problem: () => `is a filter of ${where}` }
  return Object.defineProperties({ ...fields }, Object.fromEntries(names.map((name) => [name, { value: elsewhere }])))
}

export const memorySyntax: Syntax = {
  columns: Object.keys(textColumns),
  fields: besides(
    {
      type: any,
      store: among(Store.literals),
      tag: any,
      person: any,
      project: any,
      session: any,
      after: time,
      before: time
    },
    ["speaker", "role", "kind"],
    "conversations (--conversation, searchConversation)"
  )
}

const kinds = ["turn", "file"] as const

export const conversationSyntax: Syntax = {
  columns: [],
  fields: {
    session: any,
    store: among(Store.literals),
    speaker: any,
    person: any,
    role: among(Role.literals),
    kind: among(kinds),
    after: time,
    before: time
  }
}

/** When a query is asked: what its times are measured from. */
export interface Asking {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** An IANA time zone. */
  readonly zone: string
}

export const memoryFilters = (fields: ReadonlyArray<Field>, asking: Asking): Filters => {
  const listsOf = (valuesOf: ValuesOf) => ({
    types: valuesOf("type").map((value) => value.toLowerCase()),
    stores: valuesOf("store").map((value) => value.toLowerCase() as Store),
    tags: valuesOf("tag").map(normaliseTag),
    people: valuesOf("person"),
    projects: valuesOf("project"),
    sessions: valuesOf("session")
  })
  return filtersOf(fields, asking, listsOf)
}

export const conversationFilters = (fields: ReadonlyArray<Field>, asking: Asking): ChunkFilters => {
  const listsOf = (valuesOf: ValuesOf) => ({
    sessions: valuesOf("session"),
    stores: valuesOf("store").map((value) => value.toLowerCase() as Store),
    speakers: [...valuesOf("speaker"), ...valuesOf("person")],
    roles: valuesOf("role").map((value) => value.toLowerCase() as Role),
    kinds: valuesOf("kind").map((value) => value.toLowerCase() as (typeof kinds)[number])
  })
  return filtersOf(fields, asking, listsOf)
}

type ValuesOf = (name: string) => ReadonlyArray<string>

const filtersOf = <Lists>(fields: ReadonlyArray<Field>, asking: Asking, listsOf: (valuesOf: ValuesOf) => Lists) => {
  const [some, none] = [fields.filter(({ excluded }) => !excluded), fields.filter(({ excluded }) => excluded)]
  const not = none.length === 0 ? {} : { not: listsOf(valuesIn(none)) }
  return { ...listsOf(valuesIn(some)), ...timesOf(some, asking), ...not }
}

const valuesIn =
  (fields: ReadonlyArray<Field>): ValuesOf =>
  (name) =>
    fields.filter((field) => field.name === name).map(({ value }) => value)

/** `after:` is from the beginning of the stretch that it names, `before:` until its beginning. */
const timesOf = (
  fields: ReadonlyArray<Field>,
  asking: Asking
): { readonly after?: number; readonly before?: number } => {
  const instantOf = (name: string): number | undefined => {
    const value = valuesIn(fields)(name).at(-1)
    if (value === undefined) return undefined
    const stretch = stretchOf(value, asking)
    if (stretch === undefined) return toInstant(value)
    return stretch.from === earliest ? stretch.to : stretch.from
  }
  const [after, before] = [instantOf("after"), instantOf("before")]
  return { ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) }
}
