import type { Cue, Slot } from "./Language.js"
import type { Scalar } from "./scalars.js"
import type { Item } from "./tokens.js"

/** The role of a word in its clause: subject, attribute, object, or a slot around them. */
export type Place = "subject" | "attribute" | "object" | "former" | Slot

/** A word of a clause and its role. */
export interface Word {
  readonly item: Item
  readonly place: Place
  /** The word only names the relation. */
  readonly relational: boolean
  /** Which side of a pair of opposites the word is on. */
  readonly side?: boolean
}

/** A clause as the rules parsed it. */
export interface Clause {
  /** By canonical form; the first word of each form is kept. */
  readonly words: ReadonlyMap<string, Word>
  readonly scalars: ReadonlyArray<Scalar>
  /** Numbers and days that are part of the subject: the Q1 report. */
  readonly naming: ReadonlyArray<Scalar>
  readonly relation: string
  readonly negative: boolean
  readonly cues: ReadonlySet<Cue>
  readonly question: boolean
  /** A key with a value, "port: 5432". "assigned" where it has an equals sign or its key is an identifier. */
  readonly keyed: "no" | "listed" | "assigned"
  /** It reports an event, which may happen again. */
  readonly event: boolean
  /** The word that "not" negates. */
  readonly denied: string | undefined
  /** A heading: it has no verb, and is no key with a value. */
  readonly verbless: boolean
  /** It is in the past tense. */
  readonly past: boolean
  /** The subject: the speaker, a pronoun, a name in the clause, or none. */
  readonly subjectKind: "speaker" | "somebody" | "named" | "nobody"
  /** Its value has an indefinite article: a doctor, an apple. */
  readonly indefinite: boolean
}
