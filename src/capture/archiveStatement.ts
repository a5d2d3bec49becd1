import * as Either from "effect/Either"
import type { Memory } from "../../events/Memory.js"
import { isAtLeast, levelOf, type Store } from "../../events/Trust.js"
import { isStopWord } from "../../text/normalise/functionWords.js"
import { stemOf } from "../../text/normalise/stem.js"
import type { WeighedStatement } from "../actor/Advice.js"
import { type Command, ruleDecision } from "../actor/Command.js"
import { nextRevision } from "../model/nextRevision.js"
import type { ExtractedEnd } from "../ports/Extractor.js"
import { findSimilar } from "../remember/candidates.js"
import { findRepeat } from "../remember/levels.js"
import { candidatePolicy, questionOf } from "../remember/Reconciling.js"
import type { Writer } from "../remember/remember.js"

/**
 * Makes the command that archives the memory with a given statement. The command is refused if there is no such memory.
 */
export const archiveStatement = (
  { actor, level, extracted, reconciling }: Writer,
  store: Store,
  { title }: ExtractedEnd
): Command<void, void> => {
  const statement: WeighedStatement = { type: "discovery", title, facts: [], tags: [], people: [], store, level }
  return {
    actor,
    request: () => "",
    ...(reconciling === undefined ? {} : { statement }),
    decide: ({ advice, db, now }) => {
      const findStated = (): Memory | undefined => {
        const equal = findRepeat(db, statement, now)?.memory
        if (equal !== undefined || reconciling === undefined) return equal
        const candidates = findSimilar(
          db,
          statement,
          { vector: advice?.vector ?? null, now },
          candidatePolicy(reconciling)
        )
        if (candidates.length === 0) return undefined
        const stating = candidates.find(({ memory }) => states(memory.title, title))?.memory
        if (stating !== undefined) return stating
        const { verdict } = reconciling.reconciler.judge(questionOf(statement, now, candidates))
        return verdict.action === "NONE" || verdict.action === "UPDATE" ? candidates[verdict.target]?.memory : undefined
      }
      const memory = findStated()
      if (memory === undefined || !isAtLeast(level, levelOf(memory))) return Either.left(undefined)
      const memories = [nextRevision(memory, { status: "archived", updatedAt: now })]
      const decided = ruleDecision("ARCHIVE", "capture", "it is said to hold no more")
      const decision = extracted === undefined ? decided : { ...decided, extracted }
      return Either.right({ events: [{ type: "ARCHIVE", payload: { memories, decision } }] })
    },
    answer: () => undefined
  }
}

/**
 * Returns true if a title contains a statement: the title has all words of the statement, and both or neither are
 * negated.
 */
const states = (title: string, statement: string): boolean => {
  const [words, wanted] = [stemsOf(title), stemsOf(statement)]
  return (
    wanted.size >= minWords &&
    [...wanted].every((word) => words.has(word)) &&
    denying.test(title) === denying.test(statement)
  )
}
const minWords = 2
const denying = /\b(?:not|never|no|without|used to|former)\b|n't\b/iu

const stemsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !isStopWord(word)).map(stemOf))
