import { InvalidArgumentError, Option } from "commander"
import { type Store, stores } from "../events/Trust.js"
import type { AsOfInput } from "../src/Daybook.js"
import { toInstant } from "../src/dates.js"
import type { SourceInput } from "../src/input.js"

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

export const whole = (value: string): number => {
  const number = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number)) throw new InvalidArgumentError("It is not a whole number.")
  return number
}

export const decimal = (value: string): number => {
  const number = Number(value)
  if (value.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("It is not a number.")
  return number
}

export const instant = (value: string): number => {
  const at = toInstant(value)
  if (at === undefined) throw new InvalidArgumentError("It is not an ISO 8601 date or time.")
  return at
}

export const among =
  <A extends string>(values: ReadonlyArray<A>) =>
  (value: string): A => {
    const found = values.find((one) => one === value)
    if (found === undefined) throw new InvalidArgumentError(`It must be one of ${values.join(", ")}.`)
    return found
  }

export const filled = (value: string): string => {
  if (value === "") throw new InvalidArgumentError("It is empty.")
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
  one("--limit <n>", "at most so many (default: 50)", whole),
  one("--offset <n>", "leave out the first so many", whole)
]

export interface PageOptions {
  readonly limit?: number
  readonly offset?: number
}

/** Every command that reads takes it: a version of the agent's log, or a time. */
export const asOf: Option = one(
  "--as-of <version|time>",
  "read what was known after a version of the log, or at an ISO 8601 date or time (UTC)",
  (value): AsOfInput => {
    if (/^\d+$/.test(value)) return { version: whole(value) }
    const at = toInstant(value)
    if (at === undefined) throw new InvalidArgumentError("It is neither a version nor an ISO 8601 date or time.")
    return { at }
  }
)

export interface AsOfOptions {
  readonly asOf?: AsOfInput
}

export const commandId: Option = one(
  "--command-id <id>",
  "makes it safe to repeat: the same id again gets the first answer"
)

/** Without the fields that were not given: absent is not the same as cleared. */
export const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
