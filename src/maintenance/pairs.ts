import { sha256Hex } from "../../events/sha256.js"
import type { Row } from "../model/MemoryRow.js"
import type { ReconcileSettings } from "../ports/policy/maintenance.js"
import { confidenceOf, type Judge } from "../ports/Reconciler.js"
import { statementOf } from "../remember/Reconciling.js"

/** How an older memory relates to a newer one. The reconciler judges by these two memories alone. */
export interface Relation {
  readonly kind: "contradicted" | "same" | "other"
  /** The probability that this relation is correct, 0…1. */
  readonly confidence: number
}

/**
 * When the memory was last mentioned, in milliseconds since the epoch. Changes by maintenance do not count as mentions.
 */
export const lastMentionTime = ({ memory }: Row): number => Math.max(memory.createdAt, memory.lastMentionedAt)

/** The title and the facts, one per line. */
export const textOf = ({ memory }: Row): string => [memory.title, ...memory.facts].join("\n")

/**
 * Types of facts that stay true until something changes them. These types overlap: a diet may be stored as an identity,
 * a preference or a decision.
 */
const standingTypes: ReadonlySet<string> = new Set(["config", "decision", "identity", "person", "preference", "state"])

/**
 * Returns the key of memories that may be compared: the store, and then `standing` for standing types or else the type
 * itself. Memories with different keys never state the same fact.
 */
export const comparisonGroupKey = ({ memory: { store, type } }: Row): string =>
  `${store}\n${standingTypes.has(type) ? "standing" : type}`

/**
 * Maximum cached judgements. A judge is a pure function, and each nightly run compares mostly the same pairs as the run
 * before.
 */
const cacheSize = 20_000
/** Maximum characters of a key. Longer pairs of texts are cached by their hash: two memories can have a megabyte. */
const maxKey = 1_000
const judgements = new WeakMap<Judge, Map<string, Relation>>()

/**
 * Asks the judge how an older memory relates to a newer one. Results are cached. If the judge throws, the relation is
 * `other`.
 */
export const judgeRelation = (judge: Judge, newer: Row, older: Row, score: number): Relation => {
  let cache = judgements.get(judge)
  if (cache === undefined || cache.size >= cacheSize) {
    cache = new Map()
    judgements.set(judge, cache)
  }
  const pair = `${newer.memory.type}\n${textOf(newer)}\n\n${older.memory.type}\n${textOf(older)}`
  const key = pair.length > maxKey ? sha256Hex(pair) : pair
  let relation = cache.get(key)
  if (relation !== undefined) return relation
  relation = judged(judge, newer, older, score)
  cache.set(key, relation)
  return relation
}

/** The similarity score that is passed to the judge for a pair found by the settler. */
const settlerScore = 0.6

/** The relation of a pair found by the settler; `other` without a judge. */
export const pairRelation = (judge: Judge | undefined, newer: Row, older: Row): Relation =>
  judge === undefined ? unrelated : judgeRelation(judge, newer, older, settlerScore)

/**
 * Makes a function that returns true if the judge is certain that the newer memory contradicts the older one. Without a
 * judge, the function always returns false.
 */
export const makeContradictionTest =
  (judge: Judge | undefined, { certain }: ReconcileSettings) =>
  (newer: Row, older: Row): boolean => {
    const { confidence, kind } = pairRelation(judge, newer, older)
    return kind === "contradicted" && confidence >= certain
  }

const unrelated: Relation = { kind: "other", confidence: 0 }

const judged = (judge: Judge, newer: Row, older: Row, score: number): Relation => {
  const statement = (row: Row, index: number) => {
    const { narrative: _, ...memory } = row.memory
    return statementOf(memory, index)
  }
  try {
    const judgement = judge({ statement: statement(newer, 1), candidates: [{ ...statement(older, 0), score }] })
    const { action } = judgement.verdict
    const kind = action === "DELETE" ? "contradicted" : action === "NONE" ? "same" : "other"
    return { kind, confidence: confidenceOf(judgement) }
  } catch {
    return unrelated
  }
}
