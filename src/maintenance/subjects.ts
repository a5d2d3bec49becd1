import { overlap, wordSet } from "../../text/normalise/likeness.js"
import type { Judge } from "../ports/Reconciler.js"
import { type Reading, readingOf } from "./clauses.js"
import type { Row } from "./facts.js"
import { saysOtherwise } from "./gaps.js"
import { heldAgainst, kinOf, saidAt, textOf } from "./pairs.js"
import { namesIn, saidBy, sayingIn } from "./said.js"

/** What is remembered of one subject: what says it, and all that says the same. */
export interface Subject {
  readonly row: Row
  /** The others, which it makes up for. */
  readonly others: ReadonlyArray<Row>
}

/** Title and facts must be at least so alike, by words, that two memories are held against each other. */
const least = 0.55
/** Memories that are brought together in one go, pairs that are judged; the ones that were said last come first. */
const most = { rows: 1_000, judged: 300, pairs: 8 }

/**
 * Brings memories together that say the same: the same value of one thing (`says`), or what whatever decides on new ones
 * judges to be the same. Of each subject what was said last stands for all, or what says all of that and more. Without
 * a judge each memory is a subject of its own.
 */
export const subjectsOf = (
  rows: ReadonlyArray<Row>,
  judge: Judge | undefined,
  says: ReadonlyMap<Row, string>
): ReadonlyArray<Subject> => {
  if (judge === undefined) return rows.map((row) => ({ row, others: [] }))
  const newest = [...rows].sort((a, b) => saidAt(b) - saidAt(a) || b.memory.born - a.memory.born)
  /** The newest of each group, for each of its members. */
  const groups = newest.map((_, at) => at)
  const firsts = new Map<string, number>()
  for (const [at, row] of newest.entries()) {
    const key = says.get(row)
    if (key === undefined) continue
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, at)
    else groups[at] = first
  }
  const words = newest.slice(0, most.rows).map((row) => wordSet(textOf(row)))
  /** Which of what was said before says all that was said last, by the place of that. */
  const fuller = new Map<number, number>()
  let judged = 0
  for (const { newer, older, score } of alike(words)) {
    // Only the newest of a group brings others to it: what is like something that is like it may be something else.
    if (groups[newer] !== newer || groups[older] !== older || kinOf(newest[newer]!) !== kinOf(newest[older]!)) continue
    if (judged++ === most.judged) break
    if (heldAgainst(judge, newest[newer]!, newest[older]!, score) !== "same") continue
    if (isWithin(words[newer]!, words[older]!)) fuller.set(newer, older)
    for (const [at, group] of groups.entries()) if (group === older) groups[at] = newer
  }
  const members = new Map<number, Array<number>>()
  for (const [at, group] of groups.entries()) {
    const known = members.get(group)
    if (known === undefined) members.set(group, [at])
    else known.push(at)
  }
  return [...members].map(([last, group]) => {
    const stands = fuller.get(last) ?? last
    return { row: newest[stands]!, others: group.filter((at) => at !== stands).map((at) => newest[at]!) }
  })
}

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

/**
 * Whether the title of one says in other words what another does: all of its names and numbers, and either nearly the
 * same words or a name or number that is only said of whom both are about.
 */
export const repeatsIn = (rows: ReadonlyArray<Row>): ((row: Row, other: Row) => boolean) => {
  const all = rows.flatMap((row) => saidBy(row, []))
  const [isName, saying] = [namesIn(all), sayingIn(all)]
  const tellingOf = ({ all }: Reading): ReadonlyArray<string> =>
    [...all].filter((stem) => isName(stem) || /\p{N}/u.test(stem))
  return ({ memory: { title } }, other) => {
    const known = textOf(other)
    const [mine, its] = [readingOf(title), readingOf(known)]
    const telling = tellingOf(mine)
    if (!telling.every((word) => its.all.has(word)) || saysOtherwise(title, known)) return false
    if (overlap(mine.all, its.all) >= nearly) return true
    const about = telling.reduce(
      (most, word) => (saying.count(word) > saying.count(most) ? word : most),
      telling[0] ?? ""
    )
    return telling.some((word) => word !== about && saying.count(word) === saying.of(about, new Set([word])).length)
  }
}
const nearly = 0.65
