import { InvalidArgumentError, Option } from "commander"
import { type Store, stores } from "../events/Trust.js"
import type { SourceInput } from "../src/model/input.js"
import { limits } from "../src/model/limits.js"
import { momentOf } from "../src/search/moment.js"
import { toInstant } from "../text/when/dates.js"

/** An option that is given once; the last one counts. A parser that refuses makes it a bad call. */
export const one = <A>(flags: string, description: string, parse?: (value: string) => A): Option => {
  const option = new Option(flags, description)
  return parse === undefined ? option : option.argParser(parse)
}

/** An option without a value. */
export const flag = (flags: string, description: string): Option => new Option(flags, description)

/** An option that may be given again and again. */
export const many = <A = string>(flags: string, description: string, parse?: (value: string) => A): Option =>
  new Option(flags, `${description} (repeatable)`).argParser((value, before: ReadonlyArray<unknown> = []) => [
    ...before,
    parse === undefined ? value : parse(value)
  ])

/** A whole number, no less and no more than these; what is said of a wrong one never holds it. */
export const whole =
  (least: number, most: number = Number.MAX_SAFE_INTEGER) =>
  (value: string): number => {
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
    throw new InvalidArgumentError(`must be a whole number${range}`)
  }

/** Rows of one answer. */
export const rowCount: (value: string) => number = whole(1, limits.page)

/** A number from 0 to 1. */
export const share = (value: string): number => {
  const number = value.trim() === "" ? Number.NaN : Number(value)
  if (number >= 0 && number <= 1) return number
  throw new InvalidArgumentError("must be a number from 0 to 1")
}

export const instant = (value: string): number => {
  const at = toInstant(value)
  if (at === undefined) throw new InvalidArgumentError(`must be an ISO 8601 date or time, ${suchAs}`)
  return at
}

/** A point in time as a call names it: milliseconds since the epoch, or words that are resolved when it is carried out. */
export type Moment = number | string

/** A point in time to look for: unlike one to be kept, it may be said in words. */
export const moment = (value: string): Moment => {
  const at = toInstant(value)
  if (at !== undefined) return at
  if (momentOf(value, { now: Date.now(), zone: "UTC" }) !== undefined) return value
  throw new InvalidArgumentError(`must be a time, ${suchAs}, or words for one, such as "last week" or "3 days ago"`)
}

const suchAs = "such as 2026-03-01 or 2026-03-01T09:30:00Z"

export const among =
  <A extends string>(values: ReadonlyArray<A>) =>
  (value: string): A => {
    const found = values.find((one) => one === value)
    if (found === undefined) throw new InvalidArgumentError(`must be one of ${values.join(", ")}`)
    return found
  }

export const filled = (value: string): string => {
  if (value === "") throw new InvalidArgumentError("is empty")
  return value
}

/** memory:ID, turn:ID or file:PATH. */
export const sourceOf = (value: string): SourceInput => {
  const [, kind, id] = /^(memory|turn|file):(.+)$/su.exec(value) ?? []
  if (kind === undefined || id === undefined) {
    throw new InvalidArgumentError("It must be memory:ID, turn:ID or file:PATH.")
  }
  return { kind: kind as SourceInput["kind"], id }
}

export const storeOf: (value: string) => Store = among(stores)

/** Which page of an answer. */
export const pageOptions = [
  one("--limit <n>", `at most so many, 1 to ${limits.page} (default: 50)`, rowCount),
  one("--offset <n>", "leave out the first so many", whole(0))
]

export interface PageOptions {
  readonly limit?: number
  readonly offset?: number
}

/** A version of the agent's log, or a time. */
export type AsOf = { readonly version: number } | { readonly at: Moment }

/** Every command that reads takes it. */
export const asOf: Option = one(
  "--as-of <version|time>",
  "read what was known after a version of the log, or at an ISO 8601 date or time (UTC) or one in words",
  (value): AsOf => {
    if (/^\d+$/.test(value)) return { version: versionOf(value) }
    try {
      return { at: moment(value) }
    } catch {
      throw new InvalidArgumentError(
        'must be a version of the log, such as 12, or a time, such as 2026-03-01 or "last week"'
      )
    }
  }
)

const versionOf = whole(0)

export interface AsOfOptions {
  readonly asOf?: AsOf
}

export const commandId: Option = one(
  "--command-id <id>",
  "makes it safe to repeat: the same id again gets the first answer"
)

/** Without the fields that were not given: absent is not the same as cleared. */
export const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
