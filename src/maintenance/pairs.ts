import type { Row } from "../model/MemoryRow.js"
import type { Judge } from "../ports/Reconciler.js"
import { statementOf } from "../remember/Reconciling.js"

/** How an older memory relates to a newer one, by the reconciler's judgement on these two alone. */
export type Relation = "contradicted" | "same" | "other"

/** When the memory was last said, in milliseconds since the epoch. Changes by maintenance do not count. */
export const saidAt = ({ memory }: Row): number => Math.max(memory.createdAt, memory.lastMentionedAt)

/** The title and the facts, one a line. */
export const textOf = ({ memory }: Row): string => [memory.title, ...memory.facts].join("\n")

/** A key of store and type. Two memories with different keys never count as stating the same fact. */
export const storeAndType = ({ memory: { store, type } }: Row): string => `${store}\n${type}`

/** Maximum cached judgements. A judge is a pure function, and most pairs recur every night. */
const cacheSize = 20_000
const judgements = new WeakMap<Judge, Map<string, Relation>>()

/** Asks the judge how an older memory relates to a newer one. Cached; a judge that throws answers "other". */
export const relationOf = (judge: Judge, newer: Row, older: Row, score: number): Relation => {
  let cache = judgements.get(judge)
  if (cache === undefined || cache.size >= cacheSize) {
    cache = new Map()
    judgements.set(judge, cache)
  }
  const key = `${newer.memory.type}\n${textOf(newer)}\n\n${older.memory.type}\n${textOf(older)}`
  let relation = cache.get(key)
  if (relation !== undefined) return relation
  relation = judged(judge, newer, older, score)
  cache.set(key, relation)
  return relation
}

/** The score that the judge sees for a pair that the settler found. */
const settlerScore = 0.6

/** Whether the judge says that the newer memory contradicts the older one; never without a judge. */
export const contradictsBy =
  (judge: Judge | undefined) =>
  (newer: Row, older: Row): boolean =>
    judge !== undefined && relationOf(judge, newer, older, settlerScore) === "contradicted"

const judged = (judge: Judge, newer: Row, older: Row, score: number): Relation => {
  const statement = (row: Row, index: number) => {
    const { narrative: _, ...memory } = row.memory
    return statementOf(memory, index)
  }
  try {
    const { action } = judge({
      statement: statement(newer, 1),
      candidates: [{ ...statement(older, 0), score }]
    }).verdict
    return action === "DELETE" ? "contradicted" : action === "NONE" ? "same" : "other"
  } catch {
    return "other"
  }
}
