import type { Statement } from "../../../../src/ports/Reconciler.js"
import { stemOf } from "../../../../text/normalise/stem.js"
import { isDimension } from "../values/units.js"
import { keyOf, type Value } from "../values/Value.js"
import { rowOf, weightOfRow, wordTableIfPresent } from "./align.js"
import type { Bag, BagWord, Text, WordSort } from "./bag.js"
import { hintIndex, hintNames } from "./hints.js"
import { itemsOf } from "./items.js"
import type { Item } from "./tokens.js"

/**
 * Limits on the input: words, facts, and characters of a title, of a fact, of the narrative and of the complete text.
 */
const maxRead = { words: 60, facts: 12, title: 300, fact: 200, narrative: 400, all: 1_000 }
const noNumbers: ReadonlyArray<number> = []

const isContent = ({ canon, entry, mark, name, scalar }: Item): boolean =>
  mark === undefined &&
  (scalar === undefined || name === true) &&
  (canon.length > 1 || (name === true && canon !== "a" && canon !== "i")) &&
  !(entry?.empty || entry?.auxiliary || entry?.pronoun || entry?.speaker) &&
  !(entry?.slot !== undefined && entry.relation === undefined && entry.kinds === undefined)

const sortOf = (item: Item): WordSort => {
  if (item.scalar !== undefined) return "number"
  if (!isContent(item)) return "link"
  return item.name === true || item.capital === true ? "name" : "content"
}

/** A text while it is being read. */
interface TextDraft extends Text {
  /** The index of the colon after a key; −1 if the text has no key. */
  readonly keyEnd: number
  readonly keyWords: Set<string>
  readonly stems: Array<string>
  /** The previous content word, unless a mark or a number separates it. */
  before: BagWord | undefined
  /** True if a verb or a colon has occurred. After it, numbers are values. */
  isValue: boolean
  /** The noun to which a following number may belong: "ticket" in "ticket 12"; "" if there is none. */
  head: string
}

/** Reads a statement into a bag of words. */
export const bagOf = ({ at: saidAt, facts, narrative = "", title }: Statement): Bag => {
  const draft = emptyDraft()
  takeText(draft, title, "title", saidAt)
  for (const fact of facts.slice(0, maxRead.facts)) if (draft.charsLeft > 0) takeText(draft, fact, "fact", saidAt)
  if (narrative !== "" && draft.charsLeft > 0) takeText(draft, narrative, "narrative", saidAt)
  return {
    ...draft,
    stemText: draft.stems.filter((stem) => stem !== "|").join(" "),
    isForeign: (draft.foreignWords > 1 && draft.foreignWords > draft.ownWords) || isMostlyNonLatin(title),
    titleIsQuestion: /[?？]\W*$/.test(title)
  }
}

/** A bag while it is being filled. */
type Draft = ReturnType<typeof emptyDraft>

const emptyDraft = () => ({
  table: wordTableIfPresent(),
  texts: [] as Text[],
  words: new Map<string, BagWord>(),
  title: new Set<string>(),
  keys: [] as ReadonlySet<string>[],
  scalars: [] as Value[],
  labels: [] as (readonly [string, string])[],
  stems: [] as string[],
  sorts: [] as WordSort[],
  senses: [] as number[],
  hints: new Uint8Array(hintNames.length),
  ...{ weight: 0, tone: 0, nots: 0, marks: 0, question: false, quoted: false, speaker: false, first: "", last: "" },
  /** The number of characters that may still be read. */
  charsLeft: maxRead.all,
  /** The number of function words found so far: of English, and of other languages. */
  ownWords: 0,
  foreignWords: 0
})

const takeText = (draft: Draft, content: string, part: Text["part"], saidAt: number) => {
  const items = itemsOf(content.slice(0, Math.min(maxRead[part], draft.charsLeft)), saidAt)
  draft.charsLeft -= Math.min(content.length, maxRead[part])
  draft.texts.push({ part, items })
  const text: TextDraft = {
    part,
    items,
    keyEnd: keyEndOf(items),
    keyWords: new Set(),
    stems: [],
    before: undefined,
    isValue: false,
    head: ""
  }
  for (const [index, { mark }] of items.entries())
    if (mark === undefined) takeItem(draft, text, index)
    else takeMark(draft, text, mark)
  if (text.keyWords.size > 0) draft.keys.push(text.keyWords)
  draft.stems.push(...text.stems, "|")
  draft.sorts.push("mark")
  countHints(draft, text.stems)
}

const keyEndOf = (items: ReadonlyArray<Item>): number => {
  const colon = items.findIndex(({ mark }) => mark === ":" || mark === "=")
  const isKey =
    colon > 0 &&
    colon <= 6 &&
    items.slice(0, colon).every(({ mark }) => mark === undefined || mark === "(" || mark === ")")
  return isKey ? colon : -1
}

const takeMark = (draft: Draft, text: TextDraft, mark: string) => {
  const isQuote = /["“”]/.test(mark)
  if (mark === "?") draft.question = true
  if (isQuote) draft.quoted = true
  else text.before = undefined
  draft.marks++
  if (mark === ":" || mark === "=") text.isValue = true
  if (mark !== "(" && mark !== ")") text.head = ""
  text.stems.push("|")
  draft.sorts.push("mark")
}

const takeItem = (draft: Draft, text: TextDraft, index: number) => {
  const item = text.items[index]!
  const { entry } = item
  if (entry?.empty || entry?.auxiliary || entry?.slot !== undefined) draft.ownWords++
  if (hintIndex.foreign.has(item.form)) draft.foreignWords++
  const senses = takeStems(draft, text, index)
  takeScalar(draft, text, item)
  if (index > 0 && item.scalar === undefined && isVerb(item)) text.isValue = true
  if (entry?.speaker) draft.speaker = true
  if (entry?.cue === "not") draft.nots++
  const stem = text.stems[text.stems.length - 1]!
  draft.tone += hintIndex.tones.get(stem) ?? 0
  if (isContent(item)) takeWord(draft, text, index, senses)
  else {
    if (item.form !== "of" && !(entry?.empty && entry.auxiliary === undefined)) text.head = ""
    if (item.scalar !== undefined) text.before = undefined
  }
}

/** Adds the stems of an item and returns its senses. */
const takeStems = ({ senses, sorts }: Draft, { items, stems }: TextDraft, index: number) => {
  const item = items[index]!
  const sort = sortOf(item)
  let ownHints = noNumbers
  for (const form of item.form.split(" ")) {
    const stem = stemOf(form)
    stems.push(stem)
    sorts.push(sort)
    if (ownHints === noNumbers && (item.capital !== true || index === 0))
      ownHints = hintIndex.senses.get(stem) ?? noNumbers
  }
  if (item.canon === "hav" && isPossession(items[index + 1])) ownHints = hintIndex.senses.get("own") ?? noNumbers
  for (const sense of ownHints) if (!senses.includes(sense)) senses.push(sense)
  return ownHints
}

const takeScalar = ({ labels, scalars }: Draft, { head, isValue, part }: TextDraft, item: Item) => {
  const { canon, capital, scalar } = item
  if (scalar !== undefined && scalars.length < maxScalars) scalars.push(scalar)
  // "This is memory number 3" identifies a thing, although the number follows a verb.
  if ((isValue && head !== "number") || head === "" || part === "narrative" || labels.length >= maxLabels) return
  if (scalar?.kind === "day" || (scalar?.kind === "quantity" && !isDimension(scalar.unit)))
    labels.push([head, keyOf(scalar)])
  else if (capital === true && canon.length === 1) labels.push([head, canon])
}
const maxScalars = 24
const maxLabels = 8

const isVerb = ({ entry, form }: Item): boolean =>
  entry?.auxiliary === true ||
  ((entry?.verb === true || entry?.relation !== undefined) && /(?:[^s]s|ed)(?= |$)/.test(form))

const takeWord = (draft: Draft, text: TextDraft, index: number, senses: BagWord["senses"]) => {
  const { table, words } = draft
  const { capital, canon, entry, form, name } = text.items[index]!
  const isKey = index < text.keyEnd
  text.head = canon
  if (text.part === "title") draft.title.add(canon)
  if (isKey) text.keyWords.add(canon)
  if (text.before !== undefined) text.before.after ||= canon
  let word = words.get(canon)
  if (word === undefined && words.size < maxRead.words) {
    const row = table === undefined ? -1 : rowOf(table, form, canon)
    const light = entry?.relation !== undefined || entry?.generic === true ? 0.35 : 1
    word = {
      canon,
      form,
      name: capital === true || name === true,
      weight: light * weightOfRow(row),
      row,
      before: text.before?.canon ?? "",
      after: "",
      part: text.part,
      inKey: isKey,
      senses,
      entry
    }
    draft.weight += word.weight
    words.set(canon, word)
    if (draft.first === "") draft.first = canon
  }
  draft.last = canon
  text.before = word
}

const countHints = ({ hints }: Draft, stems: ReadonlyArray<string>) => {
  for (let index = 0; index < stems.length; index++)
    for (const { hint, rest } of hintIndex.phrases.get(stems[index]!) ?? [])
      if (rest.every((stem, offset) => stems[index + 1 + offset] === stem)) hints[hint]!++
}

/** True if "has" means possession: "has a", "has 3", but not "has to" or "has gone". */
const isPossession = (next: Item | undefined): boolean =>
  next !== undefined && next.form !== "to" && (next.scalar !== undefined || next.entry?.determiner === true)

/** True if more than half of the letters are not Latin. */
const isMostlyNonLatin = (text: string): boolean => {
  const nonLatinCount = text.slice(0, maxRead.title).match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  return nonLatinCount > 1 && nonLatinCount > (text.slice(0, maxRead.title).match(/\p{Script=Latin}/gu)?.length ?? 0)
}
