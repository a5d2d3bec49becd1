import type { Clause, Word } from "./Clause.js"
import { type Context, type Differences, differences } from "./differences.js"
import type { Lexicon } from "./lexicon.js"

/** How what is stated stands to what is remembered, by the rule that saw it. */
export interface Finding {
  readonly kind: "same" | "within" | "refines" | "contradicts" | "other"
  readonly rule: string
  /** 0…1, to choose among several. */
  readonly strength: number
  readonly sure: boolean
}

const other = (rule: string, sure = false): Finding => ({ kind: "other", rule, strength: 0, sure })
const contradicts = (rule: string, strength: number, sure = false): Finding => ({
  kind: "contradicts",
  rule,
  strength,
  sure
})

/** Compares what is remembered (`a`) with what is stated (`b`), each told under a title. */
export const compare = (a: Clause, b: Clause, contextA: Context, contextB: Context, lexicon: Lexicon): Finding => {
  if (!touch(a, b, contextA, contextB)) return other("nothing in common", true)
  const d = differences(a, b, contextA, contextB, lexicon)
  if (d.shared + d.subjectShared === 0) return other("nothing in common", true)
  const swapped = anotherOwner(a, b, d, lexicon)
  if (swapped !== undefined) return swapped
  if (d.apart !== undefined) return other(d.apart, d.told && (d.contentShared < 2 || d.namesMissing + d.namesExtra > 1))
  const [moodA, moodB] = [mood(a), mood(b)]
  if (moodA !== moodB) {
    const ended = moodB === "" ? endedOf(a, b, d) : undefined
    // What had to be done was done.
    if (moodA === "due" && moodB === "" && b.past && !b.negative && d.missing === 0 && d.shared > 1)
      return contradicts("done since", 0.75)
    return ended ?? other(moodB === "" ? "only considered before" : `${moodB}, not stated`, true)
  }
  const found = endedOf(a, b, d) ?? flip(a, b, d) ?? replacement(a, b, d) ?? anotherValue(a, b, d, lexicon)
  return found ?? overlap(a, b, d)
}

/** Whether they share a word or a relation, their titles included. */
const touch = (a: Clause, b: Clause, contextA: Context, contextB: Context): boolean => {
  if (a.told === "speaker" && b.told === "speaker") return true
  if (a.relation !== "" && a.relation === b.relation) return true
  for (const canon of a.words.keys()) if (b.words.has(canon) || contextB.has(canon)) return true
  for (const canon of contextA) if (b.words.has(canon) || contextB.has(canon)) return true
  return false
}

const mood = ({ cues, question }: Clause): string =>
  question
    ? "asked"
    : cues.has("due")
      ? "due"
      : cues.has("maybe")
        ? "considered"
        : cues.has("said")
          ? "said by others"
          : cues.has("once")
            ? "past"
            : ""

const wordsAt = (clause: Clause, ...places: ReadonlyArray<Word["place"]>) =>
  [...clause.words].filter(([, word]) => places.includes(word.place))

/** Whoever owns, leads, maintains it is somebody else: the names differ, what is owned does not. */
const anotherOwner = (a: Clause, b: Clause, d: Differences, lexicon: Lexicon): Finding | undefined => {
  if (a.relation !== b.relation || lexicon.relations[a.relation]?.inverse !== true) return undefined
  if ((a.indefinite && b.indefinite) || b.cues.has("also") || a.negative || b.negative || mood(a) !== mood(b))
    return undefined
  const people = (words: ReadonlyArray<Word>) =>
    words.length > 0 && words.every(({ item }) => item.capital === true && item.entry === undefined)
  if (!people(d.missingWords) || !people(d.extraWords) || d.contentShared === 0) return undefined
  return contradicts("another owner", 0.8, b.cues.has("changed"))
}

/** What was remembered is over: stopped, cancelled, no longer. */
const endedOf = (a: Clause, b: Clause, d: Differences): Finding | undefined => {
  if (!b.cues.has("ended") || a.cues.has("ended") || a.negative || !b.negative) return undefined
  if (d.namesExtra > 0 && d.namesMissing > 0) return other("another thing ended", true)
  if (d.scopeMissing > 0 && d.scopeExtra > 0) return other("another occasion")
  const told = [...b.words.values()].filter(
    ({ item, place, relational }) => place !== "reason" && !relational && item.entry?.cue !== "ended"
  )
  const covered =
    told.length === 0
      ? 0
      : told.filter(({ item }) => a.words.has(item.canon) || a.words.has(item.entry?.pair ?? "")).length / told.length
  const anchored = d.subjectShared + d.attributeShared > 0 || (d.subjectExtra === 0 && d.valueShared > 0)
  // Who and what: of a clause with an object, the object too must be what is remembered.
  const object = told.filter(({ place }) => place === "object" || place === "attribute")
  const meant = object.length === 0 || object.some(({ item }) => a.words.has(item.canon))
  if (covered >= 0.5 && anchored && meant && d.subjectExtra === 0)
    return contradicts("no longer so", 0.65 + 0.35 * covered, covered >= 0.75)
  return other("another thing ended")
}

/** The same with the opposite sign. */
const flip = (a: Clause, b: Clause, d: Differences): Finding | undefined => {
  const { sided, turned } = d
  if (!turned) return undefined
  if (b.cues.has("also")) return other("one more beside it")
  if (d.namesMissing > 0 && d.namesExtra > 0) return other("the opposite of something else")
  if (d.valueMissing > 0 && d.valueExtra > 0 && d.conflicts > 0) return other("the opposite of something else")
  if (d.scopeMissing > 0 && d.scopeExtra > 0) return other("another occasion")
  if (!sided && [a.denied, b.denied].some((word, of) => word !== undefined && ![a, b][1 - of]!.words.has(word)))
    return other("the opposite of something else")
  const covered = d.shared / (d.shared + d.extra)
  const kept = d.shared / (d.shared + d.missing)
  if (Math.min(d.missing, d.extra) > 0 && covered < 0.8) return other("the opposite of something else")
  if ((covered >= 0.6 && kept >= 0.5) || (covered >= 0.5 && kept >= 0.75)) {
    return contradicts(sided ? "opposite" : "negated", 0.6 + 0.4 * Math.min(covered, kept), covered >= 0.75)
  }
  return other("the opposite of something else")
}

/** What was is named as given up: from it, instead of it, replaced; or what was preferred is now the lesser. */
const replacement = (a: Clause, b: Clause, d: Differences): Finding | undefined => {
  const changing = b.cues.has("changed") || b.cues.has("ended") || b.cues.has("corrected")
  const lesser = wordsAt(b, "over", "former")
  const given = [
    ...lesser,
    ...(changing ? wordsAt(b, "from") : []),
    ...(b.relation === "replace" ? wordsAt(b, "object", "subject") : [])
  ]
  const hit = given.filter(([canon]) => {
    const word = a.words.get(canon)
    return word !== undefined && word.place !== "reason" && word.place !== "former" && word.place !== "over"
  })
  if (hit.length === 0 || hit.length < lesser.length / 2 || b.cues.has("also")) return undefined
  const asValue = hit.some(([canon]) => a.words.get(canon)!.place !== "subject")
  if (!asValue) return b.relation === a.relation || a.relation === "" ? undefined : other("of what was replaced")
  // Who prefers one now preferred it before: another person's preference stays.
  if (d.subjectMissing > 0 && d.subjectExtra > 0) return undefined
  const was = new Set(wordsAt(a, "over", "former").map(([canon]) => canon))
  const reversed = was.size > 0 && wordsAt(b, "object", "subject", "attribute").some(([canon]) => was.has(canon))
  return contradicts(
    reversed ? "preference reversed" : "replaced",
    0.75 + 0.05 * Math.min(4, d.shared),
    d.shared > hit.length
  )
}

/** The same attribute of the same thing with another value. */
const anotherValue = (a: Clause, b: Clause, d: Differences, lexicon: Lexicon): Finding | undefined => {
  const changed = b.cues.has("changed") || b.cues.has("corrected")
  const differing = d.valueMissing > 0 && d.valueExtra > 0
  if (b.cues.has("also")) return differing ? other("one more beside it") : undefined
  const { sameRelation } = d
  const anchors = d.attributeShared + d.subjectShared + d.scopeShared
  if (anchors === 0 && !(sameRelation && a.relation !== "" && d.told)) return undefined
  if (d.scopeMissing > 0 && d.scopeExtra > 0) return other("another occasion")
  if (!changed && b.past && !a.past && b.scalars.some(({ kind }) => kind === "day") && d.scalarExtra > 0)
    return other("was so then")
  if (!changed && d.differs.includes("day") && heads(a, d) && heads(b, d)) return other("another time")
  if (!changed && a.event && b.event && (d.differs.length > 0 || differing)) return other("happened again")
  if (d.differs.length > 0) {
    if (!changed && (d.conflicts > 0 || (d.valueMissing > 0 && d.scalarExtra > 0)))
      return other("more than a number differs")
    if (!changed && d.differs.includes("day") && d.differs.length > 1 && !d.steady) return other("another time")
    if (!changed && d.subjectMissing > 0 && d.extra > d.shared) return undefined
    return contradicts(
      `another ${d.differs[0]}`,
      0.7 + 0.05 * Math.min(5, d.shared),
      anchors > 0 && d.extra + d.missing <= d.shared
    )
  }
  if (!differing) return undefined
  if (d.conflicts > 1 && !changed) return other("another occasion")
  const valued = lexicon.relations[sameRelation ? a.relation : ""]?.valued
  const single =
    (valued === "one" && sameRelation) ||
    d.attributeShared > 0 ||
    (a.keyed === "assigned" && b.keyed === "assigned" && d.subjectShared > 0) ||
    (d.kindsConflict &&
      sameRelation &&
      a.relation === "" &&
      d.subjectMissing + d.subjectExtra === 0 &&
      d.subjectShared > 0)
  const strength = 0.65 + 0.05 * Math.min(5, d.shared)
  if (single && (d.conflicts > 0 || d.kindsConflict)) {
    if (a.indefinite && b.indefinite && !d.kindsConflict && !changed) return other("another value beside it")
    return contradicts(
      changed ? "changed" : "another value",
      strength + (changed ? 0.1 : 0),
      (changed || d.kindsConflict) && d.subjectShared > 0
    )
  }
  if (changed && d.conflicts > 0 && anchors > 0 && (sameRelation || d.kindsConflict))
    return contradicts("changed", strength, d.kindsConflict)
  if (valued === "scoped" && d.conflicts > 0 && (d.scopeShared > 0 || (d.kindsConflict && a.relation === "prefer"))) {
    return contradicts("another value", strength, false)
  }
  return undefined
}

/** A heading whose day tells which of several it is, not a key with a day as its value. */
const heads = ({ keyed, verbless }: Clause, d: Differences): boolean =>
  verbless || (keyed === "listed" && d.valueShared > 0)

/** How much one says of what the other says. */
const overlap = (a: Clause, b: Clause, d: Differences): Finding => {
  if (d.turned) return other("negated")
  if (d.namesExtra > 0 && d.namesMissing > 0) return other("other names")
  if (d.kindsConflict) return other("another kind")
  if (d.scopeMissing > 0 && d.scopeExtra > 0) return other("another occasion")
  const also = b.cues.has("also") && !a.cues.has("also")
  const covered = d.shared / (d.shared + d.extra + d.scalarExtra)
  const kept = d.shared / (d.shared + d.missing + d.scalarMissing)
  const refines = (strength: number, sure: boolean): Finding =>
    also
      ? other("one more beside it")
      : { kind: "refines", rule: d.finer > 0 ? "says it more exactly" : "adds detail", strength, sure }
  if (covered === 1 && kept === 1) {
    if (d.finer > 0) return refines(1, true)
    return { kind: "same", rule: "says the same", strength: 1, sure: true }
  }
  if (covered === 1 && d.finer === 0 && d.subjectMissing === 0) {
    return { kind: "within", rule: "says part of it", strength: 0.6 + 0.4 * kept, sure: kept > 0.6 }
  }
  if (kept === 1 && d.subjectExtra === 0)
    return refines(0.6 + 0.4 * covered, covered > 0.4 && d.scalarExtra + d.capitalsExtra > 0)
  const alike = d.shared / (d.shared + d.extra + d.missing + d.scalarExtra + d.scalarMissing)
  if (d.namesMissing + d.scalarMissing > 0 || d.shared < 2) return other("something else", alike < 0.25)
  const richer = d.extra + d.scalarExtra > d.missing
  if (d.conflicts > 0 && !(richer && d.missing <= d.shared / 4)) return other("something else")
  if (covered >= 0.75 && d.capitalsExtra === 0 && d.scalarExtra === 0 && alike >= 0.5) {
    return { kind: "same", rule: "says nearly the same", strength: alike, sure: alike >= 0.8 }
  }
  if (kept >= 0.6 && (d.shared >= 3 || kept >= 0.75)) return refines(kept * 0.9, false)
  return other("something else", alike < 0.25)
}
