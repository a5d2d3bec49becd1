import { isIP } from "node:net"
import { InvalidArgumentError, Option } from "commander"
import { type Store, stores } from "../events/Trust.js"
import type { SourceInput } from "../src/model/input.js"
import { limits } from "../src/model/limits.js"
import { parseInstant } from "../src/search/parseInstant.js"
import { missingDayProblem, toInstant } from "../text/when/dates.js"

/** An option with one value; the last value wins. A value that the parser rejects makes the call invalid. */
export const option = <A>(flags: string, description: string, parse?: (value: string) => A): Option => {
  const option = new Option(flags, description)
  return parse === undefined ? option : option.argParser(parse)
}

/** An option without a value. */
export const flag = (flags: string, description: string): Option => new Option(flags, description)

/** An option that may be repeated; its values are collected in order. */
export const repeatableOption = <A = string>(
  flags: string,
  description: string,
  parse?: (value: string) => A
): Option => {
  const collect = (value: string, before: ReadonlyArray<unknown> = []) => [
    ...before,
    parse === undefined ? value : parse(value)
  ]
  return new Option(flags, `${description} (repeatable)`).argParser(
    Object.assign(collect, { values: valuesOf(parse), isRepeatable: true })
  )
}

/** True if `repeatableOption` made this option. */
export const isRepeatable = ({ parseArg }: Option): boolean => parseArg !== undefined && "isRepeatable" in parseArg

/** The parts of an option that shell completion needs. */
export interface OptionShape {
  /** The long form, such as `--trust`. */
  readonly flag: string
  readonly description: string
  /** The possible values; empty if any value is possible; undefined if the option takes no value. */
  readonly values: ReadonlyArray<string> | undefined
}

export const optionShapeOf = ({ description, long, optional, parseArg, required }: Option): OptionShape => ({
  flag: long ?? "",
  description,
  values: required || optional ? valuesOf(parseArg) : undefined
})

/** The values that a parser from `oneOfParser` accepts; empty for other parsers. */
const valuesOf = (parse: object | undefined): ReadonlyArray<string> =>
  parse !== undefined && "values" in parse ? (parse.values as ReadonlyArray<string>) : []

/** Parses a whole number within these bounds. The error never quotes the value. */
export const wholeNumberParser =
  (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  (value: string): number => {
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    const range = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`
    throw new InvalidArgumentError(`must be a whole number${range}`)
  }

/** Parses the maximum number of rows in one answer. */
export const parseRowCount: (value: string) => number = wholeNumberParser(1, limits.page)

/** Parses a weight: a number of 0 or more. */
export const parseWeight = (value: string): number => {
  const number = value.trim() === "" ? Number.NaN : Number(value)
  if (number >= 0 && Number.isFinite(number)) return number
  throw new InvalidArgumentError("must be a number, 0 or more")
}

/** Parses a number from 0 to 1. */
export const parseFraction = (value: string): number => {
  const number = value.trim() === "" ? Number.NaN : Number(value)
  if (number >= 0 && number <= 1) return number
  throw new InvalidArgumentError("must be a number from 0 to 1")
}

export const parseIsoTime = (value: string): number => {
  const instant = toInstant(value)
  if (instant === undefined)
    throw new InvalidArgumentError(missingDayProblem(value) ?? `must be an ISO 8601 date or time, ${isoExamples}`)
  return instant
}

/** A point in time: milliseconds since the epoch, or words that are resolved when the command runs. */
export type TimeArgument = number | string

/** Parses a time for a query. A query may use words such as "yesterday"; a stored time may not. */
export const parseTimeOrWords = (value: string): TimeArgument => {
  const instant = toInstant(value)
  if (instant !== undefined) return instant
  const missingDay = missingDayProblem(value)
  if (missingDay !== undefined) throw new InvalidArgumentError(missingDay)
  if (parseInstant(value, { now: Date.now(), zone: "UTC" }) !== undefined) return value
  throw new InvalidArgumentError(`must be a time, ${isoExamples}, or words such as "last week" or "3 days ago"`)
}

const isoExamples = "such as 2026-03-01 or 2026-03-01T09:30:00Z"

/** Makes a parser that accepts one of these values. Shell completion reads the values from the parser. */
export const oneOfParser = <A extends string>(values: ReadonlyArray<A>): ((value: string) => A) => {
  const parse = (value: string): A => {
    const match = values.find((allowed) => allowed === value)
    if (match === undefined) throw new InvalidArgumentError(`must be one of ${values.join(", ")}`)
    return match
  }
  return Object.assign(parse, { values })
}

export const parseNonEmpty = (value: string): string => {
  if (value === "") throw new InvalidArgumentError("must not be empty")
  return value
}

/** Parses the name or address of a host. A value with a scheme, port or path would match no request. */
export const parseHostName = (value: string): string => {
  if (isIP(value) === 0 && !/^[\w.-]+$/.test(value))
    throw new InvalidArgumentError("must be a host name without scheme, port or path, such as memory.example.org")
  return value
}

/** Parses memory:ID, turn:ID or file:PATH. */
export const parseSource = (value: string): SourceInput => {
  const [, kind, id] = /^(memory|turn|file):(.+)$/su.exec(value) ?? []
  if (kind === undefined || id === undefined) {
    throw new InvalidArgumentError("must be memory:ID, turn:ID or file:PATH")
  }
  return { kind: kind as SourceInput["kind"], id }
}

export const parseStore: (value: string) => Store = oneOfParser(stores)

/** The options that choose a page of an answer. */
export const pageOptions = [
  option("--limit <n>", `show at most n rows, up to ${limits.page} (default: 50)`, parseRowCount),
  option("--offset <n>", "skip the first n rows", wholeNumberParser(0))
]

export interface PageOptions {
  readonly limit?: number
  readonly offset?: number
}

/** A version of the agent's log, or a time. */
export type AsOf = { readonly version: number } | { readonly at: TimeArgument }

/** The `--as-of` option of every command that reads. */
export const asOfOption: Option = option(
  "--as-of <version|time>",
  'read a past state: log version, ISO 8601 time or words ("last week")',
  (value): AsOf => {
    if (/^\d+$/.test(value)) return { version: versionOf(value) }
    try {
      return { at: parseTimeOrWords(value) }
    } catch {
      throw new InvalidArgumentError(
        missingDayProblem(value) ?? 'must be a log version such as 12, or a time such as 2026-03-01 or "last week"'
      )
    }
  }
)

const versionOf = wholeNumberParser(0)

export interface AsOfOptions {
  readonly asOf?: AsOf
}

export const commandIdOption: Option = option(
  "--command-id <id>",
  "make retries safe: a repeated id returns the first answer"
)

/** Drops undefined fields: an absent field stays unchanged and is not cleared. */
export const definedFields = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
