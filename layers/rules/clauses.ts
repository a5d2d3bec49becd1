import { type Item, itemsOf } from "./items.js"
import type { Cue, Slot } from "./Language.js"
import type { Lexicon } from "./lexicon.js"
import type { Scalar } from "./scalars.js"

/** Where a word of a clause stands: what it is told of, what is told, and around it. */
export type Place = "subject" | "attribute" | "object" | "former" | Slot

/** A word of a clause in its place. */
export interface Word {
  readonly item: Item
  readonly place: Place
  /** The side of a pair of opposites that the clause takes, negation counted in. */
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
  /** Key and value: port: 5432. */
  readonly keyed: boolean
  /** Something that happened, and may happen again. */
  readonly event: boolean
  /** Told of the speaker, of "we", of nobody named. */
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

/** Parts sentences, and what follows "but" or a dash and has a subject of its own. */
const parted = (items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> => {
  const found: Array<Array<Item>> = [[]]
  for (const [index, item] of items.entries()) {
    const ends = item.mark !== undefined && /^(?:[.!?;\n]|[-–—])$/.test(item.mark)
    if (ends || (item.form === "but" && index > 0)) {
      if (item.mark === "?") found.at(-1)!.push(item)
      found.push([])
    } else found.at(-1)!.push(item)
  }
  return found.filter((part) => part.length > 0)
}

/** Where the subject ends: at a key's colon, else at the first verb that is no noun. */
const pivotOf = (items: ReadonlyArray<Item>): { readonly at: number; readonly keyed: boolean } => {
  const colon = items.findIndex(({ mark }) => mark === ":" || mark === "=" || mark === ">")
  const auxiliary = items.findIndex(({ entry }) => entry?.auxiliary === true)
  if (colon > 0 && colon <= longestKey && (auxiliary === -1 || auxiliary > colon)) {
    const rest = items.slice(colon + 1)
    const verb = verbIn(rest)
    if (verb < 1 || rest.length < 4) return { at: colon, keyed: true }
    return { at: colon + 1 + verb, keyed: false }
  }
  return { at: verbIn(items), keyed: false }
}
/** Words of a key. */
const longestKey = 8

const verbIn = (items: ReadonlyArray<Item>): number => {
  for (const [at, { canon, capital, entry, form }] of items.entries()) {
    if (entry === undefined) continue
    const before = items[at - 1]
    const determined = before?.entry?.determiner === true || before?.possessive === true
    if (entry.auxiliary === true && (at > 0 || canon !== "have")) return at
    if ((entry.cue === "ended" || entry.cue === "changed") && form.length > 3 && !determined) return at
    if (entry.verb !== true || determined) continue
    if (at === 0) return entry.slot === undefined && !followedByVerb(items, 1) ? 0 : nextVerb(items)
    if (capital === true && before?.mark === undefined && entry.singular === true) continue
    const inflected = /(?:s|ed)$/.test(form) || form !== canon || form.includes(" ")
    const plain =
      before?.entry?.speaker === true ||
      before?.entry?.pronoun === true ||
      ["we", "you", "they", "to"].includes(before?.form ?? "")
    const plural = /[^s]s$/.test(before?.form ?? "") && before?.possessive !== true
    if (inflected || plain || plural) return at
  }
  return -1
}
/** "Deploy runs at five": the first word is a noun when a verb with an ending follows close by. */
const followedByVerb = (items: ReadonlyArray<Item>, from: number): boolean =>
  items
    .slice(from, from + 2)
    .some(
      ({ entry, form }) =>
        entry?.auxiliary === true || (entry?.verb === true && entry.slot === undefined && /(?:s|ed)$/.test(form))
    )
const nextVerb = (items: ReadonlyArray<Item>): number =>
  items.findIndex(
    ({ entry, form }, at) => at > 0 && (entry?.auxiliary === true || (entry?.verb === true && /(?:s|ed)$/.test(form)))
  )

/** Slots whose words are not what the clause says. */
const clauseOf = (items: ReadonlyArray<Item>, lexicon: Lexicon): Clause => {
  const { at: pivot, keyed } = pivotOf(items)
  const words = new Map<string, Word>()
  const scalars: Array<Scalar> = []
  const naming: Array<Scalar> = []
  const cues = new Set<Cue>()
  let relation = ""
  let nots = 0
  let told: Clause["told"] = "nobody"
  let event = false
  let indefinite = false
  let quotes = 0
  let place: Place = pivot === -1 ? "subject" : pivot === 0 ? "object" : "subject"
  for (const [at, item] of items.entries()) {
    const { entry } = item
    if (at === pivot && place === "subject") place = "object"
    if (item.mark !== undefined) {
      if (/["“”]/.test(item.mark)) quotes++
      if (item.mark === "," && at > pivot && place !== "reason" && place !== "subject") place = "object"
      if (item.mark === "(") place = pivot >= 0 && at < pivot ? place : "reason"
      continue
    }
    if (entry?.cue !== undefined && !(entry.cue === "about" && item.scalar === undefined && at < pivot)) {
      if (entry.cue === "not" || entry.cue === "ended") nots++
      if (!(entry.cue === "not" && place === "reason")) cues.add(entry.cue)
      if (entry.cue === "former") place = "former"
    }
    if (entry?.speaker === true) {
      if (at < pivot || pivot === -1) told = "speaker"
      continue
    }
    if (entry?.pronoun === true && entry.slot === undefined) {
      if (at <= pivot) told = told === "nobody" ? "somebody" : told
      continue
    }
    if (entry?.slot !== undefined && entry.relation === undefined) {
      if (at > pivot || pivot === -1) {
        if (entry.slot === "scope" && place === "former" && item.form === "of") continue
        if (!(pivot === -1 && (entry.slot === "scope" || entry.slot === "with" || entry.slot === "and"))) {
          if (entry.slot !== "and" && place !== "reason") place = entry.slot
        }
      }
      continue
    }
    const inside = at < pivot
    if (item.scalar !== undefined && !(item.name === true && inside)) {
      if (inside && !keyed) naming.push(item.scalar)
      else if (inside) naming.push(item.scalar)
      else if (place === "reason") continue
      else scalars.push(item.scalar)
      continue
    }
    if (item.form === "a" || item.form === "an") indefinite ||= at > pivot && place === "object"
    if (entry?.relation !== undefined && (relation === "" || relation === "contain" || (at >= pivot && !inside))) {
      if (inside || place !== "reason")
        relation = entry.relation === "contain" && relation !== "" ? relation : entry.relation
    }
    if (
      entry?.event === true &&
      /(?:ed)$|^(?:ran|met|bought|sold|went|saw|flew|rode|swam|won|broke|found|sent|gave|read|ate|paid)$/.test(
        item.form
      )
    )
      event = true
    if (entry?.empty === true || entry?.auxiliary === true) continue
    if (
      entry?.cue !== undefined &&
      entry.kinds === undefined &&
      entry.relation === undefined &&
      entry.pair === undefined
    )
      continue
    if (entry?.cue === "about") continue
    const canon = entry?.pair !== undefined && !inside ? entry.pair : item.canon
    const found: Place = entry?.singular === true && entry.kinds === undefined ? "attribute" : place
    if (found !== "attribute" && found === "subject" && entry?.relation === undefined) told = "named"
    const known = words.get(canon)
    if (known === undefined || (known.place === "reason" && found !== "reason")) {
      words.set(canon, {
        item: inside && at === 0 && item.possessive !== true ? unnamed(item) : item,
        place: found,
        ...(entry?.pair !== undefined && !inside ? { side: entry.side! } : {})
      })
    }
  }
  const negative = nots % 2 === 1
  return {
    words,
    scalars,
    naming,
    relation: relation === "" ? (keyed ? "keyed" : "") : relation,
    negative,
    cues: quotes >= 2 ? cues.add("said") : cues,
    question: items.some(({ mark }) => mark === "?"),
    keyed,
    event: event || lexicon.relations[relation]?.event === true,
    told,
    indefinite
  }
}
const unnamed = ({ name: _, ...item }: Item): Item => item
