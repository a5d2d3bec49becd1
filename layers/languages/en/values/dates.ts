import {
  readDayAndMonth,
  readDayOfMonth,
  readIsoDate,
  readMonthAndDay,
  readNumericDate,
  readOrdinalDay,
  readQuarterOrYear,
  weekdayIndex,
  weekdayPattern,
  wordPattern
} from "./calendarDates.js"
import { dayOf, relativeDay, type ValueReader, weekdayOf } from "./days.js"
import { numberAt } from "./numbers.js"
import { isWordAt, matchAt, type Value } from "./Value.js"

// Weekdays, and dates relative to the time of the statement: next Tuesday, tomorrow, in ten days, a week from Friday.

const nextWords = /(?:(this coming|this|next|coming|last|past)\s)?/y

/**
 * Friday, next Tuesday, Wednesday the 5th of June, Thursday of next week. Computes the date if the time of the
 * statement is known.
 */
const weekdayDate: ValueReader = (source, index) => {
  const { lower, raw, today } = source
  const modifier = matchAt(nextWords, lower, index)!
  const start = index + modifier[0].length
  const match = matchAt(weekdayPattern, lower, start)
  if (match === null) return undefined
  const name = match[1]!
  if (name.length <= 3 && !/[A-Z]/.test(raw[start]!)) return undefined
  const weekday = weekdayIndex(name)
  const nameEnd = start + name.length
  const joint = matchAt(/s?\.?,?\s(?:the\s)?/y, lower, nameEnd)
  if (joint !== null && match[2] === "") {
    const dateIndex = nameEnd + joint[0].length
    const date =
      readIsoDate(source, dateIndex) ??
      readNumericDate(source, dateIndex) ??
      readDayAndMonth(source, dateIndex) ??
      readMonthAndDay(source, dateIndex) ??
      (joint[0].endsWith("the ") || /\d(?:st|nd|rd|th)/y.test(lower.slice(dateIndex, dateIndex + 4))
        ? readDayOfMonth(source, dateIndex)
        : undefined)
    if (date?.value.day !== undefined)
      return { index, end: date.end, value: { ...date.value, form: lower.slice(index, date.end), weekday } }
  }
  const isRecurring = match[2] === "s" && name.length > 3 && !/^(?:tues|weds|thurs)$/.test(name + match[2])
  const end = nameEnd + match[2]!.length
  const before = lower.slice(Math.max(0, index - 7), index)
  const ofWeek = matchAt(/\s(?:of\s)?(next|this)\sweek|\s(week)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y, lower, end)
  const form = lower.slice(index, ofWeek === null ? end : end + ofWeek[0].length)
  const fields = { kind: "day", form, weekday } as const
  if (isRecurring || /(?:every|each)\s$/.test(before) || !Number.isFinite(today)) return { index, end, value: fields }
  // Counts from the next day on; "next" and "last" may skip a week.
  const ahead = ((weekday - weekdayOf(today) + 6) % 7) + 1
  const monday = today - weekdayOf(today)
  const is = (word: string) => modifier[1]?.endsWith(word) === true
  const first =
    ofWeek === null
      ? is("last") || is("past")
        ? today + ahead - 7 - (ahead === 7 ? 7 : 0)
        : today + ahead
      : ofWeek[2] === undefined
        ? monday + weekday + (ofWeek[1] === "next" ? 7 : 0)
        : today + ahead + 7
  const isRelative = modifier[1] !== undefined || ofWeek !== null
  const value: Value = { ...fields, days: [first, first + 1], ...(isRelative ? { isRelative } : {}) }
  const later = is("next") && ofWeek === null ? [{ ...value, days: [first + 7, first + 8] as const }] : []
  return { index, end: index + form.length, value: later.length > 0 ? { ...value, others: later } : value }
}

const dayWords: Readonly<Record<string, number>> = {
  today: 0,
  tonight: 0,
  tomorrow: 1,
  yesterday: -1,
  "the day after tomorrow": 2,
  "day after tomorrow": 2,
  "the day before yesterday": -2,
  "day before yesterday": -2
}
const dayWord = wordPattern("((?:the )?day (?:after tomorrow|before yesterday)|today|tonight|tomorrow|yesterday)")
const lengths: Readonly<Record<string, number>> = { day: 1, week: 7, fortnight: 14, month: 30.4, year: 365.25 }
const distance = /(in\s|within\s)?(?:(an?|the)\s)?(?=[a-z\d])/y
const unitOfDistance = /[\s-]?(day|week|fortnight|month|year)s?(?:['’]\stime)?(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const origin = /\s(ago|hence|from\snow|(?:from\s)?(?:today|tomorrow|yesterday)|(?:from|on)\s(?=[a-z]))/y

/** Tomorrow, in ten days, a week from Friday, two weeks ago, next week, a fortnight today. */
const relativeDate: ValueReader = (source, index) => {
  const { lower, today } = source
  if (!Number.isFinite(today)) return undefined
  const word = matchAt(dayWord, lower, index)
  if (word !== null) {
    const value = relativeDay(word[1]!, today + dayWords[word[1]!]!)
    return value && { index, end: index + word[0].length, value }
  }
  return periodAt(source, index) ?? distantDay(source, index)
}

const period = wordPattern("(?:the\\s)?(next|last|coming)\\s(week|weekend|month|year)")
const periodAt: ValueReader = ({ lower, today }, index) => {
  const match = matchAt(period, lower, index)
  if (match === null) return undefined
  const side = match[1] === "last" ? -1 : 1
  const monday = today - weekdayOf(today)
  const date = new Date(today * 86_400_000)
  const [thisYear, thisMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1]
  const [from, until] =
    match[2] === "week"
      ? [monday + 7 * side, monday + 7 * side + 7]
      : match[2] === "weekend"
        ? [
            monday + 5 + 7 * (side > 0 ? (weekdayOf(today) > 4 ? 1 : 0) : -1),
            monday + 7 + 7 * (side > 0 ? (weekdayOf(today) > 4 ? 1 : 0) : -1)
          ]
        : match[2] === "month"
          ? [dayOf(thisYear, thisMonth + side, 1), dayOf(thisYear, thisMonth + side + 1, 1)]
          : [dayOf(thisYear + side, 1, 1), dayOf(thisYear + side + 1, 1, 1)]
  const value = relativeDay(match[0], from, until - from)
  return value && { index, end: index + match[0].length, value }
}

const distantDay: ValueReader = (source, index) => {
  const { lower, today } = source
  const start = matchAt(distance, lower, index)
  if (start === null) return undefined
  const [, preposition, article] = start
  const numberIndex = index + start[0].length
  const number = article === undefined ? numberAt(lower, numberIndex) : undefined
  const count = number?.amount ?? (article === undefined ? undefined : 1)
  if (count === undefined || number?.isOrdinal) return undefined
  const unit = matchAt(unitOfDistance, lower, number === undefined ? numberIndex - 1 : number.end)
  if (unit === null) return undefined
  const unitEnd = (number === undefined ? numberIndex - 1 : number.end) + unit[0].length
  const from = matchAt(origin, lower, unitEnd)
  const length = count * lengths[unit[1]!]!
  if (length > 40_000) return undefined
  const grain = unit[1] === "month" || unit[1] === "year" ? Math.max(1, Math.round(lengths[unit[1]!]! / 4)) : 1
  const at = (day: number, end: number) => {
    const value = relativeDay(lower.slice(index, end), Math.round(day), grain)
    return value && { index, end, value }
  }
  if (from === null)
    return preposition?.startsWith("in") === true && !/^\s(?:a|of|per)\s/.test(lower.slice(unitEnd, unitEnd + 4))
      ? at(today + length, unitEnd)
      : undefined
  const end = unitEnd + from[0].length
  const words = from[1]!
  if (words === "ago") return at(today - length, end)
  if (words.endsWith("tomorrow")) return at(today + 1 + length, end)
  if (words.endsWith("yesterday")) return at(today - 1 + length, end)
  if (/now|today|hence/.test(words)) return at(today + length, end)
  const base = weekdayDate(source, end)
  return base?.value.days === undefined ? undefined : at(base.value.days[0] + length, base.end)
}

/** Readers by the first character of a date: a digit, or a letter. */
const digitReaders: ReadonlyArray<ValueReader> = [
  readIsoDate,
  readNumericDate,
  distantDay,
  readDayAndMonth,
  readQuarterOrYear
]
const letterReaders: ReadonlyArray<ValueReader> = [
  relativeDate,
  weekdayDate,
  readOrdinalDay,
  readDayAndMonth,
  readMonthAndDay,
  readQuarterOrYear
]

/** Reads the date that begins at `index`. */
export const dateAt: ValueReader = (source, index) => {
  const readers = /\d/.test(source.lower[index]!) ? digitReaders : letterReaders
  for (const read of readers) {
    const found = read(source, index)
    if (found !== undefined && !isWordAt(source.lower, found.end)) return found
  }
  return undefined
}
