import { overlap, wordSet } from "../reconcile/likeness.js"
import { isStopWord } from "../stopWords.js"
import { day, type Row } from "./facts.js"
import { marksChange, tellsChange, tellsPast } from "./frames.js"
import { type Change, changeOf, type Former, saidIn, saysFormer, saysValue, slotsOf } from "./changes.js"
import { heldAgainst, isKin, type Judge, saidAt, textOf, wordsOf } from "./pairs.js"
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
  /** Where it is known what is over. */
  told: 0.25,
  contradicted: { near: 0.55, far: 0.45, telling: 0.3 },
  same: { likeness: 0.4, telling: 0.3 }
}

/** Of one memory so many are held against it that are most like it. */
const mostHeld = 40

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
  const isContradicted = (by: Row, row: Row, score: number, former: Former, change: Change): boolean => {
    const { far, near, telling } = least.contradicted
    if (isChange(by, row, former)) return true
    const judged = (): boolean => heldAgainst(judge, by, row, score) === "contradicted"
    if (slotsOf(by, row).length === 0) {
      // What it changed is known: what else it might contradict is something else.
      if (change.former.length > 0) return saysFormer(change, row) && !tellsPast(textOf(row)) && judged()
      if (!marksChange(textOf(by)) || saysValue(change, row) || isWithin(row, by) || liveSideBySide(by, row)) return false
    }
    if (score < far || (score < near && words.telling(by, row) < telling)) return false
    // Who says again a part of what was said takes back nothing.
    const again = [...words.of(by)].every((word) => words.of(row).has(word))
    return !again && judged()
  }
  /** Whether the two say the same but for one value, and it is known that the one took the place of the other. */
  const isChange = (by: Row, row: Row, former: Former): boolean => {
    const slots = slotsOf(by, row)
    if (slots.length === 0) return false
    if (marksChange(textOf(by))) return true
    return slots.some((slot) =>
      [...words.sharing(by).keys()].some(
        (other) =>
          isKin(by, other) &&
          ((saidAt(other) >= saidAt(row) && tellsChange(textOf(other), slot)) ||
            (textOf(other).toLowerCase().includes(slot.now) &&
              former(other).some((before) =>
                slotsOf(other, before).some((known) => known.now === slot.now && known.before === slot.before)
              )))
      )
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
      const change = changeOf(by, former(by))
      const open: Array<Row> = former(by).filter((row) => isKin(by, row) && saysFormer(change, row))
      for (const [row, score] of like(by, change.former.length > 0 ? least.told : least.contradicted.far)) {
        if (!may(row) || !isContradicted(by, row, score, former, change)) continue
        found.set(row, { row, by, score, reason: "no longer so by what was said since" })
        open.push(row)
      }
      const after = changeOf(by, [...former(by), ...open])
      for (let gone = open.pop(); gone !== undefined; gone = open.pop()) {
        for (const [row, score] of like(gone, least.same.likeness)) {
          if (!may(row) || saysValue(after, row) || !saysFormer(after, row) || !isSame(gone, row, score)) continue
          const likeness = overlap(words.of(by), words.of(row))
          if (namesWithin(by, row) && heldAgainst(judge, by, row, likeness) === "same") continue
          found.set(row, { row, by, score: likeness, reason: "says in other words what is no longer so" })
          open.push(row)
        }
      }
    }
  }
}

/** Whether two were said again and again in the same days: then neither takes the place of the other. */
const liveSideBySide = ({ memory: a }: Row, { memory: b }: Row): boolean =>
  a.mentions > 1 &&
  b.mentions > 1 &&
  Math.min(a.lastMentionedAt, b.lastMentionedAt) - Math.max(a.createdAt, b.createdAt) > sideBySide

/** Something wrong is put right within so many milliseconds. */
const sideBySide = 4 * day

/** Whether one names, with numbers, at least two things, and the other all of them as being so. */
const isWithin = (row: Row, by: Row): boolean => {
  const names = wordSet([...tellingWords(textOf(row))].filter((word) => !isStopWord(word)).join(" "))
  const { now } = saidIn(textOf(by))
  return names.size > 1 && [...names].every((word) => now.has(word))
}

/** Whether the one that was said later names nothing, and no number, that the one before it does not. */
const namesWithin = (newer: Row, older: Row): boolean => {
  const known = textOf(older)
  return [...tellingWords(textOf(newer))].every((word) => known.includes(word))
}
