import { isWordAt, matchAt } from "./Value.js"

/** A number in a text. */
export interface ParsedNumber {
  readonly amount: number
  /** The end of its words. */
  readonly end: number
  /** The precision: the value of one unit in the last written digit. */
  readonly step: number
  /** The digits as written, without separators. */
  readonly digits?: string
  /** The number has a scale such as "k" or "grand", so it may be rounded. */
  readonly isScaled?: true
  /** An ordinal: 4th, fourth. */
  readonly isOrdinal?: true
}

const countWords =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`.split(/\s+/)
const tenWords = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ")
const ordinalWords =
  `zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
  fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth`.split(/\s+/)

/** Number words below a hundred. */
const smallNumbers = new Map([
  ...countWords.map((word, amount): [string, number] => [word, amount]),
  ...tenWords.map((word, index): [string, number] => [word, 10 * (index + 2)])
])
const scales = new Map([
  ["hundred", 100],
  ["thousand", 1e3],
  ["grand", 1e3],
  ["million", 1e6],
  ["billion", 1e9],
  ["dozen", 12]
])
const fractions: Readonly<Record<string, number>> = {
  half: 1 / 2,
  "a half": 1 / 2,
  quarter: 1 / 4,
  "a quarter": 1 / 4,
  "three quarters": 3 / 4,
  third: 1 / 3,
  "a third": 1 / 3,
  "two thirds": 2 / 3,
  "half a": 1 / 2,
  "half an": 1 / 2,
  "three quarters of an": 3 / 4,
  "½": 1 / 2,
  "¼": 1 / 4,
  "¾": 3 / 4,
  "⅓": 1 / 3,
  "⅔": 2 / 3,
  "1/2": 1 / 2,
  "1/4": 1 / 4,
  "3/4": 3 / 4,
  "1/3": 1 / 3,
  "2/3": 2 / 3
}

const literal =
  /(?<european>\d{1,3}(?:\.\d{3})+,\d\d(?!\d))|(?<grouped>\d{1,3}(?:[,' \u00a0\u202f’]\d{3})+(?:\.\d+)?(?!\d))|(?<comma>\d+,\d{1,2}(?![\d,]))|0x(?<hex>[0-9a-f]{1,12})(?![a-z\dß-\u1fff\u3040-\ud7ff])|(?<plain>\d+(?:\.\d+)?)/y
const exponent = /e([+-]?\d{1,2})(?![a-z\dß-\u1fff\u3040-\ud7ff])|(?:\^|\*\*)(\d{1,2})(?!\d)/y
const shortScale =
  /(k|m(?:n|io)?|bn?)(?![a-z\dß-\u1fff\u3040-\ud7ff])|\s?(hundred|thousand|million|billion|grand|dozen)(?:s(?= of))?(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const fractionAfter =
  /\s?[½¼¾⅓⅔]|\s(?:1\/2|1\/4|3\/4|1\/3|2\/3)(?![\d/])|\sand\s(?:a\s(?:half|quarter|third)|three\squarters)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const fractionAlone =
  /[½¼¾⅓⅔]|(?:1\/2|1\/4|3\/4|1\/3|2\/3)(?=\s?(?:of|an?|[a-z]{1,9}s?)(?![a-z\dß-\u1fff\u3040-\ud7ff]))(?!\/)|half(?:\san?)?(?![a-z\dß-\u1fff\u3040-\ud7ff])|three quarters(?:\sof\san)?(?![a-z\dß-\u1fff\u3040-\ud7ff])|two thirds(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const ordinalEnd = /(?:st|nd|rd|th)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const scaleWord = /\s(dozen|hundred|thousand|million|billion|grand)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const scaleAfterArticle =
  /\s(dozen|hundred|thousand|million|billion|grand|couple)(?:\sof)?(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const unitAfterArticle =
  /\s(?=fortnight(?![a-z\dß-\u1fff\u3040-\ud7ff])|(?:hour|day|week|month|year|mile|pint|litre|liter|gallon|kilo|pound|metre|meter)\sand\sa\s(?:half|quarter))/y
const firstWord = /([a-z]+)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const ordinalWord = /(?:(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]?)?([a-z]+)/y
const wordAhead = /(\s?(?:and\s|-)?\s?)([a-z]+)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y

/** Reads the number that begins at `index` of a text in lower case: digits, a fraction, or number words. */
export const numberAt = (text: string, index: number): ParsedNumber | undefined =>
  literalAt(text, index) ?? fractionAt(text, index) ?? wordsAt(text, index)

const literalAt = (text: string, index: number): ParsedNumber | undefined => {
  if (matchAt(fractionAlone, text, index) !== null) return undefined
  const match = matchAt(literal, text, index)
  if (match === null) return undefined
  const { comma, european, grouped, hex, plain } = match.groups!
  const end = index + match[0].length
  if (hex !== undefined) return { amount: Number.parseInt(hex, 16), end, step: 1 }
  const digits = (european?.replaceAll(".", "").replace(",", ".") ??
    grouped?.replace(/[^\d.]/g, "") ??
    comma?.replace(",", ".") ??
    plain)!
  if (!digits.includes(".") && matchAt(ordinalEnd, text, end) !== null)
    return { amount: Number(digits), end: end + 2, step: 1, digits, isOrdinal: true }
  const step = 10 ** -(digits.split(".")[1]?.length ?? 0)
  const power = matchAt(exponent, text, end)
  if (power !== null) {
    const amount = power[1] === undefined ? Number(digits) ** Number(power[2]) : Number(`${digits}e${power[1]}`)
    return { amount, end: end + power[0].length, step: amount === 0 ? 1 : Math.abs(amount) * 1e-3 }
  }
  return scaled(text, { amount: Number(digits), end, step, digits })
}

/** Adds a scale ("k", "million") and a fraction ("and a half"). */
const scaled = (text: string, number: ParsedNumber): ParsedNumber => {
  const scale = matchAt(shortScale, text, number.end)
  // "5 m" and "512m" are amounts with a unit more often than millions; "b" alone is bytes.
  if (scale !== null && scale[0] !== "m" && scale[0] !== "b") {
    const [, short, word] = scale
    const factor = short === undefined ? scales.get(word!)! : short === "k" ? 1e3 : short.startsWith("m") ? 1e6 : 1e9
    return {
      amount: number.amount * factor,
      end: number.end + scale[0].length,
      step: number.step * factor,
      isScaled: true
    }
  }
  const fraction = matchAt(fractionAfter, text, number.end)
  if (fraction === null) return number
  const added =
    fractions[
      fraction[0]
        .trim()
        .replace(/^and\s/, "")
        .replace(/\s/g, " ")
    ] ?? 0
  const end = number.end + fraction[0].length
  const factor = matchAt(scaleWord, text, end)
  const size = factor === null ? 1 : scales.get(factor[1]!)!
  return { amount: (number.amount + added) * size, end: end + (factor?.[0].length ?? 0), step: size / 4 }
}

const fractionAt = (text: string, index: number): ParsedNumber | undefined => {
  const match = matchAt(fractionAlone, text, index)
  if (match === null) return undefined
  const end = index + match[0].length
  const amount = fractions[match[0]]!
  const scale = matchAt(scaleWord, text, end)
  return scale === null
    ? { amount, end, step: 0.25 }
    : { amount: amount * scales.get(scale[1]!)!, end: end + scale[0].length, step: 1 }
}

/** Number words: twenty-five, three hundred and ten, a dozen, two and a half thousand. */
const wordsAt = (text: string, index: number): ParsedNumber | undefined => {
  const first = matchAt(firstWord, text, index)?.[1]
  if (first === undefined) return undefined
  let [total, current, end] = [0, smallNumbers.get(first) ?? scales.get(first), index + first.length]
  if (first === "a" || first === "an") {
    const scale = matchAt(scaleAfterArticle, text, end)
    if (scale === null) return articleAt(text, end)
    current = scale[1] === "couple" ? 2 : scales.get(scale[1]!)!
    end += scale[0].length
  }
  if (current === undefined) return undefined
  for (let words = 0; words < maxWords; words++) {
    const next = matchAt(wordAhead, text, end)
    if (next === null) break
    const [, join, word] = next as unknown as [string, string, string]
    const small = smallNumbers.get(word)
    const scale = scales.get(word)
    if (small !== undefined && join.includes("and") && current % 100 !== 0 && total % 1000 === 0) break
    if (small !== undefined && current % 100 >= 20 && current % 10 === 0 && small > 0 && small < 10) current += small
    else if (small !== undefined && current >= 100 && current % 100 === 0) current += small
    else if (small !== undefined && current === 0 && total > 0) current = small
    else if (scale !== undefined && !join.includes("and") && current > 0) {
      if (scale === 100 || scale === 12) current *= scale
      else {
        total += current * scale
        current = 0
      }
    } else break
    end += join.length + word.length
  }
  return scaled(text, { amount: total + current, end, step: 1 })
}
const maxWords = 8

/** "a" means one before "fortnight" and in "an hour and a half". */
const articleAt = (text: string, end: number): ParsedNumber | undefined =>
  matchAt(unitAfterArticle, text, end) === null ? undefined : { amount: 1, end, step: 1 }

/** An ordinal word from 1 to 99: "second", "twenty-third", "fortieth"; undefined if there is none. */
export const ordinalAt = (
  text: string,
  index: number
): { readonly amount: number; readonly end: number } | undefined => {
  const match = matchAt(ordinalWord, text, index)
  if (match === null) return undefined
  const [whole, tens, word] = match as unknown as [string, string | undefined, string]
  const unit = ordinalWords.indexOf(word)
  const round = tenWords.indexOf(word.replace(/ieth$/, "y"))
  const end = index + whole.length
  if (isWordAt(text, end)) return undefined
  if (tens === undefined) {
    const amount = unit > 0 ? unit : word.endsWith("ieth") && round >= 0 ? 10 * (round + 2) : 0
    return amount > 0 ? { amount, end } : undefined
  }
  return unit > 0 && unit < 10 ? { amount: 10 * (tenWords.indexOf(tens) + 2) + unit, end } : undefined
}
