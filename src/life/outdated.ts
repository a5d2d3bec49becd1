import { overlap } from "../reconcile/likeness.js"
import { isStopWord } from "../retrieval/stopWords.js"
import {
  type Change,
  changeOf,
  type Former,
  namesOf,
  overSince,
  saidIn,
  saysFormer,
  saysValue,
  saysWords,
  slotsOf
} from "./changes.js"
import { day, type Row } from "./facts.js"
import { marksChange, type Slot, tellsChange, tellsMove, tellsPast } from "./frames.js"
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

interface Values {
  /** Of the text itself. */
  readonly own: ReadonlySet<string>
  readonly all: ReadonlySet<string>
}

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
  const like = (row: Row, score: number): ReadonlyArray<readonly [Row, number]> => {
    let found = known.get(row)
    if (found === undefined) {
      found = [...words.sharing(row)]
        .flatMap(([other, shared]): ReadonlyArray<readonly [Row, number]> => {
          const likeness = shared / Math.sqrt(words.of(row).size * words.of(other).size)
          return likeness >= least.told && other !== row && isKin(row, other) ? [[other, likeness]] : []
        })
        .sort((a, b) => b[1] - a[1] || a[0].memory.born - b[0].memory.born)
        .slice(0, mostHeld)
      known.set(row, found)
    }
    return found.filter(([, likeness]) => likeness >= score)
  }
  const known = new Map<Row, ReadonlyArray<readonly [Row, number]>>()
  const isContradicted = (by: Row, row: Row, score: number, former: Former, change: Change): boolean => {
    const { far, near, telling } = least.contradicted
    if (isChange(by, row, former)) return true
    const judged = (): boolean => heldAgainst(judge, by, row, score) === "contradicted"
    if (slotsOf(by, row).length === 0) {
      if (isOtherWording(by, row, former) || isNext(by, row, former)) return true
      if (isBack(by, row)) return judged()
      // What it changed is known: what else it might contradict is something else.
      if (change.former.length > 0) return saysFormer(change, row) && !tellsPast(textOf(row)) && judged()
      if (!marksChange(textOf(by)) || saysValue(change, row) || isWithin(row, by) || liveSideBySide(by, row))
        return false
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
    if (saidAt(row) < by.memory.createdAt && hasChangedBefore(by, row, former)) return true
    return slots.some((slot) =>
      [...words.sharing(by).keys()].some(
        (other) =>
          isKin(by, other) &&
          ((saidAt(other) >= saidAt(row) && tellsChange(textOf(other), slot)) ||
            (other.memory.createdAt > saidAt(row) &&
              (marksChange(textOf(other)) || tellsMove(textOf(other))) &&
              saysWords(other, slot.now)) ||
            (textOf(other).toLowerCase().includes(slot.now) &&
              former(other).some((before) =>
                slotsOf(other, before).some((known) => known.now === slot.now && known.before === slot.before)
              )))
      )
    )
  }
  /** What was retired of what is like a memory. */
  const retired = (one: Row, former: Former): ReadonlyArray<Row> => [
    ...new Set([one, ...like(one, least.told).map(([other]) => other)].flatMap(former))
  ]
  /** Whether something was retired that says it in the same words: then there is one value of it at a time. */
  const hasChangedBefore = (by: Row, row: Row, former: Former): boolean => {
    const slots = slotsOf(by, row).filter(isShort)
    return (by.memory.mentions > 1 ? retired(by, former) : [...former(by), ...former(row)]).some((before) =>
      slots.some(
        ({ before: then, now }) =>
          slotsOf(by, before).some((slot) => slot.now === now) && slotsOf(row, before).some((slot) => slot.now === then)
      )
    )
  }
  /**
   * Whether one took the place of what said it in the words of the other, and the other says something else now. Where
   * those words were said beside it meanwhile, it took the place of nothing.
   */
  const isNext = (by: Row, row: Row, former: Former): boolean =>
    saidAt(row) < by.memory.createdAt &&
    former(row).some(
      (before) =>
        slotsOf(by, before).some((slot) => isShort(slot) && !saysWords(row, slot.now)) &&
        !inWordsOf(by, former).some(
          (other) =>
            saidAt(other) > overSince(before) &&
            other.memory.createdAt < saidAt(row) &&
            slotsOf(by, other).some((slot) => !saysWords(row, slot.before))
        )
    )
  /** What was said in the same words, and what was retired of it. */
  const inWordsOf = (by: Row, former: Former): ReadonlyArray<Row> => {
    let found = worded.get(by)
    if (found === undefined) {
      found = [...like(by, least.told).map(([other]) => other), ...retired(by, former)].filter(
        (other) => slotsOf(by, other).length > 0
      )
      worded.set(by, found)
    }
    return found
  }
  const worded = new Map<Row, ReadonlyArray<Row>>()
  /** Whether one says that something is over which the other, later, says is so. */
  const isBack = (by: Row, row: Row): boolean => {
    const { former } = saidIn(textOf(row))
    const { now } = saidIn(textOf(by))
    return former.size > 0 && saidAt(row) < by.memory.createdAt && [...former].every((word) => now.has(word))
  }
  /** All values that something had of which one is told, as far as it is known of what was retired. */
  const valuesOf = (one: Row, former: Former): Values => {
    const known = values.get(one)
    if (known !== undefined) return known
    const own = new Set<string>()
    const all = new Set<string>()
    for (const before of retired(one, former)) {
      for (const slot of slotsOf(one, before)) {
        own.add(slot.now)
        all.add(slot.now).add(slot.before)
      }
    }
    values.set(one, { own, all })
    return { own, all }
  }
  const values = new Map<Row, Values>()
  /** Whether two wordings had two values in common, and the one that was said before has one that the other had. */
  const isOtherWording = (by: Row, row: Row, former: Former): boolean => {
    if (saidAt(row) >= by.memory.createdAt) return false
    const later = valuesOf(by, former)
    const text = textOf(row).toLowerCase()
    if (later.all.size < 3 || ![...later.all].some((value) => !later.own.has(value) && text.includes(value)))
      return false
    const earlier = valuesOf(row, former)
    const shared = [...later.all].filter((value) => earlier.all.has(value))
    return shared.length > 1 && [...earlier.own].some((value) => later.all.has(value) && !later.own.has(value))
  }
  const isSame = (a: Row, b: Row, score: number): boolean => {
    const [newer, older] = saidAt(a) >= saidAt(b) ? [a, b] : [b, a]
    return (
      words.telling(a, b) >= least.same.telling &&
      namesWithin(newer, older) &&
      heldAgainst(judge, newer, older, score) === "same"
    )
  }
  let taking: ReadonlyArray<Row> | undefined
  /** What took the place of something. */
  const successors = (former: Former): ReadonlyArray<Row> => {
    taking ??= rows.filter((row) => former(row).length > 0)
    return taking
  }
  const found = new Map<Row, Outdated>()
  return {
    said: rows
      .filter((row) => saidAt(row) >= since)
      .sort((a, b) => saidAt(b) - saidAt(a) || b.memory.born - a.memory.born),
    found,
    hold: (by, former) => {
      const may = (row: Row): boolean => row !== by && saidAt(row) < saidAt(by) && !found.has(row) && !stays(row)
      const own = former(by)
      const before = new Set([...own, ...retired(by, former).filter((row) => slotsOf(by, row).length > 0)])
      const change = changeOf(by, [...before], words.isCommon)
      const open: Array<Row> = own.filter((row) => isKin(by, row) && saysFormer(change, row))
      for (const [row, score] of like(by, least.told)) {
        if (!may(row) || !isContradicted(by, row, score, former, change)) continue
        found.set(row, { row, by, score, reason: "no longer so by what was said since" })
        open.push(row)
      }
      for (const row of successors(former)) {
        if (
          !isKin(by, row) ||
          !may(row) ||
          !words.sharing(by).has(row) ||
          slotsOf(by, row).length > 0 ||
          !isNext(by, row, former)
        )
          continue
        const score = overlap(words.of(by), words.of(row))
        found.set(row, { row, by, score, reason: "no longer so by what was said since" })
        open.push(row)
      }
      const after = changeOf(by, [...before, ...open], words.isCommon)
      for (let gone = open.pop(); gone !== undefined; gone = open.pop()) {
        for (const [row, score] of like(gone, least.same.likeness)) {
          if (
            !may(row) ||
            saysValue(after, row) ||
            !saysFormer(after, row) ||
            tellsPast(textOf(row)) ||
            !isSame(gone, row, score)
          )
            continue
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
  const names = namesOf(row)
  const { now } = saidIn(textOf(by))
  return names.length > 1 && names.every((word) => now.has(word))
}

/** Whether more is said around a value than in it: or it is another thing rather than another value. */
const isShort = ({ around, before, now }: Slot): boolean =>
  [before, now].every((value) => value.split(" ").filter((word) => !isStopWord(word)).length <= around)

/** Whether the one that was said later names nothing, and no number, that the one before it does not. */
const namesWithin = (newer: Row, older: Row): boolean => {
  const known = textOf(older)
  return [...tellingWords(textOf(newer))].every((word) => known.includes(word))
}
