import type { Cue } from "./LanguageWords.js"

/** Whether a word is said to hold, not to hold, or to have been replaced. */
export type Status = "stated" | "denied" | "former"

/** A word of a claim with content. */
export interface ClaimWord {
  readonly key: string
  /** 1; less for verbs that join a subject and a value, and for the speaker. */
  readonly weight: number
  readonly status: Status
  /** Whether it stands before the first verb of its clause that the language knows. */
  readonly subject: boolean
  /** Whether it makes another subject or place: a relative, an environment. */
  readonly scope: boolean
  /** Whether it is the second word of a pair of opposites. */
  readonly opposite: boolean
}

/** A number with a unit, a date, a time, or a code of letters and digits. */
export interface ClaimValue {
  readonly kind: string
  readonly value: string
  readonly status: Status
  /** Whether it names a thing: "Ticket 12 ist offen". */
  readonly label: boolean
}

/** A memory or a statement as the comparison sees it. */
export interface Claim {
  /** The words of the title, by key. */
  readonly title: ReadonlyMap<string, ClaimWord>
  /** The words of title, facts and narrative that are stated as facts, by key. */
  readonly words: ReadonlyMap<string, ClaimWord>
  readonly values: ReadonlyArray<ClaimValue>
  /** The values of the title. */
  readonly titleValues: ReadonlyArray<ClaimValue>
  /** The cues of the sentences that are stated as facts: of all, and of the title. */
  readonly cues: ReadonlySet<Cue>
  readonly titleCues: ReadonlySet<Cue>
  /** The modality or the validity of the title if it is not a fact that holds now. */
  readonly open: "question" | "maybe" | "plan" | "said" | "temporary" | "past" | undefined
  /** Whether any of its sentences is not a fact that holds now. */
  readonly isHedged: boolean
  /** Whether something is still to do or out of order, or is done or in order. */
  readonly state: "due" | "done" | undefined
  /** The number of its facts. */
  readonly facts: number
  /** Whether it enumerates. */
  readonly isList: boolean
}
