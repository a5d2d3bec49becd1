import { dayFields } from "./calendar.js"
import { type Clock, dateFieldsOf, day, hour, type TimeRange } from "./clock.js"
import { mapRange, type TimeExpression } from "./expression.js"
import { applyCountedOccurrence, lastThisNextModifier, type Modifier, otherModifiers } from "./modifiers.js"
import { hoursOn } from "./parts.js"
import { listSeparator } from "./plausible.js"
import { applyBound, joinRanges } from "./ranges.js"

// Combines neighbouring expressions: "last" and "May", "Monday" and "evening", "two days before" and "Christmas".

/**
 * Combines expressions with their modifiers and with each other. The input is in text order without overlaps; results may
 * overlap.
 */
export const combineExpressions = (
  text: string,
  expressions: ReadonlyArray<TimeExpression>,
  clock: Clock
): ReadonlyArray<TimeExpression> => {
  const applyModifier = (expressions: ReadonlyArray<TimeExpression>, { change, pattern }: Modifier) =>
    expressions.map((expression) => {
      const match = pattern.exec(text.slice(Math.max(0, expression.index - modifierLength), expression.index))
      const changed = match === null ? undefined : change(expression, match, clock, text)
      return changed === undefined ? expression : { ...changed, index: expression.index - match![0].length }
    })
  const joinNeighbours = (expressions: ReadonlyArray<TimeExpression>, join: Join) =>
    expressions.reduce<Array<TimeExpression>>((results, expression) => {
      const left = results.at(-1)
      const combined = left && join(left, expression, text.slice(left.end, expression.index), clock)
      if (combined === undefined) results.push(expression)
      else results[results.length - 1] = { ...combined, index: left!.index, end: expression.end }
      return results
    }, [])
  const dated = expressions.map((left, index) => {
    const right = expressions[index + 1]
    return right === undefined ? left : inListedMonth(left, right, text.slice(left.end, right.index), clock)
  })
  const dates = [joinWeekday, joinMonthDay].reduce(joinNeighbours, dated)
  const counted = dates.map((expression) => applyCountedOccurrence(text, expression, clock))
  const points = [joinCycle, joinTime, joinCycle].reduce(joinNeighbours, applyModifier(counted, lastThisNextModifier))
  return joinRanges(text, otherModifiers.reduce(applyModifier, points), clock).map((expression) =>
    applyBound(text, expression, clock)
  )
}

/** In "the 5th and the 6th of May", the 5th is in May too. */
const inListedMonth = (left: TimeExpression, right: TimeExpression, between: string, clock: Clock): TimeExpression =>
  left.monthDay === undefined || right.date === undefined || right.kind !== "day" || !listSeparator.test(between)
    ? left
    : {
        ...left,
        monthDay: undefined,
        ...dayFields({ ...right.date, first: left.monthDay, last: left.monthDay }, clock)
      }

type Join = (left: TimeExpression, right: TimeExpression, between: string, clock: Clock) => TimeExpression | undefined

/** Characters before an expression that are searched for modifiers. */
const modifierLength = 80

/**
 * Joins "Saturday, 3 May": the date alone determines the result. Joins "Friday the 13th": the months in which the 13th is
 * a Friday.
 */
const joinWeekday: Join = (left, right, between, clock) => {
  if (left.kind === "weekday" && right.monthDay !== undefined && right.cycle !== undefined) {
    const weekday = weekdayOf(left.cycle?.occurrence(0), clock)
    const { occurrence } = right.cycle
    const onWeekday = (month: number) => {
      const range = occurrence(month)
      return weekdayOf(range, clock) === weekday ? range : undefined
    }
    return /^,?\s+$/.test(between)
      ? { ...right, weak: false, cycle: { period: "month", occurrence: onWeekday } }
      : undefined
  }
  if (left.kind === "weekday" && right.date !== undefined && right.kind === "day")
    return /^\.?,?\s*(?:the\s+)?$/i.test(between) ? right : undefined
  return left.kind === "day" && right.kind === "weekday" && /^,?\s*$/.test(between) && left.date ? left : undefined
}

const weekdayOf = (range: TimeRange | undefined, clock: Clock): number | undefined =>
  range && dateFieldsOf(clock.local(range.from))[3]

/** Joins "May the 4th". */
const joinMonthDay: Join = (left, right, between, clock) => {
  if (left.kind !== "month" || left.date === undefined || right.monthDay === undefined || !/^\s+$/.test(between))
    return undefined
  return {
    ...right,
    monthDay: undefined,
    ...dayFields({ ...left.date, first: right.monthDay, last: right.monthDay }, clock)
  }
}

/** Joins a recurring time and a period: "May last year", "Monday of last week", "Christmas 2024", "2025 Q2", "去年五月". */
const joinCycle: Join = (left, right, between) => {
  const [recurring, period] = left.cycle === undefined ? [right, left] : [left, right]
  if (
    recurring.cycle === undefined ||
    period.occurrence === undefined ||
    recurring.cycle.period !== period.occurrence.period
  )
    return undefined
  const connector = recurring === left ? /^\s*(?:,|of|in|的)?\s*$/i : /^(?:['’]s)?[,-]?\s*(?:in|on|at|的)?\s*$/i
  if (!connector.test(between)) return undefined
  const range = recurring.cycle.occurrence(period.occurrence.number)
  return { ...recurring, weak: false, cycle: undefined, date: undefined, range }
}

/**
 * Joins a date and a time of day: "Monday evening", "3 May at 5 pm", "the morning of 3 May", "yesterday after 17:00".
 */
const joinTime: Join = (left, right, between, clock) => {
  const [date, time] = left.hours === undefined ? [left, right] : [right, left]
  const isPart = date.kind === "part" && time.isClockTime === true
  if (time.hours === undefined || !(isPart || date.kind === "day" || date.kind === "weekday" || date.kind === "feast"))
    return undefined
  const atHours = (hours: TimeRange): TimeExpression => ({
    ...mapRange(date, (range) => {
      if (isPart) return hoursWithin(clock, range, hours, time.isTwelveHour)
      return range.to - range.from > 1.5 * day ? undefined : hoursOn(clock, range, hours)
    }),
    kind: time.isClockTime === true ? "time" : "part",
    weak: false
  })
  if (isPart && atHours(time.hours).range === undefined && date.cycle === undefined) return undefined
  if (date === right) return /^\s*(?:,|of|on|of\s+the|on\s+the)?\s*$/i.test(between) ? atHours(time.hours) : undefined
  if (/^(?:['’]s)?,?[\s-]*(?:(?:in|during)\s+the\s+|(?:at|around|about|from)\s+|@\s*)?$/i.test(between))
    return atHours(time.hours)
  const side = /^,?\s*(after|since|before|until|till|by)\s+$/i.exec(between)?.[1]?.toLowerCase()
  if (side === undefined) return undefined
  return atHours(/after|since/.test(side) ? { from: time.hours.from, to: day } : { from: 0, to: time.hours.from })
}

/** The range of these hours that begins within a part of a day: "last night at 11", "last night at 2". */
const hoursWithin = (
  clock: Clock,
  part: TimeRange,
  { from, to }: TimeRange,
  isTwelveHour = false
): TimeRange | undefined =>
  (isTwelveHour ? [0, 12, -12] : [0, 24])
    .map((offset) => hoursOn(clock, part, { from: from + offset * hour, to: to + offset * hour }))
    .find((range) => range.from >= part.from && range.from < part.to)
