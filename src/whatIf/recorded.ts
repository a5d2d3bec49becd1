import { isDeepStrictEqual } from "node:util"
import type { Memory } from "../../events/Memory.js"
import type { Judgement, Question, Statement, Verdict } from "../ports/Reconciler.js"
import { statementOf } from "../remember/Reconciling.js"
import type { Mutation } from "./diff.js"

/** What the answer of a model says of memories is what it says whenever it is asked; when they happened, and how like they are, is not. */
const said = ({ facts, narrative, people, tags, title, type }: Statement) => [
  type,
  title,
  narrative ?? null,
  facts,
  tags,
  people
]

/** A question by its texts, for looking answers up. */
export const keyOf = ({ candidates, statement }: Question): string =>
  JSON.stringify([statement, ...candidates].map(said))

/**
 * The answer that a model gave when an event was decided, where it answers this
 * question: the same texts in the same order. `liveNow` tells what a memory was
 * in the log just before the event.
 */
export const recordedAnswer = (
  { payload }: Mutation,
  question: Question,
  liveNow: (id: string) => Memory | undefined
): Judgement | undefined => {
  const { by, candidates, fallback, reason } = payload.decision
  if (by.kind !== "model" || fallback !== undefined || candidates.length !== question.candidates.length)
    return undefined
  const same = candidates.every(({ id, revision }, at) => {
    const memory = liveNow(id)
    return (
      memory?.revision === revision && isDeepStrictEqual(said(statementOf(memory, 0)), said(question.candidates[at]!))
    )
  })
  const verdict = same ? verdictOf(payload, reason) : undefined
  return verdict === undefined ? undefined : { verdict, by, sure: true }
}

const verdictOf = ({ decision, memory }: Mutation["payload"], reason: string): Verdict | undefined => {
  if (decision.action === "ADD") return { action: "ADD", reason }
  const target = decision.candidates.findIndex(({ id }) => id === memory.id)
  if (target < 0) return undefined
  switch (decision.action) {
    case "NONE":
      return { action: "NONE", target, reason }
    case "DELETE":
      return { action: "DELETE", target, reason }
    case "UPDATE": {
      // What came of it, however much of that the model said itself.
      const { facts, narrative = "", tags, title } = memory
      return { action: "UPDATE", target, merged: { title, narrative, facts, tags }, reason }
    }
    default:
      return undefined
  }
}
