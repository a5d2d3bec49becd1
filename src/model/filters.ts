import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { ViewError } from "../../projections/view/build.js"
import { toInstant } from "../../text/when/dates.js"
import { InvalidInput } from "./errors.js"
import type { InstantInput } from "./input.js"
import { limits } from "./limits.js"

type Checked<A> = Either.Either<A, InvalidInput>

export const invalid = (field: string, problem: string) => Either.left(new InvalidInput({ field, problem }))

/** That what is asked says nothing else: a name that is not known would be passed over in silence. */
export const noOthers = (asked: object, names: ReadonlyArray<string>): Checked<void> => {
  const other = Object.keys(asked).find((name) => !names.includes(name))
  return other === undefined ? Either.void : invalid(other, `is not known here: ${names.join(", ")} are`)
}

/** A list of alternatives; empty where it is absent. */
export const listOf = <A extends string>(
  field: string,
  values: ReadonlyArray<A> | undefined,
  one: Schema.Schema<A> | Schema.Literal<[A, ...Array<A>]>
): Checked<ReadonlyArray<A>> => {
  if (values === undefined) return Either.right([])
  if (!Array.isArray(values) || !values.every(Schema.is(Schema.String)))
    return invalid(field, "must be a list of texts")
  if (values.length > limits.filterValues) return invalid(field, `has more than ${limits.filterValues} entries`)
  if (values.every(Schema.is(one))) return Either.right(values)
  return invalid(field, `must be among ${"literals" in one ? one.literals.join(", ") : "texts"}`)
}

/** A point in time under its name, in milliseconds; nothing where it is absent. */
export const instantOf = <Field extends string>(
  field: Field,
  value: InstantInput | undefined
): Checked<{ readonly [K in Field]?: number }> => {
  if (value === undefined) return Either.right({})
  const at = toInstant(value)
  return at === undefined
    ? invalid(field, "is not a date: use an ISO 8601 time, a Date or milliseconds")
    : Either.right({ [field]: at } as { readonly [K in Field]?: number })
}

/** A text under its name; nothing where it is absent. */
export const textOf = <Field extends string>(
  field: Field,
  value: string | undefined
): Checked<{ readonly [K in Field]?: string }> =>
  value === undefined
    ? Either.right({})
    : typeof value === "string"
      ? Either.right({ [field]: value } as { readonly [K in Field]?: string })
      : invalid(field, "must be text")

/** A whole number between two others. */
export const integerOf = (field: string, value: number, least: number, most: number): Checked<number> =>
  Number.isInteger(value) && value >= least && value <= most
    ? Either.right(value)
    : invalid(field, `must be a whole number from ${least} to ${most}`)

/** Why a read fails: what it was asked for, or the view. */
export type ReadError = ViewError | InvalidInput

/** A page of an answer. */
export interface PageQuery {
  /** Default 50. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Which page of an answer. */
export const pageOf = (
  query: PageQuery,
  defaultLimit: number
): Checked<{ readonly limit: number; readonly offset: number }> =>
  Either.all({
    limit: integerOf("limit", query.limit ?? defaultLimit, 1, limits.page),
    offset: integerOf("offset", query.offset ?? 0, 0, Number.MAX_SAFE_INTEGER)
  })
