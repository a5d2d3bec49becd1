import * as Schema from "effect/Schema"

/** What settings are made of. */
export const positive = Schema.Number.pipe(Schema.positive())
export const nonNegative = Schema.Number.pipe(Schema.nonNegative())
export const count = Schema.Int.pipe(Schema.positive())
export const share = Schema.Number.pipe(Schema.between(0, 1))

/** Days, whole or not. */
export const days: Schema.Schema<number> = positive

/** A setting that is there even where nobody sets it. */
export const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Schema.optionalWith(schema, { default: () => value })

/** A section of the policy that is there even where the document has none of it. */
export const section = <A, I>(schema: Schema.Schema<A, I>) => withDefault(schema, Schema.decodeUnknownSync(schema)({}))

export const zone = Schema.String.pipe(
  Schema.filter((name) => {
    // The zone that needs no data of zones, which are slow to load.
    if (name === "UTC") return true
    try {
      return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
    } catch {
      return "is no time zone: use an IANA name, Europe/Berlin say"
    }
  })
)

/** The hour and minute of a day. */
export const clockTime = Schema.String.pipe(
  Schema.pattern(/^([01]\d|2[0-3]):[0-5]\d$/, { message: () => "is to be a time of day from 00:00 to 23:59" })
)

/** There or not there: a problem of one that may be undefined would quote the value, which may be a key. */
export const exactly = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const variable = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z_][A-Za-z0-9_]*$/, {
    message: () => "is to be the name of an environment variable, not the key itself"
  })
)

export const address = Schema.String.pipe(
  Schema.filter(
    (text) => {
      if (!URL.canParse(text)) return false
      const url = new URL(text)
      return (
        ["http:", "https:"].includes(url.protocol) && `${url.username}${url.password}${url.search}${url.hash}` === ""
      )
    },
    { message: () => "is to be an http or https address without a password, a query or a fragment" }
  )
)
