import { type Atom, turnOf } from "./atom.js"
import { calendarAtoms } from "./calendar.js"
import { chineseAtoms } from "./chinese.js"
import { clockOf } from "./clock.js"
import { composed } from "./compose.js"
import { earliest, latest } from "./dates.js"
import { namedAtoms } from "./feasts.js"
import { guarded } from "./guard.js"
import { wordAtoms } from "./words.js"

/** Characters that are read for times: as many as a query may have. */
const longestText = 1_024

/** A stretch of time that a text names. Milliseconds since the epoch. */
export interface When {
  /** In it; `earliest` of dates.ts (the year 1) where it is open: "before 2024". */
  readonly from: number
  /** No longer in it; `latest` (the end of 9999) where it is open: "since May". */
  readonly to: number
  /** The words that say so, as they stand in the text from `index` on. */
  readonly text: string
  readonly index: number
}

/**
 * The stretches of time that a text (a query: its first KiB) names, in their order, none over another, resolved
 * against the time of asking and an IANA zone. Pure. Throws a RangeError where it needs a zone that is none.
 *
 * - An expression is the whole stretch of its grain in the zone: "yesterday" that local day, of 23 or 25 hours where
 *   the clocks change; "last week" Monday to Monday; "in 2024" the year; "3 hours ago", "three weeks ago" and "two
 *   months ago" that hour, that day, that month. So much time up to now are "the last 3 days", "past two weeks",
 *   "the last week". "A couple" are 2, "a few" 2 to 5, "several" 3 to 7.
 * - What comes again is the most recent that has begun, for memory looks to the past: "in May", "on Monday", "at
 *   Easter". "Last May" is the most recent that is over, "next" the first to come, "this" the one that is running or
 *   that of this year or week. A year or a week beside it decides: "Christmas 2024", "Monday of last week".
 * - "Since" and "until" take in what they name, "after" and "before" do not. Ranges take in both ends, and a year that
 *   one of them names holds for both.
 * - Parts of the day: morning 5–12, noon 11–14, afternoon 12–18, evening 17–24, night and tonight 18–5, midnight 23–1;
 *   times of day need their day. Early, mid and late are thirds. Seasons are whole months of the north, and winter is
 *   of the year in which it begins. Feasts are those of one day: feasts.ts.
 * - 03/05/2025 is the fifth of March unless that cannot be, 3.5.2025 the third of May.
 * - No time: words that may be names, verbs or numbers ("May", "march", "Sun", "June", "2024") without a preposition of
 *   time, a qualifier, a day or a year; what recurs ("every Monday"); "now"; anything inside of an identifier, a path,
 *   an address or an amount.
 */
export const whenOf = (text: string, asked: number, zone: string): ReadonlyArray<When> => {
  if (!(asked >= earliest && asked <= latest)) return []
  const said = text.slice(0, longestText)
  const clock = clockOf(asked, zone)
  const words = [...wordAtoms(said, clock), ...namedAtoms(said, clock), ...chineseAtoms(said, clock)]
  const atoms = apart([...words, ...calendarAtoms(said, clock)])
  if (atoms.length === 0) return []
  return apart(guarded(said, composed(said, atoms, clock))).flatMap(({ cycle, end, index, stretch }) => {
    const { from, to } = stretch ?? (cycle && turnOf(cycle, "begun", clock)) ?? { from: 0, to: 0 }
    return from < to && from >= earliest && to <= latest ? [{ from, to, text: said.slice(index, end), index }] : []
  })
}

/** In the order of the text, none over another: dates before times of day, then the longest, then the first. */
const apart = (atoms: ReadonlyArray<Atom>): ReadonlyArray<Atom> => {
  const rank = ({ hours }: Atom) => (hours === undefined ? 0 : 1)
  const kept: Array<Atom> = []
  for (const atom of [...atoms].sort((a, b) => rank(a) - rank(b) || b.end - b.index - (a.end - a.index))) {
    if (kept.every(({ end, index }) => atom.index >= end || atom.end <= index)) kept.push(atom)
  }
  return kept.sort((a, b) => a.index - b.index)
}
