import type { Judgement, Question, Statement, Verdict } from "../../../src/ports/Reconciler.js"
import type { Claim } from "./Claim.js"
import { compareClaims, type Relation } from "./compareClaims.js"
import type { LanguageWords } from "./LanguageWords.js"
import { type Lexicon, lexiconOf } from "./lexicon.js"
import { readClaim } from "./readClaim.js"

/** Maximum candidates that are compared. */
const maxCandidates = 20
/** Ranks of actions. If a statement repeats two candidates equally, the candidate with the higher rank is the target. */
const ranks = { NONE: 3, DELETE: 2, UPDATE: 1, ADD: 0 }
/** Minimum confidence of a sure judgement. */
const minSure = 0.9

/**
 * Creates the judge for statements of one language. The word lists of the language are indexed on first use.
 * `isForeign` returns true for a candidate in another language; such a candidate is only compared for equality.
 */
export const makeClaimJudge = (words: LanguageWords, name: string) => {
  let lexicon: Lexicon | undefined
  const claimOf = (statement: Statement): Claim => {
    lexicon ??= lexiconOf(words)
    return readClaim(statement, lexicon)
  }
  return ({ candidates, statement }: Question, isForeign: (candidate: Statement) => boolean): Judgement => {
    const [claim, text] = [claimOf(statement), textOf(statement)]
    const relations = candidates.slice(0, maxCandidates).map((candidate): Relation => {
      if (textOf(candidate) === text) return { action: "NONE", reason: "says the same", confidence: 1, shared: 1 }
      const relation = compareClaims(claimOf(candidate), claim)
      if (relation.reason === "says the same") return relation
      if (isForeign(candidate)) return { ...relation, action: "ADD", reason: "in another language" }
      const older = statement.at < candidate.at && relation.action === "DELETE"
      return older ? { ...relation, action: "ADD", reason: "said before it" } : relation
    })
    let target = 0
    for (const [index, relation] of relations.entries()) if (isBetter(relation, relations[target]!)) target = index
    const { action, confidence, reason } = relations[target] ?? {
      action: "ADD",
      reason: "something else",
      confidence: 0
    }
    const by = { kind: "rule" as const, name }
    const verdict = (action === "ADD" ? { action, reason } : { action, target, reason }) as Verdict
    if (action === "DELETE") return { verdict, by, sure: confidence >= minSure, confidence }
    return { verdict, by, sure: reason === "says the same" }
  }
}

const textOf = ({ facts, narrative = "", title }: Statement): string => [title, narrative, ...facts].join("\n").trim()

const isBetter = (a: Relation, b: Relation): boolean => {
  if (a.action === "ADD" || b.action === "ADD") return a.action !== "ADD" || (b.action === "ADD" && a.shared > b.shared)
  return a.shared > b.shared || (a.shared === b.shared && ranks[a.action] > ranks[b.action])
}
