import { Store } from "../events/Trust.js"
import { Role } from "../events/Turn.js"
import type { ChunkFilters } from "../projections/conversationReads.js"
import { textColumns } from "../projections/fulltext.js"
import type { Filters } from "../projections/search.js"
import { earliest, toInstant } from "./dates.js"
import { normaliseTag } from "./input.js"
import type { Field, Syntax } from "./query.js"
import { whenOf } from "./when.js"

// Fields in the text of a query: `type:decision`, `after:2026-03-01`, `before:"last week"`. Several of one name are
// alternatives; what they say holds beside the filters that the call names.

const any = () => undefined
const among = (values: ReadonlyArray<string>) => (value: string) =>
  values.includes(value.toLowerCase()) ? undefined : `must be one of ${values.join(", ")}`
const time = (value: string) =>
  toInstant(value) !== undefined || stretchOf(value, { now: 0, zone: "UTC" }) !== undefined
    ? undefined
    : "is no date or time"

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
  const elsewhere: Syntax["fields"][string] = () => `is a filter of ${where}`
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
  const valuesOf = valuesIn(fields)
  return {
    types: valuesOf("type").map((value) => value.toLowerCase()),
    stores: valuesOf("store").map((value) => value.toLowerCase() as Store),
    tags: valuesOf("tag").map(normaliseTag),
    people: valuesOf("person"),
    projects: valuesOf("project"),
    sessions: valuesOf("session"),
    ...timesOf(fields, asking)
  }
}

export const conversationFilters = (fields: ReadonlyArray<Field>, asking: Asking): ChunkFilters => {
  const valuesOf = valuesIn(fields)
  return {
    sessions: valuesOf("session"),
    stores: valuesOf("store").map((value) => value.toLowerCase() as Store),
    speakers: [...valuesOf("speaker"), ...valuesOf("person")],
    roles: valuesOf("role").map((value) => value.toLowerCase() as Role),
    kinds: valuesOf("kind").map((value) => value.toLowerCase() as (typeof kinds)[number]),
    ...timesOf(fields, asking)
  }
}

const valuesIn = (fields: ReadonlyArray<Field>) => (name: string) =>
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
