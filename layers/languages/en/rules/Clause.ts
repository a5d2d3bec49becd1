import type { Cue, Slot } from "./Language.js"
import type { Scalar } from "./scalars.js"
import type { Item } from "./tokens.js"

/** Where a word of a clause stands: what it is told of, what is told, and around it. */
export type Place = "subject" | "attribute" | "object" | "former" | Slot

/** A word of a clause in its place. */
export interface Word {
  readonly item: Item
  readonly place: Place
  /** It names the relation and nothing beside it. */
  readonly relational: boolean
  /** The side of a pair of opposites that it takes. */
  readonly side?: boolean
}

/** One thing that is said, read as far as rules can. */
export interface Clause {
  /** By what they are compared by; the first of a kind stays. */
  readonly words: ReadonlyMap<string, Word>
  readonly scalars: ReadonlyArray<Scalar>
  /** Numbers and days that belong to what it is about: the Q1 report. */
  readonly naming: ReadonlyArray<Scalar>
  readonly relation: string
  readonly negative: boolean
  readonly cues: ReadonlySet<Cue>
  readonly question: boolean
  /** Key and value: port: 5432; "assigned" with a sign of equality or an identifier as its key. */
  readonly keyed: "no" | "listed" | "assigned"
  /** Something that happened, and may happen again. */
  readonly event: boolean
  /** The word that "not" stands before, where there is one. */
  readonly denied: string | undefined
  /** It has no verb and is no key with a value: a heading. */
  readonly verbless: boolean
  /** It tells of the past. */
  readonly past: boolean
  /** Told of the speaker, of somebody named elsewhere, of what it names, of nobody. */
  readonly told: "speaker" | "somebody" | "named" | "nobody"
  /** Its value has an indefinite article: a doctor, an apple. */
  readonly indefinite: boolean
}
