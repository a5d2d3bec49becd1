import { numberAt, ordinalAt, type ParsedNumber } from "./numbers.js"
import { type Unit, unitsOf } from "./units.js"
import { isWordAt, matchAt, type PlacedValue, type Value } from "./Value.js"

const shortWord = /[a-z]{1,3}(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const currencyBefore = /(us\$|[$€£¥₹]|(?:usd|eur|gbp|chf|jpy|inr|sek|cny)(?=\s?\d))\s?/y
const unitAfter =
  /[\s-]?(?:(?:us|u\.s\.)\s)?(?:degrees?\s|metric\s)?(km\/h|m\/s|[gm]bit\/s|[gm]b\/s|°\s?[cf]|[%‰°$€£¥₹'"′″]|us\$|(?:sq\.?|square)\s(?:m|met(?:er|re)s?|feet|foot|ft)|[a-zµ]+[²³2]?)/y
const dimensionMark = /\s?[x×]\s?|\sby\s/y
const rangeMark = /\s?[-–]\s?|\sto\s/y
const joint = /\s?(?:,\s|and\s|-|&\s)?/y
const halfAfter = /\sand\sa\s(half|quarter)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const signedScale = /\s?(m|b)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const byBefore = /([a-z]+)(?:\sby\s|\s?[x×]\s?)$/
const maxParts = 3

/** A unit in a text: its possible units, and the index after its last character. */
interface ReadUnit {
  readonly units: ReadonlyArray<Unit>
  readonly end: number
}

const inchMarks: Readonly<Record<string, string>> = { "'": "foot", "′": "foot", '"': "inch", "″": "inch" }
const squares: Readonly<Record<string, string>> = { m: "m²", meter: "m²", metre: "m²", f: "ft²" }

const unitAt = (text: string, index: number, isAfterFeet = false): ReadUnit | undefined => {
  const match = matchAt(unitAfter, text, index)
  if (match === null) return undefined
  const word = match[1]!
  const end = index + match[0].length
  if (isWordAt(text, end) || text[end] === "_") return undefined
  if (Object.hasOwn(inchMarks, word)) {
    // A quotation mark or an apostrophe is a unit only right after its number.
    const isUnit =
      match[0] === word &&
      (word !== '"' || isAfterFeet) &&
      (word !== "'" || /^['′]\s?-?\s?\d/.test(text.slice(index, index + 5)))
    return isUnit ? { units: unitsOf(inchMarks[word]!)!, end } : undefined
  }
  const square = /^(?:sq\.?|square)\s(m|f)/.exec(word)?.[1]
  const compact = word.replace(/\s/g, "")
  if (square !== undefined) return { units: unitsOf(squares[square]!)!, end }
  if (isAfterFeet && compact === "in") return { units: unitsOf("inch")!, end }
  const units = unitsOf(compact)
  if (units === undefined) return undefined
  // A unit of one or two letters does not count after a hyphen: "5-m".
  return { units, end: match[0].startsWith("-") && word.length < 3 ? index : end }
}

const inUnit = (
  form: string,
  { amount, isScaled, step }: ParsedNumber,
  { dimension, offset = 0, size }: Unit
): Value => ({
  kind: "quantity",
  form,
  amount: amount * size + offset,
  step: step * size,
  unit: dimension,
  ...(isScaled ? { isApproximate: true } : {})
})

const withOthers = ([first, ...others]: ReadonlyArray<Value>): Value =>
  others.length > 0 ? { ...first!, others } : first!

/**
 * Reads the amount that begins at `index`, with its unit if it has one: "£2,500", "5 ft 11", "10–20 kg", "2 by 3 m".
 */
export const quantityAt = (text: string, index: number): PlacedValue | undefined => {
  const sign = matchAt(currencyBefore, text, index)
  const ordinal = ordinalAt(text, index)
  // The ordinals up to the fifth often express a rank, so "second" and "third" stay words.
  if (ordinal !== undefined && ordinal.amount > 5)
    return placed(index, ordinal.end, [
      { kind: "quantity", form: text.slice(index, ordinal.end), amount: ordinal.amount, unit: "th" }
    ])
  const number = numberAt(text, index + (sign?.[0].length ?? 0))
  if (number === undefined) return undefined
  const formTo = (end: number) => text.slice(index, end)
  if (sign !== null) {
    const unit = unitsOf(sign[1]!)![0]!
    const scale = matchAt(signedScale, text, number.end)
    if (scale !== null) {
      const end = number.end + scale[0].length
      return placed(index, end, [
        inUnit(formTo(end), { ...number, isScaled: true }, { ...unit, size: scale[1] === "m" ? 1e6 : 1e9 })
      ])
    }
    const end = endOfRange(text, number)
    return placed(index, end.end, [ranged(inUnit(formTo(end.end), number, unit), end.number, 1)])
  }
  if (number.isOrdinal) {
    const value: Value = { kind: "quantity", form: formTo(number.end), amount: number.amount, unit: "th" }
    return placed(index, number.end, [value])
  }
  const direct = unitAt(text, number.end)
  if (direct !== undefined && direct.end > number.end) return withUnit(text, index, number, direct)
  // "4d1357" and "3rdparty" are names; "80x" is a number and a word.
  if (isWordAt(text, number.end) && matchAt(shortWord, text, number.end) === null) return undefined
  const other = otherNumber(text, number)
  if (other !== undefined) {
    const { isRange, number: upper, unit } = other
    const end = isRange ? unit.end : number.end
    return placed(
      index,
      end,
      unit.units.map((unit) => {
        const value = inUnit(formTo(end), number, unit)
        return isRange ? { ...value, upTo: upper.amount * unit.size + (unit.offset ?? 0) } : value
      })
    )
  }
  // "ten foot by six": the second number has the unit of the first.
  const mark = byBefore.exec(text.slice(Math.max(0, index - 24), index))
  const unit = mark === null ? undefined : unitsOf(mark[1]!)
  if (unit !== undefined)
    return placed(
      index,
      number.end,
      unit.map((unit) => inUnit(formTo(number.end), number, unit))
    )
  return bareNumber(text, index, number)
}

const bareNumber = (text: string, index: number, number: ParsedNumber): PlacedValue => {
  const form = text.slice(index, number.end)
  const value: Value = {
    kind: "quantity",
    form,
    amount: number.amount,
    step: number.step,
    unit: "",
    ...(number.isScaled ? { isApproximate: true } : {}),
    ...(number.digits === undefined || number.isScaled ? {} : { parts: number.digits.split(".") })
  }
  // A key or a comment may name the unit: "max.bytes=1048576", "timeout = 90 # seconds".
  const named = unitOfKey(text, index, number.end)
  const others = named?.map((unit) => inUnit(form, number, unit)) ?? []
  return placed(index, number.end, [value, ...others])
}

const placed = (index: number, end: number, values: ReadonlyArray<Value>): PlacedValue => ({
  index,
  end,
  value: withOthers(values)
})

/** The number after "x", "by", "-" or "to", if it has a unit: 914 × 2134 mm, 10–20 kg. */
const otherNumber = (text: string, number: ParsedNumber) => {
  for (const [pattern, isRange] of [
    [rangeMark, true],
    [dimensionMark, false]
  ] as const) {
    const mark = matchAt(pattern, text, number.end)
    const next = mark === null ? undefined : numberAt(text, number.end + mark[0].length)
    const unit = next === undefined ? undefined : unitAt(text, next.end)
    if (next === undefined || unit === undefined || (isRange && next.amount <= number.amount)) continue
    return { isRange, number: next, unit }
  }
  return undefined
}

const endOfRange = (text: string, number: ParsedNumber): { readonly end: number; readonly number?: ParsedNumber } => {
  const mark = matchAt(/\s?[-–]\s?[$€£¥]?/y, text, number.end)
  const next = mark === null ? undefined : numberAt(text, number.end + mark[0].length)
  return next === undefined || next.amount <= number.amount || isWordAt(text, next.end)
    ? { end: number.end }
    : { end: next.end, number: next }
}

const ranged = (value: Value, upper: ParsedNumber | undefined, size: number): Value =>
  upper === undefined ? value : { ...value, upTo: upper.amount * size }

/** A number with its unit and its smaller parts: 8 ft 6 in, 1 h 30 min, an hour and a half, three foot by two. */
const withUnit = (
  text: string,
  index: number,
  number: ParsedNumber,
  { end: unitEnd, units }: ReadUnit
): PlacedValue => {
  let end = unitEnd
  let values = units.map((unit) => inUnit("", number, unit))
  const half = matchAt(halfAfter, text, end)
  if (half !== null) {
    end += half[0].length
    values = values.map((value, at) => ({
      ...value,
      amount: value.amount! + units[at]!.size * (half[1] === "half" ? 0.5 : 0.25)
    }))
  }
  let last = units[0]!
  for (let part = 1; part < maxParts; part++) {
    const next = partAfter(text, end, last)
    if (next === undefined) break
    values = [{ ...values[0]!, amount: values[0]!.amount! + next.amount, step: next.step }]
    end = next.end
    last = next.unit
  }
  const form = text.slice(index, end)
  return placed(
    index,
    end,
    values.map((value) => ({ ...value, form }))
  )
}

/** The next smaller part of an amount: "6 in" after "8 ft", "30" after "1 h". */
const partAfter = (text: string, index: number, { dimension, size }: Unit) => {
  if (!/^(?:length|mass|duration)$/.test(dimension)) return undefined
  const start = index + (matchAt(joint, text, index)?.[0].length ?? 0)
  const number = numberAt(text, start)
  if (number === undefined || number.isOrdinal) return undefined
  const isFeet = Math.abs(size - 0.3048) < 1e-9
  const read = unitAt(text, number.end, isFeet)
  const unit = read?.units[0]
  if (unit !== undefined && read!.end > number.end) {
    const fits = unit.dimension === dimension && unit.size < size && number.amount * unit.size < size
    return fits ? { amount: number.amount * unit.size, step: number.step * unit.size, end: read!.end, unit } : undefined
  }
  // "5 ft 11" and "1h30" leave out the second unit.
  const small = isFeet ? 0.0254 : size === 3600 && start === index ? 60 : undefined
  if (small === undefined || number.amount * small >= size || isWordAt(text, number.end)) return undefined
  return { amount: number.amount * small, step: small, end: number.end, unit: { dimension, size: small } }
}

const keyBefore = /(?:^|[\s._-])([a-z]{2,12})\s?[=:]\s?$/
const remarkAfter = /\s*(?:#|\/\/|\(|,?\sin)\s?([a-z]{1,12})(?![a-z\dß-\u1fff\u3040-\ud7ff])/y

const unitOfKey = (text: string, index: number, end: number): ReadonlyArray<Unit> | undefined => {
  const after = matchAt(remarkAfter, text, end)?.[1]
  const before = keyBefore.exec(text.slice(Math.max(0, index - 24), index))?.[1]
  for (const word of [after, before]) {
    const units = word === undefined || word.length < 2 ? undefined : unitsOf(word)
    if (units !== undefined) return units
  }
  return undefined
}
