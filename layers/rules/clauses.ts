import { type Item, itemsOf } from "./items.js"
import type { Cue, Slot } from "./Language.js"
import type { Lexicon } from "./lexicon.js"
import { pivotOf, verbIn } from "./pivot.js"
import type { Scalar } from "./scalars.js"

/** Where a word of a clause stands: what it is told of, what is told, and around it. */
export type Place = "subject" | "attribute" | "object" | "former" | Slot

/** A word of a clause in its place. */
export interface Word {
  readonly item: Item
  readonly place: Place
  /** It names the relation and nothing beside it. */
  readonly relational: boolean
  /** The side of a pair of opposites that it takes. */
  readonly side?: boolean
}

/** One thing that is said, read as far as rules can. */
export interface Clause {
  /** By what they are compared by; the first of a kind stays. */
  readonly words: ReadonlyMap<string, Word>
  readonly scalars: ReadonlyArray<Scalar>
  /** Numbers and days that belong to what it is about: the Q1 report. */
  readonly naming: ReadonlyArray<Scalar>
  readonly relation: string
  readonly negative: boolean
  readonly cues: ReadonlySet<Cue>
  readonly question: boolean
  /** Key and value: port: 5432; "assigned" with a sign of equality or an identifier as its key. */
  readonly keyed: "no" | "listed" | "assigned"
  /** Something that happened, and may happen again. */
  readonly event: boolean
  /** Told of the speaker, of somebody named elsewhere, of what it names, of nobody. */
  readonly told: "speaker" | "somebody" | "named" | "nobody"
  /** Its value has an indefinite article: a doctor, an apple. */
  readonly indefinite: boolean
}

/** The clauses of a text, as many as are worth reading. */
export const clausesOf = (text: string, lexicon: Lexicon, at: number, most: number): ReadonlyArray<Clause> => {
  const clauses: Array<Clause> = []
  for (const items of parted(itemsOf(text.slice(0, looked), lexicon, at))) {
    if (clauses.length >= most) break
    const clause = clauseOf(items, lexicon)
    if (clause.words.size + clause.scalars.length > 0) clauses.push(clause)
  }
  return clauses
}
/** Characters of one text. */
const looked = 2_000

/** Parts sentences, and what follows "but", a dash or a comma and has a subject and a verb of its own. */
const parted = (items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> => {
  const found: Array<Array<Item>> = [[]]
  for (const [index, item] of items.entries()) {
    const ends =
      item.mark !== undefined &&
      items[index - 1]?.entry?.abbreviation !== true &&
      /^(?:[.!?;\n]|[-–—])$/.test(item.mark)
    const joins = item.entry?.joins === true && index > 1 && goesOn(items, index + 1)
    if (
      ends ||
      joins ||
      (item.form === "but" && index > 0) ||
      (item.mark === "," && index > 2 && begins(items, index + 1))
    ) {
      if (item.mark === "?") found.at(-1)!.push(item)
      found.push([])
    } else found.at(-1)!.push(item)
  }
  return found.filter((part) => part.length > 0)
}

const begins = (items: ReadonlyArray<Item>, from: number): boolean => {
  if (items[from]?.entry?.joins === true) return begins(items, from + 1)
  const first = items[from]
  if (first === undefined || first.mark !== undefined || first.entry?.slot !== undefined) return false
  const ahead = items.slice(from, from + 6)
  const end = ahead.findIndex(({ mark }) => mark !== undefined)
  const verb = verbIn(end === -1 ? ahead : ahead.slice(0, end))
  return verb > 0 && (end === -1 || verb < end)
}

/** "and joined a choir", "and now lives in Rome": more of the same subject. */
const goesOn = (items: ReadonlyArray<Item>, from: number): boolean => {
  const next = items[from]
  const verb = next?.entry?.cue === "changed" && next.entry.verb === undefined ? (items[from + 1] ?? next) : next
  if (verb?.entry === undefined || verb.entry.slot !== undefined) return false
  if (verb.entry.auxiliary === true) return verb.canon !== "hav" || next !== verb
  return verb.entry.verb === true && (/(?:[^s]s|ed)$/.test(verb.form) || past.test(verb.form))
}

/** Gathers what a clause says while its items pass. */
const clauseOf = (items: ReadonlyArray<Item>, lexicon: Lexicon): Clause => {
  const pivot = pivotOf(items)
  const words = new Map<string, Word>()
  const scalars: Array<Scalar> = []
  const naming: Array<Scalar> = []
  const cues = new Set<Cue>()
  let relation = ""
  let verb = ""
  let nots = 0
  let told: Clause["told"] = "nobody"
  let event = false
  let indefinite = false
  let place: Place = pivot.at === 0 ? "object" : "subject"
  for (const [at, item] of items.entries()) {
    const { entry } = item
    const inside = at < pivot.at
    if (at === pivot.at) place = "object"
    if (item.mark !== undefined) {
      if (item.mark === "," && at > pivot.at && pivot.at >= 0 && place !== "reason") place = "object"
      if (item.mark === "(" && !inside) place = "reason"
      if (item.mark === ")" && place === "reason") place = "object"
      continue
    }
    if (entry?.cue !== undefined) {
      if (entry.cue === "not" || entry.cue === "ended") {
        if (place !== "reason") nots++
      }
      if (place !== "reason" || entry.cue !== "ended") cues.add(entry.cue)
      if (entry.cue === "former") place = "former"
    }
    if (entry?.speaker === true) {
      if (inside || pivot.at <= 0) told = "speaker"
      continue
    }
    if (entry?.pronoun === true && entry.slot === undefined) {
      if (inside && told === "nobody") told = "somebody"
      continue
    }
    if (entry?.slot !== undefined && entry.relation === undefined && !isState(items, at)) {
      const stays =
        inside ||
        entry.slot === "and" ||
        place === "reason" ||
        (entry.slot === "scope" && place === "former" && item.form === "of")
      const noun = pivot.at === -1 && (entry.slot === "scope" || entry.slot === "with")
      if (!stays && !noun) place = entry.slot === "reason" && items[at + 1]?.scalar !== undefined ? "until" : entry.slot
      continue
    }
    if (item.scalar !== undefined && item.name !== true) {
      if (inside) naming.push(item.scalar)
      else if (place !== "reason" && place !== "former") scalars.push(item.scalar)
      continue
    }
    if (item.form === "a" || item.form === "an") indefinite ||= !inside && place === "object"
    const relational =
      entry?.relation !== undefined &&
      place !== "reason" &&
      (!inside || entry.singular === true || nominal.has(entry.relation))
    if (
      relational &&
      (relation === "" || relation === "contain" || (!inside && entry!.relation !== "contain" && at <= pivot.at + 2))
    )
      relation = entry!.relation!
    if (verb === "" && !inside && entry?.verb === true && entry.pair === undefined && at <= pivot.at + 2)
      verb = item.canon
    if (verb === "" && at === pivot.at && entry === undefined && !pivot.keyed) verb = item.canon
    if (entry?.event === true && past.test(item.form) && !inside && !lexicon.present.has(items[at - 1]?.form ?? ""))
      event = true
    if (
      entry?.empty === true ||
      (entry?.relation === "own" && item.form === "own" && items[at - 1]?.entry?.pronoun === true) ||
      entry?.auxiliary === true
    )
      continue
    if (
      entry?.cue !== undefined &&
      entry.kinds === undefined &&
      entry.relation === undefined &&
      entry.pair === undefined
    )
      continue
    const side = entry?.pair !== undefined && !inside ? { side: entry.side! } : {}
    const canon = entry?.pair !== undefined && !inside ? entry.pair : item.canon
    const around = place === "place" && entry?.kinds?.some((kind) => circumstances.has(kind)) === true
    const key = pivot.keyed && at === pivot.at - 1 && entry?.singular === true
    const found: Place = key || isAttribute(items, at, inside) ? "attribute" : around ? "scope" : place
    if (found === "subject" && !relational) told = "named"
    const known = words.get(canon)
    if (known !== undefined && (known.place !== "reason" || found === "reason")) continue
    words.set(canon, {
      item: at === 0 && item.possessive !== true ? unnamed(item) : item,
      place: found,
      relational,
      ...side
    })
  }
  const assigned = items.some(({ mark }) => mark === "=") || /[._/]/.test(items[0]?.form ?? "")
  return {
    words,
    scalars,
    naming,
    relation: relation !== "" ? relation : verb,
    negative: nots % 2 === 1,
    cues,
    question: items.some(({ mark }) => mark === "?"),
    keyed: pivot.keyed ? (assigned ? "assigned" : "listed") : "no",
    event: event || lexicon.relations[relation]?.event === true,
    told,
    indefinite
  }
}
/** Kinds that tell where or when something holds, not what holds. */
const circumstances: ReadonlySet<string> = new Set(["environment", "audience", "device", "system", "daytime", "season"])
/** "is on", "went down": a preposition with nothing behind it tells a state. */
const isState = (items: ReadonlyArray<Item>, at: number): boolean => {
  if (items[at]!.entry!.pair === undefined) return false
  const after = items[at + 1]
  return after === undefined || after.mark !== undefined || after.entry?.slot !== undefined
}

/** Relations that are named by a noun as well. */
const nominal: ReadonlySet<string> = new Set(["own", "favorite", "prefer", "cost", "weigh", "marry", "report", "name"])
const past = /ed$|^(?:ran|met|bought|sold|went|saw|flew|rode|swam|won|broke|found|sent|gave|read|ate|paid)$/

const unnamed = ({ name: _, ...item }: Item): Item => item

/** A noun with one value at a time, where it stands as the attribute: last of the subject, before "of", before its value. */
const isAttribute = (items: ReadonlyArray<Item>, at: number, inside: boolean): boolean => {
  const { entry, form } = items[at]!
  if (entry?.singular !== true || /[^su]s$/.test(form)) return false
  let next = at + 1
  while (items[next]?.entry?.empty === true && items[next]!.entry!.slot === undefined) next++
  const after = items[next]
  if (after === undefined) return inside || items[at - 1]?.form === "as" || items[at - 1]?.form === "the"
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
