import type { Statement } from "../../../../src/ports/Reconciler.js"
import { rowOf, tableOrNone, weightOfRow } from "./align.js"
import { type Hints, hintNames, matterNames } from "./hints.js"
import { itemsOf } from "./items.js"
import type { Entry, Lexicon } from "./lexicon.js"
import type { Scalar } from "./scalars.js"
import type { Item } from "./tokens.js"

/** A word of content in its order; what stands beside it, "" at an end or a mark. */
export interface BagWord {
  readonly canon: string
  readonly form: string
  readonly name: boolean
  readonly weight: number
  readonly row: number
  before: string
  after: string
  readonly part: Text["part"]
  /** In the key of a key and its value. */
  readonly key: boolean
  readonly matters: ReadonlyArray<number>
  /** What it says to be between two things. */
  readonly senses: ReadonlyArray<number>
  readonly entry: Entry | undefined
}

/** A title, a fact or the narrative, as it was read. */
export interface Text {
  readonly part: "title" | "fact" | "narrative"
  readonly items: ReadonlyArray<Item>
}

/** A mark, a name, a number, a word of content, or a word that holds others together. */
export type Sort = "mark" | "name" | "number" | "content" | "link"

/** A statement without its structure. */
export interface Bag {
  readonly texts: ReadonlyArray<Text>
  /** All of it by stems: what is the same is said word for word. */
  readonly said: string
  /** The stems of all of it in their order, and what each is: a mark, a name, a number, a word of content, any other. */
  readonly stems: ReadonlyArray<string>
  readonly sorts: ReadonlyArray<Sort>
  readonly words: ReadonlyMap<string, BagWord>
  readonly weight: number
  readonly title: ReadonlySet<string>
  readonly keys: ReadonlyArray<ReadonlySet<string>>
  readonly scalars: ReadonlyArray<Scalar>
  /** Numbers and days that tell one thing from another: ticket 12, site A, accounts 2024, the deploy of 8 January. */
  readonly labels: ReadonlyArray<readonly [head: string, label: string]>
  /** How often each hint was met. */
  readonly hints: Uint8Array
  readonly matters: Uint8Array
  /** Of all words but names, each once. */
  readonly senses: ReadonlyArray<number>
  readonly tone: number
  readonly nots: number
  readonly question: boolean
  /** Its title is a question. */
  readonly asked: boolean
  /** Not in the language of the lexicon: only what is the same can be told. */
  readonly foreign: boolean
  readonly quoted: boolean
  readonly speaker: boolean
  readonly first: string
  readonly last: string
  readonly marks: number
}

/** Words and facts that are read, and characters: of a title, a fact, the narrative, and of all together. */
const most = { words: 60, facts: 12, title: 300, fact: 200, narrative: 400, all: 1_000 }
const none: ReadonlyArray<number> = []

const isContent = ({ canon, entry, mark, name, scalar }: Item): boolean =>
  mark === undefined &&
  (scalar === undefined || name === true) &&
  (canon.length > 1 || (name === true && canon !== "a" && canon !== "i")) &&
  !(entry?.empty || entry?.auxiliary || entry?.pronoun || entry?.speaker) &&
  !(entry?.slot !== undefined && entry.relation === undefined && entry.kinds === undefined)

const sortOf = (item: Item): Sort => {
  if (item.scalar !== undefined) return "number"
  if (!isContent(item)) return "link"
  return item.name === true || item.capital === true ? "name" : "content"
}

export const bagOf = ({ at, facts, narrative = "", title }: Statement, lexicon: Lexicon, hints: Hints): Bag => {
  const table = tableOrNone()
  const words = new Map<string, BagWord>()
  const texts: Array<Text> = []
  const titled = new Set<string>()
  const keys: Array<Set<string>> = []
  const scalars: Array<Scalar> = []
  const labels: Array<readonly [string, string]> = []
  const met = new Uint8Array(hintNames.length)
  const about = new Uint8Array(matterNames.length)
  let [tone, nots, question, quoted, speaker, marks, weight] = [0, 0, false, false, false, 0, 0]
  let [first, last] = ["", ""]
  let left = most.all
  const said: Array<string> = []
  const sorts: Array<Sort> = []
  const all: Array<string> = []
  const senses: Array<number> = []
  let [ours, theirs] = [0, 0]
  const take = (text: string, part: BagWord["part"]) => {
    const items = itemsOf(text.slice(0, Math.min(most[part], left)), lexicon, at)
    left -= Math.min(text.length, most[part])
    texts.push({ part, items })
    const colon = items.findIndex(({ mark }) => mark === ":" || mark === "=")
    const keyed =
      colon > 0 &&
      colon <= 6 &&
      items.slice(0, colon).every(({ mark }) => mark === undefined || mark === "(" || mark === ")")
    const keyWords = new Set<string>()
    let before: BagWord | undefined
    const stems: Array<string> = []
    let told = false
    let head = ""
    for (const [place, item] of items.entries()) {
      if (item.mark !== undefined) {
        if (item.mark === "?") question = true
        if (/["“”]/.test(item.mark)) quoted = true
        if (before !== undefined && !/["“”]/.test(item.mark)) before = undefined
        marks++
        if (item.mark === ":" || item.mark === "=") told = true
        if (item.mark !== "(" && item.mark !== ")") head = ""
        stems.push("|")
        sorts.push("mark")
        continue
      }
      if (item.entry?.empty || item.entry?.auxiliary || item.entry?.slot !== undefined) ours++
      if (hints.foreign.has(item.form)) theirs++
      const sort = sortOf(item)
      let sense = none
      for (const form of item.form.split(" ")) {
        const stem = lexicon.key(form)
        stems.push(stem)
        sorts.push(sort)
        if (sense === none && (item.capital !== true || place === 0)) sense = hints.senses.get(stem) ?? none
      }
      if (item.canon === "hav" && holds(items[place + 1])) sense = hints.senses.get("own") ?? none
      for (const one of sense) if (!senses.includes(one)) senses.push(one)
      if (item.scalar !== undefined && scalars.length < 24) scalars.push(item.scalar)
      // "This is memory number 3" says which one it is, though it comes behind a verb.
      if ((!told || head === "number") && head !== "" && part !== "narrative" && labels.length < 8) {
        if (
          item.scalar?.kind === "day" ||
          (item.scalar?.kind === "quantity" && !lexicon.dimensions.has(item.scalar.unit ?? ""))
        )
          labels.push([head, labelOf(item)])
        else if (item.capital === true && item.canon.length === 1) labels.push([head, item.canon])
      }
      if (
        place > 0 &&
        item.scalar === undefined &&
        (item.entry?.auxiliary ||
          ((item.entry?.verb || item.entry?.relation !== undefined) && /(?:[^s]s|ed)(?= |$)/.test(item.form)))
      )
        told = true
      if (item.entry?.speaker) speaker = true
      if (item.entry?.cue === "not") nots++
      const stem = stems[stems.length - 1]!
      tone += hints.tones.get(stem) ?? 0
      const matters = hints.matters.get(stem) ?? none
      for (const matter of matters) about[matter]!++
      if (!isContent(item)) {
        if (item.form !== "of" && !(item.entry?.empty && item.entry.auxiliary === undefined)) head = ""
        if (item.scalar !== undefined) before = undefined
        continue
      }
      head = item.canon
      if (part === "title") titled.add(item.canon)
      if (keyed && place < colon) keyWords.add(item.canon)
      if (before !== undefined) before.after ||= item.canon
      let word = words.get(item.canon)
      if (word === undefined && words.size < most.words) {
        const row = table === undefined ? -1 : rowOf(table, item.form, item.canon)
        const light = item.entry?.relation !== undefined || item.entry?.generic === true ? 0.35 : 1
        word = {
          canon: item.canon,
          form: item.form,
          name: item.capital === true || item.name === true,
          weight: light * weightOfRow(row),
          row,
          before: before?.canon ?? "",
          after: "",
          part,
          key: keyed && place < colon,
          matters,
          senses: sense,
          entry: item.entry
        }
        weight += word.weight
        words.set(item.canon, word)
        if (first === "") first = item.canon
      }
      last = item.canon
      before = word
    }
    if (keyWords.size > 0) keys.push(keyWords)
    for (const stem of stems) if (stem !== "|") said.push(stem)
    all.push(...stems, "|")
    sorts.push("mark")
    for (let place = 0; place < stems.length; place++)
      for (const { hint, rest } of hints.phrases.get(stems[place]!) ?? [])
        if (rest.every((stem, ahead) => stems[place + 1 + ahead] === stem)) met[hint]!++
  }
  take(title, "title")
  for (const fact of facts.slice(0, most.facts)) if (left > 0) take(fact, "fact")
  if (narrative !== "" && left > 0) take(narrative, "narrative")
  return {
    texts,
    said: said.join(" "),
    stems: all,
    sorts,
    words,
    weight,
    title: titled,
    keys,
    scalars,
    labels,
    hints: met,
    matters: about,
    senses,
    tone,
    nots,
    question,
    foreign: (theirs > 1 && theirs > ours) || isStrange(title),
    asked: /[?？]\W*$/.test(title),
    quoted,
    speaker,
    first,
    last,
    marks
  }
}

/** "has a", "has 3": no "has to", no "has gone". */
const holds = (next: Item | undefined): boolean =>
  next !== undefined && next.form !== "to" && (next.scalar !== undefined || next.entry?.determiner === true)

/** More than half of its letters are of another script than Latin. */
const isStrange = (text: string): boolean => {
  const strange = text.slice(0, most.title).match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  return strange > 1 && strange > (text.slice(0, most.title).match(/\p{Script=Latin}/gu)?.length ?? 0)
}

const labelOf = ({ scalar }: Item): string => {
  const { amount, day, month, parts, quarter, week, weekday, year } = scalar!
  return [
    amount ?? "",
    parts?.join(".") ?? "",
    year ?? "",
    month ?? "",
    day ?? "",
    weekday ?? "",
    quarter ?? "",
    week ?? ""
  ].join(" ")
}
