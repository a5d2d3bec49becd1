import type { Clock, Stretch } from "./clock.js"

/** What comes again: a month or a feast each year, a weekday each week. A turn may be missing (29 February). */
export interface Cycle {
  readonly of: "year" | "week"
  /** The turn of the year of that number, or of the week that is so many weeks after the asking one. */
  readonly turn: (number: number) => Stretch | undefined
}

/** What a stretch of text says about time, before what stands around it has been read. */
export interface Atom {
  readonly index: number
  readonly end: number
  readonly kind: "day" | "month" | "year" | "weekday" | "feast" | "season" | "clock" | "time" | "span"
  /** Says time only where something beside it does: a preposition, a year, another date. */
  readonly weak: boolean
  /** One of these three, and `cycle` until it is known which turn is meant. */
  readonly stretch?: Stretch | undefined
  readonly cycle?: Cycle | undefined
  /** Milliseconds after midnight; `to` may lie on the next day. */
  readonly hours?: Stretch | undefined
  /** The turn of cycles that this stretch is: the whole year, the whole week. */
  readonly turn?: { readonly of: Cycle["of"]; readonly number: number } | undefined
  /** A time of the clock rather than a part of the day. */
  readonly exact?: boolean
  /** For "3 and" before "10 May". */
  readonly date?: { readonly year: number | undefined; readonly month: number } | undefined
}

/** The same atom with another stretch, in whichever turn. */
export const mapped = (atom: Atom, change: (stretch: Stretch) => Stretch | undefined): Atom => {
  const { cycle, stretch } = atom
  return {
    ...atom,
    stretch: stretch === undefined ? undefined : change(stretch),
    cycle: cycle && {
      of: cycle.of,
      turn: (number) => {
        const turn = cycle.turn(number)
        return turn && change(turn)
      }
    },
    turn: undefined,
    date: undefined
  }
}

export type Which = "begun" | "last" | "this" | "next"

/**
 * The turn that is meant. `begun`: the most recent that has begun, for memory looks
 * to the past. `last`: the most recent that is over. `this`: the one that is running,
 * or else that of this year or week. `next`: the first to begin.
 */
export const turnOf = (cycle: Cycle, which: Which, clock: Clock): Stretch | undefined => {
  const now = cycle.of === "year" ? clock.year : 0
  const { asked } = clock
  if (which === "begun") return latest(cycle, now + 1, ({ from }) => from <= asked)
  if (which === "last") return latest(cycle, now + 1, ({ to }) => to <= asked)
  if (which === "next") return earliest(cycle, now - 1, ({ from }) => from > asked)
  return latest(cycle, now + 1, ({ from, to }) => from <= asked && asked < to) ?? cycle.turn(now)
}

/** The first turn at or after an instant, and the last at or before it. */
export const turnFrom = (cycle: Cycle, instant: number, clock: Clock): Stretch | undefined =>
  earliest(cycle, near(cycle, instant, clock) - 1, ({ from }) => from >= instant)

export const turnUntil = (cycle: Cycle, instant: number, clock: Clock): Stretch | undefined =>
  latest(cycle, near(cycle, instant, clock) + 1, ({ from }) => from <= instant)

/** The year of an instant, or its distance from the asking week, give or take one. */
const near = (cycle: Cycle, instant: number, clock: Clock): number =>
  cycle.of === "year"
    ? new Date(clock.local(instant)).getUTCFullYear()
    : Math.round((instant - clock.asked) / 604_800_000)

/** 29 February comes after eight years at the latest. */
const turns = 10

const latest = (cycle: Cycle, from: number, wanted: (stretch: Stretch) => boolean): Stretch | undefined => {
  for (let number = from; number > from - turns; number--) {
    const turn = cycle.turn(number)
    if (turn !== undefined && wanted(turn)) return turn
  }
  return undefined
}

const earliest = (cycle: Cycle, from: number, wanted: (stretch: Stretch) => boolean): Stretch | undefined => {
  for (let number = from; number < from + turns; number++) {
    const turn = cycle.turn(number)
    if (turn !== undefined && wanted(turn)) return turn
  }
  return undefined
}
