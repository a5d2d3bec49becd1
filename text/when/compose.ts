import { type Atom, mapped } from "./atom.js"
import { bounded, ranges } from "./bounds.js"
import { type Clock, day, type Stretch } from "./clock.js"
import { type Lead, others, which } from "./leads.js"
import { hoursOn } from "./parts.js"

// Combines neighbouring expressions: "last" and "May", "Monday" and "evening", "two days before" and "Christmas".

/**
 * Combines expressions with their leads and with each other. The input is in text order without overlaps; results may
 * overlap.
 */
export const composed = (text: string, atoms: ReadonlyArray<Atom>, clock: Clock): ReadonlyArray<Atom> => {
  const applyLead = (atoms: ReadonlyArray<Atom>, { change, pattern }: Lead) =>
    atoms.map((atom) => {
      const match = pattern.exec(text.slice(Math.max(0, atom.index - leadLength), atom.index))
      const changed = match === null ? undefined : change(atom, match, clock, text)
      return changed === undefined ? atom : { ...changed, index: atom.index - match![0].length }
    })
  const joinNeighbours = (atoms: ReadonlyArray<Atom>, join: Join) =>
    atoms.reduce<Array<Atom>>((results, atom) => {
      const left = results.at(-1)
      const combined = left && join(left, atom, text.slice(left.end, atom.index), clock)
      if (combined === undefined) results.push(atom)
      else results[results.length - 1] = { ...combined, index: left!.index, end: atom.end }
      return results
    }, [])
  const points = [joinCycle, joinTime].reduce(joinNeighbours, applyLead(joinNeighbours(atoms, joinWeekday), which))
  return ranges(text, others.reduce(applyLead, points), clock).map((atom) => bounded(text, atom, clock))
}

type Join = (left: Atom, right: Atom, between: string, clock: Clock) => Atom | undefined

/** Characters before an expression that may belong to it. */
const leadLength = 80

/** "Saturday, 3 May": the date alone is enough. */
const joinWeekday: Join = (left, right, between) => {
  if (left.kind === "weekday" && right.date !== undefined && right.kind === "day")
    return /^\.?,?\s*(?:the\s+)?$/i.test(between) ? right : undefined
  return left.kind === "day" && right.kind === "weekday" && /^,?\s*$/.test(between) && left.date ? left : undefined
}

/** "May last year", "last year in May", "Monday of last week", "Christmas 2024", "2025 Q2", "去年五月". */
const joinCycle: Join = (left, right, between) => {
  const [cycle, turn] = left.cycle === undefined ? [right, left] : [left, right]
  if (cycle.cycle === undefined || turn.turn === undefined || cycle.cycle.of !== turn.turn.of) return undefined
  const connector = cycle === left ? /^\s*(?:,|of|in|的)?\s*$/i : /^(?:['’]s)?[,-]?\s*(?:in|on|at|的)?\s*$/i
  if (!connector.test(between)) return undefined
  const stretch = cycle.cycle.turn(turn.turn.number)
  return { ...cycle, weak: false, cycle: undefined, date: undefined, stretch }
}

/** "Monday evening", "3 May at 5 pm", "the morning of 3 May", "yesterday after 17:00". */
const joinTime: Join = (left, right, between, clock) => {
  const [date, time] = left.hours === undefined ? [left, right] : [right, left]
  if (time.hours === undefined || !(date.kind === "day" || date.kind === "weekday" || date.kind === "feast"))
    return undefined
  const atHours = (hours: Stretch): Atom => ({
    ...mapped(date, (stretch) => (stretch.to - stretch.from > 1.5 * day ? undefined : hoursOn(clock, stretch, hours))),
    kind: time.exact === true ? "time" : "span",
    weak: false
  })
  if (date === right) return /^\s*(?:,|of|on|of\s+the|on\s+the)?\s*$/i.test(between) ? atHours(time.hours) : undefined
  if (/^(?:['’]s)?,?[\s-]*(?:(?:in|during)\s+the\s+|(?:at|around|about|from)\s+|@\s*)?$/i.test(between))
    return atHours(time.hours)
  const side = /^,?\s*(after|since|before|until|till|by)\s+$/i.exec(between)?.[1]?.toLowerCase()
  if (side === undefined) return undefined
  return atHours(/after|since/.test(side) ? { from: time.hours.from, to: day } : { from: 0, to: time.hours.from })
}
