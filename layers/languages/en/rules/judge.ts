import type { Judgement, Question, Statement, Verdict } from "../../../../src/ports/Reconciler.js"
import { saysOtherwise } from "../settling/gaps.js"
import type { Features } from "./clauseFeatures.js"
import { type Compared, compare } from "./compare.js"
import { alike, decide, targetOf, unlike } from "./decide.js"
import type { Lexicon } from "./lexicon.js"
import { likelihoods } from "./model.js"

/** Least likelihood of a sure judgement: no model is asked then. */
const minSure = 0.9

type Ground = readonly [reason: string, holds: (value: (name: string) => number) => boolean]

/** The possible reasons of each action, the strongest first. */
const grounds: Readonly<Record<Verdict["action"], ReadonlyArray<Ground>>> = {
  ADD: [
    ["nothing in common", (of) => of("w both") === 0],
    ["asked, not stated", (of) => of("asked") === 1],
    ["in another language", (of) => of("foreign") === 1],
    ["said by others, not stated", (of) => of("says said") === 1],
    ["considered, not stated", (of) => of("says maybe") === 1],
    ["past, not stated", (of) => of("says once") === 1],
    ["one more beside it", (of) => of("says also") === 1],
    ["another number in its name", (of) => of("label other") > of("label same") || of("naming differs") === 1],
    ["under another title", (of) => of("titles differ") === 1],
    ["another subject", (of) => of("subjects differ") + of("person differs") > 0 || of("subject both") > 0],
    ["another attribute", (of) => of("attributes differ") === 1],
    ["another relation", (of) => of("r parted") === 1],
    ["another occasion", (of) => of("scope both") > 0],
    ["something else", () => true]
  ],
  UPDATE: [
    ["says it more exactly", (of) => of("s finer") > 0],
    ["adds detail", () => true]
  ],
  DELETE: [
    ["no longer so", (of) => of("says ended") > of("said ended")],
    ["opposite", (of) => of("sided") * of("turned") === 1],
    ["negated", (of) => of("turned") === 1],
    ["preference reversed", (of) => of("roles swapped") === 1],
    ["done since", (of) => of("said due") > of("says due")],
    ["another version", (of) => of("version differs") + of("s version") > 0],
    ["another day", (of) => of("day differs") + of("s day") > 0],
    ["another time", (of) => of("time differs") + of("s clock") > 0],
    ["another number", (of) => of("number differs") + of("s quantity") + of("s bare") > 0],
    ["replaced", (of) => of("former hit") === 1],
    ["another owner", (of) => of("another owner") === 1],
    ["changed", (of) => of("says changed") + of("elsewhere changed") + of("hint moved") > 0],
    ["corrected", (of) => of("says corrected") + of("hint turned") > 0],
    ["another value", () => true]
  ],
  NONE: [
    ["says the same", (of) => of("covered") > 0.99 && of("kept") > 0.99],
    ["says part of it", (of) => of("covered") > 0.99],
    ["says nothing new", () => true]
  ]
}

const groundOf = (action: Verdict["action"], features: Features): string =>
  grounds[action].find(([, holds]) => holds((name) => features[name] ?? 0))![0]

const olderReason = "said before it"
const unmatchedReason = "nothing like it says the same"
/** All reasons. They name a rule and never contain words of a memory. */
export const reasons: ReadonlyArray<string> = [
  ...Object.values(grounds).flatMap((all) => all.map(([reason]) => reason)),
  olderReason,
  unmatchedReason
]

/** Makes the judge for a lexicon. */
export const judgeIn = (name: string, lexicon: Lexicon): Judge => {
  const judge = (question: Question): Judgement => {
    const compared = compare(question, lexicon)
    const all = compared.map((one) => (one.same ? alike : one.apart ? unlike : (likelihoods(one) ?? unlike)))
    const target = targetOf(all)
    const by = { kind: "rule" as const, name }
    if (target === -1) return { verdict: { action: "ADD", reason: "nothing in common" }, by, sure: true }
    const { features, older } = compared[target] as Compared
    const likely = all[target]!
    const action = decide(likely, compared[target]!)
    if (action !== "ADD" && (action === "DELETE" || !isAboutSomethingElse(question, target, judge))) {
      const verdict = { action, target, reason: groundOf(action, features) } as Verdict
      return { verdict, by, sure: Math.max(...likely) >= minSure }
    }
    const ground = groundOf("ADD", features)
    const reason =
      older && Math.max(...likely) === likely[2]
        ? olderReason
        : all.length > 1 && ground === "something else"
          ? unmatchedReason
          : ground
    return { verdict: { action: "ADD", reason }, by, sure: likely[0] >= minSure }
  }
  return judge
}

/**
 * Whether a statement that seems to add little to a candidate is about something else: it gives another value in the
 * same words, or the two share only whole facts.
 */
const isAboutSomethingElse = ({ candidates, statement }: Question, target: number, judge: Judge): boolean => {
  const candidate = candidates[target]!
  if (saysOtherwise(textOf(statement), textOf(candidate))) return true
  const isShared = (fact: string): boolean => statement.facts.includes(fact) && candidate.facts.includes(fact)
  if (!statement.facts.some(isShared) || statement.title === candidate.title) return false
  const without = <A extends Statement>(one: A): A => ({ ...one, facts: one.facts.filter((fact) => !isShared(fact)) })
  return judge({ statement: without(statement), candidates: [without(candidate)] }).verdict.action === "ADD"
}

type Judge = (question: Question) => Judgement

const textOf = ({ facts, title }: Pick<Statement, "title" | "facts">): string => [title, ...facts].join("\n")
