import { amountOf, amountPattern, rangeAtDistance } from "./amounts.js"
import { type Clock, shift, type TimeRange, type Unit, unitAt } from "./clock.js"
import { type CycleReference, mapRange, occurrenceOf, type TimeExpression } from "./expression.js"
import { cardinalOf, ordinalOf, ordinalPattern } from "./numberWords.js"
import { hoursOfPart, hoursOn, nthUnitOf, thirdOf } from "./parts.js"

/** Words before an expression that change its meaning. */
export interface Modifier {
  readonly pattern: RegExp
  readonly change: (
    expression: TimeExpression,
    match: RegExpExecArray,
    clock: Clock,
    text: string
  ) => TimeExpression | undefined
}

/** Selects an occurrence: "last May", "this Monday", "next summer". */
export const lastThisNextModifier: Modifier = {
  pattern: /\b(?:the\s+)?(?:this\s+)?(last|past|previous|this|next|coming)[\s-]+$/i,
  change: (expression, [phrase, direction], clock, text) => {
    if (expression.cycle === undefined || expression.kind === "day") return undefined
    const word = text.slice(expression.index, expression.end)
    // Not a month, season or day: "this may be", "the last march on", "the next spring", "the last sat phone".
    if (/^(?:may|march|spring|fall|sun|sat|wed|mon)$/.test(word)) {
      const endsClause = /^\s*(?:$|[^\s\p{L}\p{N}])/u.test(text.slice(expression.end))
      if (
        /^the\b/i.test(phrase) ||
        (!endsClause && (expression.kind === "weekday" || /^(?:this|next|coming)/i.test(direction!)))
      )
        return undefined
    }
    const occurrence: CycleReference = /^this$/i.test(direction!)
      ? "this"
      : /next|coming/i.test(direction!)
        ? "next"
        : "last"
    return {
      ...expression,
      weak: false,
      cycle: undefined,
      date: undefined,
      range: occurrenceOf(expression.cycle, occurrence, clock)
    }
  }
}

/** Selects by counting back or forward: "two Fridays ago", "the summer before last", "the Tuesday after next". */
export const applyCountedOccurrence = (text: string, expression: TimeExpression, clock: Clock): TimeExpression => {
  const { cycle, end, index } = expression
  const after = cycle && /^\s+(?:(ago)|(before\s+last)|after\s+next)\b/i.exec(text.slice(end, end + 24))
  if (!cycle || !after) return expression
  const [phrase, ago, beforeLast] = after
  const number = ago && /(?:^|\s)(an?|\d\d?|[a-z]+)\s+$/i.exec(text.slice(Math.max(0, index - 16), index))
  const count = ago === undefined ? 2 : number ? cardinalOf(number[1]!) : undefined
  if (count === undefined) return expression
  return {
    index: number ? index - number[0].trimStart().length : index,
    end: end + phrase.length,
    kind: "span",
    weak: false,
    range: occurrenceOf(cycle, (ago ?? beforeLast) === undefined ? "next" : "last", clock, count)
  }
}

/**
 * Limits a current period to the part that is over, or to the part that is still to come: "earlier this week", "later
 * today".
 */
const elapsedModifier: Modifier = {
  pattern: /\b(?:(earlier)|later)\s+(in\s+)?(?:the\s+)?$/i,
  change: (expression, [, earlier, preposition], { askedAt }) =>
    expression.weak && preposition === undefined
      ? undefined
      : changedRange(expression, ({ from, to }) => {
          if (askedAt <= from || askedAt >= to) return { from, to }
          return earlier === undefined ? { from: askedAt, to } : { from, to: askedAt }
        })
}

/** Selects the same day in another period: "this day last year", "around this time two weeks ago". */
const sameDayModifier: Modifier = {
  pattern: /\b(?:(?:this|the\s+same)\s+(?:day|time))\s+$/i,
  change: (expression, _match, clock) => {
    const { occurrence } = expression
    if (occurrence === undefined) return undefined
    const { number, period } = occurrence
    const target = shift(clock, clock.askedAt, period, period === "year" ? number - clock.year : number)
    return { ...expression, kind: "day", weak: false, occurrence: undefined, range: unitAt(clock, target, "day") }
  }
}

/** Selects a part: "early May", "the end of 2024". */
const partModifier: Modifier = {
  pattern: /\b(?:the\s+)?(?:(early|mid|late)(?:\s+in)?[\s-]+(?:the\s+)?|(beginning|start|middle|end)\s+of\s+)$/i,
  change: (expression, [, adjective, noun], clock) => {
    const word = (adjective ?? noun)!.toLowerCase()
    const third = /early|start|begin/.test(word) ? 0 : /mid/.test(word) ? 1 : 2
    return changedRange(expression, (range) => thirdOf(clock, range, third))
  }
}

const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"

const position = `(?:(?:next|second|third)[\\s-]to[\\s-])?last|penultimate|final|${ordinalPattern}`
const positions: { readonly [position: string]: number } = { next: -2, second: -2, penultimate: -2, third: -3 }

/** The index of a position: 0 for "first", -1 for "last", -2 for "next to last". Undefined for other words. */
const indexOf = (position: string): number | undefined => {
  const word = position.toLowerCase()
  if (/last|final|penult/.test(word)) return positions[/^\w+/.exec(word)![0]] ?? -1
  const number = ordinalOf(word)
  return number === undefined ? undefined : number - 1
}

/**
 * Selects by number: "the last week of May", "the second half of 2024", "the next to last day of May", "the 15th of last
 * month", "the first of the month".
 */
const nthModifier: Modifier = {
  pattern: new RegExp(
    `\\b(?:the\\s+)?(?:(${position})\\s+(day|week|weekend|month|${weekday}|(?:quarter|half)(?=\\s))|` +
      `(\\d\\d?(?:st|nd|rd|th)|${ordinalPattern}(?=\\s+of\\s)))\\s+(?:(?:of|in)\\s+|(?<=(?:quarter|half)\\s+))$`,
    "i"
  ),
  change: (expression, [, ordinalWord, unit, day], clock) => {
    const index = indexOf((ordinalWord ?? day)!)
    return index === undefined
      ? undefined
      : changedRange(expression, (range) => nthUnitOf(clock, range, unit?.toLowerCase() ?? "day", index))
  }
}

/** Selects several units at one end of a range: "the first three days of May", "the last two weeks of 2025". */
const firstOrLastModifier: Modifier = {
  pattern: new RegExp(`\\b(?:the\\s+)?(?:(first)|last|final)\\s+(${amountPattern})\\s+(?:of|in)\\s+(?:the\\s+)?$`, "i"),
  change: (expression, [, first, phrase], clock) => {
    const [step, ...others] = amountOf(phrase!) ?? []
    if (step === undefined || others.length > 0) return undefined
    return changedRange(expression, (range) => {
      const edge = nthUnitOf(clock, range, step.unit, first === undefined ? -step.max : step.max - 1)
      return edge && (first === undefined ? { from: edge.from, to: range.to } : { from: range.from, to: edge.to })
    })
  }
}

/** Shifts a date: "two days before Christmas 2025" is one day. */
const distanceModifier: Modifier = {
  pattern: new RegExp(
    `\\b(?:the\\s+)?(${amountPattern})\\s+(before|prior\\s+to|after|following)\\s+(?:the\\s+)?$`,
    "i"
  ),
  change: (expression, [, phrase, side], clock) => {
    const amount = amountOf(phrase!)
    if (amount === undefined) return undefined
    return changedRange(expression, ({ from, to }) =>
      /before|prior/i.test(side!)
        ? rangeAtDistance(clock, from, { amount, side: -1 })
        : rangeAtDistance(clock, to - 1, { amount, side: 1 })
    )
  }
}

/** Selects a neighbour: "the week before Christmas" (seven days), "the Sunday after Easter", "the night before". */
const neighbourModifier: Modifier = {
  pattern: new RegExp(
    `\\b(?:the\\s+)?(day|week|weekend|month|quarter|year|morning|afternoon|evening|night|${weekday})\\s+(before|after|of|(?:beginn|start|commenc|end)ing)\\s+(?:the\\s+)?$`,
    "i"
  ),
  change: (expression, [unitRange, unitWord, direction], clock, text) => {
    const isInside = !/before|after/i.test(direction!)
    // "the second weekend of last week" does not exist. `nthModifier` has rejected it, and "weekend of" must not match
    // it.
    if (
      isInside &&
      trailingPosition.test(
        text.slice(Math.max(0, expression.index - unitRange.length - 40), expression.index - unitRange.length)
      )
    )
      return undefined
    return changedRange(expression, ({ from, to }) => {
      const unit = unitWord!.toLowerCase()
      const back = /before/i.test(direction!)
      if (isInside) {
        if (!/^(?:week|month|year)/.test(unit)) return undefined
        const unitRange = unitAt(clock, from, unit as Unit)
        return unitRange.to >= to || unit === "weekend" ? unitRange : undefined
      }
      if (unit === "day" && (expression.kind === "part" || expression.kind === "time"))
        return { from: shift(clock, from, "day", back ? -1 : 1), to: shift(clock, to, "day", back ? -1 : 1) }
      if (/^(?:month|quarter|year|day)$/.test(unit))
        return back ? unitAt(clock, from, unit as Unit, -1) : unitAt(clock, to - 1, unit as Unit, 1)
      const week = back
        ? { from: shift(clock, from, "day", -7), to: from }
        : { from: to, to: shift(clock, to, "day", 7) }
      if (unit === "week") return week
      if (/^(?:morning|afternoon|evening|night)$/.test(unit))
        return hoursOn(clock, back ? unitAt(clock, from, "day", -1) : unitAt(clock, to, "day"), hoursOfPart(unit))
      if (unit !== "weekend") return nthUnitOf(clock, week, unit, 0)
      const nearest = unitAt(clock, back ? from : to - 1, unit)
      if (back) return nearest.to <= from ? nearest : unitAt(clock, from, unit, -1)
      return nearest.from >= to ? nearest : unitAt(clock, to - 1, unit, 1)
    })
  }
}

const trailingPosition = new RegExp(`\\b(?:${position})\\s+$`, "i")

export const otherModifiers: ReadonlyArray<Modifier> = [
  sameDayModifier,
  partModifier,
  firstOrLastModifier,
  nthModifier,
  distanceModifier,
  neighbourModifier,
  elapsedModifier
]

const changedRange = (
  expression: TimeExpression,
  change: (range: TimeRange) => TimeRange | undefined
): TimeExpression | undefined => {
  if (expression.hours !== undefined) return undefined
  const next = mapRange(expression, change)
  const sample = next.range ?? next.cycle?.occurrence(next.cycle.period === "year" ? 2000 : 0)
  return sample === undefined ? undefined : { ...next, kind: "span", weak: false }
}
