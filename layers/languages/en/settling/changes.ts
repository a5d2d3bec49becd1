import { lastMentionTime } from "../../../../src/maintenance/pairs.js"
import type { Row } from "../../../../src/model/MemoryRow.js"
import type { Evidence } from "../../../../src/ports/Settler.js"
import { prepositions } from "./gaps.js"
import { isDefinite, type Slot, type Value } from "./slots.js"
import { hasAll, type UtteranceIndex } from "./utterances.js"

/** A value that replaced another one, and the slots in which this happened. */
export interface Change {
  readonly from: Value
  readonly to: Value
  readonly slots: Set<Slot>
  proof: ProofStrength
}

/**
 * How well a change is proved. Wording alone is `unsure`, because it is often about another subject. A change is
 * `certain` if the new value was said twice, the last time after the old value, or if the reconciler is certain of a
 * contradiction.
 */
export type ProofStrength = "certain" | "unsure"

/** A change found in one slot can prove a change in others. The search stops after this many rounds. */
const maxRounds = 4

/**
 * Finds the slots with one value at a time, and which of their values replaced which. A slot has one value at a time if
 * one of its steps is a change (`proofOf`), a change that is known from another slot, or a handover in two slots. In a
 * handover, nobody says the old value again after the new one. Yields after each slot.
 */
export function* changesIn(
  slots: ReadonlyArray<Slot>,
  evidence: Evidence,
  index: UtteranceIndex
): Generator<void, ReadonlyArray<Change>> {
  const changes = new Map<string, Change>()
  /** The slots that have one value at a time, with the proof of it. */
  const singleValued = new Map<Slot, ProofStrength>()
  const handovers = handoversIn(slots)
  const stepProof = (slot: Slot, from: Value, to: Value): ProofStrength | undefined => {
    const isHandover = (handovers.get(keyOf(slot, from, to)) ?? 0) > 1
    return proofOf(slot, [from, to], evidence, { index, isHandover })
  }
  const proofIn = (slot: Slot): ProofStrength | undefined => {
    const known = singleValued.get(slot)
    if (known === "certain") return known
    let proof: ProofStrength | undefined = known
    for (const [from, to] of stepsIn(slot)) {
      const key = keyOf(slot, from, to)
      const step = changes.get(key)?.proof === "certain" ? "certain" : stepProof(slot, from, to)
      if (step === "certain") return step
      proof ??= step ?? changes.get(key)?.proof
    }
    return proof
  }
  /**
   * Adds the changes of a slot that has one value at a time. Returns true if a change is new, or better proved than
   * before.
   */
  const addChanges = (slot: Slot): boolean => {
    const proof = proofIn(slot)
    if (proof === undefined || (proof === singleValued.get(slot) && proof === "certain")) return false
    singleValued.set(slot, proof)
    let isNew = false
    // Each value is replaced by every later one. A certain step proves its own change, but not the other changes of the
    // slot.
    for (const [position, from] of slot.values.entries()) {
      for (const to of slot.values.slice(position + 1)) {
        const key = keyOf(slot, from, to)
        const change = changes.get(key)
        const own = change?.proof === "certain" ? "certain" : (stepProof(slot, from, to) ?? "unsure")
        if (change === undefined) changes.set(key, { from, to, slots: new Set([slot]), proof: own })
        else {
          change.slots.add(slot)
          if (change.proof === own) continue
          change.proof = own
        }
        isNew = true
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

/**
 * Counts the handovers: for the key of each change, the number of slots in which the old value was not said after the
 * new one.
 */
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

/** The proof that one value of a slot replaced another; undefined without one. */
const proofOf = (
  slot: Slot,
  [from, to]: readonly [Value, Value],
  { contradicts, predecessors }: Evidence,
  { index, isHandover }: { readonly index: UtteranceIndex; readonly isHandover: boolean }
): ProofStrength | undefined => {
  const isContradicted = (): boolean =>
    rowsOf(from).some((older) => rowsOf(to).some((newer) => contradicts(newer, older)))
  const isRepeated = to.mentions > 1 && from.last < to.last
  const byWording = (): ProofStrength => (isRepeated || isContradicted() ? "certain" : "unsure")
  if (isHandover) return byWording()
  if (from.last > to.last) return undefined
  const ids = new Set(from.entries.map(({ utterance }) => utterance.row.memory.id))
  const superseded = to.entries.some(({ utterance }) =>
    predecessors(utterance.row).some(({ memory }) => ids.has(memory.id))
  )
  if (superseded) return "certain"
  if (isDefinite(slot) && isPlace(from) === isPlace(to)) return byWording()
  const changes = index.containing(slot.mainName, to.stems).filter(({ reading }) => reading.mentionsChange)
  const changesInBoth = changes.filter(({ reading }) => hasAll(reading.allStems, from.stems))
  if (changesInBoth.some(({ reading }) => !hasAll(reading.now, from.stems))) return byWording()
  // If the old value is repeated after the new one, both are true, unless a later utterance mentions a change.
  if (changes.some(({ since }) => since >= from.last)) return byWording()
  if (from.last > to.since) return undefined
  if (from.mentions > 1 && to.mentions > 1 && to.last - from.last > recentChangeMillis) return "certain"
  if (changesInBoth.length > 0) return byWording()
  return isContradicted() ? "certain" : undefined
}

/** A repeated value has ended if it was not said for this long while another value was said. */
const recentChangeMillis = 14 * 86_400_000

/** Maximum rows of a value that the reconciler compares. */
const maxRows = 3

/** The rows that said the value last, newest first. */
const rowsOf = ({ entries }: Value): ReadonlyArray<Row> =>
  [...new Set(entries.map(({ utterance }) => utterance.row))]
    .sort((a, b) => lastMentionTime(b) - lastMentionTime(a) || b.memory.born - a.memory.born)
    .slice(0, maxRows)

/** A place ("in Ghent") does not replace another kind of value ("blue"). */
const isPlace = ({ entries }: Value): boolean => prepositions.has(entries[0]!.words[0]!)
