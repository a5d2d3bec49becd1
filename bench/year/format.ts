import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { decodeTurn, type TurnInput } from "../../src/conversation/turnInput.js"
import type { InvalidInput } from "../../src/model/errors.js"
import { decodeObservation, listField, type Observation, textField } from "../../src/model/input.js"
import { limits } from "../../src/model/limits.js"
import { toInstant } from "../../text/when/dates.js"

/**
 * A year of inputs to an agent in time order, and the truths during that time. Instants are milliseconds since the
 * epoch.
 */
export interface Year {
  readonly name: string
  readonly happenings: ReadonlyArray<YearInput>
  readonly attributes: ReadonlyArray<Attribute>
  /** The first instant of the first day, and the first instant after the last day (UTC). */
  readonly from: number
  readonly to: number
}

/**
 * A memory, turn or search, and its place in the file, such as "memory 12". A file never contains the kind "said": a
 * turn that is captured, with its text in the third person. `spoken.ts` makes such turns.
 */
export type YearInput = { readonly at: number; readonly place: string } & (
  | { readonly kind: "memory"; readonly observation: Observation }
  | { readonly kind: "turn"; readonly turn: TurnInput }
  | { readonly kind: "said"; readonly turn: TurnInput; readonly about: string }
  | { readonly kind: "search"; readonly text: string }
)

/** A fact that is checked over the year, with its truths in time order. */
export interface Attribute {
  readonly name: string
  readonly truths: ReadonlyArray<Truth>
}

/** One value of an attribute: the time from which it is true, and the words that state it. */
export interface Truth {
  readonly from: number
  /** One or more wordings. A text states the truth if it contains all words and phrases of one wording. */
  readonly ways: ReadonlyArray<ReadonlyArray<string>>
}

/** An invalid year file. Each problem is one line with its place, never with the texts. */
export class InvalidYear extends Schema.TaggedError<InvalidYear>()("InvalidYear", {
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.problems.join("\n")
  }
}

const nonEmptyList = <A, I>(item: Schema.Schema<A, I>, max: number) =>
  listField(item, max).pipe(Schema.filter((values) => values.length > 0 || "is empty"))
const optional = <A, I>(field: Schema.Schema<A, I>) => Schema.optionalWith(field, { exact: true })
const when = textField(limits.key).pipe(
  Schema.filter((at) => toInstant(at) !== undefined || "is not a date: use an ISO 8601 time")
)
const words = nonEmptyList(textField(limits.title), 32)

const Truths = Schema.Struct({ from: when, says: words, or: optional(nonEmptyList(words, 32)) })
const Tracked = Schema.Struct({ name: textField(limits.key), truths: nonEmptyList(Truths, 10_000) })
const Searched = Schema.Struct({ at: when, text: textField(limits.queryBytes) })
const DatedFields = Schema.Struct({ at: when })

const maxEntries = 10_000_000
const File = Schema.Struct({
  name: textField(limits.key),
  memories: nonEmptyList(Schema.Unknown, maxEntries),
  turns: optional(listField(Schema.Unknown, maxEntries)),
  searches: optional(listField(Schema.Unknown, maxEntries)),
  attributes: optional(listField(Schema.Unknown, 100_000))
})

type Checked<A> = Either.Either<A, ReadonlyArray<string>>

/**
 * Decodes and validates a year: `{ name, memories, turns, searches, attributes }`; see `format.md` in this folder. At
 * the same instant, memories come before turns, and turns before searches. Otherwise each list keeps its order.
 */
export const decodeYear = (document: unknown): Either.Either<Year, InvalidYear> => {
  const file = checked(File)(document)
  if (Either.isLeft(file))
    return Either.left(new InvalidYear({ problems: file.left.map((problem) => `file: ${problem}`) }))
  const { attributes = [], memories, name, searches = [], turns = [] } = file.right
  const problems: Array<string> = []
  const decodeList = <A>(
    kind: string,
    values: ReadonlyArray<unknown>,
    decodeEntry: (value: unknown, place: string) => Checked<A>
  ): Array<A> =>
    values.flatMap((value, place) => {
      const read = decodeEntry(value, `${kind} ${place + 1}`)
      if (Either.isRight(read)) return [read.right]
      problems.push(...read.left.map((problem) => `${kind} ${place + 1}: ${problem}`))
      return []
    })
  const remembered = decodeList("memory", memories, (value, place) =>
    Either.map(
      dated(value, decodeObservation),
      ({ at, rest }): YearInput => ({ at, place, kind: "memory", observation: rest })
    )
  )
  const turned = decodeList("turn", turns, (value, place) =>
    Either.map(
      dated(value, decodeTurn),
      ({ at, rest }): YearInput => ({ at, place, kind: "turn", turn: { ...rest, at } })
    )
  )
  const searched = decodeList("search", searches, (value, place) =>
    Either.map(
      checked(Searched)(value),
      ({ at, text }): YearInput => ({ at: toInstant(at)!, place, kind: "search", text })
    )
  )
  const names = new Set<string>()
  const isDuplicate = (name: string) => names.size === names.add(name).size
  const duplicate = Either.left(["name: an earlier attribute has the same name"])
  const tracked = decodeList("attribute", attributes, (value) =>
    Either.flatMap(checked(Tracked)(value), (entry) => (isDuplicate(entry.name) ? duplicate : attributeOf(entry)))
  )
  if (problems.length > 0) return Either.left(new InvalidYear({ problems: shortened(problems) }))
  const happenings = [...remembered, ...turned, ...searched].sort((a, b) => a.at - b.at)
  return Either.right({
    name,
    happenings,
    attributes: tracked,
    from: startOfDay(happenings[0]!.at),
    to: startOfDay(happenings.at(-1)!.at) + day
  })
}

const day = 86_400_000
const startOfDay = (instant: number): number => Math.floor(instant / day) * day

/** The maximum number of listed problems. */
const maxProblems = 30
const shortened = (problems: ReadonlyArray<string>): ReadonlyArray<string> =>
  problems.length <= maxProblems
    ? problems
    : [...problems.slice(0, maxProblems), `… and ${problems.length - maxProblems} more`]

/** Decodes the `at` of an entry, and its other fields as input of the public API. */
const dated = <A>(
  value: unknown,
  decode: (input: unknown) => Either.Either<A, InvalidInput>
): Checked<{ readonly at: number; readonly rest: A }> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return Either.left(["must be an object"])
  const { at, ...others } = value as Record<string, unknown>
  const time = checked(DatedFields)("at" in value ? { at } : {})
  const rest = Either.mapLeft(decode(others), ({ field, problem }) => [`${field}: ${problem}`])
  if (Either.isRight(time) && Either.isRight(rest)) {
    return Either.right({ at: toInstant(time.right.at)!, rest: rest.right })
  }
  return Either.left([
    ...Either.getOrElse(Either.flip(time), () => []),
    ...Either.getOrElse(Either.flip(rest), () => [])
  ])
}

const attributeOf = ({ name, truths }: typeof Tracked.Type): Checked<Attribute> => {
  const read = truths.map(({ from, or = [], says }): Truth => ({ from: toInstant(from)!, ways: [says, ...or] }))
  const wrong = read.findIndex(({ from }, at) => at > 0 && from <= read[at - 1]!.from)
  return wrong < 0
    ? Either.right({ name, truths: read })
    : Either.left([`truths.${wrong}.from: must be later than the start of the previous truth`])
}

const checked =
  <A, I>(schema: Schema.Schema<A, I>) =>
  (value: unknown): Checked<A> =>
    Either.mapLeft(Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value), (error) =>
      ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) =>
        [...(issue.path.length > 0 ? [issue.path.join(".")] : []), problemOf(issue)].join(": ")
      )
    )

/** Replaces Effect's own messages, because they may quote the value. */
const problemOf = ({ _tag, message }: ParseResult.ArrayFormatterIssue): string => {
  if (_tag === "Unexpected") return "is not a known field"
  if (_tag === "Missing") return "is missing"
  return /^(is|must|has|holds) [^"]*$/.test(message) ? message : "is not valid"
}
