import { type Clock, shift, type TimeRange, type Unit, unitAt } from "./clock.js"
import { cardinalOf, tensPrefix } from "./numberWords.js"

// Amounts of time: "three weeks", "a few days". They precede "ago" or "before Christmas", or follow "the last".

const vagueNumbers: ReadonlyMap<string, readonly [min: number, max: number]> = new Map([
  ["couple", [2, 2]],
  ["few", [2, 5]],
  ["several", [3, 7]]
])

/** Any word may match as a number here, because compiling a pattern of all number words takes milliseconds. */
const count = `(?:\\d{1,4}|(?:(?:an?|the)\\s+)?${tensPrefix}?[a-z]+(?:\\s+of)?)`
const unit = "(?:(?:second|minute|hour|day|weekend|week|fortnight|month|quarter|year|decade)s?|centur(?:y|ies))"
const shortUnits: { readonly [short: string]: Unit } = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
  y: "year"
}
const exactly = (unit: Unit, number: number) => ({ unit, min: number, max: number })

/** Half of each unit, as a number of smaller units. */
const halves: { readonly [unit: string]: Amount[number] } = {
  minute: exactly("second", 30),
  hour: exactly("minute", 30),
  day: exactly("hour", 12),
  week: { unit: "day", min: 3, max: 4 },
  fortnight: exactly("day", 7),
  month: exactly("day", 15),
  year: exactly("month", 6),
  decade: exactly("year", 5),
  century: exactly("year", 50)
}
const short = "(?:secs?|mins?|hrs?|h|d|w|yrs?)"
const andHalf = "\\s+and\\s+an?\\s+half"
const step = `(?:${count}(?:${andHalf})?[\\s-]+${unit}(?:${andHalf})?|\\d{1,4}\\s?${short})`

/** Matches "3 weeks", "a couple of days", "one year and two months", "half an hour", "24h". */
export const amountPattern = `(?:(?:half(?:\\s+an?)?|a\\s+quarter\\s+of\\s+an?)[\\s-]+${unit}|${step}(?:(?:\\s*,\\s*|\\s+)(?:and\\s+)?${step})*)`

export type Amount = ReadonlyArray<{ readonly unit: Unit; readonly min: number; readonly max: number }>

const stepPattern = new RegExp(
  `(${count})(${andHalf})?[\\s-]+(${unit})\\b(${andHalf})?|(\\d{1,4})\\s?(${short})\\b`,
  "gi"
)

/**
 * The units of an amount, in text order; usually the coarsest comes first. Undefined if a word is not a number. "A few"
 * is 2 to 5, "several" 3 to 7, "a couple" 2.
 */
export const amountOf = (phrase: string): Amount | undefined => {
  const [, part, whole] = /^(half|a\s+quarter\s+of)(?:\s+an?)?[\s-]+(\w+)/i.exec(phrase) ?? []
  if (part !== undefined) {
    const half = halves[whole!.toLowerCase()]
    const isExact = half !== undefined && (/^half/i.test(part) || half.min % 2 === 0)
    return isExact ? [/^half/i.test(part) ? half : exactly(half.unit, half.min / 2)] : undefined
  }
  const steps: Array<Amount[number]> = []
  for (const [, number, halfBefore, name, halfAfter, digits, short] of phrase.matchAll(stepPattern)) {
    const bounds = numbersOf((number ?? digits)!.toLowerCase())
    if (bounds === undefined) return undefined
    const [min, max] = bounds
    if (short !== undefined) {
      steps.push({ unit: shortUnits[short[0]!.toLowerCase()]!, min, max })
      continue
    }
    const singular = name!.toLowerCase().replace(/ies$/, "y").replace(/s$/, "")
    steps.push(
      singular === "fortnight" ? { unit: "week", min: 2 * min, max: 2 * max } : { unit: singular as Unit, min, max }
    )
    if ((halfBefore ?? halfAfter) !== undefined) {
      const half = halves[singular]
      if (half === undefined) return undefined
      steps.push(half)
    }
  }
  return steps.length > 0 ? steps : undefined
}

const numbersOf = (phrase: string): readonly [min: number, max: number] | undefined => {
  const word = phrase.replace(/^(?:an?|the)\s+(?=[a-z])|\s+of$/g, "")
  const exact = cardinalOf(word)
  return exact === undefined ? vagueNumbers.get(word) : [exact, exact]
}

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
  return finest === "week" ? "day" : finest === "century" ? "decade" : finest
}
