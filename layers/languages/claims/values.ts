import { clockValue, type Token } from "./tokens.js"

/** A value and the number of its tokens. */
export interface Value {
  /** The dimension of the unit, or one of clock, day, weekday, month, year, number, code. */
  readonly kind: string
  /** A quantity in base units; a time of day in minutes; a date as month-day or month-day-year. */
  readonly value: string
  readonly length: number
}

const isYear = (number: number | undefined): boolean => number !== undefined && number >= 1900 && number < 2100

/** Reads the value that begins at a token; undefined if no value begins there. */
export const valueAt = (tokens: ReadonlyArray<Token>, index: number): Value | undefined => {
  const { entry, form, number, time } = tokens[index]!
  if (time !== undefined) return { kind: time[0], value: time[1], length: 1 }
  if (entry?.weekday !== undefined) return { kind: "weekday", value: String(entry.weekday), length: 1 }
  if (entry?.month !== undefined) return { kind: "month", value: String(entry.month), length: 1 }
  const quantity = number ?? entry?.number
  if (quantity === undefined)
    return /\p{N}/u.test(form) && /\p{L}/u.test(form) ? { kind: "code", value: form, length: 1 } : undefined
  return dayAt(tokens, index, quantity) ?? clockAt(tokens, index, quantity) ?? quantityAt(tokens, index, quantity)
}

/** "3. Mai 2026", "3 de mayo de 2026". */
const dayAt = (tokens: ReadonlyArray<Token>, index: number, day: number): Value | undefined => {
  const place = [1, 2].find((offset) => tokens[index + offset]?.entry?.month !== undefined)
  if (place === undefined || day > 31) return undefined
  const year = [1, 2].find((offset) => isYear(tokens[index + place + offset]?.number))
  const value = `${tokens[index + place]!.entry!.month}-${day}`
  return year === undefined
    ? { kind: "day", value, length: place + 1 }
    : { kind: "day", value: `${value}-${tokens[index + place + year]!.number}`, length: place + year + 1 }
}

/** "14 Uhr 30", "halb neun", "las cinco menos cuarto". */
const clockAt = (tokens: ReadonlyArray<Token>, index: number, hours: number): Value | undefined => {
  const next = tokens[index + 1]
  if (hours > 24 || !Number.isInteger(hours)) return undefined
  const before = tokens[index - 1]?.entry?.minutes
  const isNamed = next?.entry?.clock === true
  const after = tokens[index + (isNamed ? 2 : 1)]
  const minutes = (before?.side === "before" ? before : after?.entry?.minutes)?.count
  if (!isNamed && minutes === undefined) return undefined
  const told = isNamed && after?.number !== undefined && after.number < 60 ? after.number : undefined
  const length = 1 + (isNamed ? 1 : 0) + (told !== undefined || after?.entry?.minutes !== undefined ? 1 : 0)
  return { kind: "clock", value: clockValue(hours, told ?? minutes ?? 0), length }
}

const quantityAt = (tokens: ReadonlyArray<Token>, index: number, quantity: number): Value | undefined => {
  const [previous, next] = [tokens[index - 1]?.entry?.unit, tokens[index + 1]?.entry?.unit]
  const unit = next ?? previous
  if (unit !== undefined) {
    const value = String(Number((quantity * unit.size).toPrecision(9)))
    return { kind: unit.dimension, value, length: next === undefined ? 1 : 2 }
  }
  if (tokens[index]!.number === undefined) return undefined
  return { kind: isYear(quantity) ? "year" : "number", value: String(quantity), length: 1 }
}
