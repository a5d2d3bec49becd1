import type { Cue } from "./LanguageWords.js"

/** The text states a word, denies it, or says that it was replaced. */
export type Status = "stated" | "denied" | "former"

/** A content word of a claim. */
export interface ClaimWord {
  readonly key: string
  /**
   * 1 for most words; less for verbs that link a subject to a value, for the speaker, and for single Chinese
   * characters.
   */
  readonly weight: number
  readonly status: Status
  /** True if the word comes before the first linking verb of the first clause. */
  readonly subject: boolean
  /** True if the word changes whom or what the claim is about: a relative, an environment. */
  readonly scope: boolean
  /** True for the second side of a pair of opposites. */
  readonly opposite: boolean
}

/** A number with a unit, a date, a time, or a code of letters and digits. */
export interface ClaimValue {
  readonly kind: string
  readonly value: string
  readonly status: Status
  /** True if the value identifies a thing: "Ticket 12 ist offen". */
  readonly label: boolean
}

/** The claim of a memory or a statement, prepared for comparison. */
export interface Claim {
  /** The words of the title, by key. */
  readonly title: ReadonlyMap<string, ClaimWord>
  /** The words of title, facts and narrative that are stated as facts, by key. */
  readonly words: ReadonlyMap<string, ClaimWord>
  readonly values: ReadonlyArray<ClaimValue>
  /** The values of the title. */
  readonly titleValues: ReadonlyArray<ClaimValue>
  /** The cues of all sentences that are stated as facts. `titleCues`: those of the title. */
  readonly cues: ReadonlySet<Cue>
  readonly titleCues: ReadonlySet<Cue>
  /** Why the title is not a fact that is true now; undefined if it is one. */
  readonly open: "question" | "maybe" | "plan" | "said" | "temporary" | "past" | undefined
  /** True if any sentence is not a fact that is true now. */
  readonly isHedged: boolean
  /** "due": something is not done or does not work. "done": it is done or works again. */
  readonly state: "due" | "done" | undefined
  /** The number of its facts. */
  readonly facts: number
  /** True if it has several facts, or if its title lists several things. */
  readonly isList: boolean
}
