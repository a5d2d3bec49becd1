import { telephone } from "../projections/forms.js"
import { textColumns } from "../projections/fulltext.js"
import { expression } from "../projections/text.js"
import { limits } from "./limits.js"

/** A query's text, taken apart. Any text is a query: what is no syntax is words. */
export interface ParsedQuery {
  /** FTS5 expressions: all must match, any may match, none may match. */
  readonly must: ReadonlyArray<string>
  readonly should: ReadonlyArray<Word>
  readonly not: ReadonlyArray<string>
  /** Those of them that must and must not match, as they were written. */
  readonly required: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  /** The words themselves, for substring search. */
  readonly needles: ReadonlyArray<string>
  /** What narrows the search by a field, as it was written. */
  readonly fields: ReadonlyArray<Field>
  /** The text as long as it was, with blanks where fields and exclusions stood: what is asked for, in plain words. */
  readonly plain: string
  /** What looks like syntax and is none, and how it was read instead. */
  readonly hints: ReadonlyArray<string>
  /** Further alternatives: neighbouring words as one, for what was written so ("rate limit", "ratelimit"). */
  readonly joined?: ReadonlyArray<string>
}

export interface Word {
  /** As it was written. */
  readonly text: string
  /** Where it stands in `plain`. */
  readonly at: number
  readonly expression: string
  /** A word alone may be left out where it is too common; a phrase or a column's word never. */
  readonly droppable: boolean
}

/** `name:value`, without quotes. */
export interface Field {
  readonly name: string
  readonly value: string
}

/** What stands before a colon: columns in which a word is looked for, and fields by which rows are filtered. */
export interface Syntax {
  readonly columns: ReadonlyArray<string>
  /** By name, why a value is none; undefined where it is one. */
  readonly fields: Readonly<Record<string, (value: string) => string | undefined>>
}

/** The syntax of a text that knows no fields. */
export const wordsOnly: Syntax = { columns: Object.keys(textColumns), fields: {} }

/**
 * Words are alternatives, the more of them the better. `"quoted words"` are a
 * phrase, `+word` and `this AND that` must match, `-word` and `NOT word` must
 * not, `title:word` looks in one column, `type:decision` filters. What looks
 * like syntax and is none is read as words, with a hint. Cut to 1 KiB and 32 terms.
 */
export const parse = (text: string, { columns, fields: known }: Syntax = wordsOnly): ParsedQuery => {
  const must: Array<string> = []
  const should: Array<Word> = []
  const not: Array<string> = []
  const required: Array<string> = []
  const excluded: Array<string> = []
  const needles: Array<string> = []
  const fields: Array<Field> = []
  const hints: Array<string> = []
  let wanted = false
  let unwanted = false
  let lastPlain: Word | undefined
  const whole = bounded(text)
  let plain = whole
  const blank = (at: number, length: number) => {
    plain = plain.slice(0, at) + " ".repeat(length) + plain.slice(at + length)
  }
  if (whole.length < text.trimEnd().length) hints.push(`only the first ${limits.queryBytes} bytes are looked at`)
  for (const { 0: token, index: at } of whole.matchAll(tokens)) {
    if (must.length + should.length + not.length >= limits.queryTerms) {
      hints.push(`only the first ${limits.queryTerms} terms are looked for`)
      break
    }
    if (token === "AND") {
      if (lastPlain !== undefined) {
        should.splice(should.indexOf(lastPlain), 1)
        must.push(lastPlain.expression)
        required.push(lastPlain.text)
        lastPlain = undefined
      }
      wanted = must.length > 0
      continue
    }
    if (token === "OR") continue
    if (token === "NOT") {
      unwanted = true
      continue
    }
    // The plus of a telephone number is part of it.
    const number = /\s/u.test(token) && !token.includes('"')
    const [, sign = "", name, rest = ""] = number ? [token, "", undefined, token] : parts.exec(token)!
    const field = name?.slice(0, -1).toLowerCase()
    const value = unquoted(rest)
    const filter = field === undefined || !Object.hasOwn(known, field) ? undefined : known[field]
    if (field !== undefined && filter !== undefined) {
      const problem =
        sign !== "" || unwanted
          ? "a field cannot be excluded or required"
          : value.trim() === ""
            ? "has no value"
            : filter(value)
      if (problem === undefined) {
        fields.push({ name: field, value })
        blank(at, token.length)
        lastPlain = undefined
        continue
      }
      hints.push(`${token}: ${problem}; read as words`)
    }
    const named = field !== undefined && columns.includes(field)
    const column = named && value.trim() !== ""
    if (named && !column) hints.push(`${token}: has no value; read as words`)
    if (filter === undefined && !named && likeField.test(token)) {
      const names = [...columns, ...Object.keys(known)].join(", ")
      hints.push(`${field}: is no field (there are ${names}); read as words`)
    }
    const quoted = /^".*"$/s.test(rest)
    // What was meant for a field and is none: its name and its value are words of their own.
    const mistaken = !column && value.trim() !== "" && (filter !== undefined || likeField.test(token))
    const bodies = mistaken ? [field!, value] : [column ? value : unquoted(`${name ?? ""}${rest}`)]
    lastPlain = undefined
    for (const body of bodies) {
      const found = expression(body)
      if (found === null) continue
      const term = column ? `${field} : ${found}` : found
      if (sign === "-" || unwanted) {
        not.push(term)
        excluded.push(body)
        blank(at, token.length)
        continue
      }
      needles.push(body)
      if (sign === "+" || wanted) {
        must.push(term)
        required.push(body)
      } else {
        lastPlain = { text: body, at, expression: term, droppable: !quoted && !column }
        should.push(lastPlain)
      }
    }
    wanted = false
    unwanted = false
  }
  if ((whole.match(/"/g)?.length ?? 0) % 2 === 1) hints.push('a " is not closed; read as words')
  if (/(?:^|\s)(?:AND|OR|NOT)\s*$/u.test(whole)) hints.push("nothing follows the last AND, OR or NOT")
  // Exclusions alone leave nothing to look for: they are taken as words, unless fields say what they are excluded from.
  if (must.length === 0 && should.length === 0 && not.length > 0 && fields.length === 0) {
    hints.push("there is nothing but exclusions; read as words")
    let at = 0
    const words = not.map((expression, index) => {
      const text = excluded[index]!
      const word = { text, at, expression, droppable: true }
      at += text.length + 1
      return word
    })
    const plain = excluded.join(" ")
    return { must, should: words, not: [], required, excluded: [], needles: excluded, fields, plain, hints }
  }
  const nothing = must.length === 0 && should.length === 0
  return {
    must,
    should,
    not,
    required,
    excluded,
    needles: nothing ? [plain.trim()] : needles,
    fields,
    plain,
    hints
  }
}

/** What is looked for, with further alternatives: neighbouring words as one. */
type Wanted = Pick<ParsedQuery, "must" | "not" | "should"> & { readonly joined?: ReadonlyArray<string> }

/** One FTS5 expression for the whole; null where there is nothing to look for. */
export const matchOf = ({ joined = [], must, not, should }: Wanted): string | null => {
  const any = [...should.map((word) => word.expression), ...joined].join(" OR ")
  const all = must.join(" AND ")
  // What must match stands among the alternatives too: it holds for every row, and bm25 counts all of them.
  const wanted = must.length === 0 ? any : any === "" ? all : `(${all}) AND (${must[0]} OR ${any})`
  if (wanted === "") return null
  return not.length === 0 ? wanted : `(${wanted}) NOT (${not.join(" OR ")})`
}

/** What to match, and what rows that vectors bring up must match and must not, each null where it is nothing. */
export const expressionsOf = (query: Wanted) => ({
  match: matchOf(query),
  within: query.must.length === 0 ? null : query.must.join(" AND "),
  without: query.not.length === 0 ? null : query.not.join(" OR ")
})

/** Quoted words, a telephone number with its spaces, a word. */
const tokens = new RegExp(`[+-]?(?:[a-z]+:)?"[^"]*"|(?<!\\S)(?:${telephone.source})(?!\\S)|\\S+`, "giu")
const parts = /^([+-]?)([a-z]+:)?(.*)$/isu
/** A word before a colon that is written as a field is, and as no URL, time, path or emoticon is. */
const likeField = /^[+-]?[a-z]{2,}:(?![/\\:])["\p{L}\p{N}]/iu

const unquoted = (text: string): string => (/^".*"$/s.test(text) ? text.slice(1, -1) : text)

const bounded = (text: string): string =>
  Buffer.from(text.slice(0, limits.queryBytes).replace(/[\p{Surrogate}\0]/gu, " "))
    .subarray(0, limits.queryBytes)
    .toString("utf8")
    .replace(/\ufffd$/u, "")
