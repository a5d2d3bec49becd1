/** How many values a relation has at a time: one, one per named purpose or occasion, or many. */
export type ValueCount = "one" | "scoped" | "many"

/** The meaning that a word or a phrase gives to its whole clause. */
export type Cue =
  /** Negates the clause. */
  | "not"
  /** Something ended. */
  | "ended"
  /** Something ended. Expressed by an adverb that can also follow "not": no longer, any more. */
  | "over"
  /** The clause is true because of a change. */
  | "changed"
  /** The words after the cue are no longer true: instead of, rather than. */
  | "former"
  /** Something is true in addition to other things. */
  | "also"
  /** Not stated as a fact: considered, asked, wished, planned. */
  | "maybe"
  /** Reported speech. */
  | "said"
  /** Something was true in the past. */
  | "once"
  /** Corrects an earlier statement. */
  | "corrected"
  /** Not done yet. */
  | "due"
  /** Approximately. */
  | "about"

/**
 * The kind of phrase that a preposition or a conjunction begins. Phrases of the same kind can be values of one
 * attribute.
 */
export type PhraseKind = "place" | "from" | "by" | "with" | "as" | "scope" | "over" | "reason" | "until" | "per" | "and"

export interface Relation {
  /** Verbs and phrases that express the relation. */
  readonly words: string
  /** Nouns that express the relation. */
  readonly nouns?: string
  readonly valueCount: ValueCount
  /** Cues that some of these words also give, by word or phrase. */
  readonly cues?: Readonly<Record<string, Cue>>
  /** Each object has one subject: owns, leads, maintains. */
  readonly inverse?: boolean
  /** The relation is an event, which may happen again. */
  readonly event?: boolean
}
