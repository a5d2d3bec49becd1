import { type Atom, mapped } from "./atom.js"
import { bounded, ranges } from "./bounds.js"
import { type Clock, day, type Stretch } from "./clock.js"
import { type Lead, others, which } from "./leads.js"
import { hoursOn } from "./parts.js"

// What atoms say together: "last" and "May"; "Monday" and "evening"; "two days before" and "Christmas".

/** Atoms in the order of the text, none over another, in; larger ones out, some of which may now overlap. */
export const composed = (text: string, atoms: ReadonlyArray<Atom>, clock: Clock): ReadonlyArray<Atom> => {
  const led = (atoms: ReadonlyArray<Atom>, { change, pattern }: Lead) =>
    atoms.map((atom) => {
      const match = pattern.exec(text.slice(Math.max(0, atom.index - reach), atom.index))
      const changed = match === null ? undefined : change(atom, match, clock, text)
      return changed === undefined ? atom : { ...changed, index: atom.index - match![0].length }
    })
  const joined = (atoms: ReadonlyArray<Atom>, join: Join) =>
    atoms.reduce<Array<Atom>>((done, atom) => {
      const left = done.at(-1)
      const both = left && join(left, atom, text.slice(left.end, atom.index), clock)
      if (both === undefined) done.push(atom)
      else done[done.length - 1] = { ...both, index: left!.index, end: atom.end }
      return done
    }, [])
  const moments = [narrowed, timed].reduce(joined, led(joined(atoms, dated), which))
  return ranges(text, others.reduce(led, moments), clock).map((atom) => bounded(text, atom, clock))
}

type Join = (left: Atom, right: Atom, between: string, clock: Clock) => Atom | undefined

/** Characters before an atom that can bear on it. */
const reach = 80

/** "Saturday, 3 May": the date says it all. */
const dated: Join = (left, right, between) => {
  if (left.kind === "weekday" && right.date !== undefined && right.kind === "day")
    return /^\.?,?\s*(?:the\s+)?$/i.test(between) ? right : undefined
  return left.kind === "day" && right.kind === "weekday" && /^,?\s*$/.test(between) && left.date ? left : undefined
}

/** "May last year", "last year in May", "Monday of last week", "Christmas 2024", "2025 Q2", "去年五月". */
const narrowed: Join = (left, right, between) => {
  const [cycle, turn] = left.cycle === undefined ? [right, left] : [left, right]
  if (cycle.cycle === undefined || turn.turn === undefined || cycle.cycle.of !== turn.turn.of) return undefined
  const connector = cycle === left ? /^\s*(?:,|of|in|的)?\s*$/i : /^(?:['’]s)?[,-]?\s*(?:in|on|at|的)?\s*$/i
  if (!connector.test(between)) return undefined
  const stretch = cycle.cycle.turn(turn.turn.number)
  return { ...cycle, weak: false, cycle: undefined, date: undefined, stretch }
}

/** "Monday evening", "3 May at 5 pm", "the morning of 3 May", "yesterday after 17:00". */
const timed: Join = (left, right, between, clock) => {
  const [date, time] = left.hours === undefined ? [left, right] : [right, left]
  if (time.hours === undefined || !(date.kind === "day" || date.kind === "weekday" || date.kind === "feast"))
    return undefined
  const at = (hours: Stretch): Atom => ({
    ...mapped(date, (stretch) => (stretch.to - stretch.from > 1.5 * day ? undefined : hoursOn(clock, stretch, hours))),
    kind: time.exact === true ? "time" : "span",
    weak: false
  })
  if (date === right) return /^\s*(?:,|of|on|of\s+the|on\s+the)?\s*$/i.test(between) ? at(time.hours) : undefined
  if (/^(?:['’]s)?,?[\s-]*(?:(?:in|during)\s+the\s+|(?:at|around|about|from)\s+|@\s*)?$/i.test(between))
    return at(time.hours)
  const side = /^,?\s*(after|since|before|until|till|by)\s+$/i.exec(between)?.[1]?.toLowerCase()
  if (side === undefined) return undefined
  return at(/after|since/.test(side) ? { from: time.hours.from, to: day } : { from: 0, to: time.hours.from })
}
