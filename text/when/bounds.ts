import { type Atom, turnFrom, turnOf, turnUntil } from "./atom.js"
import { dayFields } from "./calendar.js"
import { type Clock, type Stretch, unitAt } from "./clock.js"
import { earliest, latest } from "./dates.js"

// Ranges between two expressions, and ranges that are open on one side.

/** "from March to May", "between 3 and 10 May", "Monday - Wednesday", "从三月到五月". */
export const ranges = (text: string, atoms: ReadonlyArray<Atom>, clock: Clock): ReadonlyArray<Atom> =>
  atoms.reduce<Array<Atom>>((results, atom) => {
    const left = results.at(-1)
    const rangeAtom = left === undefined ? undefined : range(text, left, atom, clock)
    if (rangeAtom !== undefined) results[results.length - 1] = rangeAtom
    else results.push(dayRange(text, atom, clock) ?? atom)
    return results
  }, [])

const lead = /(?:\b(from|between|since)\s+(?:the\s+)?|(从)\s*)$/i
const connector = /^\s*(?:(?:to|until|till|through|thru|up\s+to|-|–|—|\/|\.\.+|…|到|至)|(and))\s*(?:the\s+)?$/i

const range = (text: string, left: Atom, right: Atom, clock: Clock): Atom | undefined => {
  const between = connector.exec(text.slice(left.end, right.index))
  if (between === null || left.hours !== undefined || right.hours !== undefined) return undefined
  const match = lead.exec(text.slice(Math.max(0, left.index - 20), left.index))
  // "in March and in May" are two times; "yesterday - may I" is one.
  if (between[1] !== undefined && match?.[1]?.toLowerCase() !== "between") return undefined
  if (match === null && right.weak && !(left.kind === "year" && right.kind === "year" && !between[1])) return undefined
  if (match === null && /^\s*\/\s*$/.test(between[0]) && left.kind !== right.kind) return undefined
  const stretch = spanOf(left, right, clock)
  if (stretch === undefined) return undefined
  const index = left.index - (match?.[0].length ?? 0)
  return { index, end: right.end, kind: "span", weak: false, stretch }
}

/**
 * The range from one expression to another. A year at one end applies to both; otherwise the most recent range whose
 * first part has begun.
 */
const spanOf = (left: Atom, right: Atom, clock: Clock): Stretch | undefined => {
  const end = right.stretch
  const first =
    left.stretch ??
    (left.cycle && (end === undefined ? turnOf(left.cycle, "begun", clock) : turnUntil(left.cycle, end.from, clock)))
  const last = end ?? (right.cycle && first && turnFrom(right.cycle, first.from, clock))
  return first !== undefined && last !== undefined && first.from < last.to
    ? { from: first.from, to: last.to }
    : undefined
}

const firstDay =
  /\b(?:between|from)\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?\s*(?:and|to|until|till|through|-|–)\s*(?:the\s+)?$/i

/** "between 3 and 10 May" */
const dayRange = (text: string, atom: Atom, clock: Clock): Atom | undefined => {
  if (atom.kind !== "day" || atom.date === undefined) return undefined
  const match = firstDay.exec(text.slice(Math.max(0, atom.index - 40), atom.index))
  if (match === null) return undefined
  const { month, year } = atom.date
  const first = Number(match[1])
  const firstExpression = { index: 0, end: 0, ...dayFields({ year, month, first, last: first }, clock) }
  const stretch = spanOf(firstExpression, atom, clock)
  return stretch && { index: atom.index - match[0].length, end: atom.end, kind: "span", weak: false, stretch }
}

type Side = "since" | "after" | "before" | "until" | "now"

const prefixes: ReadonlyArray<readonly [RegExp, Side]> = [
  [/\b(?:since|starting(?:\s+(?:in|on|from|with))?)\s+(?:(?:about|around)\s+)?$/i, "since"],
  [/\b(?:after|(?:later|newer|more\s+recent)\s+than)\s+(?:(?:about|around)\s+)?$/i, "after"],
  [/\b(?:before|prior\s+to|(?:earlier|older)\s+than)\s+(?:(?:about|around)\s+)?$/i, "before"],
  [/\b(?:until|till|up\s+to|by)\s+(?:(?:about|around)\s+)?$/i, "until"]
]
const suffixes: ReadonlyArray<readonly [RegExp, Side]> = [
  [/^\s*以来/, "since"],
  [/^\s*(?:以|之)后/, "after"],
  [/^\s*(?:以|之)前/, "before"]
]
const opening = /\b(?:from|since)\s+$/i
const untilNow = /^\s*(?:to|until|till|up\s+to|through|-|–)\s+(?:now|the\s+present|present)\b/i
const onwards = /^\s+on(?:wards?)?\b(?!\s+(?:the|an?|my|our|\d))/i

/** "since May", "after 3 March", "before 2024", "until yesterday", "from May on", "from 2020 until now". */
export const bounded = (text: string, atom: Atom, clock: Clock): Atom => {
  const stretch = atom.stretch ?? (atom.cycle && turnOf(atom.cycle, "begun", clock))
  if (stretch === undefined || atom.hours !== undefined) return atom
  const bound = boundOf(text, atom)
  if (bound === undefined) return atom
  const index = atom.index - bound.before
  return {
    index,
    end: atom.end + bound.after,
    kind: "span",
    weak: false,
    stretch: openOf(atom, stretch, bound.side, clock)
  }
}

/** The side that the text leaves open, and how many characters before and after the expression say so. */
const boundOf = (text: string, { end, index, kind, weak }: Atom) => {
  const before = text.slice(Math.max(0, index - 40), index)
  const after = text.slice(end)
  // "after last year's meeting" only names the year; "before the year" does not say which year.
  if (/^['’]s(?!\w)/.test(after) || (weak && kind === "span" && !/weekend|\ds$/i.test(text.slice(index, end))))
    return undefined
  const from = opening.exec(before)?.[0].length ?? 0
  const nowMatch = untilNow.exec(after)
  if (nowMatch !== null && (from > 0 || !weak)) return { side: "now" as const, before: from, after: nowMatch[0].length }
  const onwardsMatch = from > 0 ? onwards.exec(after) : null
  if (onwardsMatch !== null) return { side: "since" as const, before: from, after: onwardsMatch[0].length }
  for (const [pattern, side] of suffixes) {
    const match = pattern.exec(after)
    if (match !== null) return { side, before: 0, after: match[0].length }
  }
  for (const [pattern, side] of prefixes) {
    const match = pattern.exec(before)
    // "written by June": June may be a name.
    if (match !== null)
      return weak && kind === "month" && /^by/i.test(match[0]) ? undefined : { side, before: match[0].length, after: 0 }
  }
  return undefined
}

const openOf = ({ kind }: Atom, { from, to }: Stretch, side: Side, clock: Clock): Stretch => {
  // "after 5 pm yesterday" ends with that day; "since 5 pm yesterday" does not.
  const day = kind === "time" ? unitAt(clock, from, "day") : undefined
  switch (side) {
    case "since":
      return { from, to: latest }
    case "now":
      return { from, to: clock.asked }
    case "after":
      return day === undefined ? { from: to, to: latest } : { from, to: day.to }
    case "before":
      return { from: day?.from ?? earliest, to: from }
    default:
      return { from: earliest, to: day === undefined ? to : from }
  }
}
