import { monthNames, wordPattern } from "./calendarDates.js"
import { numberAt } from "./numbers.js"
import { isWordAt, matchAt, type PlacedValue, type Value } from "./Value.js"

const digital =
  /(\d{1,2})(?:([:.h])(\d\d))?(?::(\d\d)(?:\.\d+)?)?(?:\s?([ap])\.?m\b\.?|\s?(h|hrs|hours|uhr)(?![a-z\dß-\u1fff\u3040-\ud7ff])|\s?(o['’]?\s?clock))?/y
const spoken =
  /(?:(an?\s)?(quarter|half)|(five|ten|twenty(?:[ -]five)?|\d{1,2})(?:\s?min(?:ute)?s?)?)\s(past|after|to|before)\s/y
const named = /(?:12\s)?(noon|midday|midnight)(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const partAfter =
  /,?\s?(?:(?:in\sthe|on\s[a-z]+|this|tomorrow|at)\s)?(morning|afternoon|evening|night|a\.?m\b\.?|p\.?m\b\.?|sharp)/y
const oclock = /\s?o['’]?\s?clock(?![a-z\dß-\u1fff\u3040-\ud7ff])/y
const cue = /(?:^|[^a-z])(?:at|by|from|until|till|before|after|around|about|@|ca\.?|kl\.?)\s$/
const monthAfter = wordPattern(`(?:st|nd|rd|th)?\\s(?:of\\s)?(?:${monthNames})`)
const minutesOf: Readonly<Record<string, number>> = {
  quarter: 15,
  half: 30,
  five: 5,
  ten: 10,
  twenty: 20,
  "twenty five": 25,
  "twenty-five": 25
}

const clock = (form: string, minutes: number, others: ReadonlyArray<number> = []): Value => ({
  kind: "clock",
  form,
  amount: minutes,
  ...(others.length > 0 ? { others: others.map((amount) => ({ kind: "clock" as const, form, amount })) } : {})
})

/**
 * A time on a twelve-hour clock. The part of the day decides which half is meant; without it, both halves are possible.
 */
const halfDay = (text: string, index: number, end: number, minutes: number): PlacedValue => {
  const part = matchAt(partAfter, text, end)
  const until = part === null || part[1] === "sharp" ? end : end + part[0].length
  const form = text.slice(index, until)
  const late = minutes % 720
  if (part === null || part[1] === "sharp")
    return {
      index,
      end,
      value: minutes >= 780 || minutes < 60 ? clock(form, minutes) : clock(form, late, [late + 720])
    }
  const isMorning = /^(?:morning|a)/.test(part[1]!) && part[1] !== "afternoon"
  return { index, end: until, value: clock(form, isMorning || (part[1] === "night" && late < 300) ? late : late + 720) }
}

/** Reads the time of day that begins at `index`: 17:45, 9 am, 20.00 h, a quarter past one in the afternoon, noon. */
export const readClockTime = (text: string, index: number): PlacedValue | undefined => {
  const word = matchAt(named, text, index)
  if (word !== null)
    return { index, end: index + word[0].length, value: clock(word[0], word[1] === "midnight" ? 0 : 720) }
  return spokenAt(text, index) ?? digitalAt(text, index) ?? wordAt(text, index)
}

const spokenAt = (text: string, index: number): PlacedValue | undefined => {
  const match = matchAt(spoken, text, index)
  if (match === null) return undefined
  const hour = numberAt(text, index + match[0].length)
  if (
    hour === undefined ||
    !Number.isInteger(hour.amount) ||
    hour.amount > 12 ||
    hour.isOrdinal ||
    isWordAt(text, hour.end)
  )
    return undefined
  // "3 to 9 June" are days.
  if (match[1] === undefined && match[2] === undefined && matchAt(monthAfter, text, hour.end) !== null) return undefined
  const minutes = minutesOf[match[2] ?? match[3]!] ?? Number(match[3])
  const isAfter = match[4] === "past" || match[4] === "after"
  if (!(minutes < 60) || (match[1] === undefined && match[2] === undefined && !/past|to/.test(match[4]!)))
    return undefined
  const end = matchAt(oclock, text, hour.end)
  const total = 60 * hour.amount + (isAfter ? minutes : -minutes)
  return halfDay(text, index, hour.end + (end?.[0].length ?? 0), (total + 1440) % 1440)
}

/** The rest of "3 to 5 pm" and "9-11 am". */
const untilLater = /\s?(?:-|–|to|and|until)\s?\d{1,2}(?:[:.]\d\d)?\s?([ap])\.?m\b/y

const digitalAt = (text: string, index: number): PlacedValue | undefined => {
  const match = matchAt(digital, text, index)
  if (match === null) return undefined
  const [form, hourText, mark, minuteText, seconds, half, hours, oclock] = match as unknown as ReadonlyArray<
    string | undefined
  >
  const [hour, minute] = [Number(hourText), Number(minuteText ?? 0)]
  const end = index + form!.length
  if (hour > 24 || minute > 59 || isWordAt(text, end) || /^[.,:]\d/.test(text.slice(end, end + 2))) return undefined
  if (half !== undefined)
    return { index, end, value: clock(form!, (hour % 12) * 60 + minute + (half === "p" ? 720 : 0)) }
  if (oclock !== undefined) return halfDay(text, index, end, hour * 60 + minute)
  const later = mark === undefined ? matchAt(untilLater, text, end) : null
  if (later !== null && hour > 0 && hour <= 12)
    return { index, end, value: clock(form!, (hour % 12) * 60 + (later[1] === "p" ? 720 : 0)) }
  if (mark === "h") {
    const duration: Value = {
      kind: "quantity",
      form: form!,
      amount: 3600 * hour + 60 * minute,
      step: 60,
      unit: "duration"
    }
    const time = clock(form!, hour * 60 + minute)
    return { index, end, value: hour < 7 ? { ...duration, others: [time] } : { ...time, others: [duration] } }
  }
  if (mark === ":" && seconds !== undefined) {
    const duration: Value = {
      kind: "quantity",
      form: form!,
      amount: 60 * (60 * hour + minute) + Number(seconds),
      step: 1,
      unit: "duration"
    }
    return { index, end, value: { ...clock(form!, hour * 60 + minute), others: [duration] } }
  }
  if (mark === ":") {
    const part = matchAt(partAfter, text, end)
    return part !== null && hour < 12 && hour > 0 && part[1] !== "sharp"
      ? halfDay(text, index, end, hour * 60 + minute)
      : { index, end, value: clock(form!, hour * 60 + minute) }
  }
  // "20.00 h" is a time, "13 h" and "8.10" only after a word such as "at".
  const isCued = cue.test(text.slice(Math.max(0, index - 8), index))
  if (mark === "." && hours !== undefined) return { index, end, value: clock(form!, hour * 60 + minute) }
  if (mark === "." && (isCued || /,\s$/.test(text.slice(Math.max(0, index - 2), index))))
    return { index, end, value: clock(form!, hour * 60 + minute) }
  if (mark === undefined && hours !== undefined && hours !== "hours" && hours !== "hrs" && isCued)
    return { index, end, value: clock(form!, hour * 60) }
  return undefined
}

const followed =
  /\s?(?:$|[.,;:!?)]|(?:on|in|for|sharp|and|as|this|tomorrow|today|every|each|to|until|till|from|but|instead|already|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?![a-z\dß-\u1fff\u3040-\ud7ff]))/y

/** "two o'clock", "at nine", "around 7". */
const wordAt = (text: string, index: number): PlacedValue | undefined => {
  const number = numberAt(text, index)
  if (
    number === undefined ||
    !Number.isInteger(number.amount) ||
    number.amount < 1 ||
    number.amount > 12 ||
    number.isOrdinal
  )
    return undefined
  const mark = matchAt(oclock, text, number.end)
  if (mark !== null) return halfDay(text, index, number.end + mark[0].length, 60 * number.amount)
  if (isWordAt(text, number.end) || !/(?:^|[^a-z])(?:at|@)\s$/.test(text.slice(Math.max(0, index - 4), index)))
    return undefined
  if (matchAt(followed, text, number.end) === null && matchAt(partAfter, text, number.end) === null) return undefined
  return halfDay(text, index, number.end, 60 * number.amount)
}
