import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Field types of settings. */
export const positiveNumber = Schema.Number.pipe(Schema.positive())
export const nonNegativeNumber = Schema.Number.pipe(Schema.nonNegative())
export const positiveInteger = Schema.Int.pipe(Schema.positive())
export const fraction = Schema.Number.pipe(Schema.between(0, 1))

/** A number of days, possibly fractional. */
export const dayCount: Schema.Schema<number> = positiveNumber

/** A setting with a default value. */
export const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Schema.optionalWith(schema, { default: () => value })

/** A policy section whose settings all have defaults. */
export const section = <A, I>(schema: Schema.Schema<A, I>) => withDefault(schema, defaultsOf(schema))

/**
 * Returns the value that a schema decodes from an empty object. For a struct, it reads the defaults directly. Decoding
 * would compile a parser for each setting, and most processes have no policy file to decode.
 */
export const defaultsOf = <A, I>(schema: Schema.Schema<A, I>): A => {
  let { ast } = schema
  while (ast._tag === "Refinement") ast = ast.from
  if (ast._tag !== "Transformation" || ast.transformation._tag !== "TypeLiteralTransformation")
    return Schema.decodeUnknownSync(schema)({})
  const values = ast.transformation.propertySignatureTransformations.flatMap(({ decode, to }) => {
    const value = decode(Option.none())
    return Option.isSome(value) ? [[to, value.value] as const] : []
  })
  return Object.fromEntries(values) as A
}

export const timeZoneName = Schema.String.pipe(
  Schema.filter((name) => {
    // UTC needs no zone data, which is slow to load.
    if (name === "UTC") return true
    try {
      return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
    } catch {
      return "is not a time zone: use an IANA name such as Europe/Berlin"
    }
  })
)

/** A time of day, HH:MM. */
export const clockTime = Schema.String.pipe(
  Schema.pattern(/^([01]\d|2[0-3]):[0-5]\d$/, { message: () => "must be a time of day from 00:00 to 23:59" })
)

/**
 * An optional setting that may be absent, but not `undefined`. A schema that allowed `undefined` would give errors in
 * which Effect quotes the value, which may be a key.
 */
export const exactOptional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const variableName = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z_][A-Za-z0-9_]*$/, {
    message: () => "must be the name of an environment variable, not the key itself"
  })
)

/** The problem of a text that is not an `httpAddress`. */
export const addressProblem = "must be an http or https address without a password, a query or a fragment"

/** The problem of a text that is not a `collectorAddress`. */
export const collectorProblem = `${addressProblem}, and without \`/v1/traces\`: Daybook appends the path of each signal`

export const httpAddress = Schema.String.pipe(
  Schema.filter(
    (text) => {
      if (!URL.canParse(text)) return false
      const url = new URL(text)
      return (
        ["http:", "https:"].includes(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
      )
    },
    { message: () => addressProblem }
  )
)

/** The address of an OTLP collector. Daybook appends the path of each signal. */
export const collectorAddress = httpAddress.pipe(
  Schema.filter((text) => !/\/v1\/(traces|metrics|logs)\/?$/.test(text), { message: () => collectorProblem })
)
