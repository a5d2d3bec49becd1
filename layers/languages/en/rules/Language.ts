/** How many values a relation has at once: one, one for each purpose or occasion that is named, or many. */
export type Valued = "one" | "scoped" | "many"

/** What a word or a phrase says about its whole clause. */
export type Cue =
  /** Turns what is said into its opposite. */
  | "not"
  /** What was so is over. */
  | "ended"
  /** So too, as an adverb that may stand beside "not": no longer, any more. */
  | "over"
  /** Something is so since a change. */
  | "changed"
  /** What comes after it is no longer so: instead of, rather than. */
  | "former"
  /** One thing more beside others. */
  | "also"
  /** Not said to be so: thought of, asked, wished, planned. */
  | "maybe"
  /** Somebody else's words. */
  | "said"
  /** Was so, once. */
  | "once"
  /** Sets right what was said before. */
  | "corrected"
  /** Still to be done. */
  | "due"
  /** About so much. */
  | "about"

/** What a preposition or a conjunction begins. Phrases of one slot can hold values of one attribute. */
export type Slot = "place" | "from" | "by" | "with" | "as" | "scope" | "over" | "reason" | "until" | "per" | "and"

export interface Relation {
  /** Verbs that tell it, and phrases. */
  readonly words: string
  /** Nouns that name it. */
  readonly nouns?: string
  readonly valued: Valued
  /** Cues that its words hold, by word or phrase. */
  readonly cues?: Readonly<Record<string, Cue>>
  /** Its subject is who, its object is what, and each what has one who: whoever owns, leads, maintains it. */
  readonly inverse?: boolean
  /** It happens, and may happen again. */
  readonly event?: boolean
}

/**
 * The tables of one language: everything that the rules know of it. Words are
 * lower-case, separated by blanks, phrases by commas; they are brought to their
 * stems when the tables are read.
 */
export interface Language {
  readonly code: string
  readonly stem: (word: string) => string
  /** Inflected forms that the stemmer cannot know, and their base, which stands first. Groups are parted by semicolons. */
  readonly irregular: string
  /** Letters that stand for words: n't, 're; whatever their case. */
  readonly contractions: ReadonlyArray<readonly [RegExp, string]>
  /** Words that carry no content, left out of every comparison. */
  readonly empty: string
  /** The speaker. */
  readonly speaker: string
  /** Forms of to be and to have, auxiliaries: what follows them is told of what stands before. */
  readonly auxiliaries: string
  /** Forms of to be in the present: what is told with them is a state, no event. */
  readonly present: string
  /** Forms of to be and to have in the past. */
  readonly past: string
  /** Pronouns that stand for somebody named elsewhere. */
  readonly pronouns: string
  /** Words that end in a full stop which ends no sentence. */
  readonly abbreviations: string
  /** What may join two clauses of one subject. */
  readonly joins: string
  /** A determiner before a noun: what follows is no verb. */
  readonly determiners: string
  readonly slots: Readonly<Record<Slot, string>>
  readonly cues: Readonly<Record<Cue, string>>
  /** Verbs, and phrases of a verb, that tell of a change. */
  readonly changes: string
  readonly relations: Readonly<Record<string, Relation>>
  /** Further verbs, of which nothing is known but that they are verbs. */
  readonly verbs: string
  /** Verbs of what happens once and may happen again. */
  readonly events: string
  /** Nouns that have one value at a time: port, owner, deadline. */
  readonly singular: string
  /** Nouns that name the kind of thing, not which one: they tell nobody apart while other words remain. */
  readonly generic: string
  /** Groups of words and phrases with one meaning, parted by semicolons; the first stands for all. */
  readonly same: string
  /** Pairs of opposites, parted by semicolons. */
  readonly opposites: string
  /** Words of one kind that exclude one another as a value and tell two subjects apart, by kind. */
  readonly kinds: Readonly<Record<string, string>>
  readonly numbers: string
  readonly months: string
  readonly weekdays: string
  /** Units by dimension: how many of its base they are, as name=number. */
  readonly units: Readonly<Record<string, string>>
  /** Days counted from the day of the statement. */
  readonly days: string
}
