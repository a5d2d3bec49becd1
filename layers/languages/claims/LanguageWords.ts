/** The meaning that a word or phrase gives to its clause, or to the words after it. */
export type Cue =
  /** The clause is negated: "nicht", "pas". */
  | "not"
  /** The clause is no longer true: "nicht mehr", "ya no". */
  | "ended"
  /** The clause became true through a change: "jetzt", "désormais", a verb of change. */
  | "changed"
  /** The statement corrects what was said before. */
  | "corrected"
  /** The words after the cue name a value that was replaced: "statt", "au lieu de". */
  | "former"
  /** The clause is true in addition to others. */
  | "also"
  /** Something is added to a list. */
  | "added"
  /**
   * A word such as "heute". It means a change if the sentence also mentions the past, a change or a state; otherwise,
   * it means a short time.
   */
  | "today"
  /** The clause confirms a known fact: "weiterhin", "toujours". */
  | "still"
  /** The clause is about the past. */
  | "past"
  /** The next five cues: the sentence is uncertain, a plan, hearsay, a question, or only true for a limited time. */
  | "maybe"
  | "plan"
  | "said"
  | "question"
  | "temporary"
  /** Something is done or works. Its words are in the list `done`. */
  | "state"
  /** A contrast. A new clause begins. */
  | "but"

/**
 * The word lists of a language. Spaces separate words and commas separate phrases; a final `*` stands for any ending.
 * Case and accents do not matter.
 */
export interface LanguageWords {
  readonly tag: string
  /**
   * For a script without spaces. `prepare` writes numerals as digits; `negation` matches a negation at the start of a
   * word.
   */
  readonly unspaced?: { readonly prepare: (text: string) => string; readonly negation: RegExp }
  readonly cues: Readonly<Partial<Record<Cue, string>>>
  /** Words without content. */
  readonly empty: string
  /** Verbs without content between a subject and a value: "ist". */
  readonly copulas: string
  /** The decimal separator. */
  readonly decimal: "," | "."
  /** Words that limit a weekday to one date: "diesen Montag". */
  readonly thisWords: string
  /** Verbs that link a subject to a value, and the subject has one value at a time: "ist", "wohnt", "kostet". */
  readonly links: string
  /** Verbs and auxiliaries that link a subject to one of several values: "mag", "hat". */
  readonly openLinks: string
  /** Words for the speaker. */
  readonly speaker: string
  /**
   * Words that change whom or what a statement is about: relatives, environments, sides. Each word is a kind of its
   * own.
   */
  readonly scopes: string
  /** Groups of words with one meaning. Semicolons separate groups; commas separate words. */
  readonly same: string
  /** Pairs of opposites, "an, aktiv / aus, inaktiv; …". */
  readonly opposites: string
  /** Sizes of units in the base unit, by dimension: "minute=60 stunde=3600". */
  readonly units: Readonly<Record<string, string>>
  /** Numbers, "eins=1 zwei=2". */
  readonly numbers: string
  /** Words before or after a number that make it a time of day. */
  readonly clock: string
  /**
   * Minutes that are added to an hour: by a phrase after the hour ("y media=30"), or before it ("halb=-30"). Commas
   * separate the phrases.
   */
  readonly minutes: string
  readonly minutesBefore: string
  /** Words for things that are not done or do not work (`due`), and for things that are done or work (`done`). */
  readonly due: string
  readonly done: string
  /** The twelve months, and the seven weekdays from Monday. Slashes separate names of the same month or weekday. */
  readonly months: string
  readonly weekdays: string
  /** Two-part negations that mean "no longer", such as "ne … plus": the first words and the later ones. */
  readonly endedAfterNot: readonly [first: string, later: string]
  /** The words before a former value and before the value that replaced it: "von X auf Y". */
  readonly fromTo: readonly [from: string, to: string]
  /** Endings that stemming removes, if at least three letters remain (one in a script without spaces). */
  readonly endings: RegExp
}
