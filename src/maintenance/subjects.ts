import { levelOf } from "../../events/Trust.js"
import { wordSet } from "../../text/normalise/similarity.js"
import type { Row } from "../model/MemoryRow.js"
import type { Judge } from "../ports/Reconciler.js"
import { comparisonGroupKey, judgeRelation, lastMentionTime, textOf } from "./pairs.js"

/** One subject: the memory that represents it, and the other memories that state the same fact. */
export interface Subject {
  readonly row: Row
  readonly others: ReadonlyArray<Row>
}

/**
 * Minimum cosine similarity between the words (title and facts) of two memories. The judge compares only such pairs.
 */
const minLikeness = 0.55
/** Maximum rows to compare (the newest ones), maximum pairs to judge, and maximum pairs of one row. */
const limits = { rows: 1_000, judged: 300, pairs: 8 }

/**
 * Groups memories that state the same fact: the settler gave them the same key (`says`), or the judge finds no
 * difference. All memories of a subject have the same level, so that a memory of another level never represents them.
 * The newest memory represents its subject, unless an older one contains all of its words and more. Without a judge,
 * each memory is a separate subject.
 */
export const groupBySubject = (
  rows: ReadonlyArray<Row>,
  judge: Judge | undefined,
  says: ReadonlyMap<Row, string>
): ReadonlyArray<Subject> => {
  if (judge === undefined) return rows.map((row) => ({ row, others: [] }))
  const newest = [...rows].sort((a, b) => lastMentionTime(b) - lastMentionTime(a) || b.memory.born - a.memory.born)
  const groups = groupsByKey(newest, says)
  const mostCompleteByIndex = mergeRepeats(newest, groups, judge)
  const members = new Map<number, Array<number>>()
  for (const [index, group] of groups.entries()) {
    const indexes = members.get(group)
    if (indexes === undefined) members.set(group, [index])
    else indexes.push(index)
  }
  return [...members].map(([last, group]) => {
    const index = mostCompleteByIndex.get(last) ?? last
    return { row: newest[index]!, others: group.filter((other) => other !== index).map((other) => newest[other]!) }
  })
}

/** For each row, the index of the newest row with the same key, or its own index if it has no key. */
const groupsByKey = (newest: ReadonlyArray<Row>, says: ReadonlyMap<Row, string>): Array<number> => {
  const firsts = new Map<string, number>()
  return newest.map((row, index) => {
    const said = says.get(row)
    if (said === undefined) return index
    const key = `${said}\n${levelOf(row.memory)}`
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, index)
    return first ?? index
  })
}

/**
 * Merges groups if the judge finds that their newest members state the same fact; changes `groups`. Returns a map from
 * the index of a newest member to the index of the older row that contains all of its words and more.
 */
const mergeRepeats = (newest: ReadonlyArray<Row>, groups: Array<number>, judge: Judge): ReadonlyMap<number, number> => {
  const words = newest.slice(0, limits.rows).map((row) => wordSet(textOf(row)))
  const mostCompleteByIndex = new Map<number, number>()
  let judged = 0
  for (const { newer, older, score } of likelyPairs(words)) {
    // Only the newest row of a group can add others to it, because similarity is not transitive.
    if (
      groups[newer] !== newer ||
      groups[older] !== older ||
      subjectKeyOf(newest[newer]!) !== subjectKeyOf(newest[older]!)
    )
      continue
    if (judged++ === limits.judged) break
    if (judgeRelation(judge, newest[newer]!, newest[older]!, score).kind !== "same") continue
    if (isProperSubset(words[newer]!, words[older]!)) mostCompleteByIndex.set(newer, older)
    for (const [index, group] of groups.entries()) if (group === older) groups[index] = newer
  }
  return mostCompleteByIndex
}

const subjectKeyOf = (row: Row): string => `${comparisonGroupKey(row)}\n${levelOf(row.memory)}`

interface Pair {
  readonly newer: number
  readonly older: number
  readonly score: number
}

/** Pairs of similar rows, by index, newest first. Each row is paired with at most `limits.pairs` newer rows. */
const likelyPairs = (wordSets: ReadonlyArray<ReadonlySet<string>>): ReadonlyArray<Pair> => {
  const indexesByWord = new Map<string, Array<number>>()
  const pairs: Array<Pair> = []
  for (const [older, words] of wordSets.entries()) {
    const shared = new Map<number, number>()
    for (const word of words) {
      const indexes = indexesByWord.get(word)
      for (const newer of indexes ?? []) shared.set(newer, (shared.get(newer) ?? 0) + 1)
      if (indexes === undefined) indexesByWord.set(word, [older])
      else indexes.push(older)
    }
    const candidates = [...shared].flatMap(([newer, count]) => {
      const score = count / Math.sqrt(words.size * wordSets[newer]!.size)
      return score >= minLikeness ? [{ newer, older, score }] : []
    })
    pairs.push(...candidates.sort((a, b) => b.score - a.score || a.newer - b.newer).slice(0, limits.pairs))
  }
  return pairs.sort((a, b) => a.newer - b.newer || b.score - a.score || a.older - b.older)
}

const isProperSubset = (subset: ReadonlySet<string>, words: ReadonlySet<string>): boolean =>
  subset.size < words.size && [...subset].every((word) => words.has(word))
