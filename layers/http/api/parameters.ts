import * as Schema from "effect/Schema"
import { Tier } from "../../../events/Memory.js"
import { stores } from "../../../events/Trust.js"
import type { PageQuery } from "../../../src/model/filters.js"
import type { InstantInput } from "../../../src/model/input.js"
import type { Embedding } from "../../../src/search/fusion.js"
import type { Filter, Query } from "../../../src/search/search.js"
import { toInstant } from "../../../text/when/dates.js"

/** A parameter as a query has it: a text, or a list where it is repeated. */
const Raw = Schema.Union(Schema.String, Schema.Array(Schema.String))
type Raw = typeof Raw.Type

export type Parameter<A = never> = Schema.optional<Schema.Schema<A, Raw>>

/** How a parameter is read and written. */
interface Conversion<A> {
  readonly jsonSchema: object
  /** Converts a text. It leaves an unsuitable text unchanged: the operation's own check then names the parameter. */
  readonly read: (text: string) => unknown
  readonly write: (value: A) => Raw
}

const parameter =
  <A>({ jsonSchema, read, write }: Conversion<A>) =>
  (description: string): Parameter<A> =>
    Schema.optional(
      Schema.transform(Raw, Schema.Any, {
        strict: false,
        decode: (value: Raw) => (typeof value === "string" ? read(value) : value),
        encode: (value: A | undefined) => (value === undefined ? value : write(value))
      }).annotations({ jsonSchema: { ...jsonSchema, description } })
    ) as unknown as Parameter<A>

const unchanged = (value: string): string => value

export const text = parameter<string>({ jsonSchema: { type: "string" }, read: unchanged, write: unchanged })

const isNumber = /^-?\d+(\.\d+)?$/
export const number = parameter<number>({
  jsonSchema: { type: "number" },
  read: (value) => (isNumber.test(value) ? Number(value) : value),
  write: String
})

/** A list of numbers in one value. The operation refuses what is no number. */
export const numbers = parameter<Embedding>({
  jsonSchema: { type: "string" },
  read: (value) => value.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part))),
  write: (values) => values.join(",")
})

export const flag = parameter<boolean>({
  jsonSchema: { type: "boolean" },
  read: (value) => (value === "true" ? true : value === "false" ? false : value),
  write: String
})

/** Several values: the parameter is repeated. */
export const texts = parameter<ReadonlyArray<string>>({
  jsonSchema: { type: "array", items: { type: "string" } },
  read: (value) => [value],
  write: (values) => values
})

/** ISO 8601, because a number of milliseconds could be a year. */
const isoText = (time: InstantInput): string => {
  const instant = toInstant(time)
  return instant === undefined ? String(time) : new Date(instant).toISOString()
}

export const instant = parameter<InstantInput>({
  jsonSchema: { type: "string", format: "date-time" },
  read: unchanged,
  write: isoText
})

/** A past moment: a version of the log, or a time. */
export const moment = parameter<{ readonly version: number } | { readonly at: InstantInput }>({
  jsonSchema: { type: "string" },
  read: (value) => (/^\d+$/.test(value) ? { version: Number(value) } : { at: value }),
  write: (value) => ("version" in value ? String(value.version) : isoText(value.at))
})

/** Values of a known set. The operation refuses others. */
export const choice = <const A extends string>(values: ReadonlyArray<A>) =>
  parameter<A>({ jsonSchema: { type: "string", enum: values }, read: unchanged, write: unchanged })

export const choices = <const A extends string>(values: ReadonlyArray<A>) =>
  parameter<ReadonlyArray<A>>({
    jsonSchema: { type: "array", items: { type: "string", enum: values } },
    read: (value) => [value],
    write: (list) => list
  })

/** The parameters for the options of an operation: each option has one. */
export type ParametersOf<Options> = { readonly [Name in keyof Options]-?: Parameter<Exclude<Options[Name], undefined>> }

/** The values of parameters. */
export type ValuesOf<Fields> = {
  readonly [Name in keyof Fields]?:
    | (Fields[Name] extends Schema.optional<Schema.Schema<infer A, Raw>> ? A : never)
    | undefined
}

/**
 * The query of an operation. It keeps parameters that it does not know, so that the operation refuses them: a misspelt
 * one would otherwise be ignored silently.
 */
export const query = <Fields extends Schema.Struct.Fields>(
  fields: Fields
): Schema.Schema<ValuesOf<Fields>, Readonly<Record<string, Raw | undefined>>> =>
  Schema.Struct(fields, Schema.Record({ key: Schema.String, value: Schema.Unknown })) as never

/**
 * An id in the path of a URL. The router decodes what the client encodes. A path cannot hold an empty segment or dots:
 * the client sends another id that does not exist.
 */
export const pathText = Schema.transform(Schema.String, Schema.String, {
  decode: unchanged,
  encode: (id) => (/^\.{0,2}$/.test(id) ? "_" : encodeURIComponent(id))
})

/** The parameters that choose the memory of a call. */
export const handle = {
  agent: text("The agent. Default: the one that the token is for, else `default`."),
  actor: text("The caller's name in the history, behind `token:`, the id of the token and `/`.")
}

/** The parameters of every read. */
export const reading = {
  ...handle,
  asOf: moment("Reads a past state: a version of the log (full trust), or an ISO 8601 time."),
  record: flag("Whether the recall log records what the read shows. Default: the policy's."),
  forSession: text("The session whose prompt the read is for. Capture leaves out what its turns repeat of the answer.")
}

/** The parameters of every write. */
export const writing = {
  ...handle,
  run: text("Groups writes, so that undo can take them back together.")
}

/** A header holds visible ASCII only: another key is sent as RFC 8187 writes an extended value. */
const extended = "utf-8''"

const headerText = Schema.transform(Schema.String, Schema.String, {
  decode: (header) => {
    try {
      return header.startsWith(extended) ? decodeURIComponent(header.slice(extended.length)) : header
    } catch {
      return header
    }
  },
  encode: (key) => (/^[\x21-\x7e]+$/.test(key) && !key.startsWith(extended) ? key : extended + encodeURIComponent(key))
})

/** The header that makes a write idempotent: a repeated key answers as the first time and writes nothing. */
export const idempotency = Schema.Struct({
  "idempotency-key": Schema.optional(
    headerText.annotations({ jsonSchema: { type: "string", description: "The command id: a repeat writes nothing." } })
  )
})

const offset = number("Skips so many rows.")

/** A page of an answer. */
export const page = {
  limit: number("Maximum rows, 1 to 1,000. Default 50."),
  cursor: text("`next` of the page before, for the same query."),
  offset
} satisfies ParametersOf<PageQuery> & { readonly cursor: Parameter<string> }

export const filters = {
  types: texts("Memory types, such as `decision`."),
  stores: choices(stores)("Stores."),
  tags: texts("A memory must have each of these tags."),
  anyTags: texts("A memory must have one of these tags."),
  tiers: choices(Tier.literals)("Tiers."),
  people: texts("People."),
  project: text("The project."),
  session: text("The session of the memory."),
  after: instant("At or after this time."),
  before: instant("Before this time."),
  limit: number("Maximum rows, 1 to 1,000.")
} satisfies ParametersOf<Filter>

export const searching = {
  mode: text("`enhanced`, or `classic`: full text alone. Default: the policy's mode."),
  gate: flag("Reads the text as a message, and finds nothing if it needs no memory."),
  at: instant("The asking time. Default: now."),
  embedding: numbers("The query's vector by the model of the active index: numbers with commas between them."),
  topK: number("How many of the best rows of full text, and of vectors, are fused, 1 to 4,095."),
  vectorWeight: number("The weight of vectors, from 0 on, instead of the policy's."),
  textWeight: number("The weight of full text, from 0 on, instead of the policy's.")
}

export const memoryQuery = {
  ...filters,
  ...searching,
  near: flag("Leaves out what is not near the query."),
  text: text("What to look for. Without it: the newest.")
} satisfies ParametersOf<Query>
