import { unitsOf } from "../values/units.js"
import type { Item } from "./tokens.js"

/** Verbs in the past tense: by their ending, or from a list of irregular forms. */
export const pastForms =
  /ed$|^(?:ran|met|bought|sold|went|saw|flew|rode|swam|won|broke|found|sent|gave|ate|paid|took|left|chose|became|got|wrote|built|held|lost|spoke|drove|grew|fell|began|came|made|quit)$/

/** The point where the subject of a clause ends. */
export interface SubjectEnd {
  /** The index of the verb, or of the ":", "=", ">" or "(" after a key; −1 if there is neither. */
  readonly index: number
  /** True if the clause is a key with a value: "port: 5432". */
  readonly keyed: boolean
}

/** Finds the colon after a key, otherwise the first verb. */
export const findSubjectEnd = (items: ReadonlyArray<Item>): SubjectEnd => {
  const colon = items.findIndex(({ mark }) => mark !== undefined && /[:=>(]/.test(mark))
  const verb = findVerbIndex(items)
  // A key and value without a mark: "plan Starter", "port 5432".
  if (verb === -1 && colon === -1 && items.length <= maxTerseWords && items[0]?.entry?.singular === true)
    return { index: 1, keyed: true }
  if (
    colon <= 0 ||
    colon > maxKeyWords ||
    items[colon]!.mark === "(" ||
    (verb > -1 && verb < colon && items[verb]!.entry?.auxiliary === true)
  )
    return { index: verb, keyed: false }
  const rest = items.slice(colon + 1)
  const later = findVerbIndex(rest)
  const listed = rest.slice(0, Math.max(0, later)).some(({ mark }) => mark === ",")
  return later < 1 || listed || rest.length < 4
    ? { index: colon, keyed: true }
    : { index: colon + 1 + later, keyed: false }
}
/** The maximum number of words in a key. */
const maxKeyWords = 8
/** The maximum number of words in a key and its value, if no mark separates them. */
const maxTerseWords = 3

export const findVerbIndex = (items: ReadonlyArray<Item>): number => {
  for (const [at, item] of items.entries()) {
    const before = items[at - 1]
    if (item.mark !== undefined || item.scalar !== undefined || isDetermined(before)) continue
    const { entry, form } = item
    if (entry?.auxiliary === true && (at > 0 || item.canon !== "hav")) return at
    if (at > 0 && at <= 4 && isUnknownVerb(items, at)) return at
    if (entry === undefined) continue
    if (entry.pair !== undefined && form.includes(" ") && at > 0) return at
    if (entry.verb !== true) continue
    if (at === 0) {
      const later = nextVerb(items)
      return Math.max(later, 0)
    }
    if (isInflected(item) || form.includes(" ") || followsSubject(before) || isPlural(before)) return at
  }
  return -1
}

const isDetermined = (before: Item | undefined): boolean =>
  before?.entry?.determiner === true || before?.possessive === true
const isInflected = ({ canon, form }: Item): boolean =>
  /(?:[^s]s|ed)$/.test(form) || (form !== canon && !/e$|ing$/.test(form))
const followsSubject = (before: Item | undefined): boolean =>
  before?.entry?.speaker === true ||
  before?.entry?.pronoun === true ||
  ["we", "you", "they", "to", "always", "never"].includes(before?.form ?? "")
const isPlural = (before: Item | undefined): boolean => /[^s]s$/.test(before?.form ?? "") && before?.possessive !== true

/**
 * True if the ending and the neighbours of a word show that it is a verb, although the tables do not list it as one.
 */
const isUnknownVerb = (items: ReadonlyArray<Item>, index: number): boolean => {
  const [before, item, after] = [items[index - 1]!, items[index]!, items[index + 1]]
  const { entry } = item
  if (
    entry !== undefined &&
    (entry.verb ||
      entry.slot ||
      entry.cue ||
      entry.empty ||
      entry.pronoun ||
      entry.number !== undefined ||
      entry.auxiliary)
  )
    return false
  if (
    unitsOf(item.form) !== undefined ||
    item.capital === true ||
    item.form.length < 3 ||
    before.mark !== undefined ||
    before.entry?.slot !== undefined
  )
    return false
  if (after === undefined || after.mark !== undefined || after.entry?.auxiliary === true || after.entry?.verb === true)
    return false
  if (isPlural(before)) return after.entry?.determiner === true || after.entry?.pronoun === true
  const object = after.capital === true || after.entry?.determiner === true
  return entry === undefined || before.scalar !== undefined || object
    ? /(?:[^su]s|ed)$/.test(item.form)
    : /ed$/.test(item.form)
}

/**
 * Finds a second verb in the same clause. Then the first word is a noun, although it could be a verb: "Deploy runs at
 * five", "Write timeout of the gateway is 10 s".
 */
const nextVerb = (items: ReadonlyArray<Item>): number => {
  for (let index = 1; index < items.length; index++) {
    const { entry, form, mark } = items[index]!
    if (
      mark !== undefined ||
      entry?.slot === "reason" ||
      entry?.pronoun === true ||
      entry?.speaker === true ||
      entry?.joins === true
    )
      return -1
    if (isDetermined(items[index - 1])) continue
    if (entry?.auxiliary === true) return index
    if (index <= 3 && entry?.verb === true && entry.slot === undefined && /(?:[^s]s|ed)$/.test(form)) return index
  }
  return -1
}
