import { stemOf, stemsOf } from "./clauses.js"
import { areRivals, mayBegin, mayFill, prepositions, speakers, tellsOf, widest } from "./gaps.js"
import { kinOf } from "./pairs.js"
import type { Said, Saying } from "./said.js"

/** Something that was said in the words of others, and what it says otherwise. */
interface Entry {
  readonly said: Said
  readonly words: ReadonlyArray<string>
}

/** What has been said in one place of a sentence. */
export interface Value {
  /** Its stems, as text. */
  readonly key: string
  readonly stems: ReadonlySet<string>
  readonly entries: Array<Entry>
  /** When it was said for the first time and the last. Milliseconds since the epoch. */
  since: number
  last: number
  mentions: number
}

/** A sentence with a gap, as several memories of one store and type say it, and with what they fill it. */
export interface Slot {
  readonly kin: string
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
  /** Of the names around the gap the one that is said most. */
  readonly about: string
  /** Stems of what else is around it. */
  readonly around: ReadonlySet<string>
  /** At least two, in the order in which they were said for the last time. */
  readonly values: ReadonlyArray<Value>
}

interface Gap {
  readonly words: ReadonlyArray<string>
  readonly start: number
  readonly end: number
  readonly entries: Array<Entry>
}

/** Finds the sentences that several memories say, but for one thing in them. Stops on its way for others to have a turn. */
export function* slotsIn(
  all: ReadonlyArray<Said>,
  isName: (word: string) => boolean,
  saying: Saying
): Generator<void, ReadonlyArray<Slot>> {
  const gaps = new Map<string, Gap>()
  for (const said of all) {
    const kin = kinOf(said.row)
    for (const words of said.reading.clauses) addGaps(gaps, kin, said, words, isName)
    yield
  }
  const slots: Array<Slot> = []
  for (const gap of gaps.values()) {
    if (gap.entries.length < 2) continue
    const slot = slotOf(gap, isName, saying)
    if (slot !== undefined) slots.push(slot)
    yield
  }
  return slots
}

const addGaps = (
  gaps: Map<string, Gap>,
  kin: string,
  said: Said,
  words: ReadonlyArray<string>,
  isName: (word: string) => boolean
): void => {
  const before = [kin]
  for (const [at, word] of words.entries()) before.push(`${before[at]} ${word}`)
  const after = [""]
  for (let at = words.length - 1; at >= 0; at--) after.unshift(`${words[at]} ${after[0]}`)
  for (let start = 0; start < words.length; start++) {
    if (!mayBegin(words, start, isName)) continue
    for (let end = start + 1; end <= Math.min(words.length, start + widest); end++) {
      if (!mayFill(words, start, end)) continue
      const key = `${before[start]}\n${after[end]}`
      const known = gaps.get(key)
      if (known === undefined) gaps.set(key, { words, start, end, entries: [{ said, words: words.slice(start, end) }] })
      else if (!known.entries.some((one) => one.said === said))
        known.entries.push({ said, words: words.slice(start, end) })
    }
  }
}

const slotOf = (
  { end, entries, start, words }: Gap,
  isName: (word: string) => boolean,
  saying: Saying
): Slot | undefined => {
  const values = valuesOf(entries)
  const current = values.at(-1)!
  const rivals = values.filter((one) => one === current || areRivals(one.entries[0]!.words, current.entries[0]!.words))
  if (rivals.length < 2) return undefined
  const [before, after] = [words.slice(0, start), words.slice(end)]
  const outside = [...before, ...after]
  const named = outside.filter((word) => isName(word) || speakers.has(word)).map(stemOf)
  if (named.length === 0) return undefined
  const about = named.reduce((most, word) => (saying.count(word) > saying.count(most) ? word : most))
  const around = new Set([...stemsOf(outside)].filter((stem) => !named.includes(stem)))
  if (!tellsOf(around) || (start === 0 && !isNamed(values, after, saying, about))) return undefined
  return { kin: kinOf(entries[0]!.said.row), before, after, about, around, values: rivals }
}

const valuesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Value> => {
  const values = new Map<string, Value>()
  for (const entry of entries) {
    const told = stemsOf(entry.words)
    const stems = told.size > 0 ? told : new Set(entry.words)
    const key = [...stems].join(" ")
    const { at, mentions, since } = entry.said
    const known = values.get(key)
    if (known === undefined) values.set(key, { key, stems, entries: [entry], since, last: at, mentions })
    else {
      known.entries.push(entry)
      known.since = Math.min(known.since, since)
      known.last = Math.max(known.last, at)
      known.mentions += mentions
    }
  }
  return [...values.values()].sort((a, b) => a.last - b.last || a.since - b.since || bornOf(a) - bornOf(b))
}

const bornOf = ({ entries }: Value): number => Math.max(...entries.map(({ said }) => said.row.memory.born))

/** What a sentence begins with is a value where it is told what of something it is, or where hardly anything else is said of it. */
const isNamed = (values: ReadonlyArray<Value>, after: ReadonlyArray<string>, saying: Saying, about: string): boolean =>
  isDefinite({ before: [], after }) ||
  values.every(({ stems }) =>
    [...stems].every((stem) => saying.count(stem) <= mostElse * saying.of(about, new Set([stem])).length)
  )
const mostElse = 1.5

/** "The owner of it is …", "its owner is …", "… is its owner", "… is where it stands": there is one of it. */
export const isDefinite = ({ after, before }: Pick<Slot, "after" | "before">): boolean => {
  if (after.length === 0) {
    const end = prepositions.has(before.at(-1)!) ? before.slice(0, -1) : before
    const copula = end.lastIndexOf("is")
    const subject = end.slice(0, copula)
    return (
      copula > 1 &&
      end.length - copula < 3 &&
      !subject.includes("one") &&
      (["'s", "of", "for"].some((word) => subject.includes(word)) || speakers.has(subject[0]!))
    )
  }
  return (
    before.length === 0 &&
    after.length > 2 &&
    after[0] === "is" &&
    (["'s", "of"].some((word) => after.includes(word)) || after[1] === "where" || after[1] === "how") &&
    after[1] !== "one"
  )
}
