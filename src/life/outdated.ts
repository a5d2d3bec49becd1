import { overlap } from "../reconcile/likeness.js"
import type { Row } from "./facts.js"
import { marksChange, slotOf, tellsChange } from "./frames.js"
import { heldAgainst, type Judge, saidAt, textOf, wordsOf } from "./pairs.js"
import { tellingWords } from "./sentences.js"

/** A memory that is true no more, and what was said since that says so. */
export interface Outdated {
  readonly row: Row
  readonly by: Row
  /** How like the two are by words: 0…1. */
  readonly score: number
  readonly reason: string
}

/**
 * Of memories that are less alike, by words, rules take a change of one thing for a change of another of the same
 * person; that two say the same they see from further away. Of what rules hold to be contradicted within these bounds,
 * in the statements of two written years, 7 of 716 were about something else.
 */
const least = {
  contradicted: { near: 0.55, far: 0.45, telling: 0.3 },
  same: { likeness: 0.4, telling: 0.3 }
}

/** Of one memory so many are held against it that are most like it. */
const mostHeld = 40

/** The memories whose place one took. */
export type Former = (row: Row) => ReadonlyArray<Row>

/** What is found out about rows, one of what was said of late at a time. */
export interface Outdating {
  /** What was said of late, the last first. */
  readonly said: ReadonlyArray<Row>
  /** Holds all that is there against one of them. `former` are those whose place one took before. */
  readonly hold: (by: Row, former: Former) => void
  readonly found: ReadonlyMap<Row, Outdated>
}

/**
 * What is true no more by what was said of late: what a judge, who looks at two memories alone, holds to be contradicted,
 * and whatever says in other words what is. A change is told of one memory, and where candidates are many not always of
 * the right one. What `stays` is never found.
 */
export const outdating = (
  rows: ReadonlyArray<Row>,
  judge: Judge,
  { since, stays }: { readonly since: number; readonly stays: (row: Row) => boolean }
): Outdating => {
  const words = wordsOf(rows)
  /** What is like a memory, the likest first. */
  const like = (row: Row, score: number): ReadonlyArray<readonly [Row, number]> =>
    [...words.sharing(row)]
      .flatMap(([other, shared]): ReadonlyArray<readonly [Row, number]> => {
        const likeness = shared / Math.sqrt(words.of(row).size * words.of(other).size)
        return likeness >= score && other !== row && isKin(row, other) ? [[other, likeness]] : []
      })
      .sort((a, b) => b[1] - a[1] || a[0].memory.born - b[0].memory.born)
      .slice(0, mostHeld)
  const isContradicted = (by: Row, row: Row, score: number, former: Former): boolean => {
    const { far, near, telling } = least.contradicted
    if (isChange(by, row, former)) return true
    if (score < far || (score < near && words.telling(by, row) < telling)) return false
    // Who says again a part of what was said takes back nothing.
    const again = [...words.of(by)].every((word) => words.of(row).has(word))
    return !again && heldAgainst(judge, by, row, score) === "contradicted"
  }
  /** Whether the two say the same but for one value, and it is known that the one took the place of the other. */
  const isChange = (by: Row, row: Row, former: Former): boolean => {
    const slot = slotOf(textOf(by), textOf(row))
    if (slot === undefined) return false
    if (marksChange(textOf(by))) return true
    return [...words.sharing(by).keys()].some(
      (other) =>
        isKin(by, other) &&
        ((saidAt(other) >= saidAt(row) && tellsChange(textOf(other), slot)) ||
          (textOf(other).toLowerCase().includes(slot.now) &&
            former(other).some((before) => {
              const known = slotOf(textOf(other), textOf(before))
              return known?.now === slot.now && known.before === slot.before
            })))
    )
  }
  const isSame = (a: Row, b: Row, score: number): boolean => {
    const [newer, older] = saidAt(a) >= saidAt(b) ? [a, b] : [b, a]
    return (
      words.telling(a, b) >= least.same.telling &&
      namesWithin(newer, older) &&
      heldAgainst(judge, newer, older, score) === "same"
    )
  }
  const found = new Map<Row, Outdated>()
  return {
    said: rows
      .filter((row) => saidAt(row) >= since)
      .sort((a, b) => saidAt(b) - saidAt(a) || b.memory.born - a.memory.born),
    found,
    hold: (by, former) => {
      const may = (row: Row): boolean => row !== by && saidAt(row) < saidAt(by) && !found.has(row) && !stays(row)
      const open: Array<Row> = former(by).filter(
        (row) => isKin(by, row) && isContradicted(by, row, overlap(words.of(by), words.of(row)), former)
      )
      for (const [row, score] of like(by, least.contradicted.far)) {
        if (!may(row) || !isContradicted(by, row, score, former)) continue
        found.set(row, { row, by, score, reason: "no longer so by what was said since" })
        open.push(row)
      }
      for (let gone = open.pop(); gone !== undefined; gone = open.pop()) {
        for (const [row, score] of like(gone, least.same.likeness)) {
          if (!may(row) || !isSame(gone, row, score)) continue
          const likeness = overlap(words.of(by), words.of(row))
          if (namesWithin(by, row) && heldAgainst(judge, by, row, likeness) === "same") continue
          found.set(row, { row, by, score: likeness, reason: "says in other words what is no longer so" })
          open.push(row)
        }
      }
    }
  }
}

/** Whether two memories may be about the same: of one store and one type. */
const isKin = ({ memory: a }: Row, { memory: b }: Row): boolean => a.store === b.store && a.type === b.type

/** Whether the one that was said later names nothing, and no number, that the one before it does not. */
const namesWithin = (newer: Row, older: Row): boolean => {
  const known = textOf(older)
  return [...tellingWords(textOf(newer))].every((word) => known.includes(word))
}
