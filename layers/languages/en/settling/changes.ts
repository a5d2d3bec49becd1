import { saidAt } from "../../../../src/maintenance/pairs.js"
import type { Row } from "../../../../src/model/MemoryRow.js"
import type { Evidence } from "../../../../src/ports/Settler.js"
import { prepositions } from "./gaps.js"
import { isDefinite, type Slot, type Value } from "./slots.js"
import { hasAll, type UtteranceIndex } from "./utterances.js"

/** A value that replaced another one, and the slots in which it did. */
export interface Change {
  readonly from: Value
  readonly to: Value
  readonly slots: Set<Slot>
}

/** A change found in one slot can prove a change in others. The search stops after this many rounds. */
const maxRounds = 4

/**
 * Finds the slots with one value at a time, and which value replaced which. A slot has one value at a time if one of
 * its steps is a change (`isChange`), a known change of another slot, or a handover in two slots. In a handover, nobody
 * says the old value again after the new one. Yields after each slot.
 */
export function* changesIn(
  slots: ReadonlyArray<Slot>,
  evidence: Evidence,
  index: UtteranceIndex
): Generator<void, ReadonlyArray<Change>> {
  const changes = new Map<string, Change>()
  const singleValued = new Set<Slot>()
  const handovers = handoversIn(slots)
  const isSingle = (slot: Slot): boolean =>
    singleValued.has(slot) ||
    stepsIn(slot).some(([from, to]) => {
      const key = keyOf(slot, from, to)
      return changes.has(key) || (handovers.get(key) ?? 0) > 1 || isChange(slot, [from, to], evidence, index)
    })
  /** Whether the slot has one value at a time and adds a new change. */
  const addChanges = (slot: Slot): boolean => {
    if (!isSingle(slot)) return false
    singleValued.add(slot)
    let isNew = false
    // Each value is replaced by every later one.
    for (const [position, from] of slot.values.entries()) {
      for (const to of slot.values.slice(position + 1)) {
        const key = keyOf(slot, from, to)
        const change = changes.get(key)
        if (change === undefined) changes.set(key, { from, to, slots: new Set([slot]) })
        else change.slots.add(slot)
        isNew ||= change === undefined
      }
    }
    return isNew
  }
  for (let round = 0, isNew = true; round < maxRounds && isNew; round++) {
    isNew = false
    for (const slot of slots) {
      if (addChanges(slot)) isNew = true
      yield
    }
  }
  return [...changes.values()]
}

const keyOf = ({ mainName, kindKey }: Slot, from: Value, to: Value): string =>
  `${kindKey}\n${mainName}\n${from.key}\n${to.key}`

/** Each value with the following one. */
const stepsIn = ({ values }: Slot): ReadonlyArray<readonly [Value, Value]> =>
  values.slice(1).map((to, index) => [values[index]!, to])

/** Handovers: by key of a change, the number of slots in which the old value was not said after the new one. */
const handoversIn = (slots: ReadonlyArray<Slot>): ReadonlyMap<string, number> => {
  const handovers = new Map<string, number>()
  for (const slot of slots) {
    for (const [from, to] of stepsIn(slot)) {
      const key = keyOf(slot, from, to)
      if (from.last < to.since) handovers.set(key, (handovers.get(key) ?? 0) + 1)
    }
  }
  return handovers
}

/** Whether there is proof that one value of a slot replaced another. */
const isChange = (
  slot: Slot,
  [from, to]: readonly [Value, Value],
  { contradicts, predecessors }: Evidence,
  index: UtteranceIndex
): boolean => {
  if (from.last > to.last) return false
  const ids = new Set(from.entries.map(({ utterance }) => utterance.row.memory.id))
  const superseded = to.entries.some(({ utterance }) =>
    predecessors(utterance.row).some(({ memory }) => ids.has(memory.id))
  )
  if (superseded || (isDefinite(slot) && isPlace(from) === isPlace(to))) return true
  const changes = index.containing(slot.mainName, to.stems).filter(({ reading }) => reading.mentionsChange)
  const changesInBoth = changes.filter(({ reading }) => hasAll(reading.allStems, from.stems))
  if (changesInBoth.some(({ reading }) => !hasAll(reading.now, from.stems))) return true
  // If the old value is repeated after the new one, both are true, unless a later utterance mentions a change.
  if (changes.some(({ since }) => since >= from.last)) return true
  if (from.last > to.since) return false
  if (changesInBoth.length > 0 || (from.mentions > 1 && to.mentions > 1 && to.last - from.last > recentChangeMillis))
    return true
  return contradicts(latestOf(to), latestOf(from))
}

/** A repeated value is over when it is not said for this long while another value is said. */
const recentChangeMillis = 14 * 86_400_000

/** The row that said the value last; if times are equal, the newest row. */
const latestOf = ({ entries }: Value): Row =>
  entries
    .map(({ utterance }) => utterance.row)
    .reduce((last, row) =>
      saidAt(last) < saidAt(row) || (saidAt(last) === saidAt(row) && last.memory.born < row.memory.born) ? row : last
    )

/** A place ("in Ghent") does not replace another kind of value ("blue"). */
const isPlace = ({ entries }: Value): boolean => prepositions.has(entries[0]!.words[0]!)
