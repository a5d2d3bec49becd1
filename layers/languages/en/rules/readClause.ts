import type { Value } from "../values/Value.js"
import type { Clause, ClauseRole, Word } from "./Clause.js"
import { relations } from "./englishRelations.js"
import type { Cue } from "./Language.js"
import { lexicon } from "./lexicon.js"
import { findSubjectEnd, pastForms, type SubjectEnd } from "./pivot.js"
import type { Item } from "./tokens.js"

/** The state while a clause is being read. */
type ClauseDraft = ReturnType<typeof emptyDraft>

const emptyDraft = (items: ReadonlyArray<Item>, pivot: SubjectEnd) => ({
  ...{ items, pivot, relation: "", verb: "", notCount: 0 },
  ...{ hasOver: false, isDenying: false, event: false, past: false, indefinite: false },
  words: new Map<string, Word>(),
  scalars: [] as Value[],
  naming: [] as Value[],
  cues: new Set<Cue>(),
  place: (pivot.index === 0 ? "object" : "subject") as ClauseRole,
  denied: undefined as string | undefined,
  subjectKind: "nobody" as Clause["subjectKind"]
})

/** Parses a clause: subject, value, relation and negation. */
export const clauseOf = (items: ReadonlyArray<Item>): Clause => {
  const pivot = findSubjectEnd(items)
  const draft = emptyDraft(items, pivot)
  for (const [index, item] of items.entries()) {
    if (index === pivot.index) draft.place = "object"
    if (item.mark !== undefined) takeMark(draft, index, item.mark)
    else {
      takeCue(draft, index)
      if (!takePronoun(draft, index) && !takeSlot(draft, index) && !takeScalar(draft, index)) takeWord(draft, index)
    }
  }
  const assigned = items.some(({ mark }) => mark === "=") || /[._/]/.test(items[0]?.form ?? "")
  const { event, hasOver, notCount, relation, verb } = draft
  return {
    ...draft,
    relation: relation !== "" ? relation : verb,
    negative: (notCount === 0 && hasOver ? 1 : notCount) % 2 === 1,
    question: items.some(({ mark }) => mark === "?"),
    keyed: pivot.keyed ? (assigned ? "assigned" : "listed") : "no",
    verbless: pivot.index === -1,
    event: event || relations[relation]?.event === true
  }
}

const takeMark = (draft: ClauseDraft, index: number, mark: string) => {
  const { items, pivot, place } = draft
  const inside = index < pivot.index
  if (mark === "," && index > pivot.index && pivot.index >= 0 && place !== "reason") draft.place = "object"
  // In "X, not Y", Y is the rejected value.
  if (mark === "," && items[index + 1]?.entry?.cue === "not") draft.place = "former"
  if (mark === "(") draft.place = "reason"
  if (mark === ")" && place === "reason") draft.place = inside ? "subject" : "object"
  if (inside && mark === "," && place === "scope") draft.place = "subject"
}

const takeCue = (draft: ClauseDraft, index: number) => {
  const { cues, items, place } = draft
  const cue = items[index]!.entry?.cue
  if (cue === undefined || place === "reason") return
  if (cue === "not" && place === "former") return
  // The speaker's own words are not hearsay.
  if (cue === "said" && draft.subjectKind === "speaker") return
  if (cue === "not" || cue === "ended") draft.notCount++
  if (cue === "over") {
    draft.hasOver = true
    cues.add("ended")
  }
  if (cue === "not") draft.isDenying = true
  if (cue === "former") draft.place = "former"
  cues.add(cue)
}

const takePronoun = (draft: ClauseDraft, index: number): boolean => {
  const { entry } = draft.items[index]!
  const inside = index < draft.pivot.index
  if (entry?.speaker === true) {
    if (inside || draft.pivot.index <= 0) draft.subjectKind = "speaker"
    return true
  }
  if (entry?.pronoun !== true || entry.slot !== undefined) return false
  if (inside && draft.subjectKind === "nobody") draft.subjectKind = "somebody"
  return true
}

const takeSlot = (draft: ClauseDraft, index: number): boolean => {
  const { items, pivot, place } = draft
  const { entry, form } = items[index]!
  if (entry?.slot === undefined || entry.relation !== undefined || isState(items, index)) return false
  if (index < pivot.index) {
    // "For state management we use it", "On Saturdays the bus leaves": the leading phrase is not the subject.
    if (index === 0 && entry.slot !== "and") draft.place = "scope"
    return true
  }
  if (entry.slot === "and" || place === "reason" || (entry.slot === "scope" && place === "former" && form === "of"))
    return true
  if (pivot.index === -1 && (entry.slot === "scope" || entry.slot === "with")) return true
  draft.place = entry.slot === "reason" && items[index + 1]?.scalar !== undefined ? "until" : entry.slot
  return true
}

const takeScalar = (draft: ClauseDraft, index: number): boolean => {
  const { items, naming, pivot, place, scalars } = draft
  const { name, scalar } = items[index]!
  if (scalar === undefined || name === true) return false
  const slot = items[index - 1]?.entry?.slot ?? items[index - 2]?.entry?.slot
  const dated =
    (scalar.kind === "day" || scalar.kind === "clock") && (place === "scope" || slot === "place" || slot === "until")
  if (index < pivot.index && !dated && place !== "reason") naming.push(scalar)
  else if (place !== "reason" && place !== "former") scalars.push(scalar)
  return true
}

const takeWord = (draft: ClauseDraft, index: number) => {
  const { items, pivot, words } = draft
  const item = items[index]!
  const { entry, form } = item
  const inside = index < pivot.index
  if (inside && draft.place === "scope" && (entry?.determiner === true || items[index - 1]?.scalar !== undefined))
    draft.place = index === 1 ? "scope" : "subject"
  const { place } = draft
  if (form === "a" || form === "an") draft.indefinite ||= !inside && place === "object"
  const adjective = entry?.pair !== undefined && isFollowedByWord(items, index) && !pastForms.test(form)
  const relational =
    entry?.relation !== undefined && !adjective && place !== "reason" && (!inside || entry.noun === true)
  if (relational) takeRelation(draft, index)
  if (!inside && index <= pivot.index + 2) {
    if (
      draft.verb === "" &&
      (entry === undefined ? index === pivot.index && !pivot.keyed : entry.verb === true && entry.pair === undefined)
    )
      draft.verb = item.canon
    if (
      lexicon.past.has(form) ||
      (index === pivot.index && pastForms.test(form)) ||
      (entry?.verb === true && pastForms.test(form) && !lexicon.present.has(items[index - 1]?.form ?? ""))
    )
      draft.past = true
  }
  if (entry?.event === true && pastForms.test(form) && !inside && !lexicon.present.has(items[index - 1]?.form ?? ""))
    draft.event = true
  if (entry?.empty === true || entry?.auxiliary === true) return
  // "On their own phones" does not state ownership.
  if (entry?.relation === "own" && form === "own" && items[index - 1]?.entry?.pronoun === true) return
  if (entry?.cue !== undefined && entry.kinds === undefined && entry.relation === undefined && entry.pair === undefined)
    return
  const isOneOfPair = entry?.pair !== undefined && !inside
  const canon = isOneOfPair ? entry.pair! : item.canon
  if (draft.isDenying && draft.denied === undefined) draft.denied = canon
  const around = place === "place" && entry?.kinds?.some((kind) => circumstances.has(kind)) === true
  const key = pivot.keyed && index === pivot.index - 1 && entry?.singular === true
  const wordPlace: ClauseRole = key || isAttribute(items, index, inside) ? "attribute" : around ? "scope" : place
  if (wordPlace === "subject" && !relational) draft.subjectKind = "named"
  const existing = words.get(canon)
  if (existing !== undefined && (existing.place !== "reason" || wordPlace === "reason")) return
  const unnamedItem = index === 0 && item.possessive !== true ? unnamed(item) : item
  words.set(canon, { item: unnamedItem, place: wordPlace, relational, ...(isOneOfPair ? { side: entry.side! } : {}) })
}

/** Selects the relation. The relation of a verb has priority over that of a noun, and any other relation over "has". */
const takeRelation = (draft: ClauseDraft, index: number) => {
  const { items, pivot, relation } = draft
  const verbRelation = items[index]!.entry!.relation!
  const main = index >= pivot.index && index <= pivot.index + 2 && verbRelation !== "contain"
  if (relation === "" || relation === "contain" || main) draft.relation = verbRelation
}

/** Kinds of words that name a place, a time or a context in which something is true. */
const circumstances: ReadonlySet<string> = new Set(["environment", "audience", "device", "system", "daytime", "season"])

/** True if the word follows an auxiliary; words without content between them are skipped. */
const isFollowedByWord = (items: ReadonlyArray<Item>, index: number): boolean => {
  let before = index - 1
  while (before > 0 && items[before]!.entry?.empty === true && items[before]!.entry?.auxiliary !== true) before--
  return items[before]?.entry?.auxiliary === true
}

/** True if a preposition expresses a state, because no object follows: "is on", "went down". */
const isState = (items: ReadonlyArray<Item>, index: number): boolean => {
  if (items[index]!.entry!.pair === undefined) return false
  const after = items[index + 1]
  return after === undefined || after.mark !== undefined || after.entry?.slot !== undefined
}

const unnamed = ({ name: _, ...item }: Item): Item => item

/** True if a noun is the attribute: last in the subject, before "of", or before its value. */
const isAttribute = (items: ReadonlyArray<Item>, index: number, inside: boolean): boolean => {
  const { entry, form } = items[index]!
  if (entry?.singular !== true || /[^su]s$/.test(form)) return false
  let next = index + 1
  while (items[next]?.entry?.empty === true && !items[next]!.entry!.slot && !items[next]!.entry!.auxiliary) next++
  const after = items[next]
  if (after === undefined) return inside || items[index - 1]?.form === "as" || items[index - 1]?.form === "the"
  if (
    after.scalar !== undefined ||
    after.mark === ":" ||
    after.mark === "=" ||
    after.mark === "," ||
    after.mark === "("
  )
    return true
  if (after.entry?.auxiliary === true || after.entry?.slot !== undefined || after.entry?.verb === true) return true
  return !inside && after.capital === true
}
