import { compareValues } from "../values/relation.js"
import type { Value } from "../values/Value.js"
import type { Clause, Word } from "./Clause.js"
import { relations } from "./englishRelations.js"

/** The words of the title above a clause. */
export type TitleWords = ReadonlySet<string>

const isValue = ({ place }: Word) =>
  place !== "subject" &&
  place !== "attribute" &&
  place !== "scope" &&
  place !== "reason" &&
  place !== "former" &&
  place !== "from" &&
  place !== "over"
const identifies = ({ item }: Word) =>
  item.name === true || item.entry?.kinds !== undefined || item.entry?.pair !== undefined

/** A clause and the title above it. */
export interface ClauseInContext {
  readonly clause: Clause
  readonly context: TitleWords
}

/**
 * The parts that two clauses share and the parts that differ, by role. `…Missing`: only the memory (`a`) has it.
 * `…Extra`: only the statement (`b`) has it.
 */
export const compareClauses = (
  { clause: a, context: contextA }: ClauseInContext,
  { clause: b, context: contextB }: ClauseInContext
) => {
  const missing = unmatchedWords(a, b, contextB)
  const extra = unmatchedWords(b, a, contextA)
  const shared = [...a.words].flatMap(([canon, word]) => {
    const match = b.words.get(canon)
    return match === undefined ? [] : [[word, match] as const]
  })
  const wordsAt = (words: ReadonlyArray<Word>, place: Word["place"]) => words.filter((word) => word.place === place)
  const contentOf = (words: ReadonlyArray<Word>) =>
    words.filter(({ item, relational }) => !relational && item.entry?.generic !== true)
  const [subjectMissing, subjectExtra] = [contentOf(wordsAt(missing, "subject")), contentOf(wordsAt(extra, "subject"))]
  const [valueMissing, valueExtra] = [contentOf(missing.filter(isValue)), contentOf(extra.filter(isValue))]
  return {
    /** Why the clauses are about different things; undefined if nothing shows that they are. */
    differentSubject: titlesDiffer(contextA, contextB, a, b)
      ? "under another title"
      : namingDiffers(a.naming, b.naming, contextA.size > 0, contextB.size > 0)
        ? "another number in its name"
        : whyOtherSubject(a, b, {
            subjectMissing,
            subjectExtra,
            attributeMissing: wordsAt(missing, "attribute"),
            attributeExtra: wordsAt(extra, "attribute")
          }),
    /** The number of content words that both clauses share. */
    contentShared: shared.filter(([x]) => !x.relational).length,
    missing: contentOf(missing),
    extra: contentOf(extra),
    /** The relations are equal, or the statement moves a thing whose place the memory states. */
    sameRelation: a.relation === b.relation || (b.relation === "move" && moving.has(a.relation)),
    subjectMissing,
    subjectExtra,
    attributeShared: shared.some(([x, y]) => x.place === "attribute" || y.place === "attribute"),
    scopeMissing: contentOf(wordsAt(missing, "scope")),
    scopeExtra: contentOf(wordsAt(extra, "scope")),
    valueMissing,
    valueExtra,
    /** Some values exclude each other, because they are of the same kind. */
    kindsConflict: valueMissing.some((x) => valueExtra.some((y) => exclude(x, y))),
    /** The number of slots with different values. */
    conflicts: conflictsOf(valueMissing, valueExtra),
    /** Both have the same kind of subject, or one has none. */
    sameSubjectKind: a.subjectKind === b.subjectKind || a.subjectKind === "nobody" || b.subjectKind === "nobody",
    /** The memory's attribute has one value at a time, or it is a key with a value. */
    steady: relations[a.relation]?.valueCount === "one" || a.keyed !== "no",
    ...scalarDifferences(a, b),
    ...oppositesOf(a, b)
  }
}

/** The words of a clause that neither the other clause nor its title contains. */
const unmatchedWords = (clause: Clause, other: Clause, context: TitleWords): ReadonlyArray<Word> =>
  [...clause.words].flatMap(([canon, word]) =>
    other.words.has(canon) || word.place === "reason" || isInContext(canon, word, context) ? [] : [word]
  )

type UnmatchedWords = Readonly<
  Record<"subjectMissing" | "subjectExtra" | "attributeMissing" | "attributeExtra", ReadonlyArray<Word>>
>

/**
 * Judges by the words without a counterpart why two clauses have different subjects; undefined if these words do not
 * show a difference.
 */
const whyOtherSubject = (
  a: Clause,
  b: Clause,
  { attributeExtra, attributeMissing, subjectExtra, subjectMissing }: UnmatchedWords
): string | undefined => {
  const isCapital = ({ item }: Word): boolean => item.capital === true
  if (subjectMissing.length > 0 && subjectExtra.length > 0) return "another subject"
  if ([...subjectMissing, ...subjectExtra].some(identifies)) return "another subject"
  if (attributeMissing.length + subjectMissing.length > 0 && attributeExtra.length + subjectExtra.length > 0)
    return "another attribute"
  if (a.subjectKind === "speaker" && b.subjectKind === "named" && subjectExtra.some(isCapital)) return "another person"
  if (b.subjectKind === "speaker" && a.subjectKind === "named" && subjectMissing.some(isCapital))
    return "another person"
  return undefined
}

/** Relations whose value changes when a thing moves. */
const moving: ReadonlySet<string> = new Set([
  "live",
  "store",
  "happen",
  "use",
  "put",
  "stand",
  "sit",
  "hang",
  "park",
  ""
])

/**
 * `hasOpposites`: both clauses use the same pair of opposites. `turned`: the clauses contradict each other. `stronger`:
 * the statement says more than the memory, which only denies the other side of a gradable pair.
 */
const oppositesOf = (a: Clause, b: Clause) => {
  let hasOpposites = false
  let stronger = false
  let turned = false
  for (const [canon, { item, side }] of b.words) {
    const sideOfA = a.words.get(canon)?.side
    if (side === undefined || sideOfA === undefined) continue
    hasOpposites = true
    if ((side !== b.negative) !== (sideOfA !== a.negative)) turned = true
    else if (a.negative && !b.negative && item.entry?.gradable === true) stronger = true
  }
  return { hasOpposites, stronger, turned: hasOpposites ? turned : a.negative !== b.negative }
}

const groups: Readonly<Record<string, string>> = { object: "what", by: "what", place: "where" }
const groupOf = ({ place }: Word): string => groups[place] ?? place

/** The number of slots that both clauses fill with different words. "is Rome" and "is in Rome" count as one slot. */
const conflictsOf = (missing: ReadonlyArray<Word>, extra: ReadonlyArray<Word>): number => {
  const [left, onlyB] = [new Set(missing.map(groupOf)), new Set(extra.map(groupOf))]
  const bothCount = [...left].filter((group) => onlyB.has(group)).length
  if (bothCount > 0) return bothCount
  return (left.has("what") && onlyB.has("where")) || (left.has("where") && onlyB.has("what")) ? 1 : 0
}

/** True if the other clause's title already contains the word. Then the word does not make the subjects different. */
const isInContext = (canon: string, { place }: Word, context: TitleWords): boolean =>
  (place === "subject" || place === "scope" || place === "attribute") && context.has(canon)

/** True if each title has words that the other side does not contain, and at least as many as the titles share. */
const titlesDiffer = (a: TitleWords, b: TitleWords, x: Clause, y: Clause): boolean => {
  if (a.size === 0 || b.size === 0) return false
  const left = [...a].filter((canon) => !b.has(canon) && !y.words.has(canon)).length
  const onlyB = [...b].filter((canon) => !a.has(canon) && !x.words.has(canon)).length
  const bothCount = [...a].filter((canon) => b.has(canon)).length
  return Math.min(left, onlyB) > 0 && bothCount <= Math.min(left, onlyB)
}

const exclude = (x: Word, y: Word): boolean =>
  x.item.entry?.kinds?.some((kind) => y.item.entry?.kinds?.includes(kind) === true) === true

/**
 * True if a number in the name of one subject is missing from the other name. The title may contain the missing number.
 */
const namingDiffers = (
  a: ReadonlyArray<Value>,
  b: ReadonlyArray<Value>,
  isScopedA: boolean,
  isScopedB: boolean
): boolean => {
  if (a.length === 0) return b.length > 0 && !isScopedA
  if (b.length === 0) return !isScopedB
  const unmatched = (scalars: ReadonlyArray<Value>, otherScalars: ReadonlyArray<Value>) =>
    scalars.some((x) => otherScalars.every((y) => compareValues(x, y) !== "equal"))
  return unmatched(a, b) || unmatched(b, a)
}

const names = { quantity: "number", version: "version", clock: "time", day: "day" } as const

/** Compares numbers, days and times. `differs` lists the kinds that differ. */
const scalarDifferences = (a: Clause, b: Clause) => {
  const left = [...a.scalars]
  const differs: Array<string> = []
  let equal = 0
  let finer = 0
  let coarser = 0
  let scalarExtra = 0
  const open: Array<Value> = []
  for (const scalar of b.scalars) {
    const matchIndex = left.findIndex(
      (other) => ["equal", "finer", "coarser"].includes(compareValues(other, scalar)) && headsMeet(other, scalar, a, b)
    )
    if (matchIndex === -1) {
      open.push(scalar)
      continue
    }
    const relation = compareValues(left[matchIndex]!, scalar)
    left.splice(matchIndex, 1)
    equal++
    if (relation === "finer") finer++
    if (relation === "coarser") coarser++
  }
  for (const scalar of open) {
    const matchIndex = left.findIndex(
      (other) => compareValues(other, scalar) === "differs" && headsMeet(other, scalar, a, b)
    )
    if (matchIndex === -1) {
      scalarExtra++
      continue
    }
    left.splice(matchIndex, 1)
    differs.push(names[scalar.kind])
  }
  return { differs, equal, finer, coarser, scalarExtra, scalarMissing: left.length }
}

/**
 * True if two numbers may be values of one attribute: each clause contains the word before the other clause's number.
 */
const headsMeet = (x: Value, y: Value, a: Clause, b: Clause): boolean => {
  if (x.kind !== "quantity" || y.kind !== "quantity") return true
  if (x.unit !== "" || y.unit !== "") if (x.unit !== y.unit && x.head !== y.head) return false
  if (x.head === y.head) return true
  return (
    (x.head === undefined || b.words.has(x.head) || x.unit !== "") &&
    (y.head === undefined || a.words.has(y.head) || y.unit !== "")
  )
}
