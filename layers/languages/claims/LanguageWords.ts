/** The meaning of a word or phrase for its clause, or for the words after it. */
export type Cue =
  /** The clause is negated: "nicht", "pas". */
  | "not"
  /** The clause was true and is no longer: "nicht mehr", "ya no". */
  | "ended"
  /** The clause is new: "jetzt", "désormais", a verb of change. */
  | "changed"
  /** The statement corrects what was said before. */
  | "corrected"
  /** The words after it are replaced: "statt", "au lieu de". */
  | "former"
  /** The clause is one more beside others. */
  | "also"
  /** Something joins a list. */
  | "added"
  /** A word for the present that means a change beside a past, and a short time elsewhere: "heute". */
  | "today"
  /** The clause confirms: "weiterhin", "toujours". */
  | "still"
  /** The clause tells of the past. */
  | "past"
  /** The sentence is not certain, is planned, said by others, a question, or true for a time only. */
  | "maybe"
  | "plan"
  | "said"
  | "question"
  | "temporary"
  /** Something is done or in order (not a list of its own: `done`). */
  | "state"
  /** A contrast: another clause begins. */
  | "but"

/**
 * The words of a language. Blanks separate words and commas separate phrases; a final `*` stands for any ending. Case
 * and accents do not matter.
 */
export interface LanguageWords {
  readonly tag: string
  /** For a script without blanks: writes numerals as digits, and finds a negation that begins a word. */
  readonly unspaced?: { readonly prepare: (text: string) => string; readonly negation: RegExp }
  readonly cues: Readonly<Partial<Record<Cue, string>>>
  /** Words without content. */
  readonly empty: string
  /** Verbs without content between a subject and a value: "ist". */
  readonly copulas: string
  /** The sign before decimals. */
  readonly decimal: "," | "."
  /** Words before a weekday that mean this one only: "diesen Montag". */
  readonly thisWords: string
  /** Verbs between a subject and a value of which there is one at a time: "ist", "wohnt", "kostet". */
  readonly links: string
  /** Verbs and auxiliaries between a subject and one of several values: "mag", "hat". */
  readonly openLinks: string
  /** Words for the speaker. */
  readonly speaker: string
  /** Words that make another subject or place of the same words: relatives, environments, sides. Each is its own kind. */
  readonly scopes: string
  /** Groups of words with one meaning. Semicolons separate groups; commas separate words. */
  readonly same: string
  /** Pairs of opposites, "an, aktiv / aus, inaktiv; …". */
  readonly opposites: string
  /** Sizes of units by dimension, "minute=60 stunde=3600". */
  readonly units: Readonly<Record<string, string>>
  /** Numbers, "eins=1 zwei=2". */
  readonly numbers: string
  /** Words before or after a number that make it a time of day. */
  readonly clock: string
  /** Minutes that are said after an hour, and before it: "y media=30", "halb=-30". Commas separate them. */
  readonly minutes: string
  readonly minutesBefore: string
  /** Words of things that are still to do or out of order, and of things that are done or in order. */
  readonly due: string
  readonly done: string
  /** Twelve months and seven days from Monday. Slashes separate other names. */
  readonly months: string
  readonly weekdays: string
  /** Negations of two words that end a clause, "ne … plus": the first words and the later ones. */
  readonly endedAfterNot: readonly [first: string, later: string]
  /** The words around a former and a present value, "von X auf Y". */
  readonly fromTo: readonly [from: string, to: string]
  /** Endings that a stem does not have, for words of at least `shortest` letters. */
  readonly endings: RegExp
}
