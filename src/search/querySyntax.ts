import { textColumns } from "../../projections/fulltext.js"

/** A parsed query. Any text is a query: text that is not syntax is read as words. */
export interface ParsedQuery {
  /** FTS5 expressions: all of `must` match, any of `should` may match, none of `not` match. */
  readonly must: ReadonlyArray<string>
  readonly should: ReadonlyArray<Word>
  readonly not: ReadonlyArray<string>
  /** The required and the excluded terms as written. */
  readonly required: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  /** The terms themselves, for substring search. */
  readonly needles: ReadonlyArray<string>
  readonly fields: ReadonlyArray<Field>
  /** The text in its full length, with blanks in place of fields, operators and exclusions. */
  readonly plainText: string
  /** Syntax mistakes and how they were read. */
  readonly hints: ReadonlyArray<string>
  /** Further alternatives: neighbouring words joined, for texts that join them ("rate limit", "ratelimit"). */
  readonly joined?: ReadonlyArray<string>
}

export interface Word {
  /** As written. */
  readonly text: string
  /** The word's offset in `plainText`. */
  readonly offset: number
  readonly expression: string
  /** Whether the word may be left out when it is too common: true for a word, false for a phrase. */
  readonly isDroppable: boolean
}

/** `name:value`, without quotes. */
export interface Field {
  readonly name: string
  readonly value: string
  /** Excludes rows with this value: `-type:task`. */
  readonly excluded?: boolean
}

/** The names allowed before a colon: a column restricts a word to this column, a field filters rows. */
export interface QuerySyntax {
  readonly columns: ReadonlyArray<string>
  readonly fields: Readonly<Record<string, FieldRule>>
}

export interface FieldRule {
  /** Why a value is invalid or cannot be excluded; undefined if it is valid. Absent: any text is valid. */
  readonly problem?: (value: string, excluded: boolean) => string | undefined
}

/** A syntax without fields. */
export const wordSyntax: QuerySyntax = { columns: Object.keys(textColumns), fields: {} }
