import { type Clock, shift, type TimeRange, type Unit, unitAt } from "./clock.js"

// Amounts of time: "three weeks", "a few days". They precede "ago" or "before Christmas", or follow "the last".

const numbers: ReadonlyMap<string, readonly [min: number, max: number]> = new Map([
  ..."one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, index): [string, [number, number]] => [word, [index + 1, index + 1]]),
  ["a", [1, 1]],
  ["an", [1, 1]],
  ["couple", [2, 2]],
  ["few", [2, 5]],
  ["several", [3, 7]]
])

/** Any word may match as a number here, because compiling a pattern of all number words takes milliseconds. */
const count = "(?:\\d{1,4}|(?:(?:an?|the)\\s+)?[a-z]+(?:\\s+of)?)"
const unit = "(?:second|minute|hour|day|weekend|week|month|quarter|year|decade)s?"
const shortUnits: { readonly [short: string]: Unit } = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
  y: "year"
}
const short = "(?:secs?|mins?|hrs?|h|d|w|yrs?)"
const step = `(?:${count}[\\s-]+${unit}|\\d{1,4}\\s?${short})`

/** Matches "3 weeks", "a couple of days", "one year and two months", "half an hour", "24h". */
export const amount = `(?:half\\s+an?\\s+(?:hour|year)|${step}(?:(?:\\s*,\\s*|\\s+)(?:and\\s+)?${step})*)`

export type Amount = ReadonlyArray<{ readonly unit: Unit; readonly min: number; readonly max: number }>

const stepPattern = new RegExp(`(${count})[\\s-]+(${unit})\\b|(\\d{1,4})\\s?(${short})\\b`, "gi")

/**
 * The units of an amount, in text order; usually the coarsest comes first. Undefined if a word is not a number. "A few"
 * is 2 to 5, "several" 3 to 7, "a couple" 2.
 */
export const amountOf = (phrase: string): Amount | undefined => {
  const half = /^half\s+an?\s+(hour|year)/i.exec(phrase)?.[1]?.toLowerCase()
  if (half !== undefined) return half === "hour" ? [exactly("minute", 30)] : [exactly("month", 6)]
  const parts = [...phrase.matchAll(stepPattern)].map(([, number, name, digits, short]) => {
    const word = (number ?? digits)!.toLowerCase().replace(/^(?:an?|the)\s+(?=c|f)|\s+of$/g, "")
    const bounds = /^\d/.test(word) ? ([Number(word), Number(word)] as const) : numbers.get(word)
    const unit =
      short === undefined ? (name!.toLowerCase().replace(/s$/, "") as Unit) : shortUnits[short[0]!.toLowerCase()]!
    return bounds && { unit, min: bounds[0], max: bounds[1] }
  })
  return parts.every((part) => part !== undefined) && parts.length > 0 ? parts : undefined
}

const exactly = (unit: Unit, number: number) => ({ unit, min: number, max: number })

interface Distance {
  readonly amount: Amount
  /** The direction: -1 before, 1 after. */
  readonly side: 1 | -1
  /** Default: the finest unit of the amount, but days for weeks. */
  readonly grain?: Unit | undefined
}

/**
 * Shifts an instant by an amount, and returns the whole unit that contains it: the hour, day, month, quarter or year.
 * The finest unit of the amount decides; for weeks it is the day.
 */
export const rangeAtDistance = (clock: Clock, instant: number, { amount, grain, side }: Distance): TimeRange => {
  const unitAtDistance = (end: "min" | "max") =>
    unitAt(
      clock,
      amount.reduce((offset, step) => shift(clock, offset, step.unit, side * step[end]), instant),
      grain ?? grainOf(amount)
    )
  const minDistance = unitAtDistance("min")
  const far = unitAtDistance("max")
  return side < 0 ? { from: far.from, to: minDistance.to } : { from: minDistance.from, to: far.to }
}

const grainOf = (amount: Amount): Unit => {
  const finest = amount.at(-1)!.unit
  return finest === "week" ? "day" : finest
}
