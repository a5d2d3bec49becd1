import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { levels, TrustLevel } from "../../events/Trust.js"
import type { ViewError } from "../../projections/view/buildViewFile.js"
import { toInstant } from "../../text/when/dates.js"
import { InvalidInput } from "./errors.js"
import { dateProblem, type InstantInput, normaliseTag, objectProblem } from "./input.js"
import { limits } from "./limits.js"

type CheckedInput<A> = Either.Either<A, InvalidInput>

export const failWithInvalidInput = (field: string, problem: string) =>
  Either.left(new InvalidInput({ field, problem }))

/** Refuses a value that is not an object. The error shows `name` as an example of a field of the expected object. */
export const checkObject = (field: string, value: unknown, name: string): CheckedInput<void> => {
  const problem = objectProblem(value, name)
  return problem === undefined ? Either.void : failWithInvalidInput(field, problem)
}

/**
 * Refuses unknown option names. Otherwise a misspelt option would be ignored silently. The error uses `field` as the
 * name of the options if their value is not an object.
 */
export const refuseUnknownOptions = (
  options: object,
  names: ReadonlyArray<string>,
  field = "options"
): CheckedInput<void> => {
  const isObject = checkObject(field, options, names[0]!)
  if (Either.isLeft(isObject)) return isObject
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  return unknown === undefined
    ? Either.void
    : failWithInvalidInput(unknown, `is not a known option: use ${names.join(", ")}`)
}

/** Checks the path of a file or a folder. An empty path would mean the current folder. */
export const checkPath = (field: string, value: unknown): CheckedInput<string> =>
  typeof value === "string" && value.trim() !== ""
    ? Either.right(value)
    : failWithInvalidInput(field, "must be a non-empty path")

/** Checks the name of a trust level. A program without types may pass anything. */
export const checkLevel = (field: string, value: unknown): CheckedInput<TrustLevel> =>
  Schema.is(TrustLevel)(value)
    ? Either.right(value)
    : failWithInvalidInput(field, `must be one of ${levels.join(", ")}`)

/** Checks a list of allowed values. Returns an empty list if the list is absent. */
export const decodeOptionalList = <A extends string>(
  field: string,
  values: ReadonlyArray<A> | undefined,
  item: Schema.Schema<A> | Schema.Literal<[A, ...Array<A>]>
): CheckedInput<ReadonlyArray<A>> => {
  if (values === undefined) return Either.right([])
  if (!Array.isArray(values) || !values.every(Schema.is(Schema.String)))
    return failWithInvalidInput(field, "must be a list of texts")
  if (values.length > limits.filterValues)
    return failWithInvalidInput(field, `has more than ${limits.filterValues} entries`)
  if (values.every(Schema.is(item))) return Either.right(values)
  return failWithInvalidInput(
    field,
    "literals" in item ? `must contain only ${item.literals.join(", ")}` : "must be a list of texts"
  )
}

/**
 * Checks the tag filters of a call and normalises them. In the result, a row must have all of `allTags` and one of
 * `tags`. The field for alternatives is named `tags`, because recorded searches of earlier releases contain
 * alternatives in `tags`.
 */
export const decodeTagFilters = ({
  anyTags,
  tags
}: {
  readonly tags?: ReadonlyArray<string> | undefined
  readonly anyTags?: ReadonlyArray<string> | undefined
}): CheckedInput<{ readonly tags: ReadonlyArray<string>; readonly allTags?: ReadonlyArray<string> }> =>
  Either.gen(function* () {
    const all = yield* decodeOptionalList("tags", tags, Schema.String)
    const any = yield* decodeOptionalList("anyTags", anyTags, Schema.String)
    return { ...(all.length === 0 ? {} : { allTags: all.map(normaliseTag) }), tags: any.map(normaliseTag) }
  })

/** Checks an instant. Returns a record with that field in milliseconds; an empty record if the instant is absent. */
export const decodeOptionalInstant = <Field extends string>(
  field: Field,
  value: InstantInput | undefined
): CheckedInput<{ readonly [K in Field]?: number }> => {
  if (value === undefined) return Either.right({})
  const instant = toInstant(value)
  return instant === undefined
    ? failWithInvalidInput(field, dateProblem(value))
    : Either.right({ [field]: instant } as { readonly [K in Field]?: number })
}

/** Checks a text. Returns a record with that field; an empty record if the text is absent. */
export const decodeOptionalText = <Field extends string>(
  field: Field,
  value: string | undefined
): CheckedInput<{ readonly [K in Field]?: string }> =>
  value === undefined
    ? Either.right({})
    : typeof value === "string"
      ? Either.right({ [field]: value } as { readonly [K in Field]?: string })
      : failWithInvalidInput(field, "must be text")

/** Checks for a whole number from `min` to `max`, both included. */
export const checkInteger = (field: string, value: number, min: number, max: number): CheckedInput<number> =>
  Number.isInteger(value) && value >= min && value <= max
    ? Either.right(value)
    : failWithInvalidInput(field, `must be a whole number from ${min} to ${max}`)

/** Errors of a read: the input is invalid, or the view failed. */
export type ReadError = ViewError | InvalidInput

/** The page of a paged read. */
export interface PageQuery {
  /** Default 50. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Checks the page of a paged read. Refuses every option that is neither a page option nor in `otherOptions`. */
export const checkPage = (
  query: PageQuery,
  defaultLimit: number,
  otherOptions: ReadonlyArray<string> = []
): CheckedInput<{ readonly limit: number; readonly offset: number }> =>
  Either.flatMap(refuseUnknownOptions(query, [...otherOptions, "limit", "offset"]), () =>
    Either.all({
      limit: checkInteger("limit", query.limit ?? defaultLimit, 1, limits.page),
      offset: checkInteger("offset", query.offset ?? 0, 0, Number.MAX_SAFE_INTEGER)
    })
  )
