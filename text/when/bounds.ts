import { type Atom, turnFrom, turnOf, turnUntil } from "./atom.js"
import { dayAtom } from "./calendar.js"
import { type Clock, type Stretch, unitAt } from "./clock.js"
import { earliest, latest } from "./dates.js"

// From one to another, and stretches that are open on one side.

/** "from March to May", "between 3 and 10 May", "Monday - Wednesday", "从三月到五月". */
export const ranges = (text: string, atoms: ReadonlyArray<Atom>, clock: Clock): ReadonlyArray<Atom> =>
  atoms.reduce<Array<Atom>>((done, atom) => {
    const left = done.at(-1)
    const both = left === undefined ? undefined : range(text, left, atom, clock)
    if (both !== undefined) done[done.length - 1] = both
    else done.push(daysOf(text, atom, clock) ?? atom)
    return done
  }, [])

const lead = /(?:\b(from|between|since)\s+(?:the\s+)?|(从)\s*)$/i
const connector = /^\s*(?:(?:to|until|till|through|thru|up\s+to|-|–|—|\/|\.\.+|…|到|至)|(and))\s*(?:the\s+)?$/i

const range = (text: string, left: Atom, right: Atom, clock: Clock): Atom | undefined => {
  const between = connector.exec(text.slice(left.end, right.index))
  if (between === null || left.hours !== undefined || right.hours !== undefined) return undefined
  const led = lead.exec(text.slice(Math.max(0, left.index - 20), left.index))
  // "in March and in May" are two; "yesterday - may I" is one.
  if (between[1] !== undefined && led?.[1]?.toLowerCase() !== "between") return undefined
  if (led === null && right.weak && !(left.kind === "year" && right.kind === "year" && !between[1])) return undefined
  if (led === null && /^\s*\/\s*$/.test(between[0]) && left.kind !== right.kind) return undefined
  const stretch = spanOf(left, right, clock)
  if (stretch === undefined) return undefined
  const index = left.index - (led?.[0].length ?? 0)
  return { index, end: right.end, kind: "span", weak: false, stretch }
}

/** Of which year both are: that of the one that says it, or the most recent in which the first has begun. */
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
const daysOf = (text: string, atom: Atom, clock: Clock): Atom | undefined => {
  if (atom.kind !== "day" || atom.date === undefined) return undefined
  const match = firstDay.exec(text.slice(Math.max(0, atom.index - 40), atom.index))
  if (match === null) return undefined
  const { month, year } = atom.date
  const first = Number(match[1])
  const stretch = spanOf(dayAtom(0, 0, year, month, first, first, clock), atom, clock)
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

/** Which side a text leaves open, and how many characters before and after the atom say so. */
const boundOf = (text: string, { end, index, kind, weak }: Atom) => {
  const before = text.slice(Math.max(0, index - 40), index)
  const after = text.slice(end)
  // "after last year's meeting" names the year alone; "before the year", which?
  if (/^['’]s(?!\w)/.test(after) || (weak && kind === "span" && !/weekend|\ds$/i.test(text.slice(index, end))))
    return undefined
  const from = opening.exec(before)?.[0].length ?? 0
  const now = untilNow.exec(after)
  if (now !== null && (from > 0 || !weak)) return { side: "now" as const, before: from, after: now[0].length }
  const on = from > 0 ? onwards.exec(after) : null
  if (on !== null) return { side: "since" as const, before: from, after: on[0].length }
  for (const [pattern, side] of suffixes) {
    const match = pattern.exec(after)
    if (match !== null) return { side, before: 0, after: match[0].length }
  }
  for (const [pattern, side] of prefixes) {
    const match = pattern.exec(before)
    // "written by June": perhaps a name.
    if (match !== null)
      return weak && kind === "month" && /^by/i.test(match[0]) ? undefined : { side, before: match[0].length, after: 0 }
  }
  return undefined
}

const openOf = ({ kind }: Atom, { from, to }: Stretch, side: Side, clock: Clock): Stretch => {
  // "after 5 pm yesterday" is that day's rest; "since 5 pm yesterday" goes on.
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
