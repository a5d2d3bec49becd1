import type { Value } from "../values/Value.js"
import type { Cue, PhraseKind } from "./Language.js"
import type { Item } from "./tokens.js"

/** The role of a word in its clause: subject, attribute, object, or a slot around them. */
export type ClauseRole = "subject" | "attribute" | "object" | "former" | PhraseKind

/** A word of a clause and its role. */
export interface Word {
  readonly item: Item
  readonly place: ClauseRole
  /** True if the word only names the relation. */
  readonly relational: boolean
  /** The side of a pair of opposites that the word belongs to. */
  readonly side?: boolean
}

/** A clause as the rules parsed it. */
export interface Clause {
  /** The words by canonical form. Only the first word of each form is stored. */
  readonly words: ReadonlyMap<string, Word>
  readonly scalars: ReadonlyArray<Value>
  /** Numbers and days that are part of the subject: the Q1 report. */
  readonly naming: ReadonlyArray<Value>
  readonly relation: string
  readonly negative: boolean
  readonly cues: ReadonlySet<Cue>
  readonly question: boolean
  /**
   * "listed" or "assigned" if the clause is a key with a value, "port: 5432". "assigned": with an equals sign, or the
   * key is an identifier.
   */
  readonly keyed: "no" | "listed" | "assigned"
  /** The clause reports an event, which may happen again. */
  readonly event: boolean
  /** The word that "not" negates; undefined if there is none. */
  readonly denied: string | undefined
  /** The clause has no verb and is not a key with a value, like a heading. */
  readonly verbless: boolean
  /** The clause is in the past tense. */
  readonly past: boolean
  /** The subject: the speaker, a pronoun, a name in the clause, or none. */
  readonly subjectKind: "speaker" | "somebody" | "named" | "nobody"
  /** The value has an indefinite article: a doctor, an apple. */
  readonly indefinite: boolean
}
