import { comparisonGroupKey, lastMentionTime, textOf } from "../../../../src/maintenance/pairs.js"
import type { Row } from "../../../../src/model/MemoryRow.js"
import type { Evidence, Settlement } from "../../../../src/ports/Settler.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { type Change, changesIn, type ProofStrength } from "./changes.js"
import { isUnspecificStem } from "./gaps.js"
import { type Reading, readingOf, stemsOf } from "./readings.js"
import { type Slot, slotsIn } from "./slots.js"
import {
  createNameTest,
  hasAll,
  indexUtterances,
  sharedFraction,
  type Utterance,
  type UtteranceIndex,
  utterancesOf
} from "./utterances.js"

/**
 * The minimum share for a match. For an ended state: the share of its words that a memory contains. For a value: the
 * share of its utterances that are certainly about the attribute.
 */
const minShare = 0.6
/** A clause with a relative or friend is about another person. A clause about the past stays true after a change. */
const relatives =
  /^(?:sister|brother|mother|father|mum|dad|cousin|wife|husband|partner|daughter|son|friend|neighbou?r|colleague|uncle|aunt|niece|nephew|flatmate|grand\p{L}+)s?$/u
const pastCue =
  /(?<![\p{L}\p{N}])(?:(?:was|were)(?! (?:\p{L}+ed|set|made|put|chosen|taken|given|sold|bought)(?!\p{L}))|born|grew up|studied|met|used to|once)(?![\p{L}\p{N}])/u

/**
 * Finds attributes that have one value at a time, their current values, and the memories with outdated values. An
 * attribute is a clause that several memories share except for one value. `changesIn` decides which value replaced
 * which other value. After a change, the value that was said last is the current one, even if it is said in other
 * words. Yields after each memory, clause and change.
 */
export function* settle(rows: ReadonlyArray<Row>, evidence: Evidence): Generator<void, Settlement> {
  const utterances: Array<Utterance> = []
  const seen = new Set<string>()
  for (const row of rows) {
    for (const memory of [row, ...evidence.predecessors(row)]) {
      if (seen.has(memory.memory.id)) continue
      seen.add(memory.memory.id)
      utterances.push(...utterancesOf(memory, evidence.wordings(memory)))
    }
    yield
  }
  const isName = createNameTest(utterances)
  const index = indexUtterances(utterances)
  const slots = yield* slotsIn(utterances, (word) => isName(stemOf(word)), index)
  const changes = yield* changesIn(slots, evidence, index)
  const active = new Set(rows)
  const superseded = new Map<Row, Row>()
  const unsure = new Set<Row>()
  const supersede = (row: Row, newer: Row, proof: ProofStrength): void => {
    const before = superseded.get(row)
    const isCertain = before !== undefined && !unsure.has(row)
    if (row === newer || (isCertain && proof === "unsure")) return
    const isStronger = !isCertain && proof === "certain"
    if (before === undefined || isStronger || isBefore(before, newer)) superseded.set(row, newer)
    if (proof === "certain") unsure.delete(row)
    else unsure.add(row)
  }
  const stating = (change: Change, value: Change["to"]): ReadonlyArray<Row> =>
    findStatements({ active, isName, index }, change, value)
  for (const change of changes) {
    const newer = latest(stating(change, change.to))
    if (newer === undefined) continue
    for (const row of stating(change, change.from)) {
      if (isBefore(row, newer) && !hasAll(readingOfRow(row).now, change.to.stems)) supersede(row, newer, change.proof)
    }
    yield
  }
  for (const newer of rows) {
    for (const row of endedBy(newer, index, isName)) {
      if (active.has(row)) supersede(row, newer, evidence.contradicts(newer, row) ? "certain" : "unsure")
    }
    yield
  }
  const subjects = new Map<Row, string>()
  for (const change of changes) {
    const { mainName: subject, kindKey } = slotOf(change)
    for (const row of stating(change, change.to))
      if (!superseded.has(row)) subjects.set(row, `${kindKey}\n${subject}\n${change.to.key}`)
    yield
  }
  return { superseded, unsure, subjects }
}

const readingOfRow = (row: Row): Reading => readingOf(textOf(row))

/** All slots of a change have the same subject, store and kind, so the first one represents them. */
const slotOf = ({ slots }: Change): Slot => [...slots][0]!

/** True if `a` was last said before `b`. If the times are equal, the row with the lower number is earlier. */
const isBefore = (a: Row, b: Row): boolean =>
  lastMentionTime(a) < lastMentionTime(b) ||
  (lastMentionTime(a) === lastMentionTime(b) && a.memory.born < b.memory.born)

const latest = (rows: ReadonlyArray<Row>): Row | undefined =>
  rows.reduce<Row | undefined>((last, row) => (last === undefined || isBefore(last, row) ? row : last), undefined)

interface Corpus {
  readonly active: ReadonlySet<Row>
  readonly isName: (word: string) => boolean
  readonly index: UtteranceIndex
}

/** Active memories that state a value of the attribute that changed. */
const findStatements = ({ active, isName, index }: Corpus, change: Change, value: Change["to"]): ReadonlyArray<Row> => {
  const { mainName: subject, kindKey } = slotOf(change)
  const candidates = index
    .containing(subject, value.stems)
    .filter(({ reading, row }) => comparisonGroupKey(row) === kindKey && says(reading, value.stems, change))
  const certain = candidates.filter((utterance) => isAbout(utterance, change, value, isName))
  // If most utterances with this value are certainly about the attribute, assume the same for the rest.
  const isTypical = certain.length > 1 && certain.length >= minShare * candidates.length
  const chosen = new Set((isTypical ? candidates : certain).map(({ row }) => row))
  // Another wording of a memory also counts as evidence of what the memory states.
  return candidates.flatMap(({ isOwnText, row }) => (isOwnText && chosen.has(row) && active.has(row) ? [row] : []))
}

/** True if a text says that a value is true now, in a clause that is not about the past or another person. */
const says = (reading: Reading, stems: ReadonlySet<string>, { slots }: Change): boolean =>
  hasAll(reading.now, stems) &&
  statesAll(
    reading,
    stems,
    [...slots].map(({ around }) => around)
  )

const statesAll = (
  reading: Reading,
  stems: ReadonlySet<string>,
  around: ReadonlyArray<ReadonlySet<string>>
): boolean => {
  const clauses = reading.clauses.filter((words) => hasAll(stemsOf(words), stems))
  // The shortest clauses that contain the value state it directly.
  const shortest = Math.min(...clauses.map(({ length }) => length))
  return (
    clauses.length === 0 ||
    clauses.some(
      (words) =>
        words.length === shortest &&
        !pastCue.test(words.join(" ")) &&
        words.every((word) => !relatives.test(word) || [stems, ...around].some((stemSet) => stemSet.has(stemOf(word))))
    )
  )
}

/** True if an utterance that contains a value is about the attribute that changed. */
const isAbout = (
  utterance: Utterance,
  { slots }: Change,
  { key, stems }: Change["to"],
  isName: (word: string) => boolean
): boolean => {
  const { allStems } = utterance.reading
  const isSpecific = stems.size > 1 || [...stems].some((stem) => isName(stem) || /\p{N}/u.test(stem))
  return [...slots].some(
    ({ mainName: subject, around, values }) =>
      allStems.has(subject) &&
      (isSpecific ||
        [...around].some((stem) => allStems.has(stem)) ||
        values.some((value) => value.key === key && value.entries.some((entry) => entry.utterance === utterance)))
  )
}

/** Earlier memories that are no longer true according to a newer memory: "Ada no longer wants calls before 10:00". */
const endedBy = (newer: Row, index: UtteranceIndex, isName: (word: string) => boolean): ReadonlyArray<Row> => {
  const { allStems, now, ended: endedStems } = readingOfRow(newer)
  if (endedStems.size === 0) return []
  // Names and numbers identify the ended state best.
  const names = [...endedStems].filter((stem) => isName(stem) || /\p{N}/u.test(stem))
  const ended = new Set(names.length > 0 ? names : [...endedStems].filter((stem) => !isUnspecificStem(stem)))
  const subjects = [...allStems].filter((stem) => !endedStems.has(stem) && isName(stem))
  const candidates = subjects.flatMap((subject) =>
    [...ended].flatMap((stem) => index.containing(subject, new Set([stem])))
  )
  const isEnded = ({ isOwnText, row }: Utterance): boolean => {
    if (!isOwnText || row === newer || comparisonGroupKey(row) !== comparisonGroupKey(newer) || !isBefore(row, newer))
      return false
    const reading = readingOfRow(row)
    // Without a name, a memory that shares no word with the new state is about another thing.
    return (
      sharedFraction(ended, reading.now) >= minShare &&
      (names.length > 0 || sharedFraction(now, reading.now) > 0) &&
      statesAll(reading, ended, [allStems])
    )
  }
  return [...new Set(candidates.filter(isEnded).map(({ row }) => row))]
}
