import type { Judgement, Question, Statement, Verdict } from "../../src/Reconciler.js"
import type { Clause } from "./Clause.js"
import { clausesOf } from "./clauses.js"
import { compare, type Finding } from "./compare.js"
import type { Context } from "./differences.js"
import type { Lexicon } from "./lexicon.js"

/** A statement as far as it was read. */
interface Reading {
  readonly title: ReadonlyArray<Clause>
  readonly facts: ReadonlyArray<Clause>
  readonly narrative: ReadonlyArray<Clause>
  readonly context: Context
}

const nothing: Context = new Set()

const read = (statement: Statement, lexicon: Lexicon): Reading => {
  const { at } = statement
  const title = clausesOf(statement.title, lexicon, at, 4, looked.title)
  const facts: Array<Clause> = []
  let left = looked.facts
  for (const fact of statement.facts) {
    if (left <= 0 || facts.length >= mostFacts) break
    facts.push(...clausesOf(fact, lexicon, at, 2, left))
    left -= fact.length
  }
  const narrative = clausesOf(statement.narrative ?? "", lexicon, at, 8, looked.narrative)
  const context = new Set<string>()
  for (const { words } of title)
    for (const [canon, { item, place }] of words)
      if (place !== "reason" && place !== "former" && item.entry?.generic !== true) context.add(canon)
  return { title, facts, narrative, context }
}
const mostFacts = 16
/** Characters that are read. */
const looked = { title: 500, facts: 2_000, narrative: 1_500 }

/** What is to become of a candidate, and how certainly. */
interface Outcome {
  readonly action: Verdict["action"]
  readonly rule: string
  readonly strength: number
  readonly sure: boolean
}

const weigh = (memory: Reading, stated: Reading, lexicon: Lexicon): Outcome => {
  const best = (clause: Clause, under: Context): Finding => {
    let found: Finding = { kind: "other", rule: "something else", strength: -1, sure: true }
    const look = (clauses: ReadonlyArray<Clause>, context: Context, weight: number) => {
      for (const [place, mine] of clauses.entries()) {
        const finding = compare(mine, clause, place === 0 ? context : memory.context, under, lexicon)
        const strength = finding.strength * weight + (finding.kind === "same" || finding.kind === "within" ? 0.01 : 0)
        if (strength > found.strength) found = { ...finding, strength }
      }
    }
    look(memory.title, nothing, 1)
    look(memory.facts, memory.context, 0.95)
    look(memory.narrative, memory.context, 0.85)
    return found
  }
  const titles = stated.title.map((clause, place) => best(clause, place === 0 ? nothing : stated.context))
  const facts = stated.facts.map((clause) => best(clause, stated.context))
  const narrative = stated.narrative.map((clause) => best(clause, stated.context))
  const related = titles.some(({ kind }) => kind !== "other")
  const against = [...titles, ...facts, ...narrative.filter(({ sure }) => sure && related)].filter(
    ({ kind }) => kind === "contradicts"
  )
  if (against.length > 0) {
    const worst = against.reduce((worst, finding) => (finding.strength > worst.strength ? finding : worst))
    return { action: "DELETE", rule: worst.rule, strength: worst.strength, sure: worst.sure }
  }
  const all = [...titles, ...facts, ...narrative]
  const said = all.filter(({ kind }) => kind === "same" || kind === "within").length
  const strength = titles.reduce((sum, finding) => sum + Math.max(0, finding.strength), 0) / Math.max(1, titles.length)
  if (said === all.length && all.length > 0) {
    const rule = titles[0]?.rule ?? "says the same"
    return { action: "NONE", rule, strength, sure: all.every(({ sure }) => sure) }
  }
  const about = titles.some(({ kind }) => kind === "same" || kind === "within" || kind === "refines")
  if (about) {
    const rule = titles.find(({ kind }) => kind === "refines")?.rule ?? "adds detail"
    return { action: "UPDATE", rule, strength: strength * 0.98, sure: titles.every(({ sure }) => sure) }
  }
  const nearest = titles[0] ?? { rule: "something else", sure: true }
  return { action: "ADD", rule: nearest.rule, strength: 0, sure: titles.every(({ sure }) => sure) }
}

/** The judge of one language. */
export const judgeIn =
  (name: string, lexicon: Lexicon) =>
  ({ candidates, statement }: Question): Judgement => {
    const stated = read(statement, lexicon)
    const memories = candidates.slice(0, mostCandidates).map((candidate) => read(candidate, lexicon))
    const outcomes = memories.map((memory) => weigh(memory, stated, lexicon))
    const target = choose(outcomes, likenesses(stated, memories))
    const by = { kind: "rule" as const, name }
    if (target === -1) {
      const sure = outcomes.every((outcome) => outcome.sure)
      const reason = outcomes.length === 1 ? outcomes[0]!.rule : "nothing like it says the same"
      return { verdict: { action: "ADD", reason }, by, sure }
    }
    const { action, rule, sure } = outcomes[target]!
    return { verdict: { action, target, reason: rule } as Verdict, by, sure }
  }
const mostCandidates = 20

/** 0…1: how much of the statement's words each memory has; a word of fewer memories tells more. */
const likenesses = (stated: Reading, memories: ReadonlyArray<Reading>): ReadonlyArray<number> => {
  const bags = memories.map(bagOf)
  const weights = [...bagOf(stated)].map((word) => {
    const having = bags.filter((bag) => bag.has(word)).length
    return [word, having === 0 ? 0 : 1 / having] as const
  })
  const all = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return bags.map(
    (bag) => weights.reduce((sum, [word, weight]) => sum + (bag.has(word) ? weight : 0), 0) / Math.max(1, all)
  )
}

const bagOf = ({ facts, narrative, title }: Reading): ReadonlySet<string> => {
  const bag = new Set<string>()
  for (const { naming, scalars, words } of [...title, ...facts, ...narrative]) {
    for (const canon of words.keys()) bag.add(canon)
    for (const scalar of [...naming, ...scalars]) bag.add(Object.values(scalar).join(" "))
  }
  return bag
}

/** The likest of those that something is to become of; a tie goes to the first. */
const choose = (outcomes: ReadonlyArray<Outcome>, likeness: ReadonlyArray<number>): number => {
  let best = -1
  let most = 0
  for (const [at, { action, strength }] of outcomes.entries()) {
    if (action === "ADD") continue
    const weight = strength + likeness[at]! + (action === "DELETE" ? preferred : 0)
    if (best !== -1 && weight <= most) continue
    best = at
    most = weight
  }
  return best
}
/** What a contradiction counts for more than a likeness: a memory that is no longer true does harm. */
const preferred = 0.15
