import type { Wording } from "../../projections/wordings.js"
import type { Judge } from "../ports/Reconciler.js"
import { type Reading, readingOf, stemOf, stemsOf } from "./clauses.js"
import { day, type Row } from "./facts.js"
import { isLoose, prepositions } from "./gaps.js"
import { heldAgainst, kinOf, saidAt, textOf } from "./pairs.js"
import { has, namesIn, type Said, type Saying, saidBy, sayingIn, shareOf } from "./said.js"
import { isDefinite, type Slot, slotsIn, type Value } from "./slots.js"

/** A memory that is true no more, and what was said since that says so. */
export interface Outdated {
  readonly row: Row
  readonly by: Row
}

/** What memories say of things that have one value at a time. */
export interface Attributes {
  readonly over: ReadonlyMap<Row, Outdated>
  /** Memories that say the value which something has now, by what that is: the same text where it is the same. */
  readonly says: ReadonlyMap<Row, string>
}

/** What is known of memories beside what they say. */
export interface Known {
  /** The memories whose place one took. */
  readonly former: (row: Row) => ReadonlyArray<Row>
  /** In which other words it was said what one says. */
  readonly wordings: (row: Row) => ReadonlyArray<Wording>
  readonly judge: Judge | undefined
}

/** Of other words in which something was said so many are looked at, the last ones. */
export const mostWordings = 12

/** What took the place of what, and the sentences in which it did. */
interface Pair {
  readonly from: Value
  readonly to: Value
  readonly slots: Set<Slot>
}

/** What was found out is used to find out more, so many times at most. */
const rounds = 4
/** Of what is told to be over, so much is said by what is over; of what says a value, so much tells what it is of. */
const least = 0.6
/** Who is told of beside somebody is somebody else, and what was, no change makes untrue. */
const relatives =
  /^(?:sister|brother|mother|father|mum|dad|cousin|wife|husband|partner|daughter|son|friend|neighbou?r|colleague|uncle|aunt|niece|nephew|flatmate|grand\p{L}+)s?$/u
const past =
  /(?<![\p{L}\p{N}])(?:(?:was|were)(?! (?:\p{L}+ed|set|made|put|chosen|taken|given|sold|bought)(?!\p{L}))|born|grew up|studied|met|used to|once)(?![\p{L}\p{N}])/u

/**
 * Finds what has one value at a time, which value that is by now, and what says otherwise or the same. Sentences that
 * several memories say but for one thing show what has values; that one took the place of another is known where a
 * sentence tells of it, where there is one by grammar, where it was so before in these words or others, or where one is
 * said no more since the other is. From then on what was said last is so, in whatever words.
 */
export const attributesOf = (rows: ReadonlyArray<Row>, known: Known): Attributes => {
  const work = findAttributes(rows, known)
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value
}

/** The same, stopping on its way for others to have a turn: after each memory, sentence and change. */
export function* findAttributes(rows: ReadonlyArray<Row>, known: Known): Generator<void, Attributes> {
  const all: Array<Said> = []
  const taken = new Set<string>()
  for (const row of rows) {
    for (const one of [row, ...known.former(row)]) {
      if (taken.has(one.memory.id)) continue
      taken.add(one.memory.id)
      all.push(...saidBy(one, known.wordings(one)))
    }
    yield
  }
  const isName = namesIn(all)
  const saying = sayingIn(all)
  const slots = yield* slotsIn(all, isName, saying)
  const pairs = yield* pairsOf(slots, isChangeBy(known, saying))
  const active = new Set(rows)
  const over = new Map<Row, Outdated>()
  const retire = (row: Row, by: Row): void => {
    const before = over.get(row)
    if (row !== by && (before === undefined || isBefore(before.by, by))) over.set(row, { row, by })
  }
  /** Memories that say a value of what a change is of. */
  const sayingOf = (pair: Pair, value: Value): ReadonlyArray<Row> => {
    const [{ about, kin }] = [...pair.slots] as [Slot]
    const found = saying
      .of(about, value.stems)
      .filter(({ reading, row }) => kinOf(row) === kin && says(reading, value.stems, pair))
    const sure = found.filter((said) => isOf(said, pair, value, isName))
    // What is said of hardly anything else is what is told of wherever it is said.
    const those = new Set((sure.length > 1 && sure.length >= least * found.length ? found : sure).map(({ row }) => row))
    // In which other words it was said is a proof of what a memory says.
    return found.flatMap(({ own, row }) => (own && those.has(row) && active.has(row) ? [row] : []))
  }
  for (const pair of pairs) {
    const by = latest(sayingOf(pair, pair.to))
    if (by === undefined) continue
    for (const row of sayingOf(pair, pair.from)) {
      if (isBefore(row, by) && !has(readingOfRow(row).now, pair.to.stems)) retire(row, by)
    }
    yield
  }
  for (const by of rows) {
    for (const row of toldOver(by, saying, isName)) if (active.has(row)) retire(row, by)
    yield
  }
  const found = new Map<Row, string>()
  for (const pair of pairs) {
    const [{ about, kin }] = [...pair.slots] as [Slot]
    for (const row of sayingOf(pair, pair.to)) if (!over.has(row)) found.set(row, `${kin}\n${about}\n${pair.to.key}`)
    yield
  }
  return { over, says: found }
}

const readingOfRow = (row: Row): Reading => readingOf(textOf(row))

/** Whether one was said last before the other was; of what was said at once, what is older. */
const isBefore = (a: Row, b: Row): boolean =>
  saidAt(a) < saidAt(b) || (saidAt(a) === saidAt(b) && a.memory.born < b.memory.born)

const latest = (rows: ReadonlyArray<Row>): Row | undefined =>
  rows.reduce<Row | undefined>((last, row) => (last === undefined || isBefore(last, row) ? row : last), undefined)

/** What took the place of what, of all that has one value at a time. */
function* pairsOf(slots: ReadonlyArray<Slot>, isChange: IsChange): Generator<void, ReadonlyArray<Pair>> {
  const pairs = new Map<string, Pair>()
  const single = new Set<Slot>()
  const keyOf = ({ about, kin }: Slot, from: Value, to: Value): string => `${kin}\n${about}\n${from.key}\n${to.key}`
  /** In how many sentences one is said no more since another is. */
  const handovers = new Map<string, number>()
  for (const slot of slots) {
    for (const [from, to] of steps(slot)) {
      const key = keyOf(slot, from, to)
      if (from.last < to.since) handovers.set(key, (handovers.get(key) ?? 0) + 1)
    }
  }
  const learn = (slot: Slot): boolean => {
    if (
      !single.has(slot) &&
      !steps(slot).some(([from, to]) => {
        const key = keyOf(slot, from, to)
        return pairs.has(key) || (handovers.get(key) ?? 0) > 1 || isChange(slot, from, to)
      })
    )
      return false
    single.add(slot)
    let news = false
    // All that was before is over, each since any of those after it.
    for (const [at, from] of slot.values.entries()) {
      for (const to of slot.values.slice(at + 1)) {
        const key = keyOf(slot, from, to)
        const pair = pairs.get(key)
        if (pair === undefined) pairs.set(key, { from, to, slots: new Set([slot]) })
        else pair.slots.add(slot)
        news ||= pair === undefined
      }
    }
    return news
  }
  for (let round = 0, news = true; round < rounds && news; round++) {
    news = false
    for (const slot of slots) {
      if (learn(slot)) news = true
      yield
    }
  }
  return [...pairs.values()]
}

/** Each value with the one that was said after it. */
const steps = ({ values }: Slot): ReadonlyArray<readonly [Value, Value]> =>
  values.slice(1).map((to, at) => [values[at]!, to])

type IsChange = (slot: Slot, from: Value, to: Value) => boolean

/** Whether it is known that one value took the place of another. */
const isChangeBy =
  ({ former, judge }: Known, saying: Saying): IsChange =>
  (slot, from, to) => {
    if (from.last > to.last) return false
    const its = new Set(from.entries.map(({ said }) => said.row.memory.id))
    const took = to.entries.some(({ said }) => former(said.row).some(({ memory }) => its.has(memory.id)))
    if (took || (isDefinite(slot) && isPlace(from) === isPlace(to))) return true
    const changes = saying.of(slot.about, to.stems).filter(({ reading }) => reading.marks)
    const ofBoth = changes.filter(({ reading }) => has(reading.all, from.stems))
    if (ofBoth.some(({ reading }) => !has(reading.now, from.stems))) return true
    // Who says the one again while the other is said means both, unless a change is told of after that.
    if (changes.some(({ since }) => since >= from.last)) return true
    if (from.last > to.since) return false
    if (ofBoth.length > 0 || (from.mentions > 1 && to.mentions > 1 && to.last - from.last > faded)) return true
    if (judge === undefined) return false
    const [newer, older] = [to, from].map(({ entries }) => latest(entries.map(({ said }) => said.row))!) as [Row, Row]
    return heldAgainst(judge, newer, older, least) === "contradicted"
  }
/** What was said again and again and is not said for so many milliseconds, while another is, is over. */
const faded = 14 * day

/** "In Ghent" is no other value of what "blue" is one of. */
const isPlace = ({ entries }: Value): boolean => prepositions.has(entries[0]!.words[0]!)

/** Whether a memory says a value to be so, in a sentence that tells of no past and of nobody else. */
const says = (reading: Reading, stems: ReadonlySet<string>, { slots }: Pair): boolean =>
  has(reading.now, stems) &&
  states(
    reading,
    stems,
    [...slots].map(({ around }) => around)
  )

const states = (reading: Reading, stems: ReadonlySet<string>, around: ReadonlyArray<ReadonlySet<string>>): boolean => {
  const clauses = reading.clauses.filter((words) => has(stemsOf(words), stems))
  // A part of a sentence says it by itself.
  const shortest = Math.min(...clauses.map(({ length }) => length))
  return (
    clauses.length === 0 ||
    clauses.some(
      (words) =>
        words.length === shortest &&
        !past.test(words.join(" ")) &&
        words.every((word) => !relatives.test(word) || [stems, ...around].some((all) => all.has(stemOf(word))))
    )
  )
}

/** Whether it is the value of that of which a change is that a memory says. */
const isOf = (said: Said, { slots }: Pair, { key, stems }: Value, isName: (word: string) => boolean): boolean => {
  const { all } = said.reading
  const tells = stems.size > 1 || [...stems].some((stem) => isName(stem) || /\p{N}/u.test(stem))
  return [...slots].some(
    ({ about, around, values }) =>
      all.has(about) &&
      (tells ||
        [...around].some((stem) => all.has(stem)) ||
        values.some((value) => value.key === key && value.entries.some((entry) => entry.said === said)))
  )
}

/** What a memory says of itself that it is over, as it was said before. */
const toldOver = (by: Row, saying: Saying, isName: (word: string) => boolean): ReadonlyArray<Row> => {
  const { all, now, over } = readingOfRow(by)
  if (over.size === 0) return []
  // Names and numbers tell best what it is.
  const names = [...over].filter((stem) => isName(stem) || /\p{N}/u.test(stem))
  const told = new Set(names.length > 0 ? names : [...over].filter((stem) => !isLoose(stem)))
  const subjects = [...all].filter((stem) => !over.has(stem) && isName(stem))
  const found = subjects.flatMap((about) => [...told].flatMap((one) => saying.of(about, new Set([one]))))
  const isSaid = ({ own, row }: Said): boolean => {
    if (!own || row === by || kinOf(row) !== kinOf(by) || !isBefore(row, by)) return false
    const said = readingOfRow(row)
    // What has nothing in common with what is so now is about something else.
    return (
      shareOf(told, said.now) >= least && (names.length > 0 || shareOf(now, said.now) > 0) && states(said, told, [all])
    )
  }
  return [...new Set(found.filter(isSaid).map(({ row }) => row))]
}
