import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { compileCheck, compileCopy } from "../../events/compiledSchema.js"
import { type knownTypes, Source, Tier } from "../../events/Memory.js"
import { Store } from "../../events/Trust.js"
import { missingDayProblem, toInstant } from "../../text/when/dates.js"
import { InvalidInput } from "./errors.js"
import { limits } from "./limits.js"

/** Text is stored exactly or refused: lone surrogates and NUL would not read back unchanged. */
const unstorable = /[\p{Surrogate}\0]/u

export const textField = (max: number, options: { readonly blank?: boolean } = {}) =>
  Schema.String.annotations({ message: () => "must be text" }).pipe(
    Schema.filter((value) => {
      if (value.length > max) return `is longer than ${max} characters`
      if (unstorable.test(value)) return "contains a lone surrogate or a NUL character"
      if (options.blank !== true && value.trim() === "") return "is empty"
      return true
    })
  )

export const listField = <A, I>(item: Schema.Schema<A, I>, max: number) =>
  Schema.Array(item)
    .annotations({ message: () => ({ message: "must be a list", override: false }) })
    .pipe(Schema.filter((values) => values.length <= max || `has more than ${max} entries`))

export const oneOf = <A extends string, I>(schema: Schema.Schema<A, I>, values: string) =>
  schema.annotations({ message: () => ({ message: `must be one of ${values}`, override: true }) })

/** A point in time: milliseconds since the epoch, a Date, or ISO 8601 text (UTC if it names no zone). */
export type InstantInput = number | Date | string

/**
 * Describes the problem of a value that is not a point in time. For a text, it does not suggest a `Date`, because
 * callers that pass texts, for example over HTTP, have no `Date`.
 */
export const dateProblem = (value: unknown): string =>
  typeof value === "string"
    ? (missingDayProblem(value) ?? "is not a date: use an ISO 8601 time, such as 2026-03-14T09:30:00Z")
    : "is not a date: use an ISO 8601 time, a Date or milliseconds"

const instant = Schema.Unknown.pipe(Schema.filter((value) => toInstant(value) !== undefined || dateProblem(value)))

/** Checks a point in time. The filter gives one message for all input types; a union would give one per type. */
export const Instant = instant as Schema.Schema.AnyNoContext as Schema.Schema<InstantInput>

export const storeField = oneOf(Store, "private, shared, social")
const typeText = textField(limits.type).pipe(
  Schema.filter((value) => /^[a-z][a-z0-9_-]*$/.test(value) || "must be a lower-case word of letters, digits, - and _")
)

/** The type of a memory: a known one, which editors suggest, or any other lower-case word. */
export type MemoryType = (typeof knownTypes)[number] | (string & {})

/** Checks the type of a memory. */
const typeField = typeText as Schema.Schema.AnyNoContext as Schema.Schema<MemoryType>
/** 0…1. */
const importanceField = Schema.Number.annotations({ message: () => "must be a number" }).pipe(
  Schema.filter((value) => (value >= 0 && value <= 1) || "must be a number from 0 to 1")
)
// Tags are not refused but normalised: trimmed, lower-cased and cut to 64 characters. At most 16 are stored.
export const tagsField = listField(textField(limits.key, { blank: true }), limits.page)
export const keyField = textField(limits.key)

const content = {
  narrative: textField(limits.narrative, { blank: true }),
  facts: listField(textField(limits.fact), limits.facts),
  tags: tagsField,
  people: listField(textField(limits.person), limits.people),
  files: listField(textField(limits.file), limits.files),
  store: storeField,
  importance: importanceField,
  project: keyField,
  topic: keyField,
  occurredAt: Instant,
  expiresAt: Instant
}

export const optionalFields = <Fields extends Record<string, Schema.Schema.AnyNoContext>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.optional(field)])) as {
    readonly [K in keyof Fields]: Schema.optional<Fields[K]>
  }

/** A source of a memory: another memory or a turn by its id, a file by its path. */
const sourceField = Schema.Struct({
  kind: oneOf(Schema.Literal("memory", "turn", "file"), "memory, turn, file"),
  id: textField(limits.file)
})
export type SourceInput = typeof sourceField.Type

/**
 * A memory to store. Only the title is required. Defaults: type `discovery`, the strictest store that the trust level
 * reads, tier `long`, importance 0.
 */
export const Observation = Schema.Struct({
  title: textField(limits.title),
  ...optionalFields({
    ...content,
    type: typeField,
    session: keyField,
    channel: keyField,
    sender: keyField,
    /**
     * The memory's sources. The memory is at least as restrictive as the strictest source. It becomes stale when a
     * source is replaced, forgotten or undone.
     */
    from: listField(sourceField, limits.sources),
    tier: oneOf(Tier, "core, long, mid, daily"),
    source: Schema.Struct({
      kind: oneOf(Source.fields.kind, "agent, manual, auto, auto_capture, tool, import"),
      ...optionalFields({ name: textField(limits.file), place: keyField })
    })
  })
})

export interface Observation extends Schema.Schema.Type<typeof Observation> {}

/** A change to a memory. Only the given fields change; null clears an optional field. See `Observation` for the fields. */
export const Changes = Schema.Struct({
  ...optionalFields({
    ...content,
    title: textField(limits.title),
    type: typeField,
    narrative: Schema.NullOr(content.narrative),
    project: Schema.NullOr(content.project),
    topic: Schema.NullOr(content.topic),
    occurredAt: Schema.NullOr(Instant),
    expiresAt: Schema.NullOr(Instant)
  })
})

export interface Changes extends Schema.Schema.Type<typeof Changes> {}

/**
 * Describes the problem of a value that is not an object; undefined for an object. Without this check, destructuring a
 * text would read the text's methods, such as `at`, as options. `name` is an example of a field of the expected object.
 */
export const objectProblem = (value: unknown, name: string): string | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? undefined
    : `must be an object, such as { ${name}: … }`

/** Makes a decoder for a program's input. It compiles the schema once. */
export const decodeWith = <A, I>(schema: Schema.Schema<A, I>) => {
  const check = compileCheck(schema)
  const copy = compileCopy(schema)
  return (input: unknown): Either.Either<A, InvalidInput> => {
    // Decoding with Schema takes six times as long, so it runs only to find the problem.
    if (check(input)) return Either.right(copy(input) as A)
    const decoded = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(input)
    if (Either.isRight(decoded)) return Either.right(decoded.right)
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
    const field = issue?.path.join(".") || "input"
    const allNames = fieldNames(schema.ast)
    const noObject = allNames[0] === undefined ? undefined : objectProblem(input, allNames[0])
    if (noObject !== undefined) return Either.left(new InvalidInput({ field, problem: noObject }))
    const names = issue?._tag === "Unexpected" && issue.path.length === 1 ? allNames : []
    const problem = `${problemOf(issue)}${names.length === 0 ? "" : `: use ${names.join(", ")}`}`
    return Either.left(new InvalidInput({ field, problem }))
  }
}

/** The field names of an object's schema. A check of the whole object may wrap the schema. */
const fieldNames = (ast: AST.AST): ReadonlyArray<string> =>
  AST.isRefinement(ast)
    ? fieldNames(ast.from)
    : AST.isTypeLiteral(ast)
      ? ast.propertySignatures.map(({ name }) => String(name))
      : []

export const decodeObservation: (input: unknown) => Either.Either<Observation, InvalidInput> = decodeWith(Observation)

export const decodeChanges: (input: unknown) => Either.Either<Changes, InvalidInput> = decodeWith(Changes)

const decodeKeyField = decodeWith(keyField)

/** Decodes a single field: an id, a session key, a command id. */
export const decodeKey = (field: string, value: string): Either.Either<string, InvalidInput> =>
  Either.mapLeft(decodeKeyField(value), ({ problem }) => new InvalidInput({ field, problem }))

/** A tag as it is stored and compared: trimmed, lower-cased, cut to 64 characters. */
export const normaliseTag = (tag: string): string => truncate(tag.trim().toLowerCase(), limits.tag).trim()

/** The tag of a task that is done. The import gives it to a ticked check box; lists of open tasks leave it out. */
export const doneTag = "done"

/** Normalised and deduplicated tags; at most 16 of at most 64 characters. */
export const normaliseTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(tags.map(normaliseTag))].filter((tag) => tag !== "").slice(0, limits.tags)

/**
 * Returns the issue's message if a schema above wrote it. Replaces Effect's own messages, which may quote the value.
 */
const problemOf = (issue: ParseResult.ArrayFormatterIssue | undefined): string => {
  if (issue?._tag === "Unexpected") return "is not a known field"
  if (issue?._tag === "Missing") return "is missing"
  return issue !== undefined && ownMessage.test(issue.message) ? issue.message : "is not valid"
}

const ownMessage = /^(is|must|has|contains) [^"]*$/

/** Cuts without splitting a surrogate pair. */
const truncate = (value: string, max: number): string => {
  const short = value.slice(0, max)
  return unstorable.test(short) ? short.slice(0, -1) : short
}
