import { amount, amountOf, rangeAtDistance } from "./amounts.js"
import { type Clock, shift, type TimeRange, type Unit, unitAt } from "./clock.js"
import { type CycleReference, mapRange, occurrenceOf, type TimeExpression } from "./expression.js"
import { hoursOfPart, hoursOn, nthOf, partOf } from "./parts.js"

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

/** Selects a part: "early May", "the end of 2024". */
const partModifier: Modifier = {
  pattern: /\b(?:the\s+)?(?:(early|mid|late)(?:\s+in)?[\s-]+(?:the\s+)?|(beginning|start|middle|end)\s+of\s+)$/i,
  change: (expression, [, adjective, noun], clock) => {
    const word = (adjective ?? noun)!.toLowerCase()
    const third = /early|start|begin/.test(word) ? 0 : /mid/.test(word) ? 1 : 2
    return changedRange(expression, (range) => partOf(clock, range, third))
  }
}

const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"

/** Selects by number: "the last week of May", "the second half of 2024", "the 15th of last month". */
const nthModifier: Modifier = {
  pattern: new RegExp(
    `\\b(?:the\\s+)?(?:(first|second|third|fourth|last|1st|2nd|3rd|4th)\\s+(day|week|weekend|month|${weekday}|(?:quarter|half)(?=\\s))|` +
      "(\\d\\d?)(?:st|nd|rd|th))\\s+(?:(?:of|in)\\s+|(?<=(?:quarter|half)\\s+))$",
    "i"
  ),
  change: (expression, [, ordinalWord, unit, day], clock) => {
    if (ordinalWord === undefined)
      return changedRange(expression, (range) => nthOf(clock, range, "day", Number(day) - 1))
    const number = ["first", "second", "third", "fourth"].indexOf(ordinalWord.toLowerCase())
    const index = /last/i.test(ordinalWord) ? -1 : number < 0 ? Number(ordinalWord[0]) - 1 : number
    return changedRange(expression, (range) => nthOf(clock, range, unit!.toLowerCase(), index))
  }
}

/** Shifts a date: "two days before Christmas 2025" is one day. */
const distanceModifier: Modifier = {
  pattern: new RegExp(`\\b(?:the\\s+)?(${amount})\\s+(before|prior\\s+to|after|following)\\s+(?:the\\s+)?$`, "i"),
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
    `\\b(?:the\\s+)?(day|week|weekend|month|quarter|year|morning|evening|night|${weekday})\\s+(before|after|of)\\s+(?:the\\s+)?$`,
    "i"
  ),
  change: (expression, [unitRange, unitWord, direction], clock, text) => {
    // "the second weekend of last week" does not exist. `nthModifier` has rejected it, and "weekend of" must not match
    // it.
    if (/of/i.test(direction!) && ordinal.test(text.slice(0, expression.index - unitRange.length))) return undefined
    return changedRange(expression, ({ from, to }) => {
      const unit = unitWord!.toLowerCase()
      const back = /before/i.test(direction!)
      if (/of/i.test(direction!)) {
        if (!/^(?:week|month|year)/.test(unit)) return undefined
        const unitRange = unitAt(clock, from, unit as Unit)
        return unitRange.to >= to || unit === "weekend" ? unitRange : undefined
      }
      if (/^(?:month|quarter|year|day)$/.test(unit))
        return back ? unitAt(clock, from, unit as Unit, -1) : unitAt(clock, to - 1, unit as Unit, 1)
      const week = back
        ? { from: shift(clock, from, "day", -7), to: from }
        : { from: to, to: shift(clock, to, "day", 7) }
      if (unit === "week") return week
      if (/^(?:morning|evening|night)$/.test(unit))
        return hoursOn(clock, back ? unitAt(clock, from, "day", -1) : unitAt(clock, to, "day"), hoursOfPart(unit))
      if (unit !== "weekend") return nthOf(clock, week, unit, 0)
      const nearest = unitAt(clock, back ? from : to - 1, unit)
      if (back) return nearest.to <= from ? nearest : unitAt(clock, from, unit, -1)
      return nearest.from >= to ? nearest : unitAt(clock, to - 1, unit, 1)
    })
  }
}

const ordinal = /\b(?:first|second|third|fourth|last|\d(?:st|nd|rd|th))\s+$/i

export const otherModifiers: ReadonlyArray<Modifier> = [partModifier, nthModifier, distanceModifier, neighbourModifier]

const changedRange = (
  expression: TimeExpression,
  change: (range: TimeRange) => TimeRange | undefined
): TimeExpression | undefined => {
  if (expression.hours !== undefined) return undefined
  const next = mapRange(expression, change)
  const sample = next.range ?? next.cycle?.occurrence(next.cycle.period === "year" ? 2000 : 0)
  return sample === undefined ? undefined : { ...next, kind: "span", weak: false }
}
