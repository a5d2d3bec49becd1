import type { Judge } from "../ports/Reconciler.js"
import { statementOf } from "../remember/Reconciling.js"
import type { Row } from "./facts.js"

/** What an older memory is to one that was said after it, as a judge has it that looks at the two alone. */
export type Held = "contradicted" | "same" | "other"

/** When it was said last; what maintenance makes of it says nothing. */
export const saidAt = ({ memory }: Row): number => Math.max(memory.createdAt, memory.lastMentionedAt)

export const textOf = ({ memory }: Row): string => [memory.title, ...memory.facts].join("\n")

/** Two memories may be about the same where they are of one store and one type. */
export const kinOf = ({ memory: { store, type } }: Row): string => `${store}\n${type}`

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
