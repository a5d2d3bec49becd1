import { isDay } from "../../../../text/when/clock.js"
import { dayOf, dayValue, type Source, type ValueReader, weekdayOf } from "./days.js"
import { ordinalAt } from "./numbers.js"
import { matchAt } from "./Value.js"

// Dates of the calendar: 2026-03-05, 5.3.2026, 3/5, the fifth of March, March 2026, the 24th, Q3, 2026.

export const monthNames =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
const weekdayNames =
  "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
const weekdays = "mon tue wed thu fri sat sun".split(" ")

/** A sticky pattern that must end at the end of a word. */
export const wordPattern = (source: string) => new RegExp(`${source}(?![a-z\\dß-\u1fff\u3040-\ud7ff])`, "y")
const monthName = wordPattern(`(${monthNames})\\.?`)
export const weekdayPattern = wordPattern(`(${weekdayNames})(s?)\\.?`)
const iso = /(\d{4})-(\d\d)(?:-(\d\d))?(?:t[\d:.]+z?)?(?![\d-])/y
const numeric = /(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d\d)(?!\d)|\.(?![\d])|(?![\d./]))/y
const year = /(?:,?\s)((?:19|20)\d\d)(?![a-z\dß-\u1fff\u3040-\ud7ff]|[.:]\d)|,?\s?['’](\d\d)(?!\d)/y
const thisYear = /\sthis\syear(?![a-z])/y
const dayNumber = /(\d{1,2})(st|nd|rd|th)?\.?(?![a-z\dß-\u1fff\u3040-\ud7ff:]|[.,/]\d)/y
const plainYear = /(?:19|20)\d\d(?![a-z\dß-\u1fff\u3040-\ud7ff%°$€£]|[.,:/-]\d)/y
const monthOfYear = /(0?[1-9]|1[0-2])\/((?:19|20)\d\d)(?![\d/])/y
const quarter = /q([1-4])(?![a-z\dß-\u1fff\u3040-\ud7ff])/y

const monthOf = (name: string): number => months.indexOf(name.slice(0, 3)) + 1
/** The index of a weekday by its name or abbreviation; Monday is 0. */
export const weekdayIndex = (name: string): number => weekdays.indexOf(name.slice(0, 3))

const isCapital = ({ raw }: Source, index: number): boolean => /[A-Z]/.test(raw[index]!)

/** Reads the year after a date: 2026, '26. Without a year, `end` is the index itself. */
const yearAfter = ({ lower, today }: Source, index: number): { readonly end: number; readonly year?: number } => {
  if (matchAt(thisYear, lower, index) !== null && Number.isFinite(today))
    return { end: index + " this year".length, year: new Date(today * 86_400_000).getUTCFullYear() }
  const match = matchAt(year, lower, index)
  if (match === null) return { end: index }
  return { end: index + match[0].length, year: match[1] === undefined ? 2000 + Number(match[2]) : Number(match[1]) }
}

/** The number of a day of the month: 5, 5th, fifth. */
const dayAt = (
  text: string,
  index: number
): { readonly day: number; readonly end: number; readonly isOrdinal: boolean } | undefined => {
  const digits = matchAt(dayNumber, text, index)
  if (digits !== null) {
    const day = Number(digits[1])
    const end = index + digits[0].length
    return day >= 1 && day <= 31 ? { day, end, isOrdinal: digits[2] !== undefined } : undefined
  }
  const word = ordinalAt(text, index)
  return word && word.amount <= 31 ? { day: word.amount, end: word.end, isOrdinal: true } : undefined
}

const monthAt = (
  source: Source,
  index: number,
  isSupported: boolean
): { readonly month: number; readonly end: number } | undefined => {
  const match = matchAt(monthName, source.lower, index)
  if (match === null) return undefined
  // "may", "march" and the short forms are also other words.
  if (!isSupported && (match[1]!.length <= 3 || match[1] === "march") && !isCapital(source, index)) return undefined
  const hasDot = match[0].endsWith(".") && match[1]!.length <= 4
  return { month: monthOf(match[1]!), end: index + match[1]!.length + (hasDot ? 1 : 0) }
}

export const readIsoDate: ValueReader = ({ lower, today }, index) => {
  const match = matchAt(iso, lower, index)
  if (match === null) return undefined
  const [year, month, day] = [Number(match[1]), Number(match[2]), match[3] === undefined ? undefined : Number(match[3])]
  if (month < 1 || month > 12 || (day !== undefined && !isDay(year, month, day))) return undefined
  return {
    index,
    end: index + match[0].length,
    value: dayValue(match[0], { year, month, ...(day === undefined ? {} : { day }) }, today)
  }
}

const dateCue =
  /(?:^|[^a-z])(?:on|by|to|until|till|from|since|due|before|after|valid|exp\w*|hearing|rec'd|mon|tue|tues|wed|weds|thu|thurs|fri|sat|sun)[.,:]?\s(?:the\s)?$/

/** 10.07.2026, 31.12.27, 05.03., 4/28, 09/04/2026. With a slash, the day or the month may come first. */
export const readNumericDate: ValueReader = ({ lower, today }, index) => {
  const match = matchAt(numeric, lower, index)
  if (match === null) return undefined
  const [form, left, mark, right, yearText] = match as unknown as [string, string, string, string, string | undefined]
  const [first, second] = [Number(left), Number(right)]
  const hasCue = dateCue.test(lower.slice(Math.max(0, index - 12), index))
  if (
    yearText === undefined &&
    mark === "." &&
    !(form.endsWith(".") && left.length + right.length === 4) &&
    !(form.endsWith(".") && hasCue)
  )
    return undefined
  if (yearText === undefined && mark === "/" && !hasCue && !(first <= 12 && second > 12)) return undefined
  if (yearText?.length === 2 && mark === "." && left.length + right.length < 4) return undefined
  const year = yearText === undefined ? undefined : Number(yearText) + (yearText.length === 2 ? 2000 : 0)
  const weekday = matchAt(weekdayPattern, lower, Math.max(0, lower.lastIndexOf(" ", index - 2) + 1))
  const orders = (
    mark === "."
      ? [[first, second]]
      : [
          [first, second],
          [second, first]
        ]
  ) as ReadonlyArray<readonly [number, number]>
  const readings = orders.flatMap(([day, month]) =>
    month >= 1 && month <= 12 && isDay(year ?? 2000, month, day)
      ? [dayValue(form, { ...(year === undefined ? {} : { year }), month, day }, today)]
      : []
  )
  const fitting =
    weekday === null
      ? []
      : readings.filter(({ days }) => days !== undefined && weekdayOf(days[0]) === weekdayIndex(weekday[1]!))
  const [value, ...others] = fitting.length > 0 ? fitting : readings
  return value && { index, end: index + form.length, value: others.length > 0 ? { ...value, others } : value }
}

/** The value of a month, or of a day of a month, from `index` to `end`, with the year after it, if any. */
const dateWithYear = (source: Source, index: number, end: number, fields: Parameters<typeof dayValue>[1]) => {
  const { end: last, year } = yearAfter(source, end)
  const form = source.lower.slice(index, last)
  return {
    index,
    end: last,
    value: dayValue(form, { ...fields, ...(year === undefined ? {} : { year }) }, source.today)
  }
}

/** 5 March 2026, the second of April, 8 Feb '26. */
export const readDayAndMonth: ValueReader = (source, index) => {
  const { lower } = source
  const read = dayAt(lower, index)
  if (read === undefined) return undefined
  const joint = matchAt(/\s(?:of\s)?|[-.]\s?/y, lower, read.end)?.[0].length ?? 0
  const named = joint === 0 ? undefined : monthAt(source, read.end + joint, true)
  if (named === undefined || !isDay(2000, named.month, read.day)) return undefined
  return dateWithYear(source, index, named.end, { month: named.month, day: read.day })
}

/** March 5, March 2026, March. */
export const readMonthAndDay: ValueReader = (source, index) => {
  const { lower } = source
  const certain = monthAt(source, index, false)
  const named = certain ?? monthAt(source, index, true)
  if (named === undefined) return undefined
  const space = matchAt(/\s(?:the\s)?/y, lower, named.end)?.[0].length ?? 0
  const read = space === 0 ? undefined : dayAt(lower, named.end + space)
  if (
    read !== undefined &&
    isDay(2000, named.month, read.day) &&
    (certain !== undefined || read.isOrdinal || named.month !== 5)
  ) {
    return dateWithYear(source, index, read.end, { month: named.month, day: read.day })
  }
  return certain && dateWithYear(source, index, certain.end, { month: certain.month })
}

/** "the 24th": the next such day. It may also be up to three days ago. */
export const readDayOfMonth: ValueReader = ({ lower, today }, index) => {
  const read = dayAt(lower, index)
  if (read === undefined || !read.isOrdinal || !Number.isFinite(today)) return undefined
  const date = new Date((today - 3) * 86_400_000)
  const [thisYear, thisMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  const inMonth = (offset: number) => dayOf(thisYear, thisMonth + offset, read.day)
  const first = inMonth(0) >= today - 3 ? inMonth(0) : inMonth(1)
  return {
    index,
    end: read.end,
    value: { kind: "day", form: lower.slice(index, read.end), day: read.day, days: [first, first + 1] }
  }
}
const theDay = /the\s/y
const afterDay =
  /[\s]*(?:$|[.,;:!?)!–-]|(?:and|at|to|is|are|was|instead|not|so|in|if|from|around|already|from|with|after|before|as)(?![a-z\dß-\u1fff\u3040-\ud7ff]))/y

export const readOrdinalDay: ValueReader = (source, index) => {
  const article = matchAt(theDay, source.lower, index)
  if (article === null) return undefined
  const start = index + article[0].length
  if (!/\d/.test(source.lower[start] ?? "")) return undefined
  const found = readDayOfMonth(source, start)
  return found !== undefined && matchAt(afterDay, source.lower, found.end) !== null ? { ...found, index } : undefined
}

export const readQuarterOrYear: ValueReader = (source, index) => {
  const { lower, today } = source
  const named = matchAt(quarter, lower, index)
  if (named !== null && isCapital(source, index)) {
    const { end, year } = yearAfter(source, index + 2)
    return {
      index,
      end,
      value: {
        kind: "day",
        form: lower.slice(index, end),
        quarter: Number(named[1]),
        ...(year === undefined ? {} : { year })
      }
    }
  }
  const short = matchAt(monthOfYear, lower, index)
  if (short !== null) {
    const fields = { month: Number(short[1]), year: Number(short[2]) }
    return { index, end: index + short[0].length, value: dayValue(short[0], fields, today) }
  }
  const match = matchAt(plainYear, lower, index)
  if (match === null) return undefined
  return { index, end: index + 4, value: dayValue(match[0], { year: Number(match[0]) }, today) }
}
