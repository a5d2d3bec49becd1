import * as Schema from "effect/Schema"
import { Tier } from "../../../events/Memory.js"
import { stores } from "../../../events/Trust.js"
import type { PageQuery } from "../../../src/model/filters.js"
import type { InstantInput } from "../../../src/model/input.js"
import type { QueryEmbedding } from "../../../src/search/fusion.js"
import type { Filter, Query } from "../../../src/search/search.js"
import { toInstant } from "../../../text/when/dates.js"

/** The value of a parameter in a query: a text, or a list if the parameter is repeated. */
const Raw = Schema.Union(Schema.String, Schema.Array(Schema.String))
type Raw = typeof Raw.Type

export type Parameter<A = never> = Schema.optional<Schema.Schema<A, Raw>>

/** Converts a parameter from and to text. */
interface Conversion<A> {
  readonly jsonSchema: object
  /** Converts a text. Leaves an unsuitable text unchanged, so that the operation's own check reports the parameter. */
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

export const textParameter = parameter<string>({ jsonSchema: { type: "string" }, read: unchanged, write: unchanged })

const isNumber = /^-?\d+(\.\d+)?$/
export const numberParameter = parameter<number>({
  jsonSchema: { type: "number" },
  read: (value) => (isNumber.test(value) ? Number(value) : value),
  write: String
})

/** A list of numbers with commas, in one value. The operation refuses parts that are not numbers. */
export const numberListParameter = parameter<QueryEmbedding>({
  jsonSchema: { type: "string" },
  read: (value) => value.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part))),
  write: (values) => values.join(",")
})

export const booleanParameter = parameter<boolean>({
  jsonSchema: { type: "boolean" },
  read: (value) => (value === "true" ? true : value === "false" ? false : value),
  write: String
})

/** Several values: the parameter is repeated. */
export const textListParameter = parameter<ReadonlyArray<string>>({
  jsonSchema: { type: "array", items: { type: "string" } },
  read: (value) => [value],
  write: (values) => values
})

/** Writes a time as ISO 8601, because a number of milliseconds could be read as a year. */
const isoText = (time: InstantInput): string => {
  const instant = toInstant(time)
  return instant === undefined ? String(time) : new Date(instant).toISOString()
}

export const instantParameter = parameter<InstantInput>({
  jsonSchema: { type: "string", format: "date-time" },
  read: unchanged,
  write: isoText
})

/** A past moment: a version of the log, or a time. */
export const asOfParameter = parameter<{ readonly version: number } | { readonly at: InstantInput }>({
  jsonSchema: { type: "string" },
  read: (value) => (/^\d+$/.test(value) ? { version: Number(value) } : { at: value }),
  write: (value) => ("version" in value ? String(value.version) : isoText(value.at))
})

/** A value of a known set. The operation refuses other values. */
export const choiceParameter = <const A extends string>(values: ReadonlyArray<A>) =>
  parameter<A>({ jsonSchema: { type: "string", enum: values }, read: unchanged, write: unchanged })

export const choiceListParameter = <const A extends string>(values: ReadonlyArray<A>) =>
  parameter<ReadonlyArray<A>>({
    jsonSchema: { type: "array", items: { type: "string", enum: values } },
    read: (value) => [value],
    write: (list) => list
  })

/** One parameter for each option of an operation. */
export type ParametersOf<Options> = { readonly [Name in keyof Options]-?: Parameter<Exclude<Options[Name], undefined>> }

/** The values of parameters. */
export type ValuesOf<Fields> = {
  readonly [Name in keyof Fields]?:
    | (Fields[Name] extends Schema.optional<Schema.Schema<infer A, Raw>> ? A : never)
    | undefined
}

/**
 * The query of an operation. It keeps unknown parameters, so that the operation can refuse them. Otherwise a misspelt
 * parameter would be ignored silently.
 */
export const querySchema = <Fields extends Schema.Struct.Fields>(
  fields: Fields
): Schema.Schema<ValuesOf<Fields>, Readonly<Record<string, Raw | undefined>>> =>
  Schema.Struct(fields, Schema.Record({ key: Schema.String, value: Schema.Unknown })) as never

/**
 * An id in the path of a URL. The client encodes it and the router decodes it. A segment of a path cannot be empty or
 * consist of dots, so the client sends `_` in its place, an id that does not exist.
 */
export const pathText = Schema.transform(Schema.String, Schema.String, {
  decode: unchanged,
  encode: (id) => (/^\.{0,2}$/.test(id) ? "_" : encodeURIComponent(id))
})

/** The parameters that select the memory of a call. */
export const handleParameters = {
  agent: textParameter("The agent. Default: the token's only agent; `default` if the token is for several agents."),
  actor: textParameter(
    "The caller's name in the history, where it is written as `token:ID/NAME` with the id of the token."
  )
}

/** The parameters of every read. */
export const readParameters = {
  ...handleParameters,
  asOf: asOfParameter("Reads a past state: a version of the log (full trust), or an ISO 8601 time."),
  record: booleanParameter("Whether the recall log records the result of the read. Default: the policy's setting."),
  forSession: textParameter(
    "The session whose prompt contains the answer. If its turns repeat the answer, this is not captured again."
  )
}

/** The parameters of every write. */
export const writeParameters = {
  ...handleParameters,
  run: textParameter("Groups writes, so that one undo can revert all of them.")
}

/** A header can contain only visible ASCII. Other keys are sent as extended values of RFC 8187, with this prefix. */
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

/** The header that makes a write idempotent: a repeated key returns the first answer and writes nothing. */
export const idempotencyHeaders = Schema.Struct({
  "idempotency-key": Schema.optional(
    headerText.annotations({ jsonSchema: { type: "string", description: "The command id: a repeat writes nothing." } })
  )
})

const offset = numberParameter("Number of rows to skip.")

/** The parameters that select a page of an answer. */
export const pageParameters = {
  limit: numberParameter("Maximum rows, 1 to 1,000. Default 50."),
  cursor: textParameter("`next` of the previous page of the same query."),
  offset
} satisfies ParametersOf<PageQuery> & { readonly cursor: Parameter<string> }

export const filterParameters = {
  types: textListParameter("Memory types, such as `decision`."),
  stores: choiceListParameter(stores)("Stores."),
  tags: textListParameter("A memory must have each of these tags."),
  anyTags: textListParameter("A memory must have one of these tags."),
  tiers: choiceListParameter(Tier.literals)("Tiers."),
  people: textListParameter("People."),
  project: textParameter("The project."),
  session: textParameter("The session of the memory."),
  after: instantParameter("At or after this time."),
  before: instantParameter("Before this time."),
  limit: numberParameter("Maximum rows, 1 to 1,000.")
} satisfies ParametersOf<Filter>

export const searchParameters = {
  mode: textParameter("`enhanced`, or `classic`: full text alone. Default: the policy's mode."),
  gate: booleanParameter("Reads the text as a message to an agent, and finds nothing if the message needs no memory."),
  at: instantParameter("The time of the query. Default: now."),
  embedding: numberListParameter(
    "The query's vector, made by the model of the active index: numbers separated by commas."
  ),
  topK: numberParameter("Number of best full-text rows, and of nearest vectors, that are fused, 1 to 4,095."),
  vectorWeight: numberParameter("The weight of vectors, 0 or more. Default: the policy's weight."),
  textWeight: numberParameter("The weight of full text, 0 or more. Default: the policy's weight.")
}

export const memoryQuery = {
  ...filterParameters,
  ...searchParameters,
  near: booleanParameter("Leaves out memories that are not near the query."),
  text: textParameter("The text to search for. Without it, the newest memories are returned.")
} satisfies ParametersOf<Query>
