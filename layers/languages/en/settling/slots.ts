import { comparisonGroupKey } from "../../../../src/maintenance/pairs.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import {
  areExclusiveValues,
  identifiesAttribute,
  maxGapWords,
  mayBeginGap,
  mayFillGap,
  prepositions,
  speakers
} from "./gaps.js"
import { stemsOf } from "./readings.js"
import type { Utterance, UtteranceIndex } from "./utterances.js"

/** An utterance, and those of its words that fill the gap. */
interface Entry {
  readonly utterance: Utterance
  readonly words: ReadonlyArray<string>
}

/** A value that fills a gap. */
export interface Value {
  /** Its stems, joined to one text. */
  readonly key: string
  readonly stems: ReadonlySet<string>
  readonly entries: Array<Entry>
  /** When it was first said. Milliseconds since the epoch. */
  since: number
  /** When it was last said. Milliseconds since the epoch. */
  last: number
  mentions: number
}

/**
 * A clause with a gap, and the values that fill the gap. Several memories of the same store and kind share the clause.
 */
export interface Slot {
  readonly kindKey: string
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
  /** The most frequent name around the gap. */
  readonly mainName: string
  /** Stems of the other words around the gap. */
  readonly around: ReadonlySet<string>
  /** At least two values, ordered by the time they were last said. */
  readonly values: ReadonlyArray<Value>
}

interface Gap {
  readonly words: ReadonlyArray<string>
  readonly start: number
  readonly end: number
  readonly entries: Array<Entry>
}

/** Finds the clauses that several memories share except for one value. Yields after each utterance and each gap. */
export function* slotsIn(
  utterances: ReadonlyArray<Utterance>,
  isName: (word: string) => boolean,
  index: UtteranceIndex
): Generator<void, ReadonlyArray<Slot>> {
  const gaps = new Map<string, Gap>()
  for (const utterance of utterances) {
    for (const words of utterance.reading.clauses) addGaps(gaps, utterance, words, isName)
    yield
  }
  const slots: Array<Slot> = []
  for (const existing of gaps.values()) {
    if (existing.entries.length < 2) continue
    const slot = slotOf(existing, isName, index)
    if (slot !== undefined) slots.push(slot)
    yield
  }
  return slots
}

const addGaps = (
  gaps: Map<string, Gap>,
  utterance: Utterance,
  words: ReadonlyArray<string>,
  isName: (word: string) => boolean
): void => {
  const before = [comparisonGroupKey(utterance.row)]
  for (const [index, word] of words.entries()) before.push(`${before[index]} ${word}`)
  const after = [""]
  for (let index = words.length - 1; index >= 0; index--) after.unshift(`${words[index]} ${after[0]}`)
  for (let start = 0; start < words.length; start++) {
    if (!mayBeginGap(words, start, isName)) continue
    for (let end = start + 1; end <= Math.min(words.length, start + maxGapWords); end++) {
      if (!mayFillGap(words, start, end)) continue
      const key = `${before[start]}\n${after[end]}`
      const existing = gaps.get(key)
      const entry = { utterance, words: words.slice(start, end) }
      if (existing === undefined) gaps.set(key, { words, start, end, entries: [entry] })
      else if (!existing.entries.some((other) => other.utterance === utterance)) existing.entries.push(entry)
    }
  }
}

const slotOf = (
  { end, entries, start, words }: Gap,
  isName: (word: string) => boolean,
  index: UtteranceIndex
): Slot | undefined => {
  const values = valuesOf(entries)
  const current = values.at(-1)!
  const alternatives = values.filter(
    (value) => value === current || areExclusiveValues(value.entries[0]!.words, current.entries[0]!.words)
  )
  if (alternatives.length < 2) return undefined
  const [before, after] = [words.slice(0, start), words.slice(end)]
  const outerWords = [...before, ...after]
  const names = outerWords.filter((word) => isName(word) || speakers.has(word)).map(stemOf)
  if (names.length === 0) return undefined
  const mainName = names.reduce((mostFrequent, word) =>
    index.countOf(word) > index.countOf(mostFrequent) ? word : mostFrequent
  )
  const around = new Set([...stemsOf(outerWords)].filter((stem) => !names.includes(stem)))
  if (!identifiesAttribute(around) || (start === 0 && !mayLead(values, after, index, mainName))) return undefined
  return {
    kindKey: comparisonGroupKey(entries[0]!.utterance.row),
    before,
    after,
    mainName,
    around,
    values: alternatives
  }
}

const valuesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Value> => {
  const values = new Map<string, Value>()
  for (const entry of entries) {
    const content = stemsOf(entry.words)
    const stems = content.size > 0 ? content : new Set(entry.words)
    const key = [...stems].join(" ")
    const { saidAt: index, mentions, since } = entry.utterance
    const value = values.get(key)
    if (value === undefined) values.set(key, { key, stems, entries: [entry], since, last: index, mentions })
    else {
      value.entries.push(entry)
      value.since = Math.min(value.since, since)
      value.last = Math.max(value.last, index)
      value.mentions += mentions
    }
  }
  return [...values.values()].sort((a, b) => a.last - b.last || a.since - b.since || bornOf(a) - bornOf(b))
}

const bornOf = ({ entries }: Value): number => Math.max(...entries.map(({ utterance }) => utterance.row.memory.born))

/**
 * True if the first words of a clause may be a value. Either the clause names their attribute ("… is the owner of it"),
 * or the words rarely occur without the subject.
 */
const mayLead = (
  values: ReadonlyArray<Value>,
  after: ReadonlyArray<string>,
  index: UtteranceIndex,
  mainName: string
): boolean =>
  isDefinite({ before: [], after }) ||
  values.every(({ stems }) =>
    [...stems].every(
      (stem) => index.countOf(stem) <= maxShareElsewhere * index.containing(mainName, new Set([stem])).length
    )
  )
/** The maximum ratio of utterances with a value to those that also name the subject. */
const maxShareElsewhere = 1.5

/**
 * True if the grammar shows that there is only one value: "the owner of it is …", "its owner is …", "… is where it
 * stands".
 */
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
