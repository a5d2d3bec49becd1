import { wordSet } from "../reconcile/likeness.js"
import { changeOf, saysFormer, slotsOf } from "./changes.js"
import { day, type Row } from "./facts.js"
import { marksChange } from "./frames.js"
import { heldAgainst, isKin, type Judge, saidAt, textOf, wordsOf } from "./pairs.js"

/** What is remembered of one subject: what is true of it by now, and all that says the same or was true before. */
export interface Subject {
  readonly row: Row
  /** The others, which it makes up for. */
  readonly others: ReadonlyArray<Row>
}

/**
 * Title and facts must be at least so alike, by words, that two memories are held against each other: on statements
 * about one person that are less alike, rules take a change of one thing for a change of another.
 */
const least = 0.55
/** Memories that are brought together in one go, pairs that are judged; the ones that were said last come first. */
const most = { rows: 1_000, judged: 300, pairs: 8 }

/**
 * Brings memories together that are about the same, as whatever decides on new ones judges it: what is worded otherwise
 * is stored beside each other, and a change is told of one of them only. Of each subject what was said last stands for
 * all, or what says all of that and more. Without a judge each memory is a subject of its own.
 */
export const subjectsOf = (rows: ReadonlyArray<Row>, judge: Judge | undefined): ReadonlyArray<Subject> => {
  if (judge === undefined) return rows.map((row) => ({ row, others: [] }))
  const newest = [...rows].sort((a, b) => saidAt(b) - saidAt(a) || b.memory.born - a.memory.born)
  const groups = newest.map((_, at) => at)
  const groupOf = (at: number): number => {
    let group = at
    while (groups[group] !== group) group = groups[group]!
    return group
  }
  const words = newest.slice(0, most.rows).map((row) => wordSet(textOf(row)))
  /** Which of what was said before says all that was said last, by the place of that. */
  const fuller = new Map<number, number>()
  let judged = 0
  for (const { newer, older, score } of alike(words)) {
    const [first, second] = [groupOf(newer), groupOf(older)]
    if (first === second) continue
    if (judged++ === most.judged) break
    const held = heldAgainst(judge, newest[newer]!, newest[older]!, score)
    // What is worded otherwise and says something else may be true beside it.
    if (held !== "same") {
      const [later, earlier] = [newest[newer]!, newest[older]!]
      const isOther = held === "other" && !hasFaded(earlier, later)
      if (isOther || (slotsOf(later, earlier).length === 0 && !marksChange(textOf(later)))) continue
    }
    if (held === "same" && isWithin(words[newer]!, words[older]!)) fuller.set(newer, older)
    // What is like something that is like it may be something else: only the newest of a group brings others to it.
    if (first !== newer || second !== older) continue
    groups[older] = newer
  }
  // What says in other words what a newer one says is over goes with it.
  const { isCommon } = wordsOf(rows)
  for (const [at, by] of newest.entries()) {
    if (groups[at] !== at) continue
    const over = newest.filter((row, place) => groups[place] === at && slotsOf(by, row).length > 0)
    if (over.length === 0) continue
    const change = changeOf(by, over, isCommon)
    for (const [place, row] of newest.entries()) {
      if (place > at && groups[place] === place && isKin(by, row) && saysFormer(change, row)) groups[place] = at
    }
  }
  const members = new Map<number, Array<number>>()
  for (const at of newest.keys()) {
    const group = groupOf(at)
    const known = members.get(group)
    if (known === undefined) members.set(group, [at])
    else known.push(at)
  }
  return [...members].map(([last, group]) => {
    const stands = fuller.get(last) ?? last
    return { row: newest[stands]!, others: group.filter((at) => at !== stands).map((at) => newest[at]!) }
  })
}

/**
 * Whether what was said again and again was never said again since another value was, which is said in its words again
 * and again, for longer than a month.
 */
const hasFaded = (earlier: Row, later: Row): boolean =>
  Math.min(earlier.memory.mentions, later.memory.mentions) > 2 &&
  later.memory.createdAt > saidAt(earlier) &&
  saidAt(later) - saidAt(earlier) > 30 * day

interface Pair {
  readonly newer: number
  readonly older: number
  readonly score: number
}

/** Pairs that are alike, those of the newest first; of each memory with the few before it that it is most like. */
const alike = (all: ReadonlyArray<ReadonlySet<string>>): ReadonlyArray<Pair> => {
  const places = new Map<string, Array<number>>()
  const pairs: Array<Pair> = []
  for (const [older, words] of all.entries()) {
    const shared = new Map<number, number>()
    for (const word of words) {
      const known = places.get(word)
      for (const newer of known ?? []) shared.set(newer, (shared.get(newer) ?? 0) + 1)
      if (known === undefined) places.set(word, [older])
      else known.push(older)
    }
    const found = [...shared].flatMap(([newer, count]) => {
      const score = count / Math.sqrt(words.size * all[newer]!.size)
      return score >= least ? [{ newer, older, score }] : []
    })
    pairs.push(...found.sort((a, b) => b.score - a.score || a.newer - b.newer).slice(0, most.pairs))
  }
  return pairs.sort((a, b) => a.newer - b.newer || b.score - a.score || a.older - b.older)
}

const isWithin = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean =>
  some.size < all.size && [...some].every((word) => all.has(word))
