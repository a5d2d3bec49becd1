import { align, cosineSimilarity, type Token, wordTableIfPresent } from "./align.js"
import type { Word } from "./Clause.js"
import { compareClauses } from "./differences.js"
import { english } from "./english.js"
import { relations } from "./englishRelations.js"
import type { Cue } from "./Language.js"
import {
  type ChangeSimilarity,
  type ClausePair,
  findBestClausePair,
  type Reading,
  totalWeight
} from "./readStatement.js"

/** Features of a memory and a statement, by name. */
export type Features = Record<string, number>

/** The cues with a feature. Negation has separate features, and "over" counts as ended. */
const cues = Object.keys(english.cues).filter((cue) => cue !== "not" && cue !== "over") as ReadonlyArray<Cue>
const sides = ["subject", "attribute", "value", "scope", "former", "aside"] as const
const types = ["event", "config", "preference", "person", "decision", "technical", "discovery", "task", "conversation"]

export const flag = (value: boolean): number => (value ? 1 : 0)
const share = (part: number, whole: number): number => part / Math.max(0.01, whole)

/**
 * Features of the words of the two most similar clauses: which words correspond, and the roles of words without a
 * counterpart.
 */
const wordFeatures = ({ a, b, score }: ClausePair, news: ChangeSimilarity): Features => {
  const table = wordTableIfPresent()
  const { left, pairs, right } = align(a, b, table)
  const weightOfSide = (side: "a" | "b") =>
    totalWeight(pairs.map((pair) => ({ weight: pair[side].weight * pair.likeness }))) /
    Math.max(0.01, totalWeight(side === "a" ? a.tokens : b.tokens))
  const paired = (keep: (pair: (typeof pairs)[number]) => boolean) =>
    Math.min(totalWeight(pairs.filter(keep).map(({ b }) => b)), 2)
  const similarNamePairs = pairs.filter(({ a, b, match }) => match === "near" && (a.name || b.name))
  const f: Features = {
    lead: score,
    "soft covered": weightOfSide("b"),
    "soft kept": weightOfSide("a"),
    kindred: paired(({ match }) => match === "kindred"),
    near: paired(({ match }) => match === "near"),
    "near names": Math.min(similarNamePairs.length, 2),
    "near names subject": Math.min(similarNamePairs.filter(({ a }) => a.side === "subject").length, 2),
    "value to subject": paired(({ a, b }) => a.side === "value" && b.side === "subject"),
    "subject to value": paired(({ a, b }) => a.side === "subject" && b.side === "value")
  }
  for (const side of sides) {
    const l = left.filter((token) => token.side === side)
    const r = right.filter((token) => token.side === side)
    const sidePairs = pairs.filter((pair) => pair.match !== "near" && (pair.a.side === side || pair.b.side === side))
    f[`${side} missing`] = Math.min(totalWeight(l), 3)
    f[`${side} extra`] = Math.min(totalWeight(r), 3)
    f[`${side} both`] = Math.min(totalWeight(l), totalWeight(r), 2)
    f[`${side} names missing`] = Math.min(l.filter(({ name }) => name).length, 3)
    f[`${side} names extra`] = Math.min(r.filter(({ name }) => name).length, 3)
    f[`${side} shared`] = Math.min(totalWeight(sidePairs.map(({ b }) => b)), 3)
    f[`${side} near`] = Math.min(pairs.filter(({ b, match }) => match === "near" && b.side === side).length, 2)
    f[`${side} related`] = nearest(l, r)
  }
  for (const [name, near] of Object.entries(news))
    f[`news ${name}`] = Math.max(0, ...right.map(({ canon }) => near.get(canon) ?? 0))
  const formerWords = b.tokens.filter(({ side }) => side === "former").map(({ canon }) => canon)
  f["former hit"] = flag(a.tokens.some(({ canon, side }) => side !== "subject" && formerWords.includes(canon)))
  f["roles swapped"] = flag(
    pairs.some(({ a, b }) => a.side === "former" && b.side !== "former") &&
      pairs.some(({ a, b }) => a.side !== "former" && b.side === "former")
  )
  f["former told"] = flag(formerWords.length > 0)
  f["former back"] = flag(pairs.some(({ a, b }) => a.side === "former" && b.side !== "former"))
  return f
}

/** True if all words are names of people. */
const areNames = (words: ReadonlyArray<Word>): boolean =>
  words.length > 0 && words.every(({ item }) => item.capital === true && item.entry === undefined)

/** The highest cosine between a word of one side and a word of the other. */
const nearest = (tokens: Iterable<Token>, others: Iterable<Token>): number => {
  const table = wordTableIfPresent()
  let maximum = 0
  for (const x of tokens) for (const y of others) maximum = Math.max(maximum, cosineSimilarity(table, x.row, y.row))
  return maximum
}

/** Other features of the two most similar clauses: numbers, days, negation, relations, cues. */
const clausePairFeatures = ({ a: memory, b: statement }: ClausePair, reading: Reading): Features => {
  const [{ clause: a }, { clause: b, from }] = [memory, statement]
  const d = compareClauses(memory, statement)
  const valued = relations[a.relation]?.valueCount
  const oneValue =
    d.valueMissing.length > 0 && d.valueExtra.length > 0 ? d.differs.length === 0 : d.differs.length === 1
  const isPlainPair =
    d.differentSubject === undefined &&
    oneValue &&
    a.negative === b.negative &&
    d.subjectMissing.length + d.subjectExtra.length === 0 &&
    d.scopeMissing.length * d.scopeExtra.length === 0 &&
    Math.max(d.missing.length, d.extra.length) <= 2
  const isSingleValued =
    (valued === "one" && d.sameRelation) || d.attributeShared || (a.keyed !== "no" && b.keyed !== "no")
  const f: Features = {
    "one value differs": flag(isPlainPair),
    "one of one differs": flag(isPlainPair && isSingleValued && !b.cues.has("also")),
    apart: flag(d.differentSubject !== undefined),
    "number equal": Math.min(d.equal, 3),
    "number differs": Math.min(d.differs.length, 2),
    "day differs": flag(d.differs.includes("day")),
    "time differs": flag(d.differs.includes("time")),
    "version differs": flag(d.differs.includes("version")),
    "number finer": Math.min(d.finer, 2),
    "number coarser": Math.min(d.coarser, 2),
    "number missing": Math.min(d.scalarMissing, 2),
    "number extra": Math.min(d.scalarExtra, 2),
    "naming differs": flag(d.differentSubject === "another number in its name"),
    "titles differ": flag(d.differentSubject === "under another title"),
    "attributes differ": flag(d.differentSubject === "another attribute"),
    "subjects differ": flag(d.differentSubject === "another subject"),
    "person differs": flag(d.differentSubject === "another person"),
    "kinds conflict": flag(d.kindsConflict),
    conflicts: d.conflicts,
    steady: flag(d.steady),
    sided: flag(d.hasOpposites),
    turned: flag(d.turned),
    stronger: flag(d.stronger),
    told: flag(d.sameSubjectKind),
    "another owner": flag(
      a.relation === b.relation &&
        relations[a.relation]?.inverse === true &&
        d.contentShared > 0 &&
        areNames(d.missing) &&
        areNames(d.extra) &&
        !(a.indefinite && b.indefinite)
    ),
    question: flag(b.question),
    "negative a": flag(a.negative),
    "negative b": flag(b.negative),
    "event a": flag(a.event),
    "event b": flag(b.event),
    "past a": flag(a.past),
    "past b": flag(b.past),
    "relation same": flag(d.sameRelation && a.relation !== ""),
    "relation none": flag(a.relation === "" || b.relation === ""),
    "valued one": flag(valued === "one"),
    "valued many": flag(valued === "many"),
    "valued scoped": flag(valued === "scoped"),
    inverse: flag(relations[a.relation]?.inverse === true),
    "keyed a": flag(a.keyed !== "no"),
    "keyed b": flag(b.keyed !== "no"),
    "verbless a": flag(a.verbless),
    "verbless b": flag(b.verbless),
    indefinite: flag(a.indefinite && b.indefinite),
    fact: flag(from === "fact"),
    narrative: flag(from === "narrative")
  }
  for (const cue of cues) {
    f[`says ${cue}`] = flag(b.cues.has(cue))
    f[`said ${cue}`] = flag(a.cues.has(cue))
    f[`elsewhere ${cue}`] = flag(reading.units.some(({ clause }) => clause !== b && clause.cues.has(cue)))
  }
  return f
}

/** The maximum number of words of one side that are compared with the other side. */
const maxCompared = 20

/** Features of all clauses together. */
const wholeTextFeatures = (memory: Reading, statement: Reading): Features => {
  const table = wordTableIfPresent()
  const memoryTokens = [...memory.words.values()]
  const statementTokens = [...statement.words.values()]
  const onlyMemory = memoryTokens.filter(({ canon }) => !statement.words.has(canon))
  const onlyStatement = statementTokens.filter(({ canon }) => !memory.words.has(canon))
  const common = statementTokens.filter(({ canon }) => memory.words.has(canon))
  const names = (tokens: ReadonlyArray<Token>) => Math.min(tokens.filter(({ name }) => name).length, 3)
  const weightWithoutNames = (tokens: ReadonlyArray<Token>) => totalWeight(tokens.filter(({ name }) => !name))
  const absentFrom = (tokens: ReadonlyArray<Token>, others: ReadonlyArray<Token>) =>
    totalWeight(
      tokens.slice(0, maxCompared).map(({ row, weight }) => {
        let maximum = 0
        for (const other of others) maximum = Math.max(maximum, cosineSimilarity(table, row, other.row))
        return { weight: weight * (1 - maximum) }
      })
    )
  const [novelA, novelB] = [
    absentFrom(onlyMemory, statementTokens.slice(0, maxCompared)),
    absentFrom(onlyStatement, memoryTokens.slice(0, maxCompared))
  ]
  const numbers = [...statement.numbers].filter((number) => memory.numbers.has(number)).length
  const [numbersGone, numbersNew] = [memory.numbers.size - numbers, statement.numbers.size - numbers]
  const no = ({ units }: Reading) => units.some(({ clause }) => clause.negative)
  return {
    covered: share(totalWeight(common) + numbers, totalWeight(statementTokens) + statement.numbers.size),
    kept: share(
      totalWeight(memoryTokens) - totalWeight(onlyMemory) + numbers,
      totalWeight(memoryTokens) + memory.numbers.size
    ),
    extra: Math.min(totalWeight(onlyStatement), 4),
    missing: Math.min(totalWeight(onlyMemory), 4),
    "novel b": Math.min(novelB, 5),
    "novel a": Math.min(novelA, 5),
    "novel b share": share(novelB, totalWeight(statementTokens) + 0.3),
    "novel a share": share(novelA, totalWeight(memoryTokens) + 0.3),
    "names new": names(onlyStatement),
    "names gone": names(onlyMemory),
    "names kept": names(common),
    "names swapped": Math.min(names(onlyStatement), names(onlyMemory)),
    "words swapped": Math.min(weightWithoutNames(onlyStatement), weightWithoutNames(onlyMemory), 3),
    "heaviest kept": Math.max(0, ...common.map(({ weight }) => weight)),
    across: nearest(onlyMemory.slice(0, maxCompared), onlyStatement.slice(0, maxCompared)),
    "numbers kept": Math.min(numbers, 3),
    "numbers new": Math.min(numbersNew, 3),
    "numbers gone": Math.min(numbersGone, 3),
    "numbers swapped": Math.min(numbersNew, numbersGone, 3),
    "any no a": flag(no(memory)),
    "any no b": flag(no(statement)),
    "no flips": flag(no(memory) !== no(statement)),
    "type same": flag(memory.type === statement.type),
    "memory event": flag(memory.type === "event"),
    ...Object.fromEntries(types.map((type) => [`type ${type}`, flag(statement.type === type)])),
    "units a": Math.min(memory.units.length, 6),
    "units b": Math.min(statement.units.length, 6),
    length: Math.min(totalWeight(statementTokens), 12),
    longer: Math.max(
      -1.5,
      Math.min(1.5, Math.log((totalWeight(statementTokens) + 0.5) / (totalWeight(memoryTokens) + 0.5)))
    )
  }
}

/** Features of a memory and a statement, by their two most similar clauses and by all. None without clauses. */
export const readingFeatures = (
  memory: Reading,
  statement: Reading,
  news: ChangeSimilarity
): ReadonlyArray<Features> => {
  const bestPair = findBestClausePair(memory, statement)
  if (bestPair === undefined) return []
  return [wordFeatures(bestPair, news), clausePairFeatures(bestPair, statement), wholeTextFeatures(memory, statement)]
}
