/** A number, an amount, a day or a time of day. A day has only the fields that the text names. */
export interface Value {
  readonly kind: "quantity" | "version" | "clock" | "day"
  /** The words of the text, in lower case. Equal values with different words are in different formats. */
  readonly form: string
  /** A quantity in the base unit of its dimension; a clock time in minutes since midnight. */
  readonly amount?: number
  /** The upper end of a range. */
  readonly upTo?: number
  /** The precision, in the base unit: the value of one unit in the last written digit. */
  readonly step?: number
  /** The dimension of the unit, or the stem of the noun that is counted; "" for a bare number. */
  readonly unit?: string
  /** The word before the value: port 5432, version 3. */
  readonly head?: string
  /** The parts of a version or a bare number, the most significant first. */
  readonly parts?: ReadonlyArray<string>
  readonly year?: number
  readonly quarter?: number
  readonly month?: number
  readonly day?: number
  readonly week?: number
  readonly weekday?: number
  /** The days that a date means, in days since 1970: from, and until (exclusive). Undefined for recurring days. */
  readonly days?: DayRange
  /** True if the date depends on the time of the statement: tomorrow, next Friday. */
  readonly isRelative?: boolean
  /** Approximately. */
  readonly isApproximate?: boolean
  /** At least, or at most. */
  readonly bound?: "least" | "most"
  /** Other readings of the same words: 30 m (minutes, metres), 3/4 (April, March), half past six (6:30, 18:30). */
  readonly others?: ReadonlyArray<Value>
}

export type DayRange = readonly [from: number, until: number]

/** A value and its place in a text. */
export interface PlacedValue {
  readonly index: number
  readonly end: number
  readonly value: Value
}

/** A key for the figures of a value, regardless of its unit. */
export const keyOf = ({ amount, day, month, parts, quarter, week, weekday, year }: Value): string =>
  [amount, parts?.join("."), year, month, day, weekday, quarter, week].join(" ")

/** Matches a sticky pattern at an index of a text. */
export const matchAt = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

/** True if there is a letter or a digit at an index. */
export const isWordAt = (text: string, index: number): boolean => matchAt(wordCharacter, text, index) !== null
const wordCharacter = /[a-z\dß-\u1fff\u3040-\ud7ff]/y
