import { setOf } from "../../../../text/normalise/functionWords.js"
import { readClockTime } from "./clocks.js"
import { dateAt } from "./dates.js"
import { dayOfInstant, type Source } from "./days.js"
import { quantityAt } from "./quantities.js"
import { isDimension } from "./units.js"
import { matchAt, type PlacedValue } from "./Value.js"

/** Words that can begin a value. */
const firstWords = setOf(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
  twenty thirty forty fifty sixty seventy eighty ninety first second third fourth fifth sixth seventh eighth ninth tenth eleventh
  twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth
  fortieth fiftieth sixtieth seventieth eightieth ninetieth
  hundred thousand million billion dozen half quarter a an the in within
  jan feb mar apr may jun june jul july aug sep sept oct nov dec january february march april august september october november
  december mon tue tues wed weds thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday mondays
  tuesdays wednesdays thursdays fridays saturdays sundays today tonight tomorrow yesterday next last coming this past day
  noon midday midnight q1 q2 q3 q4 us usd eur gbp chf jpy inr sek cny`
)
const version = /v?\d+(?:\.\d+){2,}(?![a-z\dß-\u1fff\u3040-\ud7ff])|v\d+(?:\.\d+)*(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const words = /[a-z\dß-\u1fff\u3040-\ud7ff_]+/y

/** Maximum values that are read from one text. */
const maxValues = 60

/** The values of a text in text order, without overlaps. `saidAt`: the time of the statement, for relative dates. */
export const valuesIn = (text: string, saidAt: number): ReadonlyArray<PlacedValue> => {
  const values: Array<PlacedValue> = []
  // Only ASCII letters are changed, so that an index is valid in both texts.
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const source: Source = { lower, raw: text, today: dayOfInstant(saidAt) }
  for (let index = 0; index < lower.length && values.length < maxValues; ) {
    const word = matchAt(words, lower, index)?.[0] ?? ""
    const found = valueAt(source, index, word)
    if (found !== undefined) values.push(found)
    index = found?.end ?? index + Math.max(1, word.length)
  }
  return values
}

const valueAt = (source: Source, index: number, word: string): PlacedValue | undefined => {
  const { lower } = source
  const code = lower.charCodeAt(index)
  const isDigit = code >= 48 && code <= 57
  if (signs.includes(lower[index]!)) return quantityAt(lower, index)
  if (!isDigit) {
    if (code < 97 || code > 122) return undefined
    const isVersion = code === 118 && matchAt(version, lower, index) !== null
    if (!isVersion && !firstWords.has(word)) return undefined
  }
  // A digit after a sign may belong to an identifier: #12, a/5, tier-1.
  if (isDigit && inIdentifier.test(lower.slice(Math.max(0, index - 2), index))) return undefined
  const date = dateAt(source, index)
  // "2024 mm" is an amount, although 2024 may be a year.
  if (date?.value.form.length === 4 && isDigit) {
    const amount = quantityAt(lower, index)
    return amount !== undefined && isDimension(amount.value.unit) ? amount : date
  }
  if (date !== undefined) return date
  const dotted = matchAt(version, lower, index)
  if (dotted !== null) {
    const form = dotted[0]
    return {
      index,
      end: index + form.length,
      value: { kind: "version", form, parts: form.replace("v", "").split(".") }
    }
  }
  return readClockTime(lower, index) ?? quantityAt(lower, index)
}
const inIdentifier = /#$|[a-z][-_./@]$/
const signs = "$€£¥₹½¼¾⅓⅔"
