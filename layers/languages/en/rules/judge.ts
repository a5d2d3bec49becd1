import type { Judgement, Question, Statement, Verdict } from "../../../../src/ports/Reconciler.js"
import { statesOtherValue } from "../settling/gaps.js"
import { contradictionConfidence } from "./certainty.js"
import type { Features } from "./clauseFeatures.js"
import { type ComparedMemory, compareWithCandidates } from "./compare.js"
import { decide, indexOfTarget, likelihoodsIfEqual, likelihoodsIfUnrelated } from "./decide.js"
import { actionLikelihoods } from "./model.js"
import { parseStatement } from "./parse.js"

/** Minimum likelihood of a sure judgement. No language model is asked about a sure judgement. */
const minSure = 0.9

type Ground = readonly [reason: string, holds: (value: (name: string) => number) => boolean]

/** The possible reasons for each action, the strongest first. */
const grounds: Readonly<Record<Verdict["action"], ReadonlyArray<Ground>>> = {
  ADD: [
    ["nothing in common", (feature) => feature("w both") === 0],
    ["asked, not stated", (feature) => feature("asked") === 1],
    ["in another language", (feature) => feature("foreign") === 1],
    ["said by others, not stated", (feature) => feature("says said") === 1],
    ["considered, not stated", (feature) => feature("says maybe") === 1],
    ["past, not stated", (feature) => feature("says once") === 1],
    ["one more beside it", (feature) => feature("says also") === 1],
    [
      "another number in its name",
      (feature) => feature("label other") > feature("label same") || feature("naming differs") === 1
    ],
    ["says more", (feature) => feature("stronger") === 1],
    ["under another title", (feature) => feature("titles differ") === 1],
    [
      "another subject",
      (feature) => feature("subjects differ") + feature("person differs") > 0 || feature("subject both") > 0
    ],
    ["another attribute", (feature) => feature("attributes differ") === 1],
    ["another relation", (feature) => feature("r parted") === 1],
    ["another occasion", (feature) => feature("scope both") > 0],
    ["something else", () => true]
  ],
  UPDATE: [
    ["says it more exactly", (feature) => feature("s finer") > 0],
    ["adds detail", () => true]
  ],
  DELETE: [
    ["no longer so", (feature) => feature("says ended") > feature("said ended")],
    ["opposite", (feature) => feature("sided") * feature("turned") === 1],
    ["negated", (feature) => feature("turned") === 1],
    ["preference reversed", (feature) => feature("roles swapped") === 1],
    ["done since", (feature) => feature("said due") > feature("says due")],
    ["another version", (feature) => feature("version differs") + feature("s version") > 0],
    ["another day", (feature) => feature("day differs") + feature("s day") > 0],
    ["another time", (feature) => feature("time differs") + feature("s clock") > 0],
    ["another number", (feature) => feature("number differs") + feature("s quantity") + feature("s bare") > 0],
    ["replaced", (feature) => feature("former hit") === 1],
    ["another owner", (feature) => feature("another owner") === 1],
    ["changed", (feature) => feature("says changed") + feature("elsewhere changed") + feature("hint moved") > 0],
    ["corrected", (feature) => feature("says corrected") + feature("hint corrects") > 0],
    ["another value", () => true]
  ],
  NONE: [
    ["says the same", (feature) => feature("covered") > 0.99 && feature("kept") > 0.99],
    ["says part of it", (feature) => feature("covered") > 0.99],
    ["says nothing new", () => true]
  ]
}

const groundOf = (action: Verdict["action"], features: Features): string =>
  grounds[action].find(([, holds]) => holds((name) => features[name] ?? 0))![0]

const olderReason = "said before it"
const unmatchedReason = "nothing like it says the same"
/** All reasons. A reason names a rule and never contains words of a memory. */
export const reasons: ReadonlyArray<string> = [
  ...Object.values(grounds).flatMap((rules) => rules.map(([reason]) => reason)),
  olderReason,
  unmatchedReason
]

/** Creates the judge. Its judgements are recorded with `name`. */
export const createEnglishJudge = (name: string): Judge => {
  const judge = (question: Question): Judgement => {
    const compared = compareWithCandidates(question)
    const allLikelihoods = compared.map((candidate) =>
      candidate.same
        ? likelihoodsIfEqual
        : candidate.isTooDistant
          ? likelihoodsIfUnrelated
          : (actionLikelihoods(candidate) ?? likelihoodsIfUnrelated)
    )
    const target = indexOfTarget(allLikelihoods)
    const by = { kind: "rule" as const, name }
    if (target === -1) return { verdict: { action: "ADD", reason: "nothing in common" }, by, sure: true }
    const { features, older } = compared[target] as ComparedMemory
    const targetLikelihoods = allLikelihoods[target]!
    const action = decide(targetLikelihoods, compared[target]!)
    if (action !== "ADD" && (action === "DELETE" || !isAboutSomethingElse(question, target, judge))) {
      const verdict = { action, target, reason: groundOf(action, features) } as Verdict
      const sure = Math.max(...targetLikelihoods) >= minSure
      if (action !== "DELETE") return { verdict, by, sure }
      const confidence = contradictionConfidence(
        allLikelihoods,
        target,
        parseStatement(question.statement).claim,
        features
      )
      return { verdict, by, sure, confidence }
    }
    const ground = groundOf("ADD", features)
    const reason =
      older && Math.max(...targetLikelihoods) === targetLikelihoods[2]
        ? olderReason
        : allLikelihoods.length > 1 && ground === "something else"
          ? unmatchedReason
          : ground
    return { verdict: { action: "ADD", reason }, by, sure: targetLikelihoods[0] >= minSure }
  }
  return judge
}

/**
 * True if a statement that seems to add little to a candidate is about something else: it gives another value in the
 * same words, or the two texts have only complete facts in common.
 */
const isAboutSomethingElse = ({ candidates, statement }: Question, target: number, judge: Judge): boolean => {
  const candidate = candidates[target]!
  if (statesOtherValue(textOf(statement), textOf(candidate))) return true
  const isShared = (fact: string): boolean => statement.facts.includes(fact) && candidate.facts.includes(fact)
  if (!statement.facts.some(isShared) || statement.title === candidate.title) return false
  const withoutShared = <A extends Statement>(original: A): A => ({
    ...original,
    facts: original.facts.filter((fact) => !isShared(fact))
  })
  return judge({ statement: withoutShared(statement), candidates: [withoutShared(candidate)] }).verdict.action === "ADD"
}

type Judge = (question: Question) => Judgement

const textOf = ({ facts, title }: Pick<Statement, "title" | "facts">): string => [title, ...facts].join("\n")
