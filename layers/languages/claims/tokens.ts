import { composeLetters } from "../../../text/normalise/letters.js"
import { type Entry, fold, type Lexicon } from "./lexicon.js"

/** A word, a number or a mark of a text. */
export interface Token {
  /** In lower case without accents. */
  readonly form: string
  readonly entry: Entry | undefined
  /** A mark between clauses or sentences. */
  readonly mark?: string
  readonly number?: number
  /** A time of day in minutes, a day of the year, or a month: `clock 540`, `day 5-3`, `month 5`. */
  readonly time?: readonly [kind: "clock" | "day" | "month", value: string]
}

/** Matches the parts of a text: dates, numbers, words and marks. All other characters are skipped. */
const pieces =
  /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}月(?:\d{1,2}[日号]?)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}\.\d{1,2}\.(?!\d)|\d{1,2}:\d{2}|\d{1,2}[hH]\d{2}(?!\d)|\d+(?:\.\d+){2,}|\d+(?:[.,'’\u00a0\u202f ]\d{3}(?!\d))*(?:[.,]\d+)?|[%°€$¥￥]\p{L}?|\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{M}])(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}_+#&/@-])*(?:\.(?=\p{L})[\p{L}\p{N}-]+)*|[\p{S}\p{P}\n]/gu

const dayOf = (year: string | undefined, month: string, day: string): readonly ["day", string] => [
  "day",
  `${Number(month)}-${Number(day)}${year === undefined || year === "" ? "" : `-${year.length === 2 ? `20${year}` : year}`}`
]

/**
 * Minutes after midnight or noon. Morning and afternoon count as equal, because many texts leave out "in the
 * afternoon".
 */
export const clockValue = (hours: number, minutes: number): string => String((60 * hours + minutes + 720) % 720)

/** Parses a number in the format of the language: 1.250,50 or 1,250.50 or 1 250. */
const numberOf = (text: string, decimal: "," | "."): number => {
  const [whole, ...decimals] = text.replace(/['’\s]/gu, "").split(decimal)
  const thousands = decimal === "," ? "." : ","
  // A thousands separator before one or two digits is the decimal separator of another language.
  if (decimals.length === 0 && /[.,]\d{1,2}$/u.test(whole!)) return Number(whole!.replace(thousands, "."))
  return Number(`${whole!.replaceAll(thousands, "")}${decimals.length === 1 ? `.${decimals[0]}` : decimals.join("")}`)
}

/** The value of a number, a date or a time; undefined for a word. */
const timeOrNumber = (text: string, decimal: "," | "."): Pick<Token, "number" | "time"> | undefined => {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/u.exec(text)
  if (iso !== null) return { time: dayOf(iso[1], iso[2]!, iso[3]!) }
  const date = /^(\d{1,2})[./](\d{1,2})[./](\d{2}|\d{4})?$/u.exec(text)
  if (date !== null) return { time: dayOf(date[3], date[2]!, date[1]!) }
  const named = /^(\d{1,2})月(\d{1,2})?/u.exec(text)
  if (named !== null)
    return { time: named[2] === undefined ? ["month", named[1]!] : dayOf(undefined, named[1]!, named[2]) }
  const clock = /^(\d{1,2})[:hH](\d{2})$/u.exec(text)
  if (clock !== null) return { time: ["clock", clockValue(Number(clock[1]), Number(clock[2]))] }
  if (!/^\d/u.test(text) || /\d\D+\d+\D+\d{1,2}$/u.test(text)) return undefined
  return { number: numberOf(text, decimal) }
}

const han = /^\p{Script=Han}+$/u
let segmenter: Intl.Segmenter | undefined
/** Maximum characters for one call of the segmenter, because each segment contains a copy of the input. */
const maxRun = 128

const segmentsOf = (run: string, { find, words }: Lexicon): ReadonlyArray<string> => {
  segmenter ??= new Intl.Segmenter(words.tag, { granularity: "word" })
  const segments: Array<string> = []
  for (let start = 0; start < run.length; start += maxRun)
    for (const { segment } of segmenter.segment(run.slice(start, start + maxRun))) {
      const [prefix] = find([segment], 0)[0] === undefined ? (words.unspaced!.negation.exec(segment) ?? []) : []
      if (prefix === undefined) segments.push(segment)
      else segments.push(prefix, segment.slice(prefix.length))
    }
  return segments
}

/** Splits a text into tokens. A phrase of the lexicon becomes one token. */
export const tokensOf = (text: string, lexicon: Lexicon): ReadonlyArray<Token> => {
  const { unspaced } = lexicon.words
  const composed = composeLetters(text).slice(0, text.length)
  const source = unspaced?.prepare(composed) ?? composed.replace(/(?<=\p{L})['’](?=\p{L})/gu, " ")
  const forms = [...source.matchAll(pieces)].flatMap(([piece]) =>
    unspaced !== undefined && han.test(piece) ? segmentsOf(piece, lexicon) : [fold(piece)]
  )
  const tokens: Array<Token> = []
  for (let index = 0; index < forms.length; ) {
    const form = forms[index]!
    if (mark.test(form)) {
      if (!isOrdinalPoint(tokens.at(-1), forms, index, lexicon)) tokens.push({ form, entry: undefined, mark: form })
      index++
      continue
    }
    const value = timeOrNumber(form, lexicon.words.decimal)
    const [entry, length] = value === undefined ? lexicon.find(forms, index) : [undefined, 1]
    tokens.push({ form: forms.slice(index, index + length).join(unspaced === undefined ? " " : ""), entry, ...value })
    index += length
  }
  return tokens
}

const mark = /^(?![%°])[\p{P}\p{Sm}\p{Sk}\p{So}\n]$/u

/** True if a full stop belongs to a day: "31. Januar" is one sentence. */
const isOrdinalPoint = (
  before: Token | undefined,
  forms: ReadonlyArray<string>,
  index: number,
  lexicon: Lexicon
): boolean =>
  forms[index] === "." &&
  before?.number !== undefined &&
  index + 1 < forms.length &&
  lexicon.find(forms, index + 1)[0]?.month !== undefined
