import type { Clause, Word } from "./clauses.js"
import { type Differences, differences } from "./differences.js"
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

/** What a clause is told around: the words of the title above it. */
export type Context = ReadonlySet<string>

/** Compares what is remembered (`a`) with what is stated (`b`). */
export const compare = (a: Clause, b: Clause, contextA: Context, contextB: Context, lexicon: Lexicon): Finding => {
  const d = differences(a, b, contextA, contextB, lexicon)
  if (d.shared === 0) return other("nothing in common", true)
  if (d.apart !== undefined) return other(d.apart, true)
  const moodA = mood(a)
  const moodB = mood(b)
  const flipped = flip(a, b, d)
  if (moodB !== moodA && !(b.cues.has("ended") && moodB === ""))
    return moodB === "" ? other("only considered before") : other(`${moodB}, not stated`, true)
  if (flipped !== undefined) return flipped
  if (reversed(a, b)) return contradicts("preference reversed", 0.95, true)
  const replaced = replacement(a, b, d)
  if (replaced !== undefined) return replaced
  const valued = anotherValue(a, b, d, lexicon)
  if (valued !== undefined) return valued
  return overlap(a, b, d)
}

const mood = ({ cues, question }: Clause): string =>
  question
    ? "asked"
    : cues.has("maybe")
      ? "considered"
      : cues.has("said")
        ? "said by others"
        : cues.has("once")
          ? "past"
          : ""

/** The same with the opposite sign. */
const flip = (a: Clause, b: Clause, d: Differences): Finding | undefined => {
  let sided = false
  let turned = false
  for (const [canon, { side }] of b.words) {
    const mine = a.words.get(canon)?.side
    if (side === undefined || mine === undefined) continue
    sided = true
    if ((side !== b.negative) !== (mine !== a.negative)) turned = true
  }
  if (!sided) turned = a.negative !== b.negative
  if (!turned) return undefined
  const ended = b.cues.has("ended")
  const rule = ended ? "no longer so" : sided ? "opposite" : "negated"
  if (b.cues.has("also") && !ended) return other("one more beside it")
  if (d.valueExtra > 0 && d.valueMissing > 0) return other("negated, of something else")
  if (d.differs.length > 0) return contradicts(rule, 0.7)
  const covered = d.shared / Math.max(1, d.shared + d.extra)
  const kept = d.shared / Math.max(1, d.shared + d.missing)
  if (covered >= (ended ? 0.5 : 0.6) && (kept >= 0.5 || covered >= 0.75))
    return contradicts(rule, 0.6 + 0.4 * Math.min(covered, kept), covered >= 0.75)
  return other("negated, of something else")
}

const wordsAt = (clause: Clause, ...places: ReadonlyArray<Word["place"]>) =>
  [...clause.words].filter(([, word]) => places.includes(word.place))

/** A over B, B over A. */
const reversed = (a: Clause, b: Clause): boolean => {
  const lesser = new Set(wordsAt(b, "over", "former").map(([canon]) => canon))
  const was = new Set(wordsAt(a, "over", "former").map(([canon]) => canon))
  if (lesser.size === 0) return false
  const best = wordsAt(a, "object", "subject", "attribute").some(([canon]) => lesser.has(canon))
  const now = wordsAt(b, "object", "subject", "attribute").some(([canon]) => was.has(canon))
  if (was.size > 0) return best && now
  return false
}

/** What was is named as given up: from it, instead of it, replaced. */
const replacement = (a: Clause, b: Clause, d: Differences): Finding | undefined => {
  const changing = b.cues.has("changed") || b.cues.has("ended") || b.cues.has("corrected")
  const given = wordsAt(b, "former", ...(changing ? (["from"] as const) : [])).map(([canon]) => canon)
  if (b.relation === "use" && b.cues.has("changed")) {
    const named = [...b.words.values()].some(({ item }) => /^(?:replac|swap|supersed)/.test(item.form))
    if (named) given.push(...wordsAt(b, "object", "subject").map(([canon]) => canon))
  }
  if (given.length === 0) return undefined
  const hit = given.filter((canon) => {
    const word = a.words.get(canon)
    return word !== undefined && word.place !== "reason" && word.place !== "former" && word.place !== "over"
  })
  if (hit.length === 0 || hit.length < given.length / 2) return undefined
  // What is told of it elsewhere as a subject stays true: only where it was the value, or all there is.
  const asValue = hit.some((canon) => a.words.get(canon)!.place !== "subject")
  if (!asValue && a.relation !== "" && a.relation !== b.relation) return other("about what was replaced")
  if (b.cues.has("also")) return undefined
  return contradicts("replaced", 0.75 + 0.05 * Math.min(4, d.shared), d.shared > hit.length)
}

/** The same attribute of the same thing with another value. */
const anotherValue = (a: Clause, b: Clause, d: Differences, lexicon: Lexicon): Finding | undefined => {
  const changed = b.cues.has("changed") || b.cues.has("corrected")
  if (b.cues.has("also")) return d.valueExtra > 0 && d.valueMissing > 0 ? other("one more beside it") : undefined
  const sameRelation = a.relation === b.relation
  const anchored = d.attributeShared > 0 || d.subjectShared > 0 || d.scopeShared > 0
  if (!anchored && !(sameRelation && a.relation !== "" && d.told)) return undefined
  if (d.scopeMissing > 0 && d.scopeExtra > 0) return other("another occasion")
  if (d.differs.length > 0) {
    if (!changed && b.event && a.event) return other("happened again")
    if (!changed && d.differs.includes("day") && (d.valueExtra > 0 || d.differs.length > 1) && !d.steady)
      return other("another time")
    if (d.valueMissing > 0 && d.valueExtra > 0 && !changed) return other("more than a number differs")
    if (d.extra > 2 + d.shared && !changed) return undefined
    return contradicts(
      `another ${d.differs[0]}`,
      0.7 + 0.1 * Math.min(2, d.shared),
      d.subjectShared > 0 || d.attributeShared > 0
    )
  }
  if (d.valueMissing === 0 || d.valueExtra === 0) return undefined
  if (a.event && b.event && !changed) return other("happened again")
  const valued = lexicon.relations[sameRelation ? a.relation : ""]?.valued
  const keyed = a.keyed && b.keyed
  const single = (valued === "one" && sameRelation) || d.attributeShared > 0 || (keyed && d.subjectShared > 0)
  const kind = d.kindsConflict
  if (single && (d.slotsMeet || kind) && !(a.indefinite && b.indefinite && !kind)) {
    return contradicts(changed ? "changed" : "another value", 0.75 + (changed ? 0.15 : 0), changed || kind || keyed)
  }
  if (
    changed &&
    (sameRelation || kind || d.scopeShared > 0) &&
    (d.subjectShared > 0 || d.scopeShared > 0 || kind) &&
    d.slotsMeet
  ) {
    return contradicts("changed", 0.7 + (kind ? 0.15 : 0), kind)
  }
  if (valued === "scoped" && (d.scopeShared > 0 || (kind && (a.relation === "prefer" || d.valueShared > 0))))
    return contradicts("another value", 0.7, false)
  if (kind && d.valueShared > 0 && sameRelation && d.valueMissing === 1 && d.valueExtra === 1 && valued !== "many")
    return contradicts("another value", 0.65, false)
  return other("another value beside it")
}

/** How much one says of what the other says. */
const overlap = (a: Clause, b: Clause, d: Differences): Finding => {
  if (a.negative !== b.negative) return other("negated")
  const covered = d.shared / (d.shared + d.extra + d.scalarExtra)
  const kept = d.shared / (d.shared + d.missing + d.scalarMissing)
  if (d.namesExtra > 0 && d.namesMissing > 0) return other("other names")
  if (d.kindsConflict) return other("another kind")
  if (d.scopeMissing > 0 && d.scopeExtra > 0) return other("another occasion")
  if (covered === 1 && kept === 1)
    return {
      kind: d.finer > 0 ? "refines" : d.coarser > 0 ? "within" : "same",
      rule: d.finer > 0 ? "says it more exactly" : "says the same",
      strength: 1,
      sure: true
    }
  if (covered === 1 && d.subjectMissing === 0)
    return {
      kind: d.finer > 0 ? "refines" : "within",
      rule: "says part of it",
      strength: 0.6 + 0.4 * kept,
      sure: kept > 0.6
    }
  if (kept === 1 && d.subjectExtra === 0)
    return b.cues.has("also")
      ? other("one more beside it")
      : { kind: "refines", rule: "adds detail", strength: 0.6 + 0.4 * covered, sure: covered > 0.4 }
  const alike = d.shared / (d.shared + d.extra + d.missing + d.scalarExtra + d.scalarMissing)
  if (d.subjectMissing > 0 && d.subjectExtra > 0) return other("another subject")
  if (d.namesExtra + d.namesMissing + d.scalarMissing === 0 && alike >= 0.6 && d.shared >= 3) {
    return d.scalarExtra > 0 || d.extra > d.missing + 1
      ? { kind: "refines", rule: "adds detail", strength: alike, sure: false }
      : { kind: "same", rule: "says nearly the same", strength: alike, sure: alike >= 0.8 }
  }
  if (
    kept >= 0.75 &&
    d.shared >= 2 &&
    d.extra + d.scalarExtra >= 2 &&
    d.subjectExtra === 0 &&
    d.namesMissing === 0 &&
    d.scalarMissing === 0 &&
    !b.cues.has("also")
  ) {
    return { kind: "refines", rule: "adds detail", strength: kept * 0.8, sure: false }
  }
  return other("something else", alike < 0.25)
}
