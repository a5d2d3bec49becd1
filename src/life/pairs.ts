import type { Judgement, Question } from "../Reconciler.js"
import { wordSet } from "../reconcile/likeness.js"
import { statementOf } from "../reconcile/Reconciling.js"
import type { Row } from "./facts.js"

/** How the reconciler judges a statement against one that may concern the same; it never leaves the process. */
export type Judge = (question: Question) => Judgement

/** What an older memory is to one that was said after it, as a judge has it that looks at the two alone. */
export type Held = "contradicted" | "same" | "other"

/** When it was said last; what maintenance makes of it says nothing. */
export const saidAt = ({ memory }: Row): number => Math.max(memory.createdAt, memory.lastMentionedAt)

export const textOf = ({ memory }: Row): string => [memory.title, ...memory.facts].join("\n")

/** Whether two memories may be about the same: of one store and one type. */
export const isKin = ({ memory: a }: Row, { memory: b }: Row): boolean => a.store === b.store && a.type === b.type

/** Pairs of which the judgement is remembered: a judge is a pure function, and most pairs come up night after night. */
const mostKnown = 20_000
const known = new WeakMap<Judge, Map<string, Held>>()

/** Holds a memory against one that was said before it. */
export const heldAgainst = (judge: Judge, newer: Row, older: Row, score: number): Held => {
  let answers = known.get(judge)
  if (answers === undefined || answers.size >= mostKnown) {
    answers = new Map()
    known.set(judge, answers)
  }
  const key = `${newer.memory.type}\n${textOf(newer)}\n\n${older.memory.type}\n${textOf(older)}`
  let held = answers.get(key)
  if (held !== undefined) return held
  held = judged(judge, newer, older, score)
  answers.set(key, held)
  return held
}

const judged = (judge: Judge, newer: Row, older: Row, score: number): Held => {
  const statement = (row: Row, at: number) => {
    const { narrative: _, ...memory } = row.memory
    return statementOf(memory, at)
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

/** What only says that something changed: two changes are not alike by that. */
const changing = new Set(["now", "longer", "currently", "anymore", "instead", "still", "nowadays"])

const ownWords = (row: Row): ReadonlySet<string> => {
  const text = textOf(row)
  const before = taken.get(text)
  if (before !== undefined) return before
  if (taken.size >= mostKnown) taken.clear()
  const words = new Set([...wordSet(text.replace(/[’']s(?![\p{L}\p{N}])/gu, ""))].filter((word) => !changing.has(word)))
  taken.set(text, words)
  return words
}

/** The words of texts: most come up night after night. */
const taken = new Map<string, ReadonlySet<string>>()

/** Words of more rows than these are common. */
const common = { rows: 8, share: 0.04 }

/** The words of memories, and how much each of them tells: what few of them say tells more. */
export const wordsOf = (rows: ReadonlyArray<Row>) => {
  const places = new Map<string, Array<Row>>()
  for (const row of rows) {
    for (const word of ownWords(row)) {
      const known = places.get(word)
      if (known === undefined) places.set(word, [row])
      else known.push(row)
    }
  }
  const weight = (word: string): number => Math.log(1 + rows.length / (places.get(word)?.length ?? 1))
  return {
    of: ownWords,
    /** Whether so many say a word that it is no value of anything. */
    isCommon: (word: string): boolean => {
      const count = places.get(word)?.length ?? 0
      return count > common.rows && count > common.share * rows.length
    },
    /** Memories that share words with one, and how many. */
    sharing: (row: Row): ReadonlyMap<Row, number> => {
      const found = new Map<Row, number>()
      for (const word of ownWords(row)) {
        for (const other of places.get(word) ?? []) found.set(other, (found.get(other) ?? 0) + 1)
      }
      return found
    },
    /** How much of two is the same by what tells: 0…1. */
    telling: (a: Row, b: Row): number => {
      const [first, second] = [ownWords(a), ownWords(b)]
      let [shared, ofFirst, ofSecond] = [0, 0, 0]
      for (const word of first) {
        ofFirst += weight(word)
        if (second.has(word)) shared += weight(word)
      }
      for (const word of second) ofSecond += weight(word)
      return ofFirst === 0 || ofSecond === 0 ? 0 : shared / Math.sqrt(ofFirst * ofSecond)
    }
  }
}
