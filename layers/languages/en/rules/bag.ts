import type { Value } from "../values/Value.js"
import type { Entry } from "./lexicon.js"
import type { Item } from "./tokens.js"

/** A content word with its neighbours. A neighbour is "" at the end of a text or at a punctuation mark. */
export interface BagWord {
  readonly canon: string
  readonly form: string
  readonly name: boolean
  readonly weight: number
  readonly row: number
  before: string
  after: string
  readonly part: Text["part"]
  /** The word is part of a key ("port: 5432"). */
  readonly inKey: boolean
  /** Indexes of the senses it expresses. */
  readonly senses: ReadonlyArray<number>
  readonly entry: Entry | undefined
}

/** A title, a fact or the narrative, as items. */
export interface Text {
  readonly part: "title" | "fact" | "narrative"
  readonly items: ReadonlyArray<Item>
}

/** The sort of an item; a "link" is a function word. */
export type WordSort = "mark" | "name" | "number" | "content" | "link"

/** A statement as a bag of words, without its structure. */
export interface Bag {
  readonly texts: ReadonlyArray<Text>
  /** All stems as text. Two texts with the same stems are equal word for word. */
  readonly stemText: string
  /** All stems in order, with the sort of each in `sorts`. A mark is "|". */
  readonly stems: ReadonlyArray<string>
  readonly sorts: ReadonlyArray<WordSort>
  readonly words: ReadonlyMap<string, BagWord>
  readonly weight: number
  readonly title: ReadonlySet<string>
  readonly keys: ReadonlyArray<ReadonlySet<string>>
  readonly scalars: ReadonlyArray<Value>
  /** Numbers and days that identify a thing, with its noun: ticket 12, site A, accounts 2024, the 8 January deploy. */
  readonly labels: ReadonlyArray<readonly [head: string, label: string]>
  /** The number of occurrences of each hint. */
  readonly hints: Uint8Array
  /** The senses of all words except names, each once. */
  readonly senses: ReadonlyArray<number>
  readonly tone: number
  readonly nots: number
  readonly question: boolean
  /** The title is a question. */
  readonly titleIsQuestion: boolean
  /** The text is not in the lexicon's language, so only equal texts can be recognised. */
  readonly isForeign: boolean
  readonly quoted: boolean
  readonly speaker: boolean
  readonly first: string
  readonly last: string
  readonly marks: number
}
