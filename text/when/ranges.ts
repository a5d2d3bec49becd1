import { dayFields } from "./calendar.js"
import { type Clock, type TimeRange, unitAt } from "./clock.js"
import { earliestInstant, latestInstant } from "./dates.js"
import { occurrenceFrom, occurrenceOf, occurrenceUntil, type TimeExpression } from "./expression.js"

// Ranges between two expressions, and ranges with one open end.

/** Joins two expressions to a range: "from March to May", "between 3 and 10 May", "Monday - Wednesday", "从三月到五月". */
export const joinRanges = (
  text: string,
  expressions: ReadonlyArray<TimeExpression>,
  clock: Clock
): ReadonlyArray<TimeExpression> =>
  expressions.reduce<Array<TimeExpression>>((results, expression) => {
    const left = results.at(-1)
    const combined = left === undefined ? undefined : rangeBetween(text, left, expression, clock)
    if (combined !== undefined) results[results.length - 1] = combined
    else results.push(dayRange(text, expression, clock) ?? expression)
    return results
  }, [])

const rangePreposition = /(?:\b(from|between|since)\s+(?:the\s+)?|(从)\s*)$/i
const connector = /^\s*(?:(?:to|until|till|through|thru|up\s+to|-|–|—|\/|\.\.+|…|到|至)|(and))\s*(?:the\s+)?$/i

const rangeBetween = (
  text: string,
  left: TimeExpression,
  right: TimeExpression,
  clock: Clock
): TimeExpression | undefined => {
  const between = connector.exec(text.slice(left.end, right.index))
  if (between === null || left.hours !== undefined || right.hours !== undefined) return undefined
  const match = rangePreposition.exec(text.slice(Math.max(0, left.index - 20), left.index))
  // "in March and in May" names two times. "yesterday - may I" names one.
  if (between[1] !== undefined && match?.[1]?.toLowerCase() !== "between") return undefined
  if (match === null && right.weak && !(left.kind === "year" && right.kind === "year" && !between[1])) return undefined
  if (match === null && /^\s*\/\s*$/.test(between[0]) && left.kind !== right.kind) return undefined
  const range = spanOf(left, right, clock)
  if (range === undefined) return undefined
  const index = left.index - (match?.[0].length ?? 0)
  return { index, end: right.end, kind: "span", weak: false, range }
}

/**
 * The range from one expression to another. A year at one end applies to both ends, and so does the month in "from the
 * 3rd to the 9th of May". Without a year, it is the most recent range that has begun.
 */
const spanOf = (left: TimeExpression, right: TimeExpression, clock: Clock): TimeRange | undefined => {
  const recurAlike = left.cycle === undefined || left.cycle.period === right.cycle?.period
  const end = right.range ?? (right.cycle && !recurAlike ? occurrenceOf(right.cycle, "begun", clock) : undefined)
  const first =
    left.range ??
    (left.cycle &&
      (end === undefined ? occurrenceOf(left.cycle, "begun", clock) : occurrenceUntil(left.cycle, end.from, clock)))
  const last = end ?? (right.cycle && first && occurrenceFrom(right.cycle, first.from, clock))
  if (first === undefined || last === undefined) return undefined
  // "to 5 pm" ends when that hour begins; "to Friday" ends with that day.
  const to = right.kind === "time" ? last.from : last.to
  return first.from < to ? { from: first.from, to } : undefined
}

const firstDay =
  /\b(?:between|from)\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?\s*(?:and|to|until|till|through|-|–)\s*(?:the\s+)?$/i

/** Reads the range of two days in one month: "between 3 and 10 May". */
const dayRange = (text: string, expression: TimeExpression, clock: Clock): TimeExpression | undefined => {
  if (expression.kind !== "day" || expression.date === undefined) return undefined
  const match = firstDay.exec(text.slice(Math.max(0, expression.index - 40), expression.index))
  if (match === null) return undefined
  const { month, year } = expression.date
  const first = Number(match[1])
  const firstExpression = { index: 0, end: 0, ...dayFields({ year, month, first, last: first }, clock) }
  const range = spanOf(firstExpression, expression, clock)
  return range && { index: expression.index - match[0].length, end: expression.end, kind: "span", weak: false, range }
}

type Side = "since" | "after" | "before" | "until" | "now"

const prefixes: ReadonlyArray<readonly [RegExp, Side]> = [
  [
    /\b(?:since|as\s+of|on\s+or\s+after|no\s+earlier\s+than|starting(?:\s+(?:in|on|from|with))?)\s+(?:(?:about|around)\s+)?$/i,
    "since"
  ],
  [/\b(?:until|till|up\s+to|by|on\s+or\s+before|no\s+later\s+than)\s+(?:(?:about|around)\s+)?$/i, "until"],
  [/\b(?:after|(?:later|newer|more\s+recent)\s+than)\s+(?:(?:about|around)\s+)?$/i, "after"],
  [/\b(?:before|prior\s+to|(?:earlier|older)\s+than)\s+(?:(?:about|around)\s+)?$/i, "before"]
]
/** These apply only before an amount with "ago". */
const agoPrefixes: ReadonlyArray<readonly [RegExp, Side]> = [
  [/\b(?:(?:more|longer)\s+than|over)\s+$/i, "until"],
  [/\bless\s+than\s+$/i, "now"]
]
const suffixes: ReadonlyArray<readonly [RegExp, Side]> = [
  [/^\s+(?:or|and)\s+(?:later|newer)\b|^\s+onwards\b/i, "since"],
  [/^\s+(?:or|and)\s+(?:earlier|older)\b/i, "until"],
  [/^\s*以来/, "since"],
  [/^\s*(?:以|之)后/, "after"],
  [/^\s*(?:以|之)前/, "before"]
]
const opening = /\b(?:from|since|(between))\s+$/i
const andNow = /^\s*and\s+(?:now|the\s+present)\b/i
const untilNow = /^\s*(?:to|until|till|up\s+to|through|-|–)\s+(?:now|the\s+present|present)\b/i
const onwards = /^\s+on(?:wards?)?\b(?!\s+(?:the|an?|my|our|\d))/i

/** Opens one side of a range: "since May", "after 3 March", "before 2024", "from May on", "from 2020 until now". */
export const applyBound = (text: string, expression: TimeExpression, clock: Clock): TimeExpression => {
  const range = expression.range ?? (expression.cycle && occurrenceOf(expression.cycle, "begun", clock))
  if (range === undefined || expression.hours !== undefined) return expression
  const bound = boundOf(text, expression)
  if (bound === undefined) return expression
  const index = expression.index - bound.before
  return {
    index,
    end: expression.end + bound.after,
    kind: "span",
    weak: false,
    range: openOf(expression, range, bound.side, clock)
  }
}

/** Returns which side of the range is open, and how many characters before and after the expression show it. */
const boundOf = (text: string, { end, index, kind, weak }: TimeExpression) => {
  const before = text.slice(Math.max(0, index - 40), index)
  const after = text.slice(end)
  // "after last year's meeting" only names the year; "before the year" names no specific year.
  if (/^['’]s(?!\w)/.test(after) || (weak && kind === "span" && !/weekend|\ds$/i.test(text.slice(index, end))))
    return undefined
  // "since the fall of Rome" and "since week 3 of the course" name no season and no week.
  if (weak && kind === "season" && /^\s+of\b/i.test(after)) return undefined
  const [{ length: from }, between] = opening.exec(before) ?? [""]
  const nowMatch = (between === undefined ? untilNow : andNow).exec(after)
  if (nowMatch !== null && (from > 0 || !weak)) return { side: "now" as const, before: from, after: nowMatch[0].length }
  const onwardsMatch = from > 0 && between === undefined ? onwards.exec(after) : null
  if (onwardsMatch !== null) return { side: "since" as const, before: from, after: onwardsMatch[0].length }
  for (const [pattern, side] of suffixes) {
    const match = pattern.exec(after)
    if (match !== null) return { side, before: 0, after: match[0].length }
  }
  // "since the 25th of April": dates are read without their article.
  const article = kind === "day" ? (/\bthe\s+$/i.exec(before)?.[0].length ?? 0) : 0
  for (const [pattern, side] of /ago$/i.test(text.slice(index, end)) ? [...prefixes, ...agoPrefixes] : prefixes) {
    const match = pattern.exec(before.slice(0, before.length - article))
    // In "written by June", June may be a name.
    if (match !== null)
      return weak && kind === "month" && /^by/i.test(match[0])
        ? undefined
        : { side, before: match[0].length + article, after: 0 }
  }
  return undefined
}

const openOf = ({ kind }: TimeExpression, { from, to }: TimeRange, side: Side, clock: Clock): TimeRange => {
  // "after 5 pm yesterday" ends with that day; "since 5 pm yesterday" does not.
  const day = kind === "time" ? unitAt(clock, from, "day") : undefined
  switch (side) {
    case "since":
      return { from, to: latestInstant }
    case "now":
      return { from, to: clock.askedAt }
    case "after":
      return day === undefined ? { from: to, to: latestInstant } : { from, to: day.to }
    case "before":
      return { from: day?.from ?? earliestInstant, to: from }
    default:
      return { from: earliestInstant, to: day === undefined ? to : from }
  }
}
