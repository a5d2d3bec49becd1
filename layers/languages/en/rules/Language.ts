/** How many values a relation has at a time: one, one per named purpose or occasion, or many. */
export type ValueCount = "one" | "scoped" | "many"

/** The meaning that a word or a phrase gives to its whole clause. */
export type Cue =
  /** Negates the clause. */
  | "not"
  /** Something ended. */
  | "ended"
  /** Something ended, said by an adverb that may also stand beside "not": no longer, any more. */
  | "over"
  /** The clause is true because of a change. */
  | "changed"
  /** The words after it are no longer true: instead of, rather than. */
  | "former"
  /** One more thing, beside others. */
  | "also"
  /** Not stated as true: considered, asked, wished, planned. */
  | "maybe"
  /** Reported speech. */
  | "said"
  /** It was true in the past. */
  | "once"
  /** Corrects an earlier statement. */
  | "corrected"
  /** Not done yet. */
  | "due"
  /** Approximately. */
  | "about"

/** The kind of phrase that a preposition or a conjunction begins. Phrases in one slot can be values of one attribute. */
export type Slot = "place" | "from" | "by" | "with" | "as" | "scope" | "over" | "reason" | "until" | "per" | "and"

export interface Relation {
  /** Verbs and phrases for it. */
  readonly words: string
  /** Nouns for it. */
  readonly nouns?: string
  readonly valueCount: ValueCount
  /** Cues that its words carry, by word or phrase. */
  readonly cues?: Readonly<Record<string, Cue>>
  /** Each object has one subject: owns, leads, maintains. */
  readonly inverse?: boolean
  /** It is an event, which may happen again. */
  readonly event?: boolean
}

/**
 * The tables of one language: all that the rules know about it. Words are lower-case and separated by blanks, phrases by
 * commas. The lexicon stems them when it is built.
 */
export interface Language {
  readonly code: string
  /** Contractions and their full words: n't, 're. Case does not matter. */
  readonly contractions: ReadonlyArray<readonly [RegExp, string]>
  /** Words without content; comparisons ignore them. */
  readonly empty: string
  /** Words for the speaker. */
  readonly speaker: string
  /** Forms of "be" and "have", and auxiliaries. The words after them are said of the words before. */
  readonly auxiliaries: string
  /** Present forms of "be": they state a state, not an event. */
  readonly present: string
  /** Past forms of "be" and "have". */
  readonly past: string
  /** Pronouns for somebody who is named elsewhere. */
  readonly pronouns: string
  /** Abbreviations whose full stop does not end a sentence. */
  readonly abbreviations: string
  /** Words that join two clauses with one subject. */
  readonly joins: string
  /** Determiners. The next word is not a verb. */
  readonly determiners: string
  readonly slots: Readonly<Record<Slot, string>>
  readonly cues: Readonly<Record<Cue, string>>
  /** Verbs and verb phrases for a change. */
  readonly changes: string
  readonly relations: Readonly<Record<string, Relation>>
  /** Other verbs. */
  readonly verbs: string
  /** Verbs for events, which may happen again. */
  readonly events: string
  /** Attributes with one value at a time: port, owner, deadline. */
  readonly singular: string
  /** Nouns for a kind of thing. They do not identify a subject that has other words. */
  readonly generic: string
  /** Synonyms, in groups separated by semicolons. The first one is the canonical form. */
  readonly same: string
  /** Pairs of opposites, separated by semicolons. `~` begins a pair of which both sides can be untrue. */
  readonly opposites: string
  /** Words by kind. Two words of one kind exclude each other as values and identify different subjects. */
  readonly kinds: Readonly<Record<string, string>>
  readonly numbers: string
  readonly months: string
  readonly weekdays: string
  /** Units by dimension, with their size in the base unit, as name=number. */
  readonly units: Readonly<Record<string, string>>
  /** Words for days, as an offset from the day of the statement. */
  readonly days: string
}
