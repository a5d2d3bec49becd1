import type { Clause, Word } from "./Clause.js"
import type { Lexicon } from "./lexicon.js"
import { relationOf, type Scalar } from "./scalars.js"

/** The words of the title above a clause. */
export type Context = ReadonlySet<string>

/** The parts that two clauses share and the parts that differ, by role. `missing`: only the memory has it. `extra`: only the statement has it. Numbers are counts of words. */
export interface Differences {
  /** Why the clauses are about different things; undefined where nothing shows it. */
  readonly differentSubject: string | undefined
  readonly shared: number
  /** Content words of both. */
  readonly contentShared: number
  readonly missingWords: ReadonlyArray<Word>
  readonly extraWords: ReadonlyArray<Word>
  /** The relations are equal, or the statement moves a thing whose place the memory states. */
  readonly sameRelation: boolean
  readonly missing: number
  readonly extra: number
  readonly subjectShared: number
  readonly subjectMissing: number
  readonly subjectExtra: number
  readonly attributeShared: number
  readonly scopeShared: number
  readonly scopeMissing: number
  readonly scopeExtra: number
  readonly valueShared: number
  readonly valueMissing: number
  readonly valueExtra: number
  readonly namesMissing: number
  readonly namesExtra: number
  readonly capitalsExtra: number
  /** Some values exclude each other: they are of one kind. */
  readonly kindsConflict: boolean
  /** The number of slots with different values. */
  readonly conflicts: number
  /** Both have the same kind of subject, or one has none. */
  readonly sameSubjectKind: boolean
  /** The kinds of scalars that differ: "number", "day", "time", "version". */
  readonly differs: ReadonlyArray<string>
  readonly equal: number
  readonly finer: number
  readonly coarser: number
  readonly scalarMissing: number
  readonly scalarExtra: number
  /** Whether both use one pair of opposites; `turned`: whether they state the opposite. */
  readonly hasOpposites: boolean
  readonly turned: boolean
  /** Whether the statement says more than the memory, which only denies the other side of a gradable pair. */
  readonly stronger: boolean
  /** The memory's attribute has one value at a time, or is a key with a value. */
  readonly steady: boolean
}

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
  readonly context: Context
}

/** Compares a clause of a memory with a clause of the statement. */
export const differences = (
  { clause: a, context: contextA }: ClauseInContext,
  { clause: b, context: contextB }: ClauseInContext,
  lexicon: Lexicon
): Differences => {
  const missing: Array<Word> = []
  const shared: Array<readonly [Word, Word]> = []
  for (const [canon, word] of a.words) {
    const match = b.words.get(canon)
    if (match !== undefined) shared.push([word, match])
    else if (word.place !== "reason" && !isInContext(canon, word, contextB)) missing.push(word)
  }
  const extra: Array<Word> = []
  for (const [canon, word] of b.words) {
    if (!a.words.has(canon) && word.place !== "reason" && !isInContext(canon, word, contextA)) extra.push(word)
  }
  const wordsAt = (words: ReadonlyArray<Word>, place: Word["place"]) => words.filter((word) => word.place === place)
  const countShared = (place: Word["place"]) => shared.filter(([x, y]) => x.place === place || y.place === place).length
  const countWithoutNames = (words: ReadonlyArray<Word>) =>
    words.filter(({ item, relational }) => !relational && item.entry?.generic !== true)
  const subjectMissing = countWithoutNames(wordsAt(missing, "subject")).filter(
    ({ item }) => item.entry?.generic !== true
  )
  const subjectExtra = countWithoutNames(wordsAt(extra, "subject")).filter(({ item }) => item.entry?.generic !== true)
  const attributeMissing = wordsAt(missing, "attribute")
  const attributeExtra = wordsAt(extra, "attribute")
  const valueMissing = countWithoutNames(missing.filter(isValue))
  const valueExtra = countWithoutNames(extra.filter(isValue))
  const scalars = scalarDifferences(a, b)
  const subjectShared = countShared("subject") + contextShared(contextA, contextB, a, b)

  const differentSubject = titlesDiffer(contextA, contextB, a, b)
    ? "under another title"
    : namingDiffers(a.naming, b.naming, contextA.size > 0, contextB.size > 0)
      ? "another number in its name"
      : whyOtherSubject(a, b, { subjectMissing, subjectExtra, attributeMissing, attributeExtra })
  const scopeMissing = countWithoutNames(wordsAt(missing, "scope"))
  const scopeExtra = countWithoutNames(wordsAt(extra, "scope"))
  const sameRelation = a.relation === b.relation || (b.relation === "move" && moving.has(a.relation))
  const relations =
    shared.filter(([x]) => !x.relational).length + (a.relation !== "" && sameRelation ? 1 : 0) + scalars.equal
  return {
    differentSubject,
    shared: relations,
    contentShared: shared.filter(([x]) => !x.relational).length,
    missingWords: countWithoutNames(missing),
    extraWords: countWithoutNames(extra),
    sameRelation,
    missing: countWithoutNames(missing).length,
    extra: countWithoutNames(extra).length,
    subjectShared,
    subjectMissing: subjectMissing.length,
    subjectExtra: subjectExtra.length,
    attributeShared: countShared("attribute"),
    scopeShared: countShared("scope"),
    scopeMissing: scopeMissing.length,
    scopeExtra: scopeExtra.length,
    valueShared: shared.filter(([x, y]) => isValue(x) && isValue(y)).length,
    valueMissing: valueMissing.length,
    valueExtra: valueExtra.length,
    namesMissing: missing.filter(({ item }) => item.name === true).length,
    namesExtra: extra.filter(({ item }) => item.name === true).length,
    capitalsExtra: extra.filter(({ item }) => item.capital === true).length,
    kindsConflict: valueMissing.some((x) => valueExtra.some((y) => exclude(x, y))),
    conflicts: conflictsOf(valueMissing, valueExtra),
    sameSubjectKind: a.subjectKind === b.subjectKind || a.subjectKind === "nobody" || b.subjectKind === "nobody",
    ...scalars,
    ...oppositesOf(a, b),
    steady: lexicon.relations[a.relation]?.valueCount === "one" || a.keyed !== "no"
  }
}

type UnmatchedWords = Readonly<
  Record<"subjectMissing" | "subjectExtra" | "attributeMissing" | "attributeExtra", ReadonlyArray<Word>>
>

/** Why two clauses have different subjects, by the words without a counterpart; undefined where nothing shows it. */
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

/** Relations whose value a move may change. */
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

const oppositesOf = (a: Clause, b: Clause): Pick<Differences, "hasOpposites" | "turned" | "stronger"> => {
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

/** The number of slots that both fill with different words. "is Rome" and "is in Rome" count as one slot. */
const conflictsOf = (missing: ReadonlyArray<Word>, extra: ReadonlyArray<Word>): number => {
  const [left, onlyB] = [new Set(missing.map(groupOf)), new Set(extra.map(groupOf))]
  const bothCount = [...left].filter((group) => onlyB.has(group)).length
  if (bothCount > 0) return bothCount
  return (left.has("what") && onlyB.has("where")) || (left.has("where") && onlyB.has("what")) ? 1 : 0
}

/** Whether the other side's title already contains the word: the subjects do not differ then. */
const isInContext = (canon: string, { place }: Word, context: Context): boolean =>
  (place === "subject" || place === "scope" || place === "attribute") && context.has(canon)

/** Whether each title has words that the other side lacks, at least as many as they share. */
const titlesDiffer = (a: Context, b: Context, x: Clause, y: Clause): boolean => {
  if (a.size === 0 || b.size === 0) return false
  const left = [...a].filter((canon) => !b.has(canon) && !y.words.has(canon)).length
  const onlyB = [...b].filter((canon) => !a.has(canon) && !x.words.has(canon)).length
  const bothCount = [...a].filter((canon) => b.has(canon)).length
  return Math.min(left, onlyB) > 0 && bothCount <= Math.min(left, onlyB)
}

const contextShared = (a: Context, b: Context, x: Clause, y: Clause): number => {
  let shared = 0
  for (const canon of a) if (b.has(canon) || y.words.has(canon)) shared++
  for (const canon of b) if (x.words.has(canon)) shared++
  return Math.min(shared, 3)
}

const exclude = (x: Word, y: Word): boolean =>
  x.item.entry?.kinds?.some((kind) => y.item.entry?.kinds?.includes(kind) === true) === true

/** Whether a number in one name is missing in the other. A name without numbers under a title may have it there. */
const namingDiffers = (
  a: ReadonlyArray<Scalar>,
  b: ReadonlyArray<Scalar>,
  isScopedA: boolean,
  isScopedB: boolean
): boolean => {
  if (a.length === 0) return b.length > 0 && !isScopedA
  if (b.length === 0) return !isScopedB
  const unmatched = (scalars: ReadonlyArray<Scalar>, otherScalars: ReadonlyArray<Scalar>) =>
    scalars.some((x) => otherScalars.every((y) => relationOf(x, y) !== "equal"))
  return unmatched(a, b) || unmatched(b, a)
}

const names = { quantity: "number", version: "version", clock: "time", day: "day" } as const

const scalarDifferences = (a: Clause, b: Clause) => {
  const left = [...a.scalars]
  const differs: Array<string> = []
  let equal = 0
  let finer = 0
  let coarser = 0
  let scalarExtra = 0
  const open: Array<Scalar> = []
  for (const scalar of b.scalars) {
    const matchIndex = left.findIndex(
      (other) => ["equal", "finer", "coarser"].includes(relationOf(other, scalar)) && headsMeet(other, scalar, a, b)
    )
    if (matchIndex === -1) {
      open.push(scalar)
      continue
    }
    const relation = relationOf(left[matchIndex]!, scalar)
    left.splice(matchIndex, 1)
    equal++
    if (relation === "finer") finer++
    if (relation === "coarser") coarser++
  }
  for (const scalar of open) {
    const matchIndex = left.findIndex(
      (other) => relationOf(other, scalar) === "differs" && headsMeet(other, scalar, a, b)
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

/** Whether two numbers may be values of one attribute: the other side also has the word before each. */
const headsMeet = (x: Scalar, y: Scalar, a: Clause, b: Clause): boolean => {
  if (x.kind !== "quantity" || y.kind !== "quantity") return true
  if (x.unit !== "" || y.unit !== "") if (x.unit !== y.unit && x.head !== y.head) return false
  if (x.head === y.head) return true
  return (
    (x.head === undefined || b.words.has(x.head) || x.unit !== "") &&
    (y.head === undefined || a.words.has(y.head) || y.unit !== "")
  )
}
