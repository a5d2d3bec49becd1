import type { Claim, ClaimValue, ClaimWord } from "./Claim.js"

/** How a statement relates to a memory. */
export interface Relation {
  readonly action: "ADD" | "UPDATE" | "DELETE" | "NONE"
  readonly reason: Reason
  /** The probability that a contradiction is correct, 0…1. */
  readonly confidence: number
  /** The share of the memory that the statement repeats, 0…1. */
  readonly shared: number
}

export type Reason = keyof typeof actionByReason

/** All reasons and their actions. A reason names a rule and never contains words of a memory. */
export const actionByReason = {
  "says the same": "NONE",
  "says part of it": "NONE",
  "confirms it": "NONE",
  "another unit": "NONE",
  "says nothing new": "NONE",
  "no longer so": "DELETE",
  negated: "DELETE",
  opposite: "DELETE",
  "done since": "DELETE",
  "another value": "DELETE",
  changed: "DELETE",
  corrected: "DELETE",
  "adds detail": "UPDATE",
  "one more of a list": "UPDATE",
  "one of several facts": "UPDATE",
  "another subject": "ADD",
  "another scope": "ADD",
  "not stated as a fact": "ADD",
  "said before it": "ADD",
  "in another language": "ADD",
  "something else": "ADD"
} as const

/** Minimum shares of the words that a memory and a statement have in common, by kind of relation. */
const minShares = { contradiction: 0.5, ended: 0.4, value: 0.6, confirmed: 0.5, detail: 0.85, same: 0.95 }
/** Maximum weight of new words in a statement that gives another value, or the same value in another unit. */
const maxFresh = 2
/** The match of a compound and its part: "Schuhgröße", "Schuhe". */
const partial = 0.6
/** Minimum letters of a part of a compound. */
const minPart = 4

type Words = ReadonlyMap<string, ClaimWord>

/** A word, and how well the other text matches it, 0…1. */
interface MatchedWord extends ClaimWord {
  readonly match: number
}

const matchOf = ({ key }: ClaimWord, words: Words): number => {
  if (words.has(key)) return 1
  if (key.length < minPart || key.startsWith("±")) return 0
  for (const other of words.values()) if (isPart(key, other.key)) return partial
  return 0
}

const isPart = (a: string, b: string): boolean => {
  const [part, whole] = a.length < b.length ? [a, b] : [b, a]
  return part.length >= minPart && (whole.startsWith(part) || whole.endsWith(part))
}

const matched = (words: Words, others: Words): ReadonlyArray<MatchedWord> =>
  [...words.values()].map((word) => ({ ...word, match: matchOf(word, others) }))

/** True if two values are the same. A number without a unit matches any unit; a day without a year matches any year. */
const isSameValue = (a: ClaimValue, b: ClaimValue): boolean =>
  isMonthOf(a, b) || isMonthOf(b, a) || a.kind === b.kind
    ? a.value === b.value ||
      (a.kind === "day" && (a.value.startsWith(`${b.value}-`) || b.value.startsWith(`${a.value}-`)))
    : a.value === b.value && (a.kind === "number" || b.kind === "number")

const isMonthOf = (month: ClaimValue, day: ClaimValue): boolean =>
  month.kind === "month" && day.kind === "day" && day.value.startsWith(`${month.value}-`)

const hasValue = (values: ReadonlyArray<ClaimValue>, value: ClaimValue): boolean =>
  values.some((other) => isSameValue(value, other))

/** The share of the words, and of the values if given, that the other text contains, 0…1. */
const shareOf = (
  words: ReadonlyArray<MatchedWord>,
  values: ReadonlyArray<ClaimValue> = [],
  others: ReadonlyArray<ClaimValue> = []
): number => {
  const all = weightOf(words) + values.length
  const shared = words.reduce((sum, { match, weight }) => sum + weight * match, 0)
  return all === 0 ? 0 : (shared + values.filter((value) => hasValue(others, value)).length) / all
}

const isDenied = (word: ClaimWord, words: Words): boolean =>
  [...words.values()].some((other) => other.status === "denied" && isPart(word.key, other.key))

const isTurned = (a: ClaimWord, b: ClaimWord): boolean =>
  ((a.status === "stated") !== (b.status === "stated")) !== (a.opposite !== b.opposite)

/** Compares a statement with a memory. */
export const compareClaims = (memory: Claim, statement: Claim): Relation => {
  const facts = observe(memory, statement)
  const reason = reasonOf(memory, statement, facts)
  return {
    action: actionByReason[reason],
    reason,
    confidence: actionByReason[reason] === "DELETE" ? confidenceOf(reason, memory, statement, facts) : 1,
    shared: reason === "one more of a list" ? facts.listed : facts.shared
  }
}

/** The differences and common parts of two claims. */
type Observed = ReturnType<typeof observe>

/** True if the subjects of a text are not subjects of the other text. Without subjects, compares the first words. */
const isMoved = (words: Words, others: Words): boolean => {
  const full = [...words.values()].filter(({ weight }) => weight === 1)
  const subjects = full.filter(({ subject }) => subject)
  const [first] = [...others.values()].filter(({ weight }) => weight === 1)
  return subjects.length > 0
    ? subjects.every(({ key }) => others.get(key)?.subject === false)
    : full.length > 0 && first !== undefined && first.key !== full[0]!.key
}

const observe = (memory: Claim, statement: Claim) => {
  const title = matched(memory.title, statement.words)
  const said = matched(statement.title, memory.words)
  const subject = title.filter((word) => word.subject)
  const predicate = title.filter((word) => !word.subject)
  const turned = predicate.filter((word) => {
    const other = statement.words.get(word.key)
    // "No longer allergic to nuts" ends a nut allergy; "intolerant of nuts" does not contradict "eats no nuts".
    return other !== undefined
      ? isTurned(word, other)
      : word.match > 0 && word.status === "stated" && isDenied(word, statement.words)
  })
  const turnedValues = memory.titleValues.filter((value) =>
    statement.values.some((other) => isSameValue(value, other) && other.status !== value.status)
  )
  const stated = statement.values.filter(({ status }) => status === "stated")
  const kinds = new Set(memory.titleValues.map(({ kind }) => kind))
  const otherValue = [...kinds].some((kind) => {
    const [ours, theirs] = [memory.values, stated].map((values) => values.filter((value) => value.kind === kind))
    return theirs!.length > 0 && ours!.every((value) => !hasValue(stated, value))
  })
  const missing = title.filter(({ match }) => match === 0)
  const fresh = said.filter(({ match }) => match === 0)
  const newScopes = fresh.filter(({ scope }) => scope)
  const words = shareOf(title)
  return {
    words,
    shared: shareOf(title, memory.titleValues, statement.values),
    said: shareOf(said, statement.titleValues, memory.values),
    /** The share of a list's heading that the statement repeats. */
    listed: Math.max(words, shareOf(subject)),
    subject: subject.length === 0 ? 1 : shareOf(subject),
    /** The statement has another subject in place of the memory's. */
    otherSubject:
      fresh.some(({ subject, weight }) => subject && weight === 1) &&
      missing.some(({ subject, weight }) => subject && weight === 1),
    /** The subject and the object changed places. */
    swapped: isMoved(memory.title, statement.title) && isMoved(statement.title, memory.title),
    turned: (weightOf(turned) + turnedValues.length) / Math.max(light, weightOf(predicate) + memory.titleValues.length),
    opposite: turned.some(({ key }) => key.startsWith("±")),
    otherValue,
    sameValue: memory.titleValues.some((value) => !value.label && value.kind !== "weekday" && hasValue(stated, value)),
    sameValues: memory.titleValues.every((value) => hasValue(stated, value)),
    newValues: statement.titleValues.some((value) => !hasValue(memory.values, value)),
    fresh: weightOf(fresh.filter(({ status }) => status === "stated")),
    otherScope:
      newScopes.some(({ subject }) => subject) || (newScopes.length > 0 && missing.some(({ scope }) => scope)),
    otherLabel: memory.titleValues.some(
      (value) => value.label && statement.titleValues.some((other) => other.label && other.value !== value.value)
    )
  }
}

const weightOf = (words: ReadonlyArray<ClaimWord>) => words.reduce((sum, { weight }) => sum + weight, 0)
const light = 0.3

const reasonOf = (memory: Claim, statement: Claim, seen: Observed): Reason => {
  const turned = seen.turned >= minShares.contradiction
  const isEqual = seen.shared >= minShares.same && seen.said >= minShares.same && !turned
  if (isEqual && seen.swapped) return "something else"
  if (isEqual && statement.open === memory.open) return "says the same"
  const { titleCues } = statement
  if ((titleCues.has("added") || titleCues.has("also")) && memory.isList && seen.listed >= minShares.value)
    return "one more of a list"
  if (statement.open !== undefined) return "not stated as a fact"
  if (seen.otherScope) return "another scope"
  const isAbout = seen.words >= minShares.contradiction || (seen.said >= minShares.same && seen.words >= light)
  const isChange = (["changed", "corrected"] as const).some((cue) => statement.cues.has(cue) && !memory.cues.has(cue))
  const isBrief = isChange || seen.said >= minShares.same || (memory.state === "due" && statement.state === "done")
  if (seen.otherLabel || seen.otherSubject || seen.subject < (isBrief ? light : minShares.value))
    return "another subject"
  if (titleCues.has("also") && !turned) return "something else"
  return contradictionOf(memory, statement, { ...seen, isAbout, isChange }) ?? agreementOf(memory, statement, seen)
}

const contradictionOf = (
  memory: Claim,
  { cues, state, titleCues }: Claim,
  seen: Observed & { readonly isAbout: boolean; readonly isChange: boolean }
): Reason | undefined => {
  const { fresh, isAbout, isChange, newValues, otherValue, turned, words } = seen
  if (turned >= (cues.has("ended") ? minShares.ended : minShares.contradiction) && isAbout)
    return seen.opposite ? "opposite" : cues.has("ended") ? "no longer so" : "negated"
  if (memory.state === "due" && state === "done" && isAbout) return "done since"
  if (titleCues.has("still") && !newValues) return undefined
  if (memory.facts > 2 && isChange && isAbout) return "one of several facts"
  if (otherValue && words >= minShares.value && (isChange || fresh <= maxFresh))
    return isChange ? "changed" : "another value"
  if (isChange && isAbout && (fresh >= 0.5 || newValues)) return cues.has("corrected") ? "corrected" : "changed"
  return undefined
}

const agreementOf = (memory: Claim, { titleCues }: Claim, seen: Observed): Reason => {
  const isKnown = !seen.newValues && seen.turned === 0
  if (titleCues.has("still") && isKnown && seen.shared >= minShares.confirmed) return "confirms it"
  if (seen.said >= minShares.same && isKnown) return "says part of it"
  if (
    isKnown &&
    seen.sameValue &&
    seen.words >= minShares.contradiction &&
    seen.fresh <= (seen.words >= minShares.same ? maxFresh : 1)
  )
    return "another unit"
  if (seen.words >= minShares.same && isKnown && seen.fresh < 1) return "says nothing new"
  if (seen.words >= minShares.detail && seen.turned === 0 && seen.sameValues) return "adds detail"
  if (
    seen.sameValues &&
    memory.titleValues.length > 0 &&
    seen.words >= minShares.value &&
    seen.turned === 0 &&
    seen.newValues
  )
    return "adds detail"
  return "something else"
}

/**
 * A contradiction is only certain if the statement contains nothing but the change. The statement repeats all other
 * words of the memory, has no value of another kind ("on Saturdays") and nothing uncertain. The memory says nothing
 * else.
 */
const confidenceOf = (reason: Reason, memory: Claim, statement: Claim, seen: Observed): number => {
  if (memory.facts > 0 || memory.isList || statement.isHedged || seen.words < 1) return 0.85
  const isNarrow = statement.values.some(({ kind }) => memory.titleValues.every((value) => value.kind !== kind))
  if (seen.fresh > 0 || isNarrow) return 0.9
  if (reason === "no longer so" && seen.turned === 1) return 0.99
  return reason === "changed" && seen.otherValue ? 0.99 : 0.9
}
