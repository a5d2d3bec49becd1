import { isDeepStrictEqual } from "node:util"
import type { Dispute, Memory } from "../../events/Memory.js"
import type { Judgement, Question, Statement, Verdict } from "../ports/Reconciler.js"
import { statementOf } from "../remember/Reconciling.js"
import type { Mutation } from "./diff.js"

/** The texts of a statement. A recorded answer is reused if these texts are equal; times and scores may differ. */
const textsOf = ({ facts, narrative, people, tags, title, type }: Statement) => [
  type,
  title,
  narrative ?? null,
  facts,
  tags,
  people
]

/** The key of a question's answer: its texts. */
export const keyOf = ({ candidates, statement }: Question): string =>
  JSON.stringify([statement, ...candidates].map(textsOf))

/**
 * Finds a model's recorded answer to this question. Returns undefined if the event was decided on other texts, or on
 * texts in another order. `liveNow` returns a memory as it was in the log just before the event.
 */
export const recordedAnswer = (
  { payload }: Mutation,
  question: Question,
  liveNow: (id: string) => Memory | undefined
): Judgement | undefined => {
  const { by, candidates, confidence, fallback, reason } = payload.decision
  if (by.kind !== "model" || fallback !== undefined || candidates.length !== question.candidates.length)
    return undefined
  const isSameQuestion = candidates.every(({ id, revision }, index) => {
    const memory = liveNow(id)
    return (
      memory?.revision === revision &&
      isDeepStrictEqual(textsOf(statementOf(memory, 0)), textsOf(question.candidates[index]!))
    )
  })
  const verdict = isSameQuestion ? verdictOf(payload, reason) : undefined
  if (verdict === undefined) return undefined
  const isUnsure = disputeIn(payload)?.ground === "unsure"
  return { verdict, by, sure: !isUnsure, ...(confidence === undefined ? {} : { confidence }) }
}

/** The dispute that a decision raised instead of retiring a memory. */
const disputeIn = (payload: Mutation["payload"]): Dispute | undefined => {
  const added = ("replacement" in payload ? payload.replacement : undefined) ?? payload.memory
  return payload.decision.action === "DISPUTE" ? added.disputes?.[0] : undefined
}

const verdictOf = (payload: Mutation["payload"], reason: string): Verdict | undefined => {
  const { decision, memory } = payload
  if (decision.action === "ADD") return { action: "ADD", reason }
  const targetId = disputeIn(payload)?.id ?? memory.id
  const target = decision.candidates.findIndex(({ id }) => id === targetId)
  if (target < 0) return undefined
  switch (decision.action) {
    case "NONE":
      return { action: "NONE", target, reason }
    case "DISPUTE":
    case "DELETE":
      return { action: "DELETE", target, reason }
    case "UPDATE": {
      // The merged texts, whether the model or `mergeStatements` wrote them.
      const { facts, narrative = "", tags, title } = memory
      return { action: "UPDATE", target, merged: { title, narrative, facts, tags }, reason }
    }
    default:
      return undefined
  }
}
